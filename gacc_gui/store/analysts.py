"""Processes that analyse texts beside this one. Owns the processes; what they do is `analysing`.

Plain child processes over pipes instead of a process pool: a child whose parent was killed reads the end of
its input and goes, and nothing depends on how the program's main module was started.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from gacc_gui.store.analysing import Analyst, Found, Task

_MOST: Final = 3
"""More than this the one that reads and writes the rows cannot feed."""

_ROOT: Final = Path(__file__).resolve().parents[2]
_PROGRAM: Final = "from gacc_gui.store.analysts import serve; serve()"


def spare_processors() -> int:
    """Return how many processes can work beside this one, which is busy itself."""
    return min(_MOST, (os.cpu_count() or 1) - 1)


class Analysts:
    """Some child processes; each does one task at a time."""

    def __init__(self, count: int) -> None:
        path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
        self._children = [
            subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": path},
            )
            for _ in range(count)
        ]
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        for child in self._children:
            self._idle.put(child)
        self._threads = ThreadPoolExecutor(count, "analyst")
        self.count = count
        """How many tasks are done at a time."""

    def submit(self, task: Task) -> Future[Found]:
        """Have a child do the task; where the child fails, a thread of this process does it."""
        return self._threads.submit(self._analyse, task)

    def close(self) -> None:
        """Give up what has not begun, and see every child off."""
        self._threads.shutdown(cancel_futures=True)
        for child in self._children:
            if child.stdin is not None:
                try:
                    child.stdin.close()
                except OSError:
                    pass  # it is gone already
        for child in self._children:
            child.wait()
            if child.stdout is not None:
                child.stdout.close()

    def _analyse(self, task: Task) -> Found:
        child = self._idle.get()
        try:
            assert child.stdin is not None and child.stdout is not None
            pickle.dump(task, child.stdin, pickle.HIGHEST_PROTOCOL)
            child.stdin.flush()
            return pickle.load(child.stdout)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            return Analyst().analyse(task)
        finally:
            self._idle.put(child)


def serve() -> None:
    """Do what comes on standard input until it ends: the child's whole life."""
    analyst = Analyst()
    source, target = sys.stdin.buffer, sys.stdout.buffer
    while True:
        try:
            task = pickle.load(source)
        except EOFError:
            return
        pickle.dump(analyst.analyse(task), target, pickle.HIGHEST_PROTOCOL)
        target.flush()
