"""The cases with a filter above and what the letters mean below.

Owns the filter's line, the count of cases, and the order that a click on a heading gives.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from gacc_gui.app.compaction_views import Overview
from gacc_gui.gui.compaction.case_filter import parse
from gacc_gui.gui.compaction.cases_model import METHODS, CasesModel
from gacc_gui.gui.compaction.cases_table import CasesTable, Chosen
from gacc_gui.gui.compaction.legend import Legend
from gacc_gui.gui.lists.plain import tooltip
from gacc_gui.gui.lists.words import counted
from gacc_gui.gui.theme import GRID, HALF

FILTER_HINT: Final = "Filter: words, type:bridge, cause:dropped, jev:wrong, -full:right …"

FILTER_TOLD: Final = """Words are looked for in questions, gold answers and ids.
type:bridge   type:comparison
cause:dropped   any method has such an answer
jev:wrong   this method has one
right, wrong, dropped, lost, missed, form, failed
-jev:right   a minus turns a term round"""


class CasesList(QWidget):
    """No signals of its own: those of `table` tell what is chosen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = CasesModel(self)
        self.table = CasesTable(self.model, self)
        self.filter = QLineEdit(self)
        self.filter.setObjectName("compactionFilter")
        self.filter.setAccessibleName("Filter cases")
        self.filter.setPlaceholderText(FILTER_HINT)
        self.filter.setToolTip(tooltip(FILTER_TOLD))
        self.filter.setClearButtonEnabled(True)
        self._count = QLabel(self)
        self._count.setTextFormat(Qt.TextFormat.PlainText)
        line = QHBoxLayout()
        line.setContentsMargins(GRID, 0, GRID, HALF)
        line.setSpacing(GRID)
        line.addWidget(self.filter, 1)
        line.addWidget(self._count)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(line)
        column.addWidget(self.table, 1)
        column.addWidget(Legend(self))
        self.filter.textChanged.connect(self._on_filter)
        self.filter.returnPressed.connect(self._on_filter_left)
        self.table.order_chosen.connect(self._on_order)
        self._count_cases()

    def show_overview(self, overview: Overview | None) -> None:
        """Show a run's cases."""
        self.model.show_overview(overview)
        self._count_cases()

    def first(self) -> Chosen | None:
        """The first answer of the first case."""
        case = self.model.case(0)
        methods = self.model.methods if case is not None else ()
        cells = [cell for method in methods for cell in case.cells[method]] if case is not None else []
        return Chosen.of(cells[0]) if cells else None

    def count_text(self) -> str:
        """How many cases are shown, of how many."""
        return self._count.text()

    def _count_cases(self) -> None:
        shown, total = len(self.model.rows), counted(self.model.total, "case")
        self._count.setText(total if shown == self.model.total else f"{shown} of {total}")

    def _on_filter(self, text: str) -> None:
        self.model.show_filtered(parse(text))
        self._count_cases()

    def _on_filter_left(self) -> None:
        self.table.setFocus(Qt.FocusReason.TabFocusReason)

    def _on_order(self, column: int) -> None:
        former, descending = self.model.order
        # The methods' figures begin with the best, words with the first.
        self.model.show_ordered(column, not descending if column == former else column >= METHODS)
