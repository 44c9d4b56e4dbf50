from __future__ import annotations

import random
import time
from dataclasses import replace

import pytest

from gacc_gui.core.causes import CAUSES
from gacc_gui.core.metrics import GoalFacts, UnitCounts, cell_metrics
from gacc_gui.core.records import Cell
from tests.counting import count_unit

LEAD = Cell("lead", "1", "own-goal", "0.1")
PICK = Cell("pick", "1", "own-goal", "0.1")
T, C, R = "truncation", "compressor", "reader"


def unit(goal: str, context: str, *causes: str, cell: Cell = LEAD) -> UnitCounts:
    labels = {"correct": "correct", "no-verdict": None}
    return count_unit(cell, goal, context, [(c, labels.get(c, "incorrect"), ()) for c in causes])


def facts(*goals: tuple[str, str] | tuple[str, str, str | None], questions: int = 3) -> list[GoalFacts]:
    return [GoalFacts(g[0], g[1], g[2] if len(g) > 2 else None, questions) for g in goals]


def test_counting_a_unit() -> None:
    rows = [("correct", "correct", ["unsupported"]), ("reader", "incorrect", []), ("no-verdict", None, ["x"])]
    counts = count_unit(LEAD, "g", "c", rows)
    assert (counts.questions, counts.judged, counts.correct, counts.unsupported) == (3, 2, 1, 1)
    assert dict(zip(CAUSES, counts.causes, strict=True))["reader"] == 1


def test_both_policies_and_their_denominators() -> None:
    units = [
        unit("g1", "c1", "correct", "correct"),
        unit("g2", "c1", "correct", "no-verdict"),
        unit("g3", "c2", "correct", T),
        unit("g4", "c2", "no-verdict", "no-verdict"),
    ]
    (cell,) = cell_metrics(units, facts(*[(f"g{i}", "c") for i in range(1, 7)])).cells
    assert (cell.goals, cell.questions, cell.judged, cell.correct) == (4, 8, 5, 4)
    assert (cell.incomplete_goals, cell.missing_goals, cell.right_goals) == (2, 2, 1)
    assert (cell.micro.errors_as_wrong, cell.micro.errors_excluded) == (4 / 8, 4 / 5)
    assert (cell.macro.errors_as_wrong, cell.macro.errors_excluded) == (1 / 4, 1 / 2)
    assert sum(cell.causes.values()) == cell.questions


def test_a_zero_denominator_gives_nothing() -> None:
    (cell,) = cell_metrics([unit("g", "c", "no-verdict")], facts(("g", "c"))).cells
    assert (cell.micro.errors_as_wrong, cell.micro.errors_excluded) == (0, None)
    assert (cell.macro.errors_as_wrong, cell.macro.errors_excluded) == (0, None)
    (empty,) = cell_metrics([], facts(("g", "c")), cells=[PICK]).cells
    assert (empty.cell, empty.goals, empty.missing_goals) == (PICK, 0, 1)
    assert (empty.micro.errors_as_wrong, empty.macro.errors_excluded) == (None, None)
    assert (empty.micro_ci95, empty.macro_ci95, empty.macro_ci95_method) == (None, None, None)
    assert empty.unsupported_share is None


def test_a_goal_without_questions_is_in_nothing_but_the_warning() -> None:
    goals = [*facts(("g1", "c")), GoalFacts("empty", "c", None, 0)]
    metrics = cell_metrics([unit("g1", "c", "correct"), unit("empty", "c")], goals)
    assert metrics.goals_without_questions == ("empty",)
    assert (metrics.cells[0].goals, metrics.cells[0].missing_goals) == (1, 0)
    assert metrics.cells[0].macro.errors_as_wrong == 1


def test_repeats_and_generations_are_units_of_their_own_but_one_goal() -> None:
    units = [unit("g1", "c", "correct"), unit("g1", "c", T), unit("g1", "c", "correct")]
    (cell,) = cell_metrics(units, facts(("g1", "c"), ("g2", "c"))).cells
    assert (cell.goals, cell.missing_goals, cell.macro.errors_as_wrong) == (3, 1, 2 / 3)


def test_macro_if_a_cause_were_mended() -> None:
    units = [
        unit("g1", "c", "correct", "correct"),
        unit("g2", "c", "correct", T),
        unit("g3", "c", T, T),
        unit("g4", "c", T, R),
        unit("g5", "c", R, R),
    ]
    (cell,) = cell_metrics(units, facts(*[(f"g{i}", "c") for i in range(1, 6)])).cells
    assert dict(cell.mended) == {T: 3, R: 2}


def test_intervals_need_two_contexts() -> None:
    one = [unit("g1", "c1", "correct", T), unit("g2", "c1", "correct")]
    (cell,) = cell_metrics(one, facts(("g1", "c1"), ("g2", "c1"))).cells
    assert (cell.micro_ci95, cell.macro_ci95, cell.macro_ci95_method) == (None, None, None)
    two = [*one, unit("g3", "c2", T, T)]
    (cell,) = cell_metrics(two, facts(("g1", "c1"), ("g2", "c1"), ("g3", "c2"))).cells
    assert cell.macro_ci95_method == "bootstrap"
    assert cell.micro_ci95 == (0, 2 / 3)
    assert cell.macro_ci95 == (0, 1 / 2)


@pytest.mark.parametrize(("cause", "low", "high"), [(T, 0, 0.277533), ("correct", 0.722467, 1)])
def test_a_macro_of_0_or_1_has_wilsons_interval_over_contexts(cause: str, low: float, high: float) -> None:
    units = [unit(f"g{i}", f"c{i % 10}", cause, "correct") for i in range(40)]
    (cell,) = cell_metrics(units, facts(*[(f"g{i}", f"c{i % 10}") for i in range(40)])).cells
    assert cell.macro_ci95_method == "wilson"
    assert cell.macro_ci95 == (pytest.approx(low, abs=1e-6), pytest.approx(high, abs=1e-6))
    assert cell.micro_ci95 == ((0.5, 0.5) if cause == T else (1, 1))


def test_the_order_of_records_does_not_matter() -> None:
    pick = random.Random(5)
    goals = facts(*[(f"g{i}", f"c{i % 7}", f"o{i % 3}" if i % 3 else None) for i in range(30)])
    units = [
        unit(g.goal_id, g.context_id, *pick.choices(["correct", T, C, "no-verdict"], k=3), cell=cell)
        for g in goals
        for cell in (LEAD, PICK)
        if pick.random() < 0.8
    ]
    for by_origin in (False, True):
        once = cell_metrics(units, goals, by_origin=by_origin)
        for _ in range(3):
            pick.shuffle(units)
            pick.shuffle(goals)
            assert cell_metrics(units, goals, by_origin=by_origin) == once


def test_by_origin_the_parts_add_up_and_a_missing_origin_is_kept() -> None:
    goals = facts(("g1", "c1", "x"), ("g2", "c2", None), ("g3", "c3", "y"))
    units = [unit("g1", "c1", "correct"), unit("g2", "c2", T, C)]
    (whole,) = cell_metrics(units, goals).cells
    parts = cell_metrics(units, goals, by_origin=True).cells
    assert [part.origin for part in parts] == ["x", "y", None]
    for field in ("goals", "questions", "judged", "correct", "missing_goals", "incomplete_goals"):
        assert sum(getattr(part, field) for part in parts) == getattr(whole, field), field


def test_a_cell_of_its_own_for_each_revision_and_condition() -> None:
    cells = [
        LEAD,
        replace(LEAD, revision="2"),
        replace(LEAD, condition="no-goal"),
        replace(LEAD, ratio="0.2"),
    ]
    units = [unit("g", "c", "correct", cell=cell) for cell in cells]
    assert [m.cell for m in cell_metrics(units, facts(("g", "c"))).cells] == sorted(cells)


def test_the_full_benchmark_takes_less_than_a_second() -> None:
    goals = facts(*[(f"g{i}", f"c{i % 281}") for i in range(500)])
    cells = [
        Cell(f"k{k}", "1", condition, ratio)
        for k in range(10)
        for condition in ("own-goal", "no-goal", "cross-goal")
        for ratio in ("0.02", "0.05", "0.1", "0.2")
    ]
    one = unit("g", "c", "correct", "correct", T, C, R)
    units = [
        replace(one, cell=cell, goal_id=g.goal_id, context_id=g.context_id) for cell in cells for g in goals
    ]
    started = time.perf_counter()
    assert len(cell_metrics(units, goals).cells) == 120
    assert time.perf_counter() - started < 1
