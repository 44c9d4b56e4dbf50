"""A stored text in the detail area: as high as it needs up to a limit, selectable, copied exactly.

Owns the height. The text itself, its marks and its copy are those of the panes (`TextPane`).
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QSize, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gacc_gui.gui.panes.text_pane import TextPane
from gacc_gui.gui.theme import HALF

_LINES_MOST: Final = 14
"""Lines shown before a text scrolls by itself."""


class DetailText(TextPane):
    """A text of a question, an answer, a verdict. Tab leaves it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.document().setDocumentMargin(0)
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._fit_soon = QTimer(self)
        self._fit_soon.setSingleShot(True)
        self._fit_soon.setInterval(0)
        self._fit_soon.timeout.connect(self._on_fit)

    def show_text(self, text: str) -> None:
        """Show a text from its start; the same text again keeps its selection."""
        if text != self.text() or not self.text():
            self.set_text(text)
        self._on_fit()

    def _on_fit(self) -> None:
        height = self._wanted_height()
        if height != self.height() or height != self.minimumHeight():
            self.setFixedHeight(height)

    def _wanted_height(self) -> int:
        line = self.fontMetrics().lineSpacing()
        most = _LINES_MOST * line
        height, block = 0.0, self.document().firstBlock()
        while block.isValid() and height < most:
            height += max(self.blockBoundingRect(block).height(), line)
            block = block.next()
        return round(min(height, most)) + 2

    # --- Qt ----------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        """As wide as there is room, as high as the text."""
        return QSize(20 * HALF, self._wanted_height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lines wrap anew: another height."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit_soon.start()

    def changeEvent(self, event: QEvent) -> None:
        """Another font: another height."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_fit_soon"):
            self._fit_soon.start()
