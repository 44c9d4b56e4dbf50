"""`compaction collect` as a person runs it: without Hermes, with the real one (slow), and interrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from gacc_gui.app.compaction_selecting import select_questions
from gacc_gui.core.hotpot_selection import DEFAULT_SEED
from gacc_gui.formats.corpus import read_corpus
from gacc_gui.runner.collection.scripted import LAST_WORDS, Scripted
from tests.collection_drivers import hanging_python
from tests.compaction_cases import hotpot_rows
from tests.hotpot_files import write_json
from tests.servers.odd_server import Answer, OddServer, Received, error

KEY = "k-0123456789-secret"
FILES = ("cases.jsonl", "collection.jsonl", "corpus.json")


@pytest.fixture
def chosen(cli: Any) -> Any:
    """The command line in a folder with a set `d.json` and a selection `s.json` of two; no Hermes known."""
    cli.environment.pop("GACC_HERMES_PYTHON", None)
    cli.environment["PATH"] = "/usr/bin:/bin"
    write_json(cli.folder / "d.json", hotpot_rows(4))
    select(cli, "d.json")
    return cli


def select(cli: Any, dataset: object) -> None:
    counts = {"bridge": 1, "comparison": 1}
    select_questions(cli.folder / str(dataset), cli.folder / "s.json", counts, DEFAULT_SEED)


def arguments(*more: object, dataset: object = "d.json") -> tuple[object, ...]:
    return (
        *("compaction", "collect", "--dataset", dataset, "--selection", "s.json", "--output", "out"),
        *more,
    )


def test_without_hermes(chosen: Any) -> None:
    done = chosen(*arguments("--scripted", "--json"))
    assert done.json["agent"] == {"name": "own read_file loop", "version": "1"}
    assert (done.json["mode"], done.json["model"]) == ("scripted", None)
    assert [case["ok"] for case in done.json["cases"]] == [True, True]
    assert len(done.json["cases"][0]["checks"]) == 10
    corpus = read_corpus(chosen.folder / "out" / "corpus.json")
    assert done.json["corpus_sha256"] == corpus.sha256
    again = chosen(*arguments("--scripted"), expect=2)
    assert again.out == ""
    assert "out is already there" in again.err


def test_for_people(chosen: Any) -> None:
    done = chosen(*arguments("--scripted"))
    assert "2 of 2 cases passed every check; read by own read_file loop 1, asked by a script" in done.out
    assert done.err == ""


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ((), "--live to let a model ask for the reads, or --scripted"),
        (("--live", "--scripted"), "--live to let a model ask for the reads, or --scripted"),
        (("--scripted", "--model", "m"), "--model goes with --live"),
        (
            ("--scripted", "--hermes-python", "nowhere"),
            "nowhere is no Python interpreter that has hermes-agent",
        ),
        (("--live",), "a live collection needs Hermes"),
        (("--scripted", "--timeout", "0"), "--timeout"),
    ],
)
def test_what_is_refused(chosen: Any, more: tuple[str, ...], reason: str) -> None:
    done = chosen(*arguments(*more), expect=2)
    assert done.out == ""
    assert reason in done.err
    assert not (chosen.folder / "out").exists()


def test_bad_files(chosen: Any) -> None:
    (chosen.folder / ".env").write_text("no line\n")
    assert ".env: line 1" in chosen(*arguments("--live"), expect=2).err
    (chosen.folder / "s.json").write_text("{}")
    assert "s.json: it is no selection" in chosen(*arguments("--scripted"), expect=2).err


@pytest.mark.skipif(sys.platform == "win32", reason="signals, and a shell script for an interpreter")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(chosen: Any, number: int) -> None:
    python = hanging_python(chosen.folder)
    scratch = chosen.folder / "scratch"
    scratch.mkdir()
    child = subprocess.Popen(
        chosen.command(*arguments("--scripted", "--hermes-python", python)),
        cwd=chosen.folder,
        env={**chosen.environment, "TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    started = _awaited(chosen.folder / "pids", child)
    child.send_signal(number)
    out, err = child.communicate(timeout=30)
    assert (child.returncode, out) == (130, "")
    assert err.strip() == "gacc-gui: interrupted"
    assert not any(psutil.pid_exists(pid) and _runs(pid) for pid in started)
    assert {path.name for path in chosen.folder.iterdir()} == {
        "d.json",
        "s.json",
        "python",
        "pids",
        "scratch",
    }
    assert not any(scratch.iterdir())


def _awaited(path: Path, child: subprocess.Popen[str]) -> list[int]:
    end = time.monotonic() + 30
    while not path.exists():
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)
    return [int(word) for word in path.read_text().split()]


def _runs(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


@pytest.mark.slow
def test_an_agent_that_hangs(chosen: Any) -> None:
    python = hanging_python(chosen.folder)
    done = chosen(*arguments("--scripted", "--hermes-python", python, "--timeout", 1, "--json"), expect=3)
    assert [case["ok"] for case in done.json["cases"]] == [False, False]
    assert done.err.count("agent finished: the agent did not end within 1 seconds") == 2
    assert {path.name for path in (chosen.folder / "out").iterdir()} == set(FILES)


# The real agent.


@pytest.fixture
def hermes() -> str:
    """The interpreter that has Hermes."""
    python = os.environ.get("GACC_HERMES_PYTHON")
    if not python:
        pytest.skip("GACC_HERMES_PYTHON does not name an interpreter that has hermes-agent")
    return python


@pytest.mark.slow
def test_the_real_agent(chosen: Any, hermes: str) -> None:
    done = chosen(*arguments("--scripted", "--hermes-python", hermes, "--json"))
    assert done.json["agent"]["name"] == "hermes-agent"
    assert [check["name"] for case in done.json["cases"] for check in case["checks"] if not check["ok"]] == []
    _look_at(chosen.folder / "out")


@pytest.mark.slow
def test_the_real_agent_on_the_shared_questions(chosen: Any, hermes: str, shared_data: Path) -> None:
    dataset = shared_data / "hotpotqa" / "hotpot_dev_distractor_60.json"
    (chosen.folder / "s.json").unlink()
    select(chosen, dataset)
    done = chosen(*arguments("--scripted", "--hermes-python", hermes, "--json", dataset=dataset))
    assert [case["ok"] for case in done.json["cases"]] == [True, True]
    _look_at(chosen.folder / "out")


@pytest.mark.slow
def test_the_real_agent_with_a_model(chosen: Any, hermes: str) -> None:
    script = Scripted([f"evidence-{number:02}.txt" for number in range(1, 11)])

    def rule(received: Received) -> Answer:
        if len(server.received) == 1:
            return error(429, f"slow down, {KEY}", retry_after="1")
        reply = script.respond(received.json)
        return Answer(b"".join(reply.body), content_type=reply.content_type)

    with OddServer(rule) as server:
        (chosen.folder / ".env").write_text(f"LLM_API_KEY={KEY}\nLLM_BASE_URL={server.url}\n")
        done = chosen(*arguments("--live", "--hermes-python", hermes, "--json"))
    assert [case["ok"] for case in done.json["cases"]] == [True, True]
    assert [case["requests"] for case in done.json["cases"]] == [3, 2]
    assert done.json["model"] == "qwen3.8-max"
    assert {one.headers["authorization"] for one in server.received} == {f"Bearer {KEY}"}
    assert all(one.json["enable_thinking"] is False for one in server.received)
    assert all(one.json["reasoning_effort"] == "none" for one in server.received)
    assert KEY not in _look_at(chosen.folder / "out")


@pytest.mark.slow
def test_the_real_agent_cut_short_by_a_long_line(chosen: Any, hermes: str) -> None:
    rows = hotpot_rows(2)
    rows[0]["context"][4][1][2] = "x" * 2_500  # longer than Hermes shows of a line
    (chosen.folder / "s.json").unlink()
    select(chosen, write_json(chosen.folder / "d.json", rows))
    done = chosen(*arguments("--scripted", "--hermes-python", hermes, "--json"), expect=3)
    failed = {case["id"]: [c["name"] for c in case["checks"] if not c["ok"]] for case in done.json["cases"]}
    assert failed == {"case-1": ["reads untruncated"], "case-2": []}
    corpus = read_corpus(chosen.folder / "out" / "corpus.json")
    assert [case.id for case in corpus.sound_cases] == ["case-2"]


@pytest.mark.slow
def test_the_real_agent_led_astray(chosen: Any, hermes: str) -> None:
    """A model that reads three lines of a file, and writes over another one after it read it."""
    script = Scripted([f"evidence-{number:02}.txt" for number in range(1, 11)])

    def rule(received: Received) -> Answer:
        reply = script.respond({**received.json, "stream": False})
        document = json.loads(b"".join(reply.body))
        message = document["choices"][0]["message"]
        calls = message.get("tool_calls")
        if calls:
            calls[2]["function"]["arguments"] = '{"path": "evidence-03.txt", "limit": 3}'
        elif received.json["messages"][-1].get("tool_call_id") == "call_10":
            given = json.dumps({"path": "evidence-05.txt", "content": "# Nothing\n"})
            function = {"name": "write_file", "arguments": given}
            message |= {
                "content": None,
                "tool_calls": [{"id": "call_11", "type": "function", "function": function}],
            }
            document["choices"][0]["finish_reason"] = "tool_calls"
        return Answer(_streamed(document), content_type="text/event-stream")

    with OddServer(rule) as server:
        chosen.environment |= {"LLM_API_KEY": KEY, "LLM_BASE_URL": server.url}
        done = chosen(*arguments("--live", "--hermes-python", hermes, "--model", "m", "--json"), expect=3)
    failed = [{c["name"]: c["found"] for c in case["checks"] if not c["ok"]} for case in done.json["cases"]]
    assert (
        failed
        == [
            {
                "reads untruncated": "evidence-03.txt: truncated, 3 of 8 lines",
                "files unchanged": "evidence-05.txt was another after the session",
            }
        ]
        * 2
    )


def _streamed(document: dict[str, Any]) -> bytes:
    choice = document["choices"][0]
    message = choice.pop("message")
    if message.get("tool_calls"):
        message["tool_calls"] = [{"index": at, **call} for at, call in enumerate(message["tool_calls"])]
    document["object"] = "chat.completion.chunk"
    document["choices"][0]["delta"] = message
    return f"data: {json.dumps(document)}\n\ndata: [DONE]\n\n".encode()


def _look_at(folder: Path) -> str:
    """Check a folder of the real agent's, and return all its text."""
    corpus = read_corpus(folder / "corpus.json")
    assert corpus.provenance.agent == "hermes-agent"
    for case in corpus.cases:
        assert "Hermes" in case.system
        assert "Current working directory: /workspace" in case.system
        assert "User home directory: /home/agent" in case.system
        assert case.question in case.task
        assert [message["role"] for message in case.trajectory[2:]] == ["assistant", *["tool"] * 10]
        assert LAST_WORDS not in json.dumps(case.trajectory)
    text = "".join((folder / name).read_text(encoding="utf-8") for name in FILES)
    assert "gacc-collection-" not in text
    return text
