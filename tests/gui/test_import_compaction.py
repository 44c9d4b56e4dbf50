"""A compaction run's folder in the window: dropped, imported by the child, audited."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QTreeWidget
from pytestqt.qtbot import QtBot

from gacc_gui.app.compaction_checks import CHECKS
from gacc_gui.app.compaction_reporting import finish_folder
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.side.audit_panel import COMPACTION_NAMES, NAMES
from tests.compaction_cases import small_corpus
from tests.compaction_run import small_folder, small_run_records
from tests.gui.conftest import at_rest

LONG = 60_000
OpenWindow = Callable[..., MainWindow]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    corpus = small_corpus(2)
    records = small_run_records(corpus=corpus)
    made = small_folder(tmp_path / "run", records, corpus)
    finish_folder(made, records)
    return made


def drop(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    event = QDropEvent(QPointF(400, 300), Qt.DropAction.CopyAction, mime, left, none)
    with qtbot.waitSignal(window.imports.finished, timeout=LONG):
        window.dropEvent(event)
    at_rest(qtbot, window)


def test_a_dropped_folder_is_imported_and_audited(
    open_window: OpenWindow, folder: Path, own_folder: Path, qtbot: QtBot
) -> None:
    window = open_window(None)
    drop(window, folder, qtbot)
    assert window.session.run is not None and window.session.run.run.id == "small"
    window.commands.run("audit")
    qtbot.waitUntil(lambda: window.audit.audit is not None, timeout=LONG)
    tree = window.findChild(QTreeWidget, "auditChecks")
    shown = {tree.topLevelItem(row).text(0): tree.topLevelItem(row).text(1) for row in range(len(CHECKS))}
    assert shown[COMPACTION_NAMES["scores"]] == "✓ holds"
    assert shown[COMPACTION_NAMES["token_counts"]] == "could not run"
    assert "✗ fails" not in shown.values()


def test_an_unfinished_folder_is_refused_in_words(
    open_window: OpenWindow, folder: Path, own_folder: Path, qtbot: QtBot
) -> None:
    (folder / "validation.json").unlink()
    window = open_window(None)
    drop(window, folder, qtbot)
    assert window.session.run is None


def test_every_check_has_words() -> None:
    assert set(CHECKS) - set(NAMES) == set(COMPACTION_NAMES)
