"""The start page: what to do when nothing is open."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QPushButton
from pytestqt.qtbot import QtBot

from gacc_gui.gui.start_page import StartPage


def test_buttons_ask_for_files_and_the_demonstration(qtbot: QtBot) -> None:
    page = StartPage()
    qtbot.addWidget(page)
    for words, signal in (("Open", page.open_requested), ("demonstration", page.demo_requested)):
        button = next(one for one in page.findChildren(QPushButton) if words in one.text())
        with qtbot.waitSignal(signal):
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_recent_files_that_are_gone_are_left_out(qtbot: QtBot, tmp_path: Path) -> None:
    here = tmp_path / "<b>\u202ehere.json"
    here.write_text("{}", encoding="utf-8")
    page = StartPage()
    qtbot.addWidget(page)
    page.show()
    recent = page.findChild(QListWidget, "recentFiles")
    assert recent.isHidden()
    page.show_recent([str(here), str(tmp_path / "gone.json")])
    assert recent.isVisible()
    assert [recent.item(row).text() for row in range(recent.count())] == [
        str(here).replace("\u202e", "⟨RLO⟩")
    ]
    with qtbot.waitSignal(page.recent_chosen) as told:
        qtbot.mouseClick(
            recent.viewport(),
            Qt.MouseButton.LeftButton,
            pos=recent.visualItemRect(recent.item(0)).center(),
        )
    assert told.args == [str(here)]
