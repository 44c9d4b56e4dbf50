"""The shortcut sheet (`?`): every command that has a shortcut, by menu, over the window."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from gacc_gui.gui.commands import Command, shown_shortcut
from gacc_gui.gui.menus import MENUS
from gacc_gui.gui.overlay import Sheet
from gacc_gui.gui.theme import GRID, HALF, mono_font


class ShortcutSheet(Sheet):
    """The shortcuts, over the window."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("shortcutSheet")
        self._columns = QHBoxLayout(self)
        self._columns.setContentsMargins(3 * GRID, 2 * GRID, 3 * GRID, 2 * GRID)
        self._columns.setSpacing(5 * GRID)

    def open(self, commands: list[Command]) -> None:
        """Show the sheet in the middle of the window and take the keyboard."""
        if not self._columns.count():
            self._build(commands)
        self.open_sheet()

    def _build(self, commands: list[Command]) -> None:
        with_keys = [command for command in commands if command.shortcuts]
        for menus in (MENUS[:2], MENUS[2:3], MENUS[3:]):
            column = QVBoxLayout()
            column.setSpacing(HALF)
            for menu in menus:
                self._add_group(column, menu, [command for command in with_keys if command.menu == menu])
            column.addStretch(1)
            self._columns.addLayout(column)

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
            keys = QLabel(shown_shortcut(command), self)
            keys.setFont(mono_font())
            keys.setAlignment(Qt.AlignmentFlag.AlignRight)
            keys.setMinimumWidth(11 * GRID)
            grid.addWidget(keys, row, 0)
            grid.addWidget(QLabel(command.title, self), row, 1)
        column.addLayout(grid)
        column.addSpacing(GRID)
