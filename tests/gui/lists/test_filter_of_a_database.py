"""The filter over a real database: typed, completed, mistaken, left, and what it leaves of the goals."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from gacc_gui.core.terms import GOALS
from gacc_gui.gui.lists.goals_view import ELSEWHERE, STILL_SHOWN
from tests.gui.lists.left_side import Lists


def test_where_no_goal_fails_the_window_says_so(qtbot: QtBot, opened: Lists) -> None:
    opened.filter.line.setText("goal:right")
    qtbot.waitUntil(lambda: opened.count == "12 of 48 goals")
    with qtbot.waitSignal(opened.session.noticed) as said:
        opened.goals.next_failing()
    assert said.args == ["No goal in this list fails."]


def test_typing_filters_after_a_pause_and_the_count_tells_of_how_many(qtbot: QtBot, opened: Lists) -> None:
    line = opened.window.findChild(QLineEdit, "filterEdit")
    assert line is opened.filter.line
    line.setFocus()
    qtbot.keyClicks(line, "goal:failed away:1")
    qtbot.waitUntil(lambda: opened.count == "12 of 48 goals")
    assert set(opened.column("away")) == {"1"}
    line.clear()
    qtbot.waitUntil(lambda: opened.count == "48 goals")


def test_a_mistake_is_marked_at_its_place_and_the_list_stays(qtbot: QtBot, opened: Lists) -> None:
    line = opened.filter.line
    line.setText("away:1")
    qtbot.waitUntil(lambda: opened.count == "12 of 48 goals")
    line.setText("away:1 cause:truncatoin")
    qtbot.waitUntil(lambda: opened.filter.sentence != "")
    assert line.mistake == (13, 10)
    assert "truncation" in opened.filter.sentence
    assert line.accessibleDescription() == opened.filter.sentence
    assert opened.count == "12 of 48 goals"
    line.setText("away:1 cause:truncation")
    qtbot.waitUntil(lambda: opened.filter.sentence == "")
    assert line.mistake is None


def test_no_match_offers_to_clear_the_filter(qtbot: QtBot, opened: Lists) -> None:
    opened.filter.line.setText("compressor:nobody")
    qtbot.waitUntil(lambda: opened.message.startswith("No goal matches."))
    assert opened.count == "0 of 48 goals"
    button = opened.goals.findChild(QPushButton)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: opened.count == "48 goals")
    assert opened.filter.line.text() == ""
    assert opened.message == ""


def test_a_goal_that_the_filter_leaves_out_stays_and_is_said_to(qtbot: QtBot, opened: Lists) -> None:
    shown = opened.session.unit
    assert shown is not None
    opened.filter.line.setText("compressor:nobody")
    qtbot.waitUntil(lambda: opened.message.startswith("No goal matches."))
    assert STILL_SHOWN.format(GOALS) in opened.message
    opened.filter.line.setText(f"-goal-id:{shown.goal.id}")
    qtbot.waitUntil(lambda: opened.said_count.endswith(ELSEWHERE))
    assert opened.session.unit is shown
    opened.session.choose_unit(opened.goals.model.units[0])
    qtbot.waitUntil(lambda: ELSEWHERE not in opened.said_count)


def test_completion_knows_the_runs_own_words(qtbot: QtBot, opened: Lists) -> None:
    line = opened.filter.line
    qtbot.waitUntil(lambda: opened.background.is_idle)
    line.setFocus()
    qtbot.keyClicks(line, "compr")
    assert line.offered == ("compressor:",)
    qtbot.keyClick(line, Qt.Key.Key_Space, Qt.KeyboardModifier.ControlModifier)
    popup = next(each for each in QApplication.allWidgets() if each.objectName() == "filterCompletions")
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Return)
    assert line.text() == "compressor:"
    assert line.offered == ("lead", "pick")
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Return)
    assert line.text() == "compressor:pick "
    qtbot.waitUntil(lambda: opened.count == "24 of 48 goals")


def test_a_word_that_a_completion_fits_is_no_mistake_until_it_is_left(qtbot: QtBot, opened: Lists) -> None:
    line = opened.filter.line
    qtbot.waitUntil(lambda: opened.background.is_idle)
    line.setFocus()
    for text in ("-", "cause:", "away:1 cause:trunc"):
        line.setText(text)
        opened.filter._apply(patient=True)
        assert not opened.filter._late.isActive(), text
        assert (opened.filter.sentence, line.mistake) == ("", None), text
    line.setCursorPosition(2)
    opened.filter._apply(patient=True)
    assert opened.filter._late.isActive()
    line.end(False)
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert line.mistake == (13, 5)
    line.setText("cause:trunc")
    line.editingFinished.emit()
    assert "truncation" in opened.filter.sentence


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Down, Qt.Key.Key_Escape])
def test_the_keyboard_leaves_the_filter_for_the_list(qtbot: QtBot, opened: Lists, key: Qt.Key) -> None:
    line = opened.filter.line
    line.setFocus()
    line.setText("" if key == Qt.Key.Key_Escape else "away:1")
    with qtbot.waitSignal(opened.filter.left):
        qtbot.keyClick(line, key)
    line.setText("away:x")
    with qtbot.assertNotEmitted(opened.filter.left):
        qtbot.keyClick(line, Qt.Key.Key_Return)
        qtbot.keyClick(line, Qt.Key.Key_Escape)
    assert line.text() == ""
