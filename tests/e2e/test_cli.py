"""How the command line behaves: exit codes, streams, what is refused and in which words."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CommandLine, needs_full_device

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
def small(
    cli: CommandLine, small_database: Path, run_document: Document, run_file: Callable[..., Path]
) -> CommandLine:
    """A command line beside `run.json`, the small run, and `small.db`, which holds it."""
    run_file(run_document)
    shutil.copy(small_database, cli.folder / "small.db")
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
        ("--run", "\udcff"),
        ("export", "small", "--to", ""),
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
    cli.holds(shared_data / "runs" / "mixed.gacc-run.json", "a.db")
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


@pytest.mark.parametrize(
    "made_of_it", ["raise", "raise ImportError('half of it')", "raise SystemError from it"]
)
@pytest.mark.parametrize("module", ["click", "sqlite3", "tomllib"])
def test_an_interruption_while_modules_are_imported(module: str, made_of_it: str, small: CommandLine) -> None:
    (small.folder / "early").mkdir()
    (small.folder / "early" / f"{module}.py").write_text(
        "import os, signal, time\n"
        "try:\n    os.kill(os.getpid(), signal.SIGINT)\n    time.sleep(60)\n"
        f"except KeyboardInterrupt as it:\n    {made_of_it}\n"
    )
    (small.folder / "a.toml").write_text("")
    small.environment["PYTHONPATH"] = os.pathsep.join(
        [str(small.folder / "early"), small.environment["PYTHONPATH"]]
    )
    command = ("run", "gacc", "a.toml") if module == "tomllib" else ("runs",)
    told = small(*command, expect=130)
    assert (told.out, told.err.strip()) == ("", "gacc-gui: interrupted")


@pytest.fixture
def unentered(small: CommandLine) -> Iterator[Path]:
    """A folder with a run file that nobody may enter."""
    folder = small.folder / "closed"
    folder.mkdir()
    (folder / "x.json").write_text("{}", encoding="utf-8")
    folder.chmod(0)
    try:
        if os.access(folder / "x.json", os.R_OK):
            pytest.skip("root may enter every folder")
        yield folder
    finally:
        folder.chmod(0o700)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--db", "closed/x.db", "runs"),
        ("--db", "closed/x.db", "import", "run.json"),
        ("--db", "closed/x.db", "delete", "small"),
        ("--db", "closed/x.db", "demo", "--no-window"),
        ("--db", "closed/x.db"),
        ("import", "closed/x.json"),
        ("import", "closed"),
        ("lint", "closed/x.json"),
        ("export", "small", "--to", "closed/x.json"),
        ("shot", "--out", "closed/x.png"),
    ],
    ids=lambda arguments: " ".join(arguments),
)
def test_a_folder_that_cannot_be_entered(
    arguments: tuple[str, ...], small: CommandLine, unentered: Path
) -> None:
    database = () if "--db" in arguments else ("--db", "small.db")
    assert unentered.name in refused(small(*database, *arguments, expect=2))


@pytest.mark.parametrize("command", [("runs",), ("lint",), ("import",), ("--run", "small"), ("shot",)])
def test_a_name_that_no_file_can_have(command: tuple[str, ...], small: CommandLine) -> None:
    long = "x" * 300
    arguments = {"lint": (long,), "import": (long,), "shot": ("--out", f"{long}.png")}.get(command[0], ())
    database = () if arguments else ("--db", long)
    assert "too long" in refused(small(*(database or ("--db", "small.db")), *command, *arguments, expect=2))


@needs_full_device
@pytest.mark.parametrize(
    "command",
    [("runs", "--json"), ("runs",), ("metrics", "small"), ("questions", "small", "--json"), ("--help",)],
    ids=lambda command: " ".join(command),
)
def test_a_stdout_that_takes_nothing(command: tuple[str, ...], small: CommandLine) -> None:
    database = () if command == ("--help",) else ("--db", "small.db")
    with Path("/dev/full").open("wb") as full:
        told = subprocess.run(
            small.command(*database, *command),
            cwd=small.folder,
            env=small.environment,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
        assert told.returncode == 2
        assert [b"no space left" in line for line in told.stderr.splitlines()] == [True]
        unheard = subprocess.run(
            small.command(*database, *command),
            cwd=small.folder,
            env=small.environment,
            stdout=full,
            stderr=full,
            timeout=60,
            check=False,
        )
        assert unheard.returncode == 2


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")
def test_streams_that_are_closed(small: CommandLine) -> None:
    for command, closed in (
        ("runs --json", ">&-"),
        ("metrics small", ">&- 2>&-"),
        ("import run.json --as twin", "<&- >&- 2>&-"),
        ("runs", "2>&-"),
    ):
        told = subprocess.run(
            ["sh", "-c", f'exec "$0" -m gacc_gui --db small.db {command} {closed}', sys.executable],
            cwd=small.folder,
            env=small.environment,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert (told.returncode, told.stderr) == (0, b"")
    assert small("runs", "--db", "small.db", "--json").json["runs"][1]["id"] == "twin"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="names that are any bytes")
@pytest.mark.parametrize(
    "locale", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}, {"LC_ALL": "C.UTF-8"}]
)
def test_names_of_files_are_told_in_utf8(locale: dict[str, str], small: CommandLine) -> None:
    for name in ("bäse 漢.json".encode(), b"b\xff.json"):
        os.link(small.folder / "run.json", os.fsencode(small.folder) + b"/" + name)

    def run(*arguments: object) -> subprocess.CompletedProcess[bytes]:
        command = [*small.command("--db", "small.db"), *arguments]
        return subprocess.run(
            command,
            cwd=small.folder,
            env={**small.environment, **locale},
            capture_output=True,
            timeout=60,
            check=False,
        )

    told = run("import", "bäse 漢.json".encode(), b"b\xff.json", "--json")
    assert [file["path"] for file in json.loads(told.stdout)["files"]] == ["bäse 漢.json", "b\ufffd.json"]
    told = run("lint", "bäse 漢.json".encode(), "--json")
    assert json.loads(told.stdout)["file"] == "bäse 漢.json"
    told = run("import", "bäse.json".encode())
    assert told.stderr.decode() == "gacc-gui: bäse.json: no such file or directory\n"


def test_no_screen(small: CommandLine) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        small.environment.pop(name, None)
    if not sys.platform.startswith("linux"):
        pytest.skip("there is always a screen")
    for arguments in (("--db", "small.db"), ("--db", "new.db", "demo"), ("--db", "new.db", "demo", "--json")):
        line = refused(small(*arguments, expect=2))
        assert "shot" in line and "--no-window" in line
    assert not (small.folder / "new.db").exists()
    small("--db", "small.db", "shot", "--out", "x.png")


@pytest.mark.slow
def test_two_imports_at_once_into_a_new_database(small: CommandLine) -> None:
    for number in range(4):
        children = [
            subprocess.Popen(
                small.command("--db", f"new-{number}.db", "import", "run.json", "--as", name),
                cwd=small.folder,
                env=small.environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            for name in ("one", "two")
        ]
        assert [(child.communicate(timeout=60)[1], child.returncode) for child in children] == [(b"", 0)] * 2


@pytest.mark.skipif(os.name == "nt", reason="ulimit stands in for a full disk")
def test_what_cannot_be_written_whole_is_not_there(small: CommandLine) -> None:
    for blocks, command in ((200, "--db new.db demo --no-window"), (8, "--db small.db shot --out new.png")):
        told = subprocess.run(
            ["sh", "-c", f'ulimit -f {blocks}; exec "$0" -m gacc_gui {command}', sys.executable],
            cwd=small.folder,
            env=small.environment,
            capture_output=True,
            timeout=100,
            check=False,
        )
        assert told.returncode == 2 and told.stdout == b""
        assert len(told.stderr.splitlines()) == 1
        assert [path.name for path in small.folder.iterdir() if "new" in path.name] == []


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
