"""What can be done to a run: rename, export, delete. Asks first where it cannot be taken back.

Renaming and deleting happen in a worker, through the same functions as the commands of those names; an
export, which takes longer, is such a command itself (`exports`).
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from gacc_gui.gui.asking import Asker
from gacc_gui.gui.background import Background
from gacc_gui.gui.exports import Exports
from gacc_gui.gui.session import Session
from gacc_gui.store.rows import RunSummary

if TYPE_CHECKING:
    from gacc_gui.store.reads import Reader


class RunActions(QObject):
    """Signals: told(sentence): something was done; run_deleted(run id)."""

    told = Signal(object)
    run_deleted = Signal(object)

    def __init__(self, window: QWidget, session: Session, worker: Background, asker: Asker) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._worker = worker
        self._asker = asker
        self.exports = Exports(window)
        self.exports.told.connect(self.told)

    def rename_chosen(self) -> None:
        """Give the chosen run another name."""
        if self._session.run is not None:
            self.rename(self._session.run)

    def rename(self, summary: RunSummary) -> None:
        """Give a run another name."""
        path = self._worker.path
        if path is None:
            return
        old = summary.run.name or summary.run.id
        name = self._asker.text(self._window, "Rename the run", f"New name of {summary.run.id}:", old)
        if name is not None and name != old:
            self._worker.request("rename", partial(_rename, path, summary.run.id, name), self._on_renamed)

    def export_chosen(self) -> None:
        """Write the chosen run to a file."""
        if self._session.run is not None:
            self.export(self._session.run)

    def export(self, summary: RunSummary) -> None:
        """Write a run to a file; the suffix decides the format."""
        path = self._worker.path
        if path is None:
            return
        name = _file_name(summary.run.name or summary.run.id) or "run"
        target = self._asker.export_target(self._window, f"{name}.jsonl")
        if target is not None:
            self.exports.start(path, summary.run.id, target)

    def export_goal(self) -> None:
        """Write the goal that is shown to a page, to hand on."""
        path, unit = self._worker.path, self._session.unit
        if path is None or unit is None:
            return
        name = _file_name(f"{unit.run.name or unit.run.id} {unit.goal.id}") or "goal"
        target = self._asker.page_target(self._window, f"{name}.html")
        if target is not None:
            self.exports.start(path, unit.run.id, target, unit.goal.id)

    def delete_chosen(self) -> None:
        """Delete the chosen run, after asking."""
        if self._session.run is not None:
            self.delete(self._session.run)

    def delete(self, summary: RunSummary) -> None:
        """Delete a run from the database, after asking."""
        path = self._worker.path
        if path is None:
            return
        name = summary.run.name or summary.run.id
        text = (
            f"Delete the run “{name}” with its {summary.goals:,} goals and {summary.answers:,} answers from "
            f"{path.name}?\n\nThe files it was imported from stay as they are."
        )
        if self._asker.confirm(self._window, "Delete the run", text, "Delete"):
            self._worker.request("delete", partial(_delete, path, summary.run.id), self._on_deleted)

    def _on_renamed(self, run_id: str) -> None:
        self._session.data_changed.emit()
        self._session.choose_run(run_id)

    def _on_deleted(self, run_id: str) -> None:
        self.told.emit(f"The run {run_id} was deleted.")
        self.run_deleted.emit(run_id)


def _rename(path: Path, run_id: str, name: str, _reader: Reader) -> str:
    from gacc_gui.app.managing import rename_run

    return rename_run(path, run_id, name)


def _file_name(text: str) -> str:
    """Return a name of a run or a goal as a file can have it; empty where nothing of it can be kept."""
    return re.sub(r"[^\w.-]+", "-", text).strip("-.")[:80]


def _delete(path: Path, run_id: str, _reader: Reader) -> str:
    from gacc_gui.app.managing import delete_run

    return delete_run(path, run_id)
