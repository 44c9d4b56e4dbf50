"""What stands over the window for a moment (palette, shortcut sheet), and rows tall enough to read."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QStyledItemDelegate, QStyleOptionViewItem

from gacc_gui.gui.theme import ROW, current_theme

ROW_HEIGHT: Final = ROW - 2


class Overlay(QFrame):
    """A plain sheet with an edge that can be seen on either theme."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint ground and edge."""
        theme = current_theme()
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.base)
        painter.setPen(QPen(theme.muted))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))


class RowDelegate(QStyledItemDelegate):
    """Gives every row of a plain list or tree one comfortable height."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """As wide as the text, and never lower than a row."""
        size = super().sizeHint(option, index)
        return QSize(size.width(), max(size.height(), ROW_HEIGHT))
