"""The goals list with reviewers' decisions: marks always, counted by them on demand."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from gacc_gui.app.reviewing import Decision, append_review
from gacc_gui.core.filters import parse
from gacc_gui.gui.lists.goals_model import MARKS, PLACES
from gacc_gui.gui.lists.strip import MARGIN, SQUARE
from gacc_gui.gui.settings import load_settings
from gacc_gui.gui.side.section import Elided
from gacc_gui.gui.theme import current_theme
from gacc_gui.store.database import open_database
from gacc_gui.store.reads import Reader
from tests.gui.conftest import at_rest

if TYPE_CHECKING:
    from gacc_gui.gui.lists.goals_view import GoalsView
    from gacc_gui.gui.main_window import MainWindow

OpenWindow = Callable[..., "MainWindow"]


@pytest.fixture
def database(tmp_path: Path, demo_database: Path) -> Path:
    """The demonstration, two goals of which reviewers decided on.

    Of its first goal one away the wrong row is called correct, and a right one correct by one reviewer, then
    incorrect by another; of the next goal a right row is called unclear.
    """
    path = Path(shutil.copy(demo_database, tmp_path / "mine.db"))
    with Reader(path) as reader:
        first, second = (
            reader.unit_view(unit) for unit in reader.goal_units("demo", query=parse("away:1"))[:2]
        )
    with open_database(path) as database:
        for view, decisions in ((first, ("correct", "incorrect")), (second, ("unclear",))):
            wrong = next(row for row in view.rows if row.label != "correct")
            right = next(row for row in view.rows if row.label == "correct")
            for row, decision in zip((wrong, right) if view is first else (right,), decisions, strict=True):
                where = view.memory.id, row.question.id, view.repeat
                if decision == "incorrect":
                    append_review(database, "demo", Decision(*where, "correct", "Ben"))
                append_review(database, "demo", Decision(*where, decision, "Ada", tags=("odd",)))
    return path


def goals(window: MainWindow) -> GoalsView:
    return window.inspector.goals


def shown(window: MainWindow, row: int, key: str, role: int = Qt.ItemDataRole.DisplayRole) -> object:
    model = goals(window).model
    return model.data(model.index(row, PLACES[key]), role)


def test_marks_stand_always_and_labels_on_demand(
    qtbot: QtBot, open_window: OpenWindow, database: Path, own_folder: Path
) -> None:
    window = open_window(database)
    view = goals(window)
    first, second = view.model.units[:2]
    with Reader(database) as reader:
        strip, other = (row.strip for row in reader.goal_rows([first, second]))
        whole = reader.goal_units("demo")
    wrong, right = next(n for n, letter in enumerate(strip) if letter != "✓"), strip.index("✓")
    unclear = other.index("✓")
    count, switch = window.findChild(Elided, "goalsCount"), window.findChild(QToolButton, "asReviewed")
    assert count is not None and switch is not None and not switch.isHidden()

    # as judged: the judge's letters, marked
    assert (shown(window, 0, "strip"), shown(window, 0, "correct")) == (strip, "4/5")
    assert shown(window, 0, "strip", MARKS) == {wrong: True, right: True}
    assert shown(window, 1, "strip", MARKS) == {unclear: True}
    assert shown(window, 2, "strip", MARKS) == {}
    told = str(shown(window, 0, "strip", Qt.ItemDataRole.ToolTipRole))
    assert f"question {wrong + 1}: judge incorrect" in told and "Ada correct" in told
    assert f"question {right + 1}: judge correct; Ada incorrect" in told and "reviewers disagree" in told
    assert count.text() == f"{len(whole)} goals, as judged"
    corner = _corner(window, 0, wrong)
    assert corner == current_theme().text.name() != _corner(window, 2, 0)

    # as reviewed: their letters, figures and order
    qtbot.mouseClick(switch, Qt.MouseButton.LeftButton)
    at_rest(qtbot, window)
    assert count.text() == f"{len(whole)} goals, as reviewed"
    place = view.model.row_of(first)
    letters = str(shown(window, place, "strip"))
    assert letters[wrong] == "✓" and letters[right] not in "✓–"
    assert (shown(window, place, "correct"), shown(window, place, "away")) == ("4/5", "1")
    place = view.model.row_of(second)
    assert str(shown(window, place, "strip"))[unclear] == "–"
    assert (shown(window, place, "correct"), shown(window, place, "away")) == ("3/5", "2")
    away = [int(str(shown(window, row, "away"))) for row in range(min(60, len(whole)))]
    assert away == sorted(away, key=lambda n: (n == 0, n))
    window.session.set_query(parse("cause:no-verdict review:unclear"))
    at_rest(qtbot, window)
    assert list(view.model.units) == [second]

    # remembered, and back by the keyboard
    window.close()
    assert load_settings()[0].as_reviewed is True
    again = open_window(database)
    assert again.findChild(Elided, "goalsCount").text().endswith("goals, as reviewed")
    qtbot.keyClick(again, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    at_rest(qtbot, again)
    assert list(goals(again).model.units) == list(whole)
    assert again.findChild(Elided, "goalsCount").text().endswith("goals, as judged")


def _corner(window: MainWindow, row: int, place: int) -> str:
    """The colour two pixels inside the upper right corner of a question's square."""
    table = goals(window).table
    model = goals(window).model
    cell = table.visualRect(model.index(row, PLACES["strip"]))
    left = cell.left() + MARGIN + place * (SQUARE + 2)
    at = QPoint(left + SQUARE - 2, cell.top() + (cell.height() - SQUARE) // 2 + 1)
    return table.viewport().grab().toImage().pixelColor(at).name()


def test_filters_about_reviews_and_a_decision_that_comes_in(
    qtbot: QtBot, open_window: OpenWindow, database: Path
) -> None:
    window = open_window(database)
    view = goals(window)
    first, second, third = view.model.units[:3]
    for text, units in (
        ("review:any", {first, second}),
        ("review:conflict", {first}),
        ("review:changed tag:odd", {first, second}),
        ("reviewer:Ben", {first}),
        ("review:unclear", {second}),
        ("reviewer:Eve", set()),
    ):
        window.session.set_query(parse(text))
        at_rest(qtbot, window)
        assert set(view.model.units) == units, text
    window.session.set_query(parse("review:any"))
    with Reader(database) as reader:
        unit = reader.unit_view(third)
    window.reviews.write(
        "demo", Decision(unit.memory.id, unit.rows[0].question.id, unit.repeat, "correct", "Eve")
    )
    qtbot.waitUntil(lambda: window.reviews.is_stored)
    at_rest(qtbot, window)
    assert set(view.model.units) == {first, second, third}


def test_the_matrix_counts_as_the_list_does(qtbot: QtBot, open_window: OpenWindow, database: Path) -> None:
    from gacc_gui.gui.matrix.matrix_model import DECIDED

    window = open_window(database)
    first = goals(window).model.units[0]
    window.views.show_view("matrix")
    at_rest(qtbot, window)
    model = window.views.view("matrix").model
    matrix = model.matrix
    column = next(n for n, one in enumerate(matrix.columns, 1) if one.units[0].unit == first)
    decided = {row: model.data(model.index(row, column), DECIDED) for row in range(len(matrix.questions))}
    assert list(decided.values()).count(True) == 2 and list(decided.values()).count(None) == 3
    before = [place[column - 1].letter for place in matrix.places]
    window.session.set_options(as_reviewed=True)
    at_rest(qtbot, window)
    after = [place[column - 1].letter for place in model.matrix.places]
    assert {row for row in decided if before[row] != after[row]} == {r for r in decided if decided[r]}
    row = next(row for row in decided if after[row] == "✓" and before[row] != "✓")
    words = model.words(model.index(row, column))
    assert "Judge incorrect" in words and "Ada correct." in words
