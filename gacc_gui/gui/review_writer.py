"""Stores decisions, one after the other, in a thread of its own; none is lost when the window closes.

Owns the thread and the order. A decision that cannot be stored is told, with what was to be stored.
"""

from __future__ import annotations

import queue
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from gacc_gui.app.reviewing import Decision
from gacc_gui.core.errors import GaccError


@dataclass(frozen=True, slots=True)
class _Order:
    path: Path
    run_id: str
    decision: Decision


class ReviewWriter(QObject):
    """Signals, in the GUI thread: written(Added), failed(Decision, GaccError)."""

    written = Signal(object)
    failed = Signal(object, object)
    _ended = Signal(object, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._orders: queue.Queue[_Order | None] = queue.Queue()
        self._thread: threading.Thread | None = None
        self._waiting = 0
        self._ended.connect(self._on_ended)

    @property
    def is_idle(self) -> bool:
        """Whether every decision is stored and told."""
        return not self._waiting

    def write(self, path: Path, run_id: str, decision: Decision) -> None:
        """Store a decision behind those that came before."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="gacc-gui reviews", daemon=False)
            self._thread.start()
        self._waiting += 1
        self._orders.put(_Order(path, run_id, decision))

    def shutdown(self) -> None:
        """Store what is left, then stop; waits as long as another program holds the database, seconds."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._orders.put(None)
            thread.join()

    def _work(self) -> None:
        from gacc_gui.app.reviewing import add_review

        while (order := self._orders.get()) is not None:
            added = error = None
            try:
                added = add_review(order.path, order.run_id, order.decision)
            except GaccError as known:
                error = known
            except Exception:
                sys.excepthook(*sys.exc_info())
                error = GaccError("the decision could not be stored")
            self._ended.emit(order.decision, added, error)

    def _on_ended(self, decision: Decision, added: object, error: GaccError | None) -> None:
        self._waiting -= 1
        if error is None:
            self.written.emit(added)
        else:
            self.failed.emit(decision, error)
