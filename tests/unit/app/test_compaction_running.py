"""A compaction run's folder: what it begins with, how it is gone on with, how it ends, what is refused."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app import compaction_reporting
from gacc_gui.app.compaction_running import (
    CompactionOutcome,
    look_ahead,
    resume_compaction,
    run_compaction,
)
from gacc_gui.commands import compacting_run
from gacc_gui.core.compaction import CollectionCheck
from gacc_gui.core.errors import BadInput, BadUsage, CodecUnavailable, GaccError, StoreError
from gacc_gui.formats.corpus import write_corpus
from gacc_gui.runner.compaction import contexts, planning
from gacc_gui.runner.compaction.settings import Settings
from gacc_gui.runner.config_model import LimitsConfig
from gacc_gui.runner.events import Done, Event, Planned, Progress
from gacc_gui.runner.run_lock import only_one
from gacc_gui.store.appending import RunAppender
from tests.compaction_cases import small_corpus
from tests.compaction_service import CEILING, Inputs, Models, facts, requests_of

INPUT_FILES = {"protocol.json", "corpus.json"}
ALL_FILES = INPUT_FILES | {
    "contexts.jsonl",
    "requests.jsonl",
    "results.json",
    "aggregate.json",
    "REPORT.md",
    "validation.json",
}


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    return Inputs(tmp_path, cases=1)


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "run"


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run over the same inputs."""
    folder = tmp_path_factory.mktemp("undisturbed")
    begin(Inputs(folder, cases=1), folder / "run")
    return folder / "run"


def settings(**given: Any) -> Settings:
    """One context and one answer of each method, unless a test wants more."""
    return Settings(**{"ceiling": CEILING, "generations": 1, "answers": 1, **given})


def begin(inputs: Inputs, output: Path, **more: Any) -> CompactionOutcome:
    given = more.pop("settings", settings())
    return run_compaction(inputs.corpus, inputs.tokenizer, output, given, **more)


def stopped(inputs: Inputs, output: Path, calls: int = 5) -> CompactionOutcome:
    return begin(inputs, output, settings=settings(limits=LimitsConfig(calls=calls)))


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def protocol_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "protocol.json").read_text(encoding="utf-8"))


def change_protocol(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    protocol = protocol_of(folder)
    change(protocol)
    (folder / "protocol.json").write_text(json.dumps(protocol), encoding="utf-8")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# A whole run.


def test_a_folder_ends_with_all_its_files_and_nothing_else(inputs: Inputs, output: Path) -> None:
    inputs.corpus.with_name("collection.jsonl").write_bytes(b'{"id": "case-1"}\n')
    inputs.corpus.with_name("cases.jsonl").write_bytes(b'{"id":  "case-1"}\r\n')
    outcome = begin(inputs, output)
    assert (outcome.session.state, outcome.session.reason, outcome.session.failed) == ("finished", None, 0)
    assert names(output) == ALL_FILES | {"collection.jsonl", "cases.jsonl"}
    for name in ("corpus.json", "collection.jsonl", "cases.jsonl"):
        assert (output / name).read_bytes() == inputs.corpus.with_name(name).read_bytes()
    assert outcome.report.is_file()
    assert names(inputs.folder) == {"run", "corpus.json", "tokenizer.json", "collection.jsonl", "cases.jsonl"}


def test_what_is_frozen(inputs: Inputs, output: Path) -> None:
    begin(inputs, output)
    protocol = protocol_of(output)
    assert (protocol["format"], protocol["format_version"], protocol["mode"]) == (
        "gacc-compaction",
        1,
        "fixture",
    )
    assert protocol["diagnostic_only"] is True and protocol["name"] == "run"
    assert protocol["hashes"]["corpus"] == sha256(inputs.corpus.read_bytes())
    assert protocol["hashes"]["tokenizer"] == sha256(inputs.tokenizer.read_bytes())
    assert protocol["tokenizer"]["revision"] == f"sha256:{protocol['hashes']['tokenizer']}"
    assert protocol["settings"]["ceiling"] == CEILING and protocol["settings"]["fusion_share"] == "0.4"
    assert set(protocol["parts"]) == {"decider", "summarizer", "answerer", "scorer"}
    assert all(len(prompt["sha256"]) == 64 for prompt in protocol["prompts"].values())
    assert protocol["cases"] == ["case-1"] and protocol["left_out"] == []
    assert str(inputs.folder) not in (output / "protocol.json").read_text(encoding="utf-8")


def test_a_case_that_failed_a_check_is_left_out_and_named(tmp_path: Path, output: Path) -> None:
    from dataclasses import replace

    corpus = small_corpus(2)
    bad = replace(
        corpus.cases[0], checks=(CollectionCheck("all files read", False, "nine of ten were read"),)
    )
    inputs = Inputs(tmp_path, cases=1)
    inputs.corpus.unlink()
    write_corpus(inputs.corpus, replace(corpus, cases=(bad, corpus.cases[1])))
    outcome = begin(inputs, output)
    left_out = [{"id": bad.id, "check": "all files read", "reason": "nine of ten were read"}]
    assert [dict(one) for one in outcome.left_out] == protocol_of(output)["left_out"] == left_out
    assert protocol_of(output)["cases"] == [corpus.cases[1].id]
    assert bad.id not in (output / "results.json").read_text(encoding="utf-8")
    assert "nine of ten were read" in (output / "REPORT.md").read_text(encoding="utf-8")

    inputs.corpus.unlink()
    write_corpus(inputs.corpus, replace(corpus, cases=(bad,)))
    with pytest.raises(BadInput, match="none of its 1 cases passed"):
        begin(inputs, tmp_path / "other")


def typed(inputs: Inputs, output: Path) -> int:
    """Run as it is typed; return the exit code."""
    return compacting_run.run(
        corpus=str(inputs.corpus),
        tokenizer=str(inputs.tokenizer),
        output=str(output),
        resume=None,
        live=False,
        fixture=True,
        dry_run=False,
        given={"ceiling": CEILING, "generations": 1, "answers": 1},
        as_json=True,
        events=False,
    )


def test_altered_gold_is_named_and_evaluated(
    tmp_path: Path, output: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A canary in gold stands in no request, and nothing but the check of contents fails."""
    inputs = Inputs(tmp_path, cases=1)
    corpus = json.loads(inputs.corpus.read_text(encoding="utf-8"))
    corpus["cases"][0]["gold"] = {"answer": "CANARY-7", "supporting_facts": [["CANARY page", 0]]}
    inputs.corpus.write_text(json.dumps(corpus), encoding="utf-8")
    assert look_ahead(inputs.corpus, inputs.tokenizer, settings())["altered"] == ["case-1"]
    assert typed(inputs, output) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["failed_checks"] == ["content"]
    assert [line for line in said.err.splitlines() if "warning: case case-1: its question, gold" in line]
    assert protocol_of(output)["altered"] == ["case-1"]
    report = (output / "REPORT.md").read_text(encoding="utf-8")
    assert "Checks that did not hold: content" in report and "- case case-1" in report
    assert not [request for request in requests_of(output) if "CANARY" in json.dumps(request)]
    assert compaction_reporting.rebuild_report(output).stands


def test_a_check_that_fails_is_told(
    inputs: Inputs, output: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ranked the wrong way round: the run is finished, and does not hold, which is exit 1."""
    ranked = contexts.ranked
    monkeypatch.setattr(contexts, "ranked", lambda groups, scores: ranked(groups, scores)[::-1])
    assert typed(inputs, output) == 1
    said = capsys.readouterr()
    assert "checks that did not hold: rankings; validation.json says where" in said.err
    assert json.loads(said.out)["failed_checks"] == ["rankings"]
    failed = (output / "REPORT.md").read_text(encoding="utf-8").partition("## What failed")[2]
    assert failed.lstrip().startswith("**Checks that did not hold: rankings.**")
    assert compaction_reporting.rebuild_report(output).stands


def test_stages_are_told_and_the_end_comes_last(inputs: Inputs, output: Path) -> None:
    events: list[Event] = []
    begin(inputs, output, report=events.append)
    assert isinstance(events[0], Planned) and events[0].stages == {
        "memories": 4,
        "answers": 4,
        "verdicts": 4,
    }
    last = {event.stage: event.done for event in events if isinstance(event, Progress)}
    assert last == {"memories": 4, "answers": 4, "verdicts": 4, "files": 1}
    assert isinstance(events[-1], Done) and (output / "validation.json").is_file()


def test_some_methods_only(inputs: Inputs, output: Path) -> None:
    begin(inputs, output, settings=settings(methods=("full", "summary")))
    results = json.loads((output / "results.json").read_text(encoding="utf-8"))
    assert [result["method"] for result in results] == ["full", "summary"]
    assert "decider" not in protocol_of(output)["parts"]


def test_what_it_would_do_is_what_it_does(inputs: Inputs, output: Path) -> None:
    planned = settings(decision_batch=7, generations=2, answers=2)
    document = look_ahead(inputs.corpus, inputs.tokenizer, planned)
    assert not output.exists() and document["missing"] == document["endpoints"] == []
    assert (document["cases"], document["contexts"], document["answers"]) == (1, 8, 16)
    begin(inputs, output, settings=planned)
    steps = [str(request.get("step", "answer")).split("-")[0] for request in requests_of(output)]
    calls = document["calls"]
    assert calls["decisions"] == [steps.count("decide")] * 2 and steps.count("decide") > 4
    assert calls["summaries"][0] <= steps.count("summary") <= calls["summaries"][1]
    assert calls["answers"] == [steps.count("answer")] * 2


# Going on.


def test_a_cap_stops_and_a_higher_one_goes_on(inputs: Inputs, output: Path, undisturbed: Path) -> None:
    outcome = stopped(inputs, output)
    assert outcome.session.state == "stopped" and "limit of 5 calls" in (outcome.session.reason or "")
    assert names(output) == INPUT_FILES | {"work.db", "work.json"}
    again = resume_compaction(output)
    assert "limit of 5 calls" in (again.session.reason or "") and sum(again.session.calls.values()) == 0
    steps = [resume_compaction(output, limits=LimitsConfig(calls=calls)) for calls in (6, 7, 1_000)]
    assert [sum(step.session.calls.values()) for step in steps] == [1, 1, 1]
    assert steps[-1].session.state == "finished" and names(output) == ALL_FILES
    assert facts(output) == facts(undisturbed)
    assert protocol_of(output)["settings"]["limits"] == {"calls": 5}


@pytest.mark.parametrize("failing", ["results.json", "validation.json"])
def test_a_disk_that_is_full_at_the_end_costs_no_call(
    inputs: Inputs, output: Path, undisturbed: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    write = compaction_reporting.write_new

    def full(target: Path, text: str) -> None:
        if target.name == failing:
            raise GaccError(f"{target} cannot be written: no space left on device")
        write(target, text)

    with monkeypatch.context() as patch:
        patch.setattr(compaction_reporting, "write_new", full)
        with pytest.raises(GaccError, match=rf"{failing} cannot be written: no space left .*--resume .*run"):
            begin(inputs, output)
    assert "validation.json" not in names(output) and "work.db" in names(output)
    outcome = resume_compaction(output)
    assert (outcome.session.state, sum(outcome.session.calls.values())) == ("finished", 0)
    assert names(output) == ALL_FILES and facts(output) == facts(undisturbed)


def test_a_disk_that_is_full_on_the_way_keeps_what_was_committed(
    inputs: Inputs, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, commits = RunAppender.append, 0

    def full(self: RunAppender, *given: Any) -> None:
        nonlocal commits
        commits += 1
        if commits > 8:
            raise StoreError("the disk is full")
        append(self, *given)

    with monkeypatch.context() as patch:
        patch.setattr(RunAppender, "append", full)
        with pytest.raises(StoreError, match=r"the disk is full; what was committed is kept, and .*--resume"):
            begin(inputs, output)
    made = resume_compaction(output)
    assert made.session.state == "finished"
    assert sum(made.session.calls.values()) < len(requests_of(output))


def test_a_killed_finish_leaves_a_finished_folder(inputs: Inputs, output: Path) -> None:
    """Killed after `validation.json` was written: what is left of the database is no part of the folder."""
    begin(inputs, output)
    for left in ("work.db", "work.db-wal", ".validation.json-abcdefgh.part"):
        (output / left).write_bytes(b"")
    with pytest.raises(BadUsage, match="finished"):
        resume_compaction(output)
    assert names(output) == ALL_FILES


def test_the_tokenizer_is_found_where_it_was_or_has_to_be_given(
    inputs: Inputs, output: Path, tmp_path: Path
) -> None:
    stopped(inputs, output)
    moved = tmp_path / "elsewhere.json"
    inputs.tokenizer.rename(moved)
    with pytest.raises(CodecUnavailable, match=r"tokenizer\.json cannot be read"):
        resume_compaction(output)
    other = tmp_path / "other.json"
    other.write_bytes(moved.read_bytes() + b"\n")
    with pytest.raises(BadInput, match=r"the tokenizer's SHA-256 was [0-9a-f]{64}, is [0-9a-f]{64}"):
        resume_compaction(output, tokenizer=other)
    assert resume_compaction(output, tokenizer=moved, limits=LimitsConfig()).session.state == "finished"


def test_a_folder_that_was_hardly_begun_needs_its_tokenizer(inputs: Inputs, output: Path) -> None:
    stopped(inputs, output)
    (output / "work.db").unlink()
    begun = (output / "work.json").read_bytes()
    for unsound in (b"", b"[]", b'{"tokenizer": 3}'):
        (output / "work.json").write_bytes(unsound)
        with pytest.raises(BadUsage, match="--tokenizer says where"):
            resume_compaction(output)
    (output / "work.json").write_bytes(begun)
    assert resume_compaction(output).session.state == "stopped"
    (output / "work.db").unlink()
    (output / "work.json").unlink()
    outcome = resume_compaction(output, tokenizer=inputs.tokenizer, limits=LimitsConfig())
    assert outcome.session.state == "finished"


@pytest.mark.parametrize("name", ["corpus.json", "collection.jsonl"])
def test_a_changed_input_is_refused(inputs: Inputs, output: Path, name: str) -> None:
    inputs.corpus.with_name("collection.jsonl").write_bytes(b"{}\n")
    stopped(inputs, output)
    with (output / name).open("ab") as file:
        file.write(b"\n")
    with pytest.raises(BadInput, match=rf"{name}: it is not the file that the run began with: its SHA-256"):
        resume_compaction(output)


def test_another_part_is_refused_by_name(
    inputs: Inputs, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped(inputs, output)
    monkeypatch.setattr(planning, "LexicalDecider", partial(planning.LexicalDecider, revision="2"))
    with pytest.raises(BadInput, match=r'parts\.decider\.revision was "1", is "2"'):
        resume_compaction(output)


@pytest.mark.parametrize("begun", [True, False])
def test_an_edited_protocol_is_refused_by_file_and_setting(inputs: Inputs, output: Path, begun: bool) -> None:
    stopped(inputs, output)
    if not begun:
        (output / "work.db").unlink()

    def change(protocol: dict[str, Any]) -> None:
        protocol["prompts"]["compaction-answer"]["sha256"] = "0" * 64
        protocol["settings"]["ceiling"] = CEILING + 1

    change_protocol(output, change)
    with pytest.raises(
        BadInput, match=r"protocol\.json: it is not the one that the run began with"
    ) as caught:
        resume_compaction(output)
    if begun:
        assert f"settings.ceiling was {CEILING}, is {CEILING + 1}" in str(caught.value)
        assert f'is "{"0" * 64}"' in str(caught.value)


@pytest.mark.parametrize("name", ["corpus.json", "collection.jsonl"])
def test_a_missing_input_is_told_in_words(inputs: Inputs, output: Path, name: str) -> None:
    inputs.corpus.with_name("collection.jsonl").write_bytes(b"{}\n")
    stopped(inputs, output)
    (output / name).unlink()
    with pytest.raises(BadInput, match=rf"{name}: it is missing; the run began with one whose SHA-256 was"):
        resume_compaction(output)


# What is refused.


def test_nothing_is_overwritten(inputs: Inputs, output: Path) -> None:
    output.mkdir()
    with pytest.raises(BadUsage, match="already there"):
        begin(inputs, output)
    assert names(output) == set()


def test_a_folder_that_cannot_be_made_is_told_before_any_call(inputs: Inputs, tmp_path: Path) -> None:
    with pytest.raises(GaccError, match="cannot be made: no such file or directory"):
        begin(inputs, tmp_path / "nowhere" / "run")
    with pytest.raises(GaccError, match="not a directory"):
        begin(inputs, inputs.corpus / "run")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(inputs: Inputs, output: Path) -> None:
    stopped(inputs, output)
    output.chmod(0o500)
    try:
        with pytest.raises(StoreError, match="permission denied"):
            resume_compaction(output)
    finally:
        output.chmod(0o755)


def test_only_an_unfinished_run_is_resumed(inputs: Inputs, output: Path, tmp_path: Path) -> None:
    begin(inputs, output)
    before = {path.name: path.read_bytes() for path in output.iterdir()}
    with pytest.raises(BadUsage, match="run is finished"):
        resume_compaction(output)
    assert {path.name: path.read_bytes() for path in output.iterdir()} == before
    for foreign in (tmp_path / "nowhere", inputs.corpus):
        with pytest.raises(BadUsage, match="no folder of a compaction run"):
            resume_compaction(foreign)
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "protocol.json").write_text('{"format": "something else"}')
    with pytest.raises(BadInput, match="gacc-compaction"):
        resume_compaction(tmp_path / "foreign")


@pytest.mark.parametrize("field", ["settings", "hashes", "parts", "id"])
def test_a_protocol_that_lacks_something_is_told(inputs: Inputs, output: Path, field: str) -> None:
    stopped(inputs, output)
    change_protocol(output, lambda protocol: protocol.pop(field))
    with pytest.raises(BadInput, match=f"there is no sound {field}"):
        resume_compaction(output)


def test_two_processes_cannot_run_one_folder(inputs: Inputs, output: Path) -> None:
    stopped(inputs, output)
    with (
        only_one(output / "work.db", protocol_of(output)["id"]),
        pytest.raises(BadUsage, match="by another process"),
    ):
        resume_compaction(output, limits=LimitsConfig())


def test_a_live_run_needs_its_keys_before_anything_is_made(
    inputs: Inputs, output: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("LLM_API_KEY", "LLM_BASE_URL", "DECISION_MODEL_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(BadUsage, match="LLM_API_KEY is not set"):
        begin(inputs, output, live=True)
    document = look_ahead(inputs.corpus, inputs.tokenizer, settings(), live=True)
    assert document["missing"] and "LLM_API_KEY" in document["missing"][0]
    assert not output.exists()


def test_live_and_fixture_are_not_mixed(inputs: Inputs, output: Path) -> None:
    stopped(inputs, output)
    with pytest.raises(BadUsage, match="leave --live out"):
        resume_compaction(output, live=True)
    change_protocol(output, lambda protocol: protocol.update(mode="live"))
    with pytest.raises(BadUsage, match="--live says that it may"):
        resume_compaction(output)
    with pytest.raises(BadUsage, match="none of the fixture"):
        resume_compaction(output, live=True, fixture=True)


# Live, against models on loopback.


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    models = Models(delay=0.0)
    with models.serving():
        monkeypatch.chdir(tmp_path)
        for name, value in models.environment.items():
            monkeypatch.setenv(name, value)
        yield models


def test_a_service_that_moved_is_named(
    inputs: Inputs, output: Path, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(inputs, output, live=True, settings=settings(limits=LimitsConfig(calls=3)))
    monkeypatch.setenv("LLM_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(BadInput, match=r"parts\.answerer\.endpoint was .*127\.0\.0\.1"):
        resume_compaction(output, live=True, limits=LimitsConfig())
    assert models.asked.total() == 3


def test_every_failed_condition_stays_in_the_denominator(
    inputs: Inputs, output: Path, models: Models
) -> None:
    from tests.servers.odd_server import Answer, Received, completion

    turn = 0

    def answer(received: Received) -> Answer:
        nonlocal turn
        turn += 1
        match turn % 4:
            case 0:
                return completion("no JSON at all")
            case 1:
                return completion("", finish_reason="stop")
            case 2:
                usage = {"prompt_tokens": CEILING + 1, "completion_tokens": 1, "total_tokens": CEILING + 2}
                return completion('{"answer": "yes", "supporting_facts": []}', usage=usage)
        return completion('{"answer": "yes", "supporting_facts": []}')

    models.answer = answer
    outcome = begin(inputs, output, live=True, settings=settings(answers=4, concurrency=1))
    assert outcome.session.state == "finished" and outcome.session.failed > 0
    assert outcome.failed_checks == ()
    results = json.loads((output / "results.json").read_text(encoding="utf-8"))
    assert len(results) == 16
    assert {result["status"] for result in results} == {"ok", "unparsed", "no_answer", "invalid"}
    aggregate = json.loads((output / "aggregate.json").read_text(encoding="utf-8"))
    counts = {name: (one["planned"], one["valid"]) for name, one in aggregate["methods"].items()}
    assert counts == {"full": (4, 2), "jev": (4, 1), "summary": (4, 1), "jev+summary": (4, 1)}
