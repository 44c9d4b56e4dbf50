"""The view of reviews: who reviews which rows, the queue at work, and the agreement that comes of it.

Owns what is read when, and that decisions are stored. The parts know neither the session nor each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from gacc_gui.app.review_queue import ReviewQueue, SoFar, queue_key
from gacc_gui.app.reviewing import Decision, Reviewed
from gacc_gui.core.errors import GaccError
from gacc_gui.core.review_queue import Entry, QueueKey
from gacc_gui.core.reviewing import Row
from gacc_gui.gui.background import Background
from gacc_gui.gui.folded_label import FoldedLabel
from gacc_gui.gui.message_strip import Strip
from gacc_gui.gui.overlay import Tabs
from gacc_gui.gui.review.agreement_page import NOTHING, AgreementPage
from gacc_gui.gui.review.cards import Card, read_card
from gacc_gui.gui.review.queue_bar import Asked, QueueBar
from gacc_gui.gui.review.queue_page import QueuePage
from gacc_gui.gui.review.review_state import ReviewState
from gacc_gui.gui.reviews import Reviews, decision_words, held_up_words
from gacc_gui.gui.session import Session
from gacc_gui.gui.settings import Settings
from gacc_gui.gui.side.section import remark
from gacc_gui.gui.theme import GRID, HALF, UI_POINTS, ui_font
from gacc_gui.gui.veil import NO_VEIL, Veil, veil_of

if TYPE_CHECKING:
    from gacc_gui.app.agreement import Agreement
    from gacc_gui.store.reads import Reader
    from gacc_gui.store.rows import RunSummary, UnitView

QUEUE_CHANNEL: Final = "review.queue"
CARD_CHANNEL: Final = "review.card"
AGREEMENT_CHANNEL: Final = "review.agreement"
PAGES: Final = ("Queue", "Agreement")
NO_RUN: Final = "No run is open. Open run files first."
BEGIN: Final = (
    "Name yourself, choose which {0.row}s you want to look at, and press Review.\n\n"
    "The {0.row}s are drawn by the seed from the {0.cell}s that are chosen in the inspector: the same seed "
    "draws the same {0.row}s, for you another day and for another reviewer. What you have decided already is "
    "skipped.\n\n"
    "Blind: {0.the_verdict} on {0.a_row} is hidden until you have given yours, here and in every other view "
    "of {0.a_row} or a {0.goal}; on the {0.row}s of a {0.goal} that you looked at before, it is shown. "
    "Press ? for the keys."
)
NO_NAME: Final = "Say who you are: a decision is stored with its reviewer's name."
DRAWING: Final = "Drawing the {0.row}s …"
EMPTY: Final = "There is no such {0.row} in the chosen {0.cell}s."


class ReviewPanel(QWidget):
    """Signals: inspect_asked(unit, question id); failed(GaccError): a decision could not be stored."""

    inspect_asked = Signal(object, object)
    failed = Signal(object)

    def __init__(
        self,
        session: Session,
        reads: Background,
        counts: Background,
        reviews: Reviews,
        settings: Settings,
        parent: QWidget | None = None,
    ) -> None:
        """`counts` draws queues and reads whole runs, `reads` one row; `settings` keep what was asked for."""
        super().__init__(parent)
        self.setObjectName("reviewPanel")
        self._session, self._reads, self._counts = session, reads, counts
        self._reviews, self._settings = reviews, settings
        self._run_id: str | None = None
        self._stale = True
        self._looked_at: set[Row] = set()
        """Rows of the run whose verdicts other views have shown."""
        self._veil = NO_VEIL
        """All rows of the queue at work."""
        self._build_ui()
        self._connect()
        self._on_run(session.run)
        self._on_unit_loaded(session.unit)

    def _build_ui(self) -> None:
        title = QLabel("Review", self)
        title.setFont(ui_font(UI_POINTS + 3))
        self.tabs = Tabs(self)
        self.tabs.setObjectName("reviewPages")
        self.tabs.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.bar = QueueBar(self)
        kept = self._settings
        self.bar.offer(kept.reviewer, kept.queue_kind, kept.queue_size, kept.queue_seed)
        head = QHBoxLayout()
        head.setContentsMargins(2 * GRID, HALF, GRID, HALF)
        head.setSpacing(2 * GRID)
        head.addWidget(title)
        head.addWidget(self.bar, 1)
        self._headline = FoldedLabel("muted", self)
        self._headline.setObjectName("reviewHeadline")
        self._first = QWidget(self)
        self._message = remark(self._first, BEGIN.format(self._session.terms))
        self._message.setObjectName("reviewMessage")
        around = QVBoxLayout(self._first)
        around.setContentsMargins(4 * GRID, 4 * GRID, 4 * GRID, 4 * GRID)
        around.addWidget(self._message)
        around.addStretch(1)
        self.page = QueuePage(self)
        self.agreement = AgreementPage(self)
        self.held_up = Strip("reviewsHeldUp", closable=False, parent=self)
        self._queue = QStackedWidget(self)
        self._queue.addWidget(self._first)
        self._queue.addWidget(self.page)
        self._stack = QStackedWidget(self)
        for name, page in zip(PAGES, (self._queue, self.agreement), strict=True):
            self.tabs.addTab(name)
            self._stack.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        line = QHBoxLayout()
        line.setContentsMargins(2 * GRID, 0, GRID, HALF)
        line.setSpacing(2 * GRID)
        line.addWidget(self._headline, 1)
        line.addStretch()
        line.addWidget(self.tabs)
        layout.addLayout(line)
        layout.addWidget(self._stack, 1)

    def _connect(self) -> None:
        self.bar.started.connect(self._on_started)
        self.bar.ended.connect(self.end_queue)
        self.tabs.currentChanged.connect(self._on_page)
        self.page.decided.connect(self._on_decided)
        self.page.row_wanted.connect(self._on_row_wanted)
        self.page.inspect_asked.connect(self._on_inspect)
        self._reviews.stored.connect(self._on_stored)
        self._reviews.failed.connect(self._on_failed)
        self._reviews.held_up.connect(self._on_held_up)
        self._session.run_changed.connect(self._on_run)
        self._session.reviewed_changed.connect(self._on_reviewed)
        self._session.unit_loaded.connect(self._on_unit_loaded)

    # --- what the window asks for ------------------------------------------------------------------

    def show_headline(self, lines: Sequence[str]) -> None:
        """Show the run's figures as judged and, once there are any, as reviewed."""
        self._headline.show_groups(*lines)
        self._headline.setVisible(bool(lines))

    def headline(self) -> str:
        """What is said of the run's figures."""
        return self._headline.words()

    def show_page(self, name: str) -> None:
        """Show the queue or the agreement."""
        self.tabs.setCurrentIndex(PAGES.index(name))

    # --- the queue ---------------------------------------------------------------------------------

    def _on_started(self, asked: Asked) -> None:
        run = self._session.run
        if run is None:
            return
        if not asked.reviewer:
            self._say(NO_NAME)
            self.bar.reviewer.setFocus()
            return
        kept = self._settings
        kept.reviewer, kept.queue_kind = asked.reviewer, asked.kind
        kept.queue_size, kept.queue_seed = asked.size, asked.seed
        self._say(DRAWING.format(self._session.terms))
        self.show_page(PAGES[0])
        key = queue_key(asked.kind, asked.seed, asked.size, self._session.choice)
        work = partial(_draw, run.run.id, key, asked.reviewer)
        self._counts.request(QUEUE_CHANNEL, work, partial(self._on_drawn, asked), self._on_not_drawn)

    def _on_drawn(self, asked: Asked, drawn: tuple[ReviewQueue, SoFar, Veil]) -> None:
        queue, so_far, self._veil = drawn
        if not queue.entries:
            self.page.end()
            self._show_veil()
            self._say(EMPTY.format(self._session.terms))
            return
        self._queue.setCurrentWidget(self.page)
        seen = so_far.seen | self._looked_at
        waiting = self._reviews.waiting(queue.run_id)
        mine = [decision for decision in waiting if decision.reviewer == asked.reviewer]
        self.page.begin(ReviewState(queue, asked.reviewer, asked.blind, so_far.decided, seen, mine))
        self._show_veil()

    def end_queue(self) -> None:
        """Leave the queue at work; it goes on where it was when it is asked for again."""
        self._reads.forget(CARD_CHANNEL)
        self._counts.forget(QUEUE_CHANNEL)
        self.page.end()
        self._say(BEGIN.format(self._session.terms) if self._run_id is not None else NO_RUN)
        self._show_veil()

    def _show_veil(self) -> None:
        """Hide the verdicts of a blind queue from every view, but those that this reviewer knows."""
        state = self.page.state
        self.bar.end.setVisible(state is not None)
        blind = state is not None and state.blind
        self._session.set_veil(self._veil.lifted(state.seen) if state is not None and blind else NO_VEIL)
        self._see(self._session.unit)

    def _on_not_drawn(self, error: GaccError) -> None:
        self._say(str(error))

    def _on_row_wanted(self, entry: Entry) -> None:
        if self._run_id is not None:
            self._reads.request(CARD_CHANNEL, partial(_card, self._run_id, entry), self._on_card)

    def _on_card(self, card: Card) -> None:
        self.page.show_card(card)
        self._show_said()

    def _on_inspect(self, card: Card) -> None:
        self.inspect_asked.emit(card.unit, card.row.question.id)

    def _say(self, sentence: str) -> None:
        self._message.setText(sentence)
        self._queue.setCurrentWidget(self._first)

    # --- decisions ---------------------------------------------------------------------------------

    def _on_decided(self, decision: Decision) -> None:
        if self._run_id is not None:
            self._reviews.write(self._run_id, decision)

    def _on_stored(self, run_id: str, decision: Decision) -> None:
        if run_id == self._run_id:
            self.page.take_stored(decision)
            self._show_veil()

    def _on_failed(self, run_id: str, decision: Decision, error: GaccError) -> None:
        if run_id == self._run_id:
            self.page.take_back(decision)
        self.failed.emit(GaccError(f"{decision_words(decision)} was not stored: {error}"))

    def _on_held_up(self, number: int) -> None:
        self.held_up.tell(held_up_words(number))

    def _on_reviewed(self, _reviewed: Reviewed | None) -> None:
        self._stale = True
        self._show_said()
        if self.isVisible() and self._stack.currentWidget() is self.agreement:
            self._read_agreement()

    def _on_unit_loaded(self, view: UnitView | None) -> None:
        self._see(view)

    def _see(self, view: UnitView | None) -> None:
        """Take that a unit is looked at: this reviewer knows those verdicts of it that are not hidden."""
        if view is not None and view.run.id == self._run_id:
            hidden = self._session.veil.hides
            rows = {
                (view.memory.id, row.question.id, view.repeat)
                for row in view.rows
                if not hidden(view.unit, row.question.id)
            }
            self._looked_at |= rows
            self.page.see(rows)

    def _show_said(self) -> None:
        """Have the page know what the database says, once every decision is in it."""
        reviewed, state = self._session.reviewed, self.page.state
        if reviewed is None or state is None or not self._reviews.is_known:
            return
        standing = {row.judged.row: row.standing for row in reviewed.rows}
        state.know(
            {
                row: review
                for row, stands in standing.items()
                for review in stands.reviews
                if review.reviewer == state.reviewer
            }
        )
        self._show_veil()
        stands = standing.get(state.entry.row) if state.entry is not None else None
        self.page.show_said([] if stands is None else stands.reviews)

    # --- the agreement -----------------------------------------------------------------------------

    def _on_page(self, index: int) -> None:
        self._stack.setCurrentIndex(index)
        if self._stack.currentWidget() is self.agreement:
            if self._stale:
                self._read_agreement()
        elif self._queue.currentWidget() is self.page:
            self.page.setFocus()

    def _read_agreement(self) -> None:
        self._stale = False
        if self._run_id is None:
            self._counts.forget(AGREEMENT_CHANNEL)
            self.agreement.show_agreement(None, NO_RUN)
        else:
            self._counts.request(
                AGREEMENT_CHANNEL, partial(_agreement, self._run_id), self.agreement.show_agreement
            )

    # --- what others say ---------------------------------------------------------------------------

    def _on_run(self, summary: RunSummary | None) -> None:
        run_id = summary.run.id if summary is not None else None
        self.bar.setEnabled(run_id is not None)
        if run_id == self._run_id and run_id is not None:
            return
        self._run_id = run_id
        terms = self._session.terms
        for part in (self.bar, self.page, self.agreement):
            part.show_terms(terms)
        self._looked_at.clear()
        self.end_queue()
        self._stale = True
        self.agreement.show_agreement(None, NO_RUN if run_id is None else NOTHING.format(terms))

    # --- Qt ----------------------------------------------------------------------------------------

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Hand the keyboard to what is at work."""
        super().focusInEvent(event)
        if self._stack.currentWidget() is self.agreement:
            self.agreement.setFocus()
        elif self._queue.currentWidget() is self.page:
            self.page.setFocus()
        else:
            self.bar.reviewer.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        """Read what changed while the view was hidden."""
        super().showEvent(event)
        if self._stale and self._stack.currentWidget() is self.agreement:
            self._read_agreement()


def _draw(run_id: str, key: QueueKey, reviewer: str, reader: Reader) -> tuple[ReviewQueue, SoFar, Veil]:
    from gacc_gui.app.review_queue import draw_queue, so_far
    from gacc_gui.app.reviewing import judged_of

    queue = draw_queue(reader, run_id, key)
    veil = veil_of(judged_of(reader, run_id, [entry.row for entry in queue.entries]))
    return queue, so_far(reader, run_id, reviewer), veil


def _card(run_id: str, entry: Entry, reader: Reader) -> Card:
    return read_card(reader, run_id, entry)


def _agreement(run_id: str, reader: Reader) -> Agreement:
    from gacc_gui.app.agreement import agreement_of

    return agreement_of(reader, run_id)
