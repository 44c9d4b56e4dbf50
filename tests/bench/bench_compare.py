"""`compare` of two cells and of two whole runs on a full-size database, beside a bare computation.

    python tests/bench/bench_compare.py DB [A B] [--rounds 3]

A and B are selections as `compare` takes them; without them, two cells of the run of `generate.py`, and
the run with itself, which is two runs of 308,520 rows each. The bare computation is a script of sqlite3 and
numpy that knows this schema: it reads the same labels row by row, checks the pairs' texts, pairs by
sorted keys, counts the buckets, resamples contexts as often (2,000) and does McNemar's test. Both run as
processes of their own, start of the interpreter included; their buckets must be equal.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import subprocess
import sys
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parent))
from side_by_side import child, ratio

RUN = "bench-7-1"
CELLS = (
    f"{RUN}:compressor=extract-1,condition=own-goal,ratio=0.1",
    f"{RUN}:compressor=reword-1,condition=own-goal,ratio=0.1",
)
TARGET = 2.0
RESAMPLES = 2_000
_ROWS = """
SELECT contexts.id, {cell}, goals.id, questions.id, generation, results.repeat,
       texts.sha256 || goals.text || questions.text || coalesce(reference_answers, ''),
       CASE verdicts.label WHEN 'correct' THEN 1 WHEN 'incorrect' THEN 0 END
FROM memories JOIN cells USING (cell_key) JOIN runs ON runs.run_key = memories.run_key
JOIN results USING (memory_key) JOIN questions USING (question_key)
JOIN goals ON goals.goal_key = memories.goal_key JOIN contexts USING (context_key)
JOIN texts ON text_key = source_text
LEFT JOIN verdicts ON verdicts.memory_key = memories.memory_key
    AND verdicts.question_key = results.question_key AND verdicts.repeat = results.repeat
WHERE runs.id = ?"""
_CELL = "compressor || '/' || condition || '/' || ratio"


def bare(db: str, a: str, b: str) -> list[dict[str, Any]]:
    """Compare in the plainest way; return each pair of cells' buckets, differences, intervals and p."""
    import numpy as np

    with sqlite3.connect(f"file:{db}?mode=ro", uri=True) as connection:
        sides = [_rows(connection, text) for text in (a, b)]
    keys, labels = [], []
    for rows in sides:
        rows.sort()
        keys.append([row[:7] for row in rows])
        labels.append(np.array([-1 if row[7] is None else row[7] for row in rows], dtype=np.int8))
    if keys[0] != keys[1]:
        raise SystemExit("the bare computation pairs only selections of the same questions")
    names = sorted({key[1] for key in keys[0]})
    cell_of = {name: number for number, name in enumerate(names)}
    cells = np.array([cell_of[key[1]] for key in keys[0]])
    contexts, context = np.unique([key[0] for key in keys[0]], return_inverse=True)
    _, goal = np.unique(
        ["\0".join((key[2], str(key[4]), str(key[5]))) for key in keys[0]], return_inverse=True
    )
    drawn = np.random.default_rng(1).integers(0, len(contexts), (RESAMPLES, len(contexts)))
    weights = np.stack([np.bincount(one, minlength=len(contexts)) for one in drawn]).astype(float)
    return [_figures(np, labels, cells == number, context, goal, weights) for number in range(len(names))]


def _rows(connection: sqlite3.Connection, text: str) -> list[tuple[Any, ...]]:
    run, _, rest = text.partition(":")
    chosen = [part.split("=", 1) for part in rest.split(",") if part]
    cell = "''" if any(name == "compressor" for name, _ in chosen) else _CELL
    where = "".join(f" AND cells.{name} = ?" for name, _ in chosen)
    return connection.execute(
        _ROWS.format(cell=cell) + where, (run, *(value for _, value in chosen))
    ).fetchall()


def _figures(np: Any, labels: Any, here: Any, context: Any, goal: Any, weights: Any) -> dict[str, Any]:
    a, b, context, goal = labels[0][here], labels[1][here], context[here], goal[here]
    known = (a >= 0) & (b >= 0)
    units, unit = np.unique(goal, return_inverse=True)
    whole = [np.bincount(unit, weights=side != 1, minlength=len(units)) == 0 for side in (a, b)]
    first = np.unique(unit, return_index=True)[1]
    fixed, broken = int((whole[1] & ~whole[0]).sum()), int((whole[0] & ~whole[1]).sum())
    pairs = fixed + broken
    tail = Fraction(sum(comb(pairs, k) for k in range(min(fixed, broken) + 1)), 2**pairs)
    size = weights.shape[1]
    found = {
        "pairs": len(a),
        "both_right": int((known & (a == 1) & (b == 1)).sum()),
        "fixed": int((known & (a == 0) & (b == 1)).sum()),
        "broken": int((known & (a == 1) & (b == 0)).sum()),
        "both_wrong": int((known & (a == 0) & (b == 0)).sum()),
        "unlabelled": int((~known).sum()),
        "goals": (fixed, broken, float(min(Fraction(1), 2 * tail))),
    }
    changes = ((b == 1).astype(float) - (a == 1), whole[1].astype(float) - whole[0])
    for name, change, clusters in zip(("micro", "macro"), changes, (context, context[first]), strict=True):
        sums = np.bincount(clusters, weights=change, minlength=size)
        shares = (weights @ sums) / (weights @ np.bincount(clusters, minlength=size))
        found[name] = (float(change.mean()), *np.percentile(shares, [2.5, 97.5]).tolist())
    return found


def _compare(db: str, a: str, b: str, rounds: int) -> None:
    """Check that both find the same, then print the ratio of their times."""
    command = ("-m", "gacc_gui", "--db", db, "compare", a, b, "--json")
    done = subprocess.run([sys.executable, *command], check=True, capture_output=True)
    ours = json.loads(done.stdout)["cells"]
    buckets = ("pairs", "both_right", "fixed", "broken", "both_wrong", "unlabelled")
    plain = bare(db, a, b)
    same = sorted(tuple(one[name] for name in buckets) for one in ours) == sorted(
        tuple(one[name] for name in buckets) for one in plain
    )
    pairs = sum(one["pairs"] for one in ours)
    what = f"compare, {len(ours)} pair{'s' if len(ours) != 1 else ''} of cells, {pairs:,} pairs of rows"
    if not same:
        raise SystemExit(f"{what}: the buckets differ")
    ratio(what, TARGET, child(__file__, db, a, b, "--bare"), child(*command), rounds)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("db")
    parser.add_argument("selections", nargs="*", metavar="A B")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--bare", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.bare:
        bare(args.db, *args.selections)
        return
    for a, b in [tuple(args.selections)] if args.selections else [CELLS, (RUN, RUN)]:
        _compare(args.db, a, b, args.rounds)


if __name__ == "__main__":
    main()
