"""What the page of a compaction run tells beside its REPORT.md: causes, cases, and answers in detail.

Owns the shapes. Filling them is `app.compaction_page`'s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gacc_gui.core.charts import MethodChart
from gacc_gui.core.compaction_causes import Cause, FactFate
from gacc_gui.core.excerpts import Part
from gacc_gui.formats.report_shapes import Probes, Reviews


@dataclass(frozen=True, slots=True)
class CaseLine:
    """A case in a line. `right`: by method, how many answers have an EM of 1."""

    number: int
    case_id: str
    question: str
    kind: str
    right: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class AnswerTold:
    """An answer. `said` is what was read from the reply, None where it could not be read."""

    repeat: int
    status: str
    cause: Cause | None
    em: float
    f1: float
    said: str | None
    reply: str | None
    told: str | None


@dataclass(frozen=True, slots=True)
class ContextTold:
    """A context as it was sent, with the fates of the supporting facts, and its answers."""

    method: str
    generation: int
    status: str
    error: str | None
    tokens: int | None
    fates: tuple[FactFate, ...]
    evidence: tuple[Part, ...]
    evidence_characters: int
    answers: tuple[AnswerTold, ...]


@dataclass(frozen=True, slots=True)
class CaseTold:
    """A case in detail."""

    number: int
    case_id: str
    question: str
    kind: str
    references: tuple[str, ...]
    source: tuple[Part, ...]
    source_characters: int
    contexts: tuple[ContextTold, ...]
    credentials: int
    """How many were left out of the excerpts."""


@dataclass(frozen=True, slots=True)
class CauseTold:
    """Some cases with an answer of a cause, out of all there are."""

    cause: str
    cases: tuple[CaseTold, ...]
    answer_count: int


@dataclass(frozen=True, slots=True)
class CompactionPage:
    """A compaction run's page, or that of one of its cases. `report` is its REPORT.md."""

    title: str
    report: str
    methods: tuple[str, ...]
    answers: int
    """Planned answers of a case by a method."""
    charts: tuple[MethodChart, ...]
    causes: Mapping[str, Mapping[str, int]]
    """By method, how many answers have each cause."""
    cases: Sequence[CaseLine]
    case_count: int
    """How many there are; the first are here."""
    telling: Sequence[CauseTold]
    case: CaseTold | None
    """The one that the page is about; None where it is about the run."""
    reviews: Reviews | None
    probes: Probes | None
