"""Fills a document piece by piece, so that a text of many megabytes never holds up the window."""

from __future__ import annotations

from time import perf_counter
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

_FIRST: Final = 60_000
"""Characters put into the document at once; the rest of a longer text follows between events."""
_PIECE: Final = 20_000
"""Characters that follow in one go."""
_LINE: Final = 25
"""Characters that a line counts for, however short it is: laying out takes its time by the line, too."""
_TURN: Final = 0.003
"""Seconds after which the rest waits for the next turn of the event loop: three panes may load at a time."""


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
        first, self._rest = _parted(display, _FIRST)
        # A leading U+FEFF or U+FFFE would be taken for a byte order mark, but a display text has none.
        self._edit.setPlainText(first)
        if self._rest:
            self._timer.start()
        else:
            self._timer.stop()

    def _on_timeout(self) -> None:
        bar = self._edit.verticalScrollBar()
        top = bar.value()
        cursor = QTextCursor(self._edit.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        begun = perf_counter()
        while self._rest and perf_counter() - begun < _TURN:
            piece, self._rest = _parted(self._rest, _PIECE)
            cursor.insertText(piece)
        bar.setValue(top)
        if not self._rest:
            self._timer.stop()
        self.grown.emit()


def _parted(text: str, size: int) -> tuple[str, str]:
    lines = size // _LINE
    while text.count("\n", 0, size) > lines:
        size //= 2
    return text[:size], text[size:]
