"""What every measurement here shares: run two things in turn, several times, and report their ratio.

The machines are noisy, so absolute times mean little: each round runs baseline and candidate one after the
other, and the ratio reported is that of the medians.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence


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
