from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.core.comparison import BUCKETS, CellComparison, compare_tallies, tally_cells
from gacc_gui.core.pairing import CellPair, UnitPair, pair
from gacc_gui.core.records import Cell
from gacc_gui.core.selector import Selector
from gacc_gui.core.sides import Side, SideQuestion, SideUnit, UnitTable

A = Cell("lead", "1", "own-goal", "0.1")
B = Cell("openings", "1", "own-goal", "0.1")


def compare_cells(pair: CellPair) -> CellComparison:
    return compare_tallies([tally_cells(pair)])[0]


def figures(*units: tuple[str, str, str]) -> CellComparison:
    """The figures of units given as (context, marks in A, marks in B)."""
    pairs = []
    for number, (context, a, b) in enumerate(units):
        first = SideUnit(number, A, number, 0, 0, "", "m", None, a)
        second = SideUnit(number, B, number, 0, 0, "", "m", None, b)
        pairs.append(UnitPair(first, second, context, tuple((n, n) for n in range(len(a)))))
    return compare_cells(CellPair(A, B, tuple(pairs)))


def test_by_hand() -> None:
    cell = figures(("c1", "rrw", "rrr"), ("c1", "rw-", "-rr"), ("c2", "rr", "rw"), ("c3", "w", "w"))
    assert cell.buckets == {"both_right": 3, "fixed": 2, "broken": 1, "both_wrong": 1, "unlabelled": 2}
    assert (cell.pairs, cell.goals, cell.contexts) == (9, 4, 3)
    assert (cell.right_a, cell.right_b) == (5, 6)  # a missing label is not right
    assert (cell.micro.a, cell.micro.b, cell.micro.difference) == (5 / 9, 6 / 9, 1 / 9)
    assert (cell.right_goals_a, cell.right_goals_b) == (1, 1)
    assert (cell.goal_test.fixed, cell.goal_test.broken, cell.goal_test.p) == (1, 1, 1.0)
    assert (cell.macro.a, cell.macro.b, cell.macro.difference) == (0.25, 0.25, 0.0)
    assert cell.micro.ci95 is not None and cell.micro.ci95[0] <= 1 / 9 <= cell.micro.ci95[1]


def test_undefined_is_none() -> None:
    nothing = figures()
    assert (nothing.micro.a, nothing.micro.difference, nothing.macro.b, nothing.micro.ci95) == (None,) * 4
    assert nothing.goal_test.p is None and nothing.buckets == dict.fromkeys(BUCKETS, 0)
    one = figures(("c1", "w", "r"))
    assert one.micro.difference == 1.0 and one.micro.ci95 is None and one.goal_test.p == 1.0


def test_goals_of_a_context_go_together() -> None:
    units = [(f"c{n}", "w" if n < 2 else "r", "r") for n in range(4) for _ in range(20)]
    cell = figures(*units)
    assert cell.goal_test.fixed == 40
    assert cell.macro.ci95 == (0.0, 1.0)


@dataclass(frozen=True)
class Made:
    """Two sides over some shared questions."""

    a: Side
    b: Side


@st.composite
def made(draw: st.DrawFn) -> Made:
    goals = draw(st.lists(st.integers(1, 4), min_size=1, max_size=6))
    contexts = draw(st.integers(1, 4))
    sides = []
    for cell, name in ((A, "a"), (B, "b")):
        questions, units = [], []
        for goal, count in enumerate(goals):
            kept = [n for n in range(count) if draw(st.integers(0, 9)) or not n]
            for place, n in enumerate(kept):
                text = draw(st.sampled_from(["?"] * 9 + [name]))
                questions.append(
                    SideQuestion(f"g{goal}q{n}", goal, place, f"c{goal % contexts}", ("s", str(goal), text))
                )
            for repeat in range(draw(st.integers(0, 2))):
                marks = "".join(draw(st.sampled_from("rw-")) for _ in kept)
                units.append(SideUnit(len(units), cell, goal, 0, repeat, "", f"m{len(units)}", 5, marks))
        sides.append(Side(Selector(), questions, [cell], UnitTable.of(units)))
    return Made(*sides)


MIRRORED = {"fixed": "broken", "broken": "fixed"}


@given(made())
def test_swapping_the_sides_mirrors_everything(case: Made) -> None:
    there, back = pair(case.a, case.b), pair(case.b, case.a)
    assert (there.accounts.matched, there.accounts.only_a, there.accounts.only_b) == (
        back.accounts.matched,
        back.accounts.only_b,
        back.accounts.only_a,
    )
    assert (there.accounts.refused_a, there.accounts.refused_b) == (
        back.accounts.refused_b,
        back.accounts.refused_a,
    )
    assert there.accounts.texts_differ == back.accounts.texts_differ
    one, other = compare_cells(there.cells[0]), compare_cells(back.cells[0])
    assert {MIRRORED.get(name, name): n for name, n in other.buckets.items()} == one.buckets
    for figure, mirrored in ((one.micro, other.micro), (one.macro, other.macro)):
        assert (figure.a, figure.b) == (mirrored.b, mirrored.a)
        if figure.difference is not None:
            assert mirrored.difference == -figure.difference
            assert repr(mirrored.difference) != "-0.0"
        if figure.ci95 is not None:
            assert mirrored.ci95 == (-figure.ci95[1], -figure.ci95[0])
    assert (one.goal_test.fixed, one.goal_test.broken) == (other.goal_test.broken, other.goal_test.fixed)
    assert one.goal_test.p == other.goal_test.p


@given(made(), st.randoms(use_true_random=False))
def test_the_order_of_records_makes_no_difference(case: Made, rng: random.Random) -> None:
    def shuffled(side: Side) -> Side:
        units = rng.sample(list(side.units), len(side.units))
        questions = rng.sample(side.questions, len(side.questions))
        return Side(side.selector, questions, side.cells, UnitTable.of(units))

    there, again = pair(case.a, case.b), pair(shuffled(case.a), shuffled(case.b))
    assert compare_cells(there.cells[0]) == compare_cells(again.cells[0])
    assert there.accounts.texts_differ == again.accounts.texts_differ
    assert (there.accounts.matched, there.accounts.only_a, there.accounts.only_b) == (
        again.accounts.matched,
        again.accounts.only_a,
        again.accounts.only_b,
    )


@given(made())
def test_every_row_is_accounted_for(case: Made) -> None:
    pairing = pair(case.a, case.b)
    rows_a = sum(len(unit.marks) for unit in case.a.units)
    assert pairing.accounts.matched + pairing.accounts.only_a + pairing.accounts.refused_a == rows_a
    cell = compare_cells(pairing.cells[0])
    assert sum(cell.buckets.values()) == cell.pairs == pairing.accounts.matched
    assert cell.right_b - cell.right_a == pytest.approx((cell.micro.difference or 0) * cell.pairs)
