"""The goals of the chosen run and cells, with how many there are and what to do when there are none.

Owns the list's order, its grouping and its reads. Not owned: the filter (FilterEdit), the texts of a goal.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from gacc_gui.core.errors import GaccError
from gacc_gui.gui.background import Background
from gacc_gui.gui.lists.goals_head import GoalsHead
from gacc_gui.gui.lists.goals_model import COLUMNS, GoalsModel
from gacc_gui.gui.lists.goals_reads import (
    FIRST_SORT,
    AskedList,
    ReadList,
    find_failing,
    read_list,
    read_rows,
)
from gacc_gui.gui.lists.goals_table import GoalsTable
from gacc_gui.gui.lists.signs import decided_in, signs_of
from gacc_gui.gui.lists.words import counted
from gacc_gui.gui.session import Session, ViewOptions
from gacc_gui.gui.theme import GRID, HALF
from gacc_gui.gui.themed_label import ThemedLabel
from gacc_gui.gui.veil import Veil
from gacc_gui.store.rows import CellChoice, GoalRow, RunSummary, UnitView

if TYPE_CHECKING:
    from gacc_gui.app.reviewing import Reviewed
    from gacc_gui.core.filters import Query
    from gacc_gui.store.rows import Decided

OPENING: Final = "Opening the database …"
NO_RUN: Final = "No run is open.\nOpen run files, or choose a run above."
NO_GOALS: Final = "This run has no goals in these cells.\nChoose other cells, or another run."
NO_GOALS_AT_ALL: Final = "This run has no goals."
NO_QUESTIONS: Final = (
    "The goals of this run have no questions:\nthere is nothing that could be right or wrong."
)
NO_MEMORIES: Final = "This run has no memories yet."
NO_MATCH: Final = "No {0.unit} matches.\nClear the filter."
STILL_SHOWN: Final = "The texts are still those of the {0.unit} before."
ELSEWHERE: Final = "without the shown one"
HIDDEN: Final = "{:,} hidden in part"
HIDDEN_TOLD: Final = (
    "Of some {0.unit}s a {0.verdict} is hidden until you have decided: they stand last in orders by what is"
    " right, and no filter on {0.verdict}s finds them."
)


class GoalsView(QWidget):
    """The goals list. It speaks through the session alone: units and questions are chosen there.

    Signals: listed(): a list was read and is shown, or could not be read, which is told.
    """

    listed = Signal()

    def __init__(self, session: Session, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._background = background
        self._sort = FIRST_SORT
        self._descending = False
        self._total: int | None = None
        self._shown_run: str | None = None
        self._wanted_square: tuple[int, int] | None = None
        self._is_opening = False
        self._listed: Decided | None = None
        self._ahead: tuple[AskedList, ReadList] | None = None
        self._build_ui()
        self._connect()
        self._refresh_soon()

    def next_failing(self) -> None:
        """Choose the next goal below that is not all-right, from the top again after the last."""
        self._step_failing(1)

    def previous_failing(self) -> None:
        """Choose the next goal above that is not all-right."""
        self._step_failing(-1)

    def sort_by(self, key: str, descending: bool = False) -> None:
        """Order the list by a column of the store: away, goal, correct, cell, budget, tail, context."""
        self._sort, self._descending = key, descending
        self._table.show_order(key, descending)
        self._refresh_soon()

    def expect_run(self) -> None:
        """Say that a database is being opened, until a run is shown or none is."""
        self._is_opening = True

    def know_list(self, asked: AskedList, found: ReadList) -> None:
        """Take a list that was read ahead: it is shown when it is the next that would be read."""
        self._ahead = asked, found

    @property
    def table(self) -> GoalsTable:
        """The table itself: `goalsView` by name."""
        return self._table

    @property
    def model(self) -> GoalsModel:
        """The list's model."""
        return self._model

    def _build_ui(self) -> None:
        self._head = GoalsHead(self._session, self)
        self._model = GoalsModel(self)
        self._table = GoalsTable(self._model, self)
        self._table.show_order(self._sort, self._descending)
        self._message = ThemedLabel("text", self)
        self._message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._message.setWordWrap(True)
        self._message.setObjectName("goalsMessage")
        self._clear = QPushButton("Clear the filter", self)
        empty = QWidget(self)
        column = QVBoxLayout(empty)
        column.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        column.setSpacing(GRID)
        column.addStretch(1)
        column.addWidget(self._message)
        column.addWidget(self._clear, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(2)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self._table)
        self._stack.addWidget(empty)

        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(HALF)
        layout.addWidget(self._head)
        layout.addWidget(self._stack, 1)
        self.setFocusProxy(self._table)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._show_message(NO_RUN)

    def _connect(self) -> None:
        self._soon.timeout.connect(self._on_refresh)
        self._model.rows_wanted.connect(self._on_rows_wanted)
        self._table.row_chosen.connect(self._on_row_chosen)
        self._table.square_chosen.connect(self._on_square_chosen)
        self._table.order_chosen.connect(self._on_order_chosen)
        self._table.stepped.connect(self._step_failing)
        self._clear.clicked.connect(self._on_clear)
        session = self._session
        session.run_changed.connect(self._on_run_changed)
        session.choice_changed.connect(self._on_choice_changed)
        session.query_changed.connect(self._on_query_changed)
        session.unit_loaded.connect(self._on_unit_loaded)
        session.question_chosen.connect(self._on_question_chosen)
        session.options_changed.connect(self._on_options_changed)
        session.reviewed_changed.connect(self._on_reviewed)
        session.veil_changed.connect(self._on_reviewed)
        session.data_changed.connect(self._on_data_changed)

    # --- reading the list --------------------------------------------------------------------------

    def _refresh_soon(self) -> None:
        # Run, cells and filter may all change at once: one read answers them together.
        self._soon.start()

    def _on_refresh(self) -> None:
        run = self._session.run
        if run is None:
            self._background.forget("goals.list")
            self._background.forget("goals.rows")
            self._shown_run = None
            self._model.set_units(())
            self._show_message(OPENING if self._is_opening else NO_RUN)
            return
        if run.run.id != self._shown_run:
            self._shown_run = run.run.id
            self._background.forget("goals.rows")
            self._model.set_units(())
            self._head.say("Reading the goals …")
            self._stack.setCurrentIndex(0)
        asked = AskedList(
            run_id=run.run.id,
            choice=self._session.choice,
            query=self._session.query,
            sort=self._sort,
            descending=self._descending,
            grouped=self._session.options.grouped,
            unit=self._chosen_unit(),
            total=self._total,
            decided=decided_in(self._session),
        )
        self._listed = asked.decided
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead[0] == asked:
            self._on_list_read(ahead[1])
        else:
            work = partial(read_list, asked)
            self._background.request("goals.list", work, self._on_list_read, self._on_failed)

    def _on_list_read(self, found: ReadList) -> None:
        self._background.forget("goals.rows")
        self._total = found.total
        self._table.show_columns(
            context=self._session.options.grouped,
            cell=found.several_cells,
        )
        self._model.show_revisions(found.several_revisions)
        self._model.show_terms(self._session.terms)
        self._table.keep_quiet(True)
        if found.units == self._model.units:
            # The same list with new figures: whoever reads further down stays there.
            self._model.refresh_rows(found.rows)
        else:
            self._model.set_units(found.units, found.rows)
        self._table.show_unit(self._chosen_unit())
        self._table.keep_quiet(False)
        self._mark_question()
        self._table.fit_columns()
        self._show_count()
        if found.units:
            self._stack.setCurrentIndex(0)
        elif found.total:
            terms = self._session.terms
            still = f"\n\n{STILL_SHOWN.format(terms)}" if self._session.unit is not None else ""
            self._show_message(NO_MATCH.format(terms) + still, clear=True)
        else:
            self._show_message(self._nothing_words(found))
        if found.units and self._chosen_unit() is None:
            self._session.choose_unit(found.units[0])
        self.listed.emit()

    def _nothing_words(self, found: ReadList) -> str:
        """Say why there is nothing to list, whatever the filter is."""
        run = self._session.run
        if run is None or not run.goals:
            return NO_GOALS_AT_ALL
        if not run.questions:
            return NO_QUESTIONS
        return NO_GOALS if found.cells else NO_MEMORIES

    def _show_count(self) -> None:
        """Say how many are listed, of how many; and where the shown goal is none of those."""
        units, chosen = self._model.units, self._chosen_unit()
        words = _count_words(len(units), self._total or 0, self._session.terms.unit)
        is_elsewhere = bool(units) and chosen is not None and self._model.row_of(chosen) < 0
        hidden = len(self._listed.hidden) if self._listed is not None else 0
        told = [words, ELSEWHERE if is_elsewhere else "", HIDDEN.format(hidden) if hidden else ""]
        hint = HIDDEN_TOLD.format(self._session.terms) if hidden else ""
        self._head.say(", ".join(filter(None, told)), hint)

    def _on_failed(self, error: GaccError) -> None:
        self._show_message(str(error))
        self._session.read_failed.emit(error)
        self.listed.emit()

    def _on_rows_wanted(self, units: tuple[int, ...]) -> None:
        self._background.request(
            "goals.rows", partial(read_rows, units, self._listed), self._on_rows_read, self._on_rows_failed
        )

    def _on_rows_read(self, rows: Sequence[GoalRow]) -> None:
        self._model.add_rows(rows)
        self._table.fit_columns()

    def _on_rows_failed(self, error: GaccError) -> None:
        self._model.give_up_rows()
        self._session.read_failed.emit(error)

    def _show_message(self, text: str, *, clear: bool = False) -> None:
        self._message.setText(text)
        self._clear.setVisible(clear)
        self._stack.setCurrentIndex(1)
        if not self._session.run:
            self._head.say("")

    # --- choosing ----------------------------------------------------------------------------------

    def _chosen_unit(self) -> int | None:
        return self._session.wanted_unit

    def _on_row_chosen(self, row: int) -> None:
        unit = self._model.units[row]
        if unit != self._chosen_unit():
            self._wanted_square = None
            self._session.choose_unit(unit)

    def _on_square_chosen(self, row: int, place: int) -> None:
        unit = self._model.units[row]
        shown = self._session.unit
        if shown is not None and shown.unit == unit:
            self._choose_place(shown, place)
        else:
            self._wanted_square = (unit, place)
            if unit != self._chosen_unit():
                self._session.choose_unit(unit)

    def _choose_place(self, view: UnitView, place: int) -> None:
        if place < len(view.rows):
            self._session.choose_question(view.rows[place].question.id)

    def _on_unit_loaded(self, view: UnitView | None) -> None:
        wanted, self._wanted_square = self._wanted_square, None
        if view is not None and wanted is not None and wanted[0] == view.unit:
            self._choose_place(view, wanted[1])
        self._table.keep_quiet(True)
        self._table.show_unit(view.unit if view else None)
        self._table.keep_quiet(False)
        if view is not None and self._model.units and self._total is not None:
            self._show_count()
        self._mark_question()

    def _on_question_chosen(self, question_id: object) -> None:
        self._mark_question()

    def _mark_question(self) -> None:
        view, chosen = self._session.unit, self._session.question
        row = self._model.row_of(view.unit) if view else -1
        ids = [each.question.id for each in view.rows] if view else []
        self._table.mark_square(row, ids.index(chosen) if chosen in ids else None)

    def _step_failing(self, step: int) -> None:
        units = self._model.units
        if not units:
            return
        at = self._table.chosen_row()
        start = at if at >= 0 else (-1 if step > 0 else 0)
        work = partial(find_failing, units, start, step, self._listed)
        self._background.request("goals.step", work, self._on_failing_found)

    def _on_failing_found(self, unit: int | None) -> None:
        if unit is None:
            self._session.noticed.emit(f"No {self._session.terms.unit} in this list fails.")
        elif self._model.row_of(unit) >= 0:
            self._table.show_unit(unit)

    # --- what the session says ---------------------------------------------------------------------

    def _on_run_changed(self, run: RunSummary | None) -> None:
        self._is_opening = False
        self._total = None
        self._refresh_soon()

    def _on_choice_changed(self, choice: CellChoice) -> None:
        self._total = None
        self._refresh_soon()

    def _on_query_changed(self, query: Query) -> None:
        self._refresh_soon()

    def _on_data_changed(self) -> None:
        self._total = None
        self._refresh_soon()

    def _on_options_changed(self, options: ViewOptions) -> None:
        if options.grouped == self._table.isColumnHidden(0):
            self._refresh_soon()
        else:
            self._refresh_if_counted()

    def _on_reviewed(self, _value: Reviewed | Veil | None) -> None:
        self._show_signs()
        self._refresh_if_counted()

    def _refresh_if_counted(self) -> None:
        # Where decisions neither count nor are asked for, they are marked, and the list stays; but not where
        # something else is hidden.
        if decided_in(self._session) != self._listed:
            self._refresh_soon()

    def _show_signs(self) -> None:
        self._model.show_signs(signs_of(self._session))

    def _on_order_chosen(self, section: int) -> None:
        key = COLUMNS[section].sort
        if key is not None:
            self.sort_by(key, not self._descending if key == self._sort else False)

    def _on_clear(self) -> None:
        from gacc_gui.core.filters import parse

        self._session.set_query(parse(""))
        self._table.setFocus()


def _count_words(shown: int, total: int, what: str) -> str:
    return counted(shown, what) if shown == total else f"{shown:,} of {counted(total, what)}"
