"""The rule parts: what each compressor proposes, the reader of patterns, the exact judge."""

from __future__ import annotations

import re

import pytest

from gacc_gui.core.tokens import CodepointCodec
from gacc_gui.runner.parts import CompressorInput, JudgeInput, ReaderInput
from gacc_gui.runner.rules import (
    NOT_IN_MEMORY,
    ExactJudge,
    FullContext,
    Keywords,
    Lead,
    Openings,
    PatternReader,
    ReadingRule,
)

CODEC = CodepointCodec()
TEXT = (
    "The pump stopped at dawn. Nobody saw it.\n\n"
    "Rain fell all morning! The road was closed.\n"
    "The pump was repaired by noon. It cost forty euros."
)


def test_lead_is_the_beginning_in_whole_sentences_and_somewhat_too_long() -> None:
    proposed = Lead(CODEC)(CompressorInput(TEXT, None, 25)).text
    assert proposed == "The pump stopped at dawn. Nobody saw it."
    assert Lead(CODEC)(CompressorInput(TEXT, "anything", 10_000)).text == TEXT


def test_openings_are_the_first_sentences_of_the_lines() -> None:
    proposed = Openings(CODEC)(CompressorInput(TEXT, None, 10_000)).text
    assert proposed == "The pump stopped at dawn.\nRain fell all morning!\nThe pump was repaired by noon."
    assert Openings(CODEC)(CompressorInput(TEXT, None, 20)).text == "The pump stopped at dawn."


def test_keywords_follow_the_goal_and_stand_in_the_order_of_the_source() -> None:
    proposed = Keywords(CODEC)(
        CompressorInput(TEXT + " " * 99, "What the repairs of the pumps cost", 121)
    ).text
    assert proposed is not None
    first = Keywords(CODEC)(CompressorInput(TEXT, "was the road closed?", 1)).text
    assert first == "road closed."  # one sentence, in telegram style
    lines = proposed.split("\n")
    assert "It cost forty euros." in lines
    assert "The pump was repaired by noon." in lines
    assert [TEXT.index(line) for line in lines] == sorted(TEXT.index(line) for line in lines)


def test_keywords_without_a_goal_and_with_another_goal_choose_otherwise() -> None:
    def choose(goal: str | None) -> str | None:
        return Keywords(CODEC)(CompressorInput(TEXT, goal, 20)).text

    assert len({choose("road closed"), choose("cost euros"), choose("rain morning")}) == 3
    assert choose(None)


def test_keywords_know_words_of_a_script_without_spaces() -> None:
    text = "桥上有廊屋十九间。木匠名叫吴添寿。工期推迟了三个月。"
    proposed = Keywords(CODEC)(CompressorInput(text, "领头的木匠", 5)).text
    assert proposed == "木匠名叫吴添寿。"


@pytest.mark.parametrize("source", ["", " \n\n ", "…", "one"])
@pytest.mark.parametrize("part", [Lead(CODEC), Openings(CODEC), Keywords(CODEC), FullContext()])
def test_odd_sources_are_no_error(part: Lead, source: str) -> None:
    text = part(CompressorInput(source, "goal", 3)).text
    assert text is not None
    assert text in source


def test_full_context_is_the_source() -> None:
    assert FullContext()(CompressorInput(TEXT, None, 1)).text == TEXT


RULES = {
    "When?": ReadingRule(re.compile(r"at (\w+)|by (\w+)"), re.compile(r"all (\w+)")),
    "Was it dry?": ReadingRule(re.compile("Rain"), says="no"),
}


@pytest.mark.parametrize(
    ("memory", "question", "answer"),
    [
        (TEXT, "When?", "dawn"),
        ("repaired by noon", "When?", "noon"),
        ("repaired", "When?", NOT_IN_MEMORY),
        (TEXT, "Was it dry?", "no"),
        ("", "Was it dry?", NOT_IN_MEMORY),
        (TEXT, "Who?", NOT_IN_MEMORY),
    ],
)
def test_the_reader_knows_its_memory_only(memory: str, question: str, answer: str) -> None:
    assert PatternReader(RULES)(ReaderInput(memory, question)).text == answer


def test_the_judge_folds_and_accepts_any_reference() -> None:
    def label(answer: str, *references: str) -> str | None:
        return ExactJudge()(JudgeInput("source", "question", references, answer)).label

    assert label("“Noon”.", "dawn", "noon") == "correct"
    assert label("at noon", "noon") == "incorrect"
    assert label("", "") == "incorrect"


def test_without_references_nothing_is_judged() -> None:
    verdict = ExactJudge()(JudgeInput("source", "question", (), "noon"))
    assert (verdict.label, verdict.status) == (None, "not_judged")
