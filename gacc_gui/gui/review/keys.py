"""The keys of a queue: one table, from which the page, its hints and the sheet of keys come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from gacc_gui.core.causes import LETTERS
from gacc_gui.core.reviewing import FAULTS
from gacc_gui.gui.overlay import Sheet
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


class KeySheet(Sheet):
    """The keys of the queue, over its page."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("reviewKeys")
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
