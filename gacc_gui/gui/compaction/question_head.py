"""A case's question as the heading of its page: some lines of it at once, the rest by scrolling."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QWidget

from gacc_gui.gui.lists.few_lines import FewLines
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.theme import UI_POINTS

_MOST_LINES: Final = 3
_LONGEST: Final = 50_000
"""Code points that are laid out; the whole stands in what was sent."""


class QuestionHead(FewLines):
    """A question in no more than some lines."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(_MOST_LINES, parent, points=UI_POINTS + 1)
        self.setObjectName("compactionQuestion")
        self.setAccessibleName("Question")

    def show_question(self, question: str) -> None:
        """Show a question from its beginning, in one paragraph, with markers for what is not seen."""
        self.show_words(cell_text(question, _LONGEST))
