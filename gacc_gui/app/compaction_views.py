"""A compaction run as it is looked at, in shapes: its cases, their contexts and answers. No behaviour beyond.

How they come about is `app.compaction_viewing`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gacc_gui.core.causes import FAILED, VEILED
from gacc_gui.core.compaction import EvidenceFile, SentContext
from gacc_gui.core.compaction_aggregate import Aggregate, PlannedRun
from gacc_gui.core.compaction_causes import Cause, Fact, FactFate
from gacc_gui.core.records import Json, Run


@dataclass(frozen=True, slots=True)
class AnswerCell:
    """One answer of one case. `unit`: the store's key of the case under its memory and repeat.

    `cause` None: it is not there, as where a run is not finished; `unit` None: nor is its context.
    """

    case: str
    method: str
    generation: int
    repeat: int
    status: str
    cause: Cause | None
    scores: Mapping[str, float]
    memory_id: str | None
    unit: int | None

    @property
    def em(self) -> float:
        """Its answer EM, zero where it does not count."""
        return self.scores["em"] if self.status == "ok" else 0.0

    @property
    def is_hidden(self) -> bool:
        """Whether a reviewer is not to know how it was scored."""
        return self.status == VEILED


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A case with its answers by method: generation by generation, repeat by repeat, as planned."""

    id: str
    number: int
    """Its place in the run, from 1."""
    question: str
    kind: str
    level: str | None
    references: tuple[str, ...]
    cells: Mapping[str, tuple[AnswerCell, ...]]

    def right(self, method: str) -> int:
        """How many of a method's answers have an EM of 1."""
        return sum(cell.em == 1 for cell in self.cells.get(method, ()))

    def hides(self, method: str) -> bool:
        """Whether an answer of a method is hidden: how many are right is then unknown."""
        return any(cell.is_hidden for cell in self.cells.get(method, ()))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A case that is not evaluated, and the collection check that it failed."""

    id: str
    check: str
    reason: str


@dataclass(frozen=True, slots=True)
class Overview:
    """A whole run. `causes`: per method, how many answers have each cause (those not there: `missing`)."""

    run: Run
    planned: PlannedRun
    cases: tuple[CaseRow, ...]
    aggregate: Aggregate
    causes: Mapping[str, Mapping[str, int]]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def is_diagnostic(self) -> bool:
        """Whether its figures compare with nothing."""
        return self.run.diagnostic_only is True

    def hides(self, method: str, kind: str | None = None) -> bool:
        """Whether an answer of a method, to questions of one kind or of any, is hidden.

        A figure over such answers would tell of it, together with those that are seen.
        """
        return any(case.hides(method) for case in self.cases if kind in (None, case.kind))

    @property
    def hides_any(self) -> bool:
        """Whether an answer of any method is hidden."""
        return any(map(self.hides, self.planned.methods))

    def case(self, case_id: str) -> CaseRow | None:
        """Return a case's row."""
        return next((case for case in self.cases if case.id == case_id), None)


@dataclass(frozen=True, slots=True)
class ContextView:
    """One context of a case. `sent` None: its particulars are not kept.

    One that failed was not sent: no fates, and of `sent` only what was known by then, such as its tokens.
    """

    method: str
    generation: int
    memory_id: str
    status: str
    error: str | None
    sent: SentContext | None
    evidence: str
    """The evidence as it was sent: kept groups, summary, both, or everything."""
    fates: tuple[FactFate, ...]

    @property
    def has_failed(self) -> bool:
        """Whether it could not be made."""
        return self.status in FAILED


@dataclass(frozen=True, slots=True)
class AnswerView:
    """One answer in full. `text`: the raw reply; `told`: why it failed, in the run's own words."""

    cell: AnswerCell
    text: str | None
    told: str | None
    answer: str | None
    facts: tuple[Json, ...] | None
    provider_tokens: int | None


@dataclass(frozen=True, slots=True)
class CaseView:
    """One case: its question with gold, its evidence, its contexts and answers."""

    id: str
    question: str
    task: str
    kind: str
    level: str | None
    references: tuple[str, ...]
    facts: tuple[Fact, ...]
    source: str
    files: tuple[EvidenceFile, ...]
    contexts: tuple[ContextView, ...]
    answers: tuple[AnswerView, ...]

    def context(self, method: str, generation: int) -> ContextView | None:
        """Return a method's context of a generation."""
        wanted = (method, generation)
        return next((one for one in self.contexts if (one.method, one.generation) == wanted), None)

    def answers_of(self, method: str) -> tuple[AnswerView, ...]:
        """Return a method's answers in the order of generations and repeats."""
        return tuple(one for one in self.answers if one.cell.method == method)
