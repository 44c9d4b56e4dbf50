"""The cut in words: where it fell in tokens, characters and bytes, and what it split."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QWidget

from gacc_gui.core.boundary import Boundary, stored_boundary
from gacc_gui.core.records import Memory
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.side.section import Section, remark
from gacc_gui.store.rows import UnitView

HALF_SHOWN: Final = 12
"""Code points of either half of a split word that are shown: a word may be as long as its text."""


class BoundarySection(Section):
    """One or two sentences about the cut of a memory."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Boundary", parent)
        self._words = remark(self, role="text")
        self._place = remark(self)
        self.body.addWidget(self._words)
        self.body.addWidget(self._place)
        self.show_unit(None)

    def show_unit(self, view: UnitView | None) -> None:
        """Describe the cut of a unit's memory."""
        words, place = boundary_words(view.memory) if view else ("", "")
        self._words.setText(words)
        self._place.setText(place)
        self._place.setVisible(bool(place))


def boundary_words(memory: Memory) -> tuple[str, str]:
    """Say what the cut did, and where it lies, as two lines of text."""
    proposed, retained = memory.proposed_text, memory.retained_text
    if proposed is None or retained is None:
        return f"There is no memory: {memory.error or memory.status.replace('_', ' ')}.", ""
    cut = stored_boundary(proposed, retained)
    if cut is None:
        return "The retained text is no prefix of the proposal: where the cut fell is unknown.", ""
    if cut.characters == len(proposed) and not cut.splits_character:
        return "Nothing was cut: the whole proposal was retained.", ""
    parts = [f"byte {cut.bytes:,}", f"character {cut.characters:,}"]
    if memory.ledger is not None and memory.ledger.retained_tokens is not None:
        parts.append(f"token {memory.ledger.retained_tokens:,}")
    place = ", ".join(parts)
    if not retained:
        return "Everything was cut: the budget retained nothing.", place
    return f"Cut {cut_words(proposed, cut)}", place


def cut_words(proposed: str, cut: Boundary) -> str:
    """Say what a cut splits: “inside ‘televi|sion’”, “between sentences”."""
    if cut.splits_character:
        where = f"inside the character “{cell_text(proposed[cut.characters])}”"
        if cut.word is not None and cut.word[0]:
            where += f" of “{word_halves(cut.word)}”"
        return where
    if cut.word is not None:
        return f"inside “{word_halves(cut.word)}”"
    return "inside a sentence" if cut.splits_sentence else "between sentences"


def word_halves(word: tuple[str, str]) -> str:
    """Return the halves of a split word in one line, `televi|sion`; of long ones what is next to the cut."""
    left, right = word
    if len(left) > HALF_SHOWN:
        left = "…" + left[-HALF_SHOWN:]
    if len(right) > HALF_SHOWN:
        right = right[:HALF_SHOWN] + "…"
    return f"{cell_text(left)}|{cell_text(right)}"
