"""`run gacc` that is stopped, paused, capped, or no longer listened to, and goes on."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CommandLine
from tests.e2e.small_evaluation import exported, state_of


@contextmanager
def started(cli: CommandLine, *arguments: object) -> Iterator[tuple[subprocess.Popen[str], list[Any]]]:
    """A command that reports events, and the list of those that were read."""
    child = cli.start(*arguments, "--events")
    try:
        yield child, []
    finally:
        child.kill()
        child.wait()
        for stream in (child.stdout, child.stderr):
            if stream is not None:
                stream.close()


def wait_for(child: subprocess.Popen[str], seen: list[Any], name: str, **fields: Any) -> dict[str, Any]:
    """Read events up to one with that name and these fields."""
    assert child.stderr is not None
    for line in child.stderr:
        if line.startswith("{"):
            seen.append(json.loads(line))
            if seen[-1]["event"] == name and fields.items() <= seen[-1].items():
                return seen[-1]
    raise AssertionError(f"no event {name} {fields} among {seen}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.slow
def test_asked_to_stop_it_finishes_what_is_under_way(
    cli: CommandLine, small: Callable[..., Path], number: signal.Signals
) -> None:
    config, db = small("slow"), cli.folder / "small.db"
    with started(cli, "--db", db, "run", "gacc", config) as (child, seen):
        wait_for(child, seen, "progress", stage="answers")
        child.send_signal(number)
        assert wait_for(child, seen, "stopped")["reason"] == "stopped by request"
        assert child.wait(20) == 130
    called = (cli.folder / "called.txt").read_text().splitlines()
    assert 0 < len(called) < 16
    with closing(sqlite3.connect(db)) as connection:
        assert connection.execute("SELECT count(*) FROM answers").fetchone() == (len(called),)
        assert connection.execute("SELECT count(*) FROM calls_under_way").fetchone() == (0,)
    assert state_of(db) == ("stopped", "stopped by request")

    done = cli("--db", db, "run", "gacc", config, "--resume", "small", "--json").json
    assert done["calls"]["reader"] == 16 - len(called)
    assert sorted((cli.folder / "called.txt").read_text().splitlines()) == sorted(
        f"Question {n}" for n in range(16)
    )
    assert state_of(db) == ("finished", None)
    cells = cli("--db", db, "metrics", "small", "--json").json["cells"]
    assert (cells[0]["correct"], cells[0]["questions"]) == (16, 16)


@pytest.mark.slow
def test_asked_twice_it_gives_up_what_is_under_way(cli: CommandLine, small: Callable[..., Path]) -> None:
    config, db = (
        small("stuck", more='revision = "1"\ntimeout_seconds = 600'),
        cli.folder / "small.db",
    )
    with started(cli, "--db", db, "run", "gacc", config) as (child, seen):
        wait_for(child, seen, "progress", stage="memories", done=4)
        while not (cli.folder / "called.txt").exists():
            assert child.poll() is None
        child.send_signal(signal.SIGINT)
        assert wait_for(child, seen, "stopping")["under_way"] >= 1
        child.send_signal(signal.SIGINT)
        assert child.wait(20) == 130
    with closing(sqlite3.connect(db)) as connection:
        under_way = connection.execute("SELECT count(*) FROM calls_under_way").fetchone()[0]
    assert under_way >= 1
    (cli.folder / "well.txt").touch()
    cli("--db", db, "run", "gacc", config, "--resume", "small")
    records = exported(cli, db, "small")
    assert sum("interrupted: the program ended" in record for record in records) == under_way
    cli("--db", "again.db", "import", cli.folder / "small-small.jsonl")
    assert exported(cli, cli.folder / "again.db", "small") == records
    assert cli("--db", db, "verify", "small").code == 0


def test_a_pause_begins_no_call_until_it_is_over(cli: CommandLine, small: Callable[..., Path]) -> None:
    config, db = small("slow"), cli.folder / "small.db"
    with started(cli, "--db", db, "run", "gacc", config) as (child, seen):
        wait_for(child, seen, "progress", stage="answers")
        child.send_signal(signal.SIGUSR1)
        wait_for(child, seen, "paused")
        child.send_signal(signal.SIGUSR2)
        wait_for(child, seen, "resumed")
        assert wait_for(child, seen, "done")["failed"] == 0
        assert child.wait(20) == 0


def test_a_cap_on_calls_stops_cleanly_and_a_higher_one_goes_on(
    cli: CommandLine, small: Callable[..., Path]
) -> None:
    config, db = small("slow", limits="[limits]\ncalls = 10"), cli.folder / "small.db"
    stopped = cli("--db", db, "run", "gacc", config, "--json", expect=3)
    assert sum(stopped.json["calls"].values()) == 10
    assert "limit of 10 calls" in stopped.json["reason"] and "--resume 'small'" in stopped.err
    assert state_of(db)[0] == "stopped"
    # The cap is on the whole run: what was used before counts.
    assert cli("--db", db, "run", "gacc", config, "--resume", "small", "--json", expect=3).json["calls"] == {}
    small("slow", limits="[limits]\ncalls = 1000")
    done = cli("--db", db, "run", "gacc", config, "--resume", "small", "--json").json
    assert (done["state"], 10 + sum(done["calls"].values())) == ("finished", 4 + 16 + 16)


def test_it_goes_on_when_whoever_listened_has_gone(cli: CommandLine, small: Callable[..., Path]) -> None:
    config, db = small("slow"), cli.folder / "small.db"
    with started(cli, "--db", db, "run", "gacc", config) as (child, seen):
        wait_for(child, seen, "progress", stage="answers")
        assert child.stderr is not None and child.stdout is not None
        child.stderr.close()
        child.stdout.close()
        assert child.wait(20) == 0
    assert state_of(db) == ("finished", None)


@pytest.mark.slow
def test_only_one_process_at_a_time(cli: CommandLine, small: Callable[..., Path]) -> None:
    config, db = small("slow"), cli.folder / "small.db"
    with started(cli, "--db", db, "run", "gacc", config) as (child, seen):
        wait_for(child, seen, "progress", stage="answers")
        child.send_signal(signal.SIGUSR1)  # However slow the second one starts, the first is still there.
        refused = cli("--db", db, "run", "gacc", config, "--resume", "small", expect=2)
        assert "by another process" in refused.err
        child.send_signal(signal.SIGUSR2)
        wait_for(child, seen, "done")
        assert child.wait(20) == 0
    assert not list(cli.folder.glob("*.lock"))
