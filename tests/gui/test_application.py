"""The program around the window: fixed names, what is made first, errors, closing, what outlives it."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.gui.application import ExceptionHook, create_window
from gacc_gui.gui.main_window import MainWindow
from tests.gui.conftest import at_rest

OpenWindow = Callable[..., MainWindow]
NAMES = (
    "runsView",
    "goalsView",
    "questionsView",
    "sourcePane",
    "retainedPane",
    "tailPane",
    "filterEdit",
    "budgetSlider",
    "auditPanel",
)
LATER = ("figures", "audit", "requests", "runner", "imports", "start")


def test_every_fixed_name_is_there(open_window: OpenWindow, demo_database: Path) -> None:
    window = open_window(demo_database)
    for name in NAMES:
        found = window.findChildren(QWidget, name)
        assert len(found) == 1, name
        assert found[0].accessibleName() or found[0].objectName()


def test_names_are_there_before_the_event_loop_has_turned(demo_database: Path, qapp: QApplication) -> None:
    window = create_window(demo_database)
    try:
        for name in NAMES:
            assert window.findChild(QWidget, name) is not None, name
            assert len(window.findChildren(QWidget, name)) == 1, name
        assert window.findChild(QWidget, "sourcePane").text() == ""
    finally:
        window.close()
        window.deleteLater()


def test_the_list_is_painted_before_other_parts_are_made(
    demo_database: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    window = create_window(demo_database)
    made_at_first_paint: list[list[str]] = []

    class Watch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint and table.model().known_row(0) is not None:
                made_at_first_paint.append([name for name in LATER if window.views.made(name) is not None])
            return False

    watch = Watch()
    table = window.inspector.goals.table
    table.viewport().installEventFilter(watch)
    try:
        window.show()
        qtbot.waitUntil(lambda: bool(made_at_first_paint))
        assert made_at_first_paint[0] == []
        at_rest(qtbot, window)
        assert all(window.views.made(name) is not None for name in LATER)
    finally:
        window.close()
        window.deleteLater()


def test_closing_while_busy_leaves_nothing_behind(demo_database: Path, qapp: QApplication) -> None:
    for _ in range(3):
        window = create_window(demo_database)
        window.show()
        qapp.processEvents()
        window.start_audit()
        window.close()
        window.deleteLater()
        qapp.processEvents()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("gacc-gui")]
    assert gc.isenabled()


def test_known_errors_are_told_and_bugs_once_per_traceback(
    open_window: OpenWindow, capsys: pytest.CaptureFixture[str], qtbot: QtBot
) -> None:
    from gacc_gui.core.errors import BadUsage
    from gacc_gui.gui.bug_report import BugReport

    window = open_window(None)
    hook = ExceptionHook(window)
    try:
        error = BadUsage("there is no such thing")
        hook._on_exception(type(error), error, None)
        assert window.strip.text() == "there is no such thing"
        for _ in range(2):
            try:
                raise ValueError("<b>odd</b>")
            except ValueError as bug:
                hook._on_exception(type(bug), bug, bug.__traceback__)
        assert len(window.findChildren(BugReport)) == 1
        assert capsys.readouterr().err.count("Traceback") == 2
        report = window.findChildren(BugReport)[0]
        qtbot.keyClick(report, Qt.Key.Key_Escape)
    finally:
        hook.restore()


def window_program(database: Path, lines: str) -> subprocess.CompletedProcess[str]:
    """Run a program of its own, which has a `window` on a database and then does what the lines say."""
    begin = (
        "import sys\n"
        "from PySide6.QtWidgets import QApplication\n"
        "from gacc_gui.gui.application import create_window\n"
        "app = QApplication([])\n"
        "window = create_window(sys.argv[1])\n"
    )
    return subprocess.run(
        [sys.executable, "-c", begin + lines, str(database)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
    )


def test_what_was_copied_survives_the_window_and_the_program_ends(demo_database: Path) -> None:
    done = window_program(
        demo_database,
        "pane = window.inspector.texts.pane('source')\n"
        "pane.set_text('\\ufeffexact\\n')\n"
        "pane.selectAll()\n"
        "pane.copy()\n"
        "window.close()\n"
        "assert app.clipboard().text() == '\\ufeffexact\\n'\n",
    )
    assert done.returncode == 0, done.stderr


def test_opening_a_window_says_nothing(demo_database: Path) -> None:
    done = window_program(
        demo_database,
        "pane = window.inspector.texts.pane('source')\n"
        "pane.set_text('\\U00012000 \u0915 \u0e01 \u1200')\n"
        "window.show()\n"
        "window.grab()\n"
        "window.close()\n",
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
