"""What commands write: no file over their database; and what they did where no result can be told."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from gacc_gui.cli import _group
from gacc_gui.store.reads import Reader
from tests.conftest import CommandLine, needs_full_device

ROW = ("--memory", "m1", "--question", "q2")


@pytest.fixture
def small(cli: CommandLine, small_database: Path) -> CommandLine:
    """A command line beside `a.db`, which holds the small run, and `a.jsonl`, a link to it."""
    shutil.copy(small_database, cli.folder / "a.db")
    (cli.folder / "a.jsonl").symlink_to("a.db")
    return cli


@pytest.mark.parametrize(
    "command",
    [
        ("export", "small", "--to", "a.jsonl"),
        ("export", "small", "--json", "--to", "a.db-wal"),
        ("run", "fixture", "--output", "a.db"),
        ("shot", "--out", "a.jsonl"),
        ("compaction", "select", "--dataset", "no.json", "--output", "a.db-shm"),
        (
            *("compaction", "collect", "--scripted", "--dataset", "no.json"),
            *("--selection", "no.json", "--output", "a.db-journal"),
        ),
        (
            *("compaction", "run", "--fixture", "--corpus", "no.json", "--tokenizer", "no.json"),
            *("--output", "a.db-wal"),
        ),
        ("compaction", "report", "no", "--output", "a.db"),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_no_output_replaces_the_open_database(command: tuple[str, ...], small: CommandLine) -> None:
    before = (small.folder / "a.db").read_bytes()
    told = small("--db", "a.db", *command, expect=2)
    assert told.out == ""
    (line,) = told.err.splitlines()
    assert line.startswith(f"gacc-gui: {command[-1]} ") and "the open database" in line
    assert (small.folder / "a.db").read_bytes() == before
    assert sorted(path.name for path in small.folder.iterdir()) == ["a.db", "a.jsonl"]


def test_any_other_file_is_replaced(small: CommandLine) -> None:
    shutil.copy(small.folder / "a.db", small.folder / "other.jsonl")
    small("export", "small", "--to", "other.jsonl", "--db", "a.jsonl")
    small("import", "other.jsonl", "--db", "new.db")
    small("runs", "--db", "a.jsonl")


def reviews(database: Path) -> int:
    with Reader(database) as reader:
        return len(reader.reviews("small"))


def unheard(cli: CommandLine, *command: str) -> str:
    """Run a command whose stdout takes nothing; the one line on stderr that says so."""
    with Path("/dev/full").open("wb") as full:
        told = subprocess.run(
            cli.command("--db", "a.db", *command),
            cwd=cli.folder,
            env=cli.environment,
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
    assert told.returncode == 2
    (line,) = told.stderr.splitlines()
    said, _, stands = line.partition("; ")
    assert said == "gacc-gui: stdout cannot be written: no space left on device"
    return stands


@needs_full_device
def test_a_result_that_cannot_be_told_is_done(small: CommandLine) -> None:
    done = "what was asked for was done"
    decision = (*ROW, "--decision", "correct", "--reviewer", "Ada")
    assert unheard(small, "review", "small", *decision, "--json") == done
    assert reviews(small.folder / "a.db") == 1
    assert unheard(small, "export", "small", "--to", "out.jsonl", "--json") == done
    assert unheard(small, "delete", "small", "--json") == done
    assert unheard(small, "import", "out.jsonl") == "what could be imported is in the database"
    assert reviews(small.folder / "a.db") == 1
    assert unheard(small, "rename", "small", "new", "--json") == done
    assert unheard(small, "agreement", "new", "--json") == ""


@needs_full_device
def test_what_may_end_early_says_that_it_is_kept(cli: CommandLine, demo_database: Path) -> None:
    shutil.copy(demo_database, cli.folder / "a.db")
    with Reader(cli.folder / "a.db") as reader:
        row = next(reader.question_results("demo"))
    probe = ("probe", "demo", "--memory", row.memory_id, "--question", row.question_id, "--with", "source")
    assert unheard(cli, *probe, "--dry-run") == ""
    assert unheard(cli, *probe) == "what was done until it ended is kept"
    with Reader(cli.folder / "a.db") as reader:
        assert len(reader.probes("demo")) == 1


def commands(group: click.Group, before: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*before, name))
        else:
            yield " ".join((*before, name)), command


def test_every_command_that_changes_nothing_is_known() -> None:
    unmarked = {name for name, command in commands(_group) if not hasattr(command.callback, "__wrapped__")}
    assert unmarked == {
        *("runs", "metrics", "questions", "verify", "lint", "compare", "agreement"),
        *("score hotpotqa", "run endpoint"),
    }
