from __future__ import annotations

import json
import math

import pytest

from gacc_gui.formats.json_values import (
    BadJson,
    careful,
    count_keys,
    dumps,
    is_finite,
    may_repeat_a_key,
    mended,
    quick,
)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"a": NaN}', "NaN is not a number"),
        (b'{"a": -Infinity}', "-Infinity is not a number"),
        (b'{"a": 1e400}', "1e400 is too large"),
        (b'{"a": ' + b"9" * 5000 + b"}", "5,000 digits"),
        (b'{"a": -' + b"9" * 5000 + b"}", "5,000 digits"),
        (b"[" * 5000, "nested deeper than 200"),
        (b"[" * 5000 + b"]" * 5000, "nested deeper than 200"),
        (b'{"a":' * 201 + b"1" + b"}" * 201, "nested deeper than 200"),
        (b'{"a": 1, "b": {"c": 1, "c": 1}}', 'the key "c" stands twice'),
        (b'{"a": "\xff"}', "byte 8 is not UTF-8"),
        (b'{"a": "\xed\xa0\xbd"}', "is not UTF-8"),
        (b'{"a": 1} x', "Extra data at column 10"),
        (b'{"a": 01}', "not JSON"),
        (b'{"a": "\t"}', "Invalid control character at column 8"),
        (b'{"\\ud83d": 1, "\\ud83c": 2}', "stands twice"),
    ],
)
def test_what_is_refused_is_named(data: bytes, reason: str) -> None:
    with pytest.raises(BadJson) as caught:
        careful(data)
    assert reason in caught.value.reason
    assert not caught.value.breaks_off or data == b"[" * 5000


@pytest.mark.parametrize(
    "data",
    [
        b'{"id":2,"v":tr',
        b'{"a":"te',
        b'{"a":"caf\xc3',
        b'{"a"',
        b'{"a":',
        b'{"a":12',
        b'{"a":-',
        b'{"a":"\\u12',
        b"{",
    ],
)
def test_a_torn_line_is_known_by_its_end(data: bytes) -> None:
    with pytest.raises(BadJson) as caught:
        careful(data)
    assert caught.value.breaks_off


def test_half_a_pair_is_repaired_and_named() -> None:
    value, repaired = careful(b'{"a": {"b": ["x", "cut emoji \\ud83d"]}, "c": "\\ud83d\\udc4d"}')
    assert value == {"a": {"b": ["x", "cut emoji \ufffd"]}, "c": "\U0001f44d"}
    assert repaired == ("a.b[1]: half a surrogate pair became U+FFFD",)


def test_mended_joins_pairs_and_replaces_halves() -> None:
    assert mended("\ud83d\udc4d \udc4d \ud83d") == "\U0001f44d \ufffd \ufffd"


def test_numbers_of_4300_digits_and_200_levels_are_read() -> None:
    value, _ = careful(b'{"a": ' + b"9" * 4300 + b"}")
    assert len(str(value["a"])) == 4300
    value, _ = careful(b"[" * 200 + b"]" * 200)
    assert quick(b"[" * 200 + b"]" * 200) == value


def test_a_float_keeps_how_it_was_written() -> None:
    value, _ = careful(b'{"ratio": 0.1000000000000000000001}')
    assert str(value["ratio"].decimal()) == "0.1000000000000000000001"


def test_the_quick_way_takes_no_bad_json() -> None:
    for data in (
        b'{"a": NaN}',
        b'{"a": "\\ud83d"}',
        b'{"a": ' + b"9" * 5000 + b"}",
        b"[" * 300,
        b'{"a": "\xff"}',
    ):
        assert quick(data) is None
    assert not is_finite(quick(b'{"a": [1e400]}'))


def test_keys_that_may_stand_twice() -> None:
    twice = b'{"a": 1, "a": 2}'
    assert may_repeat_a_key(twice, count_keys(quick(twice)))
    quoted = json.dumps({"a": 'he wrote {"verdict": "x"}: so', "b": {"c": "\\"}}).encode()
    assert not may_repeat_a_key(quoted, count_keys(quick(quoted)))
    backslash = json.dumps({"a\\": 1, "b": 'x\\": y'}).encode()
    careful(backslash)


def test_dumps_is_strict() -> None:
    assert dumps({"a": "é\u2028"}) == '{"a":"é\u2028"}'
    with pytest.raises(ValueError, match="JSON"):
        dumps(math.nan)
