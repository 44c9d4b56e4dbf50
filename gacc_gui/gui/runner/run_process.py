"""The command of one evaluation as a process that can outlive the window.

Owns its start in a session of its own, following what it writes into the job's files, and asking it to stop.
It writes to files and not to pipes: a window that closes takes nothing away from it, and the next one reads
the same files from their beginning. Short commands that end with the window are `child_process`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Final

from PySide6.QtCore import QObject, QTimer, Signal

from gacc_gui.gui.child_process import OWN_PROGRAM
from gacc_gui.gui.runner.jobs import Job, events_file, result_file

POLL_MS: Final = 150
CLEAN_SECONDS: Final = 8.0
"""How long it may take to stop after each request, when the window waits for it."""
CHUNK: Final = 1 << 20
_BORN_TOLERANCE: Final = 2.0
"""Seconds by which the system's word on when a process began may change (a clock that is set)."""


class EventFile:
    """Reads a growing file of event lines; a line that is still being written waits for its end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[bytes] | None = None
        self._rest = b""

    def read(self, last: bool = False) -> list[dict[str, Any] | str]:
        """Return events (dicts) and other lines (texts) that are new; `last` takes a torn line, too."""
        try:
            if self._file is None:
                self._file = self._path.open("rb")
            found = self._file.read(CHUNK)
        except OSError:
            return []
        *lines, self._rest = (self._rest + found).split(b"\n")
        if last and len(found) < CHUNK:
            lines.append(self._rest)
            self._rest = b""
        told = []
        for line in lines:
            text = line.decode("utf-8", "replace").strip()
            if text:
                told.append(_event(text) or text)
        return told

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _event(text: str) -> dict[str, Any] | None:
    if not text.startswith("{"):
        return None
    try:
        event = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and "event" in event else None


def can_pause() -> bool:
    """Whether a command can be paused on this platform."""
    return hasattr(signal, "SIGUSR1")


class RunProcess(QObject):
    """One command, started here or found running.

    Signals: told(list of events as dict and of lines as str); ended(exit code | None), exactly once: None for
    a process that another window started, or that was killed.
    """

    told = Signal(object)
    ended = Signal(object)

    def __init__(self, job: Job, program: Sequence[str] = OWN_PROGRAM, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._job = job
        self._program = program
        self._process: subprocess.Popen[bytes] | None = None
        self._events = EventFile(events_file(job))
        self._poll = QTimer(self)
        self._poll.setInterval(POLL_MS)
        self._poll.timeout.connect(self.look)

    def start(self) -> Job:
        """Start the command and return the job with its process. Raises OSError where it cannot start."""
        events, result = events_file(self._job), result_file(self._job)
        _move_away(events)
        result.unlink(missing_ok=True)
        options: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            options = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.DETACHED_PROCESS}
        with events.open("wb") as stderr, result.open("wb") as stdout:
            self._process = subprocess.Popen(
                [*self._program, *self._job.arguments, "--events", "--json"],
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                **options,
            )
        pid = self._process.pid
        self._job = replace(
            self._job, state="running", pid=pid, started=_began(pid), stopping=False, reason=None
        )
        self._poll.start()
        return self._job

    def follow(self) -> None:
        """Follow a process that runs already; what it wrote so far is told first."""
        self._poll.start()
        self.look()

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        if self._process is not None:
            return self._process.poll() is None
        return is_running(self._job)

    def look(self) -> None:
        """Tell what is new; tell the end."""
        alive = self.is_alive  # asked first: what it wrote before its end is then all there
        lines = self._events.read(last=not alive)
        if lines:
            self.told.emit(lines)
            if not alive:
                self.look()
                return
        if not alive and self._poll.isActive():
            self.let_go()
            code = self._process.returncode if self._process is not None else None
            self.ended.emit(code if code is None or code >= 0 else None)

    def interrupt(self) -> None:
        """Ask it to stop as Ctrl+C does: calls in flight are finished; asked again, it stops at once."""
        if not self.is_alive or self._job.pid is None:
            return
        if sys.platform == "win32":
            # A detached process has no console to be sent Ctrl+C through; what is committed stays.
            self.kill()
        else:
            os.kill(self._job.pid, signal.SIGINT)

    def pause(self) -> None:
        """Have it begin no new call; see `can_pause`."""
        self._signal("SIGUSR1")

    def go_on(self) -> None:
        """End a pause."""
        self._signal("SIGUSR2")

    def _signal(self, name: str) -> None:
        if self.is_alive and self._job.pid is not None and hasattr(signal, name):
            os.kill(self._job.pid, getattr(signal, name))

    def kill(self) -> None:
        """End it without its consent; what it committed stays."""
        if self.is_alive and self._job.pid is not None:
            os.kill(self._job.pid, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)

    def end(self) -> None:
        """Ask it to stop, wait, ask again, wait, and kill it; returns when it is gone."""
        for ask in (self.interrupt, self.interrupt, self.kill):
            ask()
            until = time.monotonic() + CLEAN_SECONDS
            while self.is_alive and time.monotonic() < until:
                time.sleep(0.02)
            if not self.is_alive:
                break
        self.look()

    def let_go(self) -> None:
        """Follow it no longer; it goes on."""
        self._poll.stop()
        self._events.close()
        if self._process is not None and self._process.returncode is None:
            # It is not waited for any more: without this, Python would warn of it as forgotten.
            _going_on.append(self._process)


_going_on: Final[list[subprocess.Popen[bytes]]] = []


def is_running(job: Job) -> bool:
    """Whether a job's process runs: the one that was started, not another that got its number."""
    if job.pid is None or job.started is None:
        return False
    began = _began(job.pid)
    return began is not None and abs(began - job.started) <= _BORN_TOLERANCE


def _began(pid: int) -> float | None:
    """When a process began, in seconds since the epoch; None where there is none any more."""
    import psutil

    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else process.create_time()
    except psutil.Error:
        return None


def _move_away(path: Path) -> None:
    """Keep what an earlier command wrote under another name."""
    number = 1
    while (kept := path.with_name(f"{path.stem}-{number}{path.suffix}")).exists():
        number += 1
    if path.exists():
        path.replace(kept)
