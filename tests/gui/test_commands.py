"""Commands: declared once, reachable from menus, palette and keys, silent while one types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QScrollArea, QTreeWidget, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.gui.commands import Command, Commands, matches, shown_shortcut, shown_shortcuts
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.menus import MENUS
from gacc_gui.gui.palette import Palette

OpenWindow = Callable[..., MainWindow]


def _nothing() -> None:
    pass


@pytest.mark.parametrize(
    ("pattern", "better", "worse"),
    [
        ("nfg", "Next failing goal", "Find in the texts"),
        ("audit", "Audit the run", "Try the demonstration"),
        ("next q", "Next question", "Next part of the window"),
        ("exp", "Export the run…", "Next part"),
    ],
)
def test_letters_find_the_command_meant(pattern: str, better: str, worse: str) -> None:
    best, other = matches(pattern, better), matches(pattern, worse)
    assert best is not None
    assert other is None or best < other


def test_letters_out_of_order_fit_nothing() -> None:
    assert matches("zz", "Next failing goal") is None
    assert matches("goal next", "Next failing goal") is None
    assert matches("", "Anything") is not None


def test_what_is_not_enabled_is_not_done(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    done: list[str] = []

    def do() -> None:
        done.append("done")

    commands = Commands(
        window,
        [
            Command("yes", "Yes", "File", do, ("Ctrl+Y",)),
            Command("no", "No & never", "File", do, enabled=lambda: False),
        ],
    )
    commands.refresh()
    assert commands.run("yes") is True
    assert commands.run("no") is False
    assert done == ["done"]
    assert commands.action("no").isEnabled() is False
    assert commands.action("no").text() == "No && never"


def test_every_command_is_in_a_menu_and_no_key_is_given_twice(open_window: OpenWindow) -> None:
    window = open_window(None)
    keys = Counter(
        QKeySequence(key).toString() for command in window.commands.all for key in command.shortcuts
    )
    assert [key for key, count in keys.items() if count > 1] == []
    assert {command.menu for command in window.commands.all} == set(MENUS)
    in_menus = {
        action.objectName() for menu in window.menuBar().actions() for action in menu.menu().actions()
    }
    assert {command.id for command in window.commands.all} <= in_menus
    assert all(QKeySequence(key).toString() for command in window.commands.all for key in command.shortcuts)


def test_the_palette_lists_what_can_be_done_and_does_it(qtbot: QtBot) -> None:
    host = QWidget()
    qtbot.addWidget(host)
    host.resize(800, 600)
    palette = Palette(host)
    commands = [
        Command("open", "Open run files…", "File", _nothing, ("Ctrl+O",)),
        Command("next", "Next failing goal", "Go", _nothing, ("N",)),
        Command("never", "Never", "Go", _nothing, enabled=lambda: False),
    ]
    with qtbot.waitExposed(host):
        host.show()
    palette.open(commands)
    assert palette.shown_titles() == ["Open run files…", "Next failing goal"]
    listed = palette.findChild(QTreeWidget)
    assert listed.topLevelItem(0).text(1) == shown_shortcut(commands[0])
    edit = palette.findChild(QLineEdit)
    qtbot.keyClicks(edit, "nfg")
    assert palette.shown_titles() == ["Next failing goal"]
    with qtbot.waitSignal(palette.command_chosen) as told, qtbot.waitSignal(palette.closed):
        qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert told.args == ["next"]
    assert palette.isHidden()


def test_arrows_move_in_the_palette_and_escape_closes_it(qtbot: QtBot) -> None:
    host = QWidget()
    qtbot.addWidget(host)
    palette = Palette(host)
    palette.open([Command(name, name, "Go", _nothing) for name in ("one", "two", "three")])
    edit, listed = palette.findChild(QLineEdit), palette.findChild(QTreeWidget)
    qtbot.keyClick(edit, Qt.Key.Key_Down)
    assert listed.currentItem().text(0) == "two"
    qtbot.keyClick(edit, Qt.Key.Key_Up)
    qtbot.keyClick(edit, Qt.Key.Key_Up)
    assert listed.currentItem().text(0) == "three"
    with qtbot.assertNotEmitted(palette.command_chosen), qtbot.waitSignal(palette.closed):
        qtbot.keyClick(edit, Qt.Key.Key_Escape)


def test_single_keys_step_and_do_not_fire_while_typing(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    window.activateWindow()
    ids = [row.question.id for row in window.session.unit.rows]
    window.session.choose_question(ids[0])
    table = window.inspector.goals.table
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_J)
    assert window.session.question == ids[1]
    qtbot.keyClick(table, Qt.Key.Key_K)
    assert window.session.question == ids[0]

    window.commands.run("filter")
    edit = QApplication.focusWidget()
    assert edit is not None and edit.objectName() == "filterEdit"
    qtbot.keyClicks(edit, "jkn?")
    assert window.session.question == ids[0]
    assert edit.text() == "jkn?"
    assert window.shortcut_sheet.isHidden()


def test_the_sheet_shows_every_shortcut_and_any_key_closes_it(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(None)
    window.commands.run("shortcuts")
    sheet = window.shortcut_sheet
    assert sheet.isVisible()
    words = {label.text() for label in sheet.findChildren(QWidget) if hasattr(label, "text")}
    for command in window.commands.all:
        if command.shortcuts:
            assert command.title in words
            assert shown_shortcuts(command) in words
    assert {"Ctrl+L or /", "Ctrl+W or Ctrl+Q"} <= words
    assert window.rect().contains(sheet.geometry())
    qtbot.keyClick(sheet, Qt.Key.Key_X)
    assert sheet.isHidden()


def test_in_a_small_window_the_sheet_is_scrolled(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(None)
    window.resize(960, 600)
    window.commands.run("shortcuts")
    sheet = window.shortcut_sheet
    area = sheet.findChild(QScrollArea)
    last = next(label for label in sheet.findChildren(QLabel) if label.text().startswith("Count goals"))
    assert window.rect().contains(sheet.geometry())
    assert area.widget().width() <= area.viewport().width()
    assert last.visibleRegion().boundingRect() != last.rect()
    for _ in range(5):
        qtbot.keyClick(sheet, Qt.Key.Key_PageDown)
    assert sheet.isVisible()
    assert last.visibleRegion().boundingRect() == last.rect()
    qtbot.keyClick(sheet, Qt.Key.Key_Escape)
    assert sheet.isHidden()
    window.resize(1280, 800)
    window.commands.run("shortcuts")
    QApplication.processEvents()
    assert area.verticalScrollBar().maximum() == 0 and not area.verticalScrollBar().isVisible()
    qtbot.keyClick(sheet, Qt.Key.Key_Down)
    assert sheet.isHidden()
