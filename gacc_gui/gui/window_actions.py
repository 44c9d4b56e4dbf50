"""What commands do that concern no single view: ask for files, step between runs, copy, change the theme."""

from __future__ import annotations

import shlex

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from gacc_gui.gui.asking import Asker
from gacc_gui.gui.opener import Opener
from gacc_gui.gui.session import Session
from gacc_gui.gui.settings import Settings
from gacc_gui.gui.theme import apply_theme, current_theme, the_application


class WindowActions(QObject):
    """Acts on the session and the opener of one window."""

    def __init__(
        self, window: QWidget, session: Session, opener: Opener, settings: Settings, asker: Asker
    ) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._opener = opener
        self._settings = settings
        self._asker = asker
        self._run_ids: list[str] = []

    def has_database(self) -> bool:
        """Whether a database is open."""
        return self._opener.path is not None

    def has_run(self) -> bool:
        """Whether a run is chosen."""
        return self._session.run is not None

    def has_unit(self) -> bool:
        """Whether a goal is shown."""
        return self._session.unit is not None

    def ask_files(self) -> None:
        """Ask for run files and import them."""
        paths = self._asker.run_files(self._window)
        if paths:
            self._opener.open_paths(paths)

    def ask_database(self) -> None:
        """Ask for a database and open it."""
        path = self._asker.database(self._window)
        if path is not None:
            self._opener.open_database(path)

    def know_runs(self, runs: tuple) -> None:
        """Take the runs in the order in which the list shows them."""
        self._run_ids = [summary.run.id for summary in runs]

    def next_run(self) -> None:
        """Look at the next run of the list."""
        self._step_run(1)

    def previous_run(self) -> None:
        """Look at the run before."""
        self._step_run(-1)

    def _step_run(self, step: int) -> None:
        run = self._session.run
        if run is not None and run.run.id in self._run_ids:
            at = self._run_ids.index(run.run.id) + step
            if 0 <= at < len(self._run_ids):
                self._session.choose_run(self._run_ids[at])

    def copy_reopen_command(self) -> None:
        """Copy the command line that opens the window at this question."""
        run, unit = self._session.run, self._session.unit
        if run is None or unit is None:
            return
        words = ["gacc-gui", "--db", str(self._opener.path), "--run", run.run.id, "--goal", unit.goal.id]
        if self._session.question is not None:
            words += ["--question", self._session.question]
        QApplication.clipboard().setText(shlex.join(words))
        self._session.noticed.emit("Copied the command that reopens the window here.")

    def is_dark(self) -> bool:
        """Whether the dark theme is in force."""
        return current_theme().is_dark

    def toggle_theme(self) -> None:
        """Change between light and dark."""
        self._settings.theme = "light" if self.is_dark() else "dark"
        # The parts take their colours in one turn of the event loop and are painted in a later one: both
        # together hold the loop up for more than 50 ms (measured 2026-11).
        self._window.setUpdatesEnabled(False)
        apply_theme(the_application(), self._settings.theme)
        QTimer.singleShot(0, self._window, lambda: self._window.setUpdatesEnabled(True))
