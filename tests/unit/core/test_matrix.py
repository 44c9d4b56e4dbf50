"""The matrix of a goal: order, turns and sums by hand."""

from __future__ import annotations

from gacc_gui.core.matrix import MatrixQuestion, MatrixUnit, goal_matrix
from gacc_gui.core.records import Cell

QUESTIONS = [MatrixQuestion("q1", "first?"), MatrixQuestion("q2", "second?")]


def unit(key: int, ratio: str, strip: str, generation: int = 0, repeat: int = 0, **cell: str) -> MatrixUnit:
    where = Cell(cell.get("compressor", "lead"), "1", cell.get("condition", "own-goal"), ratio)
    return MatrixUnit(key, where, generation, repeat, 10, strip)


def test_columns_are_ordered_and_turns_are_against_the_smaller_budget() -> None:
    units = [
        unit(1, "0.25", "T✓"),
        unit(2, "0.1", "✓T"),
        unit(3, "1", "✓✓", compressor="full", condition="full-context"),
        unit(4, "0.05", "–C"),
        unit(5, "0.5", "✓✓"),
        unit(6, "0.25", "TT", condition="cross-goal"),
    ]
    matrix = goal_matrix("g", "goal", QUESTIONS, units)
    assert [column.units[0].unit for column in matrix.columns] == [3, 4, 2, 1, 5, 6]
    assert [place.letter for place in matrix.places[0]] == ["✓", "–", "✓", "T", "✓", "T"]
    assert [place.turn for place in matrix.places[0]] == [None, None, None, "lost", "gained", None]
    assert [place.turn for place in matrix.places[1]] == [None, None, None, "gained", None, None]
    assert [matrix.turns(row) for row in range(2)] == [(1, 1), (1, 0)]
    assert not matrix.has_repeats
    assert matrix.compared == 5  # q2 has no verdict at 0.05 but one at 0.1, 0.25, 0.5; q1 likewise


def test_a_row_without_a_verdict_hides_no_turn() -> None:
    matrix = goal_matrix(
        "g", "", QUESTIONS, [unit(1, "0.1", "✓✓"), unit(2, "0.2", "––"), unit(3, "0.3", "R✓")]
    )
    assert [place.turn for place in matrix.places[0]] == [None, None, "lost"]
    assert [place.turn for place in matrix.places[1]] == [None, None, None]


def test_repeats_are_series_of_their_own_or_summed() -> None:
    units = [
        unit(1, "0.1", "✓T", repeat=0),
        unit(2, "0.1", "T✓", repeat=1),
        unit(3, "0.2", "✓✓", repeat=0),
        unit(4, "0.2", "✓T", repeat=1),
    ]
    apart = goal_matrix("g", "", QUESTIONS, units)
    assert apart.has_repeats
    assert [column.units[0].unit for column in apart.columns] == [1, 2, 3, 4]
    assert [place.turn for place in apart.places[0]] == [None, None, None, "gained"]
    assert [place.turn for place in apart.places[1]] == [None, None, "gained", "lost"]
    together = goal_matrix("g", "", QUESTIONS, units, together=True)
    assert [[one.unit for one in column.units] for column in together.columns] == [[1, 2], [3, 4]]
    first, second = together.places[0]
    assert (first.letters, first.letter, first.right) == ("✓T", None, 1)
    assert (second.letter, second.right, second.turn) == ("✓", 2, None)  # not agreed on before


def test_a_place_with_a_hidden_row_turns_nothing() -> None:
    units = [
        unit(1, "0.1", "TT", repeat=0),
        unit(2, "0.1", "TT", repeat=1),
        unit(3, "0.2", "✓?", repeat=0),
        unit(4, "0.2", "✓✓", repeat=1),
        unit(5, "0.3", "TC", repeat=0),
        unit(6, "0.3", "T✓", repeat=1),
    ]
    matrix = goal_matrix("g", "", QUESTIONS, units, together=True)
    assert [place.turn for place in matrix.places[0]] == [None, "gained", "lost"]
    assert [place.letter for place in matrix.places[1]] == ["T", "?", None]
    assert [place.turn for place in matrix.places[1]] == [None, None, None]
    assert [matrix.turns(row) for row in range(2)] == [(1, 1), (0, 0)] and matrix.compared == 2
    place = matrix.places[1][1]
    assert (place.right, place.hidden, matrix.hidden) == (1, 1, 1)
    apart = goal_matrix("g", "", QUESTIONS, units)
    assert [place.turn for place in apart.places[1]] == [None, None, None, "gained", None, None]


def test_nothing_evaluated() -> None:
    matrix = goal_matrix("g", "", QUESTIONS, [])
    assert matrix.columns == () and matrix.places == ((), ())


def test_what_is_compared_is_counted() -> None:
    one_budget = [unit(1, "0.1", "✓T"), unit(2, "0.1", "TT", compressor="other")]
    assert goal_matrix("g", "", QUESTIONS, one_budget).compared == 0
    assert goal_matrix("g", "", QUESTIONS, [*one_budget, unit(3, "0.2", "✓–")]).compared == 1
    assert goal_matrix("g", "", QUESTIONS, [unit(1, "0.1", "––"), unit(2, "0.2", "✓✓")]).compared == 0
