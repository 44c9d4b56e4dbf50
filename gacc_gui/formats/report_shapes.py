"""What a report tells, as plain values: a run's figures, goals, failures, reviews, probes, origins.

Owns the shapes that the Markdown and the HTML share. Filling them is `app.reporting`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gacc_gui.core.charts import Chart
from gacc_gui.core.excerpts import Part
from gacc_gui.core.metrics import CellMetrics
from gacc_gui.core.records import Cell, Ledger, Probe, Review, Run


@dataclass(frozen=True, slots=True)
class Provenance:
    """How many contexts are of one origin under one licence; None where a context does not say."""

    origin: str | None
    license: str | None
    contexts: int


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A goal under one memory that fails by a single question."""

    goal_id: str
    goal: str
    cell: Cell
    repeat: int
    strip: str
    """One letter a question: ✓ or the cause's."""


@dataclass(frozen=True, slots=True)
class RowName:
    """Which row is meant, and what was asked."""

    goal_id: str
    memory_id: str
    question_id: str
    repeat: int
    cell: Cell
    question: str


@dataclass(frozen=True, slots=True)
class ReviewedTold:
    """A row that has a decision: what the judge made of it, what counts now, and who said what."""

    row: RowName
    judged_label: str | None
    judged_cause: str
    label: str | None
    cause: str
    decisions: tuple[Review, ...]
    """One a reviewer, the oldest first; the last decides."""


@dataclass(frozen=True, slots=True)
class Reviews:
    """All that reviewers said of a run. `cells` are its figures with it, in the order of the report's."""

    cells: Sequence[CellMetrics]
    rows: Sequence[ReviewedTold]
    """The first of them; `row_count` says how many there are."""
    row_count: int
    conflicts: int
    agreement: str
    """How far judge and reviewers agree, in a sentence."""
    corrected: str
    """The corrected Micro, or why there is none, in a sentence."""
    warnings: Sequence[str]


@dataclass(frozen=True, slots=True)
class ProbedTold:
    """A row that was asked again, and what that says of its cause, in sentences."""

    row: RowName
    label: str | None
    cause: str
    finding: str
    notes: tuple[str, ...]
    probes: tuple[Probe, ...]
    results: tuple[str, ...]
    """Of each probe: right, wrong, …"""


@dataclass(frozen=True, slots=True)
class Probes:
    """All that was asked again."""

    rows: Sequence[ProbedTold]
    """The first of them; `row_count` says how many there are."""
    row_count: int
    probe_count: int


@dataclass(frozen=True, slots=True)
class Report:
    """All that a report tells in words and tables."""

    run: Run
    identity_verified: bool
    contexts: int
    goals: int
    questions: int
    answers: int
    cells: Sequence[CellMetrics]
    warnings: Sequence[str]
    provenance: Sequence[Provenance]
    near_misses: Sequence[NearMiss]
    """The first of them; `near_miss_count` says how many there are."""
    near_miss_count: int
    reviews: Reviews | None = None
    """None where nobody's decision stands."""
    probes: Probes | None = None


@dataclass(frozen=True, slots=True)
class QuestionTold:
    """A question under a memory, with all said of it. Texts are capped; `left_out` are characters."""

    number: int
    question_id: str
    text: str
    references: tuple[str, ...]
    answer: str | None
    answer_left_out: int
    answer_status: str | None
    label: str | None
    status: str
    rationale: str | None
    fate: str
    cause: str
    flags: tuple[str, ...]
    reviewed: tuple[str, ...]
    """What reviewers decided, a line each."""
    probed: tuple[str, ...]
    """What probes say, a line each."""


@dataclass(frozen=True, slots=True)
class UnitTold:
    """A goal under one memory in detail: its questions, and where in the texts their evidence is."""

    goal_id: str
    goal: str
    context_id: str
    context_title: str | None
    memory_id: str
    memory_status: str
    memory_error: str | None
    cell: Cell
    budget: int | None
    generation: int
    repeat: int
    strip: str
    ledger: Ledger
    questions: tuple[QuestionTold, ...]
    """The failing ones first where they are not all here."""
    question_count: int
    source: tuple[Part, ...]
    source_characters: int
    boundary: str
    """Where the cut falls and what it splits, or why that is not known."""
    memory: tuple[Part, ...]
    """Retained text and tail with the cut between; where that is not known, the retained text alone."""
    proposal: tuple[Part, ...]
    """The whole proposal where the cut is not known; else nothing."""
    credentials: int
    """How many were left out of the excerpts."""


@dataclass(frozen=True, slots=True)
class Telling:
    """Failures of one cause, in detail, out of all there are."""

    cause: str
    units: tuple[UnitTold, ...]
    unit_count: int


@dataclass(frozen=True, slots=True)
class RunPage:
    """A run's report with all that Markdown has no place for."""

    report: Report
    charts: Sequence[Chart]
    chart_notes: Sequence[str]
    """For each chart which cells it shows, where not all; else empty."""
    telling: Sequence[Telling]


@dataclass(frozen=True, slots=True)
class GoalPage:
    """One goal's report: it over all cells, and what was made of it."""

    report: Report
    """Figures and people's decisions are of this goal alone."""
    goal_id: str
    goal: str
    context_id: str
    context_title: str | None
    columns: Sequence[str]
    """A name for each memory and repeat."""
    questions: Sequence[tuple[str, Sequence[str]]]
    """Each question's text, and a letter for each column."""
    column_count: int
    """How many there are; the first are here."""
    source: tuple[Part, ...]
    source_characters: int
    units: Sequence[UnitTold]
    unit_count: int
    """How many memories and repeats do not have every question right; the first are here."""
