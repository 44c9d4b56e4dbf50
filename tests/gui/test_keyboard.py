"""The keyboard reaches every part of the inspector, and leaves it again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gacc_gui.gui.main_window import MainWindow

OpenWindow = Callable[..., MainWindow]
MANY = 80


def focused() -> str:
    """The name of the part that has the keyboard."""
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget.objectName()


def test_tab_goes_round_through_the_detail_to_the_side_panel(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    window.activateWindow()
    window.inspector.goals.setFocus()
    seen = [focused()]
    for _ in range(MANY):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        seen.append(focused())
        if seen[-1] == "goalsView":
            break
    assert seen[-1] == "goalsView"
    assert {"sourcePane", "questionsView", "detailArea", "budgetSlider", "runsView", "filterEdit"} <= set(
        seen
    )


def test_f6_stops_at_the_detail(open_window: OpenWindow, demo_database: Path, qtbot: QtBot) -> None:
    window = open_window(demo_database)
    window.activateWindow()
    window.inspector.questions.table.setFocus()
    window.commands.run("next-part")
    assert focused() == "detailArea"
    window.commands.run("next-part")
    assert focused() == "budgetSlider"
    window.commands.run("previous-part")
    window.commands.run("previous-part")
    assert focused() == "questionsView"


def test_return_in_the_filter_goes_to_the_goals(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    window.activateWindow()
    window.commands.run("filter")
    qtbot.keyClicks(window.inspector.filter.line, "goal:failed ")
    qtbot.keyClick(window.inspector.filter.line, Qt.Key.Key_Return)
    assert focused() == "goalsView"
