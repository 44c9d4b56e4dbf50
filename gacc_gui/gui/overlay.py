"""Small things that several views share: sheets over the window, rows tall enough to read, toggle buttons."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QStyledItemDelegate, QStyleOptionViewItem, QToolButton, QWidget

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


def toggle_button(text: str, parent: QWidget) -> QToolButton:
    """A flat button that stays down. Fusion's check boxes are invisible on a dark ground (6.11)."""
    button = QToolButton(parent)
    button.setText(text)
    button.setCheckable(True)
    button.setAutoRaise(True)
    return button
