"""One case in full: its question with gold, its supporting facts, a context with its budget, the answers.

Owns where these stand. Not owned: reading a case, and which of its answers is chosen (the panel).
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from gacc_gui.app.compaction_views import AnswerView, CaseView, ContextView
from gacc_gui.gui.compaction.answers_view import AnswersView
from gacc_gui.gui.compaction.budget_bars import BudgetBar, budget_of, budget_words
from gacc_gui.gui.compaction.cases_table import Chosen
from gacc_gui.gui.compaction.context_panes import ContextPanes
from gacc_gui.gui.compaction.facts_list import FactsList
from gacc_gui.gui.compaction.question_head import QuestionHead
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.lists.words import joined
from gacc_gui.gui.side.section import Elided, remark
from gacc_gui.gui.theme import GRID, HALF

NO_CASE = "Choose a case in the list.\nIts contexts and answers are shown here."


class CasePage(QWidget):
    """Signals: answer_chosen(generation, repeat); inspect_asked(): look at the answer in the inspector."""

    answer_chosen = Signal(object, object)
    inspect_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compactionCase")
        self._case: CaseView | None = None
        self._build_ui()
        self.answers.answer_chosen.connect(self.answer_chosen)
        self._inspect.clicked.connect(self._on_inspect)
        self.facts.fact_chosen.connect(self.context.reveal_fact)
        self.show_case(None, None)

    def _build_ui(self) -> None:
        self.question = QuestionHead(self)
        self._inspect = QPushButton("In the inspector", self)
        self._inspect.setToolTip("Show this answer in the inspector (Return in the list)")
        self._gold = Elided(self, at_end=True)
        self.facts = FactsList(self)
        self._bar = BudgetBar(self)
        self._budget = Elided(self, at_end=True)
        self.context = ContextPanes(self)
        self.answers = AnswersView(self)
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(self.question, 1, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._inspect, 0, Qt.AlignmentFlag.AlignTop)
        above = QVBoxLayout()
        above.setContentsMargins(GRID, GRID, GRID, HALF)
        above.setSpacing(HALF)
        above.addLayout(head)
        above.addWidget(self._gold)
        budget = QHBoxLayout()
        budget.setContentsMargins(GRID, 0, GRID, 0)
        budget.setSpacing(GRID)
        budget.addWidget(self._bar, 2)
        budget.addWidget(self._budget, 3)
        upper = QWidget(self)
        column = QVBoxLayout(upper)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(HALF)
        column.addLayout(above)
        column.addWidget(self.facts)
        column.addLayout(budget)
        column.addWidget(self.context, 1)
        self._splitter = QSplitter(Qt.Orientation.Vertical, self)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setHandleWidth(HALF)
        self._splitter.addWidget(upper)
        self._splitter.addWidget(self.answers)
        self._splitter.setStretchFactor(0, 1)
        self._splitter.setStretchFactor(1, 0)
        self._splitter.splitterMoved.connect(self._on_moved)
        self._shared_by_hand = False
        self._empty = remark(self, NO_CASE)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self._splitter)
        self._pages.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)

    def show_case(self, case: CaseView | None, chosen: Chosen | None) -> None:
        """Show a case at one of its answers."""
        self._pages.setCurrentWidget(self._splitter if case is not None else self._empty)
        if case is None or chosen is None:
            self._case = case
            self.context.show_context(None, None, None)
            return
        context = case.context(chosen.method, chosen.generation)
        if case is not self._case:
            self._case = case
            self.question.show_question(case.question)
            gold = " / ".join(map(cell_text, case.references))
            self._gold.set_text(joined((f"Gold: {gold}", case.kind, case.level or "", case.id)), "muted")
        self.facts.show_facts(case.facts, context.fates if context is not None else ())
        budget = budget_of(case, context) if context is not None else None
        self._bar.show_budget(budget)
        is_wrong = budget is not None and (budget.is_over or budget.is_over_locally)
        self._budget.set_text(budget_words(budget), "error" if is_wrong else "muted")
        self.answers.show_answers(case, chosen.method)
        self.answers.choose(chosen.generation, chosen.repeat)
        # First, as what is brought into view depends on the room there is.
        self._share_out()
        self.context.show_context(case, context, _answer(case, chosen))

    @property
    def context_shown(self) -> ContextView | None:
        """The context that is shown."""
        return self.context.context

    def budget_text(self) -> str:
        """What stands beside the bar."""
        return self._budget.text()

    def _share_out(self) -> None:
        """Give the answers what their rows need, up to two fifths, until somebody shares by hand."""
        if not self._shared_by_hand:
            height = self._splitter.height()
            answers = min(self.answers.content_height(), height * 2 // 5)
            self._splitter.setSizes([height - answers, answers])

    def _on_moved(self, _place: int, _handle: int) -> None:
        self._shared_by_hand = True

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share out the new height."""
        super().resizeEvent(event)
        self._share_out()

    def _on_inspect(self) -> None:
        self.inspect_asked.emit()


def _answer(case: CaseView, chosen: Chosen) -> AnswerView | None:
    wanted = (chosen.generation, chosen.repeat)
    return next(
        (one for one in case.answers_of(chosen.method) if (one.cell.generation, one.cell.repeat) == wanted),
        None,
    )
