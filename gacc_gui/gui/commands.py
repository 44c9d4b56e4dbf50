"""Every command of the window, declared once: menus, palette and shortcut sheet are made from here.

Owns the declaration and the actions of a window. Not owned: what a command does, which is its handler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget


def always() -> bool:
    """A command that can always be used."""
    return True


@dataclass(frozen=True, slots=True)
class Command:
    """One thing a person can do.

    `shortcuts` in Qt's portable words, the first is shown; single keys do not fire while one types in an
    edit, because edits claim them first. `checked` makes it a tick in the menu. `shown` False keeps it out
    of the menus but not out of the palette.
    """

    id: str
    title: str
    menu: str
    handler: Callable[[], None]
    shortcuts: tuple[str, ...] = ()
    enabled: Callable[[], bool] = field(default=always)
    checked: Callable[[], bool] | None = None
    separated: bool = False
    """Whether a line stands above it in the menu."""
    shown: bool = True


class Commands(QObject):
    """The commands of one window as actions. `refresh` re-reads what is enabled and ticked."""

    def __init__(self, window: QWidget, commands: Iterable[Command]) -> None:
        super().__init__(window)
        self._commands = {command.id: command for command in commands}
        self._actions = {command.id: self._action(window, command) for command in self._commands.values()}

    @property
    def all(self) -> list[Command]:
        """The commands in the order of their declaration."""
        return list(self._commands.values())

    def action(self, command_id: str) -> QAction:
        """The action of a command, for a button or a menu."""
        return self._actions[command_id]

    def run(self, command_id: str) -> bool:
        """Do a command if it is enabled; whether it was done."""
        command = self._commands[command_id]
        if not command.enabled():
            return False
        command.handler()
        return True

    def refresh(self) -> None:
        """Bring the actions up to date with the window."""
        for command in self._commands.values():
            action = self._actions[command.id]
            action.setEnabled(command.enabled())
            if command.checked is not None:
                action.setChecked(command.checked())

    def fill(self, menus: Mapping[str, QMenu]) -> None:
        """Put the commands into the menus that they name."""
        for menu in menus.values():
            menu.aboutToShow.connect(self.refresh)
        for command in self._commands.values():
            if command.shown:
                if command.separated:
                    menus[command.menu].addSeparator()
                menus[command.menu].addAction(self._actions[command.id])

    def _action(self, window: QWidget, command: Command) -> QAction:
        action = QAction(command.title.replace("&", "&&"), window)
        action.setObjectName(command.id)
        action.setShortcuts(
            [QKeySequence(one, QKeySequence.SequenceFormat.PortableText) for one in command.shortcuts]
        )
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.setCheckable(command.checked is not None)
        action.triggered.connect(self._on_triggered)
        window.addAction(action)
        return action

    def _on_triggered(self) -> None:
        sender = self.sender()
        if sender is not None:
            self.run(sender.objectName())
            self.refresh()


def shown_shortcut(command: Command) -> str:
    """The first shortcut as this platform writes it, or an empty string."""
    return _native(command.shortcuts[0]) if command.shortcuts else ""


def shown_shortcuts(command: Command) -> str:
    """All shortcuts as this platform writes them, “Ctrl+L or /”."""
    return " or ".join(map(_native, command.shortcuts))


def _native(shortcut: str) -> str:
    return QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText)


def matches(pattern: str, title: str) -> int | None:
    """How well letters typed into the palette fit a title: smaller is better, None is not at all.

    The letters must occur in order; the start of a word and neighbouring letters count for more.
    """
    pattern, folded = pattern.casefold().replace(" ", ""), title.casefold()
    cost, at = 0, -1
    for letter in pattern:
        word = _word_start(folded, letter, at + 1)
        found = (
            at + 1
            if folded[at + 1 : at + 2] == letter
            else word
            if word >= 0
            else folded.find(letter, at + 1)
        )
        if found < 0:
            return None
        cost += 0 if found == at + 1 else 1 if found == word else 3 + found - at
        at = found
    return cost * 100 + len(title)


def _word_start(text: str, letter: str, start: int) -> int:
    at = text.find(letter, start)
    while at > 0 and text[at - 1].isalnum():
        at = text.find(letter, at + 1)
    return at
