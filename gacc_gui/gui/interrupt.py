"""Ctrl+C in the terminal that the window was opened from."""

from __future__ import annotations

import signal
import socket

from PySide6.QtCore import QObject, QSocketNotifier
from PySide6.QtWidgets import QWidget


class Interrupt(QObject):
    """Ctrl+C in the terminal closes the window. Python runs its handlers only between bytecodes, so a socket
    wakes the event loop."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._reading, self._writing = socket.socketpair()
        for end in (self._reading, self._writing):
            end.setblocking(False)
        self._before_fd = signal.set_wakeup_fd(self._writing.fileno())
        self._before = signal.signal(signal.SIGINT, _nothing)
        self._notifier = QSocketNotifier(self._reading.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_signal)

    def stop(self) -> None:
        """Handle signals as before."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._before_fd)
        signal.signal(signal.SIGINT, self._before)
        self._reading.close()
        self._writing.close()

    def _on_signal(self) -> None:
        numbers = self._reading.recv(64)
        if signal.SIGINT in numbers:
            self._window.close()


def _nothing(_number: int, _frame: object) -> None:
    pass
