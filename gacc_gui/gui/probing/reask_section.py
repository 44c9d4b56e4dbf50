"""The part of the detail area that shows what a question was answered when it was asked again.

Owns the buttons, the progress of asking, and how stored probes are put. Not owned: asking (`ReaskActions`),
what the results mean (`core.probe_findings`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QProgressBar,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gacc_gui.core.causes import VEILED
from gacc_gui.core.records import MATERIALS
from gacc_gui.core.terms import GOALS, Terms
from gacc_gui.gui.lists.detail_section import DetailSection, Item
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.lists.words import counted, verdict_words
from gacc_gui.gui.probing.words import GIVEN, HIDDEN, NOT_ASKED, TITLES, probe_caption
from gacc_gui.gui.side.section import remark
from gacc_gui.gui.theme import GRID, HALF

if TYPE_CHECKING:
    from gacc_gui.app.probe_rows import ProbedQuestion
    from gacc_gui.core.records import Probe
    from gacc_gui.store.rows import QuestionRow

ALL: Final = ""
"""In the place of a material: every one that makes sense."""
GOAL: Final = "goal"
FILTER: Final = "filter"
_GOAL_TIPS: Final = {
    False: "Ask all questions of this goal again",
    True: "Ask the question of this case again, with this context",
}
"""By whether a goal has one question."""
_OF_CASES: Final = ("source", "retained", "empty")
"""What the compaction benchmark can be asked with (`app.probe_parts.COMPACTION_KINDS`)."""
_LONGEST: Final = 300
"""Code points of what is said of asking."""
_ATTEMPTS: Final = 3
"""The last so many of one kind are shown whole."""
_COLUMNS: Final = 2


class ReaskSection(QWidget):
    """Signals: asked(material, or ALL), goal_asked(), filter_asked(), cancelled()."""

    asked = Signal(object)
    goal_asked = Signal()
    filter_asked = Signal()
    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("reaskSection")
        self._build_ui()
        self._connect()
        self.show_question(None, None)

    def show_question(
        self, row: QuestionRow | None, probed: ProbedQuestion | None, terms: Terms = GOALS
    ) -> None:
        """Show the probes of a row beside its own answer; without a row there is nothing to ask."""
        self.setVisible(row is not None)
        if row is None:
            return
        self._show_terms(terms)
        if row.status == VEILED:
            self._found.show_items([Item(None, HIDDEN.format(terms))])
            self._answers.show_items(())
            return
        if probed is None or probed.finding is None:
            self._found.show_items([Item(None, NOT_ASKED)])
            self._answers.show_items(())
            return
        finding = probed.finding
        items = [Item(None, _sentence(finding.sentence), finding.cause)]
        items += [Item(None, note) for note in finding.notes]
        self._found.show_items(items)
        answers = [_own_item(row, terms), *_probe_items(probed.probes, row.question.references, terms)]
        self._answers.show_items(answers, str(len(probed.probes)))

    def _show_terms(self, terms: Terms) -> None:
        # Without a cut there is no tail to restore, and evidence is added to no history.
        for kind in (*MATERIALS,):
            self._buttons[kind].setVisible(not terms.one_question or kind in _OF_CASES)
        button, tip = self._buttons[GOAL], _GOAL_TIPS[terms.one_question]
        button.setText(terms.goal.capitalize())
        button.setToolTip(tip)
        button.setAccessibleName(tip)

    def show_busy(self, words: str, done: int = 0, planned: int = 0) -> None:
        """Show that something is being asked, and how far it is; `planned` 0: nobody knows yet."""
        begins = not self.is_busy
        self._tell(words, "muted")
        self._bar.setRange(0, planned)
        self._bar.setValue(done)
        self._set_busy(True)
        if begins:
            self._come_into_view()

    def show_rest(self, words: str = "", role: str = "muted") -> None:
        """Show that nothing is being asked any more, and how it ended; `role`: a colour of the theme."""
        self._tell(words, role)
        self._set_busy(False)
        if words and role == "error":
            self._come_into_view()

    def texts(self) -> tuple[str, ...]:
        """The exact answers shown."""
        return self._answers.texts()

    def captions(self) -> tuple[str, ...]:
        """What stands above them."""
        return self._answers.captions()

    def findings(self) -> tuple[str, ...]:
        """What they mean."""
        return self._found.captions()

    def told(self) -> str:
        """What is said of asking."""
        return self._words.text()

    @property
    def is_busy(self) -> bool:
        """Whether something is being asked."""
        return not self._running.isHidden()

    def _tell(self, words: str, role: str) -> None:
        self._words.set_role(role)
        # A message may name what is in the data.
        self._words.setText(cell_text(words, _LONGEST))
        self._words.setVisible(bool(words))

    def _come_into_view(self) -> None:
        """Have what is said seen, once it has its place: below the buttons there may be no room left."""
        QTimer.singleShot(0, self, self._show_words)

    def _show_words(self) -> None:
        part: QWidget | None = self
        while part is not None and not isinstance(part, QScrollArea):
            part = part.parentWidget()
        if isinstance(part, QScrollArea) and self._words.isVisible():
            part.ensureWidgetVisible(self._words, 0, GRID)

    def _set_busy(self, busy: bool) -> None:
        self._running.setVisible(busy)
        for button in self._buttons.values():
            button.setEnabled(not busy)

    def _build_ui(self) -> None:
        self._found = DetailSection("Re-ask", self)
        self._found.setObjectName("detail_reask")
        self._answers = DetailSection("Asked again", self)
        self._answers.setObjectName("detail_reask_answers")
        self._buttons: dict[str, QToolButton] = {}
        grid = QGridLayout()
        grid.setSpacing(HALF)
        tips = {
            **{kind: f"Ask this question again with {words}" for kind, words in GIVEN.items()},
            ALL: "Ask this question again with each of them that makes sense",
            GOAL: _GOAL_TIPS[False],
            FILTER: "Ask all failures that the filter leaves again, up to a cap",
        }
        for place, (kind, tip) in enumerate(tips.items()):
            title = TITLES.get(kind) or {ALL: "All", GOAL: "Goal", FILTER: "Failures"}[kind]
            grid.addWidget(self._button(kind, title, tip), place // _COLUMNS, place % _COLUMNS)
        self._words = remark(self)
        # A widget of its own: a bare row of hidden widgets is 0 pixels wide at most, and its column with it.
        self._running = QWidget(self)
        self._bar = QProgressBar(self._running)
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(GRID)
        self._cancel = self._plain_button("Cancel")
        running = QHBoxLayout(self._running)
        running.setContentsMargins(0, 0, 0, 0)
        running.addWidget(self._bar, 1)
        running.addWidget(self._cancel)
        below = QVBoxLayout()
        below.setContentsMargins(2 * GRID + HALF, 0, 0, 0)
        below.setSpacing(HALF)
        below.addLayout(grid)
        below.addWidget(self._words)
        below.addWidget(self._running)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(HALF)
        layout.addWidget(self._found)
        layout.addLayout(below)
        layout.addWidget(self._answers)
        self.show_rest()

    def _button(self, kind: str, title: str, tip: str) -> QToolButton:
        button = self._buttons[kind] = self._plain_button(title)
        button.setObjectName(f"reask_{kind or 'all'}")
        # The narrowest detail area has no room for what a button would like.
        button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        button.setAccessibleName(tip)
        button.setToolTip(tip)
        return button

    def _plain_button(self, title: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(title)
        return button

    def _connect(self) -> None:
        for kind in (*MATERIALS, ALL):
            self._buttons[kind].clicked.connect(self._on_kind)
        self._buttons[GOAL].clicked.connect(self.goal_asked)
        self._buttons[FILTER].clicked.connect(self.filter_asked)
        self._cancel.clicked.connect(self.cancelled)

    def _on_kind(self) -> None:
        sender = self.sender()
        self.asked.emit(next(kind for kind, button in self._buttons.items() if button is sender))


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _own_item(row: QuestionRow, terms: Terms) -> Item:
    said = verdict_words(row.verdict.label if row.verdict else None, row.status, terms)
    answer = row.answer
    text = None if answer is None else answer.text
    return Item(
        text, f"As it was: {said}" + ("" if text else ", no answer" if text is None else ", an empty answer")
    )


def _probe_items(probes: Sequence[Probe], references: Sequence[str] | None, terms: Terms) -> list[Item]:
    counts = Counter(probe.given for probe in probes)
    items: list[Item] = []
    for kind in MATERIALS:
        same = sorted((probe for probe in probes if probe.given == kind), key=lambda probe: probe.attempt)
        if len(same) > _ATTEMPTS:
            earlier = counted(len(same) - _ATTEMPTS, "earlier answer")
            items.append(Item(None, f"With {GIVEN[kind]}: {earlier} not shown"))
        items += [
            Item(
                probe.answer.text or probe.answer.error, probe_caption(probe, references, counts[kind], terms)
            )
            for probe in same[-_ATTEMPTS:]
        ]
    return items
