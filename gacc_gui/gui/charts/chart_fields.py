"""The drop-downs above a chart: of which cells it is. Owns which of them a chart and a benchmark have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from gacc_gui.core.records import Cell
from gacc_gui.core.terms import Terms
from gacc_gui.gui.lists.cell_chooser import ordered_values
from gacc_gui.gui.lists.cell_field import CellField
from gacc_gui.gui.theme import GRID
from gacc_gui.store.rows import CellChoice

_FIELDS: Final = (
    ("compressor", "Compressor"),
    ("revision", "Revision"),
    ("condition", "Condition"),
    ("ratio", "Ratio"),
)


class ChartFields(QWidget):
    """Signals: value_chosen(name of the field, value | None)."""

    value_chosen = Signal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2 * GRID)
        self._fields = {name: CellField(name, title, "all", self) for name, title in _FIELDS}
        for field in self._fields.values():
            field.value_chosen.connect(self.value_chosen)
            layout.addWidget(field)
        layout.addStretch(1)

    def field(self, name: str) -> CellField:
        """The drop-down of compressor, revision, condition or ratio."""
        return self._fields[name]

    def show_cells(self, cells: Sequence[Cell], choice: CellChoice, terms: Terms) -> None:
        """Offer these cells, some of them chosen, under the names that a benchmark has."""
        for name, field in self._fields.items():
            field.show_values(ordered_values(name, cells, choice), getattr(choice, name))
        self._fields["compressor"].show_title(terms.compressor.capitalize())
        for name in ("condition", "ratio"):
            self._fields[name].setVisible(terms.by_budget)
        pairs = {(cell.compressor, cell.revision) for cell in cells}
        self._fields["revision"].setVisible(len(pairs) > len({name for name, _ in pairs}))
