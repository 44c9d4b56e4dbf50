"""Small things that several views share: sheets over the window, drop-downs, tabs, tall rows, toggles."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionComboBox,
    QStyleOptionViewItem,
    QStylePainter,
    QTabBar,
    QToolButton,
    QWidget,
)

from gacc_gui.gui.theme import ROW, current_theme

ROW_HEIGHT: Final = ROW - 2
LINE: Final = 2


class Overlay(QFrame):
    """A plain sheet with an edge that can be seen on either theme."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint ground and edge."""
        theme = current_theme()
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.base)
        painter.setPen(QPen(theme.muted))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))


class Sheet(Overlay):
    """A sheet of keys over its parent: it takes the keyboard, and any key or a click closes it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._host = parent
        self._before: QWidget | None = None
        self.hide()

    def open_sheet(self) -> None:
        """Show it in the middle and take the keyboard."""
        self._before = self.window().focusWidget()
        self.adjustSize()
        host = self._host
        self.move(max(0, (host.width() - self.width()) // 2), max(0, (host.height() - self.height()) // 2))
        self.show()
        self.raise_()
        self.setFocus()

    def close_sheet(self) -> None:
        """Give the keyboard back."""
        self.hide()
        before, self._before = self._before, None
        if before is not None:
            before.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Any key closes, a modifier alone does not."""
        if event.key() not in (Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Meta):
            self.close_sheet()
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click closes."""
        self.close_sheet()
        event.accept()


class Choice(QComboBox):
    """A drop-down of names of data: one that has no room ends in an ellipsis, where Qt cuts it off."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint as Qt does, but for the name."""
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        field = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self)
        elided = self.fontMetrics().elidedText(
            self.currentText(), Qt.TextElideMode.ElideRight, room.width() - 2
        )
        option.currentText = elided
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)


class Tabs(QTabBar):
    """Tabs with a line over the chosen one. On a dark ground, Fusion's differ by little else (6.11)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDocumentMode(True)
        self.setDrawBase(False)
        self.setExpanding(False)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the tabs and the line."""
        super().paintEvent(event)
        chosen = self.tabRect(self.currentIndex())
        if chosen.isValid():
            line = QRect(chosen.left() + 1, chosen.top(), chosen.width() - 2, LINE)
            QPainter(self).fillRect(line, current_theme().accent)


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
