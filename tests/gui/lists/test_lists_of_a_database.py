"""The lists over a real database, read in the background as in the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QListView, QTableView
from pytestqt.qtbot import QtBot

from gacc_gui.core.records import Cell
from gacc_gui.gui.lists.cell_chooser import with_value
from gacc_gui.gui.lists.goals_model import PLACES
from gacc_gui.gui.lists.questions_view import QuestionsView
from gacc_gui.gui.lists.strip import GAP, MARGIN, SQUARE
from gacc_gui.gui.theme import apply_theme
from gacc_gui.store.rows import CellChoice
from tests.gui.lists.left_side import COMPRESSORS, Lists, large_document


def test_runs_are_listed_in_natural_order_and_chosen_by_keyboard(qtbot: QtBot, lists: Lists) -> None:
    view = lists.window.findChild(QListView, "runsView")
    assert view is lists.runs
    qtbot.waitUntil(lambda: len(lists.runs.runs) == 3)
    assert [summary.run.id for summary in lists.runs.runs] == ["r1", "r9", "r10"]
    assert lists.message.startswith("No run is open")
    lists.runs.setFocus()
    qtbot.keyClick(lists.runs, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: lists.session.run is not None and lists.session.run.run.id == "r1")
    qtbot.keyClick(lists.runs, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: lists.session.run.run.id == "r10")
    qtbot.waitUntil(lambda: lists.count == "48 goals")


def test_one_question_away_stands_first_and_the_first_goal_is_shown(opened: Lists) -> None:
    table = opened.window.findChild(QTableView, "goalsView")
    assert table is opened.goals.table
    away = opened.column("away")
    assert away == ["1"] * 12 + ["2"] * 12 + ["3"] * 12 + ["0"] * 12
    assert opened.goals.table.currentIndex().row() == 0
    assert opened.session.unit.unit == opened.goals.model.units[0]
    assert not table.isColumnHidden(PLACES["cell"])
    assert opened.column("cell")[0] == "lead 1 · own · 0.5"


def test_the_loaded_model_keeps_qts_rules(qtbot: QtBot, opened: Lists) -> None:
    tester = QAbstractItemModelTester(
        opened.goals.model, QAbstractItemModelTester.FailureReportingMode.Warning
    )
    opened.goals.sort_by("goal", descending=True)
    qtbot.waitUntil(lambda: opened.column("goal")[0] == "Keep what goal 11 is about")
    del tester


def test_a_click_on_a_header_sorts_and_a_second_one_reverses(qtbot: QtBot, opened: Lists) -> None:
    header = opened.goals.table.horizontalHeader()

    def click(key: str) -> None:
        x = header.sectionViewportPosition(PLACES[key]) + 5
        qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, header.height() // 2))

    unit = opened.session.unit.unit
    click("goal")
    qtbot.waitUntil(lambda: opened.column("goal")[:5:4] == [f"Keep what goal {n} is about" for n in (0, 1)])
    assert opened.session.unit.unit == unit
    assert opened.goals.model.units[opened.goals.table.currentIndex().row()] == unit
    click("goal")
    qtbot.waitUntil(lambda: opened.column("goal")[0] == "Keep what goal 11 is about")
    assert opened.goals.model.units[opened.goals.table.currentIndex().row()] == unit
    assert opened.goals.table.selectionModel().selectedRows()[0].row() == opened.goals.model.row_of(unit)


def test_selecting_a_row_shows_its_unit(qtbot: QtBot, opened: Lists) -> None:
    table = opened.goals.table
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: opened.session.unit.unit == opened.goals.model.units[1])
    assert table.currentIndex().row() == 1


def test_a_click_on_a_square_chooses_goal_and_question(qtbot: QtBot, opened: Lists) -> None:
    table = opened.goals.table
    cell = table.visualRect(opened.goals.model.index(3, PLACES["strip"]))
    third = QPoint(cell.left() + MARGIN + 2 * (SQUARE + GAP) + SQUARE // 2, cell.center().y())
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=third)
    wanted = opened.goals.model.units[3]
    qtbot.waitUntil(lambda: opened.session.unit.unit == wanted)
    assert opened.session.question == opened.session.unit.rows[2].question.id
    first = QPoint(cell.left() + MARGIN + 2, cell.center().y())
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=first)
    assert opened.session.question == opened.session.unit.rows[0].question.id


def test_n_and_p_walk_over_failing_goals_only_and_round_the_end(qtbot: QtBot, opened: Lists) -> None:
    table = opened.goals.table
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_N)
    qtbot.waitUntil(lambda: table.currentIndex().row() == 1)
    opened.goals.previous_failing()
    qtbot.waitUntil(lambda: table.currentIndex().row() == 0)
    qtbot.keyClick(table, Qt.Key.Key_P)
    qtbot.waitUntil(lambda: table.currentIndex().row() == 35)
    opened.goals.next_failing()
    qtbot.waitUntil(lambda: table.currentIndex().row() == 0)
    qtbot.waitUntil(lambda: opened.session.unit.unit == opened.goals.model.units[0])


def test_choosing_cells_narrows_the_list(qtbot: QtBot, opened: Lists) -> None:
    qtbot.waitUntil(lambda: opened.cells.field("ratio").box.count() == 3)
    box = opened.cells.field("compressor").box
    assert [box.itemText(place) for place in range(box.count())] == ["all", "lead", "pick"]
    assert opened.cells.field("revision").isVisible()
    assert not opened.cells.field("condition").box.isEnabled()
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: opened.count == "24 goals")
    assert opened.session.choice == CellChoice(compressor="pick")
    assert not opened.cells.field("revision").isVisible()
    qtbot.keyClick(opened.cells.field("ratio").box, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: opened.count == "12 goals")
    assert opened.session.choice == CellChoice(compressor="pick", ratio="0.1")
    assert opened.goals.table.isColumnHidden(PLACES["cell"])


def test_values_that_leave_no_cell_fall_back_to_all() -> None:
    cells = [Cell(name, revision, "own-goal", ratio) for name, revision, ratio in COMPRESSORS]
    choice = CellChoice("pick", None, "own-goal", "0.1")
    assert with_value(choice, "compressor", "lead", cells) == CellChoice("lead", None, "own-goal", None)
    assert with_value(choice, "ratio", "0.5", cells) == CellChoice("pick", None, "own-goal", "0.5")
    assert with_value(CellChoice("lead", "2"), "compressor", "pick", cells) == CellChoice("pick")


def test_grouping_keeps_the_goals_of_a_context_together(qtbot: QtBot, opened: Lists) -> None:
    opened.session.set_options(grouped=True)
    qtbot.waitUntil(lambda: not opened.goals.table.isColumnHidden(PLACES["context"]))
    qtbot.waitUntil(lambda: opened.column("context") == [f"Pump {n}" for n in range(4) for _ in range(12)])
    opened.session.set_options(grouped=False)
    qtbot.waitUntil(lambda: opened.goals.table.isColumnHidden(PLACES["context"]))


def test_new_rows_refresh_the_list_and_the_selection_stays(
    qtbot: QtBot, opened: Lists, database: Path, run_document: dict[str, Any], run_file: Callable[..., Path]
) -> None:
    from gacc_gui.app.importing import import_paths

    opened.goals.table.selectRow(7)
    unit = opened.goals.model.units[7]
    qtbot.waitUntil(lambda: opened.session.unit.unit == unit)
    bar = opened.goals.table.verticalScrollBar()
    bar.setValue(bar.maximum())
    import_paths(database, [run_file(large_document(run_document, "r2"), "r2.json")])
    opened.session.data_changed.emit()
    qtbot.waitUntil(lambda: len(opened.runs.runs) == 4 and opened.background.is_idle)
    assert bar.value() == bar.maximum() > 0
    assert opened.runs.currentIndex().row() == 0
    assert opened.goals.model.units[opened.goals.table.currentIndex().row()] == unit
    assert opened.session.unit.unit == unit


@pytest.mark.parametrize(
    ("without", "said"),
    [
        ((), "This run has no memories yet"),
        (("questions",), "The goals of this run have no questions"),
        (("questions", "goals", "contexts"), "This run has no goals."),
    ],
)
def test_a_run_without_memories_says_what_is_missing(
    qtbot: QtBot,
    lists: Lists,
    database: Path,
    run_document: dict[str, Any],
    run_file: Callable[..., Path],
    without: tuple[str, ...],
    said: str,
) -> None:
    from gacc_gui.app.importing import import_paths

    empty: dict[str, Any] = {name: [] for name in without}
    bare = {**run_document, **empty, "memories": [], "answers": [], "verdicts": [], "requests": []}
    import_paths(database, [run_file(bare, "bare.json")])
    lists.session.choose_run("small")
    qtbot.waitUntil(lambda: lists.message.startswith(said))
    assert lists.session.unit is None


def test_a_unit_named_from_outside_is_chosen_in_the_list(qtbot: QtBot, lists: Lists) -> None:
    lists.session.choose_run("r9")
    qtbot.waitUntil(lambda: lists.session.run is not None)
    from gacc_gui.store.reads import Reader

    with Reader(lists.background.path) as reader:
        unit = reader.goal_units("r9")[40]
        question = reader.unit_view(unit).rows[2].question.id
    lists.session.choose_unit(unit, question)
    qtbot.waitUntil(lambda: lists.session.unit is not None and lists.session.unit.unit == unit)
    qtbot.waitUntil(lambda: lists.count == "48 goals")
    assert lists.session.unit.unit == unit and lists.session.question == question
    assert lists.goals.model.units[lists.goals.table.currentIndex().row()] == unit


def test_what_is_missing_stands_last_in_both_directions(
    qtbot: QtBot, lists: Lists, database: Path, run_document: dict[str, Any], run_file: Callable[..., Path]
) -> None:
    from gacc_gui.app.importing import import_paths

    document = large_document(run_document, "holes")
    for place, memory in enumerate(document["memories"]):
        memory["ledger"] = {**memory["ledger"], "proposed_tokens": 90 + place}
        if place < 5:
            # Neither where the cut fell nor how much was proposed is known.
            memory["retained_text"] = "something else"
            del memory["ledger"]["proposed_tokens"]
    import_paths(database, [run_file(document, "holes.json")])
    lists.session.choose_run("holes")
    qtbot.waitUntil(lambda: lists.count == "48 goals")
    lists.goals.sort_by("tail")
    qtbot.waitUntil(lambda: lists.column("tail")[0] == "14")
    assert lists.column("tail")[-6:] == ["56", *["?"] * 5]
    lists.goals.sort_by("tail", descending=True)
    qtbot.waitUntil(lambda: lists.column("tail")[0] == "56")
    assert lists.column("tail")[-6:] == ["14", *["?"] * 5]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_to_look_at(qtbot: QtBot, qapp: QApplication, opened: Lists, theme: str) -> None:
    apply_theme(qapp, theme)
    try:
        questions = QuestionsView(opened.session, opened.window)
        questions.setGeometry(0, 340, 900, 240)
        opened.goals.setGeometry(0, 140, 900, 200)
        opened.window.resize(900, 580)
        questions.show()
        opened.session.set_options(grouped=True)
        opened.filter.line.setText("goal:failed -cause:judje")
        qtbot.waitUntil(lambda: opened.filter.sentence != "" and opened.column("context")[12] == "Pump 1")
        folder = Path(__file__).resolve().parents[2] / "pictures"
        folder.mkdir(exist_ok=True)
        assert opened.window.grab().save(str(folder / f"lists-{theme}.png"))
    finally:
        apply_theme(qapp, "light")
