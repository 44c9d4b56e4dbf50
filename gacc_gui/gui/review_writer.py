"""Stores decisions, one after the other, in a thread of its own.

Owns the thread, the order, and that a decision waits for a database that another program holds: it is kept as
it was given and tried again, until it is stored or the window closes. A decision that cannot be stored is
told, with what was to be stored.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Final

from PySide6.QtCore import QObject, Signal

from gacc_gui.app.reviewing import Decision
from gacc_gui.core.errors import GaccError, StoreError

_AGAIN_SECONDS: Final = 0.25


@dataclass(frozen=True, slots=True)
class Order:
    """A decision that is to be stored, and where."""

    path: Path
    run_id: str
    decision: Decision


@dataclass(frozen=True, slots=True)
class Unstored:
    """A decision that is not in the database, and why."""

    order: Order
    reason: str


class ReviewWriter(QObject):
    """Signals, in the GUI thread: stored(Order); failed(Order, GaccError); held_up(number): so many decisions
    wait because another program holds the database, 0 when none does any more.
    """

    stored = Signal(object)
    failed = Signal(object, object)
    held_up = Signal(object)
    _changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._condition = threading.Condition()
        self._orders: deque[Order] = deque()
        """In their order; the first is being stored."""
        self._ended: deque[tuple[Order, GaccError | None]] = deque()
        """Those that are yet to be told."""
        self._locked: StoreError | None = None
        self._closes_at: float | None = None
        self._thread: threading.Thread | None = None
        self._told = 0
        self._changed.connect(self._on_changed)

    @property
    def is_idle(self) -> bool:
        """Whether every decision is stored, or failed, and told."""
        return not self._orders and not self._ended

    def waiting(self) -> tuple[Order, ...]:
        """Decisions that are not stored yet, in the order they were given."""
        with self._condition:
            return tuple(self._orders)

    def write(self, order: Order) -> None:
        """Store a decision behind those that came before."""
        with self._condition:
            self._orders.append(order)
            self._condition.notify_all()
        if self._thread is None:
            self._closes_at = None
            self._thread = threading.Thread(target=self._work, name="gacc-gui reviews", daemon=False)
            self._thread.start()
        self._tell_held_up()

    def unstored(self, seconds: float) -> list[Unstored]:
        """Wait so long for what is being stored; return what is not, without what was told already."""
        with self._condition:
            self._condition.wait_for(lambda: not self._orders, seconds)
            failed = [Unstored(order, str(error)) for order, error in self._ended if error is not None]
            why = str(self._locked or "it is still being stored")
            return failed + [Unstored(order, why) for order in self._orders]

    def shutdown(self, seconds: float) -> list[Unstored]:
        """Store what is left, for so long as another program holds the database; return what is not stored.

        Nothing is told afterwards. Can be repeated.
        """
        thread, self._thread = self._thread, None
        if thread is None:
            return []
        with self._condition:
            self._closes_at = monotonic() + seconds
            self._condition.notify_all()
        thread.join()
        lost = self.unstored(0)
        self._orders.clear()
        self._ended.clear()
        return lost

    # --- the worker's side -------------------------------------------------------------------------

    def _work(self) -> None:
        from gacc_gui.app.reviewing import store_review

        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._orders or self._closes_at is not None)
                if not self._orders:
                    return
                order = self._orders[0]
            error: GaccError | None = None
            try:
                store_review(order.path, order.run_id, order.decision, self._goes_on)
            except GaccError as known:
                if known is self._locked:
                    return  # the window closes
                error = known
            except Exception:
                sys.excepthook(*sys.exc_info())
                error = GaccError("the decision could not be stored")
            with self._condition:
                self._locked = None
                self._ended.append((self._orders.popleft(), error))
                self._condition.notify_all()
            self._changed.emit()

    def _goes_on(self, error: StoreError) -> bool:
        """Wait a moment for a locked database; whether there is time for another try."""
        with self._condition:
            self._locked = error
        self._changed.emit()
        with self._condition:
            self._condition.wait_for(lambda: self._closes_at is not None, _AGAIN_SECONDS)
            return self._closes_at is None or monotonic() < self._closes_at

    # --- the GUI's side ----------------------------------------------------------------------------

    def _on_changed(self) -> None:
        while self._ended:
            order, error = self._ended.popleft()
            if error is None:
                self.stored.emit(order)
            else:
                self.failed.emit(order, error)
        self._tell_held_up()

    def _tell_held_up(self) -> None:
        number = len(self._orders) if self._locked is not None else 0
        if number != self._told:
            self._told = number
            self.held_up.emit(number)
