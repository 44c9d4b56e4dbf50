from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.core.paired_statistics import difference_intervals, mcnemar_exact


def by_definition(fixed: int, broken: int) -> Fraction:
    """The probability, under fair coins, of what is at most as likely as what was seen."""
    pairs = fixed + broken
    chances = [Fraction(comb(pairs, k), 2**pairs) for k in range(pairs + 1)]
    return sum((chance for chance in chances if chance <= chances[fixed]), Fraction(0))


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_exact_binomial_test(fixed: int, broken: int) -> None:
    assert mcnemar_exact(fixed, broken) == float(by_definition(fixed, broken))
    assert mcnemar_exact(fixed, broken) == mcnemar_exact(broken, fixed)


def test_known_values() -> None:
    assert mcnemar_exact(0, 0) == 1.0
    assert mcnemar_exact(1, 0) == 1.0
    assert mcnemar_exact(0, 6) == 0.03125
    assert mcnemar_exact(17, 5) == pytest.approx(0.016900539, abs=1e-9)
    assert mcnemar_exact(30_000, 30_000) == 1.0
    assert 0 < mcnemar_exact(30_000, 29_000) < 0.001
    assert mcnemar_exact(5_000, 0) == 0.0  # smaller than any float


def test_paired_questions_exclude_zero_where_unpaired_ones_would_not() -> None:
    """Ten changes of 200, all for the better (AGG-3): the interval is that of the changes."""
    sums = {f"q{n:03}": ((int(n < 5), 1),) for n in range(200)}
    ((low, high),) = (one for one in difference_intervals(sums) if one)
    assert 0 < low < 0.025 < high < 0.06


def test_contexts_are_resampled_and_not_rows() -> None:
    sums = {f"c{n}": ((10 if n < 2 else 0, 10),) for n in range(4)}
    assert difference_intervals(sums) == [(0.0, 1.0)]
    assert difference_intervals({"c0": ((1, 10), (0, 1))}) == [None, None]
    assert difference_intervals({}) == []


SUMS = st.dictionaries(
    st.text(min_size=1, max_size=3),
    st.integers(1, 9).flatmap(lambda n: st.tuples(st.tuples(st.integers(-n, n), st.just(n)))),
    min_size=2,
    max_size=12,
)


@given(SUMS)
def test_swapping_mirrors_to_the_last_bit(sums: dict[str, tuple[tuple[int, int], ...]]) -> None:
    mirrored = {name: tuple((-change, n) for change, n in columns) for name, columns in sums.items()}
    ((low, high),) = (one for one in difference_intervals(sums) if one)
    ((low_back, high_back),) = (one for one in difference_intervals(mirrored) if one)
    assert (low_back, high_back) == (-high, -low)
    assert -1 <= low <= high <= 1
    assert "-0.0" not in map(repr, (low, high, low_back, high_back))
    assert difference_intervals(dict(reversed(sums.items()))) == [(low, high)]
