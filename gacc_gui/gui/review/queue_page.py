"""A queue at work: one row at a time, driven by keys.

Owns what a key does and what is shown where. The rules of steps and blindness are `review_state`; storing is
`writer`; reading rows is asked of whoever holds the page.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from gacc_gui.app.reviewing import Decision
from gacc_gui.core.records import Review
from gacc_gui.core.reviewing import CLEAR, Row
from gacc_gui.core.terms import GOALS, Terms
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.lists.words import cell_words, counted, joined
from gacc_gui.gui.review import keys
from gacc_gui.gui.review.card_view import CardView
from gacc_gui.gui.review.cards import Card
from gacc_gui.gui.review.decision_bar import DecisionBar
from gacc_gui.gui.review.review_state import ReviewState
from gacc_gui.gui.side.section import Elided
from gacc_gui.gui.theme import GRID, HALF

NOT_INCORRECT: Final = "A cause goes with “incorrect”: press 2."
STILL_BLIND: Final = "Decide first: the inspector tells more than a blind reviewer is to know."
STILL_WAITS: Final = "The decision is not stored yet: what is hidden is shown when it is."
FINISHED: Final = "Every row of this queue is decided."


class QueuePage(QWidget):
    """Signals: decided(Decision): it is to be stored; row_wanted(Entry): a row is to be read;

    inspect_asked(Card): look at the row in the inspector.
    """

    decided = Signal(object)
    row_wanted = Signal(object)
    inspect_asked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("reviewQueue")
        self.setAccessibleName("Queue of rows")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.state: ReviewState | None = None
        self._card: Card | None = None
        self._said: Sequence[Review] = ()
        self._where = Elided(self, at_end=True)
        self._where.setObjectName("reviewWhere")
        self._bar = QProgressBar(self)
        self._bar.setObjectName("reviewProgress")
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(GRID)
        self._bar.setFixedWidth(20 * GRID)
        self._count = Elided(self, at_end=True)
        self._count.setObjectName("reviewCount")
        self._terms = GOALS
        self.card_view = CardView(self)
        self.decisions = DecisionBar(self)
        self.sheet = keys.KeySheet(self)
        head = QHBoxLayout()
        head.setContentsMargins(GRID, 0, GRID, 0)
        head.setSpacing(2 * GRID)
        head.addWidget(self._bar)
        head.addWidget(self._count, 2)
        head.addWidget(self._where, 3)
        foot = QHBoxLayout()
        foot.setContentsMargins(GRID, HALF, GRID, HALF)
        foot.addWidget(self.decisions)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(HALF)
        layout.addLayout(head)
        layout.addWidget(self.card_view, 1)
        layout.addLayout(foot)
        self.decisions.decided.connect(self.decide)
        self.decisions.cause_chosen.connect(self.set_cause)
        self.decisions.note_given.connect(self._on_note)
        self.decisions.tags_given.connect(self._on_tags)
        self.decisions.left.connect(self._on_left)

    @property
    def card(self) -> Card | None:
        """The row that is shown."""
        return self._card

    # --- what is shown -----------------------------------------------------------------------------

    def begin(self, state: ReviewState) -> None:
        """Begin a queue, where its reviewer left it."""
        self.state = state
        self.decisions.tell("")
        self._look()
        self.setFocus()

    def show_terms(self, terms: Terms) -> None:
        """Use the words of a benchmark."""
        self._terms = terms
        self.card_view.show_terms(terms)

    def end(self) -> None:
        """Look at no queue any more."""
        self.state, self._card, self._said = None, None, ()

    def show_card(self, card: Card) -> None:
        """Show a row that was read, if it is still the one that is looked at."""
        if self.state is not None and self.state.entry == card.entry:
            self._card = card
            self._show()

    def see(self, rows: Collection[Row]) -> None:
        """Take that the judge's verdict on these rows was shown elsewhere."""
        if self.state is not None:
            self.state.see(rows)
            if self.state.entry is not None and self.state.entry.row in rows:
                self._show()

    def show_said(self, said: Sequence[Review]) -> None:
        """Take what stands of the reviews of the shown row."""
        self._said = said
        mine = self._mine()
        if self.state is not None and mine is not None and not self.state.note and not self.state.tags:
            self.state.note, self.state.tags = mine.note or "", mine.tags
            self.state.cause = self.state.cause or mine.cause
        self._show()

    def take_stored(self, given: Decision) -> None:
        """Take that a decision is in the database: what was hidden of its row is shown."""
        if self.state is not None:
            self.state.stored(given)
            self._show()

    def take_back(self, given: Decision) -> None:
        """Take that a decision could not be stored: the row is undecided, or as it was before."""
        if self.state is None:
            return
        self.state.take_back(given)
        place = self.state.place_of(given.row)
        if place is not None:
            self.decisions.tell(f"{self._terms.row} {place + 1:,}: not stored", error=True)
        self._show()

    def _mine(self) -> Review | None:
        reviewer = self.state.reviewer if self.state else None
        return next((review for review in self._said if review.reviewer == reviewer), None)

    def _look(self) -> None:
        self._card, self._said = None, ()
        self.decisions.choose_cause(False)
        self._show()
        if self.state is not None and self.state.entry is not None:
            self.row_wanted.emit(self.state.entry)

    def _show(self) -> None:
        state = self.state
        if state is None:
            return
        whole, done = len(state.queue.entries), state.done
        self._bar.setRange(0, max(1, whole))
        self._bar.setValue(done)
        tally = state.tally()
        said = joined(
            [f"{tally[name]:,} {name}" for name in ("correct", "incorrect", "unclear") if tally[name]]
        )
        self._count.set_text(
            joined((f"{done:,} of {counted(whole, self._terms.row)} decided", said)), "muted"
        )
        self.decisions.show_said(state.decision, state.cause, state.note, state.tags)
        card = self._card
        self.card_view.setVisible(card is not None)
        if card is None:
            self._where.set_text("")
            return
        stratum = card.entry.stratum if state.shows_judge and card.entry.stratum != "all" else ""
        place = f"{self._terms.row} {state.place + 1:,} of {whole:,}"
        # The task is the same in every case, whose question stands below.
        of_goal = card.goal_id if self._terms.one_question else card.goal_text
        self._where.set_text(
            joined((place, stratum, cell_words(card.cell, self._terms), cell_text(of_goal, 200))), "muted"
        )
        self.card_view.show_card(card, state.shows_judge, self._said)

    # --- what is done ------------------------------------------------------------------------------

    def decide(self, decision: str) -> None:
        """Say something of the row, and have it stored."""
        if self.state is None or self._card is None:
            return
        found = self.state.decide(decision)
        if decision == CLEAR:
            self.state.note, self.state.tags, self.state.cause = "", (), None
        elif decision != "incorrect":
            self.state.cause = None
        if found is not None:
            self.decided.emit(found)
            self.decisions.tell(FINISHED if self.state.is_finished else "Enter: next row")
        self._show()

    def set_cause(self, cause: str) -> None:
        """Say what made the answer incorrect; the same again takes it back."""
        self.decisions.choose_cause(False)
        if self.state is None:
            return
        if self.state.decision not in (None, "incorrect"):
            self.decisions.tell(NOT_INCORRECT)
        else:
            self.state.cause = None if self.state.cause == cause else cause
            self._again()
        self._show()

    def _on_note(self, note: str) -> None:
        if self.state is not None and note != self.state.note:
            self.state.note = note
            self._again()

    def _on_tags(self, tags: tuple[str, ...]) -> None:
        if self.state is not None and tags != self.state.tags:
            self.state.tags = tags
            self._again()

    def _again(self) -> None:
        """Store once more what was decided, now with another note; before a decision there is nothing yet."""
        if self.state is not None and self.state.decision is not None:
            self.decide(self.state.decision)

    def _inspect(self) -> None:
        if self.state is None or self._card is None:
            return
        if self.state.shows_judge:
            self.inspect_asked.emit(self._card)
        else:
            self.decisions.tell(STILL_BLIND if self.state.decision is None else STILL_WAITS)

    def _on_left(self) -> None:
        self.setFocus()
        self._show()

    def _go(self, moved: bool) -> None:
        if self.state is None:
            return
        if moved:
            self.decisions.tell("")
            self._look()
        elif self.state.is_finished:
            self.decisions.tell(FINISHED)

    # --- Qt ----------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Claim the page's keys before the window's commands have them."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            claimed = keys.meaning(event) is not None or self.decisions.is_choosing
            if claimed and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Do what the key means."""
        if self.decisions.is_choosing:
            self._choose(event)
            return
        match keys.meaning(event):
            case None:
                super().keyPressEvent(event)
                return
            case keys.NEXT:
                self._go(self.state is not None and (self.state.next() or self.state.step(1)))
            case keys.AHEAD:
                self._go(self.state is not None and self.state.step(1))
            case keys.BACK:
                self._go(self.state is not None and self.state.step(-1))
            case keys.NOTE:
                self.decisions.note.begin()
            case keys.TAGS:
                self.decisions.tags.begin()
            case keys.CAUSE:
                self.decisions.choose_cause(True)
            case keys.HELP:
                self.sheet.open_sheet()
            case keys.INSPECT:
                self._inspect()
            case decision:
                self.decide(decision)
        event.accept()

    def _choose(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Meta):
            return
        cause = keys.CAUSE_OF_KEY.get(event.text().lower())
        if cause is not None:
            self.set_cause(cause)
        else:
            self.decisions.choose_cause(False)
        event.accept()
