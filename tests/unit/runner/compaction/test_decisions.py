"""Which passages are asked about together, what a request holds, and which scores are none."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.core.compaction import Case, groups_of
from gacc_gui.runner.compaction.decisions import (
    BATCH_TOKENS,
    BadScoresError,
    LiveDecider,
    batches,
    passages_of,
    question_of,
    scores_in,
    state_of,
)
from gacc_gui.runner.compaction.parts import DecisionInput, Passage
from gacc_gui.runner.compaction.system_one import SystemOneClient
from gacc_gui.runner.config_model import EndpointConfig
from gacc_gui.runner.credentials import Credentials
from gacc_gui.runner.prompts import load_prompt
from tests.servers.system_one import SystemOneServer

PROMPT = load_prompt("compaction-decision")


def asked(parts: Sequence[DecisionInput]) -> list[list[str]]:
    return [list(part.asked) for part in parts]


@given(st.integers(0, 40), st.integers(1, 12), st.none() | st.integers(1, 2000))
def test_every_passage_is_asked_about_once_and_in_order(many: int, most: int, tokens: int | None) -> None:
    passages = tuple(Passage(f"{n}:0-2", f"T{n // 3}", "x" * (n * 7)) for n in range(many))
    parts = list(batches("task", passages, most, tokens, len))
    assert [id for part in parts for id in part.asked] == [passage.id for passage in passages]
    assert all(1 <= len(part.asked) <= most and part.passages == passages for part in parts)


def test_a_request_is_full_by_groups_or_by_tokens() -> None:
    passages = tuple(Passage(f"{n}:0-2", "T", "x" * 36) for n in range(5))
    each = len("T\n") + 36 + 64
    fixed = len(json.dumps(state_of(DecisionInput("task", passages, ()))))
    assert asked(list(batches("task", passages, 2, None, len))) == [
        ["0:0-2", "1:0-2"],
        ["2:0-2", "3:0-2"],
        ["4:0-2"],
    ]
    assert [len(part.asked) for part in batches("task", passages, 9, fixed + 3 * each, len)] == [3, 2]
    assert [len(part.asked) for part in batches("task", passages, 9, 1, len)] == [1] * 5


def test_the_state_holds_task_and_evidence_whatever_is_asked(case: Case) -> None:
    passages = passages_of(case.files, groups_of(case.files, 3))
    parts = list(batches(case.task, passages, 7, BATCH_TOKENS, len))
    states = [state_of(part) for part in parts]
    assert len(parts) > 1 and all(state == states[0] for state in states)
    assert states[0]["request"] == case.task
    assert [article["title"] for article in states[0]["evidence"]] == [file.title for file in case.files]
    text = states[0]["evidence"][3]["text"]
    assert text.split("\n") == list(map(case.files[3].sentence_line, range(7)))


def test_a_question_holds_its_passage() -> None:
    question = question_of(PROMPT, Passage("0:0-1", "A {{passage}}", "[0] b\n[1] c"))
    assert "A {{passage}}" in question and "[0] b\n[1] c" in question and question.count("[0] b") == 1


def test_what_is_sent_for_a_decision(case: Case) -> None:
    passages = passages_of(case.files, groups_of(case.files, 3))
    given = DecisionInput(case.task, passages, tuple(passage.id for passage in passages[:4]))

    async def decide(url: str) -> str | None:
        endpoint = EndpointConfig("decisions", (url,), "jev-latest", "DECISION_MODEL_API_KEY")
        client = SystemOneClient(endpoint, Credentials("a-key-of-theirs"))
        try:
            return (await LiveDecider(client, PROMPT, "system-one", "1")(given)).text
        finally:
            await client.aclose()

    with SystemOneServer() as server:
        text = asyncio.run(decide(server.url))
    assert list(scores_in(text, given.asked)) == list(given.asked)
    body = server.received[0].json
    assert body["state"] == state_of(given)
    assert list(body["questions"]) == list(given.asked)
    assert set(body) == {"state", "model", "questions"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "no JSON"),
        ("", "no JSON"),
        ("[0.5]", "no object"),
        ('{"a": 0.5}', "the group b has no score"),
        ('{"a": 0.5, "b": 0.5, "c": 0.5}', "a score for 'c'"),
        ('{"a": NaN, "b": 0.5}', "nan, not a finite number"),
        ('{"a": true, "b": 0.5}', "True, not a finite number"),
        ('{"a": "1", "b": 0.5}', "'1', not a finite number"),
        ('{"a": null, "b": 0.5}', "None, not a finite number"),
        ('{"a": 1.01, "b": 0.5}', "not from 0 to 1"),
        ('{"a": -1, "b": 0.5}', "not from 0 to 1"),
    ],
)
def test_scores_that_are_none(text: str | None, said: str) -> None:
    with pytest.raises(BadScoresError, match=said):
        scores_in(text, ["a", "b"])


def test_scores_in_the_order_they_were_asked() -> None:
    assert list(scores_in('{"b": 1, "a": 0}', ["a", "b"]).items()) == [("a", 0.0), ("b", 1.0)]
