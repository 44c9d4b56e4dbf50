"""Garbage collection in the GUI thread only.

A collection that happens to run in a worker thread frees cyclic widgets there, which crashes (measured with
PySide6 6.11): automatic collection is off while a window lives, and a timer of the GUI thread collects.
"""

from __future__ import annotations

import gc
from typing import Final

from PySide6.QtCore import QObject, QTimer

INTERVAL_MS: Final = 2000
_THRESHOLDS: Final = (2000, 20, 20)
"""New objects since a young collection, young ones since a middle one, middle ones since a full one."""


class Collector(QObject):
    """Collects from a timer, young objects often and old ones seldom, until `stop`."""

    _running = 0

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._stopped = False
        Collector._running += 1
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self._on_timeout)
        self._timer.start()

    def settle(self) -> None:
        """Look no more at what there is now: modules and widgets that live as long as the window.

        A full collection goes through every object that there is: 30 ms after the start, against 2 ms when it
        leaves these out (measured 2026-11).
        """
        if not self._stopped:
            gc.freeze()

    def stop(self) -> None:
        """Collect automatically again, and everything, once the last window has stopped."""
        if self._stopped:
            return
        self._stopped = True
        self._timer.stop()
        Collector._running -= 1
        if Collector._running == 0:
            gc.unfreeze()
            gc.enable()

    def _on_timeout(self) -> None:
        counts = gc.get_count()
        for generation in (2, 1, 0):
            if counts[generation] > _THRESHOLDS[generation]:
                gc.collect(generation)
                return
