"""What the goals list reads, as functions for the worker: nothing here knows a widget, or Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gacc_gui.store.rows import CellChoice, GoalRow

if TYPE_CHECKING:
    from gacc_gui.core.filters import Query
    from gacc_gui.core.records import Cell
    from gacc_gui.store.reads import Reader

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
            asked.run_id, asked.choice, query, asked.sort, asked.descending, asked.grouped
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
        rows=tuple(reader.goal_rows(units[first : first + PAGE])),
        total=total,
        cells=every_cell,
        several_cells=len(cells) > 1,
        several_revisions=len({(cell.compressor, cell.revision) for cell in cells})
        > len({cell.compressor for cell in cells}),
    )


def read_rows(units: Sequence[int], reader: Reader) -> list[GoalRow]:
    """Read some rows of the list."""
    return reader.goal_rows(units)


def find_failing(units: Sequence[int], start: int, step: int, reader: Reader) -> int | None:
    """Find the next unit that is not all-right, walking from `start` by `step`, round the list's end."""
    count = len(units)
    walked = 0
    while walked < count:
        batch = [
            units[(start + step * (walked + offset + 1)) % count]
            for offset in range(min(PAGE, count - walked))
        ]
        away = {row.unit: row.away for row in reader.goal_rows(batch)}
        for unit in batch:
            if away.get(unit):
                return unit
        walked += len(batch)
    return None
