"""Fills a document piece by piece, so that a text of many megabytes never holds up the window."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextEdit

_FIRST: Final = 60_000
"""Characters put into the document at once; the rest of a longer text follows between events."""
_PIECE: Final = 10_000
"""Characters that follow in one go."""
_LINE: Final = 25
"""Characters that a line counts for, however short it is: laying out takes its time by the line, too."""
_TURN: Final = 0.002
"""Seconds after which the rest waits for the next turn of the event loop: three panes may load at a time."""
AFTER_PAINTING_MS: Final = 40
"""When what Qt was asked to paint is painted, as a rule: it waits 5 ms, for the turn that asked to end."""


class AfterPainting(QObject):
    """Signals: painted(): what was changed when `wait` was called is painted, as a rule.

    The time runs from the end of that turn on: making display texts of megabytes may take as long.
    """

    painted = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._turn, self._wait = QTimer(self), QTimer(self)
        for timer, interval in ((self._turn, 0), (self._wait, AFTER_PAINTING_MS)):
            timer.setSingleShot(True)
            timer.setInterval(interval)
        self._turn.timeout.connect(self._wait.start)
        self._wait.timeout.connect(self.painted)

    def wait(self) -> None:
        """Tell when the changes of this turn are painted, and those of former ones no more."""
        self._wait.stop()
        self._turn.start()

    def stop(self) -> None:
        """Tell nothing."""
        self._turn.stop()
        self._wait.stop()


class Loader(QObject):
    """Signals: grown(): the document holds more of the text."""

    grown = Signal()

    def __init__(self, edit: QPlainTextEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        self._display = ""
        self._at = 0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_timeout)
        self._beginning = AfterPainting(self)
        self._beginning.painted.connect(self._timer.start)

    @property
    def is_done(self) -> bool:
        """Whether the document holds the whole text."""
        return self._at == len(self._display)

    def load(self, display: str) -> None:
        """Show `display` instead of what the document holds: its beginning now, the rest soon."""
        self._display, self._at = display, _piece_end(display, 0, _FIRST)
        # A leading U+FEFF or U+FFFE would be taken for a byte order mark, but a display text has none.
        self._edit.setPlainText(display[: self._at])
        self._timer.stop()
        if self.is_done:
            self._beginning.stop()
        else:
            self._beginning.wait()

    def _on_timeout(self) -> None:
        bar = self._edit.verticalScrollBar()
        top = bar.value()
        with _unpainted(self._edit.document()):
            cursor = QTextCursor(self._edit.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            begun = perf_counter()
            while not self.is_done and perf_counter() - begun < _TURN:
                start, self._at = self._at, _piece_end(self._display, self._at, _PIECE)
                cursor.insertText(self._display[start : self._at])
        bar.setValue(top)
        if self.is_done:
            self._timer.stop()
        self.grown.emit()


@contextmanager
def _unpainted(document: QTextDocument) -> Iterator[None]:
    """Let a document grow below the view, which shows the same as before: Qt would paint it whole again."""
    layout = document.documentLayout()
    layout.blockSignals(True)
    try:
        yield
    finally:
        layout.blockSignals(False)
        layout.documentSizeChanged.emit(layout.documentSize())


def _piece_end(text: str, start: int, size: int) -> int:
    """Where a piece of at most `size` characters from `start` on ends: sooner where its lines are short."""
    lines = size // _LINE
    while text.count("\n", start, start + size) > lines:
        size //= 2
    return min(start + size, len(text))
