"""Parts of the window that can wait: made one by one, between events, when the first list has been painted.

Owns the order and the pace. What a part is made of is the window's. Whoever needs one sooner makes all at
once (`finish`): a part is never half there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, QTimer, Signal


class Stages(QObject):
    """Signals: done(): all parts are made."""

    done = Signal()

    def __init__(self, parts: Iterable[Callable[[], object]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._parts = list(parts)
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._on_timeout)

    @property
    def is_done(self) -> bool:
        """Whether all parts are made."""
        return not self._parts

    def start(self) -> None:
        """Make a part whenever the event loop has nothing else to do."""
        if self._parts:
            self._timer.start()

    def finish(self) -> None:
        """Make now what is left."""
        while self._parts:
            self._on_timeout()

    def stop(self) -> None:
        """Leave out what is left: the window closes."""
        self._parts.clear()
        self._timer.stop()

    def _on_timeout(self) -> None:
        # Out of the list first: making a part may ask for others, or fail, which is told as any bug is.
        part = self._parts.pop(0)
        is_last = not self._parts
        if is_last:
            self._timer.stop()
        part()
        if is_last:
            self.done.emit()
