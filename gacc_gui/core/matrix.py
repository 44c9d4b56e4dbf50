"""A goal's questions over all cells of a run: which letter stands where, and where a question flips.

Owns the order of columns, the flips between neighbouring ratios and the summing of repeats. Reading is the
store's, painting the window's. The law of a series is `flips`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from gacc_gui.core.causes import CORRECT, LETTERS, NO_VERDICT, VEIL
from gacc_gui.core.cell_order import cell_order
from gacc_gui.core.records import Cell

_RIGHT = LETTERS[CORRECT]
_SILENT = LETTERS[NO_VERDICT]

Turn = Literal["gained", "lost"]


@dataclass(frozen=True, slots=True)
class MatrixUnit:
    """One evaluated unit of the goal: its cell, and its strip, a letter a question."""

    unit: int
    cell: Cell
    generation: int
    repeat: int
    budget: int | None
    strip: str


@dataclass(frozen=True, slots=True)
class MatrixQuestion:
    """A row's question."""

    question_id: str
    text: str


@dataclass(frozen=True, slots=True)
class MatrixPlace:
    """A question in a column. `letters`: of each unit summed there; `turn`: against smaller ratios."""

    letters: str
    turn: Turn | None

    @property
    def letter(self) -> str | None:
        """The letter, where all agree; that of a hidden one hides the others."""
        if VEIL in self.letters:
            return VEIL
        return self.letters[0] if self.letters and len(set(self.letters)) == 1 else None

    @property
    def right(self) -> int:
        """How many are right, of those that are not hidden."""
        return self.letters.count(_RIGHT)

    @property
    def hidden(self) -> int:
        """How many are hidden: nothing is known of them."""
        return self.letters.count(VEIL)


@dataclass(frozen=True, slots=True)
class MatrixColumn:
    """The units of a column: one, or all generations and repeats of a cell."""

    cell: Cell
    units: tuple[MatrixUnit, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """All of a goal. `places[row][column]`; `told_apart`: whether some cell has several units."""

    goal_id: str
    goal_text: str
    questions: tuple[MatrixQuestion, ...]
    columns: tuple[MatrixColumn, ...]
    places: tuple[tuple[MatrixPlace, ...], ...]
    has_repeats: bool
    compared: int
    """Places that have a known verdict at a smaller ratio of their series: without any, none can turn."""

    @property
    def hidden(self) -> int:
        """How many rows, of all units, are hidden."""
        return sum(place.hidden for places in self.places for place in places)

    def turns(self, row: int) -> tuple[int, int]:
        """In how many columns a question is gained, and lost, against the next smaller ratios."""
        found = [place.turn for place in self.places[row]]
        return found.count("gained"), found.count("lost")


def goal_matrix(
    goal_id: str,
    goal_text: str,
    questions: Sequence[MatrixQuestion],
    units: Iterable[MatrixUnit],
    *,
    together: bool = False,
) -> Matrix:
    """Return the matrix of a goal: columns by compressor, revision, condition, ratio, generation, repeat.

    `together` sums the generations and repeats of a cell into one column. A question turns where its last
    known verdict at a smaller ratio of the same series differs; a summed one where all units of both columns
    agree. Rows without a verdict neither turn nor count as known; nor does a place with a hidden row.
    """
    ordered = sorted(units, key=_order)
    by_cell: dict[Cell, list[MatrixUnit]] = {}
    for unit in ordered:
        by_cell.setdefault(unit.cell, []).append(unit)
    has_repeats = any(len(members) > 1 for members in by_cell.values())
    columns = (
        [MatrixColumn(cell, tuple(members)) for cell, members in by_cell.items()]
        if together
        else [MatrixColumn(unit.cell, (unit,)) for unit in ordered]
    )
    rows = [_row(row, columns, together) for row in range(len(questions))]
    return Matrix(
        goal_id,
        goal_text,
        tuple(questions),
        tuple(columns),
        tuple(places for places, _ in rows),
        has_repeats,
        sum(compared for _, compared in rows),
    )


def _order(unit: MatrixUnit) -> tuple[object, ...]:
    return *cell_order(unit.cell), unit.generation, unit.repeat, unit.unit


def _row(row: int, columns: Sequence[MatrixColumn], together: bool) -> tuple[tuple[MatrixPlace, ...], int]:
    """Return a row's places, and how many of them are compared with a smaller ratio."""
    known: dict[tuple[object, ...], tuple[float, bool | None, bool | None]] = {}
    places = []
    compared = 0
    for column in columns:
        letters = "".join(unit.strip[row] for unit in column.units if row < len(unit.strip))
        first, ratio = column.units[0], float(column.cell.ratio)
        series: tuple[object, ...] = (column.cell.compressor, column.cell.revision, column.cell.condition)
        if not together:
            series += (first.generation, first.repeat)
        now = _state(letters)
        at, before, here = known.get(series, (ratio, None, None))
        if ratio > at:
            before, here = here if here is not None else before, None
        turn: Turn | None = None
        compared += now is not None and before is not None
        if now is not None and before is not None and now != before:
            turn = "gained" if now else "lost"
        known[series] = (ratio, before, now if now is not None else here)
        places.append(MatrixPlace(letters, turn))
    return tuple(places), compared


def _state(letters: str) -> bool | None:
    """Whether all are right, or all wrong; None where they differ, nothing is known or something hidden."""
    if VEIL in letters:
        return None
    states = {letter == _RIGHT for letter in letters if letter != _SILENT}
    return states.pop() if len(states) == 1 else None
