"""The shortcut sheet (`?`): every command that has shortcuts, by menu, over the window."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QMargins, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gacc_gui.gui.commands import Command, shown_shortcuts
from gacc_gui.gui.overlay import Sheet
from gacc_gui.gui.theme import GRID, HALF, mono_font

WIDE: Final = (("File", "Run"), ("Go", "Help"), ("View",))
NARROW: Final = (("File", "Run", "Go", "Help"), ("View",))
"""Which menus stand in which column, where three columns have room and where they have not."""
EDGES: Final = QMargins(2 * GRID, 2 * GRID, GRID, 2 * GRID)
_SCROLLS: Final = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class ShortcutSheet(Sheet):
    """The shortcuts, over the window; what has no room is scrolled to."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("shortcutSheet")
        self._area = QScrollArea(self)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.viewport().setAutoFillBackground(False)
        around = QHBoxLayout(self)
        around.setContentsMargins(EDGES)
        around.addWidget(self._area)

    def open(self, commands: list[Command]) -> None:
        """Show the sheet in the middle of the window and take the keyboard."""
        room = self._host.size().shrunkBy(EDGES)
        bar = self._area.verticalScrollBar().sizeHint().width() + GRID
        for columns in (WIDE, NARROW):
            content = _Content(commands, columns)
            wanted = content.sizeHint() + QSize(bar, 0)
            if wanted.width() <= room.width():
                break
        self._area.setWidget(content)
        # A widget that is scrolled paints a ground of its own, unlike the sheet around it.
        content.setAutoFillBackground(False)
        self._area.setFixedSize(wanted.boundedTo(room))
        self.open_sheet()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Scroll, where there is more than is seen; any other key closes."""
        bar = self._area.verticalScrollBar()
        if event.key() in _SCROLLS and bar.maximum():
            QApplication.sendEvent(bar, event)
        else:
            super().keyPressEvent(event)


class _Content(QWidget):
    """The shortcuts of all commands, in columns of menus."""

    def __init__(self, commands: list[Command], menus_by_column: tuple[tuple[str, ...], ...]) -> None:
        super().__init__()
        with_keys = [command for command in commands if command.shortcuts]
        columns = QHBoxLayout(self)
        columns.setContentsMargins(0, 0, 0, 0)
        columns.setSpacing(3 * GRID)
        for menus in menus_by_column:
            column = QVBoxLayout()
            column.setSpacing(HALF)
            for menu in menus:
                self._add_group(column, menu, [command for command in with_keys if command.menu == menu])
            column.addStretch(1)
            columns.addLayout(column)

    def _add_group(self, column: QVBoxLayout, menu: str, commands: list[Command]) -> None:
        if not commands:
            return
        heading = QLabel(menu, self)
        font = heading.font()
        font.setBold(True)
        heading.setFont(font)
        column.addWidget(heading)
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(HALF)
        grid.setColumnStretch(1, 1)
        for row, command in enumerate(commands):
            keys = QLabel(shown_shortcuts(command), self)
            keys.setFont(mono_font())
            keys.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            keys.setMinimumWidth(11 * GRID)
            grid.addWidget(keys, row, 0)
            grid.addWidget(QLabel(command.title, self), row, 1)
        column.addLayout(grid)
        column.addSpacing(GRID)
