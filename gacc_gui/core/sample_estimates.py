"""What a reviewed random sample says of the rows that it was drawn from: weighted back, with intervals.

The rows of a sample were drawn at random within strata whose sizes are known, and reviewed in a random order:
those reviewed so far are a random sample of each stratum too. Within a stratum, rows are told apart once more
by what the judge says of them, which is known of all (post-stratification: Cochran 1977, Sampling Techniques,
5A.9; Särndal, Swensson and Wretman 1992, 7.6); a group with fewer than FEW reviewed rows joins another. A
share p = Σ Wₕ pₕ has the interval of Zou and Donner 2008 (“MOVER”, Stat. Med. 27:1693) over the intervals of
the groups, Wilson's, with sizes corrected for the finite population, so that a stratum reviewed to its last
row is known exactly. What is estimated is this run's own figure, were all its rows reviewed by the same
people.

Owns these estimates. Which rows a queue draws is `core.review_queue`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from gacc_gui.core.agreement import JUDGE_SAYS, NO_VERDICT, UNCLEAR
from gacc_gui.core.statistics import Interval

FEW: Final = 5
"""Reviewed rows that a group needs to stand alone."""
METHOD: Final = (
    "weighted by stratum and by the judge's label (post-stratification); 95 % interval by MOVER (Zou and"
    " Donner 2008) over Wilson's intervals with the finite population correction"
)
_Z: Final = 1.959963984540054
"""The normal quantile of 0.975."""


@dataclass(frozen=True, slots=True)
class SampledRow:
    """A reviewed row of a sample. `judge` is one of JUDGE_SAYS, `reviewer` of REVIEWER_SAYS."""

    stratum: str
    judge: str
    reviewer: str


@dataclass(frozen=True, slots=True)
class Group:
    """A part of the population: its size, and the reviewed rows in it."""

    size: int
    rows: tuple[SampledRow, ...]


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimated share and its 95 % interval."""

    value: float
    ci95: Interval


def groups_of(sizes: Mapping[tuple[str, str], int], rows: Sequence[SampledRow]) -> tuple[Group, ...] | str:
    """Return the parts of the population, or why the sample does not speak for it.

    `sizes` are the rows of the population by stratum and what the judge says.
    """
    groups: list[Group] = []
    for stratum in sorted({stratum for stratum, _ in sizes}):
        mine = [row for row in rows if row.stratum == stratum]
        whole = {judge: sizes.get((stratum, judge), 0) for judge in JUDGE_SAYS}
        if not mine:
            return f"no row of the stratum {stratum} ({sum(whole.values()):,} rows) is reviewed yet"
        parts = [
            Group(whole[judge], tuple(row for row in mine if row.judge == judge)) for judge in JUDGE_SAYS
        ]
        right, wrong, none = parts
        if none.size and len(none.rows) < FEW:  # as little as it is, it is no label correct either
            wrong, none = _joined(wrong, none), Group(0, ())
        if any(part.size and len(part.rows) < FEW for part in (right, wrong)):
            right, wrong, none = _joined(_joined(right, wrong), none), Group(0, ()), Group(0, ())
        groups += [part for part in (right, wrong, none) if part.size]
    return tuple(groups)


def _joined(one: Group, other: Group) -> Group:
    return Group(one.size + other.size, one.rows + other.rows)


def estimate(groups: Sequence[Group], counts: Callable[[SampledRow], bool], never: int = 0) -> Estimate:
    """Return the share of the population's rows that count; `never` more rows are known not to.

    Every group has a reviewed row, and there is a row at all.
    """
    whole = sum(group.size for group in groups) + never
    value = below = above = 0.0
    for group in groups:
        share = sum(map(counts, group.rows)) / len(group.rows)
        low, high = _wilson(share, len(group.rows), group.size)
        weight = group.size / whole
        value += weight * share
        below += (weight * (share - low)) ** 2
        above += (weight * (high - share)) ** 2
    return Estimate(value, (max(0.0, value - sqrt(below)), min(1.0, value + sqrt(above))))


def weighted_confusion(groups: Sequence[Group]) -> dict[tuple[str, str], float]:
    """Return the estimated rows of the population by what the judge and a reviewer say."""
    found: defaultdict[tuple[str, str], float] = defaultdict(float)
    for group in groups:
        said = Counter((row.judge, row.reviewer) for row in group.rows)
        for labels in sorted(said):
            found[labels] += group.size * said[labels] / len(group.rows)
    return dict(found)


def corrected_micro(groups: Sequence[Group], never: int) -> Estimate:
    """Return Micro (errors as wrong) as if every row had been reviewed; what is unclear counts as wrong.

    `never` are the rows that no label could make right: they have no answer.
    """
    return estimate(groups, lambda row: row.reviewer == "correct", never)


def agreement_share(groups: Sequence[Group]) -> Estimate:
    """Return the share of rows of which judge and reviewer say the same; unclear is to have no verdict."""
    return estimate(
        groups,
        lambda row: row.judge == row.reviewer or (row.judge, row.reviewer) == (NO_VERDICT, UNCLEAR),
    )


def _wilson(share: float, n: int, size: int) -> Interval:
    """Return Wilson's interval with n corrected to n(N − 1)/(N − n); the share itself where all are known."""
    if n >= size:
        return share, share
    n_effective = n * (size - 1) / (size - n)
    spread = _Z * sqrt(share * (1 - share) / n_effective + _Z * _Z / (4 * n_effective * n_effective))
    centre = share + _Z * _Z / (2 * n_effective)
    scale = 1 + _Z * _Z / n_effective
    return (
        0.0 if share == 0 else max(0.0, (centre - spread) / scale),
        1.0 if share == 1 else min(1.0, (centre + spread) / scale),
    )
