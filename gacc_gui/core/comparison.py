"""What paired rows come to: buckets, Micro and Macro of either side, their difference, interval and test.

Owns the arithmetic over pairs. What is paired is `core.pairing`. Under `errors_as_wrong`, the protocol's
policy, throughout: a row without a counting label is not right. In the buckets it stands apart.

A goal counts once per pair of units and is right where all its paired rows are; of a goal whose questions
are not all paired, both sides are judged by the same ones. Questions of one memory stand or fall together, as
do goals of one context: intervals resample contexts, and McNemar's test counts goals, never questions. Where
a goal is a case with one question (`by_case`), its generations and repeats are no independent trials either:
the test counts each case once, as better or worse in B by the share of its answers that is right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from gacc_gui.core.paired_statistics import difference_intervals, mcnemar_exact
from gacc_gui.core.pairing import CellPair, UnitPair
from gacc_gui.core.records import Cell
from gacc_gui.core.sides import RIGHT, UNLABELLED
from gacc_gui.core.statistics import Interval, share

FIXED: Final = "fixed"
BROKEN: Final = "broken"
BOTH_RIGHT: Final = "both_right"
BOTH_WRONG: Final = "both_wrong"
NOT_LABELLED: Final = "unlabelled"
BUCKETS: Final = (BOTH_RIGHT, FIXED, BROKEN, BOTH_WRONG, NOT_LABELLED)
"""Every pair is in one. Fixed: wrong in A and right in B."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One figure of either side, and b − a with its 95 % interval over contexts.

    None where nothing is paired; the interval with fewer than two contexts.
    """

    a: float | None
    b: float | None
    difference: float | None
    ci95: Interval | None


@dataclass(frozen=True, slots=True)
class GoalTest:
    """Goals that became right or stopped being so, and the exact two-sided p; None where none is paired.

    `counted`: what the test counts. By cases: those that are better or worse in B; equal ones say nothing,
    and p is that of the exact sign test, which is McNemar's where each case has one answer.
    """

    fixed: int
    broken: int
    p: float | None
    counted: int


@dataclass(frozen=True, slots=True)
class CellComparison:
    """Two cells over their pairs. `pairs` counts rows, `goals` pairs of units, `right_…` what is right."""

    a: Cell
    b: Cell
    contexts: int
    goals: int
    pairs: int
    buckets: dict[str, int]
    right_a: int
    right_b: int
    right_goals_a: int
    right_goals_b: int
    micro: Difference
    macro: Difference
    goal_test: GoalTest


def bucket_of(a: str, b: str) -> str:
    """Return the bucket of a pair of marks (`core.sides.MARKS`)."""
    if UNLABELLED in (a, b):
        return NOT_LABELLED
    if a == RIGHT:
        return BOTH_RIGHT if b == RIGHT else BROKEN
    return FIXED if b == RIGHT else BOTH_WRONG


@dataclass(frozen=True, slots=True)
class CellTally:
    """What is counted of a pair of cells, without its intervals.

    `sums` has per context: pairs, right in A, right in B, goals, right goals in A, in B.
    """

    a: Cell
    b: Cell
    buckets: dict[str, int]
    sums: dict[str, tuple[int, ...]]
    fixed_goals: int
    broken_goals: int
    tested: int


def tally_cells(pair: CellPair, *, by_case: bool = False) -> CellTally:
    """Count a pair of cells; `by_case`: whether the test counts goals, not each of their units."""
    buckets = dict.fromkeys(BUCKETS, 0)
    contexts: dict[str, list[int]] = defaultdict(lambda: [0] * 6)
    gains: dict[tuple[int, int], int] = defaultdict(int)
    """By case, how many more of its units are right in B."""
    fixed = broken = 0
    for unit, marks in zip(pair.units, _marks(pair.units), strict=True):
        counted, pairs, right_a, right_b = _counted(marks)
        for bucket, n in counted:
            buckets[bucket] += n
        whole_a, whole_b = int(right_a == pairs), int(right_b == pairs)
        fixed += whole_b > whole_a
        broken += whole_a > whole_b
        if by_case:
            gains[unit.a.goal, unit.b.goal] += whole_b - whole_a
        sums = contexts[unit.cluster]
        for place, n in enumerate((pairs, right_a, right_b, 1, whole_a, whole_b)):
            sums[place] += n
    tested = len(pair.units)
    if by_case:
        tested = len(gains)
        fixed = sum(gain > 0 for gain in gains.values())
        broken = sum(gain < 0 for gain in gains.values())
    totals = {name: tuple(sums) for name, sums in contexts.items()}
    return CellTally(pair.a, pair.b, buckets, totals, fixed, broken, tested)


def compare_tallies(tallies: Sequence[CellTally]) -> tuple[CellComparison, ...]:
    """Return the figures of tallies. Those over the same contexts are resampled together, as in `metrics`."""
    together: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, tally in enumerate(tallies):
        together[tuple(sorted(tally.sums))].append(number)
    intervals: dict[int, list[Interval | None]] = {}
    for contexts, numbers in together.items():
        sums = {
            context: tuple(change for number in numbers for change in _changes(tallies[number].sums[context]))
            for context in contexts
        }
        found = difference_intervals(sums) or [None] * (2 * len(numbers))
        for place, number in enumerate(numbers):
            intervals[number] = found[2 * place : 2 * place + 2]
    return tuple(_figures(tally, *intervals[number]) for number, tally in enumerate(tallies))


def _changes(sums: tuple[int, ...]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return (b − a, of how many) of a context, for questions and for goals."""
    pairs, right_a, right_b, goals, whole_a, whole_b = sums
    return (right_b - right_a, pairs), (whole_b - whole_a, goals)


def _figures(tally: CellTally, micro_ci95: Interval | None, macro_ci95: Interval | None) -> CellComparison:
    totals = [sum(sums[place] for sums in tally.sums.values()) for place in range(6)]
    pairs, right_a, right_b, goals, whole_a, whole_b = totals
    fixed, broken = tally.fixed_goals, tally.broken_goals
    return CellComparison(
        a=tally.a,
        b=tally.b,
        contexts=len(tally.sums),
        goals=goals,
        pairs=pairs,
        buckets=tally.buckets,
        right_a=right_a,
        right_b=right_b,
        right_goals_a=whole_a,
        right_goals_b=whole_b,
        micro=_difference(right_a, right_b, pairs, micro_ci95),
        macro=_difference(whole_a, whole_b, goals, macro_ci95),
        goal_test=GoalTest(fixed, broken, mcnemar_exact(fixed, broken) if goals else None, tally.tested),
    )


def _marks(units: Iterable[UnitPair]) -> Iterable[str]:
    """Yield the marks of each pair of units, A's and B's of a row side by side."""
    for a, b, _, places in units:
        yield "".join([a.marks[i] + b.marks[j] for i, j in places])


@lru_cache(maxsize=1 << 14)
def _counted(marks: str) -> tuple[tuple[tuple[str, int], ...], int, int, int]:
    """Return a unit's rows by bucket, how many they are, and how many are right on either side."""
    a, b = marks[::2], marks[1::2]
    found = [bucket_of(*row) for row in zip(a, b, strict=True)]
    counted = tuple((bucket, n) for bucket in BUCKETS if (n := found.count(bucket)))
    return counted, len(a), a.count(RIGHT), b.count(RIGHT)


def _difference(a: int, b: int, whole: int, ci95: Interval | None) -> Difference:
    return Difference(share(a, whole), share(b, whole), share(b - a, whole), ci95)
