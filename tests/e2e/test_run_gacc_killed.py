"""A run that is killed (SIGKILL) again and again: nothing committed is lost or made again.

Every reply of the service on loopback holds the hash of what was asked, so that what is stored tells which
call it came from, and how often that call was made.
"""

from __future__ import annotations

import hashlib
import json
import random
import signal
import sqlite3
import subprocess
import threading
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CommandLine
from tests.servers.odd_server import Answer, OddServer, Received, completion

CONCURRENCY = 8
RATIOS = ("0.1", "0.2", "0.3", "0.4", "0.5")


@dataclass
class Models:
    """Three models on one address. Counts what was asked, by hash; `when` wakes whoever waits for a count."""

    asked: Counter[str] = field(default_factory=Counter)
    delay: float = 0.01
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def __call__(self, received: Received) -> Answer:
        body = received.json
        name = hashlib.sha256(received.body).hexdigest()[:16]
        with self._changed:
            self.asked[name] += 1
            self._changed.notify_all()
        match body["model"]:
            case "compressor":
                said = f"memory {name} " * 40
            case "reader":
                said = f"answer {name}"
            case _:
                label = "correct" if int(name, 16) % 3 else "incorrect"
                said = json.dumps({"reason": f"verdict {name}", "verdict": label})
        return replace(completion(said), delay=self.delay)

    def wait_for(self, calls: int, child: subprocess.Popen[bytes]) -> None:
        """Return when so many calls were made in all, or the child has ended."""
        with self._changed:
            while self.asked.total() < calls and child.poll() is None:
                self._changed.wait(0.05)


@dataclass
class Killing:
    """One run over `goals` goals, whose process can be killed."""

    cli: CommandLine
    server: OddServer
    models: Models
    goals: int
    config: Path = Path()

    def __post_init__(self) -> None:
        folder = self.cli.folder
        records = list(_records(self.goals))
        (folder / "items.json").write_text(
            json.dumps({"format": "gacc-dataset", "format_version": 1, **dict(records)}), "utf-8"
        )
        self.config = folder / "killed.toml"
        self.config.write_text(_config(self.server.url), "utf-8")

    @property
    def calls(self) -> int:
        """How many calls the whole run takes: 4 or 5 questions a goal, each read and judged."""
        questions = sum(_questions_of(goal) for goal in range(self.goals))
        return len(RATIOS) * (self.goals + 2 * questions)

    def command(self, db: Path, *more: object) -> list[str]:
        return self.cli.command("--db", db, "run", "gacc", self.config, "--live", *more)

    def kill_after(self, calls: int, db: Path, *more: object) -> bool:
        """Run until the service has seen `calls` calls, and kill; whether it was still running."""
        child = subprocess.Popen(
            self.command(db, *more),
            cwd=self.cli.folder,
            env=self.cli.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.models.wait_for(calls, child)
        child.kill()
        return child.wait() == -signal.SIGKILL


def _questions_of(goal: int) -> int:
    return 4 + goal % 2


def _records(goals: int) -> list[tuple[str, list[dict[str, Any]]]]:
    contexts = [
        {"id": f"c{n}", "text": " ".join(f"Lot {n}-{i} holds {n * 37 + i} crates." for i in range(40))}
        for n in range(0, goals, 2)
    ]
    listed = [
        {"id": f"g{n}", "context_id": f"c{n - n % 2}", "text": f"Keep the odd lots of part {n}."}
        for n in range(goals)
    ]
    questions = [
        {"id": f"g{n}-q{i}", "goal_id": f"g{n}", "text": f"What does lot {n}-{i} hold?", "references": ["1"]}
        for n in range(goals)
        for i in range(_questions_of(n))
    ]
    return [("contexts", contexts), ("goals", listed), ("questions", questions)]


def _config(url: str) -> str:
    endpoints = "".join(
        f'[endpoints.{role}]\nbase_url = "{url}"\nservice = "loopback"\nmodel = "{role}"\n'
        f"concurrency = {CONCURRENCY}\n"
        for role in ("compressor", "reader", "judge")
    )
    return (
        f'[run]\nid = "killed"\n[dataset]\npath = "items.json"\n[evaluation]\nratios = {json.dumps(RATIOS)}\n'
        'tokenizer = "codepoint"\n[[compressors]]\npart = "llm-summary"\nendpoint = "compressor"\n'
        '[reader]\npart = "llm"\nendpoint = "reader"\n[judge]\npart = "llm"\nendpoint = "judge"\n' + endpoints
    )


def _stored(db: Path) -> set[str]:
    """The hashes of the calls whose results are committed."""
    with closing(sqlite3.connect(f"{db.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        texts = [
            *connection.execute("SELECT text FROM memories JOIN texts ON text_key = proposed_text"),
            *connection.execute("SELECT text FROM answers"),
            *connection.execute("SELECT rationale FROM verdicts"),
        ]
    return {text.split()[1] for (text,) in texts}


def _requests(db: Path) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(db)) as connection:
        return [json.loads(extra) for (extra,) in connection.execute("SELECT extra FROM requests")]


def _results(cli: CommandLine, db: Path) -> tuple[Any, list[str]]:
    """The headline, and every memory, answer and verdict."""
    target = cli.folder / f"{db.stem}.jsonl"
    cli("--db", db, "export", "killed", "--to", target)
    lines = target.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if json.loads(line)["record"] != "request"]
    return cli("--db", db, "metrics", "killed", "--json").json, sorted(kept)


def _has_run(db: Path) -> bool:
    if not db.exists():
        return False
    with closing(sqlite3.connect(f"{db.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        tables = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'evaluations'")
        return tables.fetchone() is not None and bool(connection.execute("SELECT 1 FROM runs").fetchone())


def _kill_and_compare(cli: CommandLine, goals: int, kills: int, seed: int) -> None:
    models = Models()
    with OddServer(models) as server:
        killing = Killing(cli, server, models, goals)
        undisturbed, db = cli.folder / "undisturbed.db", cli.folder / "killed.db"
        cli("--db", undisturbed, "run", "gacc", killing.config, "--live")
        assert models.asked.total() == len(models.asked) == killing.calls
        models.asked.clear()

        killed = 0
        committed: list[dict[str, int]] = []
        resumed: tuple[object, ...] = ()
        for moment in sorted(random.Random(seed).sample(range(killing.calls), kills)):
            # What the last session had under way is asked again: the count may be ahead of the moment.
            killed += killing.kill_after(max(moment, models.asked.total() + 1), db, *resumed)
            resumed = ("--resume", "killed") if _has_run(db) else ()
            committed.append({name: models.asked[name] for name in (_stored(db) if resumed else ())})
        cli("--db", db, "run", "gacc", killing.config, "--live", *resumed)
    assert killed == kills

    for snapshot in committed:
        assert snapshot == {name: models.asked[name] for name in snapshot}, "a committed call was made again"
        assert all(snapshot.values()), "what is stored was asked"
    assert len(models.asked) == killing.calls
    repeated = models.asked.total() - killing.calls
    interrupted = [extra for extra in _requests(db) if "interrupted" in str(extra.get("error"))]
    assert repeated <= len(interrupted) <= kills * CONCURRENCY
    assert len(_requests(db)) == killing.calls + len(interrupted)
    assert _results(cli, db) == _results(cli, undisturbed)


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_without_a_loss(cli: CommandLine) -> None:
    _kill_and_compare(cli, goals=4, kills=2, seed=7)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_thirty_kills_in_a_run_of_five_hundred_calls(cli: CommandLine) -> None:
    _kill_and_compare(cli, goals=10, kills=30, seed=20261129)
