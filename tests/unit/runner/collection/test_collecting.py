"""One case collected: by an agent that does well, and by agents each of which does one thing wrong.

Every fault is planted in a real driver that runs as a child process; exactly the named check must see it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.core.compaction import EvidenceFile
from gacc_gui.core.hotpot_records import Article, HotpotQuestion
from gacc_gui.formats.corpus import message_fault
from gacc_gui.runner.collection import checks
from gacc_gui.runner.collection.agents import Agent, own_agent
from gacc_gui.runner.collection.collecting import (
    Collected,
    Setup,
    collect_case,
    evidence_files,
    hashes,
    request_for,
    thinking_off,
)
from gacc_gui.runner.collection.scripted import LAST_WORDS, Scripted
from gacc_gui.runner.collection.wire import Reply, Responder
from gacc_gui.runner.credentials import Credentials
from tests.collection_drivers import faulty_agent
from tests.compaction_cases import small_case

ALL = [
    checks.FINISHED,
    checks.SYSTEM,
    checks.ALL_READ,
    checks.UNTRUNCATED,
    checks.PAIRED,
    checks.UNCHANGED,
    checks.GOLD_OUTSIDE,
    checks.COMPACTION_OFF,
    checks.THINKING_OFF,
    checks.ANSWER_LEFT_OUT,
]


def question(number: int = 0) -> HotpotQuestion:
    case = small_case(number)
    articles = tuple(Article(file.title, file.sentences) for file in case.files)
    return HotpotQuestion(
        case.id, case.question, case.gold.answers[0], case.kind, case.level, case.gold.facts, articles
    )


def scripted(files: Sequence[EvidenceFile]) -> Responder:
    return Scripted([file.path for file in files])


def collect(
    agent: Agent, responder: Any = scripted, seconds: float = 30, key: str | None = None
) -> Collected:
    return collect_case(
        question(), Setup(agent, "scripted", "scripted", responder, seconds, Credentials(key))
    )


def failed(collected: Collected) -> dict[str, str]:
    return {check.name: check.found for check in collected.case.checks if not check.ok}


def test_all_is_well() -> None:
    collected = collect(own_agent())
    case, record = collected.case, collected.record
    assert [check.name for check in case.checks] == ALL
    assert failed(collected) == {}
    assert case.is_sound
    assert [message["role"] for message in case.trajectory] == [
        *("system", "user", "assistant"),
        *["tool"] * 10,
    ]
    assert case.task == request_for(question(), case.files)
    assert all(message_fault(message) is None for message in case.trajectory)
    assert case.files == small_case(0).files
    for message, file in zip(case.trajectory[3:], case.files, strict=True):
        assert json.loads(message["content"])["file_size"] == len(file.text.encode())
    assert LAST_WORDS not in json.dumps(case.trajectory)
    assert LAST_WORDS in record.wire[-1].response
    assert [len(bodies.request["messages"]) for bodies in record.wire] == [2, 13]
    assert [bodies.status for bodies in record.wire] == [200, 200]
    assert record.as_json()["sources"][0] == {
        "path": "evidence-01.txt",
        **dict.fromkeys(("sha256", "sha256_before", "sha256_after"), case.files[0].sha256),
    }


def test_the_same_again() -> None:
    first, second = collect(own_agent()), collect(own_agent())
    assert first.case == second.case
    assert first.record == second.record


FAULTS = [
    (
        checks.UNTRUNCATED,
        "evidence-03.txt: truncated, 4 of 8 lines",
        """
        read = own.read_file
        own.read_file = lambda folder, path, **k: read(folder, path, limit=4 if "03" in path else 500)
        """,
    ),
    (
        checks.UNTRUNCATED,
        "evidence-03.txt: line 2 is not as in the file",
        """
        read = own.read_file
        def cut(folder, path):
            result = read(folder, path)
            if "03" in path:
                lines = result["content"].split("\\n")
                lines[1] = lines[1][:40] + "... [truncated]"
                result["content"] = "\\n".join(lines)
            return result
        own.read_file = cut
        """,
    ),
    (
        checks.UNTRUNCATED,
        "evidence-03.txt: 7 of 8 lines",
        """
        read = own.read_file
        def short(folder, path):
            result = read(folder, path, limit=7 if "03" in path else 500)
            return {**result, "truncated": False}
        own.read_file = short
        """,
    ),
    (
        checks.UNTRUNCATED,
        "evidence-03.txt: out of order",
        """
        read = own.read_file
        own.read_file = lambda folder, path: {"error": "out of order"} if "03" in path else read(folder, path)
        """,
    ),
    (
        checks.UNCHANGED,
        "evidence-05.txt was another after the session",
        """
        work = own.collect
        def collect(job):
            report = work(job)
            with open(Path(job["workspace"], "evidence-05.txt"), "a") as file:
                file.write("[9] Something else.")
            return report
        own.collect = collect
        """,
    ),
    (
        checks.UNCHANGED,
        "evidence-05.txt was not there after the session; notes appeared in the workspace; notes/a.md app",
        """
        work = own.collect
        def collect(job):
            report = work(job)
            os.remove(Path(job["workspace"], "evidence-05.txt"))
            os.mkdir(Path(job["workspace"], "notes"))
            Path(job["workspace"], "notes", "a.md").write_text("x")
            return report
        own.collect = collect
        """,
    ),
    (
        checks.PAIRED,
        "the call 'call_98' has no results; the result 'call_99' answers no call",
        """
        ask = own.ask
        def asked(job, messages):
            if len(messages) > 2 and messages[-1]["tool_call_id"] == "call_98":
                messages[-1]["tool_call_id"] = "call_99"
            message = ask(job, messages)
            if len(messages) == 2:
                message["tool_calls"].append({**message["tool_calls"][0], "id": "call_98"})
            return message
        own.ask = asked
        """,
    ),
    (checks.SYSTEM, "the history does not begin with one", "own.SYSTEM = ''"),
    (
        checks.SYSTEM,
        "it changed between requests",
        """
        ask = own.ask
        def asked(job, messages):
            report = ask(job, messages)
            own.SYSTEM += " And be quick."
            return report
        own.ask = asked
        """,
    ),
    (
        checks.COMPACTION_OFF,
        "it is not off (agent: True)",
        """
        work = own.collect
        own.collect = lambda job: {**work(job), "compaction": {"configured": False, "agent": True}}
        """,
    ),
    (
        checks.COMPACTION_OFF,
        "request 2 does not begin with what request 1 said; the result 'call_01' is not in the last request",
        """
        ask = own.ask
        def asked(job, messages):
            if len(messages) > 2:
                summary = {"role": "user", "content": "So far: nine files were read."}
                messages = [messages[0], summary, messages[2], messages[-1]]
            return ask(job, messages)
        own.ask = asked
        """,
    ),
    (
        checks.THINKING_OFF,
        "it is not configured off (None)",
        """
        work = own.collect
        own.collect = lambda job: {**work(job), "reasoning_config": None}
        """,
    ),
    (
        checks.THINKING_OFF,
        "the agent's history holds reasoning",
        """
        work = own.collect
        def collect(job):
            report = work(job)
            report["messages"][1]["reasoning"] = "Ten files. I shall read them."
            return report
        own.collect = collect
        """,
    ),
    (
        checks.FINISHED,
        "the agent's process ended with exit code 1: ValueError: boom",
        "raise ValueError('boom')",
    ),
    (checks.FINISHED, "the agent's process was ended by signal 6", "os.abort()"),
    (checks.FINISHED, "the agent left no report", "os._exit(0)"),
    (
        checks.FINISHED,
        "the agent's report is no JSON",
        """
        def main():
            job = json.loads(sys.stdin.readline())
            Path(job["report"]).write_text('{"messages": [')
        own.main = main
        """,
    ),
    (
        checks.FINISHED,
        "the agent's report holds no messages",
        "own.collect = lambda job: {'messages': ['Hi']}",
    ),
    (
        checks.FINISHED,
        "the agent's process ended with exit code 1: ",
        "own.collect = lambda job: {'messages': {1, 2}}",
    ),
    (
        checks.FINISHED,
        "the agent reports an error: the model said no",
        """
        work = own.collect
        own.collect = lambda job: {**work(job), "error": "the model said no"}
        """,
    ),
    (
        checks.FINISHED,
        "the agent says that it did not complete its task",
        """
        work = own.collect
        own.collect = lambda job: {**work(job), "completed": False}
        """,
    ),
    (
        checks.FINISHED,
        "message 2 of the agent's history: its role is none of",
        """
        own.collect = lambda job: {"messages": [{"role": "user", "content": "a"}, {"role": "wizard"}]}
        """,
    ),
]


@pytest.mark.parametrize(("name", "found", "fault"), FAULTS, ids=[found[:40] for _, found, _ in FAULTS])
def test_a_planted_fault(tmp_path: Path, name: str, found: str, fault: str) -> None:
    collected = collect(faulty_agent(tmp_path, fault))
    seen = failed(collected)
    assert list(seen) == [name], seen
    assert seen[name].startswith(found)
    assert not collected.case.is_sound
    assert collected.record.checks == collected.case.checks


def test_a_file_that_nobody_asks_for() -> None:
    collected = collect(own_agent(), lambda files: Scripted([file.path for file in files[:-1]]))
    assert failed(collected) == {checks.ALL_READ: "evidence-10.txt was never asked for"}


def test_an_agent_that_reads_nothing() -> None:
    collected = collect(own_agent(), lambda files: Scripted([]))
    assert set(failed(collected)) == {checks.ALL_READ, checks.ANSWER_LEFT_OUT}
    assert failed(collected)[checks.ALL_READ].endswith("; and 7 more")


def test_a_response_with_reasoning() -> None:
    class Thinking(Scripted):
        def respond(self, request: Any) -> Reply:
            document = json.loads(b"".join(super().respond(request).body))
            document["choices"][0]["message"]["reasoning_content"] = "Let me think."
            return Reply([json.dumps(document).encode()])

    collected = collect(own_agent(), lambda files: Thinking([file.path for file in files]))
    assert failed(collected) == {
        checks.THINKING_OFF: "response 1 has it (reasoning_content); response 2 has it (reasoning_content)"
    }


def test_a_request_that_asks_for_reasoning(tmp_path: Path) -> None:
    fault = """
    dumps = json.dumps
    def high(value, *rest, **k):
        return dumps({**value, "reasoning_effort": "high"} if "tools" in value else value, *rest, **k)
    own.json.dumps = high
    """
    found = failed(collect(faulty_agent(tmp_path, fault)))
    assert list(found) == [checks.THINKING_OFF]
    assert found[checks.THINKING_OFF].startswith("request 1 asks for it (reasoning_effort)")


def test_an_agent_that_hangs_is_ended_with_what_it_started(tmp_path: Path) -> None:
    fault = f"""
    import subprocess
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    Path({str(tmp_path)!r}, "pids").write_text(f"{{os.getpid()}} {{child.pid}}")
    time.sleep(600)
    """
    collected = collect(faulty_agent(tmp_path, fault), seconds=2)
    assert failed(collected) == {checks.FINISHED: "the agent did not end within 2 seconds"}
    for pid in (tmp_path / "pids").read_text().split():
        assert not _lives(int(pid))


def _lives(pid: int) -> bool:
    import psutil

    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def test_an_agent_that_cannot_be_started(tmp_path: Path) -> None:
    agent = Agent("none", "0", tmp_path / "no-python", own_agent().driver)
    found = failed(collect(agent))
    assert found == {checks.FINISHED: "the agent cannot be started: no such file or directory"}


def test_what_is_kept_tells_of_no_machine_and_no_key(tmp_path: Path) -> None:
    key = "k-0123456789-secret"
    fault = f"""
    own.SYSTEM = f"You work in {{os.getcwd()}}, at home in {{os.environ['HOME']}}, with {key}."
    work = own.collect
    def collect(job):
        report = work(job)
        print("nowhere to be seen")
        return report
    own.collect = collect
    """
    collected = collect(faulty_agent(tmp_path, fault), key=key)
    assert failed(collected) == {}
    kept = json.dumps([collected.case.trajectory, collected.record.as_json()])
    assert "You work in /workspace, at home in /home/agent" in kept
    assert "gacc-collection-" not in kept
    assert key not in kept


def test_the_agent_finds_no_credentials_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_API_KEY", "k-0123456789-secret")
    seen = tmp_path / "environment.json"
    fault = f"Path({str(seen)!r}).write_text(json.dumps([dict(os.environ), sys.argv, sorted(os.listdir())]))"
    assert failed(collect(faulty_agent(tmp_path, fault), key="k-0123456789-secret")) == {}
    environment, arguments, files = json.loads(seen.read_text())
    assert "k-0123456789-secret" not in json.dumps([environment, arguments])
    assert not set(environment) & {"LLM_API_KEY", "PYTHONPATH", "GACC_HERMES_PYTHON", "USER"}
    assert files == [f"evidence-{number:02}.txt" for number in range(1, 11)]
    assert not Path(environment["HOME"]).exists()


def test_the_request_names_the_files_and_the_question() -> None:
    asked = question(1)
    text = request_for(asked, evidence_files(asked))
    assert asked.question in text
    assert all(f"evidence-{number:02}.txt\n" in text for number in range(1, 11))
    assert "read_file" in text


def test_thinking_off_by_name() -> None:
    assert thinking_off("qwen3.8-max") == thinking_off("alibaba/Qwen3") != {}
    assert thinking_off("gpt-9") == thinking_off("my-qwen") == {}


@pytest.mark.skipif(sys.platform == "win32", reason="no FIFOs")
def test_whatever_lies_in_a_workspace(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.txt").write_bytes(b"x")
    (tmp_path / "link").symlink_to("a/b.txt")
    os.mkfifo(tmp_path / "pipe")
    found = hashes(tmp_path)
    assert list(found) == ["a", "a/b.txt", "link", "pipe"]
    assert {found["a"], found["link"], found["pipe"]} == {"no ordinary file"}
    assert found["a/b.txt"].startswith("2d711642b726b044")
