"""The chosen goal's questions, and beside them everything that is known of the chosen one.

Owns the table and its splitter. Not owned: which question is chosen (the session), the detail's sections.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QLabel, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from gacc_gui.core.reviewing import ReviewedRow
from gacc_gui.gui.lists.detail_area import DetailArea
from gacc_gui.gui.lists.questions_model import COLUMNS, PLACES, QuestionsModel
from gacc_gui.gui.lists.strip import FLAG, MARGIN, SQUARE, CauseDelegate
from gacc_gui.gui.lists.table import ReadingTable
from gacc_gui.gui.lists.widths import share_width
from gacc_gui.gui.lists.words import cause_name
from gacc_gui.gui.session import Session
from gacc_gui.gui.theme import GRID
from gacc_gui.store.rows import UnitView

NO_GOAL: Final = "Choose a goal to see its questions."
NO_QUESTIONS: Final = "This goal has no questions: it counts in no figure."
_MEASURED: Final = 300
"""Rows that columns are measured by."""
_OPTIONAL: Final = {"rationale": 110, "flags": 80, "fate": 75, "reviewed": 0}
"""Columns that go where the table is narrower than so many letters: the detail has them."""
_SPARED: Final = ("rationale", "flags", "fate", "verdict", "reviewed")
"""Columns that go, in this order, before a text is narrower than `_TEXT_LEAST`."""
_TEXTS: Final = ("question", "references", "answer")
_TEXT_LEAST: Final = 60
"""Pixels below which a text says nothing."""


class QuestionsTable(ReadingTable):
    """Signals: row_chosen(row), stepped(±1)."""

    def __init__(self, model: QuestionsModel, parent: QWidget | None = None) -> None:
        super().__init__("questionsView", "Questions", {"j": 1, "k": -1}, parent)
        self._questions = model
        self._needed: list[int] = []
        self._empty: set[int] = set()
        self.setModel(model)
        self.watch_selection()
        self.setItemDelegateForColumn(PLACES["cause"], CauseDelegate(self))
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        # The goal's order is the only one: a heading must not look as if it gave another.
        self.horizontalHeader().setSectionsClickable(False)
        self.measure()

    def measure(self) -> None:
        """Measure what the columns need, and share out the room."""
        rows = range(min(len(self._questions.rows), _MEASURED))
        self._needed = []
        for place, column in enumerate(COLUMNS):
            texts = {self._questions.text_at(row, column.key) for row in rows}
            if column.key == "cause":
                flag = f" {FLAG}" if any(row.flags for row in self._questions.rows[:_MEASURED]) else ""
                widths = [self.text_width(cause_name(text) + flag) + SQUARE + 2 * MARGIN for text in texts]
            else:
                widths = [self.text_width(text) for text in texts]
            self._needed.append(
                max([self.horizontalHeader().minimumSectionSize(), self.title_width(place), *widths])
            )
        self._empty = {
            PLACES[key] for key in _OPTIONAL if not any(self._questions.text_at(row, key) for row in rows)
        }
        self._share()

    def _share(self) -> None:
        letter = self.fontMetrics().averageCharWidth()
        # A column that says nothing in this unit takes no room from those that do. Where room is short all of
        # these go: the detail beside the table has them whole, and the cause shows that there are flags.
        for key, letters in _OPTIONAL.items():
            place = PLACES[key]
            narrow = self.viewport().width() < letters * letter
            self.setColumnHidden(place, place in self._empty or narrow)
        self.setColumnHidden(PLACES["verdict"], False)
        for key in _SPARED:
            if sum(self._least(place, letter) for place in self._shown()) <= self.viewport().width():
                break
            self.setColumnHidden(PLACES[key], True)
        shown = self._shown()
        needed = [self._needed[place] for place in shown]
        least = [self._least(place, letter) for place in shown]
        if sum(least) > self.viewport().width():
            least = [min(wish, self._least(place, 0)) for place, wish in zip(shown, least, strict=True)]
        for place, width in zip(shown, share_width(self.viewport().width(), needed, least), strict=True):
            self.setColumnWidth(place, width)

    def _shown(self) -> list[int]:
        return [place for place in range(len(COLUMNS)) if not self.isColumnHidden(place)]

    def _least(self, place: int, letter: int) -> int:
        share, needed = COLUMNS[place].least, self._needed[place]
        if share is None:
            return needed
        least = max(share * letter, _TEXT_LEAST) if COLUMNS[place].key in _TEXTS else share * letter
        return min(needed, least)

    # --- Qt ----------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share out the new width."""
        super().resizeEvent(event)
        self._share()


class QuestionsView(QWidget):
    """The questions area. It speaks through the session alone."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._build_ui()
        self._connect()
        self._on_unit_loaded(session.unit)

    def next_question(self) -> None:
        """Choose the next question, if there is one."""
        self._session.step_question(1)

    def previous_question(self) -> None:
        """Choose the previous question, if there is one."""
        self._session.step_question(-1)

    @property
    def table(self) -> QuestionsTable:
        """The table itself: `questionsView` by name."""
        return self._table

    @property
    def model(self) -> QuestionsModel:
        """The table's model."""
        return self._model

    @property
    def detail(self) -> DetailArea:
        """Everything that is known of the chosen question."""
        return self._detail

    def _build_ui(self) -> None:
        self._model = QuestionsModel(self)
        self._table = QuestionsTable(self._model, self)
        self._message = QLabel(NO_GOAL, self)
        self._message.setTextFormat(Qt.TextFormat.PlainText)
        self._message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._message.setWordWrap(True)
        self._message.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        self._detail = DetailArea(self)
        self._splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self._splitter.setObjectName("questionsSplitter")
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self._table)
        self._splitter.addWidget(self._detail)
        self._splitter.setStretchFactor(0, 2)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes([400, 200])
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self._splitter)
        self._stack.addWidget(self._message)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)
        self.setFocusProxy(self._table)

    def _connect(self) -> None:
        self._table.row_chosen.connect(self._on_row_chosen)
        self._table.stepped.connect(self._session.step_question)
        self._session.unit_loaded.connect(self._on_unit_loaded)
        self._session.question_chosen.connect(self._on_question_chosen)
        self._session.reviewed_changed.connect(self._on_reviewed)
        self._session.veil_changed.connect(self._on_reviewed)

    def _reviewed(self) -> dict[str, ReviewedRow]:
        """What reviewers say of the shown unit, by question."""
        view, reviewed = self._session.unit, self._session.reviewed
        if view is None or reviewed is None:
            return {}
        hides, unit = self._session.veil.hides, view.unit
        return {
            row.judged.row[1]: row
            for row in reviewed.rows
            if row.judged.unit == unit and not hides(unit, row.judged.row[1])
        }

    def _on_reviewed(self, _reviewed: object) -> None:
        self._on_unit_loaded(self._session.unit)

    def _on_unit_loaded(self, view: UnitView | None) -> None:
        self._table.keep_quiet(True)
        self._model.set_view(view, self._reviewed())
        self._table.keep_quiet(False)
        self._table.measure()
        if view is None or not view.rows:
            self._message.setText(NO_GOAL if view is None else NO_QUESTIONS)
            self._stack.setCurrentIndex(1)
        else:
            self._stack.setCurrentIndex(0)
        self._on_question_chosen(self._session.question)

    def _on_question_chosen(self, question_id: object) -> None:
        place = self._model.row_of(question_id if isinstance(question_id, str) else None)
        self._table.keep_quiet(True)
        self._table.show_row(place)
        self._table.keep_quiet(False)
        row = self._model.rows[place] if place >= 0 else None
        self._detail.show_question(
            self._session.unit, row, self._reviewed().get(row.question.id) if row else None
        )

    def _on_row_chosen(self, row: int) -> None:
        self._session.choose_question(self._model.rows[row].question.id)
