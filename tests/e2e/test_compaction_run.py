"""`compaction run` as a person types it: documents, events, exit codes, signals, hidden keys."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest

from gacc_gui.runner.control import PATIENCE_SECONDS
from tests.compaction_service import DECISION_KEY, KEY, Inputs, Models, answered
from tests.conftest import CommandLine
from tests.servers.odd_server import Received, completion, error

SMALL = ("--generations", 1, "--answers", 1)


def traces(folder: Path, *secrets: str) -> list[str]:
    """The files that hold a secret."""
    return [
        str(path)
        for path in folder.rglob("*")
        if path.is_file() and any(secret.encode() in path.read_bytes() for secret in secrets)
    ]


def test_a_fixture_run_and_what_is_said_of_it(cli: CommandLine) -> None:
    inputs = Inputs(cli.folder, cases=1)
    ahead = cli(*inputs.begin("run", *SMALL, "--dry-run", "--json")).json
    assert (ahead["contexts"], ahead["answers"], ahead["missing"]) == (4, 4, [])
    done = cli(*inputs.begin("run", *SMALL, "--methods", "summary, full", "--json", "--events"))
    assert (done.json["state"], done.json["failed"], done.json["folder"]) == ("finished", 0, "run")
    events = [json.loads(line) for line in done.err.splitlines() if line.startswith("{")]
    assert [events[0]["event"], events[-1]["event"]] == ["planned", "done"]
    assert {event["stage"] for event in events if event["event"] == "progress"} >= {"answers", "files"}
    assert (cli.folder / "run" / "validation.json").is_file()

    again = cli(*inputs.begin("run", "--json"), expect=2)
    assert again.out == "" and "already there" in again.err
    resumed = cli("compaction", "run", "--resume", "run", "--json", expect=2)
    assert resumed.out == "" and len(resumed.err.splitlines()) == 1 and "is finished" in resumed.err


def test_what_makes_no_sense_is_refused_in_a_line(cli: CommandLine) -> None:
    inputs = Inputs(cli.folder, cases=1)
    neither = ("compaction", "run", "--corpus", inputs.corpus, "--tokenizer", inputs.tokenizer)
    for arguments, told in (
        ((*neither, "--output", "run"), "--fixture"),
        ((*inputs.begin("run"), "--live"), "two kinds of run"),
        (("compaction", "run", "--fixture"), "--corpus is needed"),
        ((*inputs.begin("run"), "--fusion-share", "1.5"), "--fusion-share"),
        ((*inputs.begin("run"), "--extra-body", "{"), "--extra-body: not JSON"),
        ((*inputs.begin("run"), "--extra-body", '["x"]'), "--extra-body: a JSON object is needed"),
        ((*inputs.begin("run"), "--omit-temperature", "--temperature", 1), "two things"),
        (("compaction", "run", "--resume", "run", "--ceiling", 900), "--ceiling goes with a new run"),
        (("compaction", "run", "--resume", "run"), "no folder of a compaction run"),
    ):
        done = cli(*arguments, "--json", expect=2)
        assert done.out == "" and told in done.err and len(done.err.splitlines()) == 1, done.err
    assert not (cli.folder / "run").exists()


def test_a_live_run_keeps_no_key(cli: CommandLine) -> None:
    """Stopped by a cap and gone on with; where the service repeats the key, it is taken out again."""

    def answer(received: Received) -> object:
        if "decoy" not in answered:
            answered.append("decoy")
            return error(400, f"no such model for {received.headers['authorization']}")
        return completion(f'{{"answer": "{KEY}", "supporting_facts": []}}')

    answered: list[str] = []
    models, inputs = Models(delay=0.0, answer=answer), Inputs(cli.folder, cases=1)  # type: ignore[arg-type]
    with models.serving():
        keys = {name: value for name, value in models.environment.items() if name != "LLM_API_KEY"}
        cli.environment.update(keys)
        dotenv = cli.folder / ".env"
        dotenv.write_text(f'export LLM_API_KEY="{KEY}"\n', encoding="utf-8")
        begun = inputs.begin("run", *SMALL, "--max-calls", 4, "--json", "--events", mode="--live")
        first = cli(*begun, expect=3)
        assert first.json["state"] == "stopped" and "limit of 4 calls" in first.json["reason"]
        assert "--resume run --live" in first.err
        at_work = traces(cli.folder / "run", KEY, DECISION_KEY)
        refused = cli("compaction", "run", "--resume", "run", "--json", expect=2)
        assert "--live says that it may" in refused.err
        resume = (
            "compaction",
            "run",
            "--resume",
            "run",
            "--live",
            "--max-calls",
            1_000,
            "--json",
            "--events",
        )
        second = cli(*resume)
    assert second.json["state"] == "finished" and answered == ["decoy"]
    assert at_work == traces(cli.folder / "run", KEY, DECISION_KEY) == []
    for said in (first, second, refused):
        assert KEY not in said.out + said.err and DECISION_KEY not in said.out + said.err
    validation = json.loads((cli.folder / "run" / "validation.json").read_text(encoding="utf-8"))
    assert [check["name"] for check in validation["checks"] if check["ok"] is False] == []


def test_what_cannot_be_watched_and_what_counts_zero_is_said(cli: CommandLine) -> None:
    """Answers that nobody could read failed in no call, and count zero all the same."""
    models = Models(delay=0.0, answer=lambda _: completion("Who knows?", usage=None))
    inputs = Inputs(cli.folder, cases=2)
    with models.serving():
        cli.environment.update(models.environment)
        limits = ("--methods", "full", "--max-tokens", 1_000_000)
        done = cli(
            *inputs.begin("run", "--answers", 3, "--generations", 1, *limits, mode="--live"), expect=None
        )
    lines = done.err.splitlines()
    (warning,) = [line for line in lines if "warning" in line]
    assert warning == (
        "gacc-gui: warning: the limit of 1,000,000 tokens (limits.tokens) cannot be watched:"
        " the service of the reader does not tell how many it used"
    )
    assert "6 of 6 planned answers count zero" in lines[-1]
    assert "0 valid of 6 planned" in (cli.folder / "run" / "REPORT.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_an_interrupted_run_ends_its_waiting_at_once_and_goes_on(cli: CommandLine) -> None:
    """Answers are put off for longer than the patience; none is asked for again before it goes on."""
    busy = [True]
    models = Models(delay=0.0, answer=lambda one: error(429, retry_after="100") if busy else answered(one))
    inputs = Inputs(cli.folder, cases=2)
    with models.serving():
        cli.environment.update(models.environment)
        child = cli.start(*inputs.begin("run", *SMALL, "--methods", "full", "--json", mode="--live"))
        with child:
            models.wait_for(1, lambda: child.poll() is None)
            begun = time.monotonic()
            child.send_signal(signal.SIGTERM)
            out, told = child.communicate(timeout=60)
        assert child.returncode == 130 and time.monotonic() - begun < PATIENCE_SECONDS, told
        assert json.loads(out)["state"] == "stopped" and models.asked.total() <= 2
        busy.clear()
        resumed = cli("compaction", "run", "--resume", "run", "--live", "--json", expect=0)
    assert resumed.json["state"] == "finished" and resumed.json["failed"] == 0
    kept = (cli.folder / "run" / "requests.jsonl").read_text(encoding="utf-8")
    assert models.asked.total() == len(kept.splitlines()) and "interrupted" not in kept


def test_an_interrupted_run_finishes_its_calls_and_goes_on(cli: CommandLine) -> None:
    models, inputs = Models(delay=0.05), Inputs(cli.folder, cases=1)
    with models.serving():
        cli.environment.update(models.environment)
        child = cli.start(*inputs.begin("run", "--json", mode="--live"))
        with child:
            models.wait_for(6, lambda: child.poll() is None)
            child.send_signal(signal.SIGINT)
            out, told = child.communicate(timeout=60)
        assert child.returncode == 130, told
        stopped = json.loads(out)
        assert stopped["state"] == "stopped" and sum(stopped["calls"].values()) >= 6
        assert models.asked.total() == sum(stopped["calls"].values())
        resumed = cli("compaction", "run", "--resume", "run", "--live", "--json", expect=None)
    assert resumed.json["state"] == "finished"
    requests = (cli.folder / "run" / "requests.jsonl").read_text(encoding="utf-8").splitlines()
    assert models.asked.total() == len(requests), "a call that had finished was made again"
