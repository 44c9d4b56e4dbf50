"""A compaction run's folder: its records as `contexts.jsonl`, `requests.jsonl`, `results.json`, and back.

Owns the three files' shapes; reading what was written gives the same records. In them:

    contexts.jsonl   a memory a line: {"memory", "case", "method", "generation", "status", "error",
                     "messages", "retained_groups", "dropped_groups", "summary", "ranking", "tokens",
                     "retries", "evidence", "ledger"}; what is made of a context is null where it failed
    requests.jsonl   a call a line, as FORMATS.md writes a request, and "of": {"case", "method", "generation"}
    results.json     a list, an object for each planned answer: {"memory", "case", "type", "method",
                     "generation", "repeat", "status", "answer", "supporting_facts", "em", "f1", "sp_em",
                     "sp_f1", "joint_em", "joint_f1", "reply", "error", "provider_input_tokens",
                     "local_input_tokens"}

and beside them, as `record`, `answer_record` (null: nothing was asked) and `verdict_record`, the fields of
the records that stand nowhere else. Not here: files as they are read (`formats.compaction_reading`), the
inputs (`formats.compaction_records`, `formats.corpus`), the report (`formats.compaction_report`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gacc_gui.core.compaction import FULL, SCORES, AnswerResult
from gacc_gui.core.compaction_aggregate import Aggregate, PlannedRun, ScoredAnswer, aggregate
from gacc_gui.core.compaction_values import result_from
from gacc_gui.core.records import (
    Answer,
    Context,
    Goal,
    Json,
    Memory,
    Question,
    Record,
    Request,
    Run,
    Verdict,
)
from gacc_gui.formats.compaction_records import check_protocol, compaction_of, planned_of, protocol_of
from gacc_gui.formats.json_values import dumps
from gacc_gui.formats.record_writing import json_object

PROTOCOL_FILE: Final = "protocol.json"
CORPUS_FILE: Final = "corpus.json"
COLLECTION_FILE: Final = "collection.jsonl"
CASES_FILE: Final = "cases.jsonl"
CONTEXTS_FILE: Final = "contexts.jsonl"
REQUESTS_FILE: Final = "requests.jsonl"
RESULTS_FILE: Final = "results.json"
AGGREGATE_FILE: Final = "aggregate.json"
REPORT_FILE: Final = "REPORT.md"
VALIDATION_FILE: Final = "validation.json"
WORK_FILE: Final = "work.db"
INPUT_FILES: Final = (PROTOCOL_FILE, CORPUS_FILE, COLLECTION_FILE, CASES_FILE)
RESULT_FILES: Final = (CONTEXTS_FILE, REQUESTS_FILE, RESULTS_FILE)
"""Written when everything was tried, in this order; then AGGREGATE_FILE, REPORT_FILE, VALIDATION_FILE."""
_SENT: Final = {
    "messages": "messages",
    "kept": "retained_groups",
    "dropped": "dropped_groups",
    "summary": "summary",
    "ranking": "ranking",
    "tokens": "tokens",
    "retries": "retries",
}
"""What a memory keeps of its context as sent, and what it is called in contexts.jsonl."""
PROBE: Final = "probe"
"""In the `extra` of a request that a probe made: the probe's id."""
_UNJUDGED: Final = {"refused": "refused", "invalid": "error"}
"""The statuses of a verdict that nobody had to give."""


@dataclass(frozen=True, slots=True)
class CompactionRun:
    """A compaction run's records by kind; every planned answer has a verdict (see `completed`)."""

    run: Run
    contexts: tuple[Context, ...]
    goals: tuple[Goal, ...]
    questions: tuple[Question, ...]
    memories: tuple[Memory, ...]
    answers: tuple[Answer, ...]
    verdicts: tuple[Verdict, ...]
    requests: tuple[Request, ...]

    @property
    def protocol(self) -> dict[str, Json]:
        """The run's `protocol.json`."""
        return protocol_of(self.run)

    @property
    def planned(self) -> PlannedRun:
        """What was to be done."""
        return planned_of(self.protocol)

    def records(self) -> Iterator[Record]:
        """Yield all records, kinds in the order of FORMATS.md."""
        yield self.run
        for kind in _KINDS.values():
            yield from getattr(self, kind)


_KINDS: Final[Mapping[type, str]] = {
    Context: "contexts",
    Goal: "goals",
    Question: "questions",
    Memory: "memories",
    Answer: "answers",
    Verdict: "verdicts",
    Request: "requests",
}


def gathered(records: Iterable[Record]) -> CompactionRun:
    """Return a run's records by kind, in the planned order, and completed.

    By case, method, generation and repeat; requests keep their order within a context. What people add to a
    run (reviews, probes and the requests that probes made) is no part of the benchmark. Raises ValueError
    where the run's own record is not the first, or keeps no sound protocol (KeyError: none).
    """
    kinds: dict[str, list[Any]] = {name: [] for name in _KINDS.values()}
    rest = iter(records)
    run = next(rest, None)
    if not isinstance(run, Run):
        raise ValueError("the run's own record comes first")
    for record in rest:
        if isinstance(record, Request) and PROBE in record.extra:
            continue
        if (kind := _KINDS.get(type(record))) is not None:
            kinds[kind].append(record)
    protocol = protocol_of(run)
    check_protocol(protocol)
    planned = planned_of(protocol)
    cases = {case: place for place, case in enumerate(planned.cases)}
    methods = {method: place for place, method in enumerate(planned.methods)}
    last = len(cases) + len(methods)
    order = {
        memory.id: (
            cases.get(memory.goal_id, last),
            methods.get(memory.cell.compressor, last),
            memory.generation,
            memory.id,
        )
        for memory in kinds["memories"]
    }
    beyond = (last, last, 0, "")
    kinds["memories"].sort(key=lambda memory: order[memory.id])
    kinds["requests"].sort(key=lambda request: order.get(request.memory_id or "", beyond))
    kinds["verdicts"] = list(completed(protocol, kinds["memories"], kinds["answers"], kinds["verdicts"]))
    for name in ("answers", "verdicts"):
        kinds[name].sort(key=lambda row: (order[row.memory_id], row.question_id, row.repeat))
    return CompactionRun(run, **{name: tuple(some) for name, some in kinds.items()})


def completed(
    protocol: Mapping[str, Any],
    memories: Iterable[Memory],
    answers: Iterable[Answer],
    verdicts: Iterable[Verdict],
) -> Iterator[Verdict]:
    """Yield the verdicts, and one that scores nothing for each planned answer that has none.

    The engine asks nothing of a failed context and judges no failed answer; in the benchmark both stay in the
    denominator, answer by answer.
    """
    repeats, ceiling = planned_of(protocol).repeats, protocol["settings"]["ceiling"]
    given = {(answer.memory_id, answer.question_id, answer.repeat): answer for answer in answers}
    judged = set()
    for verdict in verdicts:
        judged.add((verdict.memory_id, verdict.question_id, verdict.repeat))
        yield verdict
    for memory in memories:
        for repeat in range(repeats):
            place = (memory.id, memory.goal_id, repeat)
            if place not in judged:
                most = None if memory.cell.compressor == FULL else ceiling
                result = _unjudged(memory, given.get(place), most)
                yield Verdict(
                    *place, None, _UNJUDGED.get(result.status, "not_judged"), extra=result.as_json()
                )


def _unjudged(memory: Memory, answer: Answer | None, ceiling: int | None) -> AnswerResult:
    """Return what an answer that nobody judged comes to."""
    if memory.status not in ("ok", "truncated"):
        return AnswerResult("no_context")
    if answer is None:
        return AnswerResult("error")
    told = answer.extra.get("provider_input_tokens")
    counted = told if type(told) is int else None
    if counted is not None and ceiling is not None and counted > ceiling:
        return AnswerResult("invalid", provider_input_tokens=counted)
    status = "error" if answer.status == "ok" else answer.status
    if answer.extra.get("refused") is True:
        status = "refused"
    return AnswerResult(status, provider_input_tokens=counted)


def result_texts(run: CompactionRun) -> dict[str, str]:
    """Return the text of each of RESULT_FILES, in their order."""
    memories = {memory.id: memory for memory in run.memories}
    answers = {(answer.memory_id, answer.question_id, answer.repeat): answer for answer in run.answers}
    kinds = question_types(run)
    entries = (
        result_entry(
            memories[verdict.memory_id],
            kinds.get(verdict.question_id),
            answers.get((verdict.memory_id, verdict.question_id, verdict.repeat)),
            verdict,
        )
        for verdict in run.verdicts
    )
    return {
        CONTEXTS_FILE: "".join(f"{dumps(context_line(memory))}\n" for memory in run.memories),
        REQUESTS_FILE: "".join(f"{dumps(request_line(one, memories))}\n" for one in run.requests),
        RESULTS_FILE: "[\n" + ",\n".join(map(dumps, entries)) + "\n]\n",
    }


# Contexts.


def context_line(memory: Memory) -> dict[str, Json]:
    """Return a memory as a line of contexts.jsonl."""
    value = json_object(memory)
    method = value["compressor"].pop("name")
    line: dict[str, Json] = {
        "memory": value.pop("id"),
        "case": value.pop("goal_id"),
        "method": method,
        "generation": value.pop("generation", 0),
        "status": value.pop("status"),
        "error": value.pop("error", None),
    }
    sent = value.get("compaction")
    if isinstance(sent, dict) and sent.keys() == {"method", *_SENT} and sent["method"] == method:
        line |= {called: sent[name] for name, called in _SENT.items()}
        del value["compaction"]
    else:
        line |= dict.fromkeys(_SENT.values())
    line["evidence"] = value.pop("proposed_text", None)
    if value.get("retained_text") == line["evidence"]:
        value.pop("retained_text", None)
    line["ledger"] = value.pop("ledger", None)
    return {**line, "record": value}


def memory_object(line: Mapping[str, Any]) -> dict[str, Json]:
    """Return the object of FORMATS.md's memory that a line of contexts.jsonl stands for.

    Raises KeyError, TypeError or AttributeError where it is no such line.
    """
    value = dict(line["record"])
    value["compressor"] = {**value["compressor"], "name": line["method"]}
    value |= {"id": line["memory"], "goal_id": line["case"]}
    value |= {name: line[name] for name in ("generation", "status", "error")}
    if line["messages"] is not None:
        value["compaction"] = {
            "method": line["method"],
            **{name: line[called] for name, called in _SENT.items()},
        }
    if (evidence := line["evidence"]) is not None:
        value |= {"proposed_text": evidence, "retained_text": value.get("retained_text", evidence)}
    if line["ledger"] is not None:
        value["ledger"] = line["ledger"]
    return value


# Requests.


def request_line(request: Request, memories: Mapping[str, Memory]) -> dict[str, Json]:
    """Return a request as a line of requests.jsonl; `memories` by id."""
    memory = memories.get(request.memory_id or "")
    of = None
    if memory is not None:
        cell = memory.cell
        of = {"case": memory.goal_id, "method": cell.compressor, "generation": memory.generation}
    return {**json_object(request), "of": of}


def request_object(line: Mapping[str, Any]) -> dict[str, Json]:
    """Return the object of FORMATS.md's request that a line of requests.jsonl stands for."""
    return {name: value for name, value in line.items() if name != "of"}


# Results.


def result_entry(memory: Memory, kind: Json, answer: Answer | None, verdict: Verdict) -> dict[str, Json]:
    """Return an answer with its scores as an object of results.json; `kind` is the question's type."""
    result = result_from(verdict.extra)
    predicted = result.predicted or {}
    judged = json_object(verdict)
    answered = None if answer is None else json_object(answer)
    entry: dict[str, Json] = {
        "memory": judged.pop("memory_id"),
        "case": judged.pop("question_id"),
        "type": kind,
        "method": memory.cell.compressor,
        "generation": memory.generation,
        "repeat": judged.pop("repeat", 0),
        "status": result.status,
        "answer": predicted.get("answer"),
        "supporting_facts": predicted.get("supporting_facts"),
        **result.scores,
        "reply": None if answered is None else answered.pop("text", None),
        "error": None if answered is None else answered.pop("error", None),
        "provider_input_tokens": result.provider_input_tokens,
        "local_input_tokens": local_tokens(memory),
    }
    for name in result.as_json():
        del judged[name]
    if answered is not None:
        for name in ("memory_id", "question_id", "repeat"):
            answered.pop(name, None)
    return {**entry, "answer_record": answered, "verdict_record": judged}


def answer_object(entry: Mapping[str, Any]) -> dict[str, Json] | None:
    """Return the object of FORMATS.md's answer in an object of results.json; None if nothing was asked."""
    if entry["answer_record"] is None:
        return None
    return {**entry["answer_record"], **_place(entry), "text": entry["reply"], "error": entry["error"]}


def verdict_object(entry: Mapping[str, Any]) -> dict[str, Json]:
    """Return the object of FORMATS.md's verdict in an object of results.json."""
    predicted = {name: entry[name] for name in ("answer", "supporting_facts")}
    result = AnswerResult(
        entry["status"],
        {name: entry[name] for name in SCORES},
        predicted if entry["answer"] is not None else None,
        entry["provider_input_tokens"],
    )
    return {**entry["verdict_record"], **_place(entry), **result.as_json()}


def _place(entry: Mapping[str, Any]) -> dict[str, Json]:
    return {"memory_id": entry["memory"], "question_id": entry["case"], "repeat": entry["repeat"]}


def local_tokens(memory: Memory) -> int | None:
    """Return the local count of the complete input that answers were asked with; None where there is none."""
    tokens = compaction_of(memory.extra).get("tokens")
    count = tokens.get("local") if isinstance(tokens, Mapping) else None
    return count if type(count) is int else None


def scored_answers(run: CompactionRun) -> Iterator[ScoredAnswer]:
    """Yield every answer of a run as it is aggregated."""
    memories = {memory.id: memory for memory in run.memories}
    kinds = question_types(run)
    for verdict in run.verdicts:
        memory, result = memories[verdict.memory_id], result_from(verdict.extra)
        yield ScoredAnswer(
            verdict.question_id,
            kinds.get(verdict.question_id, ""),
            memory.cell.compressor,
            memory.generation,
            verdict.repeat,
            result.status,
            result.scores,
            result.provider_input_tokens,
            None if result.status == "no_context" else local_tokens(memory),
        )


def question_types(run: CompactionRun) -> dict[str, str]:
    """Return each question's type, bridge or comparison, by case id."""
    return {question.id: str(question.extra.get("type")) for question in run.questions}


def aggregate_of(run: CompactionRun) -> Aggregate:
    """Return what a run comes to."""
    return aggregate(scored_answers(run), run.planned, question_types(run))
