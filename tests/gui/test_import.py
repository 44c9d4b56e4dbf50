"""Imports through the window: a child process does them, the window shows them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QTreeWidget, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from gacc_gui.gui.asking import Asker
from gacc_gui.gui.child_process import Child, ChildOutcome
from gacc_gui.gui.import_view import ImportView
from gacc_gui.gui.main_window import MainWindow
from tests.gui.conftest import at_rest

LONG = 60_000
OpenWindow = Callable[..., MainWindow]
RunFile = Callable[..., Path]


class Answers(Asker):
    """Answers in place of a person."""

    def __init__(self, files: list[Path] | None = None) -> None:
        self.files = files or []

    def run_files(self, parent: object) -> list[Path]:
        return self.files


def _texts(item: QTreeWidgetItem) -> list[str]:
    own = [" ".join(item.text(column) for column in range(item.columnCount()) if item.text(column))]
    return own + [text for row in range(item.childCount()) for text in _texts(item.child(row))]


def _report(view: ImportView) -> list[str]:
    tree = view.findChild(QTreeWidget, "importReport")
    return [text for row in range(tree.topLevelItemCount()) for text in _texts(tree.topLevelItem(row))]


def _labels(view: ImportView) -> list[str]:
    return [label.text() for label in view.findChildren(QLabel)]


@pytest.fixture
def view(qtbot: QtBot) -> Any:
    shown = ImportView()
    qtbot.addWidget(shown)
    yield shown
    shown.shutdown()


def test_an_import_lands_and_is_reported(
    view: ImportView, run_document: dict, run_file: RunFile, tmp_path: Path, qtbot: QtBot
) -> None:
    path = run_file(run_document)
    with qtbot.waitSignal(view.finished, timeout=LONG) as told, qtbot.waitSignal(view.rows_ready):
        view.import_files(tmp_path / "runs.db", [path])
        assert view.is_running
    assert told.args == [["small"], None]
    assert not view.is_running
    assert (tmp_path / "runs.db").exists()
    words = "\n".join(_report(view))
    assert "run.json" in words and "run small" in words
    assert "3 answer" in words


def test_the_command_line_is_shown_and_can_be_copied(
    view: ImportView, run_document: dict, run_file: RunFile, tmp_path: Path, qtbot: QtBot
) -> None:
    path = run_file(run_document, "a run.json")
    with qtbot.waitSignal(view.finished, timeout=LONG):
        view.import_files(tmp_path / "runs.db", [path])
        shown = view.findChild(QLineEdit).text()
        assert shown.startswith(f"gacc-gui --db {tmp_path.absolute() / 'runs.db'} ")
        assert "--events" not in shown and "--json" not in shown
        assert f"import '{path}'" in shown
        button = next(one for one in view.findChildren(QPushButton) if one.text() == "Copy command")
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert QApplication.clipboard().text() == shown


def test_what_is_quarantined_stands_with_its_line(view: ImportView, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "torn.jsonl"
    lines = [
        json.dumps({"record": "run", "format": "gacc-run", "format_version": 1, "id": "r", "name": "torn"}),
        json.dumps({"record": "context", "id": "c1", "text": "<b>bold</b> words"}),
        "this is no record",
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    with qtbot.waitSignal(view.finished, timeout=LONG):
        view.import_files(tmp_path / "runs.db", [path])
    words = _report(view)
    assert any(line.startswith("Quarantined 1") for line in words)
    assert any("line 3" in line for line in words)


def test_a_file_that_cannot_be_used_is_told(view: ImportView, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "nothing.json"
    path.write_text("{}", encoding="utf-8")
    with qtbot.waitSignal(view.finished, timeout=LONG) as told:
        view.import_files(tmp_path / "runs.db", [path])
    assert told.args[0] == []
    assert any("format is missing" in line for line in _report(view))
    assert any("Nothing was added" in label.text() for label in view.findChildren(QLabel))
    assert not any("gacc-gui: " in text for text in [*_report(view), *_labels(view)])


def test_cancel_stops_the_command(tmp_path: Path, qtbot: QtBot, qapp: QApplication) -> None:
    fifo = tmp_path / "never.jsonl"
    import os

    if not hasattr(os, "mkfifo"):
        pytest.skip("this platform has no named pipes to keep an import waiting")
    os.mkfifo(fifo)
    keeper = os.open(fifo, os.O_RDWR)
    try:
        child = Child(["--db", tmp_path / "runs.db", "import", fifo, "--json", "--events"])
        child.start()
        with qtbot.waitSignal(child.finished, timeout=LONG) as told:
            child.cancel()
        outcome = told.args[0]
        assert isinstance(outcome, ChildOutcome)
        assert outcome.cancelled
        assert outcome.exit_code in (130, None)
    finally:
        os.close(keeper)


def test_a_command_that_fails_says_why(qtbot: QtBot, qapp: QApplication) -> None:
    child = Child(["metrics", "nobody", "--json"])
    with qtbot.waitSignal(child.finished, timeout=LONG) as told:
        child.start()
    outcome = told.args[0]
    assert outcome.exit_code == 2
    assert outcome.document is None
    assert outcome.messages


def test_files_opened_on_the_start_page_end_in_the_inspector(
    open_window: OpenWindow, run_document: dict, run_file: RunFile, own_folder: Path, qtbot: QtBot
) -> None:
    window = open_window(None, asker=Answers([run_file(run_document)]))
    assert window.views.currentWidget() is window.start_page
    with qtbot.waitSignal(window.imports.finished, timeout=LONG):
        window.commands.run("open-files")
        assert window.views.currentWidget() is window.imports
    at_rest(qtbot, window)
    assert window.session.run is not None and window.session.run.run.id == "small"
    assert window.opener.path == own_folder / "runs.db"
    close = next(one for one in window.imports.findChildren(QPushButton) if one.text() == "Go to the runs")
    qtbot.mouseClick(close, Qt.MouseButton.LeftButton)
    assert window.views.currentWidget() is window.inspector
    assert window.session.unit is not None


def test_an_import_makes_the_database_that_was_named(
    open_window: OpenWindow,
    run_document: dict,
    run_file: RunFile,
    own_folder: Path,
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    named = tmp_path / "NEW.db"
    window = open_window(named, asker=Answers([run_file(run_document)]))
    assert window.views.currentWidget() is window.start_page and window.opener.path is None
    assert window.opener.target == named
    with qtbot.waitSignal(window.imports.finished, timeout=LONG):
        window.commands.run("open-files")
    at_rest(qtbot, window)
    assert window.opener.path == named and named.is_file()
    assert window.session.run is not None and window.session.run.run.id == "small"
    assert not (own_folder / "runs.db").exists()


def test_a_dropped_file_is_imported_into_the_open_database(
    open_window: OpenWindow, run_document: dict, run_file: RunFile, own_folder: Path, qtbot: QtBot
) -> None:
    window = open_window(None)
    for number in (1, 2):
        run_document["run"]["id"] = f"run-{number}"
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(run_file(run_document, f"run-{number}.json")))])
        drop = QDropEvent(
            QPointF(400, 300),
            Qt.DropAction.CopyAction,
            mime,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        # Sent through the application, a drop without a drag before it is thrown away.
        with qtbot.waitSignal(window.imports.finished, timeout=LONG):
            window.dropEvent(drop)
        at_rest(qtbot, window)
        assert window.session.run.run.id == f"run-{number}"
    assert [summary.run.id for summary in window.inspector.runs.runs] == ["run-1", "run-2"]
    assert window.settings.recent[0] == str(window.opener.path)


def test_the_demonstration_is_evaluated_and_opened(
    open_window: OpenWindow, own_folder: Path, qtbot: QtBot
) -> None:
    window = open_window(None)
    with qtbot.waitSignal(window.imports.finished, timeout=LONG):
        window.commands.run("demo")
    at_rest(qtbot, window)
    assert window.session.run is not None and window.session.run.run.id == "demo"
    assert window.opener.path.parent == own_folder
    assert window.session.unit is not None
    assert not window.banner.isVisible() or window.banner.text()


def test_a_window_that_closes_takes_its_child_along(
    open_window: OpenWindow, own_folder: Path, qtbot: QtBot
) -> None:
    window = open_window(None)
    window.commands.run("demo")
    assert window.imports.is_running
    window.close()
    assert not window.imports.is_running
