"""Several processes that analyse beside this one. Owns the processes; what they do is `analysing`.

Plain child processes over pipes instead of a process pool: a child whose parent was killed reads the end of
its input and goes, and nothing depends on how the program's main module was started.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from gacc_gui.store.analysing import Analyst, Rows, Task

_MOST: Final = 4
"""More than this the one that reads and writes the rows cannot feed."""

_FAILURES: Final = (
    OSError, EOFError, ValueError, pickle.UnpicklingError, AttributeError, ImportError, IndexError,
)  # fmt: skip
"""What a child that died or prints something else lets pickle raise, by pickle's own account."""

_ROOT: Final = Path(__file__).resolve().parents[2]
_PROGRAM: Final = "from gacc_gui.store.analysts import serve; serve()"


def analyse_all(tasks: Iterable[Task], large: bool) -> Generator[Rows, None, None]:
    """Yield what the tasks come to, in order; in several processes where there is much and there are CPUs."""
    count = min(_MOST, os.cpu_count() or 1)
    if not large or count < 2:
        analyst = Analyst()
        for task in tasks:
            yield analyst.analyse(task)
        return
    with _Children(count) as children, ThreadPoolExecutor(count) as threads:
        running: deque[Future[Rows]] = deque()
        try:
            for task in tasks:
                running.append(threads.submit(children.analyse, task))
                # Enough to keep all busy, few enough to stay small in memory.
                if len(running) > 3 * count:
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
        finally:
            for future in running:
                future.cancel()


class _Children:
    def __init__(self, count: int) -> None:
        path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
        self._all = [
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
        for child in self._all:
            self._idle.put(child)

    def __enter__(self) -> _Children:
        return self

    def __exit__(self, *exc_info: object) -> None:
        for child in self._all:
            if child.stdin is not None:
                try:
                    child.stdin.close()
                except OSError:
                    pass  # it is gone already
        for child in self._all:
            child.wait()
            if child.stdout is not None:
                child.stdout.close()

    def analyse(self, task: Task) -> Rows:
        """Have a child analyse the task; where the child fails, this process does."""
        child = self._idle.get()
        try:
            assert child.stdin is not None and child.stdout is not None
            pickle.dump(task, child.stdin, pickle.HIGHEST_PROTOCOL)
            child.stdin.flush()
            return pickle.load(child.stdout)
        except _FAILURES:
            return Analyst().analyse(task)
        finally:
            self._idle.put(child)


def serve() -> None:
    """Analyse what comes on standard input until it ends: the child's whole life."""
    analyst = Analyst()
    source, target = sys.stdin.buffer, sys.stdout.buffer
    while True:
        try:
            task = pickle.load(source)
        except EOFError:
            return
        pickle.dump(analyst.analyse(task), target, pickle.HIGHEST_PROTOCOL)
        target.flush()
