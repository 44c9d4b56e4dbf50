"""One of the choices that make a cell: a labelled drop-down with “all” and the values that occur.

Owns the drop-down. Not owned: which values there are, what follows from a choice (CellChooser).
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QWidget

from gacc_gui.gui.lists.plain import cell_text, tooltip
from gacc_gui.gui.overlay import Choice
from gacc_gui.gui.theme import GRID, HALF

_LETTERS_MOST = 28


class CellField(QWidget):
    """Signals: value_chosen(name of the field, value | None)."""

    value_chosen = Signal(object, object)

    def __init__(self, name: str, title: str, everything: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._everything = everything
        self._values: tuple[str | None, ...] = ()
        self._box = Choice(self)
        self._box.setObjectName(f"cell_{name}")
        self._box.setAccessibleName(title.replace("&", ""))
        self._box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._box.setMaxVisibleItems(24)
        self._box.setMaximumWidth(28 * GRID)
        label = self._label = QLabel(title, self)
        label.setBuddy(self._box)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(HALF)
        layout.addWidget(label)
        layout.addWidget(self._box)
        self._box.activated.connect(self._on_activated)

    @property
    def box(self) -> QComboBox:
        """The drop-down."""
        return self._box

    def show_title(self, title: str) -> None:
        """Call the field another name; `&` stands before the letter of its shortcut."""
        self._label.setText(title)
        self._box.setAccessibleName(title.replace("&", ""))

    def show_values(self, values: Sequence[str], chosen: str | None) -> None:
        """Offer these values, and all of them where there are several; show the chosen one."""
        offered: tuple[str | None, ...] = (None, *values) if len(values) != 1 else tuple(values)
        if offered != self._values:
            self._values = offered
            self._box.clear()
            for place, value in enumerate(offered):
                # An empty value is none that was given, such as a revision that the file leaves out.
                shown = self._everything if value is None else cell_text(value, _LETTERS_MOST) or "(none)"
                self._box.addItem(shown)
                if value is not None and len(value) > _LETTERS_MOST:
                    self._box.setItemData(place, tooltip(value), Qt.ItemDataRole.ToolTipRole)
        self._box.setEnabled(len(values) > 1)
        self._box.setCurrentIndex(offered.index(chosen) if chosen in offered else 0)

    def _on_activated(self, place: int) -> None:
        if 0 <= place < len(self._values):
            self.value_chosen.emit(self._name, self._values[place])
