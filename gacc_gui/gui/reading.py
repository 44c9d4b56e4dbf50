"""How texts are read: steps between questions, size, font, marks. What the commands of those names do."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit

from gacc_gui.gui.session import Session

ZOOMS: Final = range(-4, 17)


class Toggle(QObject):
    """One view option that is on or off, by its name in `ViewOptions`."""

    def __init__(self, session: Session, option: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._option = option

    def is_on(self) -> bool:
        """Whether it is on."""
        return getattr(self._session.options, self._option)

    def flip(self) -> None:
        """Turn it on or off."""
        self._session.set_options(**{self._option: not self.is_on()})


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

    def copy_selection(self) -> None:
        """Copy what is selected where the keyboard is."""
        widget = QApplication.focusWidget()
        if isinstance(widget, QPlainTextEdit | QTextEdit | QLineEdit):
            widget.copy()
