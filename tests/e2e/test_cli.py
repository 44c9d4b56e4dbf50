"""How the command line behaves: exit codes, streams, what is refused and in which words."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CommandLine

Document = dict[str, Any]
READING = (
    ("runs",),
    ("metrics", "small"),
    ("questions", "small"),
    ("verify", "small"),
    ("lint", "small"),
    ("delete", "small"),
    ("rename", "small", "new"),
)


@pytest.fixture
def small(cli: CommandLine, run_document: Document, run_file: Callable[..., Path]) -> CommandLine:
    """A command line with `small.db`, which holds the small run."""
    cli("import", run_file(run_document), "--db", "small.db")
    return cli


def refused(told: Any) -> str:
    """The one line of a refusal."""
    assert told.code == 2
    assert told.out == ""
    (line,) = told.err.splitlines()
    assert line.startswith("gacc-gui: ")
    return line


@pytest.mark.parametrize("command", READING, ids=lambda command: command[0])
def test_reading_never_makes_a_database(command: tuple[str, ...], cli: CommandLine) -> None:
    assert "missing.db" in refused(cli(*command, "--db", "missing.db", "--json", expect=2))
    assert "runs.db" in refused(cli(*command, "--json", expect=2))
    assert [path.name for path in cli.folder.rglob("*.db*")] == []


@pytest.mark.parametrize("command", READING[:5], ids=lambda command: command[0])
def test_what_is_no_database_is_told_in_one_sentence(command: tuple[str, ...], cli: CommandLine) -> None:
    (cli.folder / "folder").mkdir()
    (cli.folder / "garbage.db").write_bytes(b"this is no database" * 1000)
    with sqlite3.connect(cli.folder / "other.db") as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()
    for name in ("folder", "garbage.db", "other.db"):
        assert name in refused(cli(*command, "--db", name, "--json", expect=2))


def test_a_database_of_a_newer_version(small: CommandLine) -> None:
    connection = sqlite3.connect(small.folder / "small.db")
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    assert "newer" in refused(small("runs", "--db", "small.db", expect=2))
    assert "newer" in refused(small("import", "run.json", "--db", "small.db", expect=2))


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("--nonsense",),
        ("run",),
        ("run", "nonsense"),
        ("metrics",),
        ("metrics", "a", "b"),
        ("metrics", "small", "--by", "moon"),
        ("import",),
        ("export", "small"),
        ("shot",),
        ("rename", "small", " "),
        ("--db", "", "runs"),
        ("import", ""),
        ("lint", ""),
        ("metrics", "\udcff"),
        ("--run", "nope"),
        ("--run", "small", "--goal", "nope"),
        ("--question", "nope"),
        ("shot", "--out", "x.png", "--run", "nope"),
        ("shot", "--out", "nowhere/x.png"),
        ("--run", "small", "runs"),
        ("run", "fixture", "--seeds", "1,x"),
        ("shot", "--out", "x.png", "--size", "wide"),
    ],
    ids=lambda arguments: ascii(" ".join(arguments)),
)
def test_bad_usage_is_one_line(arguments: tuple[str, ...], small: CommandLine) -> None:
    before = "" if "--db" in arguments else "small.db"
    refused(small(*(("--db", before) if before else ()), *arguments, expect=2))


def test_unknown_and_ambiguous_runs(small: CommandLine) -> None:
    small("import", "run.json", "--as", "twin", "--db", "small.db")
    for command in READING[1:4]:
        assert "'nope'" in refused(small(command[0], "nope", "--db", "small.db", "--json", expect=2))
    line = refused(small("metrics", "a small run", "--db", "small.db", "--json", expect=2))
    assert "small" in line and "twin" in line
    assert small("metrics", "twin", "--db", "small.db", "--json").json["run"] == "twin"


def test_the_database_is_named_before_or_after_the_command(small: CommandLine) -> None:
    before = small("--db", "small.db", "runs", "--json")
    after = small("runs", "--json", "--db", "small.db")
    assert before.json == after.json
    small("--db", "missing.db", "runs", "--db", "small.db")  # the nearer one wins


def test_runs(small: CommandLine) -> None:
    assert small("runs", "--db", "small.db", "--json").json == {
        "runs": [
            {
                "id": "small",
                "name": "a small run",
                "protocol": "gacc-bench",
                "created_at": "2026-11-20T10:00:00Z",
                "diagnostic_only": True,
                "goals": 1,
                "questions": 3,
                "answers": 3,
                "identity": {"declared": False, "verified": False},
            }
        ]
    }


def test_metrics_and_questions(small: CommandLine) -> None:
    (cell,) = small("metrics", "small", "--db", "small.db", "--json").json["cells"]
    assert {name: cell[name] for name in ("goals", "questions", "judged", "correct")} == {
        "goals": 1,
        "questions": 3,
        "judged": 3,
        "correct": 1,
    }
    assert cell["causes"] == {"correct": 1, "truncation": 2}
    assert cell["micro_ci95"] is None and cell["macro_ci95"] is None  # one context
    rows = small("questions", "small", "--db", "small.db", "--json").json["questions"]
    assert [row["fate"] for row in rows] == ["retained", "tail", "tail"]
    assert rows[0] == {
        "memory_id": "m1",
        "goal_id": "g1",
        "question_id": "q1",
        "generation": 0,
        "repeat": 0,
        "compressor": "lead",
        "revision": "1",
        "condition": "own-goal",
        "ratio": "0.5",
        "fate": "retained",
        "cause": "correct",
        "flags": [],
        "label": "correct",
        "status": "judged",
    }
    assert "1/3" in small("metrics", "small", "--db", "small.db").out
    assert len(small("questions", "small", "--db", "small.db").out.splitlines()) == 4


def test_rename_and_delete(small: CommandLine) -> None:
    small("rename", "a small run", "Straße, 東京", "--db", "small.db")
    told = small("runs", "--db", "small.db")  # LANG=C notwithstanding
    assert "Straße, 東京" in told.out
    assert small("runs", "--db", "small.db", "--json").json["runs"][0]["name"] == "Straße, 東京"
    small("delete", "Straße, 東京", "--db", "small.db")
    assert small("runs", "--db", "small.db", "--json").json == {"runs": []}
    refused(small("delete", "small", "--db", "small.db", expect=2))


def test_import_tells_what_did_not_land(cli: CommandLine, run_document: Document, run_file: Any) -> None:
    line = refused(cli("import", "absent.json", "--db", "a.db", "--json", expect=2))
    assert "absent.json" in line
    (cli.folder / "bad.json").write_text('{"format": "gacc-run", "format_version": 2}', encoding="utf-8")
    assert "bad.json" in refused(cli("import", "bad.json", "--db", "a.db", expect=2))
    told = cli("import", "absent.json", run_file(run_document), "--db", "a.db", "--json", expect=3)
    assert [file["error"] is None for file in told.json["files"]] == [False, True]
    run_document["answers"][0]["text"] = "somebody else"
    told = cli("import", run_file(run_document, "other.json"), "--db", "a.db", "--json", expect=3)
    (conflict,) = told.json["files"][0]["conflicts"]
    assert conflict["kind"] == "answer"


def test_a_reader_that_goes_away_is_no_failure(cli: CommandLine, shared_data: Path) -> None:
    cli("import", shared_data / "runs" / "mixed.gacc-run.json", "--db", "a.db")
    child = subprocess.Popen(
        cli.command("questions", "mixed-3", "--db", "a.db", "--json"),
        cwd=cli.folder,
        env=cli.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout is not None and child.stderr is not None
    child.stdout.read(10)
    child.stdout.close()
    told = child.stderr.read()
    child.stderr.close()
    assert child.wait(60) == 0
    assert told == b""


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_import_leaves_nothing(signum: int, cli: CommandLine, run_document: Document) -> None:
    fifo = cli.folder / "endless.jsonl"
    os.mkfifo(fifo)
    child = subprocess.Popen(
        cli.command("import", fifo, "--db", "a.db"),
        cwd=cli.folder,
        env={**cli.environment, "PYTHONWARNINGS": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with fifo.open("wb"):  # opened once the child reads, which then waits for its first line
        child.send_signal(signum)
        out, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert out == b""
    assert err.decode().strip() == "gacc-gui: interrupted"


def test_help(cli: CommandLine) -> None:
    told = cli("--help").out
    for command in ("demo", "import", "runs", "metrics", "questions", "verify", "lint", "delete", "rename"):
        assert command in told
    assert "--events" not in cli("import", "--help").out
    assert cli("--version").out.startswith("gacc-gui, version 0.")


def test_the_window_refuses_what_is_no_database(cli: CommandLine) -> None:
    (cli.folder / "garbage.db").write_bytes(b"this is no database" * 1000)
    assert "garbage.db" in refused(cli("--db", "garbage.db", expect=2))
    assert "missing.db" in refused(cli("--db", "missing.db", "--run", "small", expect=2))


def test_shot(small: CommandLine) -> None:
    for theme, size in (("light", "1280x800"), ("dark", "1920x1080")):
        out = f"{theme}.png"
        small("--db", "small.db", "shot", "--out", out, "--theme", theme, "--size", size, "--run", "small")
        head = (small.folder / out).read_bytes()[:24]
        assert head[:8] == b"\x89PNG\r\n\x1a\n"
        width, height = (int.from_bytes(head[at : at + 4], "big") for at in (16, 20))
        assert f"{width}x{height}" == size
