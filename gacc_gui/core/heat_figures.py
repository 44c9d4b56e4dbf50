"""Goals × cells as a heat map: where the hard goals and the weak cells are.

Owns the counting into places and their order. How a share becomes a colour is `chart_style`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

from gacc_gui.core.chart_figures import ordered
from gacc_gui.core.charts import Chart, HeatChart, NoChart, Table, Value, cell_names
from gacc_gui.core.metrics import UnitCounts
from gacc_gui.core.natural import natural_key
from gacc_gui.core.records import Cell
from gacc_gui.core.terms import GOALS, Terms

_Counts = Sequence[Sequence[int]]


def heat_chart(
    units: Iterable[UnitCounts],
    cells: Sequence[Cell],
    goal_texts: Mapping[str, str],
    *,
    shows_away: bool = False,
    hidden: Collection[tuple[str, Cell]] = (),
    terms: Terms = GOALS,
) -> Chart:
    """Return the share right (or the questions not right) of every goal in every cell.

    Goals that are right least often stand first, equals by id; cells in their usual order. Generations and
    repeats of a goal in a cell are summed. `goal_texts` by goal id. Nothing is counted at the places of
    `hidden`, goals and cells, which a reviewer is not to know.
    """
    key, title = "heat", f"{terms.goal.capitalize()}s × {terms.cell}s"
    rows = ordered(set(cells))
    place = {cell: number for number, cell in enumerate(rows)}
    width = len(rows)
    counts: dict[str, list[int]] = {}
    for unit in units:
        row = place.get(unit.cell)
        if row is None or not unit.questions:
            continue
        of_goal = counts.get(unit.goal_id)
        if of_goal is None:
            of_goal = counts[unit.goal_id] = [0] * (3 * width)
        if (unit.goal_id, unit.cell) in hidden:
            continue
        of_goal[row] += unit.correct
        of_goal[width + row] += unit.questions
        of_goal[2 * width + row] += 1
    if not counts:
        return NoChart(key, title, f"No {terms.goal} with a question was evaluated in these {terms.cell}s.")
    goals = sorted(
        counts,
        key=lambda goal: (
            _share(sum(counts[goal][:width]), sum(counts[goal][width : 2 * width])),
            natural_key(goal),
        ),
    )
    right, whole, of_units = (
        tuple(tuple(counts[goal][at * width + row] for goal in goals) for row in range(width))
        for at in range(3)
    )
    evaluated = sum(n > 0 for of_cell in of_units for n in of_cell)
    column = {goal: number for number, goal in enumerate(goals)}
    veiled = frozenset(
        (place[cell], column[goal]) for goal, cell in hidden if cell in place and goal in column
    )
    missing = len(goals) * width - evaluated - len(veiled)
    shown = (
        "Questions not right, a unit"
        if shows_away
        else f"Share of {'answers' if terms.one_question else 'questions'} right"
    )
    return HeatChart(
        key=key,
        title=title,
        caption=f"{shown}: {len(goals):,} {terms.goal}s × {width:,} {terms.cell}s, {evaluated:,} evaluated"
        + (f", {missing:,} not (empty)" if missing else "")
        + (f", {len(veiled):,} hidden until you have decided (?)" if veiled else "")
        + f"; hardest {terms.goal}s first. {terms.errors}",
        cell_title=f"{terms.cell.capitalize()}s",
        goal_title=f"{terms.goal.capitalize()}s, hardest first",
        goals=tuple(goals),
        goal_texts=tuple(goal_texts.get(goal, "") for goal in goals),
        cells=tuple(rows),
        labels=tuple(cell_names(rows, terms).values()),
        right=right,
        whole=whole,
        units=of_units,
        shows_away=shows_away,
        highest=_highest(right, whole, of_units),
        hidden=veiled,
        table=_table(goals, rows, right, whole, of_units),
    )


def _share(right: int, whole: int) -> float:
    """What a goal is ordered by; one that is hidden in every cell stands last."""
    return right / whole if whole else math.inf


def _table(
    goals: Sequence[str],
    cells: Sequence[Cell],
    right: _Counts,
    whole: _Counts,
    units: _Counts,
) -> Table:
    rows: list[tuple[Value, ...]] = [
        (
            goal,
            cell.compressor,
            cell.revision,
            cell.condition,
            cell.ratio,
            units[at][column],
            whole[at][column],
            right[at][column],
            right[at][column] / whole[at][column],
        )
        for column, goal in enumerate(goals)
        for at, cell in enumerate(cells)
        if units[at][column]
    ]
    keys = ("goal", "compressor", "revision", "condition", "ratio")
    return Table((*keys, "units", "questions", "correct", "share_right"), tuple(rows))


def _highest(right: _Counts, whole: _Counts, units: _Counts) -> float:
    found = (
        (questions - correct) / count
        for rows in zip(right, whole, units, strict=True)
        for correct, questions, count in zip(*rows, strict=True)
        if count
    )
    return max(1.0, max(found, default=1.0))
