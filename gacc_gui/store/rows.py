"""What the store's reads return: frozen, plain Python values, ready for a list, a pane or a JSON document.

`unit` is the store's integer key of one goal under one memory and one repeat (FORMATS.md, “What counts”).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    # Not needed to run, and twenty dataclasses are a noticeable part of the window's start.
    from gacc_gui.core.records import Answer, Cell, Context, Goal, Memory, Question, Run, Verdict
    from gacc_gui.core.reviewing import ReviewedRow


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run with its sizes. `identity_declared` is the file's claim, `identity_verified` our finding."""

    run: Run
    goals: int
    questions: int
    answers: int
    identity_declared: bool | None
    identity_verified: bool
    search_ready: bool
    """False while the full-text index of this run is not complete: searches then scan."""


@dataclass(frozen=True, slots=True)
class CellChoice:
    """Which cells are looked at: None stands for all of them."""

    compressor: str | None = None
    revision: str | None = None
    condition: str | None = None
    ratio: str | None = None

    def includes(self, cell: Cell) -> bool:
        """Whether a cell is one of those."""
        mine = (self.compressor, self.revision, self.condition, self.ratio)
        its = (cell.compressor, cell.revision, cell.condition, cell.ratio)
        return all(wanted in (None, value) for wanted, value in zip(mine, its, strict=True))


@dataclass(frozen=True, slots=True)
class Decided:
    """The decisions that stand in a run, for a list; `counts`: theirs are the labels and causes."""

    rows: tuple[ReviewedRow, ...]
    counts: bool
    hidden: Mapping[int, frozenset[int]] = field(default_factory=dict)
    """By unit the places of questions whose verdicts a reviewer is not to see: a list knows nothing of them,
    nor how many questions of such a unit are right."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over the units of some cells, in FORMATS.md's words; `goals` counts units, `questions` rows."""

    goals: int
    right_goals: int
    """Units whose every row is correct."""
    complete_goals: int
    """Units without an unlabelled row."""
    questions: int
    judged: int
    correct: int
    missing_goals: int
    """Over the cells: goals of the run without a memory in the cell."""
    mended: dict[str, int]
    """Per cause: units that would be all-right if that cause's rows were right."""


@dataclass(frozen=True, slots=True)
class GoalRow:
    """A row of the goals list. Texts are cut to 400 code points."""

    unit: int
    goal_id: str
    goal_text: str
    context_id: str
    context_title: str | None
    memory_id: str
    memory_status: str
    cell: Cell
    generation: int
    repeat: int
    budget: int | None
    tail_characters: int | None
    """Code points of the proposal behind the cut; None where the boundary is unknown."""
    tail_tokens: int | None
    """Proposed minus retained tokens as declared in the ledger; None where not declared."""
    strip: str
    """One letter a question, in the questions' order: ✓ T C R J I U or – (see core.causes.LETTERS)."""
    correct: int
    questions: int
    away: int
    """How many rows are not labelled correct: 0 is all-right, 1 “one question away”."""


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question under one memory and repeat, with all said of it. `label` is the one that counts."""

    question: Question
    answer: Answer | None
    verdict: Verdict | None
    repeat: int
    fate: str
    cause: str
    flags: tuple[str, ...]
    label: str | None
    status: str


@dataclass(frozen=True, slots=True)
class UnitView:
    """All that the panes show of one unit: whole texts, and the rows of its questions in the goal's order."""

    unit: int
    run: Run
    context: Context
    goal: Goal
    shown_goal: Goal | None
    memory: Memory
    repeat: int
    rows: tuple[QuestionRow, ...]
    identity_verified: bool


@dataclass(frozen=True, slots=True)
class FilterVocabulary:
    """What occurs in a run, for completion: each sorted."""

    compressors: tuple[str, ...]
    conditions: tuple[str, ...]
    ratios: tuple[str, ...]
    statuses: tuple[str, ...]
    origins: tuple[str, ...]
    reviewers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """One row of a run in a line: what `questions RUN --json` tells. `label` is the one that counts."""

    memory_id: str
    goal_id: str
    question_id: str
    generation: int
    repeat: int
    compressor: str
    revision: str
    condition: str
    ratio: str
    fate: str
    cause: str
    flags: tuple[str, ...]
    label: str | None
    status: str
