"""The pieces of a question's evidence with what became of each, for the detail area.

Owns which unit's texts are kept ready. The lookup itself is `core.evidence`.
"""

from __future__ import annotations

from dataclasses import dataclass

from gacc_gui.core.analysis import Source
from gacc_gui.core.evidence import MemoryTexts
from gacc_gui.core.records import Question
from gacc_gui.store.rows import UnitView


@dataclass(frozen=True, slots=True)
class PieceFate:
    """A piece of evidence and what became of it."""

    text: str
    fate: str


class UnitEvidence:
    """Looks up pieces in the texts of one unit at a time; a source shared by the next unit is kept."""

    def __init__(self) -> None:
        self._text: str | None = None
        self._source = Source("")
        self._memory: tuple[str | None, str | None] = (None, None)
        self._texts = MemoryTexts(None, None)

    def pieces(self, view: UnitView, question: Question) -> tuple[PieceFate, ...]:
        """Return a question's pieces, in the order in which they are given."""
        if view.context.text is not self._text:
            self._text = view.context.text
            self._source = Source(view.context.text)
        memory = (view.memory.proposed_text, view.memory.retained_text)
        if memory[0] is not self._memory[0] or memory[1] is not self._memory[1]:
            self._memory = memory
            self._texts = MemoryTexts(*memory)
        return tuple(
            PieceFate(piece.text, self._texts.fate(piece)) for piece in self._source.pieces(question).pieces
        )
