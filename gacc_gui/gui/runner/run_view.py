"""One evaluation while it runs and afterwards: stages, rate, time left, errors by kind, tokens and money.

Owns the view of one job and its buttons. Not owned: the job (`run_queue`), what its events mean (`progress`).
"""

from __future__ import annotations

import time
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QApplication,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gacc_gui.gui.runner.jobs import Job
from gacc_gui.gui.runner.progress import ROLES, STAGES, RunProgress, Stage
from gacc_gui.gui.runner.run_process import can_pause
from gacc_gui.gui.runner.tables import fill, plain_table
from gacc_gui.gui.runner.words import job_state, shown_cost, shown_count
from gacc_gui.gui.side.section import Elided, figure, remark
from gacc_gui.gui.theme import GRID, HALF, UI_POINTS, mono_font, ui_font
from gacc_gui.gui.themed_label import ThemedLabel

_ROLE_NAMES: Final = {"compressor": "Compressors", "reader": "Reader", "judge": "Judge"}
_USAGE_TITLES: Final = ("Used by", "Calls", "Cache hits", "Tokens in", "cached", "Tokens out", "Cost")


class RunView(QWidget):
    """Signals, each with the job's id: pause_asked, go_on_asked, stop_asked, resume_asked, show_asked (its
    rows in the inspector), remove_asked.
    """

    pause_asked = Signal(object)
    go_on_asked = Signal(object)
    stop_asked = Signal(object)
    resume_asked = Signal(object)
    show_asked = Signal(object)
    remove_asked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("runView")
        self._job: Job | None = None
        self._stages: dict[str, _StageRow] = {}
        self._build_ui()
        self._connect()
        self.show_job(None, None)

    def _build_ui(self) -> None:
        self._title = Elided(self, at_end=True)
        self._title.setFont(ui_font(UI_POINTS + 2))
        self._state = remark(self)
        self._state.setObjectName("runState")
        self._pause = QPushButton("Pause", self)
        self._go_on = QPushButton("Continue", self)
        self._stop = QPushButton("Stop", self)
        self._resume = QPushButton("Resume", self)
        self._show = QPushButton("Show its rows", self)
        self._remove = QPushButton("Take off the list", self)
        self._buttons = (self._show, self._resume, self._pause, self._go_on, self._stop, self._remove)
        head = QHBoxLayout()
        head.setSpacing(HALF)
        head.addWidget(self._title, 1)
        for button in self._buttons:
            head.addWidget(button)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(GRID)
        self._grid.setVerticalSpacing(HALF)
        self._grid.setColumnStretch(1, 1)
        self._usage = plain_table("runUsage", _USAGE_TITLES, self)
        self._errors = plain_table(
            "runErrors", ("Failed", "Items", "For example"), self, words=("For example",)
        )
        self._command = QLineEdit(self)
        self._command.setReadOnly(True)
        self._command.setFont(mono_font())
        self._command.setAccessibleName("The command that does this")
        self._command.setToolTip("The command that does this")
        self._copy = QPushButton("Copy command", self)
        line = QHBoxLayout()
        line.setSpacing(HALF)
        line.addWidget(self._command, 1)
        line.addWidget(self._copy)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addLayout(head)
        layout.addWidget(self._state)
        layout.addLayout(self._grid)
        layout.addWidget(self._usage)
        layout.addWidget(self._errors)
        layout.addLayout(line)

    def _connect(self) -> None:
        self._pause.clicked.connect(self._on_pause)
        self._go_on.clicked.connect(self._on_go_on)
        self._stop.clicked.connect(self._on_stop)
        self._resume.clicked.connect(self._on_resume)
        self._show.clicked.connect(self._on_show)
        self._remove.clicked.connect(self._on_remove)
        self._copy.clicked.connect(self._on_copy)

    @property
    def job(self) -> Job | None:
        """The job that is shown."""
        return self._job

    def show_job(self, job: Job | None, progress: RunProgress | None, now: float | None = None) -> None:
        """Show a job and how far it is at `now`, on the clock that its events were taken with."""
        now = time.monotonic() if now is None else now
        if job is None or progress is None:
            self._job = None
            self.hide()
            return
        another = self._job is None or self._job.id != job.id
        self._job = job
        self.show()
        self._title.set_text(job.name)
        words, role = job_state(job, progress, now)
        self._state.set_role(role)
        self._state.setText(words)
        self._show_buttons(job, progress)
        self._show_stages(job, progress)
        self._show_usage(progress)
        self._show_errors(progress)
        command = job.command_line
        if another or command != self._command.text():
            self._command.setText(command)
            self._command.setCursorPosition(0)

    def _show_buttons(self, job: Job, progress: RunProgress) -> None:
        runs = job.state == "running"
        stopping = job.stopping or progress.stopping is not None
        self._pause.setVisible(runs and can_pause() and not progress.is_paused and not stopping)
        self._go_on.setVisible(runs and progress.is_paused and not stopping)
        self._stop.setVisible(runs)
        self._stop.setText("Stop at once" if stopping else "Stop")
        self._resume.setVisible(job.can_resume or job.state == "waiting")
        again = "Retry the failed" if job.state == "finished" else "Resume" if job.run else "Try again"
        self._resume.setText("Start now" if job.state == "waiting" else again)
        self._show.setVisible(bool(job.run))
        self._remove.setVisible(not runs)

    def _show_stages(self, job: Job, progress: RunProgress) -> None:
        names = [*STAGES, *(name for name in progress.stages if name not in STAGES)]
        for name in names:
            if name not in self._stages:
                self._stages[name] = _StageRow(name, self._grid, len(self._stages), self)
            self._stages[name].show_stage(progress.stages.get(name, Stage()), job.state == "running")

    def _show_usage(self, progress: RunProgress) -> None:
        usage = progress.usage
        currency = progress.currency
        rows = []
        for role in [*ROLES, *(role for role in usage if role not in ROLES)]:
            used = usage.get(role)
            if used is None:
                continue
            rows.append(
                (
                    _ROLE_NAMES.get(role, role),
                    shown_count(used.calls),
                    shown_count(used.hits) if used.hits else "",
                    shown_count(used.input_tokens) if used.asked_model else "",
                    shown_count(used.cached_tokens) if used.cached_tokens else "",
                    shown_count(used.output_tokens) if used.asked_model else "",
                    shown_cost(used.cost, used.unpriced, currency) if used.asked_model else "",
                )
            )
        fill(self._usage, rows)

    def _show_errors(self, progress: RunProgress) -> None:
        found = sorted(progress.errors.items(), key=lambda item: -item[1].count)
        fill(self._errors, [(kind, shown_count(one.count), one.example) for kind, one in found])

    def _id(self) -> str | None:
        return self._job.id if self._job is not None else None

    def _on_pause(self) -> None:
        self.pause_asked.emit(self._id())

    def _on_go_on(self) -> None:
        self.go_on_asked.emit(self._id())

    def _on_stop(self) -> None:
        self.stop_asked.emit(self._id())

    def _on_resume(self) -> None:
        self.resume_asked.emit(self._id())

    def _on_show(self) -> None:
        self.show_asked.emit(self._id())

    def _on_remove(self) -> None:
        self.remove_asked.emit(self._id())

    def _on_copy(self) -> None:
        QApplication.clipboard().setText(self._command.text())


class _StageRow:
    """A stage as a row of the grid: its name, a bar, how many, how many failed."""

    def __init__(self, name: str, grid: QGridLayout, row: int, parent: QWidget) -> None:
        self._name = ThemedLabel("text", parent)
        self._name.setText(name.capitalize())
        self._bar = QProgressBar(parent)
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(GRID)
        self._bar.setAccessibleName(name)
        self._count = figure(parent)
        self._failed = figure(parent, role="error")
        for column, widget in enumerate((self._name, self._bar, self._count, self._failed)):
            grid.addWidget(widget, row, column)
        self._count.setMinimumWidth(15 * GRID)

    def show_stage(self, stage: Stage, runs: bool) -> None:
        if stage.planned is None:
            self._bar.setRange(0, 0 if runs else 1000)
            self._bar.setValue(0)
            self._count.setText(shown_count(stage.done) if stage.done else "")
        else:
            # A progress bar counts in 32 bits.
            self._bar.setRange(0, 1000)
            self._bar.setValue(min(1000, stage.done * 1000 // max(1, stage.planned)))
            self._count.setText(f"{stage.done:,} of {stage.planned:,}")
        self._failed.setText(f"{stage.failed:,} failed" if stage.failed else "")
