"""Import to a usable list, against parsing the same JSON Lines and inserting the same fields bare.

    python tests/bench/generate.py run.jsonl && python tests/bench/bench_import.py run.jsonl [--rounds 1]

Baseline: `json.loads` of each line and `sqlite3.executemany` of the records' own fields, one transaction,
no checks, no keys, no results. Candidate: `import_paths` up to the commit of the rows (the full-text index
follows and is timed apart). Both in child processes, in turn; peak resident memory is printed for each.
"""

from __future__ import annotations

import argparse
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parent))
from side_by_side import report

FIELDS = {
    "context": ("id", "text", "title", "origin"),
    "goal": ("id", "context_id", "text"),
    "question": ("id", "goal_id", "text", "references", "evidence"),
    "memory": (
        "id", "goal_id", "condition", "shown_goal_id", "compressor", "ratio", "budget", "generation",
        "proposed_text", "retained_text", "ledger", "status", "error",
    ),
    "answer": ("memory_id", "question_id", "repeat", "text", "status", "error"),
    "verdict": ("memory_id", "question_id", "repeat", "label", "status", "rationale", "raw_reply"),
}  # fmt: skip


def bare(source: Path, db: Path) -> None:
    """Parse and insert with nothing but the standard library, 5,000 rows at a time."""
    connection = sqlite3.connect(db)
    for kind, fields in FIELDS.items():
        connection.execute(f"create table {kind} ({', '.join(f'[{f}]' for f in fields)})")
    batches: dict[str, list[tuple[object, ...]]] = {kind: [] for kind in FIELDS}

    def flush(kind: str) -> None:
        marks = ",".join("?" * len(FIELDS[kind]))
        connection.executemany(f"insert into {kind} values ({marks})", batches[kind])
        batches[kind].clear()

    with source.open("rb") as lines:
        for line in lines:
            record = json.loads(line)
            kind = record["record"]
            if kind not in FIELDS:
                continue
            row = []
            for field in FIELDS[kind]:
                value = record.get(field)
                row.append(json.dumps(value) if isinstance(value, dict | list) else value)
            batches[kind].append(tuple(row))
            if len(batches[kind]) >= 5_000:
                flush(kind)
    for kind in FIELDS:
        flush(kind)
    connection.commit()
    connection.close()


def ours(source: Path, db: Path) -> dict[str, float]:
    """Import with the program's own function; return seconds to usable rows and to the finished index."""
    from gacc_gui.app.importing import import_paths

    start = time.perf_counter()
    ready: list[float] = []

    def on_rows_ready(*_: object) -> None:
        ready.append(time.perf_counter() - start)

    import_paths(db, [source], rows_ready=on_rows_ready)
    return {"rows": ready[-1], "all": time.perf_counter() - start}


def _in_child(kind: str, source: Path, db: Path) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, __file__, str(source), "--child", kind, "--db", str(db)],
        check=True, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def main() -> None:
    """Run the rounds, or, as a child, one import."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--child", choices=("bare", "ours"))
    parser.add_argument("--db", type=Path)
    args = parser.parse_args()
    if args.child:
        start = time.perf_counter()
        figures = ours(args.source, args.db) if args.child == "ours" else bare(args.source, args.db) or {}
        figures.setdefault("rows", time.perf_counter() - start)
        figures["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(figures))
        return
    rounds: dict[str, list[dict[str, float]]] = {"bare": [], "ours": []}
    for n in range(args.rounds):
        for kind in rounds:
            with tempfile.TemporaryDirectory() as folder:
                rounds[kind].append(_in_child(kind, args.source, Path(folder) / f"{kind}-{n}.db"))
    report("import to a usable list", 2, *([r["rows"] for r in rounds[kind]] for kind in ("bare", "ours")))
    print(f"with the full-text index: {rounds['ours'][-1]['all']:.1f} s")
    for kind, figures in rounds.items():
        print(f"peak resident memory, {kind}: {max(r['peak_mb'] for r in figures):,.0f} MB")


if __name__ == "__main__":
    main()
