"""What memories' texts say, without a database: work in a form that can be handed to another process.

Owns the shape of a piece of work; the rules are `core.analysis`.
"""

from __future__ import annotations

from typing import NamedTuple

from gacc_gui.core.analysis import Findings, Source, find
from gacc_gui.core.records import Question
from gacc_gui.store.record_rows import restore_retained


class MemoryTask(NamedTuple):
    """The texts of a memory as they are stored."""

    key: int
    proposed: str | None
    """One object for equal texts: in a pipe it is there once."""
    retained_end: int | None
    retained_splits: int
    retained: str | None


class GoalTask(NamedTuple):
    """Memories of one goal, with the goal's questions."""

    questions: list[Question]
    memories: list[MemoryTask]


class Task(NamedTuple):
    """Goals of one context."""

    source: str
    goals: list[GoalTask]


Found = list[tuple[int, Findings]]
"""Findings by the memories' keys."""


class Analyst:
    """Does tasks; remembers the last source, since a context's tasks come one after another."""

    def __init__(self) -> None:
        self._source: Source | None = None

    def analyse(self, task: Task) -> Found:
        """Return what the texts of the task say."""
        source = self._source
        if source is None or source.haystack.text != task.source:
            source = self._source = Source(task.source)
        same: dict[Findings, Findings] = {}
        found = []
        for questions, memories in task.goals:
            for key, proposed, end, splits, own in memories:
                retained = restore_retained(proposed, end, splits, own)
                findings = find(source, proposed, retained, questions)
                # One object for equal findings: they travel between processes as a reference.
                found.append((key, same.setdefault(findings, findings)))
        return found
