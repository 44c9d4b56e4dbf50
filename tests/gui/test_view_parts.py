"""F6 from part to part, in every view, and what the status bar says of keys there."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLineEdit, QListWidget, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.themed_label import ThemedLabel
from gacc_gui.gui.view_parts import parts_of, step_in
from gacc_gui.gui.window_views import ALWAYS, OF_RUN
from tests.gui.conftest import at_rest

OpenWindow = Callable[..., MainWindow]
VIEWS = [*OF_RUN, *ALWAYS, "start", "imports"]


def test_f6_stays_within_the_view_and_goes_round(
    open_window: OpenWindow, demo_database: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    window = open_window(Path(shutil.copy(demo_database, tmp_path / "demo.db")))
    window.activateWindow()

    def walk(name: str, view: QWidget, modifier: Qt.KeyboardModifier) -> list[QWidget]:
        seen: list[QWidget] = []
        for _ in range(40):
            qtbot.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_F6, modifier)
            here = QApplication.focusWidget()
            assert here is not None and (here is view or view.isAncestorOf(here)), name
            if here in seen:
                break
            seen.append(here)
        assert window.views.current_name == name
        return seen

    for name in VIEWS:
        window.views.show_view(name)
        at_rest(qtbot, window)
        view = window.views.currentWidget()
        assert view is not None
        there = walk(name, view, Qt.KeyboardModifier.NoModifier)
        back = walk(name, view, Qt.KeyboardModifier.ShiftModifier)
        assert set(there) == set(back) and len(there) < 40, name


def test_controls_in_a_row_are_one_part(qtbot: QtBot) -> None:
    view = QWidget()
    qtbot.addWidget(view)
    row = QHBoxLayout(view)
    first, second, table, last = QLineEdit(), QPushButton("x"), QListWidget(), QPushButton("y")
    for widget in (first, second, table, last):
        row.addWidget(widget)
    with qtbot.waitExposed(view):
        view.show()
    view.activateWindow()
    assert parts_of(view) == [[first, second], [table], [last]]
    second.setFocus()
    step_in(view, 1)
    assert QApplication.focusWidget() is table
    step_in(view, -1)
    assert QApplication.focusWidget() is first
    step_in(view, -1)
    assert QApplication.focusWidget() is last
    table.setEnabled(False)
    last.hide()
    assert parts_of(view) == [[first, second]]
    for widget in (first, second):
        widget.hide()
    step_in(view, 1)  # nowhere to go


def test_the_status_bar_tells_the_keys_of_the_view(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    keys = window.findChild(ThemedLabel, "viewKeys")
    told = {}
    for name in OF_RUN:
        window.views.show_view(name)
        told[name] = keys.text()
    assert told["inspector"].startswith("N P failing goals · J K questions · Ctrl+F find")
    # There these keys are decisions, notes, rows and differences.
    assert all("J K" not in told[name] and "N P" not in told[name] for name in ("compare", "review"))
    assert "failing answers" in told["compaction"]
    assert all(words.endswith("Ctrl+Shift+P commands · ? keys") for words in told.values())
