"""A run's requests against its contexts and answers: what was taken away, cut or changed is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gacc_gui.app.check_results import Check
from gacc_gui.app.compaction_checks import CompactionAudit
from gacc_gui.core.records import Answer, Memory, Record, Request, Run, Verdict
from gacc_gui.formats.compaction_folder import gathered
from tests.compaction_cases import small_corpus
from tests.compaction_run import small_run_records

WHOLE = small_run_records(corpus=small_corpus(2))
Change = Callable[[Any], Any]
JEV, SUMMARY = "case-1/jev/1/compressor/decide-1", "case-1/summary/1/compressor/summary-2"
READER = "case-2/jev+summary/1/case-2/0/reader"


def failed(records: list[Record]) -> dict[str, Check]:
    return {check.name: check for check in CompactionAudit(records).checks() if check.ok is False}


def without(id: str) -> list[Record]:
    records = [one for one in WHOLE if getattr(one, "id", None) != id]
    assert len(records) == len(WHOLE) - 1
    return records


def changed(kind: type, id: str | tuple[str, int], change: Change) -> list[Record]:
    """Return the run with one record changed: a request or context by its id, a row by memory and repeat."""
    found = 0
    records: list[Record] = []
    for one in WHOLE:
        key = (one.memory_id, one.repeat) if isinstance(one, Answer | Verdict) else getattr(one, "id", None)
        if isinstance(one, kind) and key == id:
            found += 1
            records.append(change(one))
        else:
            records.append(one)
    assert found == 1
    return records


def extra(**fields: Any) -> Change:
    return lambda one: replace(one, extra={**one.extra, **fields})


def output(text: str | None) -> Change:
    return extra(output={"text": text, "status": "ok"})


def sent(**fields: Any) -> Change:
    return lambda one: replace(one, extra={"compaction": {**one.extra["compaction"], **fields}})


def protocol(**fields: Any) -> list[Record]:
    def change(run: Run) -> Run:
        diagnostic = fields.get("diagnostic_only", run.diagnostic_only)
        kept = {name: value for name, value in fields.items() if name != "diagnostic_only"}
        return replace(
            run,
            diagnostic_only=diagnostic,
            extra={"configuration": {**run.extra["configuration"], **kept}},
        )

    return [change(one) if isinstance(one, Run) else one for one in WHOLE]


def test_a_sound_run_has_all_its_requests() -> None:
    assert failed(WHOLE) == {}


@pytest.mark.parametrize(
    ("check", "records"),
    [
        ("steps", without(JEV)),
        ("steps", without(SUMMARY)),
        ("steps", without("case-1/summary/1/compressor/summary-1")),
        ("steps", without("case-2/jev+summary/1/compressor/summary-1")),
        ("steps", changed(Request, JEV, output(json.dumps({"0:0-2": 0.5})))),
        ("steps", changed(Request, JEV, output("[1]"))),
        ("steps", changed(Request, JEV, output("{"))),
        ("steps", changed(Request, JEV, extra(output=3))),
        ("steps", changed(Request, SUMMARY, output("another summary"))),
        ("steps", changed(Request, SUMMARY, lambda one: replace(one, content=one.content[:100]))),
        ("steps", changed(Request, JEV, lambda one: replace(one, content=one.content[-100:]))),
        ("steps", changed(Request, SUMMARY, extra(step="decide-1"))),
        ("steps", changed(Request, SUMMARY, extra(step=7))),
        ("steps", changed(Memory, "case-1/summary/1", sent(retries=0))),
        ("replies", without(READER)),
        ("replies", changed(Request, READER, lambda one: replace(one, content=one.content[:-30]))),
        ("replies", changed(Request, READER, output("other"))),
        ("replies", changed(Request, READER, extra(usage={"input_tokens": 3}))),
        ("replies", changed(Answer, ("case-2/jev+summary/1", 0), lambda one: replace(one, text="{}"))),
        ("replies", changed(Verdict, ("case-2/jev+summary/1", 0), extra(provider_input_tokens=7))),
        (
            "statuses",
            changed(
                Memory, "case-1/jev/1", lambda one: replace(one, status="error", error="planted", ledger=None)
            ),
        ),
        ("statuses", changed(Memory, "case-1/jev/1", lambda one: replace(one, error="planted"))),
        ("statuses", changed(Verdict, ("case-2/full/1/full-context", 0), extra(result="error"))),
        ("statuses", changed(Verdict, ("case-1/summary/1/generation-1", 0), extra(result="error"))),
        ("mode", protocol(diagnostic_only=False)),
        ("mode", protocol(mode="live")),
        ("mode", protocol(mode="live", diagnostic_only=False)),
    ],
)
def test_what_was_tampered_with_is_told(check: str, records: list[Record]) -> None:
    assert check in failed(records)


def test_altered_gold_fails_the_check_of_contents_alone() -> None:
    corpus = small_corpus(2)
    gold = replace(corpus.cases[0].gold, answers=("CANARY",))
    hashes = {case.id: WHOLE_HASHES[case.id] for case in corpus.cases}
    altered = replace(
        corpus, cases=(replace(corpus.cases[0], gold=gold), corpus.cases[1]), content_sha256=hashes
    )
    found = failed(small_run_records(corpus=altered))
    assert list(found) == ["content"]
    assert [one.question_id for one in found["content"].examples] == ["case-1"]


WHOLE_HASHES = {
    one.id: one.extra["content_sha256"] for one in WHOLE if hasattr(one, "license") and "files" in one.extra
}


def test_tries_that_failed_or_were_interrupted_are_no_fault() -> None:
    jev = next(one for one in WHOLE if isinstance(one, Request) and one.id == JEV)
    tries = [
        replace(jev, id=f"{JEV}/2", content="", extra={"started_at": "x", "error": "interrupted"}),
        replace(jev, id=f"{JEV}/0", extra={**jev.extra, "output": {"text": None, "status": "error"}}),
    ]
    assert failed([*WHOLE, *tries]) == {}


def test_requests_of_probes_are_none_of_the_benchmarks() -> None:
    probes = [
        replace(one, id=f"{one.id}/probe", content="", extra={**one.extra, "probe": "p1"})
        for one in WHOLE
        if isinstance(one, Request)
    ]
    assert gathered([*WHOLE, *probes]).requests == gathered(WHOLE).requests
    assert failed([*WHOLE, *probes]) == {}
