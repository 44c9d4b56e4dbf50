"""An export of the window: the command that does it, how far it is, and the way to cancel it.

Owns one child command at a time and the strip that shows it. Not owned: exporting itself (`gacc-gui export`
does it, so that the window never waits for Python's lock), nor asking where to.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from gacc_gui.core.errors import GaccError
from gacc_gui.gui.child_process import Child, ChildOutcome
from gacc_gui.gui.message_strip import WorkStrip

_PROGRAM: Final = "gacc-gui: "
"""What the command's messages begin with; here it is known who speaks."""


class Exports(QObject):
    """Signals: told(sentence): what became of an export; failed(GaccError); changed(): one began or ended."""

    told = Signal(object)
    failed = Signal(object)
    changed = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.strip = WorkStrip("exportStrip", "Cancel the export", window)
        self.strip.cancelled.connect(self.cancel)
        self._child: Child | None = None
        self._target = Path()

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being exported."""
        return self._child is None

    def can_cancel(self) -> bool:
        """Whether something is being exported."""
        return not self.is_idle

    def start(self, database: Path, run_id: str, target: Path, goal_id: str | None = None) -> None:
        """Write a run, or one goal of it, to a file; one export at a time."""
        if self._child is not None:
            self.told.emit("Something is being exported already.")
            return
        if any("\0" in id_ for id_ in (run_id, goal_id or "")):
            self.failed.emit(GaccError("An id with a NUL in it can be given to no command."))
            return
        goal = [] if goal_id is None else [f"--goal={goal_id}"]
        self._target = target.absolute()
        # An id may begin with a dash: `--` keeps it from being taken for an option.
        where = [f"--db={database.absolute()}", "export", f"--to={self._target}", *goal]
        self._child = Child([*where, "--json", "--events", "--", run_id], self)
        self._child.event_received.connect(self._on_event)
        self._child.finished.connect(self._on_finished)
        self.strip.show_work(f"Exporting to {target.name}…")
        self._child.start()
        self.changed.emit()

    def cancel(self) -> None:
        """Stop; nothing is left of what was written."""
        if self._child is not None:
            self.strip.show_work("Stopping the export…", can_cancel=False)
            self._child.cancel()

    def shutdown(self) -> None:
        """Stop and wait for the end."""
        if self._child is not None:
            self._child.shutdown()
            self._child = None

    def _on_event(self, event: dict[str, Any]) -> None:
        match event:
            case {"event": "progress", "done": int(done), "total": int(total)} if total > 0:
                share = min(1.0, done / total)
                self.strip.show_work(f"Exporting to {self._target.name}: {share:.0%}", share)

    def _on_finished(self, outcome: ChildOutcome) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.deleteLater()
        self.strip.clear()
        document = outcome.document
        if outcome.exit_code == 0 and isinstance(document, dict):
            notices = [str(notice) for notice in document.get("notices", ())]
            told = "".join(f" {notice[:1].upper()}{notice[1:]}." for notice in notices)
            self.told.emit(f"Exported to {self._target}.{told}")
        elif outcome.cancelled:
            self.told.emit(f"The export was cancelled; nothing was written to {self._target}.")
        else:
            last = outcome.messages[-1].removeprefix(_PROGRAM) if outcome.messages else ""
            self.failed.emit(GaccError(last or "The export ended unexpectedly."))
        self.changed.emit()
