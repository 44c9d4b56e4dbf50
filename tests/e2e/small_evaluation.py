"""A small evaluation for `run gacc`: its items and plugin readers, and what came of it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.conftest import CommandLine

SMALL = """
[run]
id = "small"
[dataset]
path = "items.json"
[evaluation]
ratios = ["0.5"]
tokenizer = "codepoint"
[[compressors]]
part = "lead"
[reader]
part = "{reader}"
{more}
[judge]
part = "exact"
{limits}
"""


PLUGIN = '''
import os
import sys
import threading
import time
from pathlib import Path

from gacc_gui.runner.parts import ReaderOutput

HERE = Path(__file__).parent
revision = "1"


def slow(given):
    with (HERE / "called.txt").open("a") as file:
        file.write(given.question + "\\n")
    time.sleep(0.15)
    return ReaderOutput("right")


def stuck(given):
    with (HERE / "called.txt").open("a") as file:
        file.write(given.question + "\\n")
    if not (HERE / "well.txt").exists():
        threading.Event().wait()
    return ReaderOutput("right")


class Unspeakable(Exception):
    def __str__(self):
        return 1 / 0


def moody(given):
    """Fails in every way, unless a file says that it is well."""
    number = int(given.question.split()[-1])
    if (HERE / "well.txt").exists():
        return ReaderOutput("right")
    match number % 8:
        case 0:
            raise ValueError("not today")
        case 1:
            sys.exit(3)
        case 2:
            time.sleep(5)
        case 3:
            return "just text"
        case 4:
            raise KeyboardInterrupt
        case 5:
            return ReaderOutput(None, "no_answer")
        case 6 if number > 8:
            raise Unspeakable
    return ReaderOutput("right")
'''


def state_of(db: Path, run: str = "small") -> tuple[str, str | None]:
    with closing(sqlite3.connect(db)) as connection:
        return connection.execute(
            "SELECT state, reason FROM evaluations JOIN runs USING (run_key) WHERE id = ?", (run,)
        ).fetchone()


def exported(cli: CommandLine, db: Path, run: str) -> list[str]:
    """The records of a run, each as a line, in an order of their own."""
    target = cli.folder / f"{db.stem}-{run}.jsonl"
    cli("--db", db, "export", run, "--to", target)
    return sorted(target.read_text(encoding="utf-8").splitlines())
