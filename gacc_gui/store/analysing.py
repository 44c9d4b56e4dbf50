"""What rows mean, without a database: the work of `results` in a form that can be handed to another process.

Owns the shape of a piece of work and its outcome; the rules are `core.analysis`.
"""

from __future__ import annotations

from typing import NamedTuple

from gacc_gui.core.analysis import MemoryAnalysis, Source
from gacc_gui.core.analysis import Outcome as CoreOutcome
from gacc_gui.core.records import Question
from gacc_gui.store.record_rows import restore_retained

Outcome = tuple[str, str, str, str | None, str, str | None, str]
"""Of one row: fate, cause, flags (sorted, with blanks between), label that counts, status of the verdict, of
the answer (None: there is none), of the memory."""

Rows = list[tuple[int, list[tuple[int, list[Outcome]]]]]
"""Per memory its key and, per repeat, the outcomes in the questions' order."""


class MemoryTask(NamedTuple):
    """A memory as stored, with its answers and verdicts by (question key, repeat)."""

    key: int
    budget: int | None
    proposed: str | None
    retained_end: int | None
    retained_splits: int
    retained: str | None
    status: str
    answers: dict[tuple[int, int], tuple[str, str | None]]
    """Status and text; None for a text that was no string."""
    verdicts: dict[tuple[int, int], tuple[str, str | None]]
    """Status and label."""


class GoalTask(NamedTuple):
    """Memories of one goal, with the goal's questions and their keys."""

    questions: list[tuple[int, Question]]
    memories: list[MemoryTask]


class Task(NamedTuple):
    """Goals of one context."""

    source: str
    goals: list[GoalTask]


class Analyst:
    """Analyses tasks; remembers the last source, since a context's tasks come one after another."""

    def __init__(self) -> None:
        self._source: Source | None = None

    def analyse(self, task: Task) -> Rows:
        """Return what every row of the task comes to."""
        source = self._source
        if source is None or source.haystack.text != task.source:
            source = self._source = Source(task.source)
        same: dict[tuple[CoreOutcome, str | None, str], Outcome] = {}
        return [
            (memory.key, _memory(memory, source, goal.questions, same))
            for goal in task.goals
            for memory in goal.memories
        ]


def _memory(
    memory: MemoryTask,
    source: Source,
    questions: list[tuple[int, Question]],
    same: dict[tuple[CoreOutcome, str | None, str], Outcome],
) -> list[tuple[int, list[Outcome]]]:
    retained = restore_retained(memory.proposed, memory.retained_end, memory.retained_splits, memory.retained)
    analysis = MemoryAnalysis(source, memory.proposed, retained, memory.budget, memory.status)
    answers, status = memory.answers, memory.status
    found = []
    for repeat, rows in analysis.rows(questions, answers, memory.verdicts):
        outcomes = []
        for (key, _), row in zip(questions, rows, strict=True):
            answer_status, _ = answers.get((key, repeat), _NONE)
            known = row, answer_status, status
            outcome = same.get(known)
            if outcome is None:
                # One object for equal outcomes: they travel between processes as a reference.
                flags = " ".join(sorted(row.flags))
                outcome = (row.fate, row.cause, flags, row.label, row.status, answer_status, status)
                same[known] = outcome
            outcomes.append(outcome)
        found.append((repeat, outcomes))
    return found


_NONE: tuple[None, None] = (None, None)
