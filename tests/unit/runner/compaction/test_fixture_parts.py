"""The fixture's parts: deterministic, labelled, and told no more than the parts they stand for."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gacc_gui.core.answer_reading import read_answer
from gacc_gui.core.compaction import Case, groups_of
from gacc_gui.runner.compaction.decisions import passages_of, scores_in
from gacc_gui.runner.compaction.fixture_parts import LeadSummarizer, LexicalDecider, RuleAnswerer
from gacc_gui.runner.compaction.parts import AnswerInput, DecisionInput, Passage, SummaryInput, TooLong
from tests.unit.runner.compaction.conftest import WordCodec

COUNT = WordCodec().count


def test_they_say_that_they_are_the_fixture() -> None:
    for part in (LexicalDecider(), LeadSummarizer(COUNT), RuleAnswerer()):
        assert part.name.startswith("fixture-") and part.revision


def test_passages_with_the_task_s_words_score_higher(case: Case) -> None:
    passages = passages_of(case.files, groups_of(case.files, 3))
    given = DecisionInput(case.task, passages, tuple(passage.id for passage in passages))
    scores = scores_in(LexicalDecider()(given).text, given.asked)
    assert max(scores.values()) == 1.0
    assert scores["2:0-2"] > scores["0:0-2"]  # the one finished in the year that is asked about
    assert LexicalDecider()(given) == LexicalDecider()(given)
    some = DecisionInput(case.task, passages, ("2:0-2", "0:0-2"))
    assert scores_in(LexicalDecider()(some).text, some.asked) == {id: scores[id] for id in some.asked}


@given(st.text(max_size=40), st.lists(st.text(max_size=40), max_size=6))
def test_any_texts_have_scores(task: str, texts: list[str]) -> None:
    passages = tuple(Passage(f"{n}:0-0", text, text) for n, text in enumerate(texts))
    asked = tuple(passage.id for passage in passages)
    scores_in(LexicalDecider()(DecisionInput(task, passages, asked)).text, asked)


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 900), st.none() | st.integers(1, 300))
def test_a_lead_fits_into_its_space(case: Case, tokens: int, over: int | None) -> None:
    last = None if over is None else TooLong(over)
    output = LeadSummarizer(COUNT)(SummaryInput(case.task, "", case.source, tokens, last))
    text = output.text or ""
    assert COUNT(json.dumps(text)) <= tokens - (over or 0) or not text
    lines = text.split("\n")
    assert all(line in case.source.split("\n") for line in lines if line)
    sources = [line for line in case.source.split("\n") if line in lines and line]
    assert sources == [line for line in lines if line]


def test_a_lead_takes_the_first_sentence_of_each_article(case: Case) -> None:
    text = LeadSummarizer(COUNT)(SummaryInput(case.task, "", case.source, 420)).text or ""
    assert all(file.sentence_line(0) in text for file in case.files)
    assert all(f"# {file.title}" in text for file in case.files)
    everything = LeadSummarizer(COUNT)(SummaryInput("", "", case.source, 10**6)).text
    assert everything == case.source.removesuffix("\n")


def answer(evidence: str, question: str) -> tuple[str | None, object]:
    output = RuleAnswerer()(AnswerInput((), evidence, question))
    read = read_answer(output.text)
    assert read.is_read
    return read.answer, read.facts


def test_an_answer_comes_from_the_evidence_with_its_sentences() -> None:
    quarry = "# Quarry\n[0] It is old.\n[4] The gate was paid by Luc Ferrand II, a merchant."
    evidence = f"{quarry}\n\n# Canal\n[1] A gate."
    assert answer(evidence, "Who paid for the gate of the Quarry?") == (
        "Luc Ferrand II",
        (["Quarry", 4], ["Canal", 1]),
    )


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Were both built in stone?", "yes"),
        ("Which is older, Canal or Quarry?", "Quarry"),
        ("Which is older, Mill or Forge?", "Mill"),
    ],
)
def test_questions_of_other_kinds(question: str, said: str) -> None:
    evidence = "# Quarry\n[0] The Quarry is older than stone.\n\n# Canal\n[0] The Canal is new."
    assert answer(evidence, question)[0] == said


@pytest.mark.parametrize("evidence", ["", "prose without any form", "# Title alone", "[0] no title"])
def test_evidence_without_sentences_is_answered_with_nothing(evidence: str) -> None:
    assert answer(evidence, "Who?") == ("", ())
