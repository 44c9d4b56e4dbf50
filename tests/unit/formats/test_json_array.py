"""Elements of a JSON list, whatever pieces it arrives in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.formats.json_array import elements
from gacc_gui.formats.json_values import BadJson

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet='ab"\\[]{},:é\n😀'),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text('k",]', max_size=3), inner, max_size=3)
    ),
    max_leaves=12,
)


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


@given(
    value=st.lists(_JSON), size=st.integers(1, 40), indent=st.sampled_from([None, 1]), escapes=st.booleans()
)
def test_every_element_comes_out_as_it_went_in(
    value: list[Any], size: int, indent: int | None, escapes: bool
) -> None:
    data = f" \n{json.dumps(value, indent=indent, ensure_ascii=escapes)}\r\n".encode()
    assert [json.loads(text) for text in elements(pieces(data, size))] == value


@pytest.mark.parametrize(
    ("text", "reason", "breaks_off"),
    [
        (b"", "empty", True),
        (b"  \n", "empty", True),
        (b'{"a": 1}', "no JSON list", False),
        (b'[{"a": 1}', "breaks off", True),
        (b'["a', "breaks off", True),
        (b"[1] 2", "more behind the end", False),
    ],
)
def test_what_is_no_list(text: bytes, reason: str, breaks_off: bool) -> None:
    with pytest.raises(BadJson, match=reason) as caught:
        list(elements(pieces(text, 3)))
    assert caught.value.breaks_off is breaks_off


def test_what_stands_before_a_break_is_given() -> None:
    given_out = []
    with pytest.raises(BadJson):
        for text in elements([b'[{"a": [1, 2]}, {"b": ']):
            given_out.append(text)
    assert given_out == [b'{"a": [1, 2]}']


def test_a_comma_too_many_is_an_empty_element() -> None:
    assert list(elements([b"[1,,2,]"])) == [b"1", b"", b"2", b""]
