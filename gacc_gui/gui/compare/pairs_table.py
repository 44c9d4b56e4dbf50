"""The list of compared rows, walked with the keyboard.

Its keys come before the window's of the same letters, while it has the keyboard.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from gacc_gui.core.causes import CAUSES
from gacc_gui.core.terms import CASES, GOALS
from gacc_gui.gui.compare.pairs_model import COLUMNS, PLACES, PairsModel
from gacc_gui.gui.compare.words import BUCKET_MARKS
from gacc_gui.gui.lists.strip import MARGIN, SQUARE, CauseDelegate
from gacc_gui.gui.lists.table import ReadingTable
from gacc_gui.gui.lists.words import cause_name
from gacc_gui.gui.theme import GRID

KEYS: Final = "JKNPABX0123456789"
_LEAST_QUESTION: Final = 12 * GRID
_SHORT_QUESTION: Final = 36 * GRID
"""Pixels below which the causes' names give way to the question: their letters stay."""


class PairsTable(ReadingTable):
    """Signals: row_chosen(line), stepped(±1), key_pressed(one of N P A B X or a digit)."""

    key_pressed = Signal(object)

    def __init__(self, model: PairsModel, parent: QWidget | None = None) -> None:
        super().__init__("comparePairs", "Compared questions", {"j": 1, "k": -1}, parent)
        self._pairs = model
        self.setModel(model)
        self.watch_selection()
        for key in ("a", "b"):
            self.setItemDelegateForColumn(PLACES[key], CauseDelegate(self))
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.horizontalHeader().setSectionsClickable(False)
        names = [cause_name(cause) for cause in CAUSES]
        cause = max(map(self.text_width, names)) + SQUARE + 2 * MARGIN
        self._needed = {
            "bucket": max(map(self.text_width, BUCKET_MARKS.values())),
            "a": cause,
            "b": cause,
            "repeat": max(self.text_width(f"gen 10 · {terms.short_repeat} 10") for terms in (GOALS, CASES)),
        }
        self.measure()

    def measure(self) -> None:
        """Give the columns what they need, and the question the rest."""
        self.setColumnHidden(PLACES["repeat"], not self._pairs.has_repeats)
        widths = {
            key: max(width, self.title_width(PLACES[key]))
            for key, width in self._needed.items()
            if not self.isColumnHidden(PLACES[key])
        }
        rest = self.room() - sum(widths.values())
        if rest < _SHORT_QUESTION:
            short = SQUARE + 3 * MARGIN
            widths |= {"a": short, "b": short}
            rest = self.room() - sum(widths.values())
        widths["question"] = max(_LEAST_QUESTION, rest)
        for place, column in enumerate(COLUMNS):
            if column.key in widths:
                self.setColumnWidth(place, widths[column.key])

    # --- Qt ----------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Claim the list's letters before a shortcut of the window gets them."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _letter(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Tell the list's letters; Enter opens A's row."""
        letter = _letter(event)
        if letter and letter not in "JK":
            self.key_pressed.emit(letter)
            event.accept()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.key_pressed.emit("A")
            event.accept()
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share out the new width."""
        super().resizeEvent(event)
        self.measure()


def _letter(event: QKeyEvent) -> str:
    """Return the list's key that an event is, or an empty string."""
    plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
    text = event.text().upper()
    return text if plain and len(text) == 1 and text in KEYS else ""
