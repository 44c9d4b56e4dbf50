"""The inspector: runs and goals left, the texts over the questions in the middle, the side panel right.

Owns where the parts stand and how the keyboard goes round them. The parts know the session, not each other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from gacc_gui.gui.background import Background
from gacc_gui.gui.headline import Headline
from gacc_gui.gui.lists.cell_chooser import CellChooser
from gacc_gui.gui.lists.filter_edit import FilterEdit
from gacc_gui.gui.lists.goals_view import GoalsView
from gacc_gui.gui.lists.runs_view import RunsView
from gacc_gui.gui.opening import Opened
from gacc_gui.gui.session import Session, ViewOptions
from gacc_gui.gui.settings import Settings
from gacc_gui.gui.theme import GRID, HALF
from gacc_gui.gui.view_parts import step_among
from gacc_gui.gui.views import groom

if TYPE_CHECKING:
    from gacc_gui.gui.lists.questions_view import QuestionsView
    from gacc_gui.gui.panes.texts_view import TextsView
    from gacc_gui.gui.probing.reask_actions import ReaskActions
    from gacc_gui.gui.side.side_panel import SidePanel

LEFT: Final = range(36 * GRID, 76 * GRID)
SIDE: Final = range(30 * GRID, 41 * GRID)
"""Pixels that these columns may have unasked; the texts have the rest."""
LEFT_SHARE: Final = 0.325
SIDE_SHARE: Final = 0.225
INNER: Final = ("textsSplitter", "questionsSplitter")
"""Splitters inside of the texts and the questions, which are remembered too."""
PANE_NAMES: Final = ("sourcePane", "retainedPane", "tailPane")


class Inspector(QWidget):
    """The main view. `reads` answers the lists, `counts` what they need not wait for: sums, recounts.

    The lists are there at once; `texts`, `questions` and `side` are made when they are first asked for.
    """

    def __init__(
        self, session: Session, reads: Background, counts: Background, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("inspector")
        self._session, self._counts = session, counts
        self.runs = RunsView(session, reads, self)
        self.cells = CellChooser(session, reads, self)
        self.headline = Headline(session, counts, self)
        self.filter = FilterEdit(session, reads, self)
        self.goals = GoalsView(session, reads, self)
        self._shared_by_hand = False
        self._middle_state: bytes | None = None
        self._inner_states: dict[str, bytes] = {}
        self._reask: ReaskActions | None = None
        self._build_ui()
        groom(self)
        session.options_changed.connect(self._on_options_changed)
        self.filter.left.connect(self._on_filter_left)

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
        self._side_place = QWidget(self)
        self._columns = QSplitter(Qt.Orientation.Horizontal, self)
        for widget in (left, self._middle, self._side_place):
            self._columns.addWidget(widget)
        for place, stretch in enumerate((0, 1, 0)):
            self._columns.setStretchFactor(place, stretch)
        self._columns.splitterMoved.connect(self._on_columns_moved)
        for splitter in (self._middle, self._columns):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(HALF)

        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addLayout(filter_line)
        layout.addWidget(_line(self))
        layout.addWidget(self._columns, 1)

    # --- parts, made when they are first needed ----------------------------------------------------

    @cached_property
    def texts(self) -> TextsView:
        """Source, retained memory and tail."""
        from gacc_gui.gui.panes.texts_view import TextsView

        texts = TextsView(self._session)
        texts.show_others(self._session.options.others)
        texts.show_hints(self._session.options.hints)
        # The figures of a unit wait for its texts: two busy workers would leave the GUI thread a third of the
        # interpreter.
        self._session.unit_loaded.connect(self._on_unit_loaded)
        texts.idle.connect(self._counts.release)
        self._put_in_middle(0, texts)
        return texts

    @cached_property
    def questions(self) -> QuestionsView:
        """The questions of the goal, with the chosen one in full."""
        from gacc_gui.gui.lists.questions_view import QuestionsView

        questions = QuestionsView(self._session, self)
        # What is in long texts is looked up once, for the panes.
        self.texts.marked.connect(questions.detail.know)
        if self.texts.marks is not None:
            questions.detail.know(self.texts.marks)
        self._put_in_middle(self._middle.count(), questions)
        # Tab goes from the detail on to the side panel: with a proxy, this whole part would come once more
        # behind its own detail, and lead back to its table for ever.
        questions.setFocusProxy(None)  # type: ignore[arg-type]  # Qt takes none
        return questions

    @cached_property
    def side(self) -> SidePanel:
        """Ledger, boundary, what if, mended causes, identities."""
        from gacc_gui.gui.side.side_panel import SidePanel

        side = SidePanel(self._session, self._counts, self)
        side.what_if.cut_tried.connect(self.texts.preview_cut)
        side.show_totals(self.headline.totals)
        self.headline.totals_read.connect(side.show_totals)
        self._columns.replaceWidget(self._columns.indexOf(self._side_place), side)
        self._side_place.deleteLater()
        side.show()
        groom(side)
        return side

    def stages(self) -> list[Callable[[], object]]:
        """The making of the parts that can wait."""
        return [lambda: self.texts, lambda: self.questions, lambda: self.side]

    def use_reask(self, reask: ReaskActions) -> None:
        """Give asking again its part of the detail."""
        self._reask = reask
        self.questions.detail.put_after("reviewers", reask.section)
        groom(reask.section)
        reask.look()

    @property
    def is_idle(self) -> bool:
        """Whether no text is being worked out, and nothing asked again."""
        return self.texts.is_idle and (self._reask is None or self._reask.is_idle)

    def shutdown(self) -> None:
        """Stop the work beside the GUI thread."""
        if self._reask is not None:
            self._reask.shutdown()
        if "texts" in self.__dict__:
            self.texts.shutdown()

    def _on_unit_loaded(self, view: object) -> None:
        if view is not None and not self.texts.is_idle:
            self._counts.hold()

    def know(self, opened: Opened) -> None:
        """Take what was read ahead of a place that is about to be looked at."""
        self.runs.show_runs(opened.runs)
        if opened.goals is not None:
            asked, found = opened.goals
            self.cells.show_cells(asked.run_id, found.cells)
            self.goals.know_list(asked, found)

    def _put_in_middle(self, place: int, part: QWidget) -> None:
        self._middle.insertWidget(place, part)
        groom(part)
        for splitter in part.findChildren(QSplitter):
            state = self._inner_states.get(splitter.objectName())
            if state is not None:
                _restore(splitter, state)
        if self._middle.count() == 2:
            self._middle.setStretchFactor(0, 3)
            self._middle.setStretchFactor(1, 2)
            if self._middle_state is not None:
                _restore(self._middle, self._middle_state)
            else:
                self._middle.setSizes([440, 240])

    # --- what commands do --------------------------------------------------------------------------

    def shows_side(self) -> bool:
        """Whether the side panel is shown."""
        return not self.side.isHidden()

    def toggle_side(self) -> None:
        """Show the side panel, or give its room to the texts."""
        self.side.setVisible(self.side.isHidden())

    def _on_filter_left(self) -> None:
        self.goals.setFocus(Qt.FocusReason.TabFocusReason)

    def _on_options_changed(self, options: ViewOptions) -> None:
        if "texts" not in self.__dict__:
            return
        self.texts.show_others(options.others)
        self.texts.show_hints(options.hints)

    def step_part(self, step: int) -> None:
        """Give the keyboard to the next part (1) or the one before (-1), round the view."""
        step_among([[stop] for stop in self._stops()], step)

    def _stops(self) -> list[QWidget]:
        panes = [self.texts.findChild(QWidget, name) for name in PANE_NAMES]
        slider = self.side.findChild(QWidget, "budgetSlider")
        questions = self.questions
        stops = [self.filter, self.runs, self.goals, *panes, questions.table, questions.detail, slider]
        return [stop for stop in stops if stop is not None and stop.isVisible() and stop.isEnabled()]

    def keep_geometry(self, settings: Settings) -> None:
        """Remember how the parts share the window."""
        if self._shared_by_hand:
            settings.keep_geometry("columns", bytes(self._columns.saveState().data()))
        for name in INNER:
            splitter = self._middle.findChild(QSplitter, name)
            if splitter is not None:
                settings.keep_geometry(name, bytes(splitter.saveState().data()))
        if self._middle.count() == 2:
            settings.keep_geometry("middle", bytes(self._middle.saveState().data()))

    def restore_geometry(self, settings: Settings) -> None:
        """Share the window as it was."""
        states = {name: settings.geometry_of(name) for name in INNER}
        self._inner_states = {name: state for name, state in states.items() if state is not None}
        self._middle_state = settings.geometry_of("middle")
        state = settings.geometry_of("columns")
        if state is not None:
            self._shared_by_hand = True
            _restore(self._columns, state)

    def showEvent(self, event: QShowEvent) -> None:
        """Share out the width, unless it is remembered how."""
        super().showEvent(event)
        self._share_out()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share out the new width, until somebody does so by hand."""
        super().resizeEvent(event)
        self._share_out()

    def _share_out(self) -> None:
        if not self._shared_by_hand:
            left, side = _within(LEFT, self.width() * LEFT_SHARE), _within(SIDE, self.width() * SIDE_SHARE)
            self._columns.setSizes([left, self.width() - left - side, side])

    def _on_columns_moved(self, _place: int, _handle: int) -> None:
        self._shared_by_hand = True


def _restore(splitter: QSplitter, state: bytes) -> None:
    splitter.restoreState(QByteArray(state))
    # The state holds these, too, as they were when it was saved.
    splitter.setChildrenCollapsible(False)
    splitter.setHandleWidth(HALF)


def _within(bounds: range, wanted: float) -> int:
    return max(bounds.start, min(round(wanted), bounds.stop))


def _line(parent: QWidget) -> QFrame:
    line = QFrame(parent)
    line.setFrameShape(QFrame.Shape.HLine)
    line.setFrameShadow(QFrame.Shadow.Plain)
    line.setForegroundRole(line.palette().ColorRole.Mid)
    return line
