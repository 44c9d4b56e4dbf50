"""The pieces of a question's evidence with what became of each, for the detail area.

Owns when they are there: at once where the texts are soon searched; of long ones when the panes, which look
for the same beside the window, have found them. The lookup itself is `core.evidence`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gacc_gui.core.analysis import Source
from gacc_gui.core.evidence import MemoryTexts
from gacc_gui.core.records import Question
from gacc_gui.gui.panes.unit_marks import UnitMarks
from gacc_gui.store.rows import UnitView

_SOON: Final = 100_000
"""Characters of a unit's texts that are searched at once, in some 2 ms."""


@dataclass(frozen=True, slots=True)
class PieceFate:
    """A piece of evidence and what became of it."""

    text: str
    fate: str


class UnitEvidence:
    """Looks up pieces in the texts of one unit at a time; a source shared by the next unit is kept."""

    def __init__(self) -> None:
        self._found: UnitMarks | None = None
        self._text: str | None = None
        self._source = Source("")
        self._memory: tuple[str | None, str | None] = (None, None)
        self._texts = MemoryTexts(None, None)

    def know(self, marks: UnitMarks) -> None:
        """Take what the panes found in a unit's texts."""
        self._found = marks

    def pieces(self, view: UnitView, question: Question) -> tuple[PieceFate, ...] | None:
        """Return a question's pieces, in the order in which they are given; None: not found yet."""
        if len(view.context.text) + sum(len(text or "") for text in _memory(view)) > _SOON:
            return self._told(view, question)
        if view.context.text is not self._text:
            self._text = view.context.text
            self._source = Source(view.context.text)
        memory = _memory(view)
        if memory[0] is not self._memory[0] or memory[1] is not self._memory[1]:
            self._memory = memory
            self._texts = MemoryTexts(*memory)
        return tuple(
            PieceFate(piece.text, self._texts.fate(piece)) for piece in self._source.pieces(question).pieces
        )

    def _told(self, view: UnitView, question: Question) -> tuple[PieceFate, ...] | None:
        found = self._found
        if found is None or question.id not in found.questions or not _same_texts(found.view, view):
            return None
        return tuple(PieceFate(piece.text, piece.fate) for piece in found.questions[question.id].pieces)


def _memory(view: UnitView) -> tuple[str | None, str | None]:
    return view.memory.proposed_text, view.memory.retained_text


def _same_texts(one: UnitView, other: UnitView) -> bool:
    """Whether two views of a unit hold the very same texts, whatever is veiled in one of them."""
    texts = zip((one.context.text, *_memory(one)), (other.context.text, *_memory(other)), strict=True)
    return one.unit == other.unit and all(a is b for a, b in texts)
