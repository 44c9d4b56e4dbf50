from __future__ import annotations

from math import sqrt

import pytest

from gacc_gui.core.sample_estimates import (
    Estimate,
    Group,
    SampledRow,
    agreement_share,
    corrected_micro,
    groups_of,
    weighted_confusion,
)
from gacc_gui.core.statistics import wilson


def rows(stratum: str, judge: str, right: int, wrong: int, unclear: int = 0) -> list[SampledRow]:
    said = ["correct"] * right + ["incorrect"] * wrong + ["unclear"] * unclear
    return [SampledRow(stratum, judge, reviewer) for reviewer in said]


def groups(sizes: dict[tuple[str, str], int], sampled: list[SampledRow]) -> tuple[Group, ...]:
    found = groups_of(sizes, sampled)
    assert not isinstance(found, str), found
    return found


def test_a_run_reviewed_to_its_last_row_is_known_exactly() -> None:
    found = groups(
        {("all", "correct"): 10, ("all", "incorrect"): 10},
        [*rows("all", "correct", 8, 2), *rows("all", "incorrect", 1, 8, 1)],
    )
    micro = corrected_micro(found, never=0)
    assert micro == Estimate(pytest.approx(9 / 20), (pytest.approx(9 / 20), pytest.approx(9 / 20)))
    assert corrected_micro(found, never=10).value == pytest.approx(9 / 30)
    # with nothing unanswered and no verdict missing, unclear is agreement with nobody
    assert agreement_share(found).value == pytest.approx(16 / 20)


def test_rows_weigh_what_their_stratum_weighs() -> None:
    """A thousand rows that the judge calls correct, fifty that it does not; as many reviewed of each."""
    sizes = {("right", "correct"): 1_000, ("wrong", "incorrect"): 50}
    found = groups(sizes, [*rows("right", "correct", 9, 1), *rows("wrong", "incorrect", 5, 5)])
    assert corrected_micro(found, never=0).value == pytest.approx((900 + 25) / 1_050)
    confusion = weighted_confusion(found)
    assert confusion == {
        ("correct", "correct"): pytest.approx(900),
        ("correct", "incorrect"): pytest.approx(100),
        ("incorrect", "correct"): pytest.approx(25),
        ("incorrect", "incorrect"): pytest.approx(25),
    }
    assert sum(confusion.values()) == pytest.approx(1_050)


def test_the_interval_of_one_stratum_is_wilsons() -> None:
    """Of a population that is as good as endless."""
    found = groups({("all", "incorrect"): 10**9}, rows("all", "incorrect", 30, 70))
    micro = corrected_micro(found, never=0)
    assert micro.ci95 == pytest.approx(wilson(30, 100))


def test_two_strata_by_hand() -> None:
    found = groups(
        {("a", "correct"): 3 * 10**8, ("b", "incorrect"): 10**8},
        [*rows("a", "correct", 45, 5), *rows("b", "incorrect", 10, 40)],
    )
    (a_low, a_high), (b_low, b_high) = wilson(45, 50) or (0, 0), wilson(10, 50) or (0, 0)
    value = 0.75 * 0.9 + 0.25 * 0.2
    assert corrected_micro(found, never=0) == Estimate(
        pytest.approx(value),
        (
            pytest.approx(value - sqrt((0.75 * (0.9 - a_low)) ** 2 + (0.25 * (0.2 - b_low)) ** 2)),
            pytest.approx(value + sqrt((0.75 * (a_high - 0.9)) ** 2 + (0.25 * (b_high - 0.2)) ** 2)),
        ),
    )


def test_a_stratum_with_more_of_its_rows_reviewed_is_surer() -> None:
    def width(size: int) -> float:
        found = groups({("all", "incorrect"): size}, rows("all", "incorrect", 20, 20))
        low, high = corrected_micro(found, never=0).ci95
        return high - low

    assert width(40) == 0 < width(50) < width(100) < width(10_000)


def test_what_is_known_of_the_judge_counts_in_a_random_sample() -> None:
    """Where the sample has too few of what the judge calls correct, it is weighted up again."""
    sizes = {("all", "correct"): 800, ("all", "incorrect"): 200}
    found = groups(sizes, [*rows("all", "correct", 10, 0), *rows("all", "incorrect", 0, 10)])
    assert corrected_micro(found, never=0).value == pytest.approx(0.8)


def test_groups_that_are_too_small_join_others() -> None:
    sizes = {("all", "correct"): 80, ("all", "incorrect"): 20, ("all", "no_verdict"): 3}
    found = groups(sizes, [*rows("all", "correct", 8, 2), *rows("all", "incorrect", 0, 5)])
    assert [(group.size, len(group.rows)) for group in found] == [(80, 10), (23, 5)]
    found = groups(sizes, [*rows("all", "correct", 8, 2), *rows("all", "incorrect", 0, 4)])
    assert [(group.size, len(group.rows)) for group in found] == [(103, 14)]


def test_a_stratum_that_nobody_looked_at() -> None:
    sizes = {("a", "correct"): 10, ("b", "incorrect"): 1_234}
    reason = groups_of(sizes, rows("a", "correct", 5, 0))
    assert reason == "no row of the stratum b (1,234 rows) is reviewed yet"
