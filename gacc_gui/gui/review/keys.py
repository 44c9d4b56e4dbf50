"""The keys of a queue: one table, from which the page, its hints and the sheet of keys come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from gacc_gui.core.causes import LETTERS
from gacc_gui.core.reviewing import FAULTS
from gacc_gui.gui.overlay import Overlay
from gacc_gui.gui.theme import GRID, HALF, UI_POINTS, mono_font, ui_font

DECISION_OF_KEY: Final = {"1": "correct", "2": "incorrect", "3": "unclear", "0": "clear"}
CAUSE_OF_KEY: Final = {LETTERS[cause].lower(): cause for cause in FAULTS}
NEXT, BACK, AHEAD, NOTE, TAGS, CAUSE, INSPECT, HELP = (
    "next",
    "back",
    "ahead",
    "note",
    "tags",
    "choose cause",
    "inspect",
    "help",
)
_BY_TEXT: Final = {"n": NOTE, "t": TAGS, "c": CAUSE, "i": INSPECT, "?": HELP}
_BY_KEY: Final = {
    Qt.Key.Key_Return: NEXT,
    Qt.Key.Key_Enter: NEXT,
    Qt.Key.Key_Backspace: BACK,
    Qt.Key.Key_Back: BACK,
    Qt.Key.Key_Left: BACK,
    Qt.Key.Key_Right: AHEAD,
}
_HELD: Final = (
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
)


@dataclass(frozen=True, slots=True)
class KeyHint:
    """A key as it is written, and what it does."""

    key: str
    does: str


HINTS: Final = (
    KeyHint("1", "The answer is correct"),
    KeyHint("2", "The answer is incorrect"),
    KeyHint("3", "Unclear: nobody can tell"),
    KeyHint("0", "Take my decision back"),
    KeyHint("Enter", "Next row that I have not decided"),
    KeyHint("Backspace ←", "The row before"),
    KeyHint("→", "The row behind, decided or not"),
    KeyHint("N", "Note"),
    KeyHint("T", "Tags, with commas between them"),
    KeyHint("C", "Cause: then its letter, " + " ".join(LETTERS[cause] for cause in FAULTS)),
    KeyHint("I", "Look at the row in the inspector; blind: once I have decided"),
    KeyHint("?", "These keys"),
    KeyHint("Esc", "Leave a note, the tags, the cause as they were"),
)


def meaning(event: QKeyEvent) -> str | None:
    """Return what a key does here: a decision, or one of the names above; None for any other."""
    if event.modifiers() & _HELD:
        return None
    if event.key() in _BY_KEY:
        return _BY_KEY[Qt.Key(event.key())]
    text = event.text().lower()
    return DECISION_OF_KEY.get(text) or _BY_TEXT.get(text)


class KeySheet(Overlay):
    """The keys, over the page; any key or a click closes it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("reviewKeys")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._host = parent
        self._before: QWidget | None = None
        grid = QGridLayout(self)
        grid.setContentsMargins(3 * GRID, 2 * GRID, 3 * GRID, 2 * GRID)
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(HALF)
        title = QLabel("Keys of the queue", self)
        title.setFont(ui_font(UI_POINTS + 1))
        grid.addWidget(title, 0, 0, 1, 2)
        for row, hint in enumerate(HINTS, 1):
            key = QLabel(hint.key, self)
            key.setFont(mono_font())
            key.setAlignment(Qt.AlignmentFlag.AlignRight)
            grid.addWidget(key, row, 0)
            grid.addWidget(QLabel(hint.does, self), row, 1)
        self.hide()

    def open(self) -> None:
        """Show the keys in the middle of the page and take the keyboard."""
        self._before = self.window().focusWidget()
        self.adjustSize()
        host = self._host
        self.move(max(0, (host.width() - self.width()) // 2), max(0, (host.height() - self.height()) // 3))
        self.show()
        self.raise_()
        self.setFocus()

    def close_sheet(self) -> None:
        """Give the keyboard back."""
        self.hide()
        before, self._before = self._before, None
        if before is not None:
            before.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Any key closes, a modifier alone does not."""
        if event.key() not in (Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Meta):
            self.close_sheet()
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click closes."""
        self.close_sheet()
        event.accept()
