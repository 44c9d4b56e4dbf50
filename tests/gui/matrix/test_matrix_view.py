"""The matrix view: its model, its walk through goals, its way to a unit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.core.matrix import MatrixQuestion, MatrixUnit, goal_matrix
from gacc_gui.core.records import Cell
from gacc_gui.gui.matrix.matrix_model import PLACE, MatrixModel
from gacc_gui.gui.matrix.matrix_table import MatrixTable
from gacc_gui.gui.theme import apply_theme, current_theme

if TYPE_CHECKING:
    from gacc_gui.gui.main_window import MainWindow
    from gacc_gui.gui.matrix.matrix_view import MatrixView

OpenWindow = Callable[..., "MainWindow"]
QUESTIONS = [MatrixQuestion("q1", "<b>bold</b>\nand more"), MatrixQuestion("q2", "two")]


def rest(qtbot: QtBot, window: MainWindow) -> None:
    quiet = 0

    def rested() -> bool:
        nonlocal quiet
        quiet = quiet + 1 if window.is_idle else 0
        return quiet > 3

    qtbot.waitUntil(rested, timeout=20_000)


def small(*, together: bool = False) -> Any:
    units = [
        MatrixUnit(n, Cell("lead", "1", condition, ratio), 0, repeat, 10, strip)
        for n, (condition, ratio, repeat, strip) in enumerate(
            [
                ("own-goal", "0.1", 0, "✓T"),
                ("own-goal", "0.1", 1, "TT"),
                ("own-goal", "0.2", 0, "R✓"),
                ("own-goal", "0.2", 1, "R–"),
                ("no-goal", "0.1", 0, "CC"),
            ]
        )
    ]
    return goal_matrix("g", "goal", QUESTIONS, units, together=together)


def test_the_model(qtbot: QtBot) -> None:
    model = MatrixModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for matrix in (small(), small(together=True), None, small()):
        model.show_matrix(matrix)
    assert (model.rowCount(), model.columnCount()) == (2, 6)
    assert [model.index(0, column).data() for column in range(6)] == ["▼1", "✓", "T", "R", "R", "C"]
    assert model.index(1, 0).data() == "▲1"
    assert model.headerData(0, Qt.Orientation.Vertical) == "1  <b>bold</b> ⏎ and more"
    hint = model.headerData(0, Qt.Orientation.Vertical, Qt.ItemDataRole.ToolTipRole)
    assert "&lt;b&gt;" in hint
    words = model.words(model.index(0, 3))
    assert words.startswith(
        "lead 1 · own-goal · 0.2 · generation 0 · repeat 0 · budget 10 · question 1, q1: reader"
    )
    assert words.endswith("not monotone.")
    model.show_matrix(small(together=True))
    assert [model.index(0, column).data() for column in range(4)] == ["", "1/2", "R", "C"]
    assert "1 of 2 right" in model.words(model.index(0, 1))
    for row in range(2):
        for column in range(4):
            for role in range(20):
                value = model.index(row, column).data(role)
                assert value is None or type(value) in (str, int)
    del tester


def test_it_paints_repeats_and_turns(qtbot: QtBot) -> None:
    model = MatrixModel()
    table = MatrixTable(model)
    qtbot.addWidget(table)
    table.resize(900, 200)
    for matrix in (small(), small(together=True)):
        model.show_matrix(matrix)
        table.fit()
        with qtbot.waitExposed(table):
            table.show()
        assert table.grab().toImage().width() >= 900


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("repeats", [2, 12])
def test_a_triangle_stands_whole_beside_a_fraction(
    qtbot: QtBot, qapp: QApplication, theme: str, repeats: int
) -> None:
    """A place where repeats differ turns where some have no verdict and the others agree."""
    cell = partial(Cell, "lead", "1", "own-goal")
    units = [MatrixUnit(n, cell("0.1"), 0, n, 10, "TT") for n in range(repeats)]
    units += [
        MatrixUnit(repeats + n, cell("0.2"), 0, n, 10, "✓–" if n else "–✓")  # both rows differ, both turn
        for n in range(repeats)
    ]
    model = MatrixModel()
    table = MatrixTable(model)
    qtbot.addWidget(table)
    apply_theme(qapp, theme)
    try:
        table.resize(700, 200)
        model.show_matrix(goal_matrix("g", "goal", [*QUESTIONS], units, together=True))
        table.fit()
        with qtbot.waitExposed(table):
            table.show()
        index = model.index(1, 2)
        assert index.data() == f"1/{repeats}" and index.data(PLACE).turn == "gained"
        picture = table.viewport().grab(table.visualRect(index)).toImage()
        green, words = current_theme().cause_text("correct"), current_theme().muted
        spots = [(x, y) for x in range(picture.width()) for y in range(picture.height())]
        triangle = [at for at in spots if picture.pixelColor(*at) == green]
        frame = [x for x, y in spots if picture.pixelColor(x, y) == words]
        left, right = min(x for x, _ in triangle), max(x for x, _ in triangle)
        assert max(frame) < left and right < picture.width() - 1 and min(frame) > 0
        # as wide on either side of its tip
        tip = [x for x, y in triangle if y == min(y for _, y in triangle)]
        assert abs((left + right) - (min(tip) + max(tip))) <= 1 and right - left >= 4
    finally:
        apply_theme(qapp, "light")


@pytest.fixture
def shown(open_window: OpenWindow, demo_database: Path, qtbot: QtBot) -> tuple[MainWindow, MatrixView]:
    window = open_window(demo_database)
    assert window.commands.run("matrix")
    rest(qtbot, window)
    view: Any = window.findChild(QWidget, "matrixView")
    assert window.views.currentWidget() is view
    return window, view


def test_it_follows_the_goal_and_goes_to_a_unit(shown: tuple[MainWindow, MatrixView], qtbot: QtBot) -> None:
    window, view = shown
    unit = window.session.unit
    assert unit is not None and view.goal_id == unit.goal.id
    matrix = view.model.matrix
    assert matrix is not None and len(matrix.columns) == 12
    current = view.table.currentIndex()
    assert matrix.columns[current.column() - 1].units[0].unit == unit.unit
    assert matrix.questions[current.row()].question_id == window.session.question
    # By keyboard: two cells on, one question down or up, Enter.
    step = Qt.Key.Key_Left if current.column() > 3 else Qt.Key.Key_Right
    qtbot.keyClick(view.table, step)
    qtbot.keyClick(view.table, step)
    qtbot.keyClick(view.table, Qt.Key.Key_Up if current.row() else Qt.Key.Key_Down)
    chosen = view.table.currentIndex()
    assert abs(chosen.column() - current.column()) == 2 and chosen.row() != current.row()
    qtbot.keyClick(view.table, Qt.Key.Key_Return)
    rest(qtbot, window)
    assert window.views.currentWidget() is window.inspector
    assert window.session.unit is not None
    assert window.session.unit.unit == matrix.columns[chosen.column() - 1].units[0].unit
    assert window.session.question == matrix.questions[chosen.row()].question_id


def test_a_double_click_goes_there_too(shown: tuple[MainWindow, MatrixView], qtbot: QtBot) -> None:
    window, view = shown
    matrix = view.model.matrix
    assert matrix is not None
    spot: QPoint = view.table.visualRect(view.model.index(2, 4)).center()
    qtbot.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    qtbot.mouseDClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    rest(qtbot, window)
    assert window.session.unit is not None
    assert window.session.unit.unit == matrix.columns[3].units[0].unit
    assert window.session.question == matrix.questions[2].question_id


def test_walking_through_goals(shown: tuple[MainWindow, MatrixView], qtbot: QtBot) -> None:
    window, view = shown
    first = view.goal_id
    view._next.click()
    rest(qtbot, window)
    assert view.goal_id != first
    view._previous.click()
    rest(qtbot, window)
    assert view.goal_id == first
    view._next_lost.click()
    rest(qtbot, window)
    matrix = view.model.matrix
    assert matrix is not None and any(matrix.turns(row)[1] for row in range(len(matrix.questions)))
    assert "not monotone" in view._facts.text()


def test_lost_goals_are_filtered_by_a_command(shown: tuple[MainWindow, MatrixView], qtbot: QtBot) -> None:
    window, _ = shown
    assert window.commands.run("lost-goals")
    rest(qtbot, window)
    assert window.inspector.filter.line.text() == "flip:nonmonotone"
    assert 0 < window.inspector.goals.table.model().rowCount() < 144


def test_a_run_that_goes_leaves_nothing_behind(shown: tuple[MainWindow, MatrixView], qtbot: QtBot) -> None:
    window, view = shown
    window.session.show_run(None)
    rest(qtbot, window)
    assert view.model.matrix is None


def heads(table: MatrixTable) -> tuple[list[int], list[int], list[int]]:
    header: Any = table.horizontalHeader()
    least, whole = header.widths()
    return [header.sectionSize(n) for n in range(header.count())], least, whole


def test_heads_and_questions_are_whole_where_there_is_room(qtbot: QtBot) -> None:
    model = MatrixModel()
    table = MatrixTable(model)
    qtbot.addWidget(table)
    cells = [Cell("a long compressor", "1", "no-goal", "0.1"), Cell("lead", "1", "own-goal", "0.125")]
    units = [MatrixUnit(n, cell, 0, 0, 10, "✓") for n, cell in enumerate(cells)]
    question = MatrixQuestion("q1", "is this question rather longer than what had room before? " * 2)
    table.resize(1400, 200)
    with qtbot.waitExposed(table):
        table.show()
    model.show_matrix(goal_matrix("g", "goal", [question], units))
    table.fit()
    sizes, least, whole = heads(table)
    assert sizes == whole and sum(whole) > sum(least)
    metrics, down = table.horizontalHeader().fontMetrics(), table.verticalHeader()
    assert sizes[1] > metrics.horizontalAdvance("a long compressor")
    assert sizes[2] > metrics.horizontalAdvance("0.125")
    assert down.width() > down.fontMetrics().horizontalAdvance(question.text)
    table.resize(420, 200)  # fitted anew, and nothing takes more than there is
    qtbot.waitUntil(lambda: table.verticalHeader().width() == 320)
    assert heads(table)[0] == least


def test_units_of_a_cell_are_told_apart_and_the_line_says_how() -> None:
    def model_of(pairs: list[tuple[int, int]], *, together: bool = False) -> MatrixModel:
        cell = Cell("lead", "1", "own-goal", "0.1")
        units = [MatrixUnit(n, cell, *pair, 10, "✓") for n, pair in enumerate(pairs)]
        model = MatrixModel()
        model.show_matrix(goal_matrix("g", "", [MatrixQuestion("q", "")], units, together=together))
        return model

    def told(model: MatrixModel) -> tuple[str, list[str]]:
        assert model.matrix is not None
        return model.unit_title(), [model.unit_words(column) for column in model.matrix.columns]

    assert told(model_of([(0, 0)])) == ("", [""])
    assert told(model_of([(0, 0), (0, 1)])) == ("Repeat", ["r0", "r1"])
    assert told(model_of([(0, 0), (2, 0)])) == ("Generation", ["g0", "g2"])
    assert told(model_of([(0, 0), (0, 1), (1, 0)])) == ("Gen. repeat", ["g0 r0", "g0 r1", "g1 r0"])
    assert told(model_of([(0, 0), (0, 1)], together=True)) == ("Units", ["×2"])


def test_two_revisions_of_a_compressor_are_two_heads() -> None:
    from gacc_gui.gui.matrix.matrix_table import _compressors

    cells = [Cell("pick", "1", "own-goal", "0.1"), Cell("pick", "2", "own-goal", "0.1")]
    cells.append(Cell("talk", "1", "own-goal", "0.1"))
    units = [MatrixUnit(n, cell, 0, 0, 10, "✓") for n, cell in enumerate(cells)]
    groups = _compressors(goal_matrix("g", "", [MatrixQuestion("q", "")], units))
    assert [name for *_, name, _ in groups] == ["pick 1", "pick 2", "talk"]


@pytest.mark.parametrize(
    ("questions", "verdicts", "said"),
    [
        (False, (), "This run has no goal with a question."),
        (True, (("0.1", "correct"),), "1 question over 1 cell; none has a verdict at two budgets"),
        (True, (("0.1", "correct"), ("0.5", None)), "1 question over 2 cells; none has a verdict"),
        (True, (("0.1", "incorrect"), ("0.5", "correct")), "every question is monotone in the budget"),
        (True, (("0.1", "correct"), ("0.5", "incorrect")), "1 question is not monotone in the budget"),
    ],
)
def test_it_says_no_more_than_there_is(
    open_window: OpenWindow,
    run_document: dict[str, Any],
    run_file: Callable[..., Path],
    tmp_path: Path,
    qtbot: QtBot,
    questions: bool,
    verdicts: tuple[tuple[str, str | None], ...],
    said: str,
) -> None:
    from gacc_gui.app.importing import import_paths

    document, memory = run_document, run_document["memories"][0]
    document["questions"] = document["questions"][:1] if questions else []
    for part in ("memories", "answers", "verdicts", "requests"):
        document[part] = []
    for ratio, label in verdicts:
        row = {"memory_id": f"m{ratio}", "question_id": document["questions"][0]["id"], "repeat": 0}
        document["memories"].append({**memory, "id": f"m{ratio}", "ratio": ratio})
        document["answers"].append({**row, "text": "an answer", "status": "ok"})
        if label:
            document["verdicts"].append({**row, "label": label, "status": "judged"})
    assert import_paths(tmp_path / "a.db", [run_file(document)]).files[0].error is None
    window = open_window(tmp_path / "a.db")
    assert window.commands.run("matrix")
    rest(qtbot, window)
    view: Any = window.findChild(QWidget, "matrixView")
    assert said in view._facts.text()
