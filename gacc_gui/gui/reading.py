"""How texts are read: steps between questions, size, font, marks. What the commands of those names do."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit

from gacc_gui.gui.session import Session

ZOOMS: Final = range(-4, 17)


class Reading(QObject):
    """Sets the view options of a session."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session

    def next_question(self) -> None:
        """Go to the goal's next question."""
        self._session.step_question(1)

    def previous_question(self) -> None:
        """Go to the goal's previous question."""
        self._session.step_question(-1)

    def zoom_in(self) -> None:
        """Show texts a point larger."""
        self._zoom(self._session.options.zoom + 1)

    def zoom_out(self) -> None:
        """Show texts a point smaller."""
        self._zoom(self._session.options.zoom - 1)

    def zoom_reset(self) -> None:
        """Show texts in their ordinary size."""
        self._zoom(0)

    def _zoom(self, steps: int) -> None:
        if steps in ZOOMS:
            self._session.set_options(zoom=steps)

    def is_mono(self) -> bool:
        """Whether texts are monospaced."""
        return self._session.options.mono

    def toggle_mono(self) -> None:
        """Change between the reading font and the monospaced one."""
        self._session.set_options(mono=not self.is_mono())

    def shows_tokens(self) -> bool:
        """Whether tokens are shaded."""
        return self._session.options.token_shading

    def toggle_tokens(self) -> None:
        """Shade tokens, or no longer."""
        self._session.set_options(token_shading=not self.shows_tokens())

    def shows_invisibles(self) -> bool:
        """Whether invisible characters are shown."""
        return self._session.options.invisibles

    def toggle_invisibles(self) -> None:
        """Show invisible characters, or no longer."""
        self._session.set_options(invisibles=not self.shows_invisibles())

    def is_linked(self) -> bool:
        """Whether the panes scroll together."""
        return self._session.options.linked

    def toggle_linked(self) -> None:
        """Scroll the panes together, or each alone."""
        self._session.set_options(linked=not self.is_linked())

    def is_grouped(self) -> bool:
        """Whether goals are grouped by context."""
        return self._session.options.grouped

    def toggle_grouped(self) -> None:
        """Group the goals by context, or no longer."""
        self._session.set_options(grouped=not self.is_grouped())

    def copy_selection(self) -> None:
        """Copy what is selected where the keyboard is."""
        widget = QApplication.focusWidget()
        if isinstance(widget, QPlainTextEdit | QTextEdit | QLineEdit):
            widget.copy()
