"""Rows whose verdict is hidden from a reviewer who is to decide first: one notion for the whole window.

Owns which rows these are and what stands in the place of their verdicts. Whose eyes it is for and when it
lifts is the review panel's; the session tells views when it changes.

The rule, for every view: of a hidden row nothing is said that follows from its verdict or from a decision on
it, and how many rows of its unit are right is unknown, so that it stands last in every such order. No filter
on verdicts, decisions or rationales and no bucket finds it; its place in a chart of single goals has “?”. A
fate and the answer are no verdicts and stay; what a row was answered when it was asked again is hidden with
it. Figures over many units stay whole: they are about no row. But a compaction run has so few answers that of
a method with a hidden one its view, the charts and the lists of figures tell none that follows from scores.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from gacc_gui.core.causes import VEILED, veiled_strip
from gacc_gui.core.records import Cell
from gacc_gui.core.reviewing import JudgedRow, Row
from gacc_gui.store.rows import CellChoice, QuestionRow, UnitView

_NO_ROWS: Final[Mapping[int, Row]] = {}


@dataclass(frozen=True, slots=True)
class Veil:
    """The rows of a queue by unit (the store's key) and the question's place, and those that are seen."""

    rows: Mapping[int, Mapping[int, Row]] = field(default_factory=dict)
    seen: frozenset[Row] = frozenset()
    charted: Mapping[int, tuple[str, Cell]] = field(default_factory=dict)
    """The goal and the cell of each unit."""

    def lifted(self, seen: Iterable[Row]) -> Veil:
        """Return the veil with these rows, and no others, to be seen."""
        return replace(self, seen=frozenset(seen))

    def places(self, unit: int) -> frozenset[int]:
        """Return which questions of a unit are hidden."""
        rows = self.rows.get(unit, _NO_ROWS)
        return frozenset(place for place, row in rows.items() if row not in self.seen)

    def hides(self, unit: int, question_id: str) -> bool:
        """Whether the row of a question is hidden."""
        rows = self.rows.get(unit, _NO_ROWS).values()
        return any(row[1] == question_id and row not in self.seen for row in rows)

    def hidden(self) -> dict[int, frozenset[int]]:
        """Return the units with a hidden row, and which of their questions these are."""
        return {unit: places for unit in self.rows if (places := self.places(unit))}

    def chart_places(self) -> frozenset[tuple[str, Cell]]:
        """Return the goals and cells with a hidden row."""
        return frozenset(self.charted[unit] for unit in self.hidden())

    def is_over(self, choice: CellChoice) -> bool:
        """Whether a row of these cells is hidden."""
        return any(choice.includes(cell) for _, cell in self.chart_places())

    def memories(self) -> frozenset[str]:
        """Return the ids of the memories with a hidden row."""
        hidden = (row for rows in self.rows.values() for row in rows.values() if row not in self.seen)
        return frozenset(row[0] for row in hidden)

    def over_strip(self, unit: int, strip: str) -> str:
        """Return a unit's strip, a letter a question, without the hidden ones."""
        hidden = self.places(unit)
        return veiled_strip(strip, hidden) if hidden else strip

    def over_view(self, view: UnitView) -> UnitView:
        """Return a unit without the hidden verdicts and what follows from them."""
        if not self.places(view.unit):
            return view
        rows = (self._over_row(view.unit, row) for row in view.rows)
        return replace(view, rows=tuple(rows))

    def _over_row(self, unit: int, row: QuestionRow) -> QuestionRow:
        if not self.hides(unit, row.question.id):
            return row
        return replace(row, verdict=None, cause=VEILED, flags=(), label=None, status=VEILED)


NO_VEIL: Final = Veil()


def veil_of(rows: Iterable[JudgedRow]) -> Veil:
    """Return the veil over these rows, none of them seen."""
    places: dict[int, dict[int, Row]] = defaultdict(dict)
    charted: dict[int, tuple[str, Cell]] = {}
    for row in rows:
        places[row.unit][row.place] = row.row
        charted[row.unit] = row.goal_id, row.cell
    return Veil(dict(places), charted=charted)
