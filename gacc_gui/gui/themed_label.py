"""A label in a colour of the theme, which follows when the theme changes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QWidget

from gacc_gui.gui.lists.plain import lines_text
from gacc_gui.gui.theme import current_theme


class ThemedLabel(QLabel):
    """A plain-text label in a colour of the theme, named by its role (`text`, `muted`, `error`, …).

    What it says may hold data: nothing of it is hidden, and none turns the rest round.
    """

    _role = "text"

    def __init__(self, role: str = "text", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._role = role
        self.setTextFormat(Qt.TextFormat.PlainText)
        # Else a parent on `Base` has its labels take `Text`.
        self.setForegroundRole(QPalette.ColorRole.WindowText)
        self._paint_theme()

    def setText(self, text: str) -> None:
        """Show a text in the lines that it has."""
        super().setText(lines_text(text))

    def set_role(self, role: str) -> None:
        """Take another colour."""
        if role != self._role:
            self._role = role
            self._paint_theme()

    def _paint_theme(self) -> None:
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.WindowText, getattr(current_theme(), self._role))
        if palette != self.palette():
            self.setPalette(palette)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        # Qt tells only windows that the application's palette changed, widgets that their own did. A colour
        # that a parent sets in its own event is overwritten by the child's that follows (measured 2026-11).
        if event.type() == QEvent.Type.PaletteChange:
            self._paint_theme()
        super().changeEvent(event)
