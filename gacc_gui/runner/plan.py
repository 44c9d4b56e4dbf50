"""What an evaluation will do, before it does anything: the run, its items, its cells, its parts.

Owns the order and the names of the planned memories, and which other goal a `cross-goal` memory is shown.
Not here: doing it (`engine`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gacc_gui.core.records import Cell, Context, Goal, Question, Run
from gacc_gui.core.tokens import Codec
from gacc_gui.runner.parts import Compressor, Judge, Reader


@dataclass(frozen=True, slots=True)
class Setting:
    """One cell to fill. `condition`: see `core.records.CONDITIONS`; `ratio` canonical (`core.budget`)."""

    compressor: Compressor
    condition: str
    ratio: str

    @property
    def cell(self) -> Cell:
        """The cell that the setting's memories belong to."""
        return Cell(self.compressor.name, self.compressor.revision, self.condition, self.ratio)


@dataclass(frozen=True, slots=True)
class PlannedMemory:
    """One memory to make, and the questions to ask of it."""

    id: str
    context: Context
    goal: Goal
    shown_goal: Goal | None
    setting: Setting
    generation: int
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole evaluation. Every memory of a setting is read `repeats` times."""

    run: Run
    contexts: Sequence[Context]
    goals: Sequence[Goal]
    questions: Sequence[Question]
    settings: Sequence[Setting]
    codec: Codec
    reader: Reader
    judge: Judge
    generations: int = 1
    repeats: int = 1

    def memories(self) -> Iterator[PlannedMemory]:
        """Yield the planned memories: by goal, then setting, then generation.

        `cross-goal` shows the goal that follows in the same context, the last one the first; where a context
        has a single goal there is no such memory, and its cell counts the goal as missing.
        """
        contexts = {context.id: context for context in self.contexts}
        questions: dict[str, list[Question]] = defaultdict(list)
        for question in self.questions:
            questions[question.goal_id].append(question)
        siblings: dict[str, list[Goal]] = defaultdict(list)
        for goal in self.goals:
            siblings[goal.context_id].append(goal)
        for goal in self.goals:
            together = siblings[goal.context_id]
            following = together[(together.index(goal) + 1) % len(together)]
            for setting in self.settings:
                if setting.condition == "cross-goal" and following is goal:
                    continue
                shown = {"no-goal": None, "cross-goal": following}.get(setting.condition, goal)
                for generation in range(self.generations):
                    yield PlannedMemory(
                        _memory_id(goal, setting, generation),
                        contexts[goal.context_id],
                        goal,
                        shown,
                        setting,
                        generation,
                        tuple(questions[goal.id]),
                    )


def _memory_id(goal: Goal, setting: Setting, generation: int) -> str:
    parts = [goal.id, setting.compressor.name, setting.ratio]
    if setting.condition != "own-goal":
        parts.append(setting.condition)
    if generation:
        parts.append(f"generation-{generation}")
    return "/".join(parts)
