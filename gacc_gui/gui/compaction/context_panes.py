"""One context as it was sent: its evidence and its summary side by side, the raw messages, a raw reply.

Owns which of the three is seen, the find bar, and the way to a supporting fact. What the panes say is
`context_texts`.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from gacc_gui.app.compaction_views import AnswerView, CaseView, ContextView
from gacc_gui.gui.compaction.context_texts import (
    Shown,
    evidence_shown,
    nothing,
    reply_shown,
    sent_shown,
    summary_shown,
)
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.overlay import toggle_button
from gacc_gui.gui.panes.find_bar import FindBar
from gacc_gui.gui.panes.find_in_panes import FindInPanes
from gacc_gui.gui.panes.pane_frame import PaneFrame
from gacc_gui.gui.panes.text_pane import TextPane
from gacc_gui.gui.panes.text_worker import TextWorker
from gacc_gui.gui.session import ViewOptions
from gacc_gui.gui.side.section import Elided
from gacc_gui.gui.theme import GRID, HALF

EVIDENCE: Final = "evidence"
SENT: Final = "sent"
REPLY: Final = "reply"
MODES: Final = (
    (EVIDENCE, "Evidence", "The evidence file by file, with what was kept and what was dropped"),
    (SENT, "As sent", "The messages of the answer's input, word for word"),
    (REPLY, "Raw reply", "What came back for the chosen answer, word for word"),
)
_TEXT_LEAST: Final = 12 * GRID
"""Some lines of a text can be read, whatever stands above it."""
NOTHING: Final = "Choose a case in the list.\nIts context is shown here."


class ContextPanes(QWidget):
    """Signals: idle(): nothing is being looked for any more. zoom_asked(steps)."""

    idle = Signal()
    zoom_asked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compactionContext")
        self._case: CaseView | None = None
        self._context: ContextView | None = None
        self._answer: AnswerView | None = None
        self._mode = EVIDENCE
        self._main = nothing("Evidence", NOTHING)
        self._apart: Shown | None = None
        # No child of Qt's: its thread must be joined before, not while, the widgets go.
        self._worker = TextWorker()
        self._top: int | None = None
        # When the parts have their room: how the texts wrap depends on it.
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._build_ui()
        self._connect()
        self._show()

    def _build_ui(self) -> None:
        self._where = Elided(self, at_end=True)
        self._modes = QButtonGroup(self)
        head = QHBoxLayout()
        head.setContentsMargins(GRID, HALF, GRID, 0)
        head.setSpacing(HALF)
        head.addWidget(self._where, 1)
        for number, (name, title, hint) in enumerate(MODES):
            button = toggle_button(title, self)
            button.setObjectName(f"contextMode_{name}")
            button.setToolTip(hint)
            button.setChecked(name == EVIDENCE)
            self._modes.addButton(button, number)
            head.addWidget(button)
        self._evidence = PaneFrame("contextPane", "Context", self)
        self._summary = PaneFrame("summaryPane", "Summary", self)
        self._splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setHandleWidth(HALF)
        for frame, stretch in ((self._evidence, 3), (self._summary, 2)):
            frame.pane.setMinimumHeight(_TEXT_LEAST)
            self._splitter.addWidget(frame)
            self._splitter.setStretchFactor(self._splitter.count() - 1, stretch)
        self._splitter.setSizes([360, 240])
        self._bar = FindBar(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self._splitter, 1)
        layout.addWidget(self._bar)
        self._find = FindInPanes(
            self._bar, {"context": self._evidence.pane, "summary": self._summary.pane}, self._worker, self
        )

    def _connect(self) -> None:
        self._modes.idClicked.connect(self._on_mode)
        self._worker.idle.connect(self.idle)
        self._soon.timeout.connect(self._on_soon)
        for frame in (self._evidence, self._summary):
            frame.pane.zoom_asked.connect(self.zoom_asked)
        self.destroyed.connect(self._worker.shutdown)

    # --- what is shown -----------------------------------------------------------------------------

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being looked for, and the texts stand where they should."""
        return self._worker.is_idle and not self._soon.isActive()

    @property
    def mode(self) -> str:
        """Which is seen: evidence, sent or reply."""
        return self._mode

    @property
    def context(self) -> ContextView | None:
        """The context that is shown."""
        return self._context

    @property
    def panes(self) -> tuple[TextPane, TextPane]:
        """The pane of the context, and that of the summary."""
        return self._evidence.pane, self._summary.pane

    def show_context(
        self, case: CaseView | None, context: ContextView | None, answer: AnswerView | None
    ) -> None:
        """Show a case's context, and have the reply of one of its answers at hand."""
        # By what they say: while a run goes on, the same case is read again and again.
        another = _id(case) != _id(self._case)
        same = not another and context == self._context
        if same and answer == self._answer:
            return
        # The evidence of a case is one text: what is being read stays in view from one method to the next.
        top = self._evidence.pane.first_visible() if not another and self._mode == EVIDENCE else None
        self._case, self._context, self._answer = case, context, answer
        if same and self._mode != REPLY:
            return
        self._show()
        if another or self._top is None:
            self._top = top
        self._soon.start()

    def show_mode(self, mode: str) -> None:
        """Show the evidence, the messages as sent, or the raw reply."""
        if mode != self._mode:
            self._mode = mode
            place = next(number for number, (name, *_) in enumerate(MODES) if name == mode)
            self._modes.button(place).setChecked(True)
            self._show()
            self._top = None
            self._soon.start()

    def reveal_fact(self, place: int) -> None:
        """Bring a supporting fact into view: in the context, and in the summary where it stands there."""
        self._soon.stop()
        if self._mode == REPLY:
            self.show_mode(EVIDENCE)
        for shown, frame in ((self._main, self._evidence), (self._apart, self._summary)):
            at = shown.places[place] if shown is not None and place < len(shown.places) else None
            if at is not None:
                frame.pane.reveal(*at)

    def _on_soon(self) -> None:
        """Go on reading where one was, or bring the first supporting fact of the texts into view."""
        top, self._top = self._top, None
        if top is not None and self._main.facts.text:
            self._evidence.pane.scroll_to(top)
            return
        for shown, frame in ((self._main, self._evidence), (self._apart, self._summary)):
            places = [place for place in shown.places if place is not None] if shown is not None else []
            if places:
                frame.pane.reveal(*min(places))

    def open_find(self) -> None:
        """Open the find bar."""
        chosen = next((pane.selected_text() for pane in self.panes if pane.hasFocus()), "")
        self._bar.open_for(chosen if 0 < len(chosen) <= 200 and "\n" not in chosen else "")

    def step_find(self, step: int) -> None:
        """Go to the next or previous hit; open the bar if it is closed."""
        if self._bar.needle:
            self._find.step(step)
        else:
            self.open_find()

    def show_options(self, options: ViewOptions) -> None:
        """Show texts as the session says."""
        for pane in self.panes:
            pane.set_reading_font(mono=options.mono, zoom=options.zoom)
            pane.set_invisibles(options.invisibles)

    def shutdown(self) -> None:
        """Stop the work beside the GUI thread and join it."""
        self._soon.stop()
        self._worker.shutdown()

    def _show(self) -> None:
        case, context = self._case, self._context
        self._apart = None
        if case is None or context is None:
            self._main = nothing("Evidence", NOTHING)
        elif self._mode == EVIDENCE:
            self._main, self._apart = evidence_shown(case, context), summary_shown(context)
        elif self._mode == SENT:
            self._main = sent_shown(case, context)
        else:
            self._main = reply_shown(self._answer)
        self._where.set_text(
            f"{cell_text(context.method)} · generation {context.generation}" if context is not None else ""
        )
        for shown, frame in ((self._main, self._evidence), (self._apart, self._summary)):
            frame.setVisible(shown is not None)
            frame.show_facts((shown or nothing("Summary", "There is none.")).facts)
            frame.pane.set_spans("survival", shown.stretches if shown is not None else ())
            frame.pane.set_spans("evidence", shown.evidence if shown is not None else ())
        self._find.texts_changed()

    def _on_mode(self, number: int) -> None:
        self.show_mode(MODES[number][0])


def _id(case: CaseView | None) -> str | None:
    return None if case is None else case.id
