"""The runner: configure an evaluation, see what it would cost, start it, watch it, stop and resume it.

Owns how configuration, plan, queue and the view of a run work together. Not owned: the evaluation itself,
which is the command `gacc-gui run gacc` in a process of its own, and its rows, which the inspector shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSplitter, QVBoxLayout, QWidget

from gacc_gui.app.locations import default_database
from gacc_gui.gui.asking import Asker
from gacc_gui.gui.child_process import OWN_PROGRAM, ChildOutcome
from gacc_gui.gui.runner.config_view import ConfigView
from gacc_gui.gui.runner.draft import keep_draft, kept_draft
from gacc_gui.gui.runner.jobs import Job, forget, is_there, jobs_folder, new_job
from gacc_gui.gui.runner.jobs_list import JobsList
from gacc_gui.gui.runner.plan_view import PlanView
from gacc_gui.gui.runner.planned import Planned, planned_of
from gacc_gui.gui.runner.questions import Questions
from gacc_gui.gui.runner.run_queue import RunQueue
from gacc_gui.gui.runner.run_view import RunView
from gacc_gui.gui.runner.words import sentence
from gacc_gui.gui.side.section import Section, remark
from gacc_gui.gui.theme import GRID

if TYPE_CHECKING:
    from gacc_gui.runner.config_model import EvaluationConfig

REFRESH_MS: Final = 500
RESUMES: Final = "The database has this run already: it is resumed, and what is done stays."
NO_JOBS: Final = "Nothing was started from here yet."


class RunnerDesk(QWidget):
    """Signals: run_chosen(database, run id): look at its rows; rows_expected(database, run id): it writes
    there from now on; told(sentence); failed(sentence).
    """

    run_chosen = Signal(object, object)
    rows_expected = Signal(object, object)
    told = Signal(object)
    failed = Signal(object)

    def __init__(
        self, asker: Asker, program: Sequence[str] = OWN_PROGRAM, parent: QWidget | None = None
    ) -> None:
        """`program`: what is run in place of `gacc-gui`."""
        super().__init__(parent)
        self._asker = asker
        self._database: Path | None = None
        self._planned: tuple[str, Planned] | None = None
        self._goes_on = False
        self._told_of: str | None = None
        """The job whose rows were announced."""
        self.queue = RunQueue(program, self)
        self._questions = Questions(program, self)
        self._build_ui()
        self._connect()
        self._show_jobs()
        self._show_actions()

    def _build_ui(self) -> None:
        self.config = ConfigView(self._asker, self)
        self.plan_view = PlanView(self)
        jobs = Section("Evaluations", self)
        self._no_jobs = remark(self, NO_JOBS)
        self.jobs = JobsList(self)
        jobs.body.addWidget(self._no_jobs)
        jobs.body.addWidget(self.jobs)
        self.run_view = RunView(self)
        right = QWidget(self)
        scrolled = QScrollArea(self)
        scrolled.setWidgetResizable(True)
        scrolled.setFrameShape(QFrame.Shape.NoFrame)
        scrolled.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scrolled.setWidget(right)
        column = QVBoxLayout(right)
        column.setContentsMargins(GRID, GRID, 2 * GRID, GRID)
        column.setSpacing(2 * GRID)
        for widget in (self.plan_view, jobs, self.run_view):
            column.addWidget(widget)
        column.addStretch(1)
        self._split = QSplitter(Qt.Orientation.Horizontal, self)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self.config)
        self._split.addWidget(scrolled)
        self._split.setSizes([640, 640])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._split)
        self._refresh = QTimer(self)
        self._refresh.setInterval(REFRESH_MS)

    def _connect(self) -> None:
        self.config.config_changed.connect(self._on_config_changed)
        self.config.check_asked.connect(self._on_check_asked)
        self.config.failed.connect(self.failed)
        self.plan_view.plan_asked.connect(self.plan)
        self.plan_view.start_asked.connect(self.start)
        self.queue.jobs_changed.connect(self._show_jobs)
        self.queue.progressed.connect(self._on_progressed)
        self.queue.job_ended.connect(self._on_job_ended)
        self.queue.failed.connect(self.failed)
        self.jobs.job_chosen.connect(self._on_job_chosen)
        view = self.run_view
        view.pause_asked.connect(self._on_pause)
        view.go_on_asked.connect(self._on_go_on)
        view.stop_asked.connect(self._on_stop)
        view.resume_asked.connect(self.queue.start)
        view.show_asked.connect(self._on_show_rows)
        view.remove_asked.connect(self.queue.remove)
        self._refresh.timeout.connect(self._show_progress)

    # --- what the window asks ----------------------------------------------------------------------

    @property
    def is_idle(self) -> bool:
        """Whether no plan is being made and no endpoint checked; an evaluation may run."""
        return self._questions.is_idle

    @property
    def database(self) -> Path:
        """Where an evaluation that is started now writes its rows."""
        return self._database or default_database()

    def set_database(self, path: Path | None) -> None:
        """Have evaluations that are started from now on write to the open database."""
        self._database = path
        self.config.database = self.database

    def recover(self) -> None:
        """Find what earlier windows left: the configuration that was worked on, and evaluations."""
        draft = kept_draft()
        if draft is not None and not self.config.text:
            self.config.show_text(draft.text, draft.folder, draft.path)
        self.queue.recover()
        running = self.queue.running
        if running is not None:
            self.jobs.choose(running.id)
            self.told.emit(f"The evaluation “{running.name}” is still running.")

    def may_close(self) -> bool:
        """Ask, if an evaluation runs, whether it goes on; False: the window stays."""
        running = self.queue.running
        if running is None:
            return True
        answer = self._asker.run_goes_on(self, running.name)
        self._goes_on = answer is True
        return answer is not None

    def shutdown(self, keeps: bool) -> None:
        """Stop following; the running evaluation goes on or is ended as `may_close` was told. `keeps`: the
        configuration that is worked on is kept for the next window.
        """
        self._refresh.stop()
        self._questions.shutdown()
        self.queue.shutdown(self._goes_on)
        if keeps:
            text = self.config.keepable_text()
            if text is not None:
                keep_draft(text, self.config.folder, self.config.saved_file)

    # --- plan and start ----------------------------------------------------------------------------

    def plan(self) -> None:
        """Have the command count what would be called, without one call."""
        self._make_plan(self.plan_view.show_plan)

    def start(self) -> None:
        """Queue the configuration, after its plan was made; what calls models is asked about first."""
        text = self.config.text
        if self._planned is not None and self._planned[0] == self._plan_key(text):
            self._on_planned_to_start(self._planned[1])
        else:
            self._make_plan(self._on_planned_to_start)

    def _plan_key(self, text: str) -> str:
        return f"{self.database}\n{text}"

    def _make_plan(self, then: Callable[[Planned], None]) -> None:
        if self.config.config is None:
            self.config.show_first_problem()
            return
        path = self._material()
        if path is None:
            return
        key = self._plan_key(self.config.text)
        self.plan_view.show_planning()
        arguments = ["--db", str(self.database), "run", "gacc", str(path), "--dry-run"]
        self._questions.ask("plan", arguments, partial(self._on_plan, key, then))

    def _material(self) -> Path | None:
        """The file that holds what is shown: its own where it is saved, else one in the data folder."""
        if self.config.saved_file is not None:
            return self.config.saved_file
        config = self.config.config
        if config is not None and any(":" in part.part for _, part in config.parts):
            self.failed.emit("A plugin is looked for beside the configuration: save it to its file first.")
            return None
        path = jobs_folder() / "planned.toml"
        return path if self._write(path) else None

    def _write(self, path: Path) -> bool:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.config.absolute_text(), encoding="utf-8", newline="\n")
        except (OSError, UnicodeEncodeError) as error:
            self.failed.emit(f"The configuration could not be written to {path}: {error}")
            return False
        return True

    def _on_plan(self, key: str, then: Callable[[Planned], None], outcome: ChildOutcome) -> None:
        if outcome.cancelled:
            self.plan_view.show_hint()
        elif outcome.exit_code != 0 or not isinstance(outcome.document, dict):
            self.plan_view.show_nothing(f"There is no plan: {last_message(outcome)}", "error")
        else:
            planned = planned_of(outcome.document)
            if is_there(self.database, planned.run):
                planned = replace(planned, words=f"{planned.words} {RESUMES}")
            self._planned = (key, planned)
            self.plan_view.show_plan(planned)
            then(planned)
        self._show_actions()

    def _on_planned_to_start(self, planned: Planned) -> None:
        config = self.config.config
        if config is None or self._planned is None:
            return
        if config.is_live and not self._asker.confirm(
            self, "Start a live evaluation", live_question(planned), "Start"
        ):
            return
        self._queue_job(config, planned)

    def _queue_job(self, config: EvaluationConfig, planned: Planned) -> None:
        name = planned.name or Path(config.dataset.path).name
        try:
            job = new_job(name, self.database, config.is_live, self.config.saved_file, planned.run)
        except OSError as error:
            self.failed.emit(f"The evaluation could not be started: {error}")
            return
        if self.config.saved_file is None and not self._write(Path(job.config)):
            forget(job)
            return
        self.queue.add(job)
        running = self.queue.running
        if running is not None and running.id == job.id:
            self.jobs.choose(job.id)

    # --- checks of endpoints -----------------------------------------------------------------------

    def _on_check_asked(self, name: str) -> None:
        if self.config.config is None:
            self.config.show_check(name, "The configuration must be sound first.", "error")
            return
        path = self._material()
        if path is None:
            return
        self.config.show_check(name, "One small call is made…", "muted", running=True)
        arguments = ["run", "endpoint", str(path), name, "--live"]
        self._questions.ask(f"check {name}", arguments, partial(self._on_checked, name))

    def _on_checked(self, name: str, outcome: ChildOutcome) -> None:
        self.config.show_check(name, *check_words(outcome))

    # --- what others say ---------------------------------------------------------------------------

    def _on_config_changed(self, _config: object) -> None:
        if self._planned is not None and self._planned[0] != self._plan_key(self.config.text):
            self.plan_view.show_plan(self._planned[1], stale=True)
        elif self._planned is not None:
            self.plan_view.show_plan(self._planned[1])
        self._show_actions()

    def _show_actions(self) -> None:
        config = self.config.config
        live = config is not None and config.is_live
        self.plan_view.show_state(config is not None, live, self.queue.running is not None)

    def _on_progressed(self, job_id: str) -> None:
        if self.isVisible() and not self._refresh.isActive():
            self._refresh.start()
        job = self.queue.job(job_id)
        if job is not None and job.run is not None and job.id != self._told_of:
            self._told_of = job.id
            self.rows_expected.emit(Path(job.database), job.run)

    def _on_job_ended(self, job: Job) -> None:
        self.told.emit(f"The evaluation “{job.name}” {ENDS[job.state]}.")

    def _show_jobs(self) -> None:
        jobs = self.queue.jobs
        running = self.queue.running
        self._no_jobs.setVisible(not jobs)
        self.jobs.setVisible(bool(jobs))
        self.jobs.show_jobs(jobs, self.queue.progress_of(running.id) if running else None)
        if running is not None and self.isVisible():
            self._refresh.start()
        self._show_chosen()
        self._show_actions()

    def _show_progress(self) -> None:
        running = self.queue.running
        if running is None:
            self._refresh.stop()
        else:
            self.jobs.show_jobs(self.queue.jobs, self.queue.progress_of(running.id))
        self._show_chosen()

    def _show_chosen(self) -> None:
        job = self.queue.job(self.jobs.chosen) if self.jobs.chosen is not None else None
        self.run_view.show_job(job, self.queue.progress_of(job.id) if job is not None else None)

    def _on_job_chosen(self, _job_id: str | None) -> None:
        self._show_chosen()

    def _on_pause(self, _job_id: str) -> None:
        self.queue.pause()

    def _on_go_on(self, _job_id: str) -> None:
        self.queue.go_on()

    def _on_stop(self, _job_id: str) -> None:
        self.queue.stop()

    def _on_show_rows(self, job_id: str) -> None:
        job = self.queue.job(job_id)
        if job is not None and job.run is not None:
            self.run_chosen.emit(Path(job.database), job.run)

    def showEvent(self, event: QShowEvent) -> None:
        """Follow what runs while seen."""
        super().showEvent(event)
        self._show_jobs()

    def hideEvent(self, event: QHideEvent) -> None:
        """Show nothing to nobody."""
        super().hideEvent(event)
        self._refresh.stop()


ENDS: Final = {
    "finished": "has finished",
    "stopped": "was stopped; it can be resumed",
    "failed": "could not go on",
    "lost": "ended unexpectedly; it can be resumed",
}


def live_question(planned: Planned) -> str:
    """Return what is asked before models are called."""
    return f"{planned.words}\n\nThe services are called for this, and what they charge is charged."


def check_words(outcome: ChildOutcome) -> tuple[str, str]:
    """Return how the check of an endpoint went, and the role to say it in."""
    document = outcome.document if isinstance(outcome.document, dict) else {}
    if outcome.exit_code == 0 and document:
        seconds = document.get("seconds")
        took = f" in {seconds:.1f} s" if isinstance(seconds, int | float) else ""
        return f"It answers{took}: {document.get('text') or 'nothing'}", "text"
    return sentence(f"It does not answer: {document.get('error') or last_message(outcome)}"), "error"


def last_message(outcome: ChildOutcome) -> str:
    """Return what a command said last."""
    said = outcome.messages[-1] if outcome.messages else "the command ended without a word"
    return said.removeprefix("gacc-gui: ")
