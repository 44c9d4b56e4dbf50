"""Exports through the window's commands: a goal as a page, and what is told of credentials."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.app.managing import rename_run
from gacc_gui.gui.asking import EXPORTS, Asker
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.opening import Place
from tests.gui.conftest import at_rest

OpenWindow = Callable[..., MainWindow]
KEY = "sk-TESTSECRET123"


class Answers(Asker):
    """Answers with a file, and keeps what was suggested."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.suggested: list[str] = []

    def export_target(self, parent: QWidget, suggestion: str) -> Path | None:
        self.suggested.append(suggestion)
        return self.target

    def page_target(self, parent: QWidget, suggestion: str) -> Path | None:
        return self.export_target(parent, suggestion)


def test_a_goal_is_exported_as_a_page(
    open_window: OpenWindow, demo_database: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    asker = Answers(tmp_path / "goal.html")
    window = open_window(demo_database, place=Place("demo", "bridge-repair"), asker=asker)
    assert window.commands.run("export-goal")
    at_rest(qtbot, window)
    (suggestion,) = asker.suggested
    assert suggestion.endswith("-bridge-repair.html") and "/" not in suggestion
    text = asker.target.read_text(encoding="utf-8")
    assert "Content-Security-Policy" in text and "bridge-repair" in text
    assert "goal.html" in window.strip.text()


def test_a_run_is_exported_as_a_page_and_what_was_removed_is_told(
    open_window: OpenWindow, demo_database: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    database = tmp_path / "copied.db"
    shutil.copy(demo_database, database)
    rename_run(database, "demo", f"a run {KEY}")
    asker = Answers(tmp_path / "run.html")
    window = open_window(database, place=Place("demo"), asker=asker)
    assert window.commands.run("export")
    at_rest(qtbot, window)
    assert KEY not in asker.target.read_text(encoding="utf-8")
    assert "removed" in window.strip.text()
    assert "*.html" in EXPORTS
