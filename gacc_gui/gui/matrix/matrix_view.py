"""The matrix view: a goal's questions over all cells of the run, and the way to each unit.

Owns which goal is looked at and the walk through goals. It follows the goal that the session shows; walking
on does not change it until a place is chosen.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QModelIndex, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from gacc_gui.core.errors import GaccError
from gacc_gui.gui.background import Background
from gacc_gui.gui.lists.goals_head import AS_REVIEWED, as_judged
from gacc_gui.gui.lists.signs import Signs, decided_in, signs_of
from gacc_gui.gui.lists.words import counted
from gacc_gui.gui.matrix.matrix_model import MatrixModel
from gacc_gui.gui.matrix.matrix_table import MatrixTable
from gacc_gui.gui.overlay import toggle_button
from gacc_gui.gui.session import Session, ViewOptions
from gacc_gui.gui.side.section import Elided, remark
from gacc_gui.gui.theme import GRID, HALF, UI_POINTS, ui_font
from gacc_gui.store.rows import RunSummary, UnitView

if TYPE_CHECKING:
    from gacc_gui.app.matrix import RunGoals, Shown
    from gacc_gui.core.matrix import Matrix
    from gacc_gui.core.terms import Terms
    from gacc_gui.store.reads import Reader
    from gacc_gui.store.rows import Decided

CHANNEL: Final = "matrix"
GOALS_CHANNEL: Final = "matrix.goals"
NO_GOAL: Final = "This run has no {0.goal} with a question."
HINT: Final = "Enter or a double-click goes to the row; ▲ gained against the smaller budget before, ▼ lost."
HINT_OF_CASES: Final = "Enter or a double-click goes to the answer."


class MatrixView(QWidget):
    """Signals: unit_entered(): a place was chosen and its unit is to be seen. It reads only while seen."""

    unit_entered = Signal()

    def __init__(self, session: Session, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("matrixView")
        self._session = session
        self._background = background
        self._goal: str | None = None
        self._goals: RunGoals | None = None
        self._decided: Decided | None = None
        """By which decisions, and without what, the goals were read."""
        self._stale = True
        self._as_reviewed = session.options.as_reviewed
        self._build_ui()
        self._connect()
        self._show_terms()
        self._show_goals(None)
        self._say("No run is open. Open run files first.")

    def _build_ui(self) -> None:
        self._title = Elided(self, at_end=True)
        self._title.setFont(ui_font(UI_POINTS + 3))
        self._previous = _button("", "", self)
        self._next = _button("", "", self)
        self._next_lost = _button("Next ▼", "The next goal of which a larger budget loses a question", self)
        self._together = toggle_button("Repeats together", self)
        head = QHBoxLayout()
        head.setSpacing(HALF)
        head.addWidget(self._title, 1)
        for button in (self._together, self._previous, self._next, self._next_lost):
            head.addWidget(button)
        self._model = MatrixModel(self)
        self._table = MatrixTable(self._model, self)
        self._facts = remark(self)
        self._facts.setObjectName("matrixFacts")
        self._words = Elided(self, at_end=True)
        self._words.setObjectName("matrixWords")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID)
        layout.setSpacing(GRID)
        layout.addLayout(head)
        layout.addWidget(self._facts)
        layout.addWidget(self._table, 1)
        layout.addWidget(self._words)
        self.setFocusProxy(self._table)

    def _show_terms(self) -> None:
        """Use the words of the run's benchmark; without budgets nothing turns between them."""
        terms = self._session.terms
        self._previous.setText(f"◂ {terms.goal.capitalize()}")
        self._previous.setToolTip(f"The {terms.goal} before")
        self._next.setText(f"{terms.goal.capitalize()} ▸")
        self._next.setToolTip(f"The next {terms.goal}")
        self._next_lost.setVisible(terms.by_budget)
        self._together.setText(f"{terms.repeat.capitalize()}s together")
        self._together.setToolTip(
            f"One column a {terms.cell}: generations and {terms.repeat}s summed, “2/3” where they differ"
        )

    def _connect(self) -> None:
        self._previous.clicked.connect(self.previous_goal)
        self._next.clicked.connect(self.next_goal)
        self._next_lost.clicked.connect(self.next_lost)
        self._together.toggled.connect(self._on_toggled)
        self._table.activated.connect(self._on_activated)
        self._table.selectionModel().currentChanged.connect(self._on_current_changed)
        self._session.run_changed.connect(self._on_run_changed)
        self._session.unit_loaded.connect(self._on_unit_loaded)
        self._session.data_changed.connect(self._on_data_changed)
        self._session.reviewed_changed.connect(self._on_decided)
        self._session.veil_changed.connect(self._on_decided)
        self._session.options_changed.connect(self._on_options)

    @property
    def table(self) -> MatrixTable:
        """The table."""
        return self._table

    @property
    def model(self) -> MatrixModel:
        """Its model."""
        return self._model

    @property
    def goal_id(self) -> str | None:
        """The goal that is looked at."""
        return self._goal

    def show_goal(self, goal_id: str | None) -> None:
        """Look at a goal of the run."""
        self._goal = goal_id
        self._stale = True
        if self.isVisible():
            self._read()

    def next_goal(self) -> None:
        """Look at the next goal."""
        self._step(1, lost=False)

    def previous_goal(self) -> None:
        """Look at the goal before."""
        self._step(-1, lost=False)

    def next_lost(self) -> None:
        """Look at the next goal of which a larger budget loses a question."""
        self._step(1, lost=True)

    def _step(self, step: int, *, lost: bool) -> None:
        goals = self._goals
        if goals is None or not goals.ids:
            return
        at = goals.ids.index(self._goal) if self._goal in goals.ids else -1 if step > 0 else 0
        for number in range(1, len(goals.ids) + 1):
            goal = goals.ids[(at + step * number) % len(goals.ids)]
            if not lost or goal in goals.lost:
                self.show_goal(goal)
                return
        self._words.set_text("No goal of this run has a question that a larger budget loses.", "muted")

    # --- reading -----------------------------------------------------------------------------------

    def _on_run_changed(self, _summary: RunSummary | None) -> None:
        self._show_terms()
        self._goals = None
        self.show_goal(None)

    def _on_data_changed(self) -> None:
        self._goals = None
        self.show_goal(self._goal)

    def _on_decided(self, _value: object) -> None:
        self.show_goal(self._goal)

    def _on_options(self, options: ViewOptions) -> None:
        if options.as_reviewed != self._as_reviewed:
            self._as_reviewed = options.as_reviewed
            self.show_goal(self._goal)

    def _on_unit_loaded(self, view: UnitView | None) -> None:
        if view is not None and view.goal.id != self._goal:
            self.show_goal(view.goal.id)

    def _read(self) -> None:
        self._stale = False
        run = self._session.run
        if run is None:
            self._background.forget(CHANNEL)
            self._background.forget(GOALS_CHANNEL)
            self._show_goals(None)
            self._say("No run is open. Open run files first.")
            return
        decided = decided_in(self._session)
        if self._goals is None or decided != self._decided:
            self._decided = decided
            self._background.request(GOALS_CHANNEL, partial(_read_goals, run.run.id, decided), self._on_goals)
        if self._goal is None:
            # The first goal is looked at as soon as they are known.
            self._say(
                NO_GOAL.format(self._session.terms)
                if self._goals is not None and not self._goals.ids
                else f"Looking for the {self._session.terms.goal}s…"
            )
            return
        signs = signs_of(self._session)
        shown = signs.as_counted if self._as_reviewed else signs.strip
        work = partial(_read_matrix, run.run.id, self._goal, self._together.isChecked(), shown)
        self._background.request(CHANNEL, work, partial(self._on_matrix, signs), self._on_failed)

    def _on_goals(self, goals: RunGoals) -> None:
        self._show_goals(goals)
        if self._goal is None and goals.ids:
            self.show_goal(goals.ids[0])
        elif self._goal is None:
            self._say(NO_GOAL.format(self._session.terms))

    def _show_goals(self, goals: RunGoals | None) -> None:
        self._goals = goals
        for button in (self._previous, self._next):
            button.setEnabled(goals is not None and len(goals.ids) > 1)
        self._next_lost.setEnabled(goals is not None and bool(goals.lost))
        self._next_lost.setText("Next ▼" if goals is None else f"Next ▼ ({len(goals.lost):,})")

    def _on_failed(self, error: GaccError) -> None:
        self._say(str(error))

    def _say(self, words: str) -> None:
        self._model.show_matrix(None)
        self._together.setEnabled(False)
        self._title.set_text("Matrix")
        self._facts.setText(words)
        self._words.set_text("")

    def _on_matrix(self, signs: Signs, matrix: Matrix) -> None:
        terms = signs.terms
        self._model.show_matrix(matrix, signs)
        self._table.fit()
        heading = matrix.goal_text
        if terms.one_question and matrix.questions:  # the task is the same in every case
            heading = matrix.questions[0].text
        self._title.set_text(f"{matrix.goal_id} · {heading}")
        self._together.setEnabled(matrix.has_repeats)
        cells = len({column.cell for column in matrix.columns})
        units = sum(len(column.units) for column in matrix.columns)
        named = f"{units:,} {'answers' if terms.one_question else 'units'}"
        of_units = f" in {named}" if units != cells else ""
        decided = any(one.unit in signs.decided for column in matrix.columns for one in column.units)
        labels = f" Labels {AS_REVIEWED if self._as_reviewed else as_judged(terms)}." if decided else ""
        questions, over = counted(len(matrix.questions), "question"), counted(cells, terms.cell)
        self._facts.setText(f"{questions} over {over}{of_units}; {_found_words(matrix, terms)}.{labels}")
        self._words.set_text(self._hint() if matrix.columns else "", "muted")
        self._show_current()

    def _hint(self) -> str:
        return HINT if self._session.terms.by_budget else HINT_OF_CASES

    def _show_current(self) -> None:
        """Stand on the unit and question that the session shows."""
        matrix, unit = self._model.matrix, self._session.unit
        if matrix is None or not matrix.questions or not matrix.columns:
            return
        row, column = 0, 1
        if unit is not None:
            ids = [question.question_id for question in matrix.questions]
            row = ids.index(self._session.question) if self._session.question in ids else 0
            for number, one in enumerate(matrix.columns, 1):
                if unit.unit in [member.unit for member in one.units]:
                    column = number
        self._table.setCurrentIndex(self._model.index(row, column))
        self._table.scrollTo(self._table.currentIndex(), MatrixTable.ScrollHint.PositionAtCenter)

    # --- what the person does ----------------------------------------------------------------------

    def _on_toggled(self, _on: bool) -> None:
        self._read()

    def _on_current_changed(self, index: QModelIndex, _before: QModelIndex) -> None:
        words = self._model.words(index)
        if words:
            self._words.set_text(words)
        else:
            self._words.set_text(self._hint(), "muted")

    def _on_activated(self, index: QModelIndex) -> None:
        matrix, column = self._model.matrix, self._model.column_of(index)
        if matrix is not None and column is not None:
            question = matrix.questions[index.row()].question_id
            self._session.choose_unit(column.units[0].unit, question)
            self.unit_entered.emit()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        if event.type() == QEvent.Type.PaletteChange and self.isVisible():
            self._table.fit()
        super().changeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Read what changed while the view was hidden."""
        super().showEvent(event)
        self._table.fit()
        if self._stale:
            self._read()


def _found_words(matrix: Matrix, terms: Terms) -> str:
    """Say what a matrix comes to; of what is hidden in it, only how much there is."""
    unseen = f", {matrix.hidden:,} hidden until you have decided (?)" if matrix.hidden else ""
    if not matrix.questions:
        return "there is nothing to lay out"
    if not terms.by_budget:
        right = sum(place.right for row in matrix.places for place in row)
        seen = sum(len(column.units) for column in matrix.columns) - matrix.hidden
        return (f"{right:,} of {counted(seen, terms.unit)} right" if seen else "none in sight") + unseen
    if not matrix.compared:
        return "none has a verdict at two budgets of one compressor to compare" + unseen
    lost = sum(1 for row in range(len(matrix.questions)) if matrix.turns(row)[1])
    if lost:
        are = "is" if lost == 1 else "are"
        return f"{counted(lost, 'question')} {are} not monotone in the budget{unseen}"
    if unseen:
        unseen = f" as far as is in sight{unseen}"
    return "every question is monotone in the budget" + unseen


def _button(text: str, hint: str, parent: QWidget) -> QToolButton:
    button = QToolButton(parent)
    button.setText(text)
    button.setToolTip(hint)
    button.setAutoRaise(True)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


def _read_goals(run_id: str, decided: Decided | None, reader: Reader) -> RunGoals:
    from gacc_gui.app.matrix import run_goals

    return run_goals(reader, run_id, decided)


def _read_matrix(run_id: str, goal_id: str, together: bool, shown: Shown, reader: Reader) -> Matrix:
    from gacc_gui.app.matrix import matrix_of

    return matrix_of(reader, run_id, goal_id, together=together, shown=shown)
