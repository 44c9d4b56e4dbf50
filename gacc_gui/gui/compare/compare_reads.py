"""What the view of a comparison asks of the worker. Nothing here knows a widget, or Qt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gacc_gui.core.errors import BadUsage
from gacc_gui.gui.compare.offers import Chosen
from gacc_gui.gui.veil import Veil
from gacc_gui.store.rows import QuestionRow, UnitView

if TYPE_CHECKING:
    from gacc_gui.app.comparing import Comparison, Selection
    from gacc_gui.core.compared_rows import ComparedRow, ComparedRows
    from gacc_gui.core.records import Cell
    from gacc_gui.core.text_diff import TextDiff
    from gacc_gui.store.reads import Reader


@dataclass(frozen=True, slots=True)
class ReadSide:
    """A unit with the row of the compared question; the row is None where the question is no longer there."""

    view: UnitView
    row: QuestionRow | None


@dataclass(frozen=True, slots=True)
class ReadPair:
    """The two sides of a row; None for a side that has no such row."""

    a: ReadSide | None
    b: ReadSide | None


def read_comparison(a: Chosen, b: Chosen, reader: Reader) -> Comparison:
    """Compare two selections."""
    from gacc_gui.app.comparing import compare_selections

    return compare_selections(reader, _selection(a, reader), _selection(b, reader))


def read_rows(a: Selection, b: Selection, cells: tuple[Cell, Cell], reader: Reader) -> ComparedRows:
    """List the rows of a pair of cells of two selections."""
    from gacc_gui.app.comparing import compared_rows, narrowed

    return compared_rows(reader, narrowed(a, cells[0]), narrowed(b, cells[1]))


def read_pair(row: ComparedRow, reader: Reader) -> ReadPair:
    """Read both sides of a row."""
    return ReadPair(
        _read_side(row.unit_a, row.question.id, reader), _read_side(row.unit_b, row.question.id, reader)
    )


def veiled_pair(pair: ReadPair, veil: Veil) -> ReadPair:
    """Return the sides without the verdicts that are hidden from a reviewer."""
    return ReadPair(_veiled(pair.a, veil), _veiled(pair.b, veil))


@dataclass(frozen=True, slots=True)
class Bucketed:
    """Compared rows by bucket; `hidden` are the places of those that a reviewer is not to know, and theirs.

    What is hidden is in no bucket.
    """

    rows: ComparedRows | None = None
    hidden: Mapping[int, str] = field(default_factory=dict)

    def counts(self) -> Mapping[str, int]:
        """Return how many rows each bucket has."""
        counts = Counter(self.rows.counts() if self.rows is not None else {})
        counts.subtract(self.hidden.values())
        return counts

    def places(self, bucket: str) -> Sequence[int]:
        """Return the places of a bucket's rows; of all rows for no bucket."""
        from gacc_gui.core.compared_rows import ROW_BUCKETS

        places = self.rows.places([bucket] if bucket else ROW_BUCKETS) if self.rows is not None else ()
        hidden = self.hidden if bucket else ()
        return [place for place in places if place not in hidden] if hidden else places


def bucketed(rows: ComparedRows | None, veil: Veil) -> Bucketed:
    """Return rows by bucket, without those of which a side is hidden."""
    if rows is None or not veil.rows:
        return Bucketed(rows)
    found = {}
    for place in rows.of_units(veil.hidden()):
        row = rows[place]
        sides = (unit for unit in (row.unit_a, row.unit_b) if unit is not None)
        if any(veil.hides(unit, row.question.id) for unit in sides):
            found[place] = row.bucket
    return Bucketed(rows, found)


def _veiled(side: ReadSide | None, veil: Veil) -> ReadSide | None:
    if side is None or side.row is None:
        return side
    view, question_id = veil.over_view(side.view), side.row.question.id
    return ReadSide(view, next(row for row in view.rows if row.question.id == question_id))


def compare_texts(a: str, b: str, stop: Callable[[], bool], _reader: Reader) -> TextDiff:
    """Compare two memories."""
    from gacc_gui.core.text_diff import diff_texts

    return diff_texts(a, b, stop)


def _selection(chosen: Chosen, reader: Reader) -> Selection:
    from gacc_gui.app.comparing import Selection, selection_text

    for summary in reader.runs():
        if summary.run.id == chosen.run_id:
            text = selection_text(chosen.run_id, chosen.selector)
            return Selection(summary.run, chosen.selector, summary.identity_verified, text)
    raise BadUsage(f"there is no run {chosen.run_id!r} in this database")


def _read_side(unit: int | None, question_id: str, reader: Reader) -> ReadSide | None:
    if unit is None:
        return None
    view = reader.unit_view(unit)
    return ReadSide(view, next((row for row in view.rows if row.question.id == question_id), None))
