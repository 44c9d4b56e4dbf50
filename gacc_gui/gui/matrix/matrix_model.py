"""The matrix as a table model: a row a question, a column a cell (or unit), and first how often it turns.

Owns words and roles. Which letters stand where is `core.matrix`.
"""

from __future__ import annotations

from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gacc_gui.core.matrix import Matrix, MatrixColumn, MatrixPlace
from gacc_gui.core.records import Cell
from gacc_gui.core.reviewing import ReviewedRow
from gacc_gui.core.terms import GOALS, Terms
from gacc_gui.gui.lists.plain import cell_text, tooltip
from gacc_gui.gui.lists.signs import NO_SIGNS, Signs, decided_words
from gacc_gui.gui.lists.words import CAUSE_OF_LETTER, NO_ROOM, cause_name, sentences_of

Index = QModelIndex | QPersistentModelIndex
PLACE: Final = Qt.ItemDataRole.UserRole
"""The MatrixPlace of a cell."""
DECIDED: Final = Qt.ItemDataRole.UserRole + 1
"""Whether a person made another row of it than the judge; None where nobody decided on it."""
_NAME: Final = 32
"""Code points of a name in a sentence: what the sentence is about must stand in its line, too."""
_ALIGNED: Final = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class MatrixModel(QAbstractTableModel):
    """Column 0 counts the turns; the matrix's columns follow."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._matrix: Matrix | None = None
        self._varying: tuple[bool, bool] = (False, False)
        self._signs = NO_SIGNS

    @property
    def matrix(self) -> Matrix | None:
        """What is shown."""
        return self._matrix

    @property
    def terms(self) -> Terms:
        """What things are called in it."""
        return self._signs.terms

    def show_matrix(self, matrix: Matrix | None, signs: Signs = NO_SIGNS) -> None:
        """Show another matrix, and the decisions of people on its places."""
        self.beginResetModel()
        self._matrix = matrix
        self._signs = signs
        self._varying = _varying(matrix)
        self.endResetModel()

    def unit_title(self) -> str:
        """What the line that tells the units of one cell apart is called; empty where all are single."""
        if self._matrix is None or not self._matrix.has_repeats:
            return ""
        if any(len(column.units) > 1 for column in self._matrix.columns):
            return f"{self.terms.unit.capitalize()}s" if self.terms.one_question else "Units"
        repeat = self.terms.repeat
        titles = {(True, False): "Generation", (False, True): repeat.capitalize()}
        return titles.get(self._varying, f"Gen. {repeat}")

    def unit_words(self, column: MatrixColumn) -> str:
        """What tells a column from others of its cell: generation, repeat or both; or how many are summed."""
        if self._matrix is None or not self._matrix.has_repeats:
            return ""
        if self.unit_title() == "Units":
            return f"×{len(column.units)}"
        first = column.units[0]
        generation, repeat = f"g{first.generation}", f"{self.terms.repeat[:1]}{first.repeat}"
        words = {(True, False): generation, (False, True): repeat}
        return words.get(self._varying, f"{generation} {repeat}")

    def column_of(self, index: Index) -> MatrixColumn | None:
        """The column of an index; None for that of the turns."""
        if self._matrix is None or not index.isValid() or index.column() == 0:
            return None
        return self._matrix.columns[index.column() - 1]

    def place_of(self, index: Index) -> MatrixPlace | None:
        """The place of an index."""
        if self._matrix is None or not index.isValid() or index.column() == 0:
            return None
        return self._matrix.places[index.row()][index.column() - 1]

    def words(self, index: Index) -> str:
        """One sentence about a place."""
        column, place = self.column_of(index), self.place_of(index)
        if self._matrix is None or column is None or place is None:
            return ""
        question = self._matrix.questions[index.row()]
        question_id = cell_text(question.question_id, _NAME)
        head = column_words(column, self.terms)
        head += "" if self.terms.one_question else f" · question {index.row() + 1}, {question_id}"
        if place.letter is None:
            state = f"{place.right} of {len(place.letters)} right"
        else:
            cause = CAUSE_OF_LETTER.get(place.letter, "item")
            # Evidence that was never proposed counts as cut off where there was no room at all.
            no_room = cause == "truncation" and all(unit.budget == 0 for unit in column.units)
            state = f"{cause_name(cause)}. {NO_ROOM if no_room else sentences_of(self.terms).get(cause, '')}"
        turn = {
            "gained": " Right here, wrong at the smaller budget before.",
            "lost": " Wrong here, right at the smaller budget before: not monotone.",
            None: "",
        }[place.turn]
        decided = "".join(f" {words[:1].upper()}{words[1:]}." for words in self._decided(index))
        return f"{head}: {state}{turn}{decided}"

    def _reviewed(self, index: Index) -> list[ReviewedRow]:
        column = self.column_of(index)
        found = (self._signs.of(unit.unit, index.row()) for unit in column.units) if column else ()
        return [row for row in found if row is not None]

    def _decided(self, index: Index) -> list[str]:
        return [decided_words(row, self.terms) for row in self._reviewed(index)]

    def _mark(self, index: Index) -> bool | None:
        reviewed = self._reviewed(index)
        return any(row.differs for row in reviewed) if reviewed else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Questions."""
        return 0 if parent.isValid() or self._matrix is None else len(self._matrix.questions)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Cells, and the turns before them."""
        return 0 if parent.isValid() or self._matrix is None else len(self._matrix.columns) + 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows."""
        if self._matrix is None or not index.isValid():
            return None
        if index.column() == 0:
            return self._turns(index.row(), role)
        place = self.place_of(index)
        if place is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return place.letter or f"{place.right}/{len(place.letters)}"
            case Qt.ItemDataRole.ToolTipRole:
                return tooltip(self.words(index))
            case Qt.ItemDataRole.AccessibleTextRole:
                return self.words(index)
            case _ if role == DECIDED:
                return self._mark(index)
        return place if role == PLACE else None

    def _turns(self, row: int, role: int) -> Any:
        assert self._matrix is not None
        gained, lost = self._matrix.turns(row)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return "  ".join(
                    part for part in (f"▲{gained}" if gained else "", f"▼{lost}" if lost else "") if part
                )
            case Qt.ItemDataRole.ToolTipRole:
                return tooltip(
                    f"Gained at {gained} steps of the budget, lost at {lost}"
                    + (": not monotone" if lost else ": monotone" if gained else "")
                )
            case Qt.ItemDataRole.TextAlignmentRole:
                return int(_ALIGNED)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Questions at the left, ratios above; what spans several columns is the header view's."""
        if self._matrix is None:
            return None
        if orientation == Qt.Orientation.Vertical:
            if not 0 <= section < len(self._matrix.questions):
                return None
            question = self._matrix.questions[section]
            match role:
                case Qt.ItemDataRole.DisplayRole:
                    return f"{section + 1}  {cell_text(question.text)}"
                case Qt.ItemDataRole.ToolTipRole:
                    return tooltip(f"{question.question_id}: {question.text}")
                case Qt.ItemDataRole.TextAlignmentRole:
                    return int(_ALIGNED)
            return None
        if section == 0:
            return "Turns" if role == Qt.ItemDataRole.DisplayRole else None
        if not 0 <= section - 1 < len(self._matrix.columns):
            return None
        column = self._matrix.columns[section - 1]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.cell.ratio
            case Qt.ItemDataRole.ToolTipRole:
                return tooltip(column_words(column, self.terms))
        return None


def column_words(column: MatrixColumn, terms: Terms = GOALS) -> str:
    """Put a column in one line."""
    cell, first = column.cell, column.units[0]
    name = f"{cell_text(cell.compressor, _NAME)} {cell_text(cell.revision, _NAME)}".strip()
    words = f"{name} · {cell_text(cell.condition, _NAME)} · {cell.ratio}" if terms.by_budget else name
    if len(column.units) > 1:
        return f"{words} · {len(column.units)} {'answers' if terms.one_question else 'units'}"
    budget = f" · budget {first.budget:,}" if first.budget is not None else ""
    return f"{words} · generation {first.generation} · {terms.repeat} {first.repeat}{budget}"


def _varying(matrix: Matrix | None) -> tuple[bool, bool]:
    """Return whether a cell has several generations, and several repeats."""
    found: dict[Cell, tuple[set[int], set[int]]] = {}
    for column in matrix.columns if matrix is not None else ():
        generations, repeats = found.setdefault(column.cell, (set(), set()))
        generations.update(unit.generation for unit in column.units)
        repeats.update(unit.repeat for unit in column.units)
    return (
        any(len(generations) > 1 for generations, _ in found.values()),
        any(len(repeats) > 1 for _, repeats in found.values()),
    )
