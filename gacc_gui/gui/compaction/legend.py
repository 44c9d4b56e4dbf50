"""The causes with their letters and names, in as many lines as the width asks for."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QPainter, QPaintEvent
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
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setToolTip(
            tooltip(
                "\n".join(
                    f"{LETTERS[one]}  {CAUSE_NAMES[one]}: {CAUSE_SENTENCES[one]}" for one in SHOWN_CAUSES
                )
            )
        )
        self.setAccessibleName(", ".join(f"{LETTERS[one]} {CAUSE_NAMES[one]}" for one in SHOWN_CAUSES))

    def hasHeightForWidth(self) -> bool:
        """Narrower is higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The lines that this width asks for."""
        return max(rect.bottom() + 1 for _, rect in self._places(width)) + HALF

    def sizeHint(self) -> QSize:
        """In one line."""
        return QSize(40 * GRID, _LINE + HALF)

    def _places(self, width: int) -> Iterator[tuple[str, QRect]]:
        left, top = GRID, HALF
        for cause in SHOWN_CAUSES:
            need = SQUARE + HALF + self.fontMetrics().horizontalAdvance(CAUSE_NAMES[cause])
            if left > GRID and left + need > width - GRID:
                left, top = GRID, top + _LINE
            yield cause, QRect(left, top, need, SQUARE)
            left += need + 2 * GRID

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
