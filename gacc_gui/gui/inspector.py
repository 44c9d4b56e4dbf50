"""The inspector: runs and goals left, the texts over the questions in the middle, the side panel right.

Owns where the parts stand and how the keyboard goes round them. The parts know the session, not each other.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from gacc_gui.gui.background import Background
from gacc_gui.gui.headline import Headline
from gacc_gui.gui.lists.cell_chooser import CellChooser
from gacc_gui.gui.lists.filter_edit import FilterEdit
from gacc_gui.gui.lists.goals_view import GoalsView
from gacc_gui.gui.lists.questions_view import QuestionsView
from gacc_gui.gui.lists.runs_view import RunsView
from gacc_gui.gui.panes.texts_view import TextsView
from gacc_gui.gui.session import Session, ViewOptions
from gacc_gui.gui.settings import Settings
from gacc_gui.gui.side.side_panel import SidePanel
from gacc_gui.gui.theme import GRID, HALF

LEFT: Final = range(43 * GRID, 64 * GRID)
SIDE: Final = range(36 * GRID, 44 * GRID)
"""Pixels that these columns may begin with; the texts have the rest."""
PANE_NAMES: Final = ("sourcePane", "retainedPane", "tailPane")


class Inspector(QWidget):
    """The main view. `reads` answers the lists, `counts` what they need not wait for: sums, recounts."""

    def __init__(
        self, session: Session, reads: Background, counts: Background, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("inspector")
        self.runs = RunsView(session, reads, self)
        self.cells = CellChooser(session, reads, self)
        self.headline = Headline(session, counts, self)
        self.filter = FilterEdit(session, reads, self)
        self.goals = GoalsView(session, reads, self)
        self.texts = TextsView(session)
        self.questions = QuestionsView(session, self)
        self.side = SidePanel(session, counts, self)
        self._shared_out = False
        self._build_ui()
        self.headline.totals_read.connect(self.side.show_totals)
        session.options_changed.connect(self._on_options_changed)

    def _build_ui(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(GRID, HALF, GRID, HALF)
        top.setSpacing(3 * GRID)
        top.addWidget(self.cells)
        top.addWidget(self.headline, 1)
        filter_line = QHBoxLayout()
        filter_line.setContentsMargins(GRID, 0, GRID, HALF)
        filter_line.addWidget(self.filter)

        left = QWidget(self)
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(HALF)
        column.addWidget(self.runs)
        column.addWidget(_line(self))
        column.addWidget(self.goals, 1)

        self._middle = QSplitter(Qt.Orientation.Vertical, self)
        self._middle.addWidget(self.texts)
        self._middle.addWidget(self.questions)
        self._middle.setStretchFactor(0, 3)
        self._middle.setStretchFactor(1, 2)
        self._columns = QSplitter(Qt.Orientation.Horizontal, self)
        for widget in (left, self._middle, self.side):
            self._columns.addWidget(widget)
        for place, stretch in enumerate((0, 1, 0)):
            self._columns.setStretchFactor(place, stretch)
        for splitter in (self._middle, self._columns):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(HALF)
        self._middle.setSizes([440, 240])

        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addLayout(filter_line)
        layout.addWidget(_line(self))
        layout.addWidget(self._columns, 1)

    def shows_side(self) -> bool:
        """Whether the side panel is shown."""
        return not self.side.isHidden()

    def toggle_side(self) -> None:
        """Show the side panel, or give its room to the texts."""
        self.side.setVisible(self.side.isHidden())

    def focus_next(self) -> None:
        """Give the keyboard to the next part, round the window."""
        self._focus_step(1)

    def focus_previous(self) -> None:
        """Give the keyboard to the part before."""
        self._focus_step(-1)

    def _on_options_changed(self, options: ViewOptions) -> None:
        self.texts.show_others(options.others)
        self.texts.show_hints(options.hints)

    def _focus_step(self, step: int) -> None:
        stops = self._stops()
        here = QApplication.focusWidget()
        at = next((i for i, stop in enumerate(stops) if here is not None and _holds(stop, here)), None)
        start = (0 if step > 0 else -1) if at is None else at + step
        stops[start % len(stops)].setFocus(Qt.FocusReason.TabFocusReason)

    def _stops(self) -> list[QWidget]:
        panes = [self.texts.findChild(QWidget, name) for name in PANE_NAMES]
        slider = self.side.findChild(QWidget, "budgetSlider")
        stops = [self.filter, self.runs, self.goals, *panes, self.questions, slider]
        return [stop for stop in stops if stop is not None and stop.isVisible() and stop.isEnabled()]

    def keep_geometry(self, settings: Settings) -> None:
        """Remember how the parts share the window."""
        settings.keep_geometry("columns", bytes(self._columns.saveState().data()))
        settings.keep_geometry("middle", bytes(self._middle.saveState().data()))

    def restore_geometry(self, settings: Settings) -> None:
        """Share the window as it was."""
        for name, splitter in (("columns", self._columns), ("middle", self._middle)):
            state = settings.geometry_of(name)
            if state is not None:
                self._shared_out = True
                splitter.restoreState(QByteArray(state))
                splitter.setChildrenCollapsible(False)
                splitter.setHandleWidth(HALF)

    def showEvent(self, event: QShowEvent) -> None:
        """Share out the width the first time, unless it is remembered how."""
        super().showEvent(event)
        if not self._shared_out:
            self._shared_out = True
            left, side = _within(LEFT, self.width() * 0.27), _within(SIDE, self.width() * 0.17)
            self._columns.setSizes([left, self.width() - left - side, side])


def _within(bounds: range, wanted: float) -> int:
    return max(bounds.start, min(round(wanted), bounds.stop))


def _holds(stop: QWidget, widget: QWidget) -> bool:
    return stop is widget or stop.isAncestorOf(widget)


def _line(parent: QWidget) -> QFrame:
    line = QFrame(parent)
    line.setFrameShape(QFrame.Shape.HLine)
    line.setFrameShadow(QFrame.Shadow.Plain)
    line.setForegroundRole(line.palette().ColorRole.Mid)
    return line
