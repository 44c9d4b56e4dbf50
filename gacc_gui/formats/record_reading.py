"""JSON objects into records: the quick way for what is ordinary, the careful way for everything else.

The careful way asks `formats.schema` for the shape; the quick way takes only objects that the schema takes
too, and builds the same record. Owns `unusual` and `extra` of a record; not bytes, lines or files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final

from gacc_gui.core.budget import canonical_ratio
from gacc_gui.core.errors import BadInput
from gacc_gui.core.records import (
    CONDITIONS,
    LABELS,
    MEMORY_STATUSES,
    NOTHING,
    NULLABLE,
    VERDICT_STATUSES,
    Answer,
    Cell,
    Context,
    Goal,
    Json,
    Ledger,
    Memory,
    Question,
    Record,
    Request,
    Run,
    Verdict,
)
from gacc_gui.formats.json_values import Literal, dumps

FINISHED: Final = ("ok", "truncated")
LEDGER_FIELDS: Final = tuple(Ledger.__dataclass_fields__)
_LEDGER_SET: Final = frozenset(LEDGER_FIELDS)
_CELL_SET: Final = frozenset({"name", "revision"})
_MAX: Final = 2**63
_NO_ERROR: Final = ("error",)
_ONLY_STR: Final = {str}
_ONLY_INT: Final = {int}
_ledger_fields: Final = itemgetter(*LEDGER_FIELDS)
_memory_fields: Final = itemgetter(
    "id",
    "goal_id",
    "shown_goal_id",
    "budget",
    "generation",
    "proposed_text",
    "retained_text",
    "status",
    "error",
)


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

    def nested(self, name: str) -> _Fields:
        """Return the fields of an object inside; give it back with `close`."""
        return _Fields(self._left.pop(name), frozenset())

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


_BUILDERS: Final[Mapping[str, Callable[[_Fields], Record]]] = {
    "run": _run,
    "context": _context,
    "goal": _goal,
    "question": _question,
    "memory": _memory,
    "answer": _answer,
    "verdict": _verdict,
    "request": _request,
}


@lru_cache(maxsize=1024)
def _is_canonical(ratio: str) -> bool:
    try:
        return canonical_ratio(ratio) == ratio
    except BadInput:
        return False


# The quick way. Each takes the whole object of an ordinary record with exactly the ordinary fields
# (without `record`) and returns None for any other. Explicit and repetitive for speed: measured 2026-11,
# one answer costs 1.6 µs here and 25 µs the careful way.


def quick_answer(value: dict[str, Any]) -> Answer | None:
    """Return the record if the object is an ordinary answer; else None."""
    unusual: tuple[str, ...] = ()
    if "error" in value:
        if len(value) != 6:
            return None
    elif len(value) == 5:
        unusual = _NO_ERROR
    else:
        return None
    try:
        memory = value["memory_id"]
        question = value["question_id"]
        repeat = value["repeat"]
        text = value["text"]
        status = value["status"]
    except KeyError:
        return None
    error = value.get("error")
    if (
        type(memory) is str
        and memory
        and type(question) is str
        and question
        and type(repeat) is int
        and 0 <= repeat < _MAX
        and (type(text) is str or text is None)
        and status in MEMORY_STATUSES
        and (error is None or type(error) is str)
    ):
        return Answer(memory, question, repeat, text, status, error, NOTHING, unusual)
    return None


def quick_verdict(value: dict[str, Any]) -> Verdict | None:
    """Return the record if the object is an ordinary verdict with a known label; else None."""
    rationale = value.get("rationale")
    raw_reply = value.get("raw_reply")
    # A null in place of either is counted by `len` and not by the sum: not ordinary.
    if len(value) != 5 + (rationale is not None) + (raw_reply is not None):
        return None
    try:
        memory = value["memory_id"]
        question = value["question_id"]
        repeat = value["repeat"]
        label = value["label"]
        status = value["status"]
    except KeyError:
        return None
    if (
        type(memory) is str
        and memory
        and type(question) is str
        and question
        and type(repeat) is int
        and 0 <= repeat < _MAX
        and (label == "correct" or label == "incorrect" or label is None)
        and status in VERDICT_STATUSES
        and (type(rationale) is str or rationale is None)
        and (type(raw_reply) is str or raw_reply is None)
    ):
        return Verdict(memory, question, repeat, label, status, rationale, raw_reply, NOTHING, ())
    return None


def quick_memory(value: dict[str, Any]) -> Memory | None:
    """Return the record if the object is an ordinary finished memory with a canonical ratio; else None."""
    if len(value) != 13:
        return None
    try:
        compressor, ledger = value["compressor"], value["ledger"]
        if compressor.keys() != _CELL_SET or ledger.keys() != _LEDGER_SET:
            return None
        name, revision, condition, ratio = (
            compressor["name"],
            compressor["revision"],
            value["condition"],
            value["ratio"],
        )
        counts = _ledger_fields(ledger)
        id, goal, shown, budget, generation, proposed, retained, status, error = _memory_fields(value)
    except (KeyError, AttributeError):
        return None
    texts = (id, goal, name, ratio, proposed, retained, revision)
    numbers = (budget, generation, *counts)
    if (
        set(map(type, texts)) == _ONLY_STR
        and all(texts[:4])
        and set(map(type, numbers)) == _ONLY_INT
        and min(numbers) >= 0
        and max(numbers) < _MAX
        and (shown is None or (type(shown) is str and shown))
        and condition in CONDITIONS
        and status in FINISHED
        and error is None
        and _is_canonical(ratio)
    ):
        cell = Cell(name, revision, condition, ratio)
        return Memory(
            id, goal, shown, cell, budget, generation, proposed, retained, Ledger(*counts), status, error
        )
    return None


QUICK: Final[Mapping[str, tuple[Callable[[dict[str, Any]], Record | None], int]]] = {
    "answer": (quick_answer, 0),
    "verdict": (quick_verdict, 0),
    "memory": (quick_memory, 2 + 6),
}
"""Per kind, the quick way and the number of keys nested inside an ordinary object."""
