"""What the measurements here share: two things run in turn, several times, and their ratio; a window's turns.

The machines are noisy, so absolute times mean little: each round runs baseline and candidate one after the
other, and the ratio reported is that of the medians.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

PAUSE = 0.0005
"""Seconds between turns of the event loop, in which workers have the interpreter to themselves: without it
they would have to fight for it, as they never do beside a window that waits for a person."""


def timed(work: Callable[[], object]) -> float:
    """Return the wall time of one call, in seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def child(*args: str) -> Callable[[], object]:
    """Return a call that runs a Python child process and fails if it does."""
    command = [sys.executable, *args]

    def run() -> object:
        return subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    return run


def ratio(
    what: str, target: float, baseline: Callable[[], object], candidate: Callable[[], object], rounds: int = 3
) -> float:
    """Time both in turn, print one line, and return median(candidate) / median(baseline)."""
    pairs: list[tuple[float, float]] = [(timed(baseline), timed(candidate)) for _ in range(rounds)]
    return report(what, target, [a for a, _ in pairs], [b for _, b in pairs])


def report(what: str, target: float, baseline: Sequence[float], candidate: Sequence[float]) -> float:
    """Print the ratio of medians beside its target; return it."""
    a, b = statistics.median(baseline), statistics.median(candidate)
    verdict = "reached" if b <= target * a else "NOT reached"
    print(f"{what}: {b:.2f} s against {a:.2f} s = {b / a:.2f}x (target {target:g}x, {verdict})", flush=True)
    return b / a


def longest_turn(
    app: QApplication, done: Callable[[], bool], patience: float = 120.0, turns: int = 0
) -> float:
    """Turn the event loop until `done()`, at least `turns` times; return the longest turn in seconds.

    Between turns, too, an event waits where a worker does not let the interpreter go: that counts.
    """
    longest = 0.0
    deadline = time.perf_counter() + patience
    while turns > 0 or not done():
        turns -= 1
        longest = max(longest, timed(app.processEvents), timed(partial(time.sleep, PAUSE)) - PAUSE)
        if time.perf_counter() > deadline:
            raise TimeoutError("the window did not come to rest")
    return longest


def resident_mb() -> float:
    """Return how much of this process is in memory, in megabytes; Linux only."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
