"""Which memories a plan has, under which names, and which goal each compressor is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from gacc_gui.core.errors import BadUsage
from gacc_gui.core.records import Goal, Question
from gacc_gui.runner.plan import Plan, Shard, shard_of
from tests.unit.runner.conftest import QUESTIONS


def test_memories_by_goal_setting_and_generation(make_plan: Callable[..., Plan]) -> None:
    plan = make_plan(settings=[("own-goal", "0.5"), ("no-goal", "0.5")], generations=2)
    assert [memory.id for memory in plan.memories()][:5] == [
        "g1/compressor/0.5",
        "g1/compressor/0.5/generation-1",
        "g1/compressor/0.5/no-goal",
        "g1/compressor/0.5/no-goal/generation-1",
        "g2/compressor/0.5",
    ]
    assert len({memory.id for memory in plan.memories()}) == 12


def test_every_condition_shows_its_goal(make_plan: Callable[..., Plan]) -> None:
    plan = make_plan(settings=[(name, "1") for name in ("own-goal", "no-goal", "cross-goal", "full-context")])
    shown = {
        (memory.goal.id, memory.setting.condition): memory.shown_goal and memory.shown_goal.id
        for memory in plan.memories()
    }
    assert shown == {
        ("g1", "own-goal"): "g1",
        ("g1", "no-goal"): None,
        ("g1", "cross-goal"): "g2",
        ("g1", "full-context"): "g1",
        ("g2", "own-goal"): "g2",
        ("g2", "no-goal"): None,
        ("g2", "cross-goal"): "g1",
        ("g2", "full-context"): "g2",
        ("g3", "own-goal"): "g3",
        ("g3", "no-goal"): None,  # and no cross-goal: g3 is the only goal of its context
        ("g3", "full-context"): "g3",
    }


def test_a_memory_has_the_questions_of_its_goal_in_order(make_plan: Callable[..., Plan]) -> None:
    asked = {memory.goal.id: [q.id for q in memory.questions] for memory in make_plan().memories()}
    assert asked == {"g1": ["q1", "q2"], "g2": ["q3"], "g3": ["q4"]}


def test_cross_goal_passes_over_goals_of_the_same_text(make_plan: Callable[..., Plan]) -> None:
    texts = ("a", "a", "b", "a")
    goals = [Goal(f"g{number}", "c1", text) for number, text in enumerate(texts)]
    questions = [Question(f"q{goal.id}", goal.id, "?") for goal in goals]
    plan = replace(make_plan(settings=[("cross-goal", "1")]), goals=goals, questions=questions)
    shown = {memory.goal.id: memory.shown_goal and memory.shown_goal.id for memory in plan.memories()}
    assert shown == {"g0": "g2", "g1": "g2", "g2": "g3", "g3": "g2"}
    alone = replace(plan, goals=goals[:2], questions=questions[:2])
    assert list(alone.memories()) == []


def test_a_goal_without_questions_has_no_memory(make_plan: Callable[..., Plan]) -> None:
    plan = replace(make_plan(), questions=QUESTIONS[:2])
    assert [memory.goal.id for memory in plan.memories()] == ["g1"]


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_shards_are_the_whole_by_contexts(make_plan: Callable[..., Plan], count: int) -> None:
    plan = make_plan(settings=[("own-goal", "0.5"), ("no-goal", "0.5")])
    parts = [replace(plan, shard=Shard(index, count)) for index in range(1, count + 1)]
    made = [{memory.id for memory in part.memories()} for part in parts]
    assert sum(map(len, made)) == len(set().union(*made))
    assert set().union(*made) == {memory.id for memory in plan.memories()}
    contexts = [{memory.context.id for memory in part.memories()} for part in parts]
    assert sum(map(len, contexts)) == 2  # no context is in two of them


def test_how_a_shard_is_written() -> None:
    assert shard_of(" 2/3 ") == Shard(2, 3)
    assert str(Shard(2, 3)) == "2/3"
    for text in ("", "2", "0/3", "4/3", "-1/3", "1/0", "1/x", "1/2/3", "１/2"):
        with pytest.raises(BadUsage, match="a shard is"):
            shard_of(text)
