"""The program's own commands as child processes: events while they run, one JSON document at the end.

The window does long work by the same command a person would type. A crash there costs the window nothing.
Events come as JSON lines on stderr (`--events`); other lines there are messages for people.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

KILL_AFTER_MS: Final = 5000
"""How long a child may take to stop after it was asked to."""
MESSAGES: Final = 200
OWN_PROGRAM: Final = (sys.executable, "-m", "gacc_gui")


@dataclass(frozen=True, slots=True)
class ChildOutcome:
    """How a command ended. `exit_code` None: it crashed, was killed, or never started."""

    exit_code: int | None
    document: Any
    messages: tuple[str, ...]
    cancelled: bool


class Child(QObject):
    """One command, run once.

    Signals: event_received(dict) for each event line; finished(ChildOutcome), exactly once.
    """

    event_received = Signal(object)
    finished = Signal(object)

    def __init__(
        self,
        arguments: Sequence[str],
        parent: QObject | None = None,
        program: Sequence[str] = OWN_PROGRAM,
    ) -> None:
        """`arguments` as typed behind `gacc-gui`; `program` is what runs in its place."""
        super().__init__(parent)
        self._arguments = [str(one) for one in arguments]
        self._stdout = bytearray()
        self._stderr = bytearray()
        self._messages: list[str] = []
        self._cancelled = False
        self._ended = False
        self._process = QProcess(self)
        self._process.setProgram(program[0])
        self._process.setArguments([*program[1:], *self._arguments])
        self._process.readyReadStandardOutput.connect(self._on_stdout)
        self._process.readyReadStandardError.connect(self._on_stderr)
        self._process.finished.connect(self._on_finished)
        self._process.errorOccurred.connect(self._on_error)
        self._kill_timer = QTimer(self)
        self._kill_timer.setSingleShot(True)
        self._kill_timer.setInterval(KILL_AFTER_MS)
        self._kill_timer.timeout.connect(self._process.kill)

    @property
    def command_line(self) -> str:
        """What a person would type for the same."""
        return shlex.join(["gacc-gui", *self._arguments])

    @property
    def is_running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._process.state() != QProcess.ProcessState.NotRunning

    def start(self) -> None:
        """Start the command."""
        self._process.start()

    def cancel(self) -> None:
        """Ask it to stop as Ctrl+C does; what was committed stays. It is killed if it does not."""
        if not self.is_running or self._cancelled:
            return
        self._cancelled = True
        if sys.platform == "win32":
            self._process.kill()
            return
        os.kill(self._process.processId(), signal.SIGINT)
        self._kill_timer.start()

    def shutdown(self) -> None:
        """Stop it and wait until it has ended; nothing is signalled afterwards."""
        self.blockSignals(True)
        if self.is_running:
            self.cancel()
            if not self._process.waitForFinished(KILL_AFTER_MS):
                self._process.kill()
                self._process.waitForFinished(KILL_AFTER_MS)

    def _on_stdout(self) -> None:
        self._stdout += self._process.readAllStandardOutput().data()

    def _on_stderr(self) -> None:
        self._stderr += self._process.readAllStandardError().data()
        *lines, rest = self._stderr.split(b"\n")
        self._stderr = bytearray(rest)
        for line in lines:
            self._take_line(line.decode("utf-8", "replace").strip())

    def _take_line(self, line: str) -> None:
        if not line:
            return
        event = _parsed(line) if line.startswith("{") else None
        if isinstance(event, dict) and "event" in event:
            self.event_received.emit(event)
        else:
            self._messages = [*self._messages[1 - MESSAGES :], line]

    def _on_finished(self, code: int, status: QProcess.ExitStatus) -> None:
        self._on_stdout()
        self._on_stderr()
        self._take_line(self._stderr.decode("utf-8", "replace").strip())
        self._end(code if status == QProcess.ExitStatus.NormalExit else None)

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._messages.append(self._process.errorString())
            self._end(None)

    def _end(self, code: int | None) -> None:
        if self._ended:
            return
        self._ended = True
        self._kill_timer.stop()
        document = _parsed(self._stdout.decode("utf-8", "replace"))
        self.finished.emit(ChildOutcome(code, document, tuple(self._messages), self._cancelled))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
