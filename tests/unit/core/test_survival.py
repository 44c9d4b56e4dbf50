from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gacc_gui.core.boundary import cut
from gacc_gui.core.errors import BadUsage, CodecUnavailable
from gacc_gui.core.evidence import Haystack, MemoryTexts, Pieces, pieces_of, question_fate
from gacc_gui.core.records import Question
from gacc_gui.core.survival import SurvivalCurve, TokenOffsets
from gacc_gui.core.tokens import Codec, CodepointCodec

SOURCE = "Ines closed K-7. The tank held 812 litres. 🧠 was drawn on it."


def ask(*quotes: str, references: tuple[str, ...] = ()) -> Pieces:
    evidence = tuple({"quote": quote} for quote in quotes)
    return pieces_of(Question("q", "g", "?", references, evidence), Haystack(SOURCE))


QUESTIONS = [
    ask("k-7"),
    ask("Ines", "812 litres"),
    ask("🧠"),
    ask(references=("tank", "litres")),
    ask("gone"),
]


def test_fates_along_the_budget() -> None:
    curve = SurvivalCurve(CodepointCodec(), SOURCE, QUESTIONS[:4])
    assert curve.tokens == len(SOURCE)
    assert curve.at(0).fates == ("tail",) * 4
    assert curve.at(14).fates == ("cut", "tail", "tail", "tail")
    assert curve.at(15).fates == ("retained", "tail", "tail", "tail")
    assert curve.at(25).fates == ("retained", "tail", "tail", "retained")
    assert curve.at(10**6).fates == ("retained",) * 4
    assert (curve.at(25).retained, curve.at(25).all_retained, curve.at(44).all_retained) == (2, False, True)
    assert curve.smallest_budgets() == (15, 41, 44, 25)
    assert curve.smallest_budget_for_all() == 44


def test_what_never_survives() -> None:
    curve = SurvivalCurve(CodepointCodec(), "Ines closed it.", [*QUESTIONS, ask()])
    assert curve.at(99).fates == ("omitted", "omitted", "omitted", "omitted", "absent", "unlocated")
    assert curve.smallest_budgets() == (None,) * 6
    assert curve.smallest_budget_for_all() is None
    assert SurvivalCurve(CodepointCodec(), "x", [ask()]).at(1).all_retained is None
    assert SurvivalCurve(CodepointCodec(), "x", [ask()]).smallest_budget_for_all() is None


def test_inside_a_character(cl100k: Codec) -> None:
    curve = SurvivalCurve(cl100k, "hello 🧠", [ask("🧠")])
    assert [curve.at(budget).fates for budget in range(5)] == [
        ("tail",),
        ("tail",),
        ("cut",),
        ("cut",),
        ("retained",),
    ]
    assert [curve.at(budget).splits_character for budget in range(5)] == [False, False, True, True, False]
    assert curve.smallest_budgets() == (4,)


@pytest.mark.parametrize("budget", [-1, True, 1.0, None])
def test_budgets_are_whole_numbers(budget: object) -> None:
    with pytest.raises(BadUsage):
        SurvivalCurve(CodepointCodec(), "x", []).at(budget)


def test_a_codec_that_alters_the_text_has_no_offsets() -> None:
    class Lowering(CodepointCodec):
        def encode(self, text: str) -> list[int]:
            return super().encode(text.replace(" ", ""))

    with pytest.raises(CodecUnavailable):
        TokenOffsets(Lowering(), "a b")


@given(st.text(st.sampled_from("Ines K-7k 812 litres tank 🧠漢é\ufffd"), max_size=40), st.integers(0, 90))
@settings(deadline=None, max_examples=300)
def test_the_curve_is_what_a_real_cut_would_give(cl100k: Codec, text: str, budget: int) -> None:
    texts = MemoryTexts(text, cut(cl100k, text, budget).retained_text)
    wanted = tuple(question_fate(q, [texts.fate(piece) for piece in q.pieces]) for q in QUESTIONS)
    curve = SurvivalCurve(cl100k, text, QUESTIONS)
    assert curve.at(budget).fates == wanted
    for question, least in zip(QUESTIONS, curve.smallest_budgets(), strict=True):
        one = SurvivalCurve(cl100k, text, [question])
        survives = [one.at(b).all_retained for b in range(one.tokens + 1)]
        assert survives == [least is not None and b >= least for b in range(one.tokens + 1)]


def test_a_step_of_the_slider_is_cheap(cl100k: Codec) -> None:
    text = " ".join(f"Ines closed K-{i}." for i in range(4_000))
    curve = SurvivalCurve(cl100k, text, QUESTIONS * 10)

    def steps(budgets: Sequence[int]) -> float:
        started = time.perf_counter()
        for budget in budgets:
            curve.at(budget)
        return (time.perf_counter() - started) / len(budgets)

    assert min(steps(range(0, curve.tokens, 500)) for _ in range(3)) < 0.005
