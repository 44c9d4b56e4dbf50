"""What the goals list reads, as functions for the worker: nothing here knows a widget, or Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from gacc_gui.store.rows import CellChoice, GoalRow

if TYPE_CHECKING:
    from gacc_gui.core.filters import Query
    from gacc_gui.core.records import Cell
    from gacc_gui.core.reviewing import ReviewedRow
    from gacc_gui.store.reads import Reader
    from gacc_gui.store.rows import Decided

PAGE: Final = 128
"""Rows that are read together."""
FIRST_SORT: Final = "away"
"""The order a list begins with."""


def holds(choice: CellChoice, cell: Cell) -> bool:
    """Whether a cell is among the chosen ones."""
    return all(
        (wanted := getattr(choice, name)) is None or getattr(cell, name) == wanted
        for name in ("compressor", "revision", "condition", "ratio")
    )


@dataclass(frozen=True, slots=True)
class AskedList:
    """What a list is of, and in which order."""

    run_id: str
    choice: CellChoice
    query: Query
    sort: str
    descending: bool
    grouped: bool
    unit: int | None
    total: int | None
    decided: Decided | None = None
    """What reviewers decided, where the filter asks for it or the list counts by it, and what is hidden."""


@dataclass(frozen=True, slots=True)
class ReadList:
    """A list as it was read, with the rows around the chosen unit. `total` counts without the filter."""

    units: Sequence[int]
    rows: tuple[GoalRow, ...]
    total: int
    cells: tuple[Cell, ...]
    """All cells of the run."""
    several_cells: bool
    """Whether several of them are chosen."""
    several_revisions: bool


def read_list(asked: AskedList, reader: Reader) -> ReadList:
    """Read the list that is asked for, with the rows around its chosen unit."""
    from gacc_gui.core.filters import parse

    def units_of(query: Query) -> Sequence[int]:
        return reader.goal_units(
            asked.run_id,
            asked.choice,
            query,
            asked.sort,
            asked.descending,
            asked.grouped,
            asked.decided,
        )

    units = units_of(asked.query)
    if not asked.query.terms:
        total = len(units)
    else:
        total = asked.total if asked.total is not None else len(units_of(parse("")))
    try:
        place = units.index(asked.unit) if asked.unit is not None else 0
    except ValueError:
        place = 0
    first = max(0, place - PAGE // 2)
    every_cell = tuple(reader.cells(asked.run_id))
    cells = [cell for cell in every_cell if holds(asked.choice, cell)]
    return ReadList(
        units=units,
        rows=tuple(read_rows(units[first : first + PAGE], asked.decided, reader)),
        total=total,
        cells=every_cell,
        several_cells=len(cells) > 1,
        several_revisions=len({(cell.compressor, cell.revision) for cell in cells})
        > len({cell.compressor for cell in cells}),
    )


def read_rows(units: Sequence[int], decided: Decided | None, reader: Reader) -> list[GoalRow]:
    """Read some rows of the list, as judged or as reviewed, without what is hidden.

    What is hidden is neither right nor away.
    """
    rows = reader.goal_rows(units)
    if decided is None or not (decided.counts or decided.hidden):
        return rows
    from gacc_gui.core.reviewing import by_unit

    by_units = by_unit(decided.rows) if decided.counts else {}
    altered = {*by_units, *decided.hidden}
    return [
        _as_seen(row, by_units.get(row.unit, ()), decided.hidden.get(row.unit, frozenset()))
        if row.unit in altered
        else row
        for row in rows
    ]


def _as_seen(row: GoalRow, reviewed: Sequence[ReviewedRow], hidden: frozenset[int]) -> GoalRow:
    from gacc_gui.core.causes import CORRECT, LETTERS, veiled_strip
    from gacc_gui.core.reviewing import strip_with

    strip = veiled_strip(strip_with(row.strip, reviewed), hidden)
    correct = strip.count(LETTERS[CORRECT])
    return replace(row, strip=strip, correct=correct, away=row.questions - len(hidden) - correct)


def find_failing(
    units: Sequence[int], start: int, step: int, decided: Decided | None, reader: Reader
) -> int | None:
    """Find the next unit that is not all-right, walking from `start` by `step`, round the list's end."""
    count = len(units)
    walked = 0
    while walked < count:
        batch = [
            units[(start + step * (walked + offset + 1)) % count]
            for offset in range(min(PAGE, count - walked))
        ]
        away = {row.unit: row.away for row in read_rows(batch, decided, reader)}
        for unit in batch:
            if away.get(unit):
                return unit
        walked += len(batch)
    return None
