"""Fills a document piece by piece, so that a text of many megabytes never holds up the window."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

_AT_ONCE: Final = 150_000
"""Characters put into the document in one go; the rest of a longer text follows between events."""
_LINES_AT_ONCE: Final = 5_000


class Loader(QObject):
    """Signals: grown(): the document holds more of the text."""

    grown = Signal()

    def __init__(self, edit: QPlainTextEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        self._rest = ""
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._on_timeout)

    @property
    def is_done(self) -> bool:
        """Whether the document holds the whole text."""
        return not self._rest

    def load(self, display: str) -> None:
        """Show `display` instead of what the document holds: its beginning now, the rest soon."""
        first, self._rest = _parted(display)
        # A leading U+FEFF or U+FFFE would be taken for a byte order mark, but a display text has none.
        self._edit.setPlainText(first)
        if self._rest:
            self._timer.start()
        else:
            self._timer.stop()

    def _on_timeout(self) -> None:
        piece, self._rest = _parted(self._rest)
        bar = self._edit.verticalScrollBar()
        top = bar.value()
        cursor = QTextCursor(self._edit.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(piece)
        bar.setValue(top)
        if not self._rest:
            self._timer.stop()
        self.grown.emit()


def _parted(text: str) -> tuple[str, str]:
    size = _AT_ONCE
    while text.count("\n", 0, size) > _LINES_AT_ONCE:
        size //= 2
    return text[:size], text[size:]
