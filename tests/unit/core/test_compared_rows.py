from __future__ import annotations

from gacc_gui.core.compared_rows import ROW_BUCKETS, ComparedRows, list_rows
from gacc_gui.core.pairing import pair
from gacc_gui.core.records import Cell
from gacc_gui.core.selector import Selector
from gacc_gui.core.sides import Side, SideQuestion, SideUnit, UnitTable

LEAD = Cell("lead", "1", "own-goal", "0.1")
TAIL = Cell("tail", "1", "own-goal", "0.1")


def question(id: str, place: int, text: str = "?", goal: int = 1) -> SideQuestion:
    return SideQuestion(id, goal, place, "c", ("s", "g", text, "[]"))


def unit(number: int, cell: Cell, causes: str, repeat: int = 0, goal: int = 1) -> SideUnit:
    marks = "".join("r" if cause == "✓" else "-" if cause == "–" else "w" for cause in causes)
    return SideUnit(number, cell, goal, 0, repeat, "", f"m{number}", 1, marks, causes)


def rows() -> ComparedRows:
    a = Side(
        Selector(),
        [question("q1", 0), question("q2", 1), question("q3", 2), question("q5", 3)],
        [LEAD],
        UnitTable.of([unit(1, LEAD, "✓TR–"), unit(2, LEAD, "TTTT", repeat=1)]),
    )
    b = Side(
        Selector(),
        [
            question("q2", 0, goal=7),
            question("q1", 1, goal=7),
            question("q3", 2, "!", 7),
            question("q4", 3, goal=7),
        ],
        [TAIL],
        UnitTable.of([unit(3, TAIL, "✓C✓✓", goal=7)]),
    )
    return list_rows(a, b, pair(a, b))


def test_every_row_stands_in_one_bucket() -> None:
    found = rows()
    told = [
        (row.question.id, row.repeat, row.bucket, row.unit_a, row.unit_b, row.cause_a, row.cause_b)
        for row in map(found.__getitem__, range(len(found)))
    ]
    assert told == [
        ("q1", 0, "broken", 1, 3, "✓", "C"),
        ("q1", 1, "only_a", 2, None, "T", None),
        ("q2", 0, "fixed", 1, 3, "T", "✓"),
        ("q2", 1, "only_a", 2, None, "T", None),
        ("q3", 0, "texts_differ", None, 3, None, "✓"),
        ("q3", 0, "texts_differ", 1, None, "R", None),
        ("q3", 1, "texts_differ", 2, None, "T", None),
        ("q5", 0, "only_a", 1, None, "–", None),
        ("q5", 1, "only_a", 2, None, "T", None),
        ("q4", 0, "only_b", None, 3, None, "✓"),
    ]
    counts = found.counts()
    assert list(counts) == list(ROW_BUCKETS) and sum(counts.values()) == len(found)
    assert list(found.places(["fixed", "broken"])) == [0, 2]
    assert list(found.places(ROW_BUCKETS)) == list(range(10))


def test_nothing_to_list() -> None:
    nothing = Side(Selector(), [], [], UnitTable.of([]))
    assert len(list_rows(nothing, nothing, pair(nothing, nothing))) == 0
