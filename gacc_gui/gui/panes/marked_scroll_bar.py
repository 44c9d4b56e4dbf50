"""A scroll bar that shows where in the whole text the marks are: evidence, hits, the cut."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QScrollBar, QStyle, QStyleOptionSlider, QWidget

from gacc_gui.gui.panes.painting import style_of
from gacc_gui.gui.theme import current_theme

_MOST = 400
"""Marks that are painted; more would stand on one another."""


class MarkedScrollBar(QScrollBar):
    """An upright scroll bar with small marks beside its handle."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._marks: dict[str, list[tuple[float, str]]] = {}

    def set_marks(self, layer: str, marks: Sequence[tuple[float, str]]) -> None:
        """Mark these places (0 the text's start, 1 its end) by their roles, instead of the former ones."""
        step = max(1, -(-len(marks) // _MOST))
        self._marks[layer] = list(marks[::step])
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bar, then the marks over it."""
        super().paintEvent(event)
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        control, part = QStyle.ComplexControl.CC_ScrollBar, QStyle.SubControl.SC_ScrollBarGroove
        groove = self.style().subControlRect(control, option, part, self)
        painter = QPainter(self)
        for marks in self._marks.values():
            for share, role in marks:
                style = style_of(role, current_theme())
                y = groove.top() + share * max(0, groove.height() - 3)
                painter.fillRect(QRectF(groove.left() + 2, y, groove.width() - 4, 3), style.strong)
