"""The command palette (Ctrl+Shift+P): type some letters, press Return."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gacc_gui.gui.commands import Command, matches, shown_shortcut
from gacc_gui.gui.overlay import Overlay, RowDelegate
from gacc_gui.gui.theme import GRID, HALF
from gacc_gui.gui.tree_items import top_items

WIDTH = 64 * GRID


class Palette(Overlay):
    """A list of commands over the window.

    Signals: command_chosen(command id); closed(). Lives as a child of the window, hidden until opened.
    """

    command_chosen = Signal(object)
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("commandPalette")
        self._host = parent
        self._commands: list[Command] = []
        self._build_ui()
        self._connect()
        self.hide()

    def _build_ui(self) -> None:
        self._edit = QLineEdit(self)
        self._edit.setPlaceholderText("Type a command")
        self._list = QTreeWidget(self)
        self._list.setColumnCount(2)
        self._list.setHeaderHidden(True)
        self._list.setRootIsDecorated(False)
        self._list.setUniformRowHeights(True)
        self._list.setItemDelegate(RowDelegate(self._list))
        self._list.setFrameShape(QFrame.Shape.NoFrame)
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._list.header().setStretchLastSection(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, GRID, GRID, GRID)
        layout.setSpacing(HALF)
        layout.addWidget(self._edit)
        layout.addWidget(self._list)

    def _connect(self) -> None:
        self._edit.textChanged.connect(self._fill)
        self._edit.returnPressed.connect(self._on_return)
        self._edit.installEventFilter(self)
        self._list.itemClicked.connect(self._on_clicked)

    def open(self, commands: list[Command]) -> None:
        """Show the commands that can be used now, and take the keyboard."""
        self._commands = [command for command in commands if command.enabled()]
        self._edit.clear()
        self._fill()
        host = self._host
        width = min(WIDTH, host.width() - 4 * GRID)
        height = min(52 * GRID, host.height() - 16 * GRID)
        self.setGeometry((host.width() - width) // 2, 8 * GRID, width, height)
        self._fit_columns(width)
        self.show()
        self.raise_()
        self._edit.setFocus(Qt.FocusReason.PopupFocusReason)

    def shown_titles(self) -> list[str]:
        """The titles in the list, best first."""
        return [item.text(0) for item in top_items(self._list)]

    def _fit_columns(self, width: int) -> None:
        shortcut = 18 * GRID
        self._list.setColumnWidth(0, width - shortcut - 5 * GRID)
        self._list.setColumnWidth(1, shortcut)

    def _fill(self) -> None:
        pattern = self._edit.text().strip()
        scored = [(matches(pattern, command.title), command) for command in self._commands]
        found = [(score, command) for score, command in scored if score is not None]
        if pattern:
            found.sort(key=_by_score)
        self._list.clear()
        for _, command in found:
            item = QTreeWidgetItem([command.title, shown_shortcut(command)])
            item.setData(0, Qt.ItemDataRole.UserRole, command.id)
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setForeground(1, self.palette().placeholderText())
            self._list.addTopLevelItem(item)
        for item in top_items(self._list)[:1]:
            self._list.setCurrentItem(item)

    def _on_return(self) -> None:
        item = self._list.currentItem()
        if item is not None:
            self._on_clicked(item)

    def _on_clicked(self, item: QTreeWidgetItem) -> None:
        chosen = item.data(0, Qt.ItemDataRole.UserRole)
        self._close()
        self.command_chosen.emit(chosen)

    def _close(self) -> None:
        self.hide()
        self.closed.emit()

    def _move(self, step: int) -> None:
        items, current = top_items(self._list), self._list.currentItem()
        if items and current is not None:
            at = self._list.indexOfTopLevelItem(current)
            self._list.setCurrentItem(items[(at + step) % len(items)])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrow keys move in the list while the edit has the keyboard; Escape and leaving close."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 10, Qt.Key.Key_PageUp: -10}
            step = steps.get(Qt.Key(event.key()))
            if step is not None:
                self._move(step)
                return True
            if event.key() == Qt.Key.Key_Escape:
                self._close()
                return True
        if event.type() == QEvent.Type.FocusOut and self.isVisible():
            self._close()
        return super().eventFilter(watched, event)


def _by_score(pair: tuple[int, Command]) -> int:
    return pair[0]
