from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.core.records import Answer, Memory, Question, Record
from gacc_gui.store.record_rows import (
    differing_fields,
    from_json,
    kind_of,
    packed,
    place_retained,
    restore_retained,
    same,
    same_json,
    to_json,
    unpacked,
)

from .conftest import RUN, memory, probe, review, small_run

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(texts | st.just("$number"), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(json_values)
def test_json_columns_are_strict_and_come_back(value: Any) -> None:
    text = to_json(value)
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not strict JSON"))
    assert same_json(from_json(text), value)
    assert repr(from_json(text)) == repr(value)


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        ("1", 1, False),
        ([1], "[1]", False),
        (None, False, False),
        (math.nan, math.nan, True),
        ({"a": 1, "b": [2]}, {"b": [2.0], "a": 1}, True),
        ({"a": None}, {}, False),
        ([1, 2], [2, 1], False),
    ],
)
def test_equal_json(first: Any, second: Any, equal: bool) -> None:
    assert same_json(first, second) is equal
    assert same_json(second, first) is equal
    one = Answer("m", "q", 0, "x", "ok", extra={"value": first})
    assert same(one, replace(one, extra={"value": second})) is equal


@given(texts, st.integers(0, 8), st.sampled_from(["", "\ufffd", "x"]))
def test_a_retained_text_comes_back_from_its_place(proposed: str, end: int, tail: str) -> None:
    retained = proposed[:end] + tail
    place = place_retained(proposed, retained)
    assert restore_retained(proposed, *place) == retained
    assert (place.text is None) is (
        proposed.startswith(retained) or (tail == "\ufffd" and end < len(proposed))
    )


@pytest.mark.parametrize(
    "record",
    [RUN, *small_run(), review("v1", tags=("a",), sample={"queue": "x"}), probe("p1")],
    ids=lambda record: type(record).__name__,
)
def test_a_packed_record_comes_back(record: Record) -> None:
    changed = replace(record, extra={"a": [1, {"b": None}]}, unusual=("error",))
    for each in (record, changed):
        back = unpacked(kind_of(each), packed(each))
        assert back == each and type(back) is type(each)
        assert same(back, each)


def test_the_fields_that_differ_are_named() -> None:
    one = memory("m1", "g1", 5)
    assert differing_fields(one, one) == ()
    assert isinstance(one.ledger, object)
    other = replace(one, budget=6, extra={"x": 1}, unusual=("error",))
    assert differing_fields(one, other) == ("budget", "extra")
    assert not same(one, other)


def test_kinds_are_never_the_same() -> None:
    assert not same(Question("q", "g", "t"), Answer("m", "q", 0, "t", "ok"))
    assert kind_of(memory("m", "g", 1)) == "memory"
    assert isinstance(unpacked("memory", packed(memory("m", "g", 1))), Memory)
