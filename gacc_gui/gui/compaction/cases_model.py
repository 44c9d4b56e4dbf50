"""The cases of a run as a table model: question and type, and per method its answers and how many are right.

Owns order, filter and wording. All rows are at hand: a run has some hundred. Not owned: how a method's cells
are painted and walked (`cases_table`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gacc_gui.app.compaction_views import CaseRow, Overview
from gacc_gui.core.causes import VEIL
from gacc_gui.core.natural import natural_key
from gacc_gui.gui.compaction.case_filter import Term, chosen
from gacc_gui.gui.compaction.words import cause_words, place_words
from gacc_gui.gui.lists.plain import cell_text, tooltip

Index = QModelIndex | QPersistentModelIndex
_TOP: Final = QModelIndex()

NUMBER: Final = 0
QUESTION: Final = 1
TYPE: Final = 2
METHODS: Final = 3
"""The first column of methods."""
_TITLES: Final = ("#", "Question", "Type")
_HINTS: Final = ("The case's place in the run", "What is asked", "bridge or comparison")


class CasesModel(QAbstractTableModel):
    """A case a row."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._overview: Overview | None = None
        self._rows: list[CaseRow] = []
        self._terms: tuple[Term, ...] = ()
        self._order: tuple[int, bool] = (NUMBER, False)

    def show_overview(self, overview: Overview | None) -> None:
        """Show a run's cases; order and filter stay."""
        self.beginResetModel()
        self._overview = overview
        if overview is not None and self._order[0] >= METHODS + len(overview.planned.methods):
            self._order = (NUMBER, False)
        self._arrange()
        self.endResetModel()

    def show_filtered(self, terms: tuple[Term, ...]) -> None:
        """Show only the cases that a filter lets through."""
        if terms != self._terms:
            self.beginResetModel()
            self._terms = terms
            self._arrange()
            self.endResetModel()

    def show_ordered(self, column: int, descending: bool) -> None:
        """Order the cases by a column; equal ones stay in the run's order."""
        self.beginResetModel()
        self._order = (column, descending)
        self._arrange()
        self.endResetModel()

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods in the order of their columns."""
        return self._overview.planned.methods if self._overview is not None else ()

    @property
    def grid(self) -> tuple[int, int]:
        """Generations and answers a generation: the rows and columns of a method's cells."""
        planned = self._overview.planned if self._overview is not None else None
        return (planned.generations, planned.repeats) if planned is not None else (0, 0)

    @property
    def rows(self) -> Sequence[CaseRow]:
        """The cases in the table's order."""
        return self._rows

    @property
    def total(self) -> int:
        """All cases, filtered or not."""
        return len(self._overview.cases) if self._overview is not None else 0

    @property
    def order(self) -> tuple[int, bool]:
        """The column that the table is ordered by, and whether downwards."""
        return self._order

    def case(self, row: int) -> CaseRow | None:
        """The case of a row."""
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def row_of(self, case_id: str | None) -> int:
        """The row of a case, or -1."""
        return next((row for row, case in enumerate(self._rows) if case.id == case_id), -1)

    def method_of(self, column: int) -> str | None:
        """The method of a column; None for another column."""
        place = column - METHODS
        return self.methods[place] if 0 <= place < len(self.methods) else None

    def _arrange(self) -> None:
        cases = self._overview.cases if self._overview is not None else ()
        self._rows = chosen(cases, self._terms)
        column, descending = self._order
        method = self.method_of(column)
        if column == QUESTION:
            self._rows.sort(key=lambda case: natural_key(case.question), reverse=descending)
        elif column == TYPE:
            self._rows.sort(key=lambda case: case.kind, reverse=descending)
        elif method is not None:
            # What is hidden stands last in both directions.
            known = [case for case in self._rows if not case.hides(method)]
            known.sort(key=lambda case: case.right(method), reverse=descending)
            self._rows = known + [case for case in self._rows if case.hides(method)]
        elif descending:
            self._rows.reverse()

    # --- Qt ----------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = _TOP) -> int:
        """Rows of the table; none below a row."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _TOP) -> int:
        """Columns of the table; none below a row."""
        return 0 if parent.isValid() else METHODS + len(self.methods)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A cell in a role; never raises."""
        case = self.case(index.row()) if index.isValid() else None
        if case is None:
            return None
        try:
            if role == Qt.ItemDataRole.DisplayRole:
                return self._text(case, index.column())
            if role == Qt.ItemDataRole.ToolTipRole:
                return tooltip(self._hint(case, index.column()))
            if role == Qt.ItemDataRole.AccessibleTextRole:
                return self._hint(case, index.column())
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT if index.column() == NUMBER else _LEFT
        except Exception as error:
            return f"{type(error).__name__}: {error}" if role == Qt.ItemDataRole.DisplayRole else None
        return None

    def _text(self, case: CaseRow, column: int) -> str:
        method = self.method_of(column)
        if method is not None:
            right = VEIL if case.hides(method) else case.right(method)
            return f"{right}/{len(case.cells[method])}"
        return (str(case.number), cell_text(case.question), cell_text(case.kind, 40))[column]

    def _hint(self, case: CaseRow, column: int) -> str:
        method = self.method_of(column)
        if method is not None:
            cells = case.cells[method]
            told = [f"{place_words(cell.generation, cell.repeat)}: {cause_words(cell)}" for cell in cells]
            right = VEIL if case.hides(method) else case.right(method)
            return "\n".join((f"{method}: {right} of {len(cells)} right (EM)", *told))
        level = f" · {case.level}" if case.level else ""
        gold = " / ".join(case.references)
        return f"{case.question}\n\nGold: {gold}\n{case.kind}{level} · {case.id}"

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """A column's title, hint and alignment."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < self.columnCount():
            return None
        method = self.method_of(section)
        if role == Qt.ItemDataRole.DisplayRole:
            return method if method is not None else _TITLES[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            if method is None:
                return _HINTS[section]
            return tooltip(f"{method}\nA row of squares a generation, a square an answer; right of all (EM)")
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section == NUMBER else _LEFT
        return None


_LEFT: Final = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT: Final = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
