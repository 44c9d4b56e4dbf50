"""Contexts and results from JSON: what is written comes back, and whatever else is told in words."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from gacc_gui.core.compaction import (
    SCORES,
    AnswerResult,
    EvidenceFile,
    SentContext,
    TokenCounts,
    facts_as_written,
    raw_titles,
)
from gacc_gui.core.compaction_values import context_from, result_from

SENT = SentContext(
    "jev+summary",
    ({"role": "system", "content": "s"}, {"role": "user", "content": "u"}),
    ("0:0-2",),
    ("0:3-3", "1:0-1"),
    "a summary",
    (("0:0-2", 0.5), ("1:0-1", 0.25), ("0:3-3", 0.0)),
    TokenCounts(900, 64, 100, 736, 500),
    1,
)
RESULT = AnswerResult(
    "ok", dict.fromkeys(SCORES, 1.0), {"answer": "x", "supporting_facts": [["t", 0], ["t", True]]}, 7
)
UNREAD = AnswerResult("unparsed")


def again(value: Any) -> Any:
    return json.loads(json.dumps(value))


def test_what_is_written_comes_back() -> None:
    assert context_from(again(SENT.as_json())) == SENT
    assert result_from(again(RESULT.as_json())) == RESULT
    assert result_from({**again(UNREAD.as_json()), "more": 3}) == UNREAD


def _set(*keys: Any, to: Any) -> Callable[[Any], None]:
    def change(value: Any) -> None:
        for key in keys[:-1]:
            value = value[key]
        value[keys[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_set("method", to="magic"), "method is 'magic', and none of full"),
        (_set("messages", to=None), "messages is no list"),
        (_set("messages", to=[1]), "no object of role and content"),
        (_set("messages", 0, "content", to=None), "is no text"),
        (_set("messages", 0, to={"role": "user", "content": "u", "name": "x"}), "no object of role and"),
        (_set("kept", to="0:0-2"), "kept is no list"),
        (_set("kept", to=[1]), "1 is no group"),
        (_set("dropped", to=["-1:0-0"]), "'-1:0-0' is no group"),
        (_set("dropped", to=["0:1-" + "9" * 30]), "is no group"),
        (_set("summary", to=5), "summary is no text"),
        (_set("ranking", to=[["0:0-2"]]), "a rank is no group with a score"),
        (_set("ranking", 0, 1, to=10**400), "a score is no number from 0 to 1"),
        (_set("ranking", 0, 1, to=True), "a score is no number"),
        (_set("ranking", 0, 1, to=float("nan")), "a score is no number"),
        (_set("tokens", to=None), "its tokens are no object"),
        (_set("tokens", to={"local": 3}), "there is no ceiling"),
        (_set("tokens", "local", to="x"), "local is no whole number"),
        (_set("tokens", "local", to=1.5), "local is no whole number"),
        (_set("tokens", "reserve", to=-1), "reserve is no whole number"),
        (_set("tokens", "ceiling", to=10**30), "ceiling is no whole number"),
        (_set("tokens", "more", to=1), "'more' is not known"),
        (_set("retries", to="x"), "retries is no whole number"),
        (_set("more", to=1), "'more' is not known"),
    ],
)
def test_a_context_of_a_wrong_type_is_told(change: Callable[[Any], None], reason: str) -> None:
    value = copy.deepcopy(again(SENT.as_json()))
    change(value)
    with pytest.raises(ValueError, match=reason):
        context_from(value)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_set("result", to="weird"), "status is 'weird'"),
        (_set("result", to=["ok"]), "and none of ok"),
        (_set("scores", to=3), "its scores are no object"),
        (_set("scores", "em", to="x"), "em is no number from 0 to 1"),
        (_set("scores", "f1", to=1.5), "f1 is no number from 0 to 1"),
        (_set("scores", "f1", to=None), "f1 is no number"),
        (_set("predicted", to=None), "what was predicted is no object"),
        (_set("predicted", "answer", to=5), "answer is no text"),
        (_set("predicted", "answer", to=None), "are predicted, and no answer"),
        (_set("predicted", "supporting_facts", to="x"), "facts is no list"),
        (_set("predicted", "supporting_facts", to=[[1]]), "no pair of a title and an id"),
        (_set("predicted", "supporting_facts", to=[["t", None]]), "no pair of a title and an id"),
        (_set("valid", to="yes"), "valid is no boolean"),
        (_set("provider_input_tokens", to=-7), "provider_input_tokens is no whole number"),
    ],
)
def test_a_result_of_a_wrong_type_is_told(change: Callable[[Any], None], reason: str) -> None:
    value = copy.deepcopy(again(RESULT.as_json()))
    change(value)
    with pytest.raises(ValueError, match=reason):
        result_from(value)


@pytest.mark.parametrize("value", [None, 3, "x", [], {}])
def test_what_is_nothing_of_the_kind(value: object) -> None:
    for read in (context_from, result_from):
        with pytest.raises(ValueError, match=r"no object|there is no"):
            read(value)


def test_titles_as_they_are_shown_stand_for_those_that_are_written() -> None:
    def files(*titles: str) -> list[EvidenceFile]:
        return [EvidenceFile(f"{number}.txt", title, ()) for number, title in enumerate(titles)]

    odd = files("Plain", "End ", "no\xa0break", "half \ud800")
    assert raw_titles(odd) == {"End": "End ", "no break": "no\xa0break", "half \ufffd": "half \ud800"}
    said: list[Any] = [["End", 0], ["no\xa0break", 1], ["Plain", True], ["other", 2], "x", [3, 4]]
    assert facts_as_written(said, odd) == [["End ", 0], *said[1:]]
    assert raw_titles(files("a  b", "a\tb")) == {}
    assert raw_titles(files("a  b", "a b")) == {}
