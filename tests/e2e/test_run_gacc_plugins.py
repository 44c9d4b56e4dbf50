"""`run gacc` with readers of somebody's own that fail in every way, or write where they should not."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import CommandLine

NOISY = """
import ctypes
import os
import sys

from gacc_gui.runner.parts import ReaderOutput

os.write(1, b"imported\\n")


def loud(given):
    os.write(1, b"from the descriptor\\n")
    print("from print")
    sys.__stdout__.write("from the first stream\\n")
    os.system("echo from a child")
    if os.name == "posix":
        ctypes.CDLL(None).puts(b"from C")
    return ReaderOutput("right")
"""


@pytest.mark.slow
def test_a_misbehaving_plugin_costs_its_own_items(cli: CommandLine, small: Callable[..., Path]) -> None:
    config = small("moody", more='revision = "1"\ntimeout_seconds = 0.3')
    db = cli.folder / "small.db"
    run = cli("--db", db, "run", "gacc", config, "--json", expect=3)
    assert (run.json["state"], run.json["failed"]) == ("finished", 13)
    rows = cli("--db", db, "questions", "small", "--json").json["questions"]
    judged = {row["question_id"] for row in rows if row["status"] == "judged"}
    assert judged == {"q6", "q7", "q15"}
    with closing(sqlite3.connect(db)) as connection:
        errors = dict(
            connection.execute(
                "SELECT questions.id, error FROM answers JOIN questions USING (question_key)"
                " WHERE status = 'error'"
            )
        )
    assert errors["q0"] == "ValueError: not today"
    assert errors["q1"] == "SystemExit: 3"
    assert errors["q2"] == "moody did not return within 0.3 s"
    assert "returned str" in errors["q3"]
    assert errors["q4"] == "KeyboardInterrupt"
    assert errors["q14"] == "Unspeakable"
    cells = cli("--db", db, "metrics", "small", "--json").json["cells"]
    assert (cells[0]["judged"], cells[0]["questions"], cells[0]["correct"]) == (3, 16, 3)

    # Failed again, the old error stays; when it is well, every failed item is tried again, and only those.
    assert cli("--db", db, "run", "gacc", config, "--resume", "small", "--json", expect=3).json["calls"] == {
        "reader": 13
    }
    (cli.folder / "well.txt").touch()
    well = cli("--db", db, "run", "gacc", config, "--resume", "small", "--json").json
    assert (well["calls"], well["failed"]) == ({"reader": 13, "judge": 13}, 0)
    cells = cli("--db", db, "metrics", "small", "--json").json["cells"]
    assert (cells[0]["judged"], cells[0]["correct"]) == (16, 16)
    with closing(sqlite3.connect(db)) as connection:
        tries = connection.execute("SELECT count(*) FROM requests WHERE id LIKE '%/q0/0/reader%'").fetchone()
    assert tries == (3,)


@pytest.mark.slow
def test_whatever_a_plugin_writes_stdout_is_one_document(
    cli: CommandLine, small: Callable[..., Path]
) -> None:
    (cli.folder / "readers.py").write_text(NOISY, "utf-8")
    config = small("loud")
    ahead = cli("run", "gacc", config, "--dry-run", "--json")
    assert ahead.json["planned"]["answers"] == 16
    done = cli("--db", "n.db", "run", "gacc", config, "--json")
    assert done.json["state"] == "finished" and done.out.startswith("{")
    for heard in ("imported", "the descriptor", "print", "the first stream", "a child"):
        assert heard in done.err
    assert cli("--db", "n.db", "run", "gacc", config, "--resume", "small").out == ""
