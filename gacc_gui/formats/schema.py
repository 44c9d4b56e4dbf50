"""The shape of every record in a file, as pydantic types: what is refused, and the published JSON Schemas.

Owns types, spans and required fields. Does not own what a value means (a label we do not know is kept) nor
the building of records (`formats.record_reading`, whose quick way must agree with these types).
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Final, Literal, NotRequired

from pydantic import Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from gacc_gui.formats.review_shapes import ProbeLine, ProbeSchema, ReviewLine, ReviewSchema
from gacc_gui.formats.shape_parts import (
    OPEN,
    Count,
    Id,
    IdentitySchema,
    Integer,
    Ratio,
    TokenizerSchema,
    Words,
)


@with_config(OPEN)
class RunSchema(TypedDict):
    """One evaluated run."""

    id: Id
    name: NotRequired[str | None]
    protocol: NotRequired[str | None]
    created_at: NotRequired[str | None]
    diagnostic_only: NotRequired[bool | None]
    tokenizer: NotRequired[TokenizerSchema | None]
    reader: NotRequired[IdentitySchema | None]
    judge: NotRequired[IdentitySchema | None]


@with_config(OPEN)
class ContextSchema(TypedDict):
    """A long source."""

    id: Id
    text: str
    title: NotRequired[str | None]
    origin: NotRequired[str | None]
    license: NotRequired[str | None]


@with_config(OPEN)
class GoalSchema(TypedDict):
    """What somebody roughly wants from a context."""

    id: Id
    context_id: Id
    text: str


@with_config(OPEN)
class SpanSchema(TypedDict):
    """A half-open span of the source in Unicode code points."""

    start: Integer
    end: Integer


@with_config(OPEN)
class QuoteSchema(TypedDict):
    """A piece of the source, by its words."""

    quote: str


@with_config(OPEN)
class QuestionSchema(TypedDict):
    """A question the compressor never sees."""

    id: Id
    goal_id: Id
    text: str
    references: NotRequired[list[str] | None]
    evidence: NotRequired[list[SpanSchema | QuoteSchema] | None]


@with_config(OPEN)
class CompressorSchema(TypedDict):
    """The compressor of a memory."""

    name: Id
    revision: NotRequired[str]


@with_config(OPEN)
class LedgerSchema(TypedDict):
    """Token counts as declared."""

    source_tokens: NotRequired[Integer | None]
    proposed_tokens: NotRequired[Integer | None]
    retained_tokens: NotRequired[Integer | None]
    unused_budget: NotRequired[Integer | None]
    reencoded_tokens: NotRequired[Integer | None]
    padding_tokens: NotRequired[Integer | None]


@with_config(OPEN)
class MemorySchema(TypedDict):
    """What a compressor proposed for a goal under a budget, and what the cut retained."""

    id: Id
    goal_id: Id
    condition: Literal["own-goal", "no-goal", "cross-goal", "full-context"]
    shown_goal_id: NotRequired[Id | None]
    compressor: CompressorSchema
    ratio: Ratio
    budget: NotRequired[Count | None]
    generation: NotRequired[Count]
    proposed_text: NotRequired[str | None]
    retained_text: NotRequired[str | None]
    ledger: NotRequired[LedgerSchema | None]
    status: Literal["ok", "truncated", "no_answer", "error"]
    error: NotRequired[Words]


@with_config(OPEN)
class AnswerSchema(TypedDict):
    """What the reader answered."""

    memory_id: Id
    question_id: Id
    repeat: NotRequired[Count]
    text: NotRequired[Words]
    status: Literal["ok", "truncated", "no_answer", "error"]
    error: NotRequired[Words]


@with_config(OPEN)
class VerdictSchema(TypedDict):
    """What the judge said. A label other than correct, incorrect or null is kept and does not count."""

    memory_id: Id
    question_id: Id
    repeat: NotRequired[Count]
    label: NotRequired[Words]
    status: Literal["judged", "unparsed", "refused", "truncated", "error", "not_judged"]
    rationale: NotRequired[Words]
    raw_reply: NotRequired[Words]


@with_config(OPEN)
class RequestSchema(TypedDict):
    """What was really sent."""

    id: Id
    role: Literal["compressor", "reader", "judge"]
    content: Words
    memory_id: NotRequired[Id | None]


@with_config(OPEN)
class RunDocument(TypedDict):
    """A gacc-run, version 1, as one JSON document."""

    format: Literal["gacc-run"]
    format_version: Literal[1]
    run: RunSchema
    contexts: NotRequired[list[ContextSchema]]
    goals: NotRequired[list[GoalSchema]]
    questions: NotRequired[list[QuestionSchema]]
    memories: NotRequired[list[MemorySchema]]
    answers: NotRequired[list[AnswerSchema]]
    verdicts: NotRequired[list[VerdictSchema]]
    requests: NotRequired[list[RequestSchema]]
    reviews: NotRequired[list[ReviewSchema]]
    probes: NotRequired[list[ProbeSchema]]


@with_config(OPEN)
class DatasetDocument(TypedDict):
    """A dataset without results, version 1, as one JSON document."""

    format: Literal["gacc-dataset"]
    format_version: Literal[1]
    contexts: NotRequired[list[ContextSchema]]
    goals: NotRequired[list[GoalSchema]]
    questions: NotRequired[list[QuestionSchema]]


@with_config(OPEN)
class RunLine(RunSchema):
    """The first line of a gacc-run in JSON Lines: the run's own fields beside the document's."""

    record: Literal["run"]
    format: Literal["gacc-run"]
    format_version: Literal[1]
    run_fields: NotRequired[Annotated[list[str], Field(description="Unknown fields that belong to the run.")]]
    document_fields: NotRequired[
        Annotated[dict[str, Any], Field(description="Unknown document fields that are named like a run's.")]
    ]
    document_lists: NotRequired[
        Annotated[list[str], Field(description="Lists that the document has even without records.")]
    ]


@with_config(OPEN)
class ContextLine(ContextSchema):
    """A context in JSON Lines."""

    record: Literal["context"]


@with_config(OPEN)
class GoalLine(GoalSchema):
    """A goal in JSON Lines."""

    record: Literal["goal"]


@with_config(OPEN)
class QuestionLine(QuestionSchema):
    """A question in JSON Lines."""

    record: Literal["question"]


@with_config(OPEN)
class MemoryLine(MemorySchema):
    """A memory in JSON Lines."""

    record: Literal["memory"]


@with_config(OPEN)
class AnswerLine(AnswerSchema):
    """An answer in JSON Lines."""

    record: Literal["answer"]


@with_config(OPEN)
class VerdictLine(VerdictSchema):
    """A verdict in JSON Lines."""

    record: Literal["verdict"]


@with_config(OPEN)
class RequestLine(RequestSchema):
    """A request in JSON Lines."""

    record: Literal["request"]


Line = Annotated[
    RunLine
    | ContextLine
    | GoalLine
    | QuestionLine
    | MemoryLine
    | AnswerLine
    | VerdictLine
    | RequestLine
    | ReviewLine
    | ProbeLine,
    Field(discriminator="record"),
]

_KINDS: Final[dict[str, Any]] = {
    "run": RunSchema,
    "context": ContextSchema,
    "goal": GoalSchema,
    "question": QuestionSchema,
    "memory": MemorySchema,
    "answer": AnswerSchema,
    "verdict": VerdictSchema,
    "request": RequestSchema,
    "review": ReviewSchema,
    "probe": ProbeSchema,
}


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    return TypeAdapter(_KINDS[kind])


def problem(kind: str, value: dict[str, Any]) -> str | None:
    """Return what is wrong with a record's shape in one clause, or None.

    `value` is the JSON object without its `record` field; the first fault found is named.
    """
    try:
        _adapter(kind).validator.validate_python(value)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=True)
        return _sentence(faults[0], value)
    return None


def _sentence(fault: Any, record: dict[str, Any]) -> str:
    place, given = _place(fault["loc"], record)
    match fault["type"]:
        case "missing" if place[:1] == ("evidence",):
            return f"{_dotted(place)} needs start and end, or a quote"
        case "missing":
            return f"{_dotted((*place, fault['loc'][-1]))} is missing"
        case "string_too_short":
            return f"{_dotted(place)} is empty"
        case "string_pattern_mismatch":  # the only pattern asks for something that is no space
            return f"{_dotted(place)} is blank"
        case "literal_error":
            expected = fault["ctx"]["expected"].replace("'", "").replace(" or None", " or null")
            return f"{_dotted(place)} is {_shown(given)}, not {expected}"
        case "greater_than_equal" | "less_than_equal":
            return f"{_dotted(place)} is out of range: {_shown(given)}"
    if place == ("ratio",):
        return f"ratio is {_article(given)} ({_shown(given)}), not a decimal"
    wanted = {
        "string_type": "text",
        "int_type": "an integer",
        "int_parsing_size": "an integer of 64 bits",
        "bool_type": "true or false",
        "list_type": "a list",
        "typed_dict_type": "an object",
        "dict_type": "an object",
        "float_type": "a number",
    }.get(fault["type"])
    if wanted is None:
        return f"{_dotted(place)}: {fault['msg'].lower()}"
    return f"{_dotted(place)} is {_article(given)} ({_shown(given)}), not {wanted}"


def _place(location: tuple[int | str, ...], record: Any) -> tuple[tuple[int | str, ...], Any]:
    """Return the part of pydantic's location that exists in the record, and the value there.

    A location also names the branch of a union that was tried, which is no place in the record.
    """
    place: list[int | str] = []
    for step in location:
        inside = (isinstance(record, dict) and step in record) or (
            isinstance(record, list) and isinstance(step, int) and step < len(record)
        )
        if not inside:
            continue
        record = record[step]
        place.append(step)
    return tuple(place), record


def _dotted(place: tuple[int | str, ...]) -> str:
    text = ""
    for step in place:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text or "the record"


def _article(value: Any) -> str:
    names = {bool: "a boolean", int: "a number", str: "text", list: "a list", dict: "an object"}
    if value is None:
        return "null"
    return "a number" if isinstance(value, float) else names[type(value)]


def _shown(value: Any) -> str:
    import json

    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:40]}…"


def json_schemas() -> dict[str, dict[str, Any]]:
    """Return the published JSON Schemas by file name below `resources/schemas/`."""
    titles: dict[str, tuple[str, Any]] = {
        "gacc-run.schema.json": ("gacc-run, version 1: a JSON document", RunDocument),
        "gacc-run-line.schema.json": ("gacc-run, version 1: a line of JSON Lines", Line),
        "gacc-dataset.schema.json": ("gacc-dataset, version 1: a JSON document", DatasetDocument),
    }
    result = {}
    for name, (title, shape) in titles.items():
        schema = TypeAdapter(shape).json_schema()
        result[name] = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            **schema,
            "title": title,
        }
    return result
