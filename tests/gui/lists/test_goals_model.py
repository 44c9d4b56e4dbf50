from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from gacc_gui.core.records import Cell
from gacc_gui.gui.lists.goals_model import COLUMNS, GONE, LOADING, PAGE, PLACES, GoalsModel
from gacc_gui.gui.lists.goals_table import GoalsTable
from gacc_gui.gui.lists.strip import squares_in
from gacc_gui.gui.theme import current_theme
from gacc_gui.store.rows import GoalRow

Make = Callable[..., GoalRow]
DISPLAY = Qt.ItemDataRole.DisplayRole
SPOKEN = Qt.ItemDataRole.AccessibleTextRole
TOOLTIP = Qt.ItemDataRole.ToolTipRole


def cell(model: GoalsModel, row: int, key: str, role: int = DISPLAY) -> Any:
    return model.data(model.index(row, PLACES[key]), role)


def test_model_keeps_qts_rules_and_gives_plain_values(qtbot: QtBot, goal_row: Make) -> None:
    model = GoalsModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)
    model.set_units(array("q", [5, 3, 9]), [goal_row(5), goal_row(3, strip="✓✓")])
    model.refresh_rows([goal_row(5)])
    model.set_units(array("q", [3]), [goal_row(3)])
    for place in range(len(COLUMNS)):
        for role in (DISPLAY, SPOKEN, TOOLTIP, Qt.ItemDataRole.TextAlignmentRole):
            assert type(model.data(model.index(0, place), role)) in (str, int, type(None))
    assert model.data(model.index(0, 0).sibling(5, 0)) is None
    del tester


def test_cells_say_what_the_row_holds(goal_row: Make) -> None:
    model = GoalsModel()
    row = goal_row(
        1, strip="✓✓✓✓T", budget=12345, tail_tokens=83, goal_text="Keep <b>how</b>\neach film ends"
    )
    model.set_units([1], [row])
    assert cell(model, 0, "goal") == "Keep <b>how</b> ⏎ each film ends"
    assert cell(model, 0, "strip") == "✓✓✓✓T"
    assert cell(model, 0, "strip", SPOKEN) == "4 of 5 right; question 5 truncation"
    assert cell(model, 0, "correct") == "4/5"
    assert cell(model, 0, "away") == "1"
    assert cell(model, 0, "away", SPOKEN) == "1 question away"
    assert cell(model, 0, "cell") == "lead · own · 0.25"
    assert cell(model, 0, "budget") == "12,345"
    assert cell(model, 0, "tail") == "83"
    assert "&lt;b&gt;how&lt;/b&gt;" in cell(model, 0, "goal", TOOLTIP)
    assert cell(model, 0, "tail", TOOLTIP).count("20 characters") == 1


def test_what_is_unknown_is_not_shown_as_nought(goal_row: Make) -> None:
    model = GoalsModel()
    model.set_units(
        [1, 2],
        [goal_row(1, budget=None, tail_tokens=None, tail_characters=None), goal_row(2, tail_tokens=None)],
    )
    assert cell(model, 0, "budget") == ""
    assert cell(model, 0, "tail") == "?"
    assert cell(model, 1, "tail") == "20 ch"


def test_revisions_generations_and_repeats_are_told_apart(goal_row: Make) -> None:
    model = GoalsModel()
    model.set_units([1], [goal_row(1, cell=Cell("lead", "2", "no-goal", "0.1"), generation=1, repeat=3)])
    model.show_revisions(True)
    assert cell(model, 0, "cell") == "lead 2 · no goal · 0.1 · gen 1 · rep 3"


def test_a_million_rows_read_only_the_pages_that_are_painted(qtbot: QtBot, goal_row: Make) -> None:
    model = GoalsModel()
    model.set_units(array("q", range(1, 1_000_001)))
    assert model.rowCount() == 1_000_000
    with qtbot.waitSignal(model.rows_wanted) as asked:
        for row in range(500_000, 500_030):
            assert cell(model, row, "goal") == LOADING
            assert cell(model, row, "strip") is None
    wanted = asked.args[0]
    assert len(wanted) == PAGE and 500_001 in wanted
    with qtbot.waitSignal(model.dataChanged) as changed:
        model.add_rows([goal_row(unit) for unit in wanted])
    assert changed.args[0].row() <= 500_000 <= changed.args[1].row()
    assert cell(model, 500_000, "goal") == "goal number 500001"


def test_scrolling_on_asks_for_the_last_pages_once_the_first_is_there(qtbot: QtBot, goal_row: Make) -> None:
    model = GoalsModel()
    model.set_units(array("q", range(PAGE * 40)))
    with qtbot.waitSignal(model.rows_wanted):
        cell(model, 0, "goal")
    for page in range(10, 30):
        cell(model, page * PAGE, "goal")
    with qtbot.waitSignal(model.rows_wanted) as asked:
        model.add_rows([goal_row(unit) for unit in range(PAGE)])
    assert set(asked.args[0]) == set(range(27 * PAGE, 30 * PAGE))


def test_a_row_that_is_gone_is_said_to_be_and_not_asked_for_again(qtbot: QtBot, goal_row: Make) -> None:
    model = GoalsModel()
    model.set_units([1, 2])
    with qtbot.waitSignal(model.rows_wanted):
        cell(model, 0, "goal")
    model.add_rows([goal_row(1)])
    assert cell(model, 1, "goal") == GONE
    with qtbot.assertNotEmitted(model.rows_wanted, wait=50):
        cell(model, 1, "goal")


def test_data_shows_an_error_instead_of_raising(goal_row: Make) -> None:
    model = GoalsModel()
    model.set_units([1], [goal_row(1, budget="many")])
    assert cell(model, 0, "budget").startswith("ValueError")


def test_grouped_rows_repeat_their_context_faintly(goal_row: Make) -> None:
    model = GoalsModel()
    rows = [
        goal_row(unit, context_id=name, context_title=title)
        for unit, name, title in ((1, "a", "Report"), (2, "a", "Report"), (3, "b", None))
    ]
    model.set_units([1, 2, 3], rows)
    assert [cell(model, row, "context") for row in range(3)] == ["Report", "Report", "b"]
    assert cell(model, 1, "context", SPOKEN) == "Report"
    faint = [cell(model, row, "context", Qt.ItemDataRole.ForegroundRole) for row in range(3)]
    assert faint == [None, current_theme().muted, None]
    assert cell(model, 1, "goal", Qt.ItemDataRole.ForegroundRole) is None


@pytest.mark.parametrize("context", [False, True])
@pytest.mark.parametrize("width", [360, 416, 595])
@pytest.mark.parametrize("questions", [3, 200, 1200])
def test_the_goals_text_has_room_beside_any_strip(
    qtbot: QtBot, goal_row: Make, context: bool, width: int, questions: int
) -> None:
    model = GoalsModel()
    table = GoalsTable(model)
    qtbot.addWidget(table)
    table.resize(width, 300)
    table.show_columns(context=context, cell=False)
    rows = [
        goal_row(unit, goal_text="Keep what is said of the pump. " * 9, strip="T" * questions)
        for unit in range(40)
    ]
    model.set_units(
        [row.unit for row in rows], [replace(row, context_title="A long name " * 9) for row in rows]
    )
    table.show_order("away", False)
    table.fit_columns()
    shown = [key for key, place in PLACES.items() if not table.isColumnHidden(place)]
    assert sum(table.columnWidth(PLACES[key]) for key in shown) <= table.room()
    assert table.columnWidth(PLACES["goal"]) >= (160 if width >= 416 and not context else 96)
    for key in ("correct", "away"):
        assert key in shown and table.columnWidth(PLACES[key]) >= table.title_width(PLACES[key])
    assert squares_in(table.columnWidth(PLACES["strip"]), 3) == 3
    if questions > 12:
        strip = table.columnWidth(PLACES["strip"])
        assert 0 < squares_in(strip, questions) < questions


def test_unit_keys_beyond_32_bits_pass(qtbot: QtBot, goal_row: Make) -> None:
    big = 2**40 + 7
    model = GoalsModel()
    model.set_units(array("q", [1, big]))
    with qtbot.waitSignal(model.rows_wanted) as asked:
        cell(model, 1, "goal")
    assert big in asked.args[0]
    model.add_rows([goal_row(big, budget=2**63)])
    assert model.row_of(big) == 1
    assert cell(model, 1, "budget") == f"{2**63:,}"
