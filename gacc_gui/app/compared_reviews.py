"""A comparison's figures as reviewed, beside those as judged.

Owns which rows reviewers have decided on and what the figures are with their labels. What stands of a row's
reviews is `app.reviewing`'s, the figures `core.comparison`'s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gacc_gui.core.comparison import CellComparison, compare_tallies, tally_cells
from gacc_gui.core.pairing import Pairer
from gacc_gui.core.records import Cell
from gacc_gui.core.sides import MARK_OF_LABEL, UNLABELLED, Side

if TYPE_CHECKING:
    from gacc_gui.core.reviewing import ReviewedRow
    from gacc_gui.store.reads import Reader


@dataclass(frozen=True, slots=True)
class ReviewedCells:
    """The figures of a pair of cells as reviewed, and on how many of its rows reviewers have decided."""

    decided: int
    figures: CellComparison


def reviewed_cells(
    reader: Reader,
    runs: tuple[str, str],
    a: Side,
    b: Side,
    pairs: Sequence[tuple[Cell, Cell]],
    by_case: bool,
) -> tuple[ReviewedCells | None, ...]:
    """Return the figures as reviewed of each pair of cells; None where nobody has decided on a row of it.

    `a` and `b` are sides of these runs, as judged; `by_case`: see `tally_cells`. Raises StoreError.
    """
    decided_a, decided_b = _decided(reader, runs[0], a), _decided(reader, runs[1], b)
    places = [n for n, (of_a, of_b) in enumerate(pairs) if of_a in decided_a or of_b in decided_b]
    found: list[ReviewedCells | None] = [None] * len(pairs)
    if not places:
        return tuple(found)
    pairer = Pairer(_with_labels(a, decided_a), _with_labels(b, decided_b))
    figures = compare_tallies([tally_cells(pairer.pair(*pairs[place]), by_case=by_case) for place in places])
    for place, cells in zip(places, figures, strict=True):
        rows = {(runs[0], one.judged.row) for one in decided_a.get(cells.a, ())}
        rows |= {(runs[1], one.judged.row) for one in decided_b.get(cells.b, ())}
        found[place] = ReviewedCells(len(rows), cells)
    return tuple(found)


def _decided(reader: Reader, run_id: str, side: Side) -> dict[Cell, list[ReviewedRow]]:
    """Return the reviewed rows of a side by their cells."""
    from gacc_gui.app.reviewing import reviewed_of

    rows = reviewed_of(reader, run_id).rows
    units = {unit.unit for unit in side.units} if rows else set()
    found: dict[Cell, list[ReviewedRow]] = {}
    for row in rows:
        if row.judged.unit in units:
            found.setdefault(row.judged.cell, []).append(row)
    return found


def _with_labels(side: Side, decided: Mapping[Cell, Sequence[ReviewedRow]]) -> Side:
    """Return a side with the labels that reviewers gave."""
    places = {question.id: question.place for question in side.questions}
    marks: dict[int, dict[int, str]] = {}
    for row in (one for rows in decided.values() for one in rows):
        place = places.get(row.judged.row[1])
        if place is not None:
            marks.setdefault(row.judged.unit, {})[place] = MARK_OF_LABEL.get(row.label, UNLABELLED)
    return replace(side, units=side.units.marked(marks))
