"""Answers are read strictly, and whatever is unclear has a reason and no answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.core.answer_reading import read_answer

GOOD = '{"answer": "Paris", "supporting_facts": [["France", 0], ["Paris", 2]]}'
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(
    "reply",
    [
        GOOD,
        f"  \n\t{GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}```",
        f"\n```JSON  \n\n {GOOD}\n\n```\n",
        json.dumps(json.loads(GOOD), indent=2),
    ],
)
def test_the_asked_for_object_is_read(reply: str) -> None:
    read = read_answer(reply)
    assert (read.answer, read.facts) == ("Paris", (["France", 0], ["Paris", 2]))
    assert read.is_read and read.reason is None
    assert read.as_json() == json.loads(GOOD)


@pytest.mark.parametrize("odd", [True, False, 1.0, 2.5, "1", "", -1, 10**20])
def test_an_odd_sentence_id_is_kept_as_it_was_read(odd: object) -> None:
    read = read_answer(json.dumps({"answer": "", "supporting_facts": [["T", odd]]}))
    assert read.is_read and read.facts is not None
    kept = read.facts[0][1]
    assert kept == odd and type(kept) is type(odd)


def test_an_empty_answer_and_no_facts_are_an_answer() -> None:
    read = read_answer('{"answer":"","supporting_facts":[]}')
    assert read.is_read and read.answer == "" and read.facts == ()


def test_a_fence_inside_the_answer_is_no_fence() -> None:
    reply = json.dumps({"answer": "```json\n{}\n```", "supporting_facts": []})
    assert read_answer(reply).answer == "```json\n{}\n```"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (None, "empty"),
        ("", "empty"),
        (" \n ", "empty"),
        ("Paris", "no JSON"),
        (f"Here it is: {GOOD}", "no JSON"),
        (f"{GOOD}\nHope this helps", "more than one"),
        (f"{GOOD}{GOOD}", "more than one"),
        (f"```json\n{GOOD}\n```\n```json\n{GOOD}\n```", "more than one"),
        (f"```python\n{GOOD}\n```", "no JSON"),
        (f"```json\n{GOOD}", "no JSON"),
        (GOOD[:-1], "no JSON"),
        (f"[{GOOD}]", "a list, not an object"),
        ('"Paris"', "a text, not an object"),
        ("null", "null, not an object"),
        ("true", "a boolean, not an object"),
        ("{}", "answer is missing"),
        ('{"answer": "Paris"}', "supporting_facts is missing"),
        ('{"supporting_facts": []}', "answer is missing"),
        ('{"Answer": "x", "supporting_facts": []}', "answer is missing"),
        ('{"answer": "x", "supporting_facts": [], "why": "y"}', "further key 'why'"),
        ('{"answer": "x", "answer": "y", "supporting_facts": []}', "'answer' stands twice"),
        ('{"answer": "x", "supporting_facts": [], "supporting_facts": []}', "stands twice"),
        ('{"answer": ["x"], "supporting_facts": []}', "answer is a list"),
        ('{"answer": 1987, "supporting_facts": []}', "answer is a number"),
        ('{"answer": true, "supporting_facts": []}', "answer is a boolean"),
        ('{"answer": null, "supporting_facts": []}', "answer is null"),
        ('{"answer": {"text": "x"}, "supporting_facts": []}', "answer is an object"),
        ('{"answer": "x", "supporting_facts": null}', "supporting_facts is null"),
        ('{"answer": "x", "supporting_facts": "T"}', "supporting_facts is a text"),
        ('{"answer": "x", "supporting_facts": {"T": 0}}', "supporting_facts is an object"),
        ('{"answer": "x", "supporting_facts": ["T"]}', "fact 1 is no pair"),
        ('{"answer": "x", "supporting_facts": [["T", 0], ["T", 0, 1]]}', "fact 2 is no pair"),
        ('{"answer": "x", "supporting_facts": [["T"]]}', "fact 1 is no pair"),
        ('{"answer": "x", "supporting_facts": [{"title": "T", "id": 0}]}', "fact 1 is no pair"),
        ('{"answer": "x", "supporting_facts": [[0, "T"]]}', "the title of supporting fact 1 is a number"),
        ('{"answer": "x", "supporting_facts": [["T", null]]}', "id of supporting fact 1 is null"),
        ('{"answer": "x", "supporting_facts": [["T", [0]]]}', "id of supporting fact 1 is a list"),
        ('{"answer": "x", "supporting_facts": [["T", NaN]]}', "NaN"),
        ('{"answer": "x", "supporting_facts": [["T", -Infinity]]}', "-Infinity"),
        ('{"answer": "x", "supporting_facts": [["T", 1e400]]}', "too large"),
        ('{"answer": "x", "supporting_facts": [["T", ' + "9" * 5000 + "]]}", "digits"),
        ('{"answer": "x\\ud83d", "supporting_facts": []}', "surrogate"),
        ('{"answer": "x", "supporting_facts": [["\\udc00", 0]]}', "surrogate"),
        ('{"answer": "x\ud83d", "supporting_facts": []}', "surrogate"),
        ("[" * 100_000, "nested"),
        ('{"a":' * 100_000, "nested"),
    ],
)
def test_everything_else_is_unparsed_with_a_reason(reply: str | None, reason: str) -> None:
    read = read_answer(reply)
    assert not read.is_read and read.facts is None
    assert read.reason is not None and reason in read.reason
    assert "\n" not in read.reason
    assert read.as_json() == {"answer": None, "supporting_facts": None}


@given(st.text(max_size=200))
def test_no_text_makes_it_raise(reply: str) -> None:
    read = read_answer(reply)
    assert read.is_read == (read.reason is None)


@given(json_values)
def test_what_is_read_is_what_was_written(value: object) -> None:
    reply = json.dumps({"answer": "x", "supporting_facts": value})
    read = read_answer(reply)
    if read.is_read:
        assert read.as_json() == {"answer": "x", "supporting_facts": value}
