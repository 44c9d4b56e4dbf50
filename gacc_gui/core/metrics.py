"""Micro and Macro per cell, under both policies, with causes and intervals; FORMATS.md's “What counts”.

Owns the arithmetic over counted units. Counting rows into units is the store's, words are the
command line's and the window's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from gacc_gui.core.causes import CAUSES, CORRECT
from gacc_gui.core.records import Cell
from gacc_gui.core.statistics import Interval, bootstrap_ratios, share, wilson

IntervalMethod = Literal["bootstrap", "wilson"]
_CORRECT: Final = CAUSES.index(CORRECT)


@dataclass(frozen=True, slots=True)
class UnitCounts:
    """The rows of one unit, counted."""

    cell: Cell
    goal_id: str
    context_id: str
    questions: int
    judged: int
    correct: int
    unsupported: int
    causes: tuple[int, ...]
    """Rows per cause, in the order of `CAUSES`."""


@dataclass(frozen=True, slots=True)
class GoalFacts:
    """A goal of the run, whatever was evaluated of it."""

    goal_id: str
    context_id: str
    origin: str | None
    questions: int


@dataclass(frozen=True, slots=True)
class Shares:
    """One figure under both policies; None where nothing could be right."""

    errors_as_wrong: float | None
    errors_excluded: float | None


@dataclass(frozen=True, slots=True)
class CellMetrics:
    """A cell's figures. Intervals are over contexts and of `errors_as_wrong`; None with fewer than two."""

    cell: Cell
    origin: str | None
    """The contexts' origin where cells are split by it."""
    contexts: int
    goals: int
    questions: int
    judged: int
    correct: int
    incomplete_goals: int
    missing_goals: int
    right_goals: int
    micro: Shares
    macro: Shares
    micro_ci95: Interval | None
    macro_ci95: Interval | None
    macro_ci95_method: IntervalMethod | None
    causes: Mapping[str, int]
    """Rows per cause; causes without a row are left out."""
    unsupported: int
    mended: Mapping[str, int]
    """Per cause that occurs (but `correct`): units that would be all right, were its rows right."""

    @property
    def unsupported_share(self) -> float | None:
        """Share of the correct answers that nothing in the memory supports."""
        return share(self.unsupported, self.correct)


@dataclass(frozen=True, slots=True)
class RunMetrics:
    """All cells of a run, sorted; and the goals that no figure counts because they have no question."""

    cells: tuple[CellMetrics, ...]
    goals_without_questions: tuple[str, ...]


def cell_metrics(
    units: Iterable[UnitCounts],
    goals: Iterable[GoalFacts],
    *,
    cells: Iterable[Cell] = (),
    by_origin: bool = False,
) -> RunMetrics:
    """Return the figures of every cell that has a unit or is named in `cells`.

    `goals` are all goals of the run, whether evaluated or not; a unit's goal is among them. With
    `by_origin`, every cell is split into the origins of the run's contexts (None: not given).
    """
    facts = {goal.goal_id: goal for goal in goals}
    countable = {goal_id for goal_id, goal in facts.items() if goal.questions}
    origins = sorted({facts[g].origin for g in countable}, key=_none_last) if by_origin else [None]
    groups: dict[tuple[Cell, str | None], list[UnitCounts]] = {
        (cell, origin): [] for cell in cells for origin in origins
    }
    for unit in units:
        origin = facts[unit.goal_id].origin if by_origin else None
        group = groups.get((unit.cell, origin))
        if group is None:
            groups.update({(unit.cell, other): [] for other in origins})
            group = groups[unit.cell, origin]
        if unit.questions:
            group.append(unit)
    per_origin: dict[str | None, int] = defaultdict(int)
    for goal_id in countable:
        per_origin[facts[goal_id].origin if by_origin else None] += 1

    ordered = sorted(groups, key=lambda key: (key[0], _none_last(key[1])))
    intervals = _intervals([groups[key] for key in ordered])
    return RunMetrics(
        cells=tuple(
            _cell(*key, groups[key], per_origin[key[1]], micro, macro)
            for key, (micro, macro) in zip(ordered, intervals, strict=True)
        ),
        goals_without_questions=tuple(sorted(facts.keys() - countable)),
    )


def _none_last(origin: str | None) -> tuple[bool, str]:
    return origin is None, origin or ""


def _cell(
    cell: Cell,
    origin: str | None,
    units: list[UnitCounts],
    countable_goals: int,
    micro_ci95: Interval | None,
    macro_ci95: Interval | None,
) -> CellMetrics:
    causes = [sum(column) for column in zip(*(unit.causes for unit in units), strict=True)] or [0] * len(
        CAUSES
    )
    mended = [0] * len(CAUSES)
    for unit in units:
        lost = [i for i, n in enumerate(unit.causes) if n and i != _CORRECT]
        if not lost:
            mended[_CORRECT] += 1
        elif len(lost) == 1:
            mended[lost[0]] += 1
    right = mended[_CORRECT]
    questions = sum(unit.questions for unit in units)
    judged = sum(unit.judged for unit in units)
    correct = causes[_CORRECT]
    incomplete = sum(unit.judged < unit.questions for unit in units)
    contexts = len({unit.context_id for unit in units})
    method: IntervalMethod | None = None
    if contexts >= 2:
        method = "bootstrap"
        if right in (0, len(units)):
            macro_ci95, method = wilson(contexts if right else 0, contexts), "wilson"
    return CellMetrics(
        cell=cell,
        origin=origin,
        contexts=contexts,
        goals=len(units),
        questions=questions,
        judged=judged,
        correct=correct,
        incomplete_goals=incomplete,
        missing_goals=countable_goals - len({unit.goal_id for unit in units}),
        right_goals=right,
        micro=Shares(share(correct, questions), share(correct, judged)),
        macro=Shares(share(right, len(units)), share(right, len(units) - incomplete)),
        micro_ci95=micro_ci95,
        macro_ci95=macro_ci95,
        macro_ci95_method=method,
        causes={cause: n for cause, n in zip(CAUSES, causes, strict=True) if n},
        unsupported=sum(unit.unsupported for unit in units),
        mended={
            cause: right + gained
            for cause, n, gained in zip(CAUSES, causes, mended, strict=True)
            if n and cause != CORRECT
        },
    )


def _intervals(groups: list[list[UnitCounts]]) -> list[tuple[Interval | None, Interval | None]]:
    """Return (micro, macro) intervals per group; groups over the same contexts are resampled together."""
    found: list[tuple[Interval | None, Interval | None]] = [(None, None)] * len(groups)
    sums: list[dict[str, list[int]]] = []
    together: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for i, units in enumerate(groups):
        per_context: dict[str, list[int]] = {}
        for unit in units:
            row = per_context.get(unit.context_id)
            if row is None:
                row = per_context[unit.context_id] = [0, 0, 0, 0]
            row[0] += unit.correct
            row[1] += unit.correct == unit.questions
            row[2] += unit.questions
            row[3] += 1
        sums.append(per_context)
        if len(per_context) >= 2:
            together[tuple(sorted(per_context))].append(i)
    if not together:
        return found
    import numpy as np

    for contexts, members in together.items():
        table = np.array([[sums[i][context] for i in members] for context in contexts], dtype=np.float64)
        right = np.concatenate([table[:, :, 0], table[:, :, 1]], axis=1)
        whole = np.concatenate([table[:, :, 2], table[:, :, 3]], axis=1)
        intervals = bootstrap_ratios(right, whole)
        for k, i in enumerate(members):
            found[i] = intervals[k], intervals[len(members) + k]
    return found
