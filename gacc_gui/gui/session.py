"""What the window looks at: the run, the cells, the filter, the goal, the question, and how texts are shown.

Plain state with signals. Views subscribe and never know each other; whoever sets a value here makes every
view follow. Reads go through `Background`, so setting never waits. Not owned: widgets, the database file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from gacc_gui.core.errors import BadUsage, GaccError
from gacc_gui.core.terms import Terms, terms_of
from gacc_gui.gui.background import Background
from gacc_gui.gui.veil import NO_VEIL, Veil
from gacc_gui.store.rows import CellChoice, QuestionRow, RunSummary, UnitView

if TYPE_CHECKING:
    from gacc_gui.app.reviewing import Reviewed
    from gacc_gui.core.filters import Query
    from gacc_gui.store.reads import Reader


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """How texts and lists are shown. `zoom` in steps of one point, 0 is the ordinary size."""

    mono: bool = False
    zoom: int = 0
    token_shading: bool = False
    invisibles: bool = False
    linked: bool = True
    """Whether the panes scroll together."""
    grouped: bool = False
    """Whether the goals list is grouped by context."""
    others: bool = False
    """Whether the evidence of the goal's other questions is marked, too."""
    as_reviewed: bool = False
    """Whether goals and matrix count by the labels that stand with reviewers' decisions."""
    hints: bool = False
    """Whether what is only like the lost evidence is underlined."""


class Session(QObject):
    """Signals, each with the new value:

    - run_changed(RunSummary | None), choice_changed(CellChoice), query_changed(Query)
    - unit_loaded(UnitView | None), question_chosen(question id | None)
    - options_changed(ViewOptions)
    - reviewed_changed(Reviewed | None): what reviewers decided on the run, read anew (see `reviews`)
    - veil_changed(Veil): other verdicts are hidden from a reviewer than before
    - data_changed(): the database has new rows
    - noticed(str): something to tell in the message strip
    - read_failed(GaccError): something could not be read; told until something is read again
    """

    run_changed = Signal(object)
    choice_changed = Signal(object)
    query_changed = Signal(object)
    unit_loaded = Signal(object)
    question_chosen = Signal(object)
    options_changed = Signal(object)
    reviewed_changed = Signal(object)
    veil_changed = Signal(object)
    data_changed = Signal()
    noticed = Signal(object)
    read_failed = Signal(object)

    def __init__(self, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = background
        self._run: RunSummary | None = None
        self._choice = CellChoice()
        self._query: Query | None = None
        self._unit: UnitView | None = None
        self._whole_unit: UnitView | None = None
        self._wanted_unit: int | None = None
        self._question: str | None = None
        self._wanted_question: str | None = None
        self._options = ViewOptions()
        self._reviewed: Reviewed | None = None
        self._veil = NO_VEIL
        background.failed.connect(self.read_failed)

    @property
    def run(self) -> RunSummary | None:
        """The chosen run."""
        return self._run

    @property
    def terms(self) -> Terms:
        """What things are called in the chosen run."""
        return terms_of(self._run.run.protocol if self._run is not None else None)

    @property
    def choice(self) -> CellChoice:
        """The chosen cells of the run."""
        return self._choice

    @property
    def query(self) -> Query:
        """The filter over goals and questions; empty at first."""
        if self._query is None:
            from gacc_gui.core.filters import parse

            self._query = parse("")
        return self._query

    @property
    def unit(self) -> UnitView | None:
        """The unit that the panes show, without what is hidden from a reviewer."""
        return self._unit

    @property
    def wanted_unit(self) -> int | None:
        """The unit that is being loaded, or else the shown one: what a list marks as chosen."""
        return self._wanted_unit

    @property
    def question(self) -> str | None:
        """The id of the chosen question of the unit."""
        return self._question

    @property
    def question_row(self) -> QuestionRow | None:
        """The chosen question's row of the unit."""
        if self._unit is None:
            return None
        return next((row for row in self._unit.rows if row.question.id == self._question), None)

    @property
    def options(self) -> ViewOptions:
        """How texts and lists are shown."""
        return self._options

    @property
    def reviewed(self) -> Reviewed | None:
        """What reviewers decided on the run; None before it is read."""
        return self._reviewed

    def show_reviewed(self, reviewed: Reviewed | None) -> None:
        """Take what reviewers decided on the run."""
        if reviewed != self._reviewed:
            self._reviewed = reviewed
            self.reviewed_changed.emit(reviewed)

    @property
    def veil(self) -> Veil:
        """Which verdicts are hidden from a reviewer."""
        return self._veil

    def set_veil(self, veil: Veil) -> None:
        """Hide these verdicts, and no others."""
        if veil != self._veil:
            self._veil = veil
            if self._whole_unit is not None:
                self._unit = veil.over_view(self._whole_unit)
            self.veil_changed.emit(veil)

    def choose_run(self, run_id: str | None) -> None:
        """Look at a run of the database; None looks at none."""
        if run_id is None:
            self._background.forget("session.run")
            self.show_run(None)
            return

        def find(reader: Reader) -> RunSummary:
            for summary in reader.runs():
                if summary.run.id == run_id:
                    return summary
            raise BadUsage(f"there is no run {run_id!r} in this database")

        self._background.request("session.run", find, self.show_run)

    def show_run(self, summary: RunSummary | None) -> None:
        """Look at a run whose summary is at hand. Another run begins with all its cells and no goal."""
        another = summary is None or self._run is None or summary.run.id != self._run.run.id
        self._run = summary
        if another:
            self._background.forget("session.unit")
            self._choice = CellChoice()
            self._unit = self._whole_unit = self._wanted_unit = None
            self._question = None
            self.show_reviewed(None)
        self.run_changed.emit(summary)
        if another:
            self.choice_changed.emit(self._choice)
            self.unit_loaded.emit(None)
            self.question_chosen.emit(None)

    def choose_cells(self, choice: CellChoice) -> None:
        """Look at the cells of this choice."""
        if choice != self._choice:
            self._choice = choice
            self.choice_changed.emit(choice)

    def set_query(self, query: Query) -> None:
        """Filter goals and questions."""
        if query != self.query:
            self._query = query
            self.query_changed.emit(query)

    def choose_unit(self, unit: int, question_id: str | None = None) -> None:
        """Load a unit (the store's key) and show it, at a question if one is named."""
        self._wanted_unit = unit
        self._wanted_question = question_id

        def load(reader: Reader) -> UnitView:
            return reader.unit_view(unit)

        self._background.request("session.unit", load, self.show_unit, self._on_unit_failed)

    def _on_unit_failed(self, error: GaccError) -> None:
        # What is shown is again what is wanted, so that the one that failed can be chosen another time.
        self._wanted_unit = self._unit.unit if self._unit is not None else None
        self._background.failed.emit(error)

    def show_unit(self, view: UnitView | None) -> None:
        """Show a unit that is at hand, at the question wanted, else the former one, else the first failed."""
        self._whole_unit = view
        view = self._unit = self._veil.over_view(view) if view is not None else None
        self._wanted_unit = view.unit if view else None
        ids = [row.question.id for row in view.rows] if view else []
        failed = (row.question.id for row in view.rows if row.label != "correct") if view else iter(())
        wanted = (self._wanted_question, self._question)
        self._wanted_question = None
        self._question = next((one for one in wanted if one in ids), None) or next(failed, None)
        if self._question is None and ids:
            self._question = ids[0]
        self.unit_loaded.emit(view)
        self.question_chosen.emit(self._question)

    def choose_question(self, question_id: str | None) -> None:
        """Light a question of the shown unit; None lights none. Another unit's question changes nothing."""
        known = question_id is None or (
            self._unit is not None and any(row.question.id == question_id for row in self._unit.rows)
        )
        if known and question_id != self._question:
            self._question = question_id
            self.question_chosen.emit(question_id)

    def step_question(self, step: int) -> None:
        """Go to the next (1) or previous (-1) question of the unit, stopping at the ends."""
        ids = [row.question.id for row in self._unit.rows] if self._unit else []
        if not ids:
            return
        at = ids.index(self._question) + step if self._question in ids else 0
        self.choose_question(ids[max(0, min(at, len(ids) - 1))])

    def set_options(self, **changes: Any) -> None:
        """Change some of the view options, by their names."""
        options = replace(self._options, **changes)
        if options != self._options:
            self._options = options
            self.options_changed.emit(options)
