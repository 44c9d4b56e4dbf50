"""The cases' table: rows and columns, walking with the keyboard, clicks on squares, order and filter."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QFont
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from gacc_gui.app.compaction_views import Overview
from gacc_gui.core.compaction import FULL, FUSION, JEV, METHODS, SUMMARY
from gacc_gui.gui.compaction.cases_list import CasesList
from gacc_gui.gui.compaction.cases_model import METHODS as FIRST_METHOD
from gacc_gui.gui.compaction.cases_model import QUESTION, TYPE, CasesModel
from gacc_gui.gui.compaction.cases_table import CasesTable, Chosen, wrapped
from gacc_gui.gui.lists.strip import GAP, MARGIN, SQUARE
from gacc_gui.gui.theme import ui_font


@pytest.fixture
def cases(qtbot: QtBot, small_overview: Overview) -> Iterator[CasesList]:
    view = CasesList()
    qtbot.addWidget(view)
    view.resize(640, 400)
    with qtbot.waitExposed(view):
        view.show()
    view.show_overview(small_overview)
    yield view


def column_of(model: CasesModel, method: str) -> int:
    return FIRST_METHOD + model.methods.index(method)


def test_the_model_keeps_its_promises(small_overview: Overview) -> None:
    model = CasesModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show_overview(small_overview)
    assert (model.rowCount(), model.columnCount()) == (3, 3 + 4)
    index = model.index(0, column_of(model, JEV))
    assert model.data(index) == "1/4"
    assert model.data(index, Qt.ItemDataRole.AccessibleTextRole) == (
        "jev: 1 of 4 right (EM)\ngen 0 · answer 0: evidence dropped\ngen 0 · answer 1: condition failed\n"
        "gen 1 · answer 0: condition failed\ngen 1 · answer 1: correct"
    )
    assert [model.headerData(n, Qt.Orientation.Horizontal) for n in range(3, 7)] == list(METHODS)
    assert "Gold: " in str(model.data(model.index(0, QUESTION), Qt.ItemDataRole.ToolTipRole))
    model.show_overview(None)
    assert model.rowCount() == 0
    assert model.data(QModelIndex()) is None
    del tester


def test_an_empty_list_can_be_walked(qtbot: QtBot) -> None:
    view = CasesList()
    qtbot.addWidget(view)
    view.table.step_cell(1)
    view.table.step_failing(1)
    view.table.choose(Chosen("nobody", JEV, 0, 0))
    assert view.first() is None
    assert view.count_text() == "0 cases"


def test_arrows_choose_case_and_answer(cases: CasesList, qtbot: QtBot) -> None:
    table = cases.table
    first = cases.first()
    assert first is not None
    table.choose(first)
    table.setFocus()
    told: list[Chosen] = []
    table.cell_chosen.connect(told.append)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Right):
        qtbot.keyClick(table, key)
    assert [(one.case, one.method, one.generation, one.repeat) for one in told] == [
        ("case-1", FULL, 0, 1),
        ("case-2", FULL, 0, 1),
        ("case-2", FULL, 1, 0),
        ("case-2", FULL, 1, 1),
        ("case-2", JEV, 0, 0),
    ]
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Up):
        qtbot.keyClick(table, key)
    assert told[-1] == Chosen("case-1", FULL, 1, 1)
    assert table.chosen == told[-1]


def test_at_the_ends_of_a_case_nothing_is_chosen_anew(cases: CasesList, qtbot: QtBot) -> None:
    table = cases.table
    table.choose(Chosen("case-1", FUSION, 1, 1))
    told: list[Chosen] = []
    table.cell_chosen.connect(told.append)
    qtbot.keyClick(table, Qt.Key.Key_Right)
    assert told == []
    assert table.chosen == Chosen("case-1", FUSION, 1, 1)


def test_return_opens(cases: CasesList, qtbot: QtBot) -> None:
    cases.table.choose(cases.first())
    with qtbot.waitSignal(cases.table.opened):
        qtbot.keyClick(cases.table, Qt.Key.Key_Return)


def square(table: CasesTable, row: int, method: str, generation: int, repeat: int) -> QPoint:
    """The middle of an answer's square."""
    model = table.model()
    assert isinstance(model, CasesModel)
    cell = table.visualRect(model.index(row, column_of(model, method)))
    height = 2 * (SQUARE + GAP) - GAP
    left = cell.left() + MARGIN + repeat * (SQUARE + GAP) + SQUARE // 2
    top = cell.top() + (cell.height() - height) // 2 + generation * (SQUARE + GAP) + SQUARE // 2
    return QPoint(left, top)


@pytest.mark.parametrize("place", [(JEV, 0, 1), (SUMMARY, 1, 0), (FULL, 0, 0), (FUSION, 1, 1)])
def test_a_click_on_a_square_chooses_its_answer(
    cases: CasesList, qtbot: QtBot, place: tuple[str, int, int]
) -> None:
    table = cases.table
    table.choose(Chosen("case-3", FULL, 0, 1))
    told: list[Chosen] = []
    table.cell_chosen.connect(told.append)
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=square(table, 1, *place))
    assert told == [Chosen("case-2", *place)]
    assert table.chosen_row() == 1


def test_a_click_on_a_question_keeps_the_method(cases: CasesList, qtbot: QtBot) -> None:
    table = cases.table
    table.choose(Chosen("case-1", SUMMARY, 1, 1))
    told: list[Chosen] = []
    table.cell_chosen.connect(told.append)
    place = table.visualRect(table.model().index(2, QUESTION)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert told == [Chosen("case-3", SUMMARY, 1, 1)]


def test_going_on_to_what_is_not_right(cases: CasesList) -> None:
    table = cases.table
    table.choose(Chosen("case-1", FULL, 0, 0))
    found = []
    for _ in range(4):
        table.step_failing(1)
        found.append(table.chosen)
    assert found == [
        Chosen("case-1", FULL, 1, 0),
        Chosen("case-1", JEV, 0, 0),
        Chosen("case-1", JEV, 0, 1),
        Chosen("case-1", JEV, 1, 0),
    ]
    table.step_failing(-1)
    assert table.chosen == found[2]
    table.choose(Chosen("case-2", FUSION, 1, 1))
    table.step_failing(1)
    assert table.chosen == Chosen("case-1", FULL, 1, 0), "round the list"


def test_order_by_question_type_and_method(cases: CasesList, qtbot: QtBot) -> None:
    table, model = cases.table, cases.model
    table.choose(Chosen("case-1", FULL, 0, 0))
    header = table.horizontalHeader()

    def click(column: int) -> None:
        place = QPoint(header.sectionViewportPosition(column) + 8, header.height() // 2)
        qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)

    click(column_of(model, JEV))
    assert [case.number for case in model.rows] == [3, 2, 1]
    assert table.chosen_row() == 2, "the chosen case stays chosen"
    click(column_of(model, JEV))
    assert [case.number for case in model.rows] == [1, 2, 3]
    click(TYPE)
    assert [case.number for case in model.rows] == [1, 3, 2]
    click(QUESTION)
    assert [case.number for case in model.rows] == [2, 1, 3]
    click(0)
    assert [case.number for case in model.rows] == [1, 2, 3]


def test_the_filter_says_how_many_it_leaves_and_leads_back_to_the_list(
    cases: CasesList, qtbot: QtBot
) -> None:
    cases.filter.setFocus()
    qtbot.keyClicks(cases.filter, "type:comparison")
    assert cases.count_text() == "1 of 3 cases"
    assert [case.number for case in cases.model.rows] == [2]
    qtbot.keyClick(cases.filter, Qt.Key.Key_Return)
    assert cases.table.hasFocus()
    cases.filter.clear()
    assert cases.count_text() == "3 cases"


def test_nothing_is_scrolled_sideways_and_the_question_has_its_room(
    qtbot: QtBot, small_overview: Overview
) -> None:
    for width in (470, 560, 640, 900):
        view = CasesList()
        qtbot.addWidget(view)
        view.resize(width, 400)
        with qtbot.waitExposed(view):
            view.show()
        view.show_overview(small_overview)
        table = view.table
        assert not table.horizontalScrollBar().isVisible(), width
        assert table.columnWidth(QUESTION) >= 96
        assert not table.isColumnHidden(TYPE)


def test_rows_hold_as_many_squares_as_there_are_generations(cases: CasesList) -> None:
    assert cases.table.rowHeight(0) >= 2 * (SQUARE + GAP)


def test_a_question_is_broken_into_lines_and_nothing_is_lost(qtbot: QtBot) -> None:
    font: QFont = ui_font()
    text = "Which of the two \U0001f9e0 orchards was planted by somebody who never saw the sea?"
    lines = wrapped(text, font, 160, 2)
    assert len(lines) == 2
    assert " ".join(lines) == text
    assert wrapped(text, font, 10_000, 2) == (text,)
    assert wrapped("", font, 100, 2) == ("",)
