"""Source, retained memory and truncated tail side by side, with the evidence of the chosen question lit.

Subscribes to the session, brings the parts together and owns none of their work: words are `facts`, marks
`unit_marks`, scrolling together `linking`, finding `find_in_panes`, tokens `token_shader`.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QSplitter, QVBoxLayout, QWidget

from gacc_gui.core.analysis import Source
from gacc_gui.gui.panes.facts import NO_UNIT, UnitFacts, unit_facts
from gacc_gui.gui.panes.find_bar import FindBar
from gacc_gui.gui.panes.find_in_panes import FindInPanes
from gacc_gui.gui.panes.linking import ScrollLink
from gacc_gui.gui.panes.loading import AfterPainting
from gacc_gui.gui.panes.pane_frame import PaneFrame
from gacc_gui.gui.panes.source_map import Links, SourceMap
from gacc_gui.gui.panes.spans import CUT_HERE, CUT_TRIED, Span
from gacc_gui.gui.panes.text_pane import TextPane
from gacc_gui.gui.panes.text_worker import TextWorker
from gacc_gui.gui.panes.token_shader import TokenShader
from gacc_gui.gui.panes.unit_marks import (
    QuestionMarks,
    UnitMarks,
    as_others,
    hint_spans,
    survival_spans,
    unit_marks,
    unit_source_map,
)
from gacc_gui.gui.session import Session, ViewOptions
from gacc_gui.gui.theme import HALF
from gacc_gui.store.rows import UnitView

_SMALLEST, _LARGEST = -5, 24
"""Steps of zoom."""


class TextsView(QWidget):
    """Signals:

    - idle(): nothing is being worked out beside the GUI thread any more
    - marked(UnitMarks): the evidence of a unit's questions is found
    """

    idle = Signal()
    marked = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("textsView")
        self._session = session
        self._view: UnitView | None = None
        self._facts: UnitFacts = NO_UNIT
        self._marks: UnitMarks | None = None
        self._searched: Source | None = None
        self._token_note = ""
        self._hinted = self._others = False
        # No child of Qt's: its thread must be joined before, not while, the widgets go.
        self._worker = TextWorker()
        # Work begins when the texts are painted: it would hold the interpreter while they are.
        self._soon = AfterPainting(self)
        self._build_ui()
        self._connect()
        self._show_options(session.options)
        self._on_unit_loaded(session.unit)

    def _build_ui(self) -> None:
        self._source = PaneFrame("sourcePane", "Source text", self)
        self._retained = PaneFrame("retainedPane", "Retained memory", self)
        self._tail = PaneFrame("tailPane", "Truncated tail", self)
        self._frames = {"source": self._source, "retained": self._retained, "tail": self._tail}
        self._splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self._splitter.setObjectName("textsSplitter")
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setHandleWidth(HALF)
        for frame, stretch in ((self._source, 4), (self._retained, 3), (self._tail, 3)):
            self._splitter.addWidget(frame)
            self._splitter.setStretchFactor(self._splitter.count() - 1, stretch)
        self._splitter.setSizes([400, 300, 300])
        self._bar = FindBar(self)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._splitter, 1)
        whole.addWidget(self._bar)
        source, retained, tail = self._panes = tuple(frame.pane for frame in self._frames.values())
        self._find = FindInPanes(
            self._bar, {"source": source, "retained": retained, "tail": tail}, self._worker, self
        )
        self._link = ScrollLink(source, (retained, tail), self)
        self._shader = TokenShader(self._worker, self)
        self._shader.watch(self._panes)

    def _connect(self) -> None:
        self._session.unit_loaded.connect(self._on_unit_loaded)
        self._session.question_chosen.connect(self._on_question_chosen)
        self._session.options_changed.connect(self._show_options)
        self._soon.painted.connect(self._worker.release)
        self._worker.idle.connect(self.idle)
        self._worker.failed.connect(self._on_failed)
        self._shader.told.connect(self._on_tokens_told)
        for pane in self._panes:
            pane.zoom_asked.connect(self._on_zoom_asked)
        self.destroyed.connect(self._worker.shutdown)
        app = QApplication.instance()
        if app is not None:
            app.aboutToQuit.connect(self._worker.shutdown)

    # --- what the window asks for ------------------------------------------------------------------

    @property
    def is_idle(self) -> bool:
        """Whether survivors, evidence, tokens and hits are all worked out."""
        return self._worker.is_idle

    @property
    def marks(self) -> UnitMarks | None:
        """Where the evidence of the unit's questions is; None before it is found."""
        return self._marks

    def pane(self, name: str) -> TextPane:
        """The pane called `source`, `retained` or `tail`."""
        return self._frames[name].pane

    def open_find(self) -> None:
        """Open the find bar, with what is selected in a text if that is short and of one line."""
        chosen = next((pane.selected_text() for pane in self._panes if pane.hasFocus()), "")
        self._bar.open_for(chosen if 0 < len(chosen) <= 200 and "\n" not in chosen else "")

    def find_next(self) -> None:
        """Go to the next hit; open the bar if it is closed."""
        self._step(1)

    def find_previous(self) -> None:
        """Go to the previous hit; open the bar if it is closed."""
        self._step(-1)

    def show_hints(self, shown: bool) -> None:
        """Underline what is like the lost evidence, with its score; it never changes a fate."""
        self._hinted = shown
        self._light_hints()

    def show_others(self, shown: bool) -> None:
        """Mark the evidence of the other questions too, faintly."""
        self._others = shown
        self._light_others()

    def preview_cut(self, characters: int | None) -> None:
        """Show by a dotted line where another cut of the proposal would fall; None: nowhere."""
        boundary = self._facts.boundary
        spans: dict[TextPane, Span] = {}
        if characters is not None and boundary is not None:
            is_retained = characters < boundary.characters
            pane = self._retained.pane if is_retained else self._tail.pane
            at = characters if is_retained else characters - boundary.characters
            spans[pane] = Span(at, at, CUT_TRIED, "the cut of the budget tried")
        for pane in (self._retained.pane, self._tail.pane):
            pane.set_spans("tried", [spans[pane]] if pane in spans else ())
            if pane in spans:
                with self._link.paused():
                    pane.reveal(spans[pane].start)

    def shutdown(self) -> None:
        """Stop the work beside the GUI thread and join it."""
        self._worker.shutdown()

    # --- following the session ---------------------------------------------------------------------

    def _on_unit_loaded(self, view: UnitView | None) -> None:
        if self._marks is not None:
            self._searched = self._marks.texts
        for channel in ("hints", "marks", "survivors"):
            self._worker.forget(channel)
        self._worker.hold()
        self._soon.wait()
        for pane in self._panes[1:]:
            self._link.set_links(pane, Links())
        self._view, self._marks = view, None
        self._facts = unit_facts(view) if view is not None else NO_UNIT
        with self._link.paused():
            for name, frame in self._frames.items():
                frame.show_facts(getattr(self._facts, name))
        # In this order: the evidence takes a moment, a large source's survivors a second.
        if view is not None:
            searched = self._searched
            kept = searched if searched and searched.haystack.text == view.context.text else None
            self._worker.request("marks", _marks_of(view, self._facts, kept, self._worker), self._on_marks)
        self._find.texts_changed()
        self._describe_tokens()
        if view is not None:
            survivors = _source_map_of(view, self._facts, self._worker)
            self._worker.request("survivors", survivors, self._on_source_map)
        else:
            self._show_notes(None)

    def _on_marks(self, marks: UnitMarks) -> None:
        self._marks = marks
        self._light(self._session.question)
        self.marked.emit(marks)

    def _on_source_map(self, found: SourceMap) -> None:
        source, retained, tail = self._panes
        source.set_spans("survival", survival_spans(found))
        cut = found.cut
        source.set_spans("cut", [] if cut is None else [Span(cut, cut, CUT_HERE, "the cut falls here")])
        self._link.set_links(retained, found.retained)
        self._link.set_links(tail, found.tail)

    def _on_question_chosen(self, question_id: str | None) -> None:
        if self._marks is not None:
            self._light(question_id)

    def _show_options(self, options: ViewOptions) -> None:
        self._link.enabled = options.linked
        with self._link.paused():
            for pane in self._panes:
                top = pane.first_visible()
                pane.set_reading_font(mono=options.mono, zoom=options.zoom)
                pane.set_invisibles(options.invisibles)
                pane.scroll_to(top)
        self._shader.set_enabled(options.token_shading)

    def _on_zoom_asked(self, steps: int) -> None:
        zoom = self._session.options.zoom + steps
        self._session.set_options(zoom=max(_SMALLEST, min(zoom, _LARGEST)))

    # --- lighting ----------------------------------------------------------------------------------

    def _light(self, question_id: str | None) -> None:
        """Light a question's evidence in all panes and bring it into view; None lights none."""
        assert self._marks is not None
        marks = self._marks.questions.get(question_id or "")
        with self._link.paused():
            for name, frame in self._frames.items():
                spans: tuple[Span, ...] = getattr(marks, name) if marks else ()
                frame.pane.set_spans("evidence", spans)
                if spans:
                    frame.pane.reveal(spans[0].start, spans[0].end)
            if marks and marks.tail and not marks.retained:
                self._retained.pane.reveal_foot()
        self._show_notes(marks)
        self._light_others()
        self._light_hints()

    def _light_others(self) -> None:
        chosen = self._session.question
        others = [
            as_others(marks)
            for question_id, marks in (self._marks.questions if self._marks else {}).items()
            if self._others and question_id != chosen
        ]
        for name, frame in self._frames.items():
            frame.pane.set_spans("other", [span for marks in others for span in getattr(marks, name)])

    def _light_hints(self) -> None:
        for frame in self._frames.values():
            frame.pane.set_spans("hint", ())
        marks = self._marks.questions.get(self._session.question or "") if self._marks else None
        if self._hinted and marks and marks.lost:
            texts = {name: frame.pane.text() for name, frame in self._frames.items()}
            self._worker.request("hints", _hints_of(marks.lost, texts), self._on_hints)
        else:
            self._worker.forget("hints")

    def _on_hints(self, hints: dict[str, tuple[Span, ...]]) -> None:
        for name, frame in self._frames.items():
            evidence = {(span.start, span.end) for span in frame.pane.spans("evidence")}
            frame.pane.set_spans("hint", [h for h in hints[name] if (h.start, h.end) not in evidence])

    def _show_notes(self, marks: QuestionMarks | None) -> None:
        self._source.set_notes(tuple(filter(None, (marks.source_note if marks else "", self._token_note))))
        self._retained.set_notes(tuple(filter(None, (marks.retained_note if marks else "",))))

    # --- tokens, finding ---------------------------------------------------------------------------

    def _describe_tokens(self) -> None:
        source, retained, tail = self._panes
        facts = self._facts
        if self._view is None:
            self._shader.set_texts(None, (), {})
            return
        tokenizer = self._view.run.tokenizer or {}
        name = tokenizer.get("name")
        places = {source: (0, 0)}
        texts = [facts.source.text, facts.proposal]
        if facts.boundary is not None:
            places |= {retained: (1, 0), tail: (1, facts.boundary.characters)}
        else:
            texts.append(facts.retained.text)
            places |= {retained: (2, 0), tail: (1, 0)}
        self._shader.set_texts(name if isinstance(name, str) else None, tuple(texts), places)

    def _on_tokens_told(self, note: str) -> None:
        self._token_note = note
        self._show_notes(self._marks.questions.get(self._session.question or "") if self._marks else None)

    def _step(self, step: int) -> None:
        if self._bar.needle:
            self._find.step(step)
        else:
            self.open_find()

    def _on_failed(self, error: Exception) -> None:
        self._session.noticed.emit(str(error))


def _marks_of(
    view: UnitView, facts: UnitFacts, kept: Source | None, worker: TextWorker
) -> Callable[[object], UnitMarks]:
    def work(_reader: object) -> UnitMarks:
        return unit_marks(view, facts, kept or Source(view.context.text), worker.give_way)

    return work


def _source_map_of(view: UnitView, facts: UnitFacts, worker: TextWorker) -> Callable[[object], SourceMap]:
    def work(_reader: object) -> SourceMap:
        return unit_source_map(view, facts, worker.give_way)

    return work


def _hints_of(
    lost: tuple[str, ...], texts: dict[str, str]
) -> Callable[[object], dict[str, tuple[Span, ...]]]:
    def work(_reader: object) -> dict[str, tuple[Span, ...]]:
        return {name: hint_spans(lost, text) for name, text in texts.items()}

    return work
