"""`probe` as a person types it: offline, live against a service on loopback, stopped, capped, refused."""

from __future__ import annotations

import json
import shutil
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.compaction_service import KEY as COMPACTION_KEY
from tests.compaction_service import Inputs, Models
from tests.conftest import CommandLine
from tests.servers.odd_server import Answer, OddServer, Received, completion, error

KEY = "sk-TESTSECRET123"
SOURCE = (
    "Nothing much happened for a long time. " * 4 + "The harbour froze in March. The ferry is called Nordlys."
)
CONFIG = """
[run]
id = "live"
[dataset]
path = "items.json"
[evaluation]
ratios = ["0.5"]
tokenizer = "codepoint"
[[compressors]]
part = "lead"
[reader]
part = "llm"
endpoint = "main"
[judge]
part = "{judge}"
{judge_endpoint}
[limits]
{limits}
[endpoints.main]
base_url = "{url}"
model = "odd"
api_key_env = "ODD_KEY"
max_retries = 1
[endpoints.main.price]
input = 1.0
output = 2.0
"""


def write(cli: CommandLine, url: str, limits: str = "", judge: str = "llm") -> None:
    """Write a configuration whose compressor keeps the beginning, and items whose answers are at the end."""
    items = {
        "format": "gacc-dataset",
        "format_version": 1,
        "contexts": [{"id": "c", "text": SOURCE}],
        "goals": [{"id": "g", "context_id": "c", "text": "Keep what happened."}],
        "questions": [
            {
                "id": "ferry",
                "goal_id": "g",
                "text": "What is the ferry called?",
                "references": ["Nordlys"],
                "evidence": [{"quote": "The ferry is called Nordlys."}],
            },
            {"id": "frost", "goal_id": "g", "text": "When did it freeze?", "references": ["March"]},
        ],
    }
    (cli.folder / "items.json").write_text(json.dumps(items), "utf-8")
    endpoint = 'endpoint = "main"' if judge == "llm" else ""
    text = CONFIG.format(url=url, limits=limits, judge=judge, judge_endpoint=endpoint)
    (cli.folder / "live.toml").write_text(text, "utf-8")
    cli.environment["ODD_KEY"] = KEY


def is_judge(received: Received) -> bool:
    return "candidate answer" in received.prompt


def honest(received: Received) -> Answer:
    """A reader that knows what the memory says, and a judge that knows the references."""
    if is_judge(received):
        answer = received.prompt
        verdict = "incorrect" if "nobody knows" in answer else "correct"
        return completion(json.dumps({"reason": "compared", "verdict": verdict}))
    asked = "Nordlys" if "ferry called?" in received.prompt else "March"
    return completion(asked if asked in received.prompt else "nobody knows")


@pytest.fixture
def evaluated(cli: CommandLine) -> Any:
    """Evaluates the configuration against a server, and returns what asks again."""

    def evaluate(server: OddServer, **settings: Any) -> None:
        write(cli, server.url, **settings)
        cli("--db", "x.db", "run", "gacc", "live.toml", "--live", expect=None)
        server.received.clear()

    return evaluate


FERRY = ("--memory", "g/lead/0.5", "--question", "ferry")


def probe(cli: CommandLine, *more: object, expect: int | None = 0) -> Any:
    done = cli("--db", "x.db", "probe", "live", *more, "--json", expect=expect)
    return done.json if done.out else done.err


@pytest.mark.slow
def test_nobody_is_asked_without_live(cli: CommandLine, evaluated: Any) -> None:
    with OddServer(honest) as server:
        evaluated(server)
        told = probe(cli, *FERRY, "--all-kinds", expect=2)
        assert "this asks models: 10 calls of odd" in told and "--live says that it may" in told
        ahead = probe(cli, *FERRY, "--all-kinds", "--dry-run")
        assert (ahead["live"], ahead["planned"], ahead["rows"]) == (True, 5, 1)
        reader, judge = ahead["estimate"]["services"]
        assert (reader["role"], judge["role"], reader["calls"], judge["calls"]) == ("reader", "judge", 5, 5)
        assert ahead["estimate"]["cost"] == pytest.approx(
            (ahead["estimate"]["input_tokens"] + 2 * ahead["estimate"]["output_tokens"]) / 1e6
        )
        assert server.received == []


@pytest.mark.slow
def test_a_question_is_asked_again_live(cli: CommandLine, evaluated: Any) -> None:
    with OddServer(honest) as server:
        evaluated(server)
        before = cli("--db", "x.db", "metrics", "live", "--json").out
        document = probe(cli, *FERRY, "--all-kinds", "--times", 2, "--live")
        assert len(server.received) == 20
        assert all(one.headers["authorization"] == f"Bearer {KEY}" for one in server.received)
        assert cli("--db", "x.db", "metrics", "live", "--json").out == before
    (row,) = document["rows"]
    assert (row["cause"], row["label"], row["outcome"]) == ("compressor", "incorrect", "confirms")
    assert row["results"] == {
        "source": "right",
        "retained": "wrong",
        "proposal": "wrong",
        "evidence": "right",
        "empty": "wrong",
    }
    assert row["finding"] == "wrong with the proposal, right with the evidence added: compressor confirmed"
    assert row["stability"] == {"right": 0, "wrong": 3, "stable": True}
    one = document["probes"][0]
    assert (one["with"], one["attempt"], one["live"]) == ("source", 0, True)
    assert one["usage"] == {"input_tokens": 14, "output_tokens": 6}
    assert one["cost"] == pytest.approx(26e-6)
    assert one["seconds"] > 0 and one["verdict"]["rationale"] == "compared"
    assert document["calls"] == {"reader": 10, "judge": 10}
    assert cli("--db", "x.db", "verify", "live", "--json").json is not None

    # What went out and came back is kept, under the probe's name, and travels.
    cli("--db", "x.db", "export", "live", "--to", "x.jsonl")
    lines = [json.loads(line) for line in (cli.folder / "x.jsonl").read_text("utf-8").splitlines()]
    requests = {line["id"]: line for line in lines if line["record"] == "request" and "probe" in line}
    assert len(requests) == 20
    sent = requests[one["requests"][0]]
    assert sent["role"] == "reader" and sent["probe"] == one["id"] and SOURCE[:50] in sent["content"]
    assert len(sent["attempts"]) == 1 and sent["usage"]["input_tokens"] == 7
    cli("--db", "y.db", "import", "x.jsonl")
    cli("--db", "y.db", "export", "live", "--to", "y.jsonl")
    assert (cli.folder / "y.jsonl").read_bytes() == (cli.folder / "x.jsonl").read_bytes()

    # An import has no configuration; the file that it came from will do, and no other.
    imported = ("--db", "y.db", "probe", "live", *FERRY, "--with", "empty")
    assert "--config names its configuration" in cli(*imported, expect=2).err
    assert cli(*imported, "--config", "live.toml", "--dry-run", "--json").json["planned"] == 1
    other = (cli.folder / "live.toml").read_text("utf-8").replace('model = "odd"', 'model = "even"')
    (cli.folder / "other.toml").write_text(other, "utf-8")
    assert (
        "nobody else is asked in its place"
        in cli(*imported, "--config", "other.toml", "--live", expect=2).err
    )


@pytest.mark.slow
def test_the_key_is_found_nowhere(cli: CommandLine, evaluated: Any) -> None:
    def echo(received: Received) -> Answer:
        told = f"{received.headers} {received.body!r}"
        if is_judge(received):
            return completion(json.dumps({"reason": told, "verdict": "correct"}), reasoning=told)
        return error(500, told) if "freeze" in received.prompt else completion(told)

    with OddServer(echo) as server:
        evaluated(server)
        done = cli(
            "--db", "x.db", "probe", "live", "--goal", "g", "--all-kinds", "--live", "--json", expect=3
        )
    cli("--db", "x.db", "export", "live", "--to", "x.jsonl")
    assert KEY not in done.out + done.err
    files = [path for path in cli.folder.rglob("*") if path.is_file()]
    assert [path.name for path in files if KEY.encode() in path.read_bytes()] == []


@pytest.mark.slow
def test_failures_attempts_and_a_refused_key(cli: CommandLine, evaluated: Any) -> None:
    with OddServer(honest) as server:
        evaluated(server)
        server.rule = lambda got: completion("I would not say.") if is_judge(got) else error(503)
        document = probe(cli, *FERRY, "--with", "source", "--live", expect=3)
        (one,) = document["probes"]
        assert (one["answer"]["status"], one["verdict"], one["result"]) == ("error", None, "unknown")
        assert document["failed"] == 1 and document["calls"] == {"reader": 2}  # one try more
        server.rule = lambda got: completion("I would not say.") if is_judge(got) else honest(got)
        (one,) = probe(cli, *FERRY, "--with", "source", "--live", expect=3)["probes"]
        assert (one["attempt"], one["verdict"]["status"], one["answer"]["text"]) == (1, "unparsed", "Nordlys")
        server.rule = lambda got: error(401)
        server.received.clear()
        done = cli("--db", "x.db", "probe", "live", *FERRY, "--all-kinds", "--live", "--json", expect=2)
        assert done.out == "" and "the key in ODD_KEY was refused" in done.err
        del cli.environment["ODD_KEY"]
        assert "ODD_KEY" in probe(cli, *FERRY, "--with", "source", "--live", expect=2)
        assert probe(cli, *FERRY, "--with", "source", "--dry-run")["planned"] == 1


@pytest.mark.slow
def test_caps_hold_for_what_is_asked_again_by_itself(cli: CommandLine, evaluated: Any) -> None:
    with OddServer(honest) as server:
        evaluated(server, limits="calls = 5\nconcurrency = 1", judge="exact")
        first = probe(cli, *FERRY, "--all-kinds", "--live", expect=3)
        assert first["reason"] == "the limit of 5 calls is reached (limits.calls)"
        assert first["state"] == "stopped" and sum(first["calls"].values()) == 5
        assert len(first["probes"]) == 3 and first["probes"][-1]["verdict"] is None
        again = probe(cli, *FERRY, "--all-kinds", "--live", expect=3)
        assert again["calls"] == {} and again["probes"] == []
        # The run itself has what it had: nothing of this counts as the run's.
        resumed = cli("--db", "x.db", "run", "gacc", "live.toml", "--live", "--resume", "live", "--json").json
        assert {one["role"]: one["calls"] for one in resumed["usage"]} == {
            "compressor": 1,
            "reader": 2,
            "judge": 2,
        }


@pytest.mark.slow
def test_what_was_answered_before_a_stop_is_kept(cli: CommandLine, evaluated: Any) -> None:
    enough = threading.Event()

    def slow(received: Received) -> Answer:
        if len(server.received) >= 6:
            enough.set()
        return Answer(**{**vars(honest(received)), "delay": 0.3})

    with OddServer(honest) as server:
        evaluated(server, limits="concurrency = 1")
        server.rule = slow
        which = ("--goal", "g", "--all-kinds", "--missing", "--live", "--json")
        child = cli.start("--db", "x.db", "probe", "live", *which)
        try:
            assert enough.wait(60)
            told = probe(cli, *which[:-1], expect=2)  # both would pay for the same
            assert "'live' is being asked again by another process" in told
            child.send_signal(signal.SIGINT)
            out, err = child.communicate(timeout=60)
        finally:
            child.kill()
        assert child.returncode == 130, err
        document = json.loads(out)
        stored = len(document["probes"])
        assert 3 <= stored < document["planned"] and document["reason"] == "stopped by request"
        rest = probe(cli, *which[:-1])
        # One that stopped between its answer and its verdict is kept, and asked again.
        labelled = sum(one["result"] != "unknown" for one in document["probes"])
        assert stored - 1 <= labelled and len(rest["probes"]) == document["planned"] - labelled


@pytest.mark.slow
def test_nothing_is_missing(cli: CommandLine, evaluated: Any) -> None:
    with OddServer(honest) as server:
        evaluated(server)
        which = ("--goal", "g", "--with", "empty", "--missing")
        probe(cli, *which, "--live")
        server.received.clear()
        for more in ((), ("--live",)):  # nobody would be asked
            again = probe(cli, *which, *more)
            assert (again["state"], again["planned"], again["probes"], again["rows"]) == (
                "finished",
                0,
                [],
                [],
            )
        assert probe(cli, *which, "--dry-run")["planned"] == 0
        told = cli("--db", "x.db", "probe", "live", *which)
        assert told.out == "" and "nothing is missing: all that makes sense was asked" in told.err
        assert not server.received


# Offline, and what makes no sense.


def test_the_demonstration_offline(cli: CommandLine, demo_database: Path) -> None:
    shutil.copy(demo_database, cli.folder / "d.db")
    which = ("--db", "d.db", "probe", "demo", "--memory", "kelp-backup/keywords/0.1")
    one = cli(
        *which, "--question", "kelp-backup-4", "--with", "proposal", "--with", "retained", "--json"
    ).json
    assert [(p["with"], p["result"]) for p in one["probes"]] == [("retained", "wrong"), ("proposal", "right")]
    assert one["rows"][0]["finding"] == "right with the tail restored: truncation confirmed"
    table = cli(*which, "--question", "kelp-backup-4", "--with", "empty").out
    assert "not in memory" in table and "truncation confirmed" in table
    listed = ("--filter", "cause:judge", "--all-kinds", "--most", 2, "--json")
    goal = cli("--db", "d.db", "probe", "demo", *listed)
    assert goal.json["capped"] and len(goal.json["rows"]) == 2
    asked = ("--filter", "cause:judge", "--with", "empty", "--most", 1, "--as", "reviewed")
    assert "causes are as reviewed" in cli("--db", "d.db", "probe", "demo", *asked).err
    events = cli(*which, "--question", "kelp-backup-4", "--with", "empty", "--json", "--events").err
    named = [json.loads(line) for line in events.splitlines() if line.startswith("{")]
    assert named[0]["event"] == "planned" and named[-1] == {
        "event": "done",
        "run": "demo",
        "failed": 0,
    }
    assert {"event": "progress", "stage": "probes", "done": 1, "planned": 1, "failed": 0} in named


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--question", "q", "--with", "empty"), "--question needs --memory"),
        (("--goal", "ridge-route"), "--with says what takes the memory's place"),
        (("--goal", "ridge-route", "--with", "empty", "--all-kinds"), "--with says"),
        (("--goal", "ridge-route", "--with", "tail"), "'tail' is not one of"),
        (("--goal", "ridge-route", "--with", "empty", "--times", "0"), "times"),
        (("--goal", "nowhere", "--with", "empty"), "no question of goal 'nowhere'"),
        (("--filter", "cause:none", "--with", "empty"), "is no cause"),
        (
            ("--memory", "ridge-route/lead/0.5", "--question", "ridge-route-4", "--with", "evidence"),
            "no evidence was located",
        ),
    ],
)
def test_bad_usage(cli: CommandLine, demo_database: Path, options: tuple[str, ...], reason: str) -> None:
    done = cli("--db", demo_database, "probe", "demo", *options, "--json", expect=2)
    assert done.out == "" and reason in done.err and len(done.err.strip().splitlines()) == 1


# The compaction benchmark.


def imported_compaction(cli: CommandLine, *more: object, mode: str = "--fixture") -> Inputs:
    inputs = Inputs(cli.folder, cases=1)
    small = ("--generations", 1, "--answers", 1)
    cli(*inputs.begin("made", *small, *more, mode=mode), expect=None)
    cli("--db", "x.db", "import", "made")
    return inputs


def compaction_rows(cli: CommandLine) -> list[dict[str, Any]]:
    (run,) = cli("--db", "x.db", "runs", "--json").json["runs"]
    return list(cli("--db", "x.db", "questions", run["id"], "--json").json["questions"])


def probe_of(row: dict[str, Any]) -> tuple[object, ...]:
    """The command that asks a row of the compaction run again, but for what with."""
    which = ("--memory", row["memory_id"], "--question", row["question_id"])
    return ("--db", "x.db", "probe", "made", *which)


@pytest.mark.slow
def test_a_compaction_run_is_asked_again_with_what_applies(cli: CommandLine) -> None:
    imported_compaction(cli)
    rows = compaction_rows(cli)
    which = probe_of(rows[1])
    document = cli(*which, "--all-kinds", "--json", expect=None).json
    assert [one["with"] for one in document["probes"]] == ["source", "retained", "empty"]
    assert not document["live"]
    stored = cli("--db", "x.db", "export", "made", "--to", "x.json") and json.loads(
        (cli.folder / "x.json").read_text("utf-8")
    )
    answers = {(one["memory_id"], one["question_id"]): one["text"] for one in stored["answers"]}
    again = next(one for one in document["probes"] if one["with"] == "retained")
    assert again["answer"]["text"] == answers[rows[1]["memory_id"], rows[1]["question_id"]]
    sent = {
        one["probe"]: json.loads(one["content"]) for one in stored["requests"] if one.get("probe") is not None
    }
    contexts = {one["id"]: one["compaction"]["messages"] for one in stored["memories"]}
    assert sent[again["id"]] == contexts[rows[1]["memory_id"]]
    source = next(one for one in document["probes"] if one["with"] == "source")
    assert stored["contexts"][0]["text"] in sent[source["id"]][-1]["content"]
    empty = next(one for one in document["probes"] if one["with"] == "empty")
    assert "request:\n\n\n\nEnd of the evidence." in sent[empty["id"]][-1]["content"]
    assert source["verdict"]["status"] == "judged"
    assert set(source["verdict"]["scores"]) == {"em", "f1", "sp_em", "sp_f1", "joint_em", "joint_f1"}
    cli("--db", "y.db", "import", "x.json")
    cli("--db", "y.db", "export", "made", "--to", "y.json")
    assert (cli.folder / "y.json").read_bytes() == (cli.folder / "x.json").read_bytes()
    for kind in ("proposal", "evidence"):
        assert "were never cut" in cli(*which, "--with", kind, "--json", expect=2).err


@pytest.mark.slow
def test_a_live_compaction_run_needs_its_own_answerer(cli: CommandLine) -> None:
    with Models(delay=0).serving() as models:
        cli.environment |= models.environment
        imported_compaction(cli, "--methods", "full, summary", mode="--live")
        rows = compaction_rows(cli)
        which = probe_of(rows[0])
        before = models.asked.total()
        assert "--live says that it may" in cli(*which, "--with", "empty", "--json", expect=2).err
        assert models.asked.total() == before
        # Nobody ranks: the decision model's key is not needed.
        for name in ("DECISION_MODEL_API_KEY", "DECISION_MODEL_BASE_URL"):
            del cli.environment[name]
        document = cli(*which, "--with", "empty", "--live", "--json", expect=None).json
        assert document["live"] and models.asked.total() == before + 1
        assert document["probes"][0]["usage"]["input_tokens"] == 7
    found = [
        path
        for path in cli.folder.rglob("*")
        if path.is_file() and COMPACTION_KEY.encode() in path.read_bytes()
    ]
    assert found == []
