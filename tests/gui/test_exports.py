"""Exports through the window's commands: how far they are, cancelled, closed, and what is told of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QToolButton, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.app.importing import import_paths
from gacc_gui.app.managing import rename_run
from gacc_gui.gui.asking import EXPORTS, Asker
from gacc_gui.gui.child_process import Child
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


def test_records_that_wait_are_told(
    open_window: OpenWindow, run_document: Any, run_file: Callable[..., Path], tmp_path: Path, qtbot: QtBot
) -> None:
    del run_document["memories"]
    database = tmp_path / "part.db"
    import_paths(database, [run_file(run_document)])
    asker = Answers(tmp_path / "part.jsonl")
    window = open_window(database, place=Place("small"), asker=asker)
    assert window.commands.run("export")
    at_rest(qtbot, window)
    assert window.strip.text() == (
        f"Exported to {asker.target}. Left out of the file, waiting for records that are not here (yet):"
        " 3 answers, 3 verdicts, 1 request."
    )


def test_an_export_says_how_far_it_is(
    open_window: OpenWindow, demo_database: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database, place=Place("demo"), asker=Answers(tmp_path / "run.html"))
    strip, exports = window.run_actions.exports.strip, window.run_actions.exports
    assert strip.isHidden() and not window.commands.action("cancel-export").isEnabled()
    told: list[str] = []
    window.commands.run("export")
    child = exports.findChild(Child)
    child.event_received.connect(lambda _event: told.append(strip.text()))
    assert strip.isVisible() and strip.text() == "Exporting to run.html…"
    assert window.commands.action("cancel-export").isEnabled()
    window.commands.run("export")
    assert window.strip.text() == "Something is being exported already."
    at_rest(qtbot, window)
    assert told[-1] == "Exporting to run.html: 100%" and strip.isHidden()
    assert not window.commands.action("cancel-export").isEnabled()
    assert window.strip.text() == f"Exported to {tmp_path / 'run.html'}."


@pytest.mark.parametrize("way", ["command", "button", "close"])
def test_an_export_that_is_cancelled_leaves_nothing(
    open_window: OpenWindow, demo_database: Path, tmp_path: Path, qtbot: QtBot, way: str
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    window = open_window(demo_database, place=Place("demo"), asker=Answers(folder / "run.html"))
    exports = window.run_actions.exports
    window.commands.run("export")
    with qtbot.waitSignal(exports.findChild(Child).event_received, timeout=20_000):
        pass
    if way == "close":
        window.close()
        assert exports.is_idle
    else:
        if way == "command":
            window.commands.run("cancel-export")
        else:
            exports.strip.findChild(QToolButton).click()
        assert exports.strip.text() == "Stopping the export…"
        at_rest(qtbot, window)
        assert (
            window.strip.text() == f"The export was cancelled; nothing was written to {folder / 'run.html'}."
        )
    assert list(folder.iterdir()) == []


def test_no_export_replaces_the_open_database(
    open_window: OpenWindow, copied: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    target = tmp_path / "run.jsonl"
    target.symlink_to(copied)
    before = copied.read_bytes()
    window = open_window(copied, place=Place("demo"), asker=Answers(target))
    with qtbot.waitSignal(window.run_actions.exports.failed, timeout=20_000):
        window.commands.run("export")
    assert f"{target} is the open database itself" in window.strip.text()
    assert copied.read_bytes() == before


def test_an_export_that_fails_says_why(
    open_window: OpenWindow, demo_database: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database, place=Place("demo"), asker=Answers(tmp_path / "nowhere" / "run.md"))
    with qtbot.waitSignal(window.run_actions.exports.failed, timeout=20_000):
        window.commands.run("export")
    at_rest(qtbot, window)
    assert window.strip.text().endswith("run.md cannot be written: no such file or directory")
