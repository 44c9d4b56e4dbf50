"""What a compaction run comes to: exact averages, denominators, and the predeclared hypothesis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.core.compaction import FULL, FUSION, JEV, METHODS, NO_SCORES, SCORES, SUMMARY
from gacc_gui.core.compaction_aggregate import (
    Aggregate,
    PlannedRun,
    ScoredAnswer,
    aggregate,
    exact,
)

CASES = tuple(f"case-{number}" for number in range(20))
PLAN = PlannedRun(CASES, METHODS, 1, 1)


def answer(case: str, method: str, em: float = 1.0, status: str = "ok", **more: int) -> ScoredAnswer:
    places = {"generation": 0, "repeat": 0, **more}
    scores = dict.fromkeys(SCORES, em)
    return ScoredAnswer(case, "bridge", method, places["generation"], places["repeat"], status, scores)


def with_right(right: Mapping[str, int]) -> Aggregate:
    """Aggregate a run of twenty questions in which so many of each method are right."""
    answers = [
        answer(case, method, float(number < count))
        for method, count in right.items()
        for number, case in enumerate(CASES)
    ]
    return aggregate(answers, PlannedRun(CASES, tuple(right), 1, 1), dict.fromkeys(CASES, "bridge"))


def held(right: Mapping[str, int]) -> Sequence[bool | None]:
    found = with_right(right).hypothesis
    return [part.holds for part in found.parts] + [found.held]


def test_five_points_are_inclusive() -> None:
    # 0.80 - 0.75 is 0.05000000000000004 in floats.
    assert 0.80 - 0.75 > 0.05
    assert held({FULL: 16, JEV: 3, SUMMARY: 4, FUSION: 15}) == [True, True, True, True]
    assert held({FULL: 17, JEV: 3, SUMMARY: 4, FUSION: 15}) == [True, True, False, False]


def test_beating_is_more_than_equal() -> None:
    assert held({FULL: 10, JEV: 10, SUMMARY: 9, FUSION: 10}) == [False, True, True, False]
    assert held({FULL: 5, JEV: 9, SUMMARY: 10, FUSION: 11}) == [True, True, True, True]


def test_without_a_method_it_cannot_be_decided() -> None:
    figures = with_right({FULL: 16, JEV: 3, FUSION: 15})
    assert figures.hypothesis.held is None
    assert figures.hypothesis.missing == (SUMMARY,)
    assert [part.holds for part in figures.hypothesis.parts] == [True, None, True]
    told = figures.as_json()["hypothesis"]
    assert told["held"] is None and told["decidable"] is False and told["missing_methods"] == [SUMMARY]


def test_repeats_are_averaged_within_a_question_and_failures_count_zero() -> None:
    plan = PlannedRun(CASES[:2], (JEV,), 2, 2)
    answers = [
        answer(CASES[0], JEV, 1.0, generation=generation, repeat=repeat)
        for generation in range(2)
        for repeat in range(2)
    ]
    # One of the second question's four is right; one has scores that must not count, one is missing.
    answers += [
        answer(CASES[1], JEV, 1.0),
        answer(CASES[1], JEV, 1.0, "invalid", repeat=1),
        answer(CASES[1], JEV, 0.0, generation=1),
    ]
    (method,) = aggregate(answers, plan, {CASES[0]: "bridge", CASES[1]: "comparison"}).methods
    assert method.all.scores["em"] == Fraction(5, 8)
    assert (method.all.valid, method.all.planned) == (6, 8)
    assert method.all.statuses == {"invalid": 1, "missing": 1, "ok": 6}
    assert method.by_kind["bridge"].scores["em"] == 1
    assert method.by_kind["comparison"].scores["em"] == Fraction(1, 4)


def test_tokens_are_the_providers_where_it_told() -> None:
    told = [
        ScoredAnswer(CASES[0], "bridge", JEV, 0, 0, "ok", NO_SCORES, 100, 90),
        ScoredAnswer(CASES[1], "bridge", JEV, 0, 0, "error", NO_SCORES, None, 95),
        ScoredAnswer(CASES[2], "bridge", JEV, 0, 0, "no_context", NO_SCORES),
    ]
    (method,) = aggregate(told, PlannedRun(CASES[:3], (JEV,), 1, 1), {}).methods
    assert (method.provider.inputs, method.provider.total) == (1, 100)
    assert (method.local.inputs, method.local.mean) == (2, Fraction(185, 2))


def test_figures_are_written_as_floats_and_exactly() -> None:
    told = with_right({FULL: 16, JEV: 3, SUMMARY: 4, FUSION: 15}).as_json()
    assert told["methods"]["full"]["metrics"]["em"] == 0.8
    assert told["methods"]["full"]["exact"]["em"] == "4/5"
    difference = told["hypothesis"]["parts"][2]["difference"]
    assert difference == {"value": -0.05, "exact": "-1/20"}


def test_no_question_is_no_figure() -> None:
    (method,) = aggregate([], PlannedRun((), (JEV,), 2, 2), {}).methods
    assert method.all.scores["em"] is None
    assert method.all.planned == 0


def test_what_is_beyond_the_plan_is_left_out() -> None:
    answers = [answer(CASES[0], JEV), answer("elsewhere", JEV), answer(CASES[0], JEV, 1.0, repeat=5)]
    (method,) = aggregate(answers, PlannedRun(CASES[:2], (JEV,), 1, 1), {}).methods
    assert method.all.scores["em"] == Fraction(1, 2)


@given(st.integers(1, 300), st.integers(1, 300), st.integers(1, 300))
def test_scores_are_read_as_the_quotients_they_were(same: int, said: int, wanted: int) -> None:
    same = min(same, said, wanted)
    prec, recall = same / said, same / wanted
    assert exact(2 * prec * recall / (prec + recall)) == Fraction(2 * same, said + wanted)


@pytest.mark.parametrize("score", [0.0, 1.0, 0.1234567890123])
def test_a_score_that_is_no_such_quotient_stands_for_itself(score: float) -> None:
    assert float(exact(score)) == score


@given(st.permutations(range(8)))
def test_the_order_of_answers_is_free(order: Sequence[int]) -> None:
    answers = [
        answer(CASES[number % 2], JEV, number / 7, generation=number // 4, repeat=number // 2 % 2)
        for number in range(8)
    ]
    plan = PlannedRun(CASES[:2], (JEV,), 2, 2)
    expected = aggregate(answers, plan, {})
    assert aggregate([answers[number] for number in order], plan, {}) == expected
