"""A case's question as the heading of its page: some lines of it at once, the rest by scrolling."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.side.section import remark
from gacc_gui.gui.theme import UI_POINTS, ui_font

_MOST_LINES: Final = 3
_LONGEST: Final = 50_000
"""Code points that are laid out; the whole stands in what was sent."""


class QuestionHead(QScrollArea):
    """Wraps a question; takes no more lines than `_MOST_LINES`, and the keyboard only where it scrolls."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compactionQuestion")
        self.setAccessibleName("Question")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._words = remark(self, role="text")
        self._words.setFont(ui_font(UI_POINTS + 1))
        self._words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setWidget(self._words)
        # A widget that is scrolled paints a ground of its own, unlike the page around it.
        self.viewport().setAutoFillBackground(False)
        self._words.setAutoFillBackground(False)
        self._fit()

    def show_question(self, question: str) -> None:
        """Show a question from its beginning, in one paragraph, with markers for what is not seen."""
        self._words.setText(cell_text(question, _LONGEST))
        self.verticalScrollBar().setValue(0)
        self._fit()

    def text(self) -> str:
        """What stands there."""
        return self._words.text()

    def _fit(self) -> None:
        """Be as high as the text, up to some whole lines."""
        line = self._words.fontMetrics().lineSpacing()
        need = self._words.heightForWidth(max(1, self.width()))
        most = _MOST_LINES * line
        self.setFixedHeight(max(line, min(need, most)))
        scrolls = need > most
        self.verticalScrollBar().setSingleStep(line)
        self.setVerticalScrollBarPolicy(
            Qt.ScrollBarPolicy.ScrollBarAlwaysOn if scrolls else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if scrolls else Qt.FocusPolicy.NoFocus)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Narrower is higher."""
        super().resizeEvent(event)
        self._fit()
