"""The line above a queue: who reviews, which rows are drawn, how many, with which seed, blind or open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QPushButton, QSpinBox, QWidget

from gacc_gui.core.review_queue import (
    BY_CAUSE,
    EXACT_MATCH,
    ONE_AWAY,
    RANDOM,
    UNSTABLE,
    UNSUPPORTED,
)
from gacc_gui.core.terms import GOALS, Terms
from gacc_gui.gui.lists.plain import tooltip
from gacc_gui.gui.overlay import toggle_button
from gacc_gui.gui.theme import GRID
from gacc_gui.gui.themed_label import ThemedLabel

KIND_WORDS: Final = {
    BY_CAUSE: ("Every cause", "Some rows of each cause, more of the common ones: speaks for the whole run"),
    RANDOM: ("Random", "Any rows with an answer: speaks for the whole run"),
    ONE_AWAY: ("One question away", "The one wrong row of goals that are otherwise right"),
    EXACT_MATCH: ("Judge against exact match", "Rows where the judge and an exact match differ"),
    UNSUPPORTED: ("Unsupported", "Judged correct without the evidence in the memory"),
    UNSTABLE: ("Unstable repeats", "Rows whose repeats were judged differently"),
}
_OF_CASES: Final = {
    BY_CAUSE: (
        "Every cause",
        "Some of each cause, more of the common ones: speaks for the whole run",
    ),
    RANDOM: ("Random", "Any answers: speaks for the whole run"),
    ONE_AWAY: ("Not right", "Answers that do not equal the gold answer"),
    UNSUPPORTED: ("Unsupported", "Right without the evidence in the context as written"),
    UNSTABLE: ("Unstable answers", "Answers from one context that were scored differently"),
}
"""Where EM is the label: it is the exact match itself."""


def kind_words(terms: Terms) -> Mapping[str, tuple[str, str]]:
    """Return the queues that a benchmark has: their names and what is in them."""
    return _OF_CASES if terms.one_question else KIND_WORDS


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person asks for."""

    reviewer: str
    kind: str
    size: int
    seed: int
    blind: bool


class QueueBar(QWidget):
    """Signals: started(Asked): a person wants to review; ended(): no more of the queue at work.

    Its values are the last ones of this person.
    """

    started = Signal(object)
    ended = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.reviewer = QLineEdit(self)
        self.reviewer.setObjectName("reviewerEdit")
        self.reviewer.setPlaceholderText("Your name")
        self.reviewer.setAccessibleName("Reviewer")
        self.reviewer.setMaximumWidth(22 * GRID)
        self.kind = QComboBox(self)
        self.kind.setObjectName("reviewQueueKind")
        self.kind.setAccessibleName("Queue")
        self.rows = _number("reviewQueueSize", "Rows", 1, 100_000, 100, self)
        self.seed = _number("reviewQueueSeed", "Seed", 0, 2**31 - 1, 1, self)
        self.blind = toggle_button("", self)
        self.blind.setObjectName("reviewBlind")
        self.blind.setChecked(True)
        self.start = QPushButton("Review", self)
        self.start.setObjectName("reviewStart")
        self.end = QPushButton("End", self)
        self.end.setObjectName("reviewEnd")
        self.end.setToolTip("Leave the queue where it is: what it hides is shown again")
        self.end.hide()
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(GRID)
        for title, widget in (
            ("Reviewer", self.reviewer),
            ("Queue", self.kind),
            ("Rows", self.rows),
            ("Seed", self.seed),
        ):
            label = ThemedLabel("muted", self)
            label.setText(title)
            line.addWidget(label)
            line.addWidget(widget)
        line.addWidget(self.blind)
        line.addWidget(self.start)
        line.addWidget(self.end)
        line.addStretch(1)
        self._on_blind(True)
        self.show_terms(GOALS)
        self.blind.toggled.connect(self._on_blind)
        self.start.clicked.connect(self._on_started)
        self.end.clicked.connect(self.ended)
        self.reviewer.returnPressed.connect(self._on_started)
        for box in (self.rows, self.seed):
            box.lineEdit().returnPressed.connect(self._on_started)

    def show_terms(self, terms: Terms) -> None:
        """Offer the queues of a benchmark, in its words; the chosen one stays where there is such a one."""
        chosen = self.kind.currentData()
        self.kind.clear()
        for kind, (words, hint) in kind_words(terms).items():
            self.kind.addItem(words, kind)
            self.kind.setItemData(self.kind.count() - 1, hint, 3)
        self.kind.setCurrentIndex(max(0, self.kind.findData(chosen)))
        hidden = f"{terms.the_verdict} on {terms.a_row} is hidden until you have decided"
        self.blind.setToolTip(tooltip(f"Blind: {hidden}. Open: it is shown."))

    def offer(self, reviewer: str, kind: str, size: int, seed: int) -> None:
        """Offer a queue that was asked for before; of what is not to be had, what comes next to it."""
        self.reviewer.setText(reviewer)
        self.kind.setCurrentIndex(max(0, self.kind.findData(kind)))
        for box, value in ((self.rows, size), (self.seed, seed)):
            box.setValue(max(box.minimum(), min(value, box.maximum())))

    def asked(self) -> Asked:
        """What is asked for now."""
        return Asked(
            self.reviewer.text().strip(),
            self.kind.currentData(),
            self.rows.value(),
            self.seed.value(),
            self.blind.isChecked(),
        )

    def _on_blind(self, blind: bool) -> None:
        # In words: Fusion shows what is down hardly at all on a dark ground.
        self.blind.setText("Blind" if blind else "Open")
        self.blind.setFixedWidth(
            max(map(self.blind.fontMetrics().horizontalAdvance, ("Blind", "Open"))) + 2 * GRID
        )

    def _on_started(self) -> None:
        self.started.emit(self.asked())


def _number(name: str, spoken: str, low: int, high: int, value: int, parent: QWidget) -> QSpinBox:
    box = QSpinBox(parent)
    box.setObjectName(name)
    box.setAccessibleName(spoken)
    box.setRange(low, high)
    box.setValue(value)
    box.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
    box.setFixedWidth(8 * GRID)
    return box
