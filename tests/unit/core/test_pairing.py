from __future__ import annotations

from collections.abc import Sequence

from gacc_gui.core.pairing import Pairing, Unclear, pair
from gacc_gui.core.records import Cell
from gacc_gui.core.selector import Selector
from gacc_gui.core.sides import Side, SideQuestion, SideUnit, UnitTable

LEAD = Cell("lead", "1", "own-goal", "0.1")
OPEN = Cell("openings", "1", "own-goal", "0.1")


def question(id: str, goal: int = 1, place: int = 0, text: str = "?", context: str = "c") -> SideQuestion:
    return SideQuestion(id, goal, place, context, ("source", "goal", text, '["r"]'))


def unit(
    number: int,
    marks: str,
    cell: Cell = LEAD,
    goal: int = 1,
    generation: int = 0,
    repeat: int = 0,
    shown: str = "g",
) -> SideUnit:
    return SideUnit(number, cell, goal, generation, repeat, shown, f"m{number}", 10, marks)


def side(
    questions: Sequence[SideQuestion], units: Sequence[SideUnit], selector: Selector | None = None
) -> Side:
    cells = list(dict.fromkeys(unit.cell for unit in units))
    return Side(selector or Selector(), questions, cells, UnitTable.of(units))


def found(pairing: Pairing) -> list[tuple[int, int]]:
    return sorted((one.a.unit, one.b.unit) for cell in pairing.cells for one in cell.units)


def test_questions_are_paired_by_id_wherever_their_goal_has_them() -> None:
    a = side([question("q1"), question("q2", place=1)], [unit(1, "rw")])
    b = side([question("q2", goal=9), question("q1", goal=9, place=1)], [unit(2, "r-", OPEN, goal=9)])
    pairing = pair(a, b)
    (cell,) = pairing.cells
    (one,) = cell.units
    assert {(one.a.marks[i], one.b.marks[j]) for i, j in one.places} == {("r", "-"), ("w", "r")}
    assert (pairing.accounts.matched, pairing.accounts.only_a, pairing.accounts.only_b) == (2, 0, 0)


def test_texts_that_differ_are_refused_and_the_rest_counted() -> None:
    a = side([question("q1"), question("q2", place=1), question("q3", place=2)], [unit(1, "rwr")])
    b = side([question("q1", text="!"), question("q2", place=1), question("q4", place=2)], [unit(2, "rwr")])
    pairing = pair(a, b)
    assert pairing.accounts.texts_differ == ("q1",)
    assert (pairing.accounts.matched, pairing.accounts.only_a, pairing.accounts.only_b) == (1, 1, 1)
    assert (pairing.accounts.refused_a, pairing.accounts.refused_b) == (1, 1)
    nothing = pair(a, side([question("q1", text="!")], []))
    assert nothing.accounts.texts_differ == () and nothing.accounts.only_a == 3  # B has no row of it


def test_generations_and_repeats() -> None:
    questions = [question("q1")]
    a = side(questions, [unit(1, "r"), unit(2, "r", repeat=1), unit(3, "r", generation=1)])
    b = side(questions, [unit(4, "w", OPEN, generation=1), unit(5, "w", OPEN, repeat=1)])
    pairing = pair(a, b)
    assert found(pairing) == [(2, 5), (3, 4)]
    assert (pairing.accounts.matched, pairing.accounts.only_a, pairing.accounts.only_b) == (2, 1, 0)


def test_two_generations_are_compared_where_both_sides_name_one() -> None:
    questions = [question("q1")]
    a = side(questions, [unit(1, "r")], Selector(generation=0))
    b = side(questions, [unit(3, "r", generation=1)], Selector(generation=1))
    assert found(pair(a, b)) == [(1, 3)]
    assert found(pair(a, side(questions, list(b.units)))) == []


def test_cells_agree_but_for_what_both_sides_name() -> None:
    half = [Cell("lead", "1", "own-goal", "0.5"), Cell("openings", "2", "own-goal", "0.5")]
    questions = [question("q1")]
    leads, opens = [unit(1, "r"), unit(2, "r", half[0])], [unit(3, "r", OPEN), unit(4, "r", half[1])]
    assert pair(side(questions, leads), side(questions, opens)).cells == ()
    both = pair(side(questions, leads, Selector("lead")), side(questions, opens, Selector("openings")))
    assert found(both) == [(1, 3), (2, 4)]
    one = pair(side(questions, leads), side(questions, opens[:1]))
    assert (
        one.cells == ()
        and one.accounts.cells_only_a == (LEAD, half[0])
        and one.accounts.cells_only_b == (OPEN,)
    )
    assert found(pair(side(questions, leads[:1]), side(questions, opens[:1]))) == [(1, 3)]


def test_the_same_revision_first_then_the_only_one_left() -> None:
    questions = [question("q1")]
    revisions = {n: Cell("lead", str(n), "own-goal", "0.1") for n in range(1, 5)}

    def of(*numbers: int) -> Side:
        other = Cell("other", "1", "own-goal", "0.1")
        return side(questions, [unit(n, "r", revisions[n]) for n in numbers] + [unit(9, "r", other)])

    assert found(pair(of(1, 2), of(2, 3))) == [(1, 3), (2, 2), (9, 9)]
    assert found(pair(of(1, 2), of(2))) == [(2, 2), (9, 9)]
    left = pair(of(1, 2), of(3, 4))
    assert found(left) == [(9, 9)]
    assert left.accounts.cells_only_a == (revisions[1], revisions[2])
    assert left.accounts.unclear == (
        Unclear(tuple(left.accounts.cells_only_a), (revisions[3], revisions[4])),
    )
    assert pair(of(1, 2), of(2)).accounts.unclear == ()  # the other has no partner that is left
    assert pair(of(1), of(3, 4)).accounts.unclear == (Unclear((revisions[1],), (revisions[3], revisions[4])),)


def test_several_memories_of_one_goal_and_cell() -> None:
    questions = [question("q1")]
    a = side(questions, [unit(1, "r", shown="x"), unit(2, "r", shown="y"), unit(3, "r", shown="z")])
    b = side(questions, [unit(5, "r", OPEN, shown="y"), unit(4, "r", OPEN, shown="v")])
    pairing = pair(a, b)
    assert found(pairing) == [(1, 4), (2, 5)]
    assert (pairing.accounts.matched, pairing.accounts.only_a, pairing.accounts.only_b) == (2, 1, 0)


def test_a_context_with_another_id_is_one_cluster_either_way() -> None:
    a = side([question("q1", context="x")], [unit(1, "r")])
    b = side([question("q1", context="y")], [unit(2, "r")])
    clusters = {
        one.cluster for first, second in ((a, b), (b, a)) for one in pair(first, second).cells[0].units
    }
    assert len(clusters) == 1
