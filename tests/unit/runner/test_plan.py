"""Which memories a plan has, under which names, and which goal each compressor is shown."""

from __future__ import annotations

from collections.abc import Callable

from gacc_gui.runner.plan import Plan


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
