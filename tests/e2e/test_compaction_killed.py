"""A compaction run that is killed (SIGKILL) again and again: no committed call is lost or made again."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.compaction_service import SLOW_FIXTURE, Inputs, Models, facts, finished, requests_of
from tests.conftest import CommandLine

CONCURRENCY = 4
OUTPUT = "run"


@dataclass
class Killing:
    """Kills a run's process whenever so many calls were made. `calls` counts them, over all processes."""

    cli: CommandLine
    inputs: Inputs
    calls: Callable[[], int]
    wait_for: Callable[[int, Callable[[], bool]], None]
    program: tuple[str, ...]
    mode: str
    committed: list[dict[str, str]] = field(default_factory=list)
    """After each kill: the calls that are stored, with what came of them."""

    @property
    def folder(self) -> Path:
        return self.cli.folder / OUTPUT

    def arguments(self) -> list[str]:
        """What begins the run, or goes on with it."""
        live = ["--live"] if self.mode == "--live" else []
        if self.folder.exists():
            return ["compaction", "run", "--resume", OUTPUT, *live]
        return [*map(str, self.inputs.begin(OUTPUT, mode=self.mode))]

    def run(self, kill_at: int | None) -> bool:
        """Run until `kill_at` calls were made in all, and kill; whether it was still running."""
        child = self._start()
        with child:
            if kill_at is not None:
                self.wait_for(kill_at, lambda: child.poll() is None)
                child.kill()
            _, told = child.communicate()
        if kill_at is None:
            assert child.returncode in (0, 3), told.decode()
        return child.returncode == -signal.SIGKILL

    def kill_while_finishing(self) -> None:
        """Kill each time another file of the results is there, as far as that is quick enough."""
        for name in ("contexts.jsonl", "requests.jsonl", "results.json", "REPORT.md"):
            child = self._start()
            with child:
                while not (self.folder / name).exists() and child.poll() is None:
                    time.sleep(0.0005)
                child.kill()
                child.communicate()
            if (self.folder / "validation.json").exists():
                return

    def kill_at(self, moments: list[int]) -> int:
        """Kill at these moments; how often it was killed."""
        killed = 0
        for moment in moments:
            # What the last process had under way is asked again: the count may be ahead of the moment.
            killed += self.run(max(moment, self.calls() + 1))
            self.committed.append(stored_calls(self.folder / "work.db"))
        return killed

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*self.program, *self.arguments()],
            cwd=self.cli.folder,
            env=self.cli.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )


def stored_calls(database: Path) -> dict[str, str]:
    """Every call that is committed, by id, those of unfinished contexts included."""
    if not database.exists():
        return {}
    with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'waiting'").fetchone():
            return {}
        placed = {name: content for name, content in connection.execute("SELECT id, content FROM requests")}
        waiting = [json.loads(text) for (text,) in connection.execute("SELECT record FROM waiting")]
    return {**placed, **{record[0]: record[2] for record in waiting}}


def look_at(killing: Killing, kills: int, undisturbed: Path, calls: int) -> None:
    requests = requests_of(killing.folder)
    by_id = {request["id"]: request for request in requests}
    assert len(by_id) == len(requests)
    for snapshot in killing.committed:
        lost = {name for name, content in snapshot.items() if by_id[name]["content"] != content}
        assert not lost, "a committed call is lost"
    done = finished(requests)
    assert len(done) == calls, "a committed call was made again"
    repeated = killing.calls() - calls
    interrupted = len(requests) - len(done)
    # A call may be noted and not yet made.
    assert repeated <= interrupted <= kills * CONCURRENCY
    assert facts(killing.folder) == facts(undisturbed)
    assert sorted(path.name for path in killing.folder.iterdir()) == sorted(
        path.name for path in undisturbed.iterdir()
    )


def live_killed(cli: CommandLine, cases: int, kills: int, seed: int) -> None:
    inputs, models = Inputs(cli.folder, cases), Models()
    with models.serving():
        cli.environment.update(models.environment)
        assert cli(*inputs.begin("undisturbed", mode="--live"), expect=None).code in (0, 3)
        calls = models.asked.total()
        models.asked.clear()
        program = tuple(cli.command())
        killing = Killing(cli, inputs, models.asked.total, models.wait_for, program, "--live")
        moments = sorted(random.Random(seed).sample(range(calls), kills))
        assert killing.kill_at(moments) == kills
        killing.run(None)
    look_at(killing, kills, cli.folder / "undisturbed", calls)


def fixture_killed(cli: CommandLine, cases: int, kills: int, seed: int) -> None:
    inputs, log = Inputs(cli.folder, cases), cli.folder / "calls"
    cli.environment["CALLS_FILE"] = str(log)
    program = (sys.executable, "-c", SLOW_FIXTURE)

    def count() -> int:
        return len(log.read_text().splitlines()) if log.exists() else 0

    def wait_for(calls: int, still_running: Callable[[], bool]) -> None:
        while count() < calls and still_running():
            time.sleep(0.005)

    cli(*inputs.begin("undisturbed"))
    calls = len(requests_of(cli.folder / "undisturbed"))
    killing = Killing(cli, inputs, count, wait_for, program, "--fixture")
    assert killing.kill_at(sorted(random.Random(seed).sample(range(calls), kills))) == kills
    killing.kill_while_finishing()
    if not (killing.folder / "validation.json").exists():
        killing.run(None)
    else:  # it was too quick, and is finished; what may be left of its database goes
        cli("compaction", "run", "--resume", OUTPUT, expect=2)
    look_at(killing, kills, cli.folder / "undisturbed", calls)


@pytest.mark.slow
def test_a_live_run_that_is_killed_goes_on_without_a_loss(cli: CommandLine) -> None:
    live_killed(cli, cases=1, kills=2, seed=11)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_fifteen_kills_of_a_live_run(cli: CommandLine) -> None:
    live_killed(cli, cases=3, kills=15, seed=20261130)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_fifteen_kills_of_a_fixture_run(cli: CommandLine) -> None:
    fixture_killed(cli, cases=3, kills=15, seed=20261201)
