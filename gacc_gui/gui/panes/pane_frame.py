"""A text pane with its title, its notice strip and its empty state."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QHBoxLayout, QStackedLayout, QVBoxLayout, QWidget

from gacc_gui.gui.panes.facts import PaneFacts
from gacc_gui.gui.panes.pane_labels import FiguresLabel, GroundedLabel
from gacc_gui.gui.panes.text_pane import TextPane
from gacc_gui.gui.theme import GRID, HALF, ui_font
from gacc_gui.gui.themed_label import ThemedLabel


class PaneFrame(QWidget):
    """Shows `PaneFacts` around a `TextPane` (`pane`)."""

    def __init__(self, name: str, described: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"{name}Frame")
        self.pane = TextPane(self)
        self.pane.setObjectName(name)
        self.pane.setAccessibleName(described)
        self._fact_notice = ""
        self._build_ui()
        self.pane.installEventFilter(self)

    def _build_ui(self) -> None:
        name = self.pane.objectName()
        self._title = ThemedLabel("text", self)
        self._title.setObjectName(f"{name}Title")
        bold = ui_font()
        bold.setBold(True)
        self._title.setFont(bold)
        self._figures = FiguresLabel(self)
        self._figures.setObjectName(f"{name}Figures")
        bar = QHBoxLayout()
        bar.setContentsMargins(GRID, HALF, GRID, HALF)
        bar.setSpacing(GRID)
        bar.addWidget(self._title)
        bar.addWidget(self._figures, 1)
        self._notice = GroundedLabel("text", "notice", self)
        self._notice.setObjectName(f"{name}Notice")
        self._notice.setContentsMargins(GRID, HALF, GRID, HALF)
        self._notice.hide()
        self._empty = GroundedLabel("muted", "base", self)
        self._empty.setObjectName(f"{name}Empty")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setMargin(2 * GRID)
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
        self._figures.show_figures(facts.figures, facts.short)
        self.pane.setAccessibleDescription(
            ", ".join(filter(None, (facts.title, facts.figures, facts.notice)))
        )
        self._fact_notice = facts.notice
        self.pane.set_ground(facts.ground)
        self.pane.set_text(facts.text, head=facts.head, foot=facts.foot, labels=facts.labels)
        self._empty.setText(facts.empty)
        self._pages.setCurrentWidget(self._empty if facts.empty else self.pane)
        self.set_notes(())

    def set_notes(self, notes: tuple[str, ...]) -> None:
        """Tell these under the title, after the text's own notice."""
        told = "\n".join(filter(None, (self._fact_notice, *notes)))
        self._notice.setText(told)
        self._notice.setVisible(bool(told))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The title of the pane that has the keyboard stands out."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self._title.set_role("accent" if event.type() == QEvent.Type.FocusIn else "text")
        return super().eventFilter(watched, event)
