"""The evaluations of this window: one runs, others wait for it, those of earlier windows are found again.

Owns the order, what becomes of a job when its process ends, and writing that down. Not here: the process
(`run_process`), the files (`jobs`), the rows (the database).
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QObject, Signal

from gacc_gui.gui.child_process import OWN_PROGRAM
from gacc_gui.gui.runner.jobs import (
    Job,
    events_file,
    forget,
    is_there,
    keep,
    kept_jobs,
    result_file,
)
from gacc_gui.gui.runner.progress import RunProgress
from gacc_gui.gui.runner.run_process import EventFile, RunProcess, is_running

LOST: Final = "The process ended without a word; what was committed is kept."


class RunQueue(QObject):
    """Signals: jobs_changed(): a job came, went or changed its state; progressed(job id): its progress grew;
    job_ended(Job); failed(sentence): something could not be done.
    """

    jobs_changed = Signal()
    progressed = Signal(object)
    job_ended = Signal(object)
    failed = Signal(object)

    def __init__(self, program: Sequence[str] = OWN_PROGRAM, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._program = program
        self._jobs: dict[str, Job] = {}
        self._progress: dict[str, RunProgress] = {}
        self._process: RunProcess | None = None
        self._running: str | None = None
        self._held = False

    @property
    def jobs(self) -> list[Job]:
        """All jobs, newest first."""
        return sorted(self._jobs.values(), key=lambda job: job.id, reverse=True)

    @property
    def running(self) -> Job | None:
        """The job whose process runs."""
        return self._jobs[self._running] if self._running is not None else None

    @property
    def is_held(self) -> bool:
        """Whether waiting jobs wait for a person, because an earlier window left them."""
        return self._held

    def job(self, job_id: str) -> Job | None:
        """A job by its id."""
        return self._jobs.get(job_id)

    def progress_of(self, job_id: str) -> RunProgress:
        """How far a job is; of one that does not run any more, as its events tell."""
        if job_id not in self._progress:
            progress = self._progress[job_id] = RunProgress()
            events = EventFile(events_file(self._jobs[job_id]))
            while lines := events.read(last=True):
                _take(progress, lines)
            events.close()
        return self._progress[job_id]

    def recover(self) -> None:
        """Find the jobs of earlier windows; one that still runs is followed again."""
        for job in kept_jobs():
            if job.id in self._jobs:
                continue
            self._jobs[job.id] = job
            if job.state == "waiting":
                self._held = True
            elif job.state == "running":
                if self._process is None and is_running(job):
                    self._follow(job)
                elif not is_running(job):
                    self._conclude(job, None)
        self.jobs_changed.emit()

    def add(self, job: Job) -> None:
        """Have a job run when those before it have ended."""
        self._put(job)
        self._held = self._held and self._running is None and self._other_waiting(job)
        self._go_on()

    def start(self, job_id: str) -> None:
        """Start a waiting job now, or resume one that ended early; what waits follows it."""
        job = self._jobs[job_id]
        if job.can_resume:
            run = job.run or self.progress_of(job_id).run
            job = replace(job, state="waiting", run=run, stopping=False, reason=None)
            self._put(job)
        self._held = False
        if self._running is None:
            self._begin(job)

    def pause(self) -> None:
        """Have the running job begin no new call for now."""
        if self._process is not None:
            self._process.pause()

    def go_on(self) -> None:
        """End a pause."""
        if self._process is not None:
            self._process.go_on()

    def stop(self) -> None:
        """Have the running job finish what is in flight and end; asked again, it ends at once."""
        if self._process is not None:
            self._mark_stopping()
            self._process.interrupt()

    def remove(self, job_id: str) -> None:
        """Take a job that does not run out of the list; the rows in the database stay."""
        if job_id != self._running:
            forget(self._jobs.pop(job_id))
            self._progress.pop(job_id, None)
            self.jobs_changed.emit()

    def shutdown(self, goes_on: bool) -> None:
        """Follow nothing any more: the running process goes on, or is ended cleanly and waited for."""
        self.blockSignals(True)
        self._held = True
        if self._process is None:
            return
        if not goes_on:
            self._mark_stopping()
            self._process.end()
        if self._process is not None:
            self._process.let_go()
            self._process = None

    # --- the running one ---------------------------------------------------------------------------

    def _other_waiting(self, job: Job) -> bool:
        return any(one.state == "waiting" and one.id != job.id for one in self._jobs.values())

    def _go_on(self) -> None:
        if self._running is None and not self._held:
            waiting = sorted(job.id for job in self._jobs.values() if job.state == "waiting")
            if waiting:
                self._begin(self._jobs[waiting[0]])

    def _begin(self, job: Job) -> None:
        job = replace(job, resume=is_there(Path(job.database), job.run))
        process = RunProcess(job, self._program, self)
        progress = self.progress_of(job.id)
        try:
            job = process.start()
        except OSError as error:
            process.deleteLater()
            self._put(replace(job, state="failed", reason=f"It could not be started: {error}"))
            self.failed.emit(f"The evaluation could not be started: {error}")
            return
        progress.started_again()
        self._attach(job, process)

    def _follow(self, job: Job) -> None:
        self._progress[job.id] = RunProgress()
        process = RunProcess(job, self._program, self)
        self._attach(job, process)
        process.follow()

    def _attach(self, job: Job, process: RunProcess) -> None:
        process.told.connect(self._on_told)
        process.ended.connect(self._on_ended)
        self._process, self._running = process, job.id
        self._put(job)

    def _mark_stopping(self) -> None:
        job = self.running
        if job is not None:
            self._put(replace(job, stopping=True))

    def _on_told(self, lines: list[Any]) -> None:
        job = self.running
        if job is None:
            return
        progress = self.progress_of(job.id)
        _take(progress, lines)
        if progress.run is not None and progress.run != job.run:
            self._put(replace(job, run=progress.run))
        self.progressed.emit(job.id)

    def _on_ended(self, code: int | None) -> None:
        job, process = self.running, self._process
        self._running = self._process = None
        if process is not None:
            process.deleteLater()
        if job is not None:
            self._conclude(job, code)
            self.job_ended.emit(self._jobs[job.id])
        self._go_on()

    def _conclude(self, job: Job, code: int | None) -> None:
        """Write down how a job ended, from what it wrote and, where it is known, its exit code."""
        progress = self.progress_of(job.id)
        run = progress.run or job.run
        last = progress.messages[-1] if progress.messages else None
        if progress.is_done or _ended_as(job) == "finished":
            state, reason = "finished", None
        elif job.stopping:
            state, reason = "stopped", None
        elif progress.stopped is not None:
            state, reason = "stopped", progress.stopped
        elif code is not None:
            state, reason = "failed", last or f"the command ended with the code {code}"
        else:
            state, reason = "lost", LOST if last is None else f"{LOST} It last said: {last}"
        ended = replace(job, state=state, run=run, pid=None, started=None, stopping=False, reason=reason)
        self._put(replace(ended, done=progress.done, planned=progress.planned, failed=progress.failed))

    def _put(self, job: Job) -> None:
        self._jobs[job.id] = job
        try:
            keep(job)
        except OSError as error:
            self.failed.emit(f"The evaluation's state could not be written down: {error}")
        self.jobs_changed.emit()


def _take(progress: RunProgress, lines: Sequence[dict[str, Any] | str]) -> None:
    now = time.monotonic()
    for line in lines:
        if isinstance(line, str):
            progress.say(line)
        else:
            progress.take(line, now)


def _ended_as(job: Job) -> str | None:
    """Return the state that the command's document tells, if it wrote one."""
    try:
        document = json.loads(result_file(job).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return document.get("state") if isinstance(document, dict) else None
