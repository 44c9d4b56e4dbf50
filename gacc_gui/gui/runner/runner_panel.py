"""The runner's place in the window. What is in it is made when it is first needed, so a window opens fast."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gacc_gui.gui.asking import Asker
from gacc_gui.gui.child_process import OWN_PROGRAM
from gacc_gui.gui.stages import Stages
from gacc_gui.gui.theme import slim_scroll_bars

if TYPE_CHECKING:
    from gacc_gui.gui.runner.runner_desk import RunnerDesk

_PACKAGE = "gacc_gui.gui.runner"
_MODULES = ("config_form", "config_view", "run_queue", "run_view", "runner_desk")
"""What the desk is made of, in an order in which no import takes long."""


class RunnerPanel(QWidget):
    """What is in it is made in stages, and is seen when it is whole.

    Signals: run_chosen(database, run id): look at its rows; rows_expected(database, run id): a run writes
    there from now on; told(sentence); failed(sentence).
    """

    run_chosen = Signal(object, object)
    rows_expected = Signal(object, object)
    told = Signal(object)
    failed = Signal(object)

    def __init__(
        self, asker: Asker, parent: QWidget | None = None, program: Sequence[str] = OWN_PROGRAM
    ) -> None:
        """`program`: what is run in place of `gacc-gui`."""
        super().__init__(parent)
        self.setObjectName("runnerPanel")
        self._asker = asker
        self._program = program
        self._database: Path | None = None
        self._desk: RunnerDesk | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        imports = [partial(import_module, f"{_PACKAGE}.{name}") for name in _MODULES]
        self._stages = Stages([*imports, self._make_desk, self._make_form, self._show_desk], self)
        self._begun = False

    @property
    def desk(self) -> RunnerDesk:
        """What is in the panel; made now if it was not."""
        self._stages.finish()
        assert self._desk is not None
        return self._desk

    def _begin(self) -> None:
        self._begun = True
        self._stages.start()

    def _make_desk(self) -> None:
        from gacc_gui.gui.runner.runner_desk import RunnerDesk

        desk = self._desk = RunnerDesk(self._asker, self._program, self)
        desk.hide()
        desk.run_chosen.connect(self.run_chosen)
        desk.rows_expected.connect(self.rows_expected)
        desk.told.connect(self.told)
        desk.failed.connect(self.failed)
        desk.set_database(self._database)

    def _make_form(self) -> None:
        assert self._desk is not None and self._desk.config.form

    def _show_desk(self) -> None:
        desk = self._desk
        assert desk is not None
        slim_scroll_bars(desk)
        desk.recover()
        self._layout.addWidget(desk)
        desk.show()

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being made, no plan either, and no endpoint checked; an evaluation may run."""
        if not self._stages.is_done:
            return not self._begun
        return self._desk is None or self._desk.is_idle

    def set_database(self, path: Path | None) -> None:
        """Have evaluations that are started from now on write to the open database."""
        self._database = path
        if self._desk is not None:
            self._desk.set_database(path)

    def find_running(self) -> None:
        """Follow the evaluation that an earlier window left running, if there is one."""
        from gacc_gui.gui.runner.jobs import kept_jobs

        if any(job.state == "running" for job in kept_jobs()):
            self._begin()

    def may_close(self) -> bool:
        """Ask, if an evaluation runs, whether it goes on; False: the window stays."""
        return self._desk is None or self._desk.may_close()

    def shutdown(self, keeps: bool) -> None:
        """Stop following; see `RunnerDesk.shutdown`. Can be repeated."""
        self._stages.stop()
        if self._desk is not None:
            self._desk.shutdown(keeps)

    def showEvent(self, event: QShowEvent) -> None:
        """Make what is in the panel."""
        super().showEvent(event)
        self._begin()
