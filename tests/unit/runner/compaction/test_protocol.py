"""What is stored of a context and an answer, and what an answer comes to by the official metrics."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gacc_gui.core.compaction import FULL, FUSION, JEV, METHODS, SCORES, EvidenceFile
from gacc_gui.core.compaction_values import context_from, result_from
from gacc_gui.core.hotpot_records import Gold
from gacc_gui.core.records import Answer, Memory, Question, Verdict, is_finished
from gacc_gui.formats.corpus import Corpus
from gacc_gui.runner.compaction.messages import serialised
from gacc_gui.runner.compaction.parts import AnswerInput
from gacc_gui.runner.compaction.protocol import CompactionProtocol, official_scores, result_of
from gacc_gui.runner.parts import CompressorOutput, ReaderOutput
from gacc_gui.runner.protocol import Made, Row
from tests.unit.runner.compaction.conftest import FakeCalls, Part, WordCodec, planned

With = Callable[..., CompactionProtocol]
GOLD = Gold("q", ("Luc Ferrand II",), (("Tirrin Orchard 1", 0), ("Ibsley Quarry 1", 1)))
GOOD = {"answer": "luc ferrand ii.", "supporting_facts": [["Ibsley Quarry 1", 1], ["Tirrin Orchard 1", 0]]}


def memory_of(protocol: CompactionProtocol, corpus: Corpus, method: str) -> Memory:
    return asyncio.run(protocol.make_memory(planned(corpus, method), FakeCalls())).item


def row_of(protocol: CompactionProtocol, corpus: Corpus, method: str = JEV, repeat: int = 0) -> Row:
    memory = planned(corpus, method)
    question: Question = memory.questions[0]
    return Row(memory, memory_of(protocol, corpus, method), question, repeat)


def verdict_of(protocol: CompactionProtocol, row: Row, answer: Answer) -> Verdict:
    calls = FakeCalls()
    made = asyncio.run(protocol.judge(row, answer, calls))
    assert calls.made == [] and made.requests == ()
    return made.item


def answer(text: str | None, status: str = "ok", **extra: Any) -> Answer:
    return Answer("m", "q", 0, text, status, extra=extra)


def test_a_memory_holds_the_context_as_it_is_sent(protocol_with: With, corpus: Corpus) -> None:
    protocol = protocol_with()
    for method in METHODS:
        memory = memory_of(protocol, corpus, method)
        context = context_from(json.loads(json.dumps(memory.extra["compaction"])))
        assert (memory.status, memory.error) == ("ok", None)
        assert memory.proposed_text == memory.retained_text != ""
        assert memory.goal_id == memory.shown_goal_id == "case-1"
        assert (memory.cell.compressor, memory.cell.ratio) == (method, "1")
        assert memory.cell.condition == ("full-context" if method == FULL else "own-goal")
        assert memory.budget == context.tokens.space
        ledger = memory.ledger
        assert ledger is not None and ledger.padding_tokens == 0
        assert ledger.source_tokens == WordCodec().count(corpus.cases[0].source)
        assert (
            ledger.proposed_tokens == ledger.retained_tokens == WordCodec().count(memory.retained_text or "")
        )
        if method == FULL:
            assert ledger.unused_budget is None and memory.retained_text == corpus.cases[0].source
        else:
            assert ledger.unused_budget == (memory.budget or 0) - (ledger.retained_tokens or 0) >= 0


def test_a_context_that_failed_is_a_failed_memory(protocol_with: With, corpus: Corpus) -> None:
    broken = Part(lambda _: CompressorOutput(None, "error", error="HTTP 500: broken"))
    made = asyncio.run(protocol_with(summarizer=broken).make_memory(planned(corpus, FUSION), FakeCalls()))
    memory = made.item
    assert not is_finished(memory) and memory.error == made.call.error == "summary-1: HTTP 500: broken"
    assert memory.proposed_text is memory.retained_text is memory.ledger is None
    context = context_from(memory.extra["compaction"])
    assert context.messages == () and context.kept and context.ranking and context.summary is None


def test_an_answerer_is_told_the_input_and_nothing_else(protocol_with: With, corpus: Corpus) -> None:
    answerer = Part(lambda _: ReaderOutput("x", details={"provider_input_tokens": 1234}))
    protocol = protocol_with(answerer=answerer)
    row, calls = row_of(protocol, corpus, repeat=1), FakeCalls()
    made: Made[Answer] = asyncio.run(protocol.read(row, calls))
    context = context_from(row.memory.extra["compaction"])
    assert answerer.given == [
        AnswerInput(context.messages, row.memory.retained_text or "", row.question.text, 1)
    ]
    assert (made.item.text, made.item.status, made.item.repeat) == ("x", "ok", 1)
    assert made.item.extra["provider_input_tokens"] == 1234
    (request,) = made.requests
    assert request.role == "reader" and request.content == serialised(context.messages)
    assert request.extra["question_id"] == "case-1" and request.extra["repeat"] == 1


def test_a_refusal_is_kept_apart_from_no_answer(protocol_with: With, corpus: Corpus) -> None:
    refusing = Part(lambda _: ReaderOutput(None, "no_answer", error="I will not", details={"refused": True}))
    protocol = protocol_with(answerer=refusing)
    made = asyncio.run(protocol.read(row_of(protocol, corpus), FakeCalls()))
    assert made.item.status == "no_answer" and made.item.extra["refused"] is True
    assert result_of(made.item, GOLD, None, None)[0].status == "refused"


def test_a_right_answer_is_correct(protocol_with: With, corpus: Corpus) -> None:
    protocol = protocol_with()
    row = row_of(protocol, corpus)
    reply = json.dumps({"answer": corpus.cases[0].gold.answers[0], "supporting_facts": []})
    verdict = verdict_of(protocol, row, answer(reply, provider_input_tokens=1400))
    assert (verdict.label, verdict.status, verdict.rationale) == ("correct", "judged", None)
    result = result_from(verdict.extra)
    assert result.is_valid and result.scores["em"] == 1 and result.scores["sp_em"] == 0
    assert result.provider_input_tokens == 1400
    assert result.predicted == json.loads(reply)


@pytest.mark.parametrize(
    ("given", "status", "verdict"),
    [
        (answer("I believe it is Paris."), "unparsed", "unparsed"),
        (answer(json.dumps(GOOD)[:-3]), "unparsed", "unparsed"),
        (answer(json.dumps(GOOD), "truncated"), "truncated", "truncated"),
        (answer(json.dumps(GOOD), provider_input_tokens=1401), "invalid", "error"),
        (answer("no JSON", provider_input_tokens=1401), "invalid", "error"),
        (answer(None, "no_answer", refused=True), "refused", "refused"),
        (answer(None, "no_answer"), "no_answer", "error"),
        (answer(None, "error"), "error", "error"),
    ],
)
def test_what_is_not_ok_scores_nothing_and_says_why(
    protocol_with: With, corpus: Corpus, given: Answer, status: str, verdict: str
) -> None:
    protocol = protocol_with()
    judged = verdict_of(protocol, row_of(protocol, corpus), given)
    result = result_from(judged.extra)
    assert (result.status, judged.status, judged.label) == (status, verdict, None)
    assert not result.is_valid and set(result.scores.values()) == {0.0}
    assert judged.rationale and "\n" not in judged.rationale


def test_only_a_count_above_the_ceiling_invalidates(protocol_with: With, corpus: Corpus) -> None:
    protocol = protocol_with()
    good = json.dumps(GOOD)
    for method, counted, status in [
        (JEV, 1400, "ok"),
        (JEV, 1401, "invalid"),
        (JEV, None, "ok"),
        (JEV, True, "ok"),
        (FULL, 10**6, "ok"),
    ]:
        verdict = verdict_of(
            protocol, row_of(protocol, corpus, method), answer(good, provider_input_tokens=counted)
        )
        assert result_from(verdict.extra).status == status, (method, counted)


def test_an_invalid_answer_still_says_what_was_predicted() -> None:
    result, reason = result_of(answer(json.dumps(GOOD)), GOLD, 5000, 3600)
    assert result.predicted == GOOD and reason is not None
    assert reason == "the service counted 5,000 input tokens, more than the ceiling of 3,600"


@pytest.mark.parametrize("odd", [True, 1.0, "1"])
def test_an_odd_sentence_id_earns_nothing(odd: Any) -> None:
    facts = (["Tirrin Orchard 1", 0], ["Ibsley Quarry 1", odd])
    scores = official_scores("Luc Ferrand II", facts, GOLD)
    assert tuple(scores) == SCORES
    assert (scores["em"], scores["sp_em"], scores["joint_em"]) == (1.0, 0.0, 0.0)
    assert scores["sp_f1"] == 0.5
    right = official_scores("Luc Ferrand II", (facts[0], ["Ibsley Quarry 1", 1]), GOLD)
    assert set(right.values()) == {1.0}


def test_gold_alone_decides(protocol_with: With, corpus: Corpus) -> None:
    protocol = protocol_with()
    row = row_of(protocol, corpus)
    canary = replace(corpus.cases[0], gold=replace(corpus.cases[0].gold, answers=("CANARY",)))
    protocol.cases = {canary.id: canary}
    verdict = verdict_of(protocol, row, answer('{"answer": "canary", "supporting_facts": []}'))
    assert verdict.label == "correct"


def test_titles_are_scored_as_written_where_they_are_told_as_shown() -> None:
    files = [EvidenceFile("1.txt", "Tirrin  Orchard\xa01 ", ("x",)), EvidenceFile("2.txt", "Plain", ("y",))]
    gold = Gold("q", ("yes",), (("Tirrin  Orchard\xa01 ", 0), ("Plain", 0)))
    said = [["Tirrin Orchard 1", 0], ["Plain", 0]]
    result, _ = result_of(
        answer(json.dumps({"answer": "yes", "supporting_facts": said})), gold, None, None, files
    )
    assert result.scores["sp_em"] == 1.0
    assert result.predicted == {"answer": "yes", "supporting_facts": said}
