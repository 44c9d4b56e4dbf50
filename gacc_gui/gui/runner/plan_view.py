"""What a configuration would do and cost, from a dry run of the command: no call is made for it."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QProgressBar, QPushButton, QVBoxLayout, QWidget

from gacc_gui.gui.runner.planned import PLAN_TITLES, PLAN_WORDS, Planned
from gacc_gui.gui.runner.tables import fill, plain_table
from gacc_gui.gui.side.section import Section, remark
from gacc_gui.gui.theme import GRID

HINT: Final = "A plan counts what would be called and what it would cost, without one call."


class PlanView(QWidget):
    """Signals: plan_asked(); start_asked()."""

    plan_asked = Signal()
    start_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("planView")
        self._build_ui()
        self._connect()
        self.show_hint()

    def _build_ui(self) -> None:
        section = Section("Plan and cost", self)
        self._plan = QPushButton("Plan", self)
        self._plan.setObjectName("planRun")
        self._plan.setToolTip("Counts what would be called and what it would cost, without one call")
        self._start = QPushButton("Start", self)
        self._start.setObjectName("startRun")
        self._start.setDefault(True)
        section.head.addWidget(self._plan)
        section.head.addWidget(self._start)
        self._words = remark(self)
        self._words.setObjectName("planWords")
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 0)
        self._bar.setFixedHeight(GRID)
        self._table = plain_table("planTable", PLAN_TITLES, self, PLAN_WORDS)
        section.body.addWidget(self._words)
        section.body.addWidget(self._bar)
        section.body.addWidget(self._table)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(section)

    def _connect(self) -> None:
        self._plan.clicked.connect(self.plan_asked)
        self._start.clicked.connect(self.start_asked)

    def show_hint(self) -> None:
        """Say what a plan is for, while there is none."""
        self.show_nothing(HINT)

    def show_state(self, usable: bool, live: bool, queued: bool) -> None:
        """Offer what can be done: `live` marks a start that calls models, `queued` one that waits."""
        self._plan.setEnabled(usable)
        self._start.setEnabled(usable)
        verb = "Queue" if queued else "Start"
        self._start.setText(f"{verb} live…" if live else verb)

    def show_nothing(self, words: str, role: str = "muted") -> None:
        """Show no plan but a sentence."""
        self._show(words, role, running=False)
        fill(self._table, ())

    def show_planning(self) -> None:
        """Show that the plan is being made."""
        self._show("Counting what would be called…", "muted", running=True)

    def show_plan(self, planned: Planned, stale: bool = False) -> None:
        """Show a plan; a stale one is of a configuration that has changed since."""
        words = "The configuration has changed since this plan." if stale else planned.words
        self._show(words, "muted" if stale else "text", running=False)
        fill(self._table, planned.rows)

    @property
    def words(self) -> str:
        """What is said above the table."""
        return self._words.text()

    def _show(self, words: str, role: str, running: bool) -> None:
        self._words.set_role(role)
        self._words.setText(words)
        self._words.setVisible(bool(words))
        self._bar.setVisible(running)
        self._plan.setEnabled(not running)
