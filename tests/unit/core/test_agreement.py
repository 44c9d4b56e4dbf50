from __future__ import annotations

from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.core.agreement import JUDGE_SAYS, REVIEWER_SAYS, Pair, agreement_figures, cohens_kappa

PAIRS = st.lists(
    st.builds(Pair, st.sampled_from("abcdef"), st.sampled_from(JUDGE_SAYS), st.sampled_from(REVIEWER_SAYS)),
    max_size=40,
)


def pairs(both: int, only_first: int, only_second: int, neither: int, context: str = "") -> list[Pair]:
    said = (
        [("correct", "correct")] * both
        + [("correct", "incorrect")] * only_first
        + [("incorrect", "correct")] * only_second
        + [("incorrect", "incorrect")] * neither
    )
    return [Pair(context or f"c{at}", *labels) for at, labels in enumerate(said)]


def test_figures_by_hand() -> None:
    """Fifty rows: they agree on 35; by chance it would be 25."""
    found = agreement_figures(pairs(20, 5, 10, 15))
    assert found.agreement == pytest.approx(0.7)
    assert found.kappa == pytest.approx(0.4)
    assert found.sensitivity == pytest.approx(20 / 30) and found.specificity == pytest.approx(15 / 20)
    assert found.balanced_accuracy == pytest.approx((20 / 30 + 15 / 20) / 2)


def fleiss_cohen_everitt(a: int, b: int, c: int, d: int) -> float:
    """The standard error of κ as the paper writes it, formula 13: without our way of adding up."""
    n = a + b + c + d
    p = [[a / n, b / n], [c / n, d / n]]
    rows = [sum(row) for row in p]
    columns = [p[0][j] + p[1][j] for j in range(2)]
    observed = p[0][0] + p[1][1]
    expected = sum(rows[i] * columns[i] for i in range(2))
    kappa = (observed - expected) / (1 - expected)
    first = sum(p[i][i] * (1 - (rows[i] + columns[i]) * (1 - kappa)) ** 2 for i in range(2))
    second = (1 - kappa) ** 2 * sum(
        p[i][j] * (columns[i] + rows[j]) ** 2 for i in range(2) for j in range(2) if i != j
    )
    third = (kappa - expected * (1 - kappa)) ** 2
    return sqrt((first + second - third) / n) / (1 - expected)


@given(*(st.integers(1, 30),) * 4)
def test_with_a_context_a_row_the_interval_is_the_classical_one(a: int, b: int, c: int, d: int) -> None:
    found = agreement_figures(pairs(a, b, c, d))
    assert found.kappa is not None and found.kappa_ci95 is not None
    spread = 1.959963984540054 * fleiss_cohen_everitt(a, b, c, d)
    assert found.kappa_ci95 == (
        pytest.approx(max(-1, found.kappa - spread), abs=1e-9),
        pytest.approx(min(1, found.kappa + spread), abs=1e-9),
    )


def test_rows_of_one_context_do_not_make_it_surer() -> None:
    """Each context ten times over: as sure as with one row a context, not √10 times surer."""
    once = pairs(20, 5, 10, 15)
    single, tenfold = agreement_figures(once), agreement_figures(once * 10)
    assert tenfold.kappa == pytest.approx(single.kappa)
    assert tenfold.kappa_ci95 == pytest.approx(single.kappa_ci95)


def test_where_there_is_nothing_to_say() -> None:
    nothing = agreement_figures([])
    assert (nothing.rows, nothing.kappa, nothing.agreement, nothing.balanced_accuracy) == (
        0,
        None,
        None,
        None,
    )
    one_label = agreement_figures(pairs(5, 0, 0, 0))
    assert (one_label.kappa, one_label.agreement, one_label.balanced_accuracy) == (None, 1.0, None)
    always_right = agreement_figures(pairs(5, 5, 0, 0))
    assert (always_right.kappa, always_right.kappa_ci95) == (0, None)
    one_context = agreement_figures(pairs(5, 1, 1, 5, "c"))
    assert one_context.kappa is not None and one_context.kappa_ci95 is None
    perfect = agreement_figures(pairs(5, 0, 0, 5))
    assert perfect.kappa == 1 and perfect.kappa_ci95 is not None
    low, high = perfect.kappa_ci95
    assert 0.3 < low < 0.6 and high == 1  # ten rows do not make it certain


@given(PAIRS)
def test_figures_are_what_a_plain_count_gives(found: list[Pair]) -> None:
    figures = agreement_figures(found)
    assert sum(figures.confusion.values()) == figures.rows == len(found)
    labelled = [p for p in found if p.first != "no_verdict" and p.second != "unclear"]
    assert figures.both_labelled == len(labelled)
    if labelled:
        assert figures.agreement == sum(p.first == p.second for p in labelled) / len(labelled)
    if figures.kappa_ci95 is not None and figures.kappa is not None:
        low, high = figures.kappa_ci95
        assert -1 <= low <= figures.kappa + 1e-9 and figures.kappa <= high + 1e-9 and high <= 1
    swapped = [Pair(p.context_id, p.second, p.first) for p in labelled]
    assert agreement_figures(swapped).kappa == pytest.approx(figures.kappa)


def test_weights_do_for_rows() -> None:
    rows = {("correct", "correct"): 20, ("correct", "incorrect"): 5, ("incorrect", "correct"): 10}
    rows["incorrect", "incorrect"] = 15
    weights = {pair: n * 2.5 for pair, n in rows.items()} | {("no_verdict", "correct"): 99.0}
    assert cohens_kappa(weights) == pytest.approx(cohens_kappa(rows)) == pytest.approx(0.4)


@given(PAIRS, st.randoms(use_true_random=False))
def test_no_digit_hangs_on_the_order_of_pairs(given_pairs: list[Pair], chance: Random) -> None:
    shuffled = chance.sample(given_pairs, len(given_pairs))
    assert agreement_figures(shuffled) == agreement_figures(given_pairs)
