"""The view of compaction runs: the cases left, right the chosen case, its budgets, and the methods' figures.

Owns what is read when, and which answer is chosen. The parts know neither the session nor each other. An
answer that is chosen here is the session's unit, and the other way round.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from gacc_gui.app.compaction_viewing import case_view, is_compaction, overview
from gacc_gui.app.compaction_views import AnswerCell, CaseView, Overview
from gacc_gui.core.errors import GaccError
from gacc_gui.core.records import Run
from gacc_gui.gui.background import Background
from gacc_gui.gui.compaction.budget_bars import BudgetsPage
from gacc_gui.gui.compaction.case_page import CasePage
from gacc_gui.gui.compaction.cases_list import CasesList
from gacc_gui.gui.compaction.cases_table import Chosen
from gacc_gui.gui.compaction.context_panes import EVIDENCE, REPLY, SENT
from gacc_gui.gui.compaction.empty_page import LOADING, NO_CASES, NO_RUN, OTHER_RUN, EmptyPage
from gacc_gui.gui.compaction.headline_words import headline_words, reviewed_words
from gacc_gui.gui.compaction.methods_page import MethodsPage
from gacc_gui.gui.compaction.veiling import veiled_case, veiled_overview
from gacc_gui.gui.overlay import Tabs
from gacc_gui.gui.session import Session, ViewOptions
from gacc_gui.gui.side.section import Elided
from gacc_gui.gui.theme import GRID, HALF, UI_POINTS, ui_font

if TYPE_CHECKING:
    from gacc_gui.gui.veil import Veil
    from gacc_gui.store.reads import Reader
    from gacc_gui.store.rows import RunSummary, UnitView

RUN_CHANNEL: Final = "compaction.run"
CASE_CHANNEL: Final = "compaction.case"
PAGES: Final = ("Case", "Budgets", "Methods")
_NO_FOCUS: Final = Qt.FocusPolicy.NoFocus


class CompactionPanel(QWidget):
    """Signals: inspect_asked(): look at the chosen answer in the inspector. Reads only while it is seen."""

    inspect_asked = Signal()

    def __init__(
        self, session: Session, reads: Background, counts: Background, parent: QWidget | None = None
    ) -> None:
        """`counts` reads whole runs, `reads` one case."""
        super().__init__(parent)
        self.setObjectName("compactionPanel")
        self._session, self._reads, self._counts = session, reads, counts
        self._whole: Overview | None = None
        self._whole_case: CaseView | None = None
        self._overview: Overview | None = None
        """The run without what is hidden from a reviewer, and so the case."""
        self._case: CaseView | None = None
        self._units: dict[int, Chosen] = {}
        self._stale = True
        self._build_ui()
        self._connect()
        self._on_options(session.options)
        self._show_headline()

    def _build_ui(self) -> None:
        title = QLabel("Compaction", self)
        title.setFont(ui_font(UI_POINTS + 3))
        self._headline = Elided(self, at_end=True)
        self._headline.setObjectName("compactionHeadline")
        self._reviewed = Elided(self, at_end=True)
        self._reviewed.setObjectName("compactionReviewed")
        lines = QVBoxLayout()
        lines.setSpacing(0)
        lines.addWidget(self._headline)
        lines.addWidget(self._reviewed)
        head = QHBoxLayout()
        head.setContentsMargins(GRID, HALF, GRID, HALF)
        head.setSpacing(2 * GRID)
        head.addWidget(title)
        head.addLayout(lines, 1)
        self.list = CasesList(self)
        self.table = self.list.table
        self.case_page = CasePage(self)
        self.budgets = BudgetsPage(self)
        self.methods = MethodsPage(self)
        self._tabs = Tabs(self)
        self._tabs.setObjectName("compactionPages")
        self._stack = QStackedWidget(self)
        for name, page in zip(PAGES, (self.case_page, self.budgets, self.methods), strict=True):
            self._tabs.addTab(name)
            self._stack.addWidget(page)
        right = QWidget(self)
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._tabs)
        column.addWidget(self._stack, 1)
        self._columns = QSplitter(Qt.Orientation.Horizontal, self)
        self._columns.setChildrenCollapsible(False)
        self._columns.setHandleWidth(HALF)
        self._columns.addWidget(self.list)
        self._columns.addWidget(right)
        for place, stretch in enumerate((9, 11)):
            self._columns.setStretchFactor(place, stretch)
        self._columns.setSizes([450, 550])
        self._empty = EmptyPage(self)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self._columns)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self._pages, 1)
        self.setFocusProxy(self.table)

    def _connect(self) -> None:
        self.table.cell_chosen.connect(self._on_cell)
        self.table.opened.connect(self.inspect)
        self.case_page.answer_chosen.connect(self._on_answer)
        self.case_page.inspect_asked.connect(self.inspect)
        self.case_page.context.zoom_asked.connect(self._on_zoom)
        self._tabs.currentChanged.connect(self._stack.setCurrentIndex)
        self._session.run_changed.connect(self._on_changed)
        self._session.data_changed.connect(self._on_changed)
        self._session.reviewed_changed.connect(self._show_headline)
        self._session.veil_changed.connect(self._on_veil)
        self._session.unit_loaded.connect(self._on_unit)
        self._session.options_changed.connect(self._on_options)

    # --- what the window asks for ------------------------------------------------------------------

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being looked for in the texts."""
        return self.case_page.context.is_idle

    @property
    def overview(self) -> Overview | None:
        """The run that is shown."""
        return self._overview

    @property
    def case(self) -> CaseView | None:
        """The case that is shown in full."""
        return self._case

    def headline(self) -> str:
        """What stands above everything."""
        return self._headline.text()

    def reviewed_text(self) -> str:
        """What stands there of the figures as reviewed; empty where nothing was."""
        return self._reviewed.text()

    def message(self) -> str:
        """What is said where there is nothing to show; empty otherwise."""
        return self._empty.text() if self._pages.currentWidget() is self._empty else ""

    def show_page(self, name: str) -> None:
        """Show the page `Case`, `Budgets` or `Methods`."""
        self._tabs.setCurrentIndex(PAGES.index(name))

    def show_mode(self, mode: str) -> None:
        """Show the context's evidence, the messages as sent, or the raw reply; again: the evidence."""
        self.show_page("Case")
        context = self.case_page.context
        context.show_mode(EVIDENCE if context.mode == mode else mode)

    def toggle_sent(self) -> None:
        """Show what was sent word for word, or again the evidence."""
        self.show_mode(SENT)

    def toggle_reply(self) -> None:
        """Show the raw reply of the chosen answer, or again the evidence."""
        self.show_mode(REPLY)

    def step_fact(self, step: int) -> None:
        """Go to the next (1) or previous (-1) supporting fact."""
        self.show_page("Case")
        self.case_page.facts.step(step)

    def step_find(self, step: int) -> None:
        """Go to the next or previous hit in the texts; 0 opens the find bar."""
        self.show_page("Case")
        if step:
            self.case_page.context.step_find(step)
        else:
            self.case_page.context.open_find()

    def step_part(self, step: int) -> None:
        """Give the keyboard to the next or previous part, round the view."""
        page = self.case_page
        stops = [
            *(self.list.filter, self.table, page.question, page.facts, *page.context.panes, page.answers),
            *(self.budgets, self.methods),
        ]
        stops = [stop for stop in stops if stop.isVisible() and stop.focusPolicy() != _NO_FOCUS]
        here = QApplication.focusWidget()
        at = next(
            (n for n, stop in enumerate(stops) if here is not None and stop in (here, here.parentWidget())),
            None,
        )
        start = (0 if step > 0 else -1) if at is None else at + step
        if stops:
            stops[start % len(stops)].setFocus(Qt.FocusReason.TabFocusReason)

    def inspect(self) -> None:
        """Ask for the inspector, at the chosen answer."""
        cell = self._cell(self.table.chosen)
        if cell is not None and cell.unit is not None:
            self.inspect_asked.emit()
        else:
            self._session.noticed.emit("This answer is not there (yet).")

    def shutdown(self) -> None:
        """Stop the work beside the GUI thread."""
        self.case_page.context.shutdown()

    # --- reading -----------------------------------------------------------------------------------

    def _on_changed(self, _value: object = None) -> None:
        self._stale = True
        if self.isVisible():
            self._read()

    def _read(self) -> None:
        self._stale = False
        summary: RunSummary | None = self._session.run
        if summary is None or not is_compaction(summary.run):
            self._counts.forget(RUN_CHANNEL)
            self.show_overview(None)
            self._say(NO_RUN if summary is None else OTHER_RUN)
            return
        if self._overview is None or self._overview.run.id != summary.run.id:
            self.show_overview(None)
            self._say(LOADING)
        self._counts.request(
            RUN_CHANNEL, partial(_read_run, summary.run), self.show_overview, self._on_failed
        )

    def _on_failed(self, error: GaccError) -> None:
        self._say(str(error))

    def _say(self, sentence: str) -> None:
        self._empty.say(sentence)
        self._pages.setCurrentWidget(self._empty)

    def show_overview(self, found: Overview | None) -> None:
        """Show a run; None shows none."""
        another = found is None or self._overview is None or found.run.id != self._overview.run.id
        self._whole = found
        found = self._overview = veiled_overview(found, self._session.veil)
        self._units = {}
        if found is not None:
            every = (cell for case in found.cases for some in case.cells.values() for cell in some)
            for one in every:
                if one.unit is not None:
                    self._units.setdefault(one.unit, Chosen.of(one))
        if another:
            self._reads.forget(CASE_CHANNEL)
            self._show_case(None)
            self.table.choose(None)
        self.list.show_overview(found)
        self.methods.show_overview(found)
        self._show_headline()
        if found is None:
            return
        if not found.cases:
            self._say(NO_CASES)
            return
        self._pages.setCurrentWidget(self._columns)
        wanted = self._wanted()
        self.table.choose(wanted)
        self._read_case()
        cell = self._cell(wanted)
        if another and cell is not None:
            self._tell_session(cell)

    def _show_headline(self, _value: object = None) -> None:
        found, reviewed = self._overview, self._session.reviewed
        run = self._session.run
        # Of another run's reviews there is nothing to say here.
        is_its = found is not None and run is not None and run.run.id == found.run.id
        said = reviewed_words(found, reviewed) if found is not None and is_its else ""
        words = headline_words(found, is_judged=bool(said)) if found is not None else ""
        self._headline.set_text(words)
        self._reviewed.set_text(said)
        self._reviewed.setVisible(bool(said))

    def _wanted(self) -> Chosen | None:
        """The session's unit if it is one of the run's, else what was chosen, else the first answer."""
        unit = self._session.wanted_unit
        chosen = self.table.chosen
        cell = self._cell(chosen)
        if unit is not None and unit in self._units and (cell is None or cell.unit != unit):
            return self._units[unit]
        if cell is not None:
            return chosen
        return self.list.first()

    def _read_case(self) -> None:
        chosen, found = self.table.chosen, self._overview
        if chosen is not None and found is not None:
            work = partial(_read_case, found.run, chosen.case)
            self._reads.request(CASE_CHANNEL, work, self._show_case)

    def _on_veil(self, veil: Veil) -> None:
        found = veiled_overview(self._whole, veil)
        if found != self._overview:
            self._overview = found
            self.list.show_overview(found)
            self.methods.show_overview(found)
            self._show_headline()
            self._show_case(self._whole_case)

    def _show_case(self, case: CaseView | None) -> None:
        self._whole_case = case
        case = self._case = veiled_case(case, self._session.veil)
        self.case_page.show_case(case, self.table.chosen)
        self.budgets.show_case(case)

    # --- choosing ----------------------------------------------------------------------------------

    def _cell(self, chosen: Chosen | None) -> AnswerCell | None:
        case = self._overview.case(chosen.case) if self._overview is not None and chosen is not None else None
        if case is None or chosen is None:
            return None
        return next((cell for cell in case.cells.get(chosen.method, ()) if Chosen.of(cell) == chosen), None)

    def _on_cell(self, chosen: Chosen) -> None:
        if self._case is not None and self._case.id == chosen.case:
            self._reads.forget(CASE_CHANNEL)
            self.case_page.show_case(self._case, chosen)
        else:
            self._read_case()
        cell = self._cell(chosen)
        if cell is not None:
            self._tell_session(cell)

    def _tell_session(self, cell: AnswerCell) -> None:
        if cell.unit is not None and cell.unit != self._session.wanted_unit:
            self._session.choose_unit(cell.unit, cell.case)

    def _on_answer(self, generation: int, repeat: int) -> None:
        chosen = self.table.chosen
        if chosen is not None:
            another = Chosen(chosen.case, chosen.method, generation, repeat)
            self.table.choose(another)
            self._on_cell(another)

    def _on_unit(self, view: UnitView | None) -> None:
        """Follow the inspector; an answer without a unit of its own has that of its context."""
        if view is None or self._overview is None or view.unit not in self._units or not self.isVisible():
            return
        cell = self._cell(self.table.chosen)
        if cell is None or cell.unit != view.unit:
            self.table.choose(self._units[view.unit])
            self._read_case()

    def _on_zoom(self, steps: int) -> None:
        self._session.set_options(zoom=max(-5, min(self._session.options.zoom + steps, 24)))

    def _on_options(self, options: ViewOptions) -> None:
        self.case_page.context.show_options(options)

    # --- Qt ----------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Read what changed while the view was hidden, and follow the session's unit."""
        super().showEvent(event)
        if self._stale:
            self._read()
        else:
            self._on_unit(self._session.unit)


def _read_run(run: Run, reader: Reader) -> Overview:
    return overview(reader, run)


def _read_case(run: Run, case_id: str, reader: Reader) -> CaseView | None:
    return case_view(reader, run, case_id)
