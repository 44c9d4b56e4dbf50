"""A scroll bar that shows where in the whole text the marks are: evidence, hits, the cut."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QScrollBar, QStyle, QStyleOptionSlider, QWidget

_MOST = 400
"""Marks that are painted; more would stand on one another."""


class MarkedScrollBar(QScrollBar):
    """An upright scroll bar with small marks beside its handle."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._marks: dict[str, list[tuple[float, QColor]]] = {}

    def set_marks(self, layer: str, marks: Sequence[tuple[float, QColor]]) -> None:
        """Mark these places, 0 the text's start and 1 its end, instead of the layer's former ones."""
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
            for share, colour in marks:
                y = groove.top() + share * max(0, groove.height() - 3)
                painter.fillRect(QRectF(groove.left() + 2, y, groove.width() - 4, 3), colour)
