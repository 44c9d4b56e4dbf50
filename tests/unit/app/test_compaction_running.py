"""A compaction run's folder: what it begins with, how it ends, what a new run is refused for."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from gacc_gui.app import compaction_reporting
from gacc_gui.app.compaction_running import look_ahead
from gacc_gui.commands import compacting_run
from gacc_gui.core.compaction import CollectionCheck
from gacc_gui.core.errors import BadInput, BadUsage, GaccError
from gacc_gui.runner.compaction import contexts
from gacc_gui.runner.events import Done, Event, Planned, Progress
from tests.compaction_cases import small_corpus, write_corpus
from tests.compaction_service import CEILING, Inputs, Models, requests_of
from tests.unit.app.small_compaction import ALL_FILES, begin, names, protocol_of, settings


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
