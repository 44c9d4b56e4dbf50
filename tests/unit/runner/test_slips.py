"""Seeded slips: each kind happens, about as often as told, and the same way every time."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest

from gacc_gui.runner.parts import CompressorInput, CompressorOutput, JudgeInput, ReaderInput
from gacc_gui.runner.rules import NOT_IN_MEMORY, ExactJudge, FullContext, PatternReader, ReadingRule
from gacc_gui.runner.slips import CarelessReader, MoodyJudge, Slips, UnsteadyCompressor

SLIPS = Slips(3)
READER = CarelessReader(
    PatternReader({"Q": ReadingRule(re.compile(r"is (\w+)"), re.compile(r"not (\w+)"))}), SLIPS
)
JUDGE = MoodyJudge(ExactJudge(), SLIPS)


def test_draws_are_even_and_belong_to_their_input() -> None:
    draws = [SLIPS.draw("a", i) for i in range(4_000)]
    assert draws == [SLIPS.draw("a", i) for i in range(4_000)]
    assert all(0 <= draw < 1 for draw in draws)
    assert sum(draws) / len(draws) == pytest.approx(0.5, abs=0.02)
    assert SLIPS.draw("a", 1) != Slips(4).draw("a", 1)
    assert SLIPS.draw("ab", "c") != SLIPS.draw("a", "bc")


def read(memory: str) -> str:
    try:
        answer = READER(ReaderInput(memory, "Q"))
    except TimeoutError:
        return "error"
    return answer.status if answer.text is None else answer.text


def test_the_reader_slips_in_every_way_and_seldom() -> None:
    memories = [f"{i}: it is right, not wrong" for i in range(4_000)]
    answers = Counter(map(read, memories))
    assert answers == Counter(map(read, reversed(memories)))  # order changes nothing
    assert set(answers) == {"right", "wrong", NOT_IN_MEMORY, "error", "no_answer"}
    assert 0.93 < answers["right"] / 4_000 < 0.97


def test_the_reader_guesses_only_what_the_memory_has() -> None:
    guesses = Counter(read(f"{i}: not wrong") for i in range(1_000))
    assert 0.25 < guesses["wrong"] / 1_000 < 0.35
    assert set(Counter(read(f"{i}: nothing") for i in range(1_000))) <= {NOT_IN_MEMORY, "error", "no_answer"}


def test_the_judge_slips_in_every_way_and_seldom() -> None:
    def judged(answer: str, reference: str) -> Counter[str]:
        verdicts = [JUDGE(JudgeInput(str(i), "Q", (reference,), answer)) for i in range(4_000)]
        assert all((verdict.label is None) == (verdict.status != "judged") for verdict in verdicts)
        return Counter(verdict.label or verdict.status for verdict in verdicts)

    right, wrong = judged("x", "x"), judged("x", "y")
    assert set(right) == set(wrong) == {"correct", "incorrect", "unparsed", "refused", "truncated"}
    assert 0.94 < right["correct"] / 4_000 < 0.97
    assert 0.07 < wrong["correct"] / 4_000 < 0.13


def test_the_judge_is_fair_to_no_answer_and_to_missing_references() -> None:
    labels = {JUDGE(JudgeInput(str(i), "Q", ("x",), NOT_IN_MEMORY)).label for i in range(500)}
    assert labels == {"incorrect"}
    assert {JUDGE(JudgeInput(str(i), "Q", (), "x")).status for i in range(500)} == {"not_judged"}


def test_a_compressor_fails_once_in_a_hundred_calls() -> None:
    compressor = UnsteadyCompressor(FullContext(), SLIPS)
    failures = 0
    for i in range(3_000):
        try:
            assert compressor(CompressorInput("source", str(i), 9)) == CompressorOutput("source")
        except ConnectionError:
            failures += 1
    assert 10 < failures < 60


def test_the_seed_is_part_of_every_revision() -> None:
    parts = (UnsteadyCompressor(FullContext(), SLIPS), READER, JUDGE)
    assert [part.name for part in parts] == ["full-context", "careless-patterns", "moody-exact"]
    assert {part.revision for part in parts} == {"1, slips 3"}


def test_a_part_knows_whether_it_slips() -> None:
    memories = [f"{i}: it is right, not wrong" for i in range(1_000)]
    slips = {memory for memory in memories if READER.slips_on(ReaderInput(memory, "Q"))}
    assert slips == {memory for memory in memories if read(memory) != "right"}
    sources = [str(i) for i in range(1_000)]
    given = [JudgeInput(source, "Q", ("x",), "x") for source in sources]
    assert {JUDGE(one).label == "correct" for one in given if not JUDGE.slips_on(one)} == {True}
    assert {JUDGE(one).label == "correct" for one in given if JUDGE.slips_on(one)} == {False}


def test_slips_can_be_drawn_by_another_text() -> None:
    memories = [f"{i}: it is right, not wrong" for i in range(1_000)]
    overlooks = next(memory for memory in memories if read(memory) == NOT_IN_MEMORY)
    steady = next(memory for memory in memories if read(memory) == "right")
    given = ReaderInput(steady, "Q")
    assert READER(given).text == "right"
    assert replace(READER, drawn=overlooks)(given).text == NOT_IN_MEMORY
    assert replace(READER, drawn=steady)(ReaderInput(overlooks, "Q")).text == "right"
    assert replace(READER, drawn=overlooks).revision == READER.revision
    verdict = replace(JUDGE, drawn=NOT_IN_MEMORY)
    assert not any(verdict.slips_on(JudgeInput(str(i), "Q", ("x",), "x")) for i in range(1_000))
