"""The causes with their letters and names, in as many lines as the width asks for."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gacc_gui.gui.compaction.words import CAUSE_NAMES, CAUSE_SENTENCES, COLOURS, LETTERS, SHOWN_CAUSES
from gacc_gui.gui.lists.plain import tooltip
from gacc_gui.gui.lists.strip import SQUARE, paint_square
from gacc_gui.gui.theme import GRID, HALF, current_theme

_LINE = SQUARE + HALF


class Legend(QWidget):
    """Shows what the squares' letters stand for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setToolTip(
            tooltip(
                "\n".join(
                    f"{LETTERS[one]}  {CAUSE_NAMES[one]}: {CAUSE_SENTENCES[one]}" for one in SHOWN_CAUSES
                )
            )
        )
        self.setAccessibleName(", ".join(f"{LETTERS[one]} {CAUSE_NAMES[one]}" for one in SHOWN_CAUSES))

    def sizeHint(self) -> QSize:
        """In as many lines as its width asks for."""
        return QSize(40 * GRID, self._height(max(self.width(), 40 * GRID)))

    def _height(self, width: int) -> int:
        return max(rect.bottom() + 1 for _, rect in self._places(width)) + GRID

    def _places(self, width: int) -> Iterator[tuple[str, QRect]]:
        left, top = GRID, GRID
        for cause in SHOWN_CAUSES:
            need = SQUARE + HALF + self.fontMetrics().horizontalAdvance(CAUSE_NAMES[cause])
            if left > GRID and left + need > width - GRID:
                left, top = GRID, top + _LINE
            yield cause, QRect(left, top, need, SQUARE)
            left += need + 2 * GRID

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Narrower is higher. A layout does not ask a widget of a splitter for its height for a width."""
        super().resizeEvent(event)
        self.setFixedHeight(self._height(self.width()))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint squares and names."""
        painter = QPainter(self)
        for cause, rect in self._places(self.width()):
            paint_square(
                painter, QRect(rect.left(), rect.top(), SQUARE, SQUARE), COLOURS[cause], LETTERS[cause]
            )
            painter.setPen(current_theme().muted)
            metrics = self.fontMetrics()
            baseline = rect.top() + (SQUARE + metrics.ascent() - metrics.descent()) // 2
            painter.drawText(rect.left() + SQUARE + HALF, baseline, CAUSE_NAMES[cause])
