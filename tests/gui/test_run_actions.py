"""What is done to a run from the window: deleted, renamed, exported, told how it is reopened."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.gui.asking import Asker
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.opening import Place
from tests.gui.conftest import at_rest

OpenWindow = Callable[..., MainWindow]


class Answers(Asker):
    """Answers in place of a person."""

    def __init__(self, yes: bool = True, words: str | None = None, target: Path | None = None) -> None:
        self.yes, self.words, self.target = yes, words, target
        self.asked: list[str] = []

    def confirm(self, parent: QWidget, title: str, text: str, action: str) -> bool:
        self.asked.append(text)
        return self.yes

    def text(self, parent: QWidget, title: str, label: str, value: str) -> str | None:
        return self.words

    def export_target(self, parent: QWidget, suggestion: str) -> Path | None:
        self.asked.append(suggestion)
        return self.target


def test_deleting_asks_first(open_window: OpenWindow, copied: Path, qtbot: QtBot) -> None:
    asker = Answers(yes=False)
    window = open_window(copied, place=Place("fixture-42"), asker=asker)
    window.commands.run("delete")
    assert len(asker.asked) == 1 and "12 answers" in asker.asked[0]
    assert window.counts.is_idle
    asker.yes = True
    with qtbot.waitSignal(window.run_actions.run_deleted):
        window.commands.run("delete")
    at_rest(qtbot, window)
    assert [summary.run.id for summary in window.inspector.runs.runs] == ["demo"]
    assert window.session.run.run.id == "demo"


def test_the_last_run_deleted_leads_to_the_start_page(
    open_window: OpenWindow, demo_database: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "one.db"
    shutil.copy(demo_database, path)
    window = open_window(path, asker=Answers())
    with qtbot.waitSignal(window.run_actions.run_deleted):
        window.commands.run("delete")
    at_rest(qtbot, window)
    assert window.session.run is None
    assert window.views.currentWidget() is window.start_page
    assert window.findChild(QWidget, "sourcePane").text() == ""


def test_renaming_shows_the_new_name(open_window: OpenWindow, copied: Path, qtbot: QtBot) -> None:
    window = open_window(copied, place=Place("fixture-42"), asker=Answers(words="another <b>name</b>"))
    with qtbot.waitSignal(window.session.run_changed):
        window.commands.run("rename")
    at_rest(qtbot, window)
    assert window.session.run.run.name == "another <b>name</b>"
    assert window.windowTitle().startswith("another <b>name</b>")


def test_exporting_writes_the_file(
    open_window: OpenWindow, demo_database: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    target = tmp_path / "out.jsonl"
    asker = Answers(target=target)
    window = open_window(demo_database, asker=asker)
    window.commands.run("export")
    at_rest(qtbot, window)
    assert asker.asked[0].endswith(".jsonl")
    assert '"format":"gacc-run"' in target.read_text(encoding="utf-8").replace(" ", "")
    assert "out.jsonl" in window.strip.text()


@pytest.mark.slow
def test_a_locked_database_is_told_and_the_window_goes_on(
    open_window: OpenWindow, copied: Path, qtbot: QtBot
) -> None:
    window = open_window(copied, asker=Answers(words="new name"))
    holder = sqlite3.connect(copied)
    holder.execute("BEGIN IMMEDIATE")
    try:
        with qtbot.waitSignal(window.counts.failed, timeout=20_000):
            window.commands.run("rename")
        assert "locked" in window.strip.text() or "busy" in window.strip.text()
        window.commands.run("next-question")
    finally:
        holder.rollback()
        holder.close()


def test_the_command_that_reopens_is_copied(open_window: OpenWindow, demo_database: Path) -> None:
    window = open_window(demo_database)
    window.commands.run("reopen")
    words = QApplication.clipboard().text()
    assert words.startswith(f"gacc-gui --db {demo_database} --run demo --goal ")
    assert words.endswith(f"--question {window.session.question}")
