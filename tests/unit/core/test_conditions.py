from __future__ import annotations

import pytest

from gacc_gui.core.conditions import shown_goal_fault
from gacc_gui.core.records import CONDITIONS, Cell, Memory

CONTEXT_OF = {"g1": "c1", "g2": "c1", "g3": "c2"}
FITTING = {("own-goal", "g1"), ("no-goal", None), ("cross-goal", "g2")}


@pytest.mark.parametrize("shown", [None, "g1", "g2", "g3"])
@pytest.mark.parametrize("condition", CONDITIONS)
def test_each_condition_has_one_goal_to_show(condition: str, shown: str | None) -> None:
    cell = Cell("lead", "1", condition, "0.5")
    memory = Memory("m", "g1", shown, cell, 1, 0, "", "", None, "ok")
    fits = condition == "full-context" or (condition, shown) in FITTING
    fault = shown_goal_fault(memory, CONTEXT_OF)
    assert (fault is None) == fits
    assert fits or condition in str(fault)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_a_file_does_not_say_contradicts_nothing(condition: str) -> None:
    cell = Cell("lead", "1", condition, "0.5")
    memory = Memory("m", "g1", None, cell, 1, 0, "", "", None, "ok", unusual=("shown_goal_id",))
    assert shown_goal_fault(memory, CONTEXT_OF) is None
