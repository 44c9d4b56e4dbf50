"""Asking again from the window: what is asked, its cost first, in a child process that can be cancelled.

Owns the one child that asks, and the reading of stored probes for the shown unit. Not owned: how they look
(`ReaskSection`); asking itself, which is the command `gacc-gui probe`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from gacc_gui.core.causes import VEILED
from gacc_gui.core.errors import GaccError
from gacc_gui.gui.background import Background
from gacc_gui.gui.child_process import OWN_PROGRAM, Child, ChildOutcome
from gacc_gui.gui.probing.reask_section import ALL, ReaskSection
from gacc_gui.gui.probing.words import confirm_words, end_words
from gacc_gui.gui.session import Session

if TYPE_CHECKING:
    from gacc_gui.app.probe_rows import ProbedQuestion
    from gacc_gui.gui.asking import Asker
    from gacc_gui.store.reads import Reader
    from gacc_gui.store.rows import UnitView

CHANNEL: Final = "probes"
TIMES: Final = 3
"""How often the same memory is given where somebody asks whether a failure is stable."""
MOST: Final = 100
"""Rows of a filter that are asked again at one go."""
NOT_BLIND: Final = "Not while you review blind: it would tell what is hidden until you have decided."
_PREFIX: Final = "gacc-gui: "
_CELL: Final = ("compressor", "revision", "condition", "ratio")


class ReaskActions(QObject):
    """Signals: told(sentence): something ended that is worth a word in the strip; changed(): whether

    something is being asked, or can be, is another.
    """

    told = Signal(object)
    changed = Signal()

    def __init__(
        self,
        window: QWidget,
        session: Session,
        reads: Background,
        asker: Asker,
        program: Sequence[str] = OWN_PROGRAM,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._reads = reads
        self._asker = asker
        self._program = program
        self._child: Child | None = None
        self._then: Callable[[ChildOutcome], None] | None = None
        """What follows from how the child ends."""
        self._probed: Mapping[str, ProbedQuestion] = {}
        self._looked_at: tuple[int, str] | None = None
        self.section = ReaskSection(window)
        self.section.hide()
        self._connect()

    def look(self) -> None:
        """Show what is stored of the shown question; first asked for when the section has its place."""
        self._show()
        self._read()

    def _connect(self) -> None:
        section = self.section
        section.asked.connect(self.ask)
        section.goal_asked.connect(self.ask_goal)
        section.filter_asked.connect(self.ask_filter)
        section.cancelled.connect(self.cancel)
        self._session.unit_loaded.connect(self._on_unit_loaded)
        self._session.question_chosen.connect(self._on_question_chosen)
        self._session.veil_changed.connect(self._on_veil)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being asked."""
        return self._child is None

    # --- what commands do --------------------------------------------------------------------------

    def can_ask(self) -> bool:
        """Whether a question is shown, and nothing is being asked."""
        return self.is_idle and self._session.question_row is not None

    def can_ask_filter(self) -> bool:
        """Whether a run is shown, and nothing is being asked."""
        return self.is_idle and self._session.run is not None

    def can_cancel(self) -> bool:
        """Whether something is being asked."""
        return not self.is_idle

    def ask(self, kind: str = ALL, times: int = 1) -> None:
        """Ask the shown question again with a material, or with each that makes sense."""
        unit, question = self._session.unit, self._session.question
        if unit is not None and question is not None and self.can_ask():
            which = ["--memory", unit.memory.id, "--question", question, "--repeat", str(unit.repeat)]
            self._begin([*which, *_with(kind), "--times", str(times)])

    def ask_stability(self) -> None:
        """Ask the shown question again with the same memory, several times."""
        self.ask("retained", TIMES)

    def ask_goal(self) -> None:
        """Ask all questions of the shown goal again, under its memory."""
        unit = self._session.unit
        if unit is not None and self.can_ask() and self._session.veil.places(unit.unit):
            self.section.show_rest(NOT_BLIND)
        elif unit is not None and self.can_ask():
            which = ["--goal", unit.goal.id, "--memory", unit.memory.id, "--repeat", str(unit.repeat)]
            self._begin([*which, *_with(ALL), "--missing"])

    def ask_filter(self) -> None:
        """Ask all failures again that the list has, by the labels that it counts, up to a cap.

        Not while some are hidden from a reviewer: how many are asked, and what comes of it, would tell.
        """
        if not self.can_ask_filter():
            return
        if self._session.veil.hidden():
            self.section.show_rest(NOT_BLIND)
        else:
            choice = self._session.choice
            chosen = [(key, getattr(choice, key)) for key in _CELL]
            terms = [f"{key}:{_quoted(value)}" for key, value in chosen if value is not None]
            text = " ".join([self._session.query.text, *terms]).strip()
            labels = ["--as", "reviewed"] if self._session.options.as_reviewed else []
            self._begin(["--filter", text, *labels, *_with(ALL), "--missing", "--most", str(MOST)])

    def cancel(self) -> None:
        """Stop asking; what was answered is stored."""
        if self._child is not None:
            self.section.show_busy("Stopping…")
            self._child.cancel()

    def shutdown(self) -> None:
        """Stop the running command and wait for its end."""
        if self._child is not None:
            self._child.shutdown()
            self._child = None

    # --- asking ------------------------------------------------------------------------------------

    def _begin(self, which: list[str]) -> None:
        run, path = self._session.run, self._reads.path
        if run is None or path is None:
            return
        # Such a word may begin with a dash: `--` keeps it from being taken for an option.
        command = ["--db", str(Path(path).absolute()), "probe", *which]
        self.section.show_busy("Looking what that would cost…")
        arguments = [*command, "--dry-run", "--json", "--", run.run.id]
        self._start(arguments, partial(self._on_looked_ahead, command, run.run.id))

    def _on_looked_ahead(self, command: list[str], run_id: str, outcome: ChildOutcome) -> None:
        ahead = outcome.document
        if outcome.exit_code != 0 or not isinstance(ahead, dict):
            self._end(outcome)
            return
        live = ["--live"] if ahead.get("live") else []
        if live and not self._asker.confirm(self._window, "Ask again", confirm_words(ahead), "Ask"):
            self.section.show_rest("Nothing was asked.")
            return
        planned = int(ahead.get("planned", 0))
        self.section.show_busy(f"Asking: 0 of {planned:,}", 0, planned)
        self._start([*command, *live, "--json", "--events", "--", run_id], self._end)

    def _start(self, arguments: list[str], then: Callable[[ChildOutcome], None]) -> None:
        child = self._child = Child(arguments, self, self._program)
        child.event_received.connect(self._on_event)
        child.finished.connect(self._on_finished)
        self._then = then
        child.start()
        self.changed.emit()

    def _on_event(self, event: dict[str, Any]) -> None:
        match event:
            case {"event": "progress", "done": int(done), "planned": int(planned)}:
                self.section.show_busy(f"Asking: {done:,} of {planned:,}", done, planned)
            case {"event": "waiting", "endpoint": str(endpoint), "seconds": int() | float() as seconds}:
                self.section.show_busy(f"Waiting {seconds:.0f} s for {endpoint}")
            case {"event": "stopping"}:
                self.section.show_busy("Stopping…")

    def _on_finished(self, outcome: ChildOutcome) -> None:
        child, self._child = self._child, None
        then, self._then = self._then, None
        if child is not None:
            child.deleteLater()
        if then is not None:
            then(outcome)
        if self.is_idle:
            self._read()
            self.changed.emit()

    def _end(self, outcome: ChildOutcome) -> None:
        document = outcome.document if isinstance(outcome.document, dict) else None
        said = outcome.messages[-1].removeprefix(_PREFIX) if outcome.messages else ""
        if outcome.cancelled:
            kept = len(document.get("probes", ())) if document else 0
            self.section.show_rest(f"Stopped; what was answered is kept: {kept:,}." if kept else "Stopped.")
        elif document is not None and "probes" in document:
            words = end_words(document)
            reason = document.get("reason")
            if reason:
                words += f" It stopped: {reason}."
            self.section.show_rest(words, "error" if reason else "muted")
            if len(document["rows"]) > 1:
                self.told.emit(words)
        else:
            words = said or "the command ended without a word"
            self.section.show_rest(f"{words[:1].upper()}{words[1:]}.", "error")

    # --- what is stored ----------------------------------------------------------------------------

    def _on_unit_loaded(self, _view: object) -> None:
        self.look()

    def _on_question_chosen(self, _question: object) -> None:
        self._show()
        self.changed.emit()

    def _on_veil(self, _veil: object) -> None:
        self._on_question_chosen(None)
        self._read()  # other rows may be known of than before

    def _read(self) -> None:
        unit = self._session.unit
        if unit is None:
            self._reads.forget(CHANNEL)
        else:
            self._reads.request(CHANNEL, partial(_probes_of, unit), self._on_read, self._on_read_failed)

    def _on_read(self, found: Mapping[str, ProbedQuestion]) -> None:
        self._probed = found
        self._show()

    def _on_read_failed(self, error: GaccError) -> None:
        self.section.show_rest(str(error), "error")

    def _show(self) -> None:
        unit, row = self._session.unit, self._session.question_row
        looked_at = (unit.unit, row.question.id) if unit is not None and row is not None else None
        if self._looked_at is None or looked_at is None or self._looked_at[0] != looked_at[0]:
            self._probed = {}
        if looked_at != self._looked_at and self.is_idle:  # how it ended is about another question
            self.section.show_rest()
        self._looked_at = looked_at
        self.section.show_question(
            row, self._probed.get(row.question.id) if row else None, self._session.terms
        )


def _with(kind: str) -> list[str]:
    return ["--all-kinds"] if kind == ALL else ["--with", kind]


def _quoted(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'


def _probes_of(unit: UnitView, reader: Reader) -> Mapping[str, ProbedQuestion]:
    from gacc_gui.app.probe_rows import probed_questions

    # What the probes of a hidden row say follows from its cause, which is not to be known here.
    seen = tuple(row for row in unit.rows if row.status != VEILED)
    return probed_questions(reader, replace(unit, rows=seen))
