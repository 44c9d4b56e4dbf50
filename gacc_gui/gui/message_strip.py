"""Strips above the views: messages and failures, what a diagnostic run is, how far a piece of work is."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QSizePolicy, QToolButton, QWidget

from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.theme import GRID, HALF, current_theme
from gacc_gui.gui.themed_label import ThemedLabel

_BAR: Final = 24 * GRID
_END: Final = 400
"""Code points of a longer message that are shown from its beginning, and from its end."""
DIAGNOSTIC = "Diagnostic run: figures are not comparable with published tables"


class Strip(QFrame):
    """One line on a quiet ground, hidden while it has nothing to say."""

    def __init__(self, name: str, closable: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAutoFillBackground(True)
        self._is_of_reading = False
        self._label = ThemedLabel("text", self)
        self._label.setWordWrap(True)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(GRID, HALF, HALF, HALF)
        layout.setSpacing(GRID)
        layout.addWidget(self._label, 1)
        if closable:
            close = QToolButton(self)
            close.setText("×")
            close.setAutoRaise(True)
            close.setToolTip("Dismiss this message")
            close.clicked.connect(self.clear)
            layout.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        self._paint_theme()
        self.hide()

    def tell(self, text: str, error: bool = False, *, of_reading: bool = False) -> None:
        """Show a sentence; one `of_reading` is about what could not be read."""
        self._label.set_role("error" if error else "text")
        self._is_of_reading = of_reading
        if len(text) > 2 * _END:
            # What happened stands before and behind a name without end.
            text = f"{text[:_END]} … {text[-_END:]}"
        self._label.setText(cell_text(text, len(text)))
        self.setVisible(bool(text))

    def clear(self) -> None:
        """Have nothing to say."""
        self.tell("")

    def forget_reading(self) -> None:
        """Take back that something could not be read, if this is what it says."""
        if self._is_of_reading:
            self.clear()

    def text(self) -> str:
        """What it says."""
        return self._label.text()

    def _paint_theme(self) -> None:
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Window, current_theme().notice)
        if palette != self.palette():
            self.setPalette(palette)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._paint_theme()
        super().changeEvent(event)


class WorkStrip(Strip):
    """Work that takes a while, with a bar and the way to cancel it; hidden while there is none.

    Signals: cancelled(): somebody wants it to stop.
    """

    cancelled = Signal()

    def __init__(self, name: str, cancel_tip: str, parent: QWidget | None = None) -> None:
        super().__init__(name, closable=False, parent=parent)
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._bar.setFixedSize(_BAR, GRID)
        self._cancel = QToolButton(self)
        self._cancel.setText("Cancel")
        self._cancel.setToolTip(cancel_tip)
        self._cancel.clicked.connect(self.cancelled)
        layout = self.layout()
        assert layout is not None
        layout.addWidget(self._bar)
        layout.addWidget(self._cancel)

    def show_work(self, text: str, share: float | None = None, *, can_cancel: bool = True) -> None:
        """Say what is done; `share` (0 to 1) is how much of it, None where that is not known."""
        self._bar.setRange(0, 0 if share is None else 1000)
        if share is not None:
            self._bar.setValue(round(1000 * share))
        self._cancel.setEnabled(can_cancel)
        self.tell(text)
