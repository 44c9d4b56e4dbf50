"""The rows of a pair of cells as a table model. They are at hand whole: nothing is read while painting."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gacc_gui.core.causes import VEIL, VEILED
from gacc_gui.core.compared_rows import ComparedRow, ComparedRows
from gacc_gui.core.terms import GOALS, Terms
from gacc_gui.gui.compare.words import BUCKET_MARKS, BUCKET_TITLES, bucket_hint
from gacc_gui.gui.lists.plain import cell_text, tooltip
from gacc_gui.gui.lists.words import CAUSE_OF_LETTER, cause_name, joined, sentences_of
from gacc_gui.gui.veil import NO_VEIL, Veil

Index = QModelIndex | QPersistentModelIndex
_TOP: Final = QModelIndex()


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the list."""

    key: str
    title: str
    hint: str


COLUMNS: Final = (
    Column("bucket", "A → B", "What became of the row"),
    Column("question", "Question", "What was asked"),
    Column("a", "A", "Why the row failed in A, or ✓"),
    Column("b", "B", "Why the row failed in B, or ✓"),
    Column("repeat", "Repeat", "Generation and {0.repeat}, where there are several"),
)
PLACES: Final = {column.key: place for place, column in enumerate(COLUMNS)}


class PairsModel(QAbstractTableModel):
    """A compared row a line; those of some buckets, in the order of the questions."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: ComparedRows | None = None
        self._places: Sequence[int] = array("q")
        self._veil = NO_VEIL
        self._terms = GOALS

    def show_terms(self, terms: Terms) -> None:
        """Use the words of a benchmark, from the next rows on."""
        self._terms = terms

    def show_veil(self, veil: Veil) -> None:
        """Hide what a reviewer is not to see."""
        self._veil = veil
        if self._places:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._places) - 1, len(COLUMNS) - 1))

    def show_rows(self, rows: ComparedRows | None, places: Sequence[int]) -> None:
        """Show the rows at these places."""
        self.beginResetModel()
        self._rows, self._places = rows, places
        self.endResetModel()

    def row_at(self, line: int) -> ComparedRow | None:
        """The row on a line of the list."""
        if self._rows is None or not 0 <= line < len(self._places):
            return None
        return self._rows[self._places[line]]

    def place_at(self, line: int) -> int:
        """The place of a line's row among all rows; -1 without one."""
        return self._places[line] if 0 <= line < len(self._places) else -1

    def line_of(self, place: int) -> int:
        """The line of the row at a place among all rows; -1 where it is not listed."""
        try:
            return self._places.index(place)
        except ValueError:
            return -1

    @property
    def has_repeats(self) -> bool:
        """Whether rows differ in generation or repeat, as far as the first ones show."""
        rows = [row for line in range(min(500, len(self._places))) if (row := self.row_at(line))]
        return any(row.generation or row.repeat for row in rows)

    def text_at(self, row: ComparedRow, key: str) -> str:
        """The text of a row's cell; causes are told by their names."""
        match key:
            case "bucket":
                return VEIL if self._hides(row, "a") or self._hides(row, "b") else BUCKET_MARKS[row.bucket]
            case "question":
                return cell_text(row.question.texts[2])
            case "a" | "b":
                if self._hides(row, key):
                    return VEILED
                letter = row.cause_a if key == "a" else row.cause_b
                return CAUSE_OF_LETTER.get(letter, letter) if letter else ""
            case _:
                repeat = f"{self._terms.short_repeat} {row.repeat}"
                return joined((f"gen {row.generation}" if row.generation else "", repeat))

    def _hides(self, row: ComparedRow, side: str) -> bool:
        unit = row.unit_a if side == "a" else row.unit_b
        return unit is not None and self._veil.hides(unit, row.question.id)

    def _spoken(self, row: ComparedRow, key: str) -> str:
        if key in ("a", "b", "bucket") and self.text_at(row, key) in (VEIL, VEILED):
            return sentences_of(self._terms)[VEILED]
        if key == "bucket":
            hint = bucket_hint(row.bucket, self._terms)
            return f"{BUCKET_TITLES[row.bucket]}: {hint[:1].lower()}{hint[1:]}"
        return cause_name(self.text_at(row, key)) if key in "ab" else self.text_at(row, key)

    def _hint(self, row: ComparedRow, key: str) -> str:
        if key == "question":
            context, goal = row.question.context_id, row.question.texts[1]
            if self._terms.one_question:
                return f"{row.question.texts[2]}\n\ncase {context}"
            return f"{row.question.texts[2]}\n\nquestion {row.question.id}, context {context}\ngoal: {goal}"
        return self._spoken(row, key)

    # --- Qt ----------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = _TOP) -> int:
        """Lines of the list; none below a line."""
        return 0 if parent.isValid() else len(self._places)

    def columnCount(self, parent: Index = _TOP) -> int:
        """Columns of the list; none below a line."""
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A cell in a role; never raises."""
        tells = {
            Qt.ItemDataRole.DisplayRole: self.text_at,
            Qt.ItemDataRole.ToolTipRole: self._hint,
            Qt.ItemDataRole.AccessibleTextRole: self._spoken,
        }
        tell = tells.get(Qt.ItemDataRole(role)) if role in tells else None
        if tell is None or not index.isValid():
            return None
        # An exception here would repeat for every cell painted: it is shown instead.
        try:
            row = self.row_at(index.row())
            if row is None:
                return None
            text = tell(row, COLUMNS[index.column()].key)
            return tooltip(text) if role == Qt.ItemDataRole.ToolTipRole else text
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """A column's title and hint."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(COLUMNS):
            return None
        column = COLUMNS[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title if column.key != "repeat" else self._terms.repeat.capitalize()
        return column.hint.format(self._terms) if role == Qt.ItemDataRole.ToolTipRole else None
