"""A text of data that takes no more than some lines of its place: the rest by scrolling."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from gacc_gui.gui.side.section import remark
from gacc_gui.gui.theme import ui_font


class FewLines(QScrollArea):
    """Wraps a text; takes no more than `most` lines, and the keyboard only where it scrolls."""

    def __init__(
        self, most: int, parent: QWidget | None = None, *, role: str = "text", points: float | None = None
    ) -> None:
        super().__init__(parent)
        self._most = most
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._words = remark(self, role=role)
        if points is not None:
            self._words.setFont(ui_font(points))
        self._words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setWidget(self._words)
        # A widget that is scrolled paints a ground of its own, unlike the page around it.
        self.viewport().setAutoFillBackground(False)
        self._words.setAutoFillBackground(False)
        self._fit()

    def show_words(self, words: str) -> None:
        """Show a text from its beginning; `cell_text` has made it one paragraph."""
        self._words.setText(words)
        self.verticalScrollBar().setValue(0)
        self._fit()

    def text(self) -> str:
        """What stands there."""
        return self._words.text()

    def _fit(self) -> None:
        """Be as high as the text, up to some whole lines."""
        line = self._words.fontMetrics().lineSpacing()
        need = self._words.heightForWidth(max(1, self.width()))
        most = self._most * line
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
