"""The shapes of what was added to a run afterwards: reviewers' decisions and probes."""

from __future__ import annotations

from typing import Annotated, Final, Literal, NotRequired

from pydantic import ConfigDict, Field, JsonValue, with_config
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from gacc_gui.formats.shape_parts import OPEN, Count, Id, IdentitySchema, Words

Time = Annotated[str, Field(description="ISO 8601; without an offset it is UTC.")]


# What a type cannot say, for those who read the published schemas; `formats.record_reading` refuses it.
_REVIEW: Final = ConfigDict(
    **OPEN,
    json_schema_extra={
        "if": {"properties": {"decision": {"enum": ["correct", "unclear", "clear"]}}},
        "then": {"properties": {"cause": {"type": "null"}}},
    },
)


@with_config(_REVIEW)
class ReviewSchema(TypedDict):
    """What a reviewer decided on a row. Records are only added: the latest of a reviewer stands.

    Of equal times, the greater id is the latest. A cause goes with `incorrect` only.
    """

    id: Id
    memory_id: Id
    question_id: Id
    repeat: NotRequired[Count]
    decision: Literal["correct", "incorrect", "unclear", "clear"]
    cause: NotRequired[Literal["truncation", "compressor", "reader", "judge", "item", "unlocated", None]]
    note: NotRequired[str | None]
    tags: NotRequired[list[str]]
    reviewer: Annotated[str, Field(min_length=1, pattern=r"\S", description="A name: not blank.")]
    created_at: Time
    blind: NotRequired[bool | None]
    sample: NotRequired[
        Annotated[dict[str, JsonValue] | None, Field(description="How the row came to be looked at.")]
    ]


@with_config(OPEN)
class ProbeAnswerSchema(TypedDict):
    """What the reader answered to a probe."""

    text: NotRequired[Words]
    status: Literal["ok", "truncated", "no_answer", "error"]
    error: NotRequired[Words]


@with_config(OPEN)
class ProbeVerdictSchema(TypedDict):
    """What the judge said of a probe's answer."""

    label: NotRequired[Words]
    status: Literal["judged", "unparsed", "refused", "truncated", "error", "not_judged"]
    rationale: NotRequired[Words]
    raw_reply: NotRequired[Words]


# `with` is a keyword: the shape cannot be written as a class.
_WITH = TypedDict("_WITH", {"with": Literal["source", "retained", "proposal", "evidence", "empty"]})


@with_config(OPEN)
class ProbeSchema(_WITH):
    """A question asked once more with something else in the memory's place; it counts in no figure."""

    id: Id
    memory_id: Id
    question_id: Id
    repeat: NotRequired[Count]
    attempt: NotRequired[Count]
    answer: ProbeAnswerSchema
    verdict: NotRequired[ProbeVerdictSchema | None]
    reader: NotRequired[IdentitySchema | None]
    judge: NotRequired[IdentitySchema | None]
    live: NotRequired[bool | None]
    created_at: Time
    usage: NotRequired[dict[str, JsonValue] | None]
    cost: NotRequired[float | None]
    seconds: NotRequired[float | None]
    requests: NotRequired[list[Id]]


@with_config(_REVIEW)
class ReviewLine(ReviewSchema):
    """A review in JSON Lines."""

    record: Literal["review"]


@with_config(OPEN)
class ProbeLine(ProbeSchema):
    """A probe in JSON Lines."""

    record: Literal["probe"]
