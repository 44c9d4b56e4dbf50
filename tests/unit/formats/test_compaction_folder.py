"""A run's folder: what is written is what is read, whatever happened to contexts and answers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gacc_gui.core.compaction import SCORES, AnswerResult
from gacc_gui.core.errors import BadUsage
from gacc_gui.core.records import Answer, Memory, Record, Request, Verdict
from gacc_gui.formats.compaction_folder import (
    answer_object,
    context_line,
    gathered,
    memory_object,
    request_line,
    request_object,
    result_entry,
    result_texts,
    verdict_object,
)
from gacc_gui.formats.compaction_reading import records_of_folder
from gacc_gui.formats.json_values import dumps
from gacc_gui.formats.new_file import write_new
from gacc_gui.formats.record_reading import record_from
from tests.compaction_cases import small_corpus
from tests.compaction_run import small_folder, small_run_records

CORPUS = small_corpus(2)
RECORDS = small_run_records(corpus=CORPUS, as_engine=True)
WHOLE = small_run_records(corpus=CORPUS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return small_folder(tmp_path / "run", RECORDS, CORPUS)


def finished(folder: Path) -> Path:
    (folder / "validation.json").write_text("{}", encoding="utf-8")
    return folder


def write_results(folder: Path, records: list[Record]) -> None:
    for name, text in result_texts(gathered(records)).items():
        write_new(folder / name, text)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_reading_gives_what_was_written(folder: Path) -> None:
    write_results(folder, RECORDS)
    assert list(records_of_folder(finished(folder))) == WHOLE


def test_the_order_of_records_is_free(folder: Path, tmp_path: Path) -> None:
    write_results(folder, RECORDS)
    other = small_folder(tmp_path / "other", RECORDS, CORPUS)
    # Requests keep their order within a context, everything else finds its place.
    rest = [record for record in RECORDS[1:] if not isinstance(record, Request)]
    requests = [record for record in RECORDS if isinstance(record, Request)]
    write_results(other, [RECORDS[0], *reversed(rest), *requests])
    for name in ("contexts.jsonl", "requests.jsonl", "results.json"):
        assert (other / name).read_bytes() == (folder / name).read_bytes()


def test_nothing_is_overwritten(folder: Path) -> None:
    write_results(folder, RECORDS)
    with pytest.raises(BadUsage, match=r"contexts\.jsonl is already there"):
        write_results(folder, RECORDS)


def test_contexts_say_what_was_sent_kept_and_dropped(folder: Path) -> None:
    write_results(folder, RECORDS)
    contexts = lines(folder / "contexts.jsonl")
    assert len(contexts) == 4 * 2 * 2
    assert [(one["case"], one["method"], one["generation"]) for one in contexts[:5]] == [
        ("case-1", "full", 0),
        ("case-1", "full", 1),
        ("case-1", "jev", 0),
        ("case-1", "jev", 1),
        ("case-1", "summary", 0),
    ]
    for one in contexts:
        assert len(one["retained_groups"]) + len(one["dropped_groups"]) == 30
        if one["status"] == "ok":
            assert [message["role"] for message in one["messages"]] == ["system", "user"]
        else:
            assert (one["messages"], one["evidence"], one["summary"]) == ([], None, None)
            assert "too long" in one["error"]


def test_every_planned_answer_has_a_result(folder: Path) -> None:
    write_results(folder, RECORDS)
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert len(results) == 4 * 2 * 2 * 2
    by_status = {one["status"]: one for one in results}
    assert by_status.keys() == {
        *("ok", "unparsed", "refused", "truncated", "no_answer", "error", "invalid", "no_context")
    }
    for one in results:
        assert one["status"] == "ok" or all(one[name] == 0 for name in SCORES)
    assert by_status["no_context"]["answer_record"] is None
    assert by_status["unparsed"]["answer"] is None
    assert by_status["unparsed"]["reply"].startswith("I believe")
    assert by_status["invalid"]["provider_input_tokens"] == 901
    partial = next(one for one in results if 0 < one["f1"] < 1)
    assert (partial["em"], partial["joint_em"], partial["sp_em"]) == (0, 0, 1)


def test_requests_say_what_they_are_of(folder: Path) -> None:
    write_results(folder, RECORDS)
    request = lines(folder / "requests.jsonl")[0]
    assert request["of"] == {"case": "case-1", "method": "full", "generation": 0}
    assert request["role"] == "reader"


def test_a_finished_run_has_no_gaps_to_fill() -> None:
    assert list(gathered(WHOLE).records()) == WHOLE


def test_an_answer_that_nobody_judged_keeps_what_is_known() -> None:
    answer = next(record for record in RECORDS if isinstance(record, Answer) and "jev/1" in record.memory_id)
    place = (answer.memory_id, answer.question_id, answer.repeat)

    def judged(**changes: Any) -> AnswerResult:
        changed = replace(answer, **changes)
        others = [
            record
            for record in RECORDS
            if not isinstance(record, Answer | Verdict)
            or (record.memory_id, record.question_id, record.repeat) != place
        ]
        verdicts = gathered([*others, changed]).verdicts
        (verdict,) = (v for v in verdicts if (v.memory_id, v.question_id, v.repeat) == place)
        assert verdict.label is None and verdict.status != "judged"
        return AnswerResult(
            verdict.extra["result"], provider_input_tokens=verdict.extra["provider_input_tokens"]
        )

    told = {"provider_input_tokens": 850}
    assert judged(status="no_answer", text=None, extra=told) == AnswerResult(
        "no_answer", provider_input_tokens=850
    )
    refused = {**told, "refused": True}
    assert judged(status="no_answer", text=None, extra=refused).status == "refused"
    over = {"provider_input_tokens": 901}
    assert judged(status="error", text=None, extra=over).status == "invalid"


# Any record.

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
unknown = st.dictionaries(st.sampled_from(["cost", "x", "of it", "record2"]), values, max_size=2)
ids = st.integers(-9, 9) | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | texts
facts = st.lists(st.tuples(texts, ids).map(list), max_size=2)
scores = st.fixed_dictionaries({name: st.floats(0, 1) for name in SCORES})
MEMORIES = [record for record in WHOLE if isinstance(record, Memory)]


def same_again(kind: str, value: dict[str, Any]) -> Record:
    return record_from(kind, json.loads(dumps(value)))[0]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(MEMORIES), st.none() | texts, st.none() | texts, unknown, st.booleans())
def test_any_context_comes_back(
    memory: Memory, evidence: str | None, error: str | None, more: dict[str, Any], is_sent: bool
) -> None:
    extra = {**(memory.extra if is_sent else {}), **more}
    status = "ok" if evidence is not None else "error"
    memory = replace(
        memory, proposed_text=evidence, retained_text=evidence, error=error, status=status, extra=extra
    )
    again = same_again("memory", memory_object(json.loads(dumps(context_line(memory)))))
    assert replace(again, extra=dict(again.extra)) == memory


@settings(max_examples=60, deadline=None)
@given(
    st.none() | texts,
    st.none() | texts,
    unknown,
    unknown,
    scores,
    st.none() | st.tuples(texts, facts),
    st.none() | st.integers(0, 9999),
)
def test_any_answer_and_verdict_come_back(
    reply: str | None,
    rationale: str | None,
    more: dict[str, Any],
    others: dict[str, Any],
    given_scores: dict[str, float],
    predicted: tuple[str, list[Any]] | None,
    told: int | None,
) -> None:
    memory = MEMORIES[0]
    place = (memory.id, "case-1", 1)
    answer = Answer(*place, reply, "ok" if reply is not None else "no_answer", extra=more)
    said = None if predicted is None else {"answer": predicted[0], "supporting_facts": predicted[1]}
    result = AnswerResult("unparsed" if said is None else "ok", given_scores, said, told)
    verdict = Verdict(*place, "correct", "judged", rationale, extra={**result.as_json(), **others})
    entry = json.loads(dumps(result_entry(memory, "bridge", answer, verdict)))
    answered = answer_object(entry)
    assert answered is not None
    again = same_again("answer", answered)
    assert replace(again, extra=dict(again.extra)) == answer
    again = same_again("verdict", verdict_object(entry))
    assert replace(again, extra=dict(again.extra)) == verdict


@settings(max_examples=30, deadline=None)
@given(texts, unknown)
def test_any_request_comes_back(content: str, more: dict[str, Any]) -> None:
    request = Request("x/1", "compressor", content, MEMORIES[0].id, extra=more)
    line = json.loads(dumps(request_line(request, {MEMORIES[0].id: MEMORIES[0]})))
    again = same_again("request", request_object(line))
    assert replace(again, extra=dict(again.extra)) == request
