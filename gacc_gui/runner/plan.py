"""What an evaluation will do, before it does anything: the run, its items, its cells, its parts.

Owns the order and the names of the planned memories, which other goal a `cross-goal` memory is shown, and how
a plan is divided into shards. Not here: doing it (`engine`), and making one of a configuration (`planning`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gacc_gui.core.errors import BadUsage
from gacc_gui.core.records import Cell, Context, Goal, Question, Run
from gacc_gui.runner.parts import Named

if TYPE_CHECKING:  # which knows what a planned memory is
    from gacc_gui.runner.protocol import BenchmarkProtocol


@dataclass(frozen=True, slots=True)
class Setting:
    """One cell to fill. `condition`: see `core.records.CONDITIONS`; `ratio` canonical (`core.budget`).

    `compressor` is whatever the plan's protocol makes memories with.
    """

    compressor: Named
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
class Shard:
    """One of `count` parts of a plan, `index` from 1: every `count`-th context with all that belongs to it.

    Whole contexts, so that a memory which several conditions share is still made once.
    """

    index: int
    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.index <= self.count:
            raise BadUsage(f"a shard is one of 1/{self.count} to {self.count}/{self.count}, not {self}")

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def has(self, position: int) -> bool:
        """Whether the context at this position, from 0, is in the shard."""
        return position % self.count == self.index - 1


def shard_of(text: str) -> Shard:
    """Return the shard that is written `2/3`. Raises BadUsage."""
    match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text.strip())
    if match is None or int(match.group(2)) == 0:
        raise BadUsage(f"a shard is written I/N, such as 1/3, not {text!r:.40}")
    return Shard(int(match.group(1)), int(match.group(2)))


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole evaluation, or a shard of it, of the benchmark whose `protocol` it has.

    Every memory of a setting is read `repeats` times.

    A shard has the run's record and all items, so that the shards together are the undivided run; its
    memories are only those of its contexts.
    """

    run: Run
    contexts: Sequence[Context]
    goals: Sequence[Goal]
    questions: Sequence[Question]
    settings: Sequence[Setting]
    protocol: BenchmarkProtocol
    generations: int = 1
    repeats: int = 1
    shard: Shard | None = None

    def memories(self) -> Iterator[PlannedMemory]:
        """Yield the planned memories: by goal, then setting, then generation.

        `cross-goal` shows the next goal of the same context, in the order of the dataset and after the last
        one the first, that has another text; where there is none there is no such memory, and its cell counts
        the goal as missing. A goal without questions has no memory: nothing could be asked of it.
        """
        mine = {
            context.id: context
            for position, context in enumerate(self.contexts)
            if self.shard is None or self.shard.has(position)
        }
        questions: dict[str, list[Question]] = defaultdict(list)
        for question in self.questions:
            questions[question.goal_id].append(question)
        others = _other_goals(self.goals)
        for goal in self.goals:
            if goal.context_id not in mine or not questions[goal.id]:
                continue
            for setting in self.settings:
                other = others[goal.id]
                if setting.condition == "cross-goal" and other is None:
                    continue
                shown = {"no-goal": None, "cross-goal": other}.get(setting.condition, goal)
                for generation in range(self.generations):
                    yield PlannedMemory(
                        _memory_id(goal, setting, generation),
                        mine[goal.context_id],
                        goal,
                        shown,
                        setting,
                        generation,
                        tuple(questions[goal.id]),
                    )


def _other_goals(goals: Sequence[Goal]) -> dict[str, Goal | None]:
    """Return the goal that each goal's `cross-goal` memory is shown, by its id."""
    together: dict[str, list[Goal]] = defaultdict(list)
    for goal in goals:
        together[goal.context_id].append(goal)
    others: dict[str, Goal | None] = {}
    for siblings in together.values():
        # Backwards, twice round: what follows a goal of the same text is what follows that one.
        following = nearest = None
        for goal in reversed([*siblings, *siblings]):
            if following is not None and following.text != goal.text:
                nearest = following
            others[goal.id] = nearest
            following = goal
    return others


def _memory_id(goal: Goal, setting: Setting, generation: int) -> str:
    parts = [goal.id, setting.compressor.name, setting.ratio]
    if setting.condition != "own-goal":
        parts.append(setting.condition)
    if generation:
        parts.append(f"generation-{generation}")
    return "/".join(parts)
