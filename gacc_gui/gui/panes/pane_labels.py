"""The labels around a text pane: figures that give way, strips and pages on a ground of their own."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from gacc_gui.gui.theme import current_theme
from gacc_gui.gui.themed_label import ThemedLabel


class FiguresLabel(ThemedLabel):
    """A line of facts parted by ` · ` that gives way: to the first fact, to a short form, to less of that."""

    _short = ""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("muted", parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    def show_figures(self, figures: str, short: str) -> None:
        """Show these figures; the whole of them in the tooltip."""
        self._short = short
        self.setText(figures)
        self.setToolTip(figures)

    def shown(self) -> str:
        """What there is room for."""
        room, metrics = self.width(), self.fontMetrics()
        forms = (self.text(), self.text().partition(" · ")[0], self._short)
        fitting = next((form for form in forms if form and metrics.horizontalAdvance(form) <= room), None)
        if fitting is not None:
            return fitting
        return metrics.elidedText(self._short or forms[1], Qt.TextElideMode.ElideRight, room)

    def minimumSizeHint(self) -> QSize:
        """No width is needed."""
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what fits."""
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.setFont(self.font())
        painter.drawText(self.rect(), int(self.alignment()), self.shown())


class GroundedLabel(ThemedLabel):
    """A label that wraps, on a colour of the theme named by its role."""

    _ground = "base"

    def __init__(self, role: str, ground: str, parent: QWidget | None = None) -> None:
        super().__init__(role, parent)
        self._ground = ground
        self.setWordWrap(True)
        self.setAutoFillBackground(True)
        self._paint_theme()

    def _paint_theme(self) -> None:
        super()._paint_theme()
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Window, getattr(current_theme(), self._ground))
        if palette != self.palette():
            self.setPalette(palette)
