"""The two sides of a comparison: the questions of a selection, and how each row of its units came out.

Owns these shapes. Where they come from is the store's, what is paired with what `core.pairing`.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from gacc_gui.core.records import Cell
from gacc_gui.core.selector import Selector

RIGHT: Final = "r"
WRONG: Final = "w"
UNLABELLED: Final = "-"
MARKS: Final = (RIGHT, WRONG, UNLABELLED)
"""How a row stands, one character each."""
MARK_OF_LABEL: Final[Mapping[str | None, str]] = {"correct": RIGHT, "incorrect": WRONG, None: UNLABELLED}
"""By the label that counts."""


class SideQuestion(NamedTuple):
    """A question of one side. `texts` is what must be equal; `place` that of its row in the goal's units."""

    id: str
    goal: int
    place: int
    context_id: str
    texts: tuple[str, ...]


class SideUnit(NamedTuple):
    """One goal under one memory and one repeat. `marks` has a character of MARKS per question of the goal.

    `causes` has the letter of its cause (`core.causes.LETTERS`) for each.
    """

    unit: int
    cell: Cell
    goal: int
    generation: int
    repeat: int
    shown_goal_id: str
    memory_id: str
    budget: int | None
    marks: str
    causes: str = ""


class UnitTable:
    """The units of a side, in columns. A unit is made when it is asked for.

    60,000 objects at a time would have to be gone through by the garbage collection, which keeps the window
    waiting (measured 2026-11: 50 to 90 ms); those of one cell are soon gone.
    """

    def __init__(self, columns: Sequence[Sequence[Any]]) -> None:
        """`columns` are those of SideUnit, in its order."""
        self._columns = columns
        _, self._cells, self._goals, *_, self._marks, _ = columns

    @classmethod
    def of(cls, units: Iterable[SideUnit]) -> UnitTable:
        """Make the table of some units."""
        return cls(list(zip(*units, strict=True)) or [()] * len(SideUnit._fields))

    def __len__(self) -> int:
        return len(self._goals)

    def __iter__(self) -> Iterator[SideUnit]:
        return map(SideUnit, *self._columns)

    @cached_property
    def rows(self) -> int:
        """How many rows the units have together."""
        return sum(map(len, self._marks))

    @cached_property
    def units_of_goals(self) -> Mapping[int, int]:
        """How many units each goal has, of those that have any."""
        return Counter(self._goals)

    def marked(self, marks: Mapping[int, Mapping[int, str]]) -> UnitTable:
        """Return the table with other marks: by unit and the row's place in it."""
        columns = list(self._columns)
        changed = list(self._marks)
        for place, unit in enumerate(columns[0]):
            if unit in marks:
                row = list(changed[place])
                for at, mark in marks[unit].items():
                    row[at] = mark
                changed[place] = "".join(row)
        columns[-2] = changed
        return UnitTable(columns)

    def of_cell(self, cell: Cell) -> Iterator[SideUnit]:
        """Yield the units of a cell, in order."""
        places = self._places.get(cell, ())
        yield from map(SideUnit, *[[column[place] for place in places] for column in self._columns])

    @cached_property
    def _places(self) -> Mapping[Cell, array[int]]:
        # By identity, and equal ones together at the end: to compare cells 60,000 times takes its time.
        by_identity: dict[int, array[int]] = {}
        cells: dict[int, Cell] = {}
        for place, cell in enumerate(self._cells):
            key = id(cell)
            if key not in cells:
                cells[key] = cell
                by_identity[key] = array("q")
            by_identity[key].append(place)
        places: dict[Cell, array[int]] = {}
        for key, cell in cells.items():
            places[cell] = array("q", sorted([*places.get(cell, ()), *by_identity[key]]))
        return places


@dataclass(frozen=True, slots=True)
class Side:
    """What a selection holds."""

    selector: Selector
    questions: Sequence[SideQuestion]
    cells: Sequence[Cell]
    units: UnitTable
