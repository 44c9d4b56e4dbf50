"""The records of a run, as FORMATS.md §1 names them: immutable, without input or output.

A record keeps what it does not understand. `extra` holds unknown fields, nested ones under their
parent's name (`{"ledger": {"cached_tokens": 3}}`). `unusual` names the fields (dotted paths) whose
written form is not the ordinary one, so that an export writes back what was read:

- a field of `NULLABLE` that is None is ordinarily written as null; named in `unusual`, it was absent;
- any other field that is None is ordinarily absent; named in `unusual`, it was an explicit null;
- a text field that is not None but named in `unusual` holds the JSON text of a value that was no string;
- an empty list of tags, or of a probe's requests, is ordinarily absent; named in `unusual`, it was there;
- a list of a document without records is ordinarily written empty, those of `SELDOM` not at all; named in
  the run's `unusual`, it was the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

Json = Any
"""A value as `json.loads` gives it: dict, list, str, int, float, bool or None."""


class _Nothing(Mapping[str, Json]):
    """An empty mapping nobody can fill. Hashable, since a dataclass refuses an unhashable default."""

    __slots__ = ()

    def __getitem__(self, key: str) -> Json:
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "{}"


NOTHING: Final[Mapping[str, Json]] = _Nothing()

KINDS: Final = (
    "run",
    "context",
    "goal",
    "question",
    "memory",
    "answer",
    "verdict",
    "request",
    "review",
    "probe",
)
SELDOM: Final = ("request", "review", "probe")
"""Kinds that a run may well have no record of: a document then has no list of them."""
CONDITIONS: Final = ("own-goal", "no-goal", "cross-goal", "full-context")
MEMORY_STATUSES: Final = ("ok", "truncated", "no_answer", "error")
ANSWER_STATUSES: Final = MEMORY_STATUSES
VERDICT_STATUSES: Final = ("judged", "unparsed", "refused", "truncated", "error", "not_judged")
LABELS: Final = ("correct", "incorrect")
ROLES: Final = ("compressor", "reader", "judge")
DECISIONS: Final = ("correct", "incorrect", "unclear", "clear")
"""What a reviewer can say of a row; `clear` withdraws what the same reviewer said before."""
MATERIALS: Final = ("source", "retained", "proposal", "evidence", "empty")
"""What a probe can give the reader in the memory's place."""

NULLABLE: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "run": frozenset(),
        "context": frozenset(),
        "goal": frozenset(),
        "question": frozenset(),
        "memory": frozenset({"shown_goal_id", "error"}),
        "answer": frozenset({"text", "error"}),
        "verdict": frozenset({"label"}),
        "request": frozenset(),
        "review": frozenset(),
        "probe": frozenset({"verdict"}),
    }
)
"""Per kind, the fields that are written as null when they are None."""


@dataclass(frozen=True, slots=True)
class Run:
    """One evaluated run. `tokenizer`, `reader`, `judge` are the file's own objects, or None."""

    id: str
    name: str | None = None
    protocol: str | None = None
    created_at: str | None = None
    diagnostic_only: bool | None = None
    tokenizer: Mapping[str, Json] | None = None
    reader: Mapping[str, Json] | None = None
    judge: Mapping[str, Json] | None = None
    top_level: Mapping[str, Json] = NOTHING
    """Unknown fields of the document beside `run` (in JSON Lines: of the first line)."""
    extra: Mapping[str, Json] = NOTHING
    unusual: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """A long source."""

    id: str
    text: str
    title: str | None = None
    origin: str | None = None
    license: str | None = None
    extra: Mapping[str, Json] = NOTHING
    unusual: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Goal:
    """What somebody roughly wants from a context."""

    id: str
    context_id: str
    text: str
    extra: Mapping[str, Json] = NOTHING
    unusual: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A question the compressor never sees. `evidence` is the file's list (spans and quotes), or None."""

    id: str
    goal_id: str
    text: str
    references: tuple[str, ...] | None = None
    evidence: tuple[Mapping[str, Json], ...] | None = None
    extra: Mapping[str, Json] = NOTHING
    unusual: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ledger:
    """Declared token counts of a memory; each None where the file gives none."""

    source_tokens: int | None = None
    proposed_tokens: int | None = None
    retained_tokens: int | None = None
    unused_budget: int | None = None
    reencoded_tokens: int | None = None
    padding_tokens: int | None = None


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """What is compared with what: compressor, its revision, condition and canonical ratio."""

    compressor: str
    revision: str
    condition: str
    ratio: str


@dataclass(frozen=True, slots=True)
class Memory:
    """What a compressor proposed for a goal under a budget, and what the cut retained.

    `budget` in tokens; `ratio` canonical (see `core.budget`); `ledger` None where absent.
    """

    id: str
    goal_id: str
    shown_goal_id: str | None
    cell: Cell
    budget: int | None
    generation: int
    proposed_text: str | None
    retained_text: str | None
    ledger: Ledger | None
    status: str
    error: str | None = None
    extra: Mapping[str, Json] = NOTHING
    unusual: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What the reader answered. `text` None (no answer) is not the empty answer."""

    memory_id: str
    question_id: str
    repeat: int
    text: str | None
    status: str
    error: str | None = None
    extra: Mapping[str, Json] = NOTHING
    unusual: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge said. `label` may be a value we do not know: it is kept, shown, and does not count."""

    memory_id: str
    question_id: str
    repeat: int
    label: str | None
    status: str
    rationale: str | None = None
    raw_reply: str | None = None
    extra: Mapping[str, Json] = NOTHING
    unusual: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """What was really sent to a compressor, reader or judge. Other fields are in `extra`."""

    id: str
    role: str
    content: str
    memory_id: str | None = None
    extra: Mapping[str, Json] = NOTHING
    unusual: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Review:
    """What a reviewer decided on a row. Never changed once written: the latest of a reviewer stands."""

    id: str
    memory_id: str
    question_id: str
    repeat: int
    decision: str
    reviewer: str
    created_at: str
    """ISO 8601; without an offset it is UTC."""
    cause: str | None = None
    """One of `core.causes.CAUSES` where the reviewer set it."""
    note: str | None = None
    tags: tuple[str, ...] = ()
    blind: bool | None = None
    """Whether the judge's verdict was hidden until the decision was given; None where that is not known."""
    sample: Mapping[str, Json] | None = None
    """How the row came to be looked at: see `core.review_queue`."""
    extra: Mapping[str, Json] = NOTHING
    unusual: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProbeAnswer:
    """What the reader answered to a probe; fields as in Answer."""

    text: str | None
    status: str
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ProbeVerdict:
    """What the judge said of it; fields as in Verdict."""

    label: str | None
    status: str
    rationale: str | None = None
    raw_reply: str | None = None


@dataclass(frozen=True, slots=True)
class Probe:
    """A question asked once more with something else in the memory's place; it counts in no figure."""

    id: str
    memory_id: str
    question_id: str
    repeat: int
    """Of the row that it is to explain."""
    given: str
    """One of MATERIALS; written as `with`."""
    attempt: int
    """From 0: which of several times the same was asked."""
    answer: ProbeAnswer
    verdict: ProbeVerdict | None
    created_at: str
    """ISO 8601; without an offset it is UTC."""
    reader: Mapping[str, Json] | None = None
    judge: Mapping[str, Json] | None = None
    live: bool | None = None
    usage: Mapping[str, Json] | None = None
    """Tokens as the services reported them."""
    cost: float | None = None
    seconds: float | None = None
    requests: tuple[str, ...] = ()
    """Ids of the request records that hold what was sent and what came back."""
    extra: Mapping[str, Json] = NOTHING
    unusual: tuple[str, ...] = ()


Record = Run | Context | Goal | Question | Memory | Answer | Verdict | Request | Review | Probe


def is_finished(record: Memory | Answer | Verdict) -> bool:
    """Whether an item is finished, so that it may supersede a failed one and is never superseded."""
    if isinstance(record, Verdict):
        return record.status == "judged"
    return record.status in ("ok", "truncated")
