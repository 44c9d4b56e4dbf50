"""`metrics` on a full-size database, beyond the interpreter's own start.

python tests/bench/bench_metrics.py DB [RUN]
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parent))
from side_by_side import child, timed


def main() -> None:
    """Start an empty interpreter and the command in turn; print the difference of the medians."""
    db, run = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "bench-7-1"
    empty, command = child("-c", "pass"), child("-m", "gacc_gui", "--db", db, "metrics", run, "--json")
    rounds = [(timed(empty), timed(command)) for _ in range(5)]
    start, whole = (statistics.median(column) for column in zip(*rounds, strict=True))
    verdict = "reached" if whole - start <= 1 else "NOT reached"
    print(
        f"metrics: {whole - start:.2f} s beyond an empty interpreter's {start:.2f} s (target 1 s, {verdict})"
    )


if __name__ == "__main__":
    main()
