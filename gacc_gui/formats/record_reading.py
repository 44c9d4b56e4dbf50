"""JSON objects into records, the careful way: `formats.schema` says whether the shape is right.

Owns `unusual` and `extra` of a record; not bytes, lines or files. What is ordinary takes the way of
`formats.quick_reading`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from gacc_gui.core.budget import canonical_ratio
from gacc_gui.core.errors import BadInput
from gacc_gui.core.records import (
    LABELS,
    NOTHING,
    NULLABLE,
    Answer,
    Cell,
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
from gacc_gui.formats.json_values import Literal, dumps

FINISHED: Final = ("ok", "truncated")
LEDGER_FIELDS: Final = tuple(Ledger.__dataclass_fields__)


class BadRecord(ValueError):
    """A record that cannot be used; `str(error)` is the reason, one clause."""


def record_from(kind: str, value: dict[str, Json]) -> tuple[Record, tuple[str, ...]]:
    """Return the record of a JSON object without its `record` field, and one sentence per warning.

    Numbers of the object may be `Literal`. Raises BadRecord.
    """
    from gacc_gui.formats.schema import problem

    reason = problem(kind, value)
    if reason is not None:
        raise BadRecord(reason)
    fields = _Fields(value, NULLABLE[kind])
    record = _BUILDERS[kind](fields)
    return record, tuple(fields.warnings)


class _Fields:
    """Takes the known fields out of an object whose shape was checked; what is left is `extra`."""

    def __init__(self, value: Mapping[str, Json], nullable: frozenset[str]) -> None:
        self._left = dict(value)
        self._nullable = nullable
        self._unusual: list[str] = []
        self._nested: dict[str, Json] = {}
        self.warnings: list[str] = []

    def take(self, name: str) -> Any:
        """Return a field that must be there."""
        return self._left.pop(name)

    def optional(self, name: str) -> Any:
        """Return a field or None, noting an unordinary absence or null."""
        if name not in self._left:
            if name in self._nullable:
                self._unusual.append(name)
            return None
        value = self._left.pop(name)
        if value is None and name not in self._nullable:
            self._unusual.append(name)
        return value

    def words(self, name: str) -> str | None:
        """Return a text or None; another value becomes its JSON text, and that is noted."""
        value = self.optional(name)
        if value is None or isinstance(value, str):
            return value
        self._unusual.append(name)
        return dumps(plain(value))

    def defaulted(self, name: str, default: Any) -> Any:
        """Return a field that is never null, or its default, noting the absence."""
        if name not in self._left:
            self._unusual.append(name)
            return default
        return self._left.pop(name)

    def listed(self, name: str) -> tuple[Any, ...]:
        """Return a list that is ordinarily absent where it is empty."""
        if name not in self._left:
            return ()
        values = tuple(self._left.pop(name))
        if not values:
            self._unusual.append(name)
        return values

    def nested(self, name: str, nullable: frozenset[str] = frozenset()) -> _Fields:
        """Return the fields of an object inside; give it back with `close`."""
        return _Fields(self._left.pop(name), nullable)

    def close(self, name: str, inner: _Fields) -> None:
        """Take over what an inner object left and noted."""
        self._unusual += [f"{name}.{path}" for path in inner._unusual]
        if inner._left:
            self._nested[name] = inner._left

    def null(self, name: str) -> bool:
        """Whether the field is there and null."""
        return name in self._left and self._left[name] is None

    def has(self, name: str) -> bool:
        """Whether the field is there."""
        return name in self._left

    def rest(self) -> tuple[Mapping[str, Json], tuple[str, ...]]:
        """Return `extra` and `unusual`: the last thing asked of a record."""
        extra = plain({**self._left, **self._nested})
        return extra or NOTHING, tuple(self._unusual)


def plain(value: Json) -> Json:
    """Return the value with every `Literal` as an ordinary float."""
    if isinstance(value, Literal):
        return float(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def _run(fields: _Fields) -> Run:
    values = (
        fields.take("id"),
        *(fields.optional(name) for name in ("name", "protocol", "created_at", "diagnostic_only")),
        *(plain(fields.optional(name)) for name in ("tokenizer", "reader", "judge")),
    )
    extra, unusual = fields.rest()
    return Run(*values, top_level=NOTHING, extra=extra, unusual=unusual)  # type: ignore[misc]


def _context(fields: _Fields) -> Context:
    id, text = fields.take("id"), fields.take("text")
    title, origin, license = (fields.optional(name) for name in ("title", "origin", "license"))
    return Context(id, text, title, origin, license, *fields.rest())


def _goal(fields: _Fields) -> Goal:
    return Goal(fields.take("id"), fields.take("context_id"), fields.take("text"), *fields.rest())


def _question(fields: _Fields) -> Question:
    values = (fields.take("id"), fields.take("goal_id"), fields.take("text"))
    references = fields.optional("references")
    evidence = plain(fields.optional("evidence"))
    return Question(
        *values,
        None if references is None else tuple(references),
        None if evidence is None else tuple(evidence),
        *fields.rest(),
    )


def _memory(fields: _Fields) -> Memory:
    status = fields.take("status")
    for name in ("proposed_text", "retained_text"):
        if status in FINISHED and (fields.null(name) or not fields.has(name)):
            found = "null" if fields.null(name) else "missing"
            raise BadRecord(f"{name} is {found} although the status is {status}")
    inner = fields.nested("compressor")
    name, revision = inner.take("name"), inner.defaulted("revision", "")
    fields.close("compressor", inner)
    cell = Cell(name, revision, fields.take("condition"), _ratio(fields.take("ratio")))
    values = (fields.take("id"), fields.take("goal_id"), fields.optional("shown_goal_id"))
    numbers = (fields.optional("budget"), fields.defaulted("generation", 0))
    texts = (fields.optional("proposed_text"), fields.optional("retained_text"))
    ledger = None
    if not fields.has("ledger") or fields.null("ledger"):
        fields.optional("ledger")
    else:
        inner = fields.nested("ledger")
        ledger = Ledger(*(inner.optional(name) for name in LEDGER_FIELDS))
        fields.close("ledger", inner)
    return Memory(*values, cell, *numbers, *texts, ledger, status, fields.words("error"), *fields.rest())


def _ratio(value: Json) -> str:
    try:
        return canonical_ratio(value.decimal() if isinstance(value, Literal) else value)
    except BadInput as error:
        raise BadRecord(error.reason) from error


def _answer(fields: _Fields) -> Answer:
    return Answer(
        fields.take("memory_id"),
        fields.take("question_id"),
        fields.defaulted("repeat", 0),
        fields.words("text"),
        fields.take("status"),
        fields.words("error"),
        *fields.rest(),
    )


def _verdict(fields: _Fields) -> Verdict:
    values = (fields.take("memory_id"), fields.take("question_id"), fields.defaulted("repeat", 0))
    label = fields.words("label")
    if label is not None and label not in LABELS:
        fields.warnings.append(f"the label {label[:60]} is not known: it is kept and does not count")
    words = (fields.take("status"), fields.words("rationale"), fields.words("raw_reply"))
    return Verdict(*values, label, *words, *fields.rest())


def _request(fields: _Fields) -> Request:
    content = fields.words("content")
    if content is None:
        raise BadRecord("content is null")
    return Request(
        fields.take("id"), fields.take("role"), content, fields.optional("memory_id"), *fields.rest()
    )


def _review(fields: _Fields) -> Review:
    ids = (fields.take("id"), fields.take("memory_id"), fields.take("question_id"))
    sample = plain(fields.optional("sample"))
    decision, reviewer, cause = fields.take("decision"), fields.take("reviewer"), fields.optional("cause")
    if not reviewer.strip():
        raise BadRecord("reviewer is blank")
    if cause is not None and decision != "incorrect":
        raise BadRecord(f"cause is {cause}, which goes with the decision incorrect, not {decision}")
    return Review(
        *ids,
        fields.defaulted("repeat", 0),
        decision,
        reviewer,
        _time(fields),
        cause,
        fields.optional("note"),
        fields.listed("tags"),
        fields.optional("blind"),
        sample,
        *fields.rest(),
    )


def _probe(fields: _Fields) -> Probe:
    ids = (fields.take("id"), fields.take("memory_id"), fields.take("question_id"))
    numbers = (fields.defaulted("repeat", 0), fields.take("with"), fields.defaulted("attempt", 0))
    inner = fields.nested("answer", NULLABLE["answer"])
    answer = ProbeAnswer(inner.words("text"), inner.take("status"), inner.words("error"))
    fields.close("answer", inner)
    verdict = None
    if not fields.has("verdict") or fields.null("verdict"):
        fields.optional("verdict")
    else:
        inner = fields.nested("verdict", NULLABLE["verdict"])
        words = (inner.words("label"), inner.take("status"), inner.words("rationale"))
        verdict = ProbeVerdict(*words, inner.words("raw_reply"))
        fields.close("verdict", inner)
    time = _time(fields)
    return Probe(
        *ids,
        *numbers,
        answer,
        verdict,
        time,
        plain(fields.optional("reader")),
        plain(fields.optional("judge")),
        fields.optional("live"),
        plain(fields.optional("usage")),
        _number(fields.optional("cost")),
        _number(fields.optional("seconds")),
        fields.listed("requests"),
        *fields.rest(),
    )


def _number(value: Json) -> float | None:
    return None if value is None else float(value)


def _time(fields: _Fields) -> str:
    value: str = fields.take("created_at")
    try:
        datetime.fromisoformat(value)
    except ValueError:
        raise BadRecord(f"created_at is {value[:40]!r}, not a time in ISO 8601") from None
    return value


_BUILDERS: Final[Mapping[str, Callable[[_Fields], Record]]] = {
    "run": _run,
    "context": _context,
    "goal": _goal,
    "question": _question,
    "memory": _memory,
    "answer": _answer,
    "verdict": _verdict,
    "request": _request,
    "review": _review,
    "probe": _probe,
}
