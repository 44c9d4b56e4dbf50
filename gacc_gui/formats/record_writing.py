"""Records as the JSON objects of FORMATS.md, so that reading them again gives equal records.

The inverse of `formats.record_reading`: owns the order of fields and what `unusual` and `extra` bring back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from gacc_gui.core.records import (
    NULLABLE,
    SELDOM,
    Answer,
    Context,
    Goal,
    Json,
    Ledger,
    Memory,
    Probe,
    ProbeAnswer,
    ProbeVerdict,
    Question,
    Record,
    Request,
    Review,
    Run,
    Verdict,
)

KIND_OF: Final[Mapping[type, str]] = {
    Run: "run",
    Context: "context",
    Goal: "goal",
    Question: "question",
    Memory: "memory",
    Answer: "answer",
    Verdict: "verdict",
    Request: "request",
    Review: "review",
    Probe: "probe",
}
LISTS: Final[Mapping[str, str]] = {
    "contexts": "context",
    "goals": "goal",
    "questions": "question",
    "memories": "memory",
    "answers": "answer",
    "verdicts": "verdict",
    "requests": "request",
    "reviews": "review",
    "probes": "probe",
}
"""The lists of a document, in order, with the kind of their records."""

_RUN_LINE: Final = ("record", "format", "format_version", "run_fields", "document_fields", "document_lists")
_RECORD_LINE: Final = ("record", "record_fields")


def json_object(record: Record) -> dict[str, Json]:
    """Return the record as FORMATS.md writes it, without `record`, and of a run without the document's."""
    return _WRITERS[type(record)](record)


def json_line(record: Record) -> dict[str, Json]:
    """Return the record as a line of JSON Lines.

    `record_fields` holds unknown fields that are named like one that the line itself needs.
    """
    if isinstance(record, Run):
        return run_line(record)
    value = json_object(record)
    aside = {name: value.pop(name) for name in _RECORD_LINE if name in value}
    line = {"record": KIND_OF[type(record)], **value}
    return {**line, "record_fields": aside} if aside else line


def run_line(run: Run, format: str = "gacc-run", version: int = 1) -> dict[str, Json]:
    """Return the first line of JSON Lines: the run's fields and the document's unknown ones side by side.

    Only where needed, `run_fields` names unknown fields that are the run's own, `document_fields` holds those
    of the document that are named like one of the run or the line, and `document_lists` names the lists that
    the document has even without records. A run with a field named like one of the line is an object of its
    own, `run`, as in a document.
    """
    own = json_object(run)
    line: dict[str, Json] = {"record": "run", "format": format, "format_version": version}
    taken = {"run", "id", *_RUN_LINE}
    if any(name in own for name in _RUN_LINE):
        line["run"] = own
    else:
        line |= own
        taken |= own.keys() | Run.__dataclass_fields__.keys()
        if run.extra:
            line["run_fields"] = list(run.extra)
    top_level = plain_mapping(run.top_level)
    line |= {name: value for name, value in top_level.items() if name not in taken}
    aside = {name: value for name, value in top_level.items() if name in taken}
    if aside:
        line["document_fields"] = aside
    if any(name in run.unusual for name in LISTS):
        line["document_lists"] = [name for name in LISTS if has_list(run, name)]
    return line


def has_list(run: Run, name: str) -> bool:
    """Whether the run's document has a list even if it has no records."""
    return (LISTS[name] in SELDOM) == (name in run.unusual)


def unusual_lists(there: Collection[str], filled: Collection[str] = ()) -> tuple[str, ...]:
    """Return what a run's `unusual` notes of a document that has these lists, `filled` with records."""
    return tuple(
        name for name, kind in LISTS.items() if name not in filled and (name in there) == (kind in SELDOM)
    )


class _Object:
    """Puts fields into an object, each in its ordinary or its noted form."""

    def __init__(self, record: Any, kind: str, unusual: Collection[str] | None = None) -> None:
        self._record = record
        self._nullable = NULLABLE[kind]
        self._unusual = frozenset(record.unusual if unusual is None else unusual)
        self.value: dict[str, Json] = {}

    def put(self, *names: str) -> None:
        """Put fields as they are; None becomes null or nothing."""
        for name in names:
            self._put(self.value, name, name, getattr(self._record, name))

    def words(self, *names: str) -> None:
        """Put texts; one that was no string becomes the value it was."""
        for name in names:
            value = getattr(self._record, name)
            if value is not None and name in self._unusual:
                self.value[name] = json.loads(value)
            else:
                self._put(self.value, name, name, value)

    def defaulted(self, name: str, default: Json) -> None:
        """Put a number unless it stands at its default because it was absent."""
        value = getattr(self._record, name)
        if not (value == default and name in self._unusual):
            self.value[name] = value

    def optional_list(self, name: str) -> None:
        """Put a tuple as a list."""
        value = getattr(self._record, name)
        self._put(self.value, name, name, None if value is None else _plain(list(value)))

    def listed(self, name: str) -> None:
        """Put a tuple as a list that is ordinarily absent where it is empty."""
        value = getattr(self._record, name)
        if value or name in self._unusual:
            self.value[name] = list(value)

    def inside(self, name: str, record: ProbeAnswer | ProbeVerdict | None, kind: str, *words: str) -> None:
        """Put what an item of a probe says: its status and its words, written as a record of `kind` is."""
        if record is None:
            self._put(self.value, name, name, None)
            return
        start = f"{name}."
        inner = _Object(
            record, kind, [path.removeprefix(start) for path in self._unusual if path.startswith(start)]
        )
        inner.put("status")
        inner.words(*words)
        self.value[name] = inner.value

    def _put(self, target: dict[str, Json], key: str, path: str, value: Json) -> None:
        if value is not None:
            target[key] = value
        elif (path in self._nullable) != (path in self._unusual):
            target[key] = None

    def ledger(self, ledger: Ledger | None) -> None:
        """Put the declared counts."""
        if ledger is None:
            self._put(self.value, "ledger", "ledger", None)
            return
        counts: dict[str, Json] = {}
        for name in Ledger.__dataclass_fields__:
            self._put(counts, name, f"ledger.{name}", getattr(ledger, name))
        self.value["ledger"] = counts

    def close(self) -> dict[str, Json]:
        """Add the unknown fields, nested ones inside their parents, and return the object."""
        for name, item in self._record.extra.items():
            inside = self.value.get(name)
            if isinstance(inside, dict) and isinstance(item, Mapping):
                inside |= _plain(item)
            else:
                self.value[name] = _plain(item)
        return self.value


def plain_mapping(value: Mapping[str, Json]) -> dict[str, Json]:
    """Return any mapping as a dict that a JSON encoder takes."""
    return {key: _plain(item) for key, item in value.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _run(record: Run) -> dict[str, Json]:
    fields = _Object(record, "run")
    fields.put("id", "name", "protocol", "created_at", "diagnostic_only", "tokenizer", "reader", "judge")
    for name in ("tokenizer", "reader", "judge"):
        if name in fields.value:
            fields.value[name] = _plain(fields.value[name])
    return fields.close()


def _context(record: Context) -> dict[str, Json]:
    fields = _Object(record, "context")
    fields.put("id", "text", "title", "origin", "license")
    return fields.close()


def _goal(record: Goal) -> dict[str, Json]:
    fields = _Object(record, "goal")
    fields.put("id", "context_id", "text")
    return fields.close()


def _question(record: Question) -> dict[str, Json]:
    fields = _Object(record, "question")
    fields.put("id", "goal_id", "text")
    fields.optional_list("references")
    fields.optional_list("evidence")
    return fields.close()


def _memory(record: Memory) -> dict[str, Json]:
    fields = _Object(record, "memory")
    cell = record.cell
    fields.put("id", "goal_id")
    fields.value["condition"] = cell.condition
    fields.put("shown_goal_id")
    fields.value["compressor"] = {"name": cell.compressor}
    if not (cell.revision == "" and "compressor.revision" in record.unusual):
        fields.value["compressor"]["revision"] = cell.revision
    fields.value["ratio"] = cell.ratio
    fields.put("budget")
    fields.defaulted("generation", 0)
    fields.put("proposed_text", "retained_text")
    fields.ledger(record.ledger)
    fields.put("status")
    fields.words("error")
    return fields.close()


def _answer(record: Answer) -> dict[str, Json]:
    fields = _Object(record, "answer")
    fields.put("memory_id", "question_id")
    fields.defaulted("repeat", 0)
    fields.words("text")
    fields.put("status")
    fields.words("error")
    return fields.close()


def _verdict(record: Verdict) -> dict[str, Json]:
    fields = _Object(record, "verdict")
    fields.put("memory_id", "question_id")
    fields.defaulted("repeat", 0)
    fields.words("label")
    fields.put("status")
    fields.words("rationale", "raw_reply")
    return fields.close()


def _request(record: Request) -> dict[str, Json]:
    fields = _Object(record, "request")
    fields.put("id", "role", "memory_id")
    fields.words("content")
    return fields.close()


def _review(record: Review) -> dict[str, Json]:
    fields = _Object(record, "review")
    fields.put("id", "memory_id", "question_id")
    fields.defaulted("repeat", 0)
    fields.put("decision", "cause", "note")
    fields.listed("tags")
    fields.put("reviewer", "created_at", "blind", "sample")
    if record.sample is not None:
        fields.value["sample"] = _plain(record.sample)
    return fields.close()


def _probe(record: Probe) -> dict[str, Json]:
    fields = _Object(record, "probe")
    fields.put("id", "memory_id", "question_id")
    fields.defaulted("repeat", 0)
    fields.value["with"] = record.given
    fields.defaulted("attempt", 0)
    fields.inside("answer", record.answer, "answer", "text", "error")
    fields.inside("verdict", record.verdict, "verdict", "label", "rationale", "raw_reply")
    fields.put("reader", "judge", "live", "created_at", "usage", "cost", "seconds")
    for name in ("reader", "judge", "usage"):
        if name in fields.value:
            fields.value[name] = _plain(fields.value[name])
    fields.listed("requests")
    return fields.close()


_WRITERS: Final[Mapping[type, Callable[[Any], dict[str, Json]]]] = {
    Run: _run,
    Context: _context,
    Goal: _goal,
    Question: _question,
    Memory: _memory,
    Answer: _answer,
    Verdict: _verdict,
    Request: _request,
    Review: _review,
    Probe: _probe,
}
