"""What `run gacc` says it used and may use: tries, calls that were lost, caps, the cache over a kill."""

from __future__ import annotations

import json
import subprocess
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CommandLine
from tests.e2e.one_model import one_model
from tests.servers.odd_server import Answer, OddServer, Received, completion, error

pytestmark = pytest.mark.slow

VERDICT = completion('{"reason": "same", "verdict": "correct"}')


def written(
    cli: CommandLine, url: str, limits: str = "", *, conditions: str = '["own-goal"]', **settings: Any
) -> Path:
    """A configuration over one context, two goals and four questions, and its dataset."""
    document = {
        "format": "gacc-dataset",
        "format_version": 1,
        "contexts": [{"id": "c", "text": "Paris is the capital. " * 20}],
        "goals": [{"id": f"g{n}", "context_id": "c", "text": f"Keep part {n}."} for n in range(2)],
        "questions": [
            {"id": f"q{n}", "goal_id": f"g{n % 2}", "text": f"Which capital, {n}?", "references": ["Paris"]}
            for n in range(4)
        ],
    }
    (cli.folder / "items.json").write_text(json.dumps(document), "utf-8")
    path = cli.folder / "spending.toml"
    text = one_model(
        "spending", "items.json", url, evaluation=f"conditions = {conditions}", limits=limits, **settings
    )
    path.write_text(text, "utf-8")
    return path


def role_of(received: Received) -> str:
    if "candidate answer" in received.prompt:
        return "judge"
    return "reader" if "Which capital" in received.prompt else "compressor"


def answered(received: Received) -> Answer:
    return VERDICT if role_of(received) == "judge" else completion("Paris")


def usage_of(outcome: dict[str, Any], role: str) -> dict[str, Any]:
    return next(total for total in outcome["usage"] if total["role"] == role)


def run_until_asked(cli: CommandLine, config: Path, enough: threading.Event) -> None:
    """Run until the service says that it was asked enough, and kill."""
    child = cli.start(
        "--db", "x.db", "run", "gacc", config, "--live", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        assert enough.wait(60)
    finally:
        child.kill()
        child.wait()


def test_each_try_counts_towards_the_cap_and_in_the_report(cli: CommandLine) -> None:
    with OddServer(lambda got: error(503) if role_of(got) == "reader" else answered(got)) as server:
        config = written(cli, server.url, "calls = 7\nconcurrency = 4", max_retries=5)
        stopped = cli("--db", "x.db", "run", "gacc", config, "--live", "--json", expect=3).json
        assert len(server.received) == 7
        assert sum(stopped["calls"].values()) == 7 == sum(total["calls"] for total in stopped["usage"])
        assert stopped["reason"] == "the limit of 7 calls is reached (limits.calls)"
        cli("--db", "x.db", "run", "gacc", config, "--live", "--resume", "spending", expect=3)
        assert len(server.received) == 7


def test_a_cap_of_no_calls_says_so(cli: CommandLine) -> None:
    config = written(cli, "http://127.0.0.1:9/v1", "calls = 0")
    stopped = cli("--db", "x.db", "run", "gacc", config, "--live", "--json", expect=3)
    assert stopped.json["reason"] == "limits.calls is 0, which allows no call"


def test_a_try_that_timed_out_is_no_firm_cost(cli: CommandLine) -> None:
    tried = set()

    def rule(received: Received) -> Answer:
        if role_of(received) == "reader" and received.body not in tried:
            tried.add(received.body)
            return replace(completion("Paris"), stall=20)
        return answered(received)

    with OddServer(rule) as server:
        config = written(cli, server.url, timeout_seconds=0.5, max_retries=2)
        done = cli("--db", "x.db", "run", "gacc", config, "--live", "--json").json
    reader, judge = usage_of(done, "reader"), usage_of(done, "judge")
    assert (reader["calls"], reader["unreported"], reader["unpriced"]) == (8, 4, 4)
    assert (judge["calls"], judge["unreported"], judge["unpriced"]) == (4, 0, 0)


def test_calls_that_were_killed_are_no_firm_cost(cli: CommandLine) -> None:
    killed, asked = threading.Event(), threading.Event()

    def rule(received: Received) -> Answer:
        if role_of(received) == "reader" and not killed.is_set():
            asked.set()
            return replace(completion("Paris"), stall=20)
        return answered(received)

    with OddServer(rule) as server:
        config = written(cli, server.url, "concurrency = 1")
        run_until_asked(cli, config, asked)
        killed.set()
        resume = ("--db", "x.db", "run", "gacc", config, "--live", "--json", "--resume", "spending")
        for _ in range(2):
            reader = usage_of(cli(*resume).json, "reader")
            assert (reader["calls"], reader["unreported"], reader["unpriced"]) == (5, 1, 1)


def test_cache_hits_outlive_a_kill(cli: CommandLine) -> None:
    killed, asked = threading.Event(), threading.Event()

    def rule(received: Received) -> Answer:
        # The second goal has nothing to be told: its memory is the first one's. Its questions come last.
        if "Which capital, 1" in received.prompt and not killed.is_set():
            asked.set()
            return replace(completion("Paris"), stall=20)
        return answered(received)

    with OddServer(rule) as server:
        config = written(cli, server.url, "concurrency = 1", conditions='["no-goal"]')
        run_until_asked(cli, config, asked)
        killed.set()
        resume = ("--db", "x.db", "run", "gacc", config, "--live", "--json", "--resume", "spending")
        for _ in range(2):
            done = cli(*resume).json
            assert (done["cache_hits"], usage_of(done, "compressor")["hits"]) == (0, 1)
            assert usage_of(done, "compressor")["calls"] == 1


def test_a_stop_is_told_once(cli: CommandLine) -> None:
    with OddServer(lambda got: replace(answered(got), delay=0.05)) as server:
        config = written(cli, server.url, "calls = 5\nconcurrency = 4")
        stopped = cli("--db", "x.db", "run", "gacc", config, "--live", expect=3)
    assert stopped.err.count("stopping:") == 1, stopped.err
