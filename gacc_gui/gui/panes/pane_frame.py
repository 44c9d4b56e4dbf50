"""A text pane with its title, its notice strip and its empty state."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QStackedLayout, QVBoxLayout, QWidget

from gacc_gui.gui.panes.facts import PaneFacts
from gacc_gui.gui.panes.text_pane import TextPane
from gacc_gui.gui.theme import GRID, HALF, current_theme, ui_font


class ElidedLabel(QLabel):
    """A line of plain text that gives way: shortened with an ellipsis, whole in its tooltip."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        """No width is needed."""
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what fits."""
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.setFont(self.font())
        shortened = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), int(self.alignment()), shortened)


class PaneFrame(QWidget):
    """Shows `PaneFacts` around a `TextPane` (`pane`)."""

    def __init__(self, name: str, described: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"{name}Frame")
        self.pane = TextPane(self)
        self.pane.setObjectName(name)
        self.pane.setAccessibleName(described)
        self._notes: tuple[str, ...] = ()
        self._fact_notice = ""
        self._build_ui()
        self._paint_theme()

    def _build_ui(self) -> None:
        self._title = QLabel(self)
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._title.setObjectName(f"{self.pane.objectName()}Title")
        bold = ui_font()
        bold.setBold(True)
        self._title.setFont(bold)
        self._figures = ElidedLabel(self)
        self._figures.setObjectName(f"{self.pane.objectName()}Figures")
        self._figures.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        bar = QHBoxLayout()
        bar.setContentsMargins(GRID, HALF, GRID, HALF)
        bar.setSpacing(GRID)
        bar.addWidget(self._title)
        bar.addWidget(self._figures, 1)
        self._notice = QLabel(self)
        self._notice.setObjectName(f"{self.pane.objectName()}Notice")
        self._notice.setTextFormat(Qt.TextFormat.PlainText)
        self._notice.setWordWrap(True)
        self._notice.setContentsMargins(GRID, HALF, GRID, HALF)
        self._notice.setAutoFillBackground(True)
        self._notice.hide()
        self._empty = QLabel(self)
        self._empty.setObjectName(f"{self.pane.objectName()}Empty")
        self._empty.setTextFormat(Qt.TextFormat.PlainText)
        self._empty.setWordWrap(True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setMargin(2 * GRID)
        self._empty.setAutoFillBackground(True)
        self._empty.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._pages = QStackedLayout()
        self._pages.addWidget(self.pane)
        self._pages.addWidget(self._empty)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(bar)
        whole.addWidget(self._notice)
        whole.addLayout(self._pages, 1)

    def show_facts(self, facts: PaneFacts) -> None:
        """Show a text with its title, figures, labels and notice, or the reason why there is none."""
        self._title.setText(facts.title)
        self._figures.setText(facts.figures)
        self._figures.setToolTip("")
        self._fact_notice = facts.notice
        self.pane.set_ground(facts.ground)
        self.pane.set_text(facts.text, head=facts.head, foot=facts.foot)
        self._empty.setText(facts.empty)
        self._pages.setCurrentWidget(self._empty if facts.empty else self.pane)
        self.set_notes(())

    def set_notes(self, notes: tuple[str, ...]) -> None:
        """Tell these under the title, after the text's own notice."""
        self._notes = notes
        told = "\n".join(filter(None, (self._fact_notice, *notes)))
        self._notice.setText(told)
        self._notice.setVisible(bool(told))

    @property
    def notes(self) -> str:
        """What the notice strip tells."""
        return self._notice.text()

    def _paint_theme(self) -> None:
        theme = current_theme()
        for label, ground, ink in (
            (self._figures, theme.window, theme.muted),
            (self._notice, theme.notice, theme.text),
            (self._empty, theme.base, theme.muted),
        ):
            palette = label.palette()
            palette.setColor(palette.ColorRole.Window, ground)
            palette.setColor(palette.ColorRole.WindowText, ink)
            label.setPalette(palette)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ApplicationPaletteChange:
            self._paint_theme()
