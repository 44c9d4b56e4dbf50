"""The window's tests run without a screen, with the program's own fonts and theme and a folder each."""

from __future__ import annotations

import os

os.environ["QT_QPA_PLATFORM"] = "offscreen"

import gc
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gacc_gui.gui.panes.exact_copy import settle_clipboard
from gacc_gui.gui.theme import apply_theme

if TYPE_CHECKING:
    from gacc_gui.gui.main_window import MainWindow


@pytest.fixture(scope="session")
def qapp(
    qapp_args: list[str], qapp_cls: type[QApplication], pytestconfig: pytest.Config
) -> Iterator[QApplication]:
    app = QApplication.instance() or qapp_cls(qapp_args)
    app.setApplicationName("gacc-gui")
    apply_theme(app, "light")
    yield app
    settle_clipboard()


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Settings and the default database stay inside the test's folder."""
    folder = tmp_path / "user-data"
    monkeypatch.setenv("GACC_GUI_DATA", str(folder))
    return folder


@pytest.fixture(autouse=True)
def no_thread_left() -> Iterator[None]:
    """Names a test that leaves a thread of the program running, which would abort at some later test."""
    yield
    left = [thread.name for thread in threading.enumerate() if thread.name.startswith("gacc-gui")]
    assert not left, f"threads left running: {left}"
    assert gc.isenabled(), "the garbage collector was left disabled"


@pytest.fixture
def copied(demo_database: Path, tmp_path: Path) -> Path:
    """A database that may be written to, with the demonstration and the contract diagnostic."""
    from gacc_gui.app.fixture import run_fixture

    path = tmp_path / "copied.db"
    shutil.copy(demo_database, path)
    run_fixture(path, [42])
    return path


@pytest.fixture
def open_window(qtbot: QtBot) -> Iterator[Callable[..., MainWindow]]:
    """Make a window as a script would, shown and come to rest; it is closed at the end of the test."""
    from gacc_gui.gui.application import create_window

    windows: list[MainWindow] = []

    def make(path: Path | None, **options: Any) -> MainWindow:
        window = create_window(path, **options)
        windows.append(window)
        with qtbot.waitExposed(window):
            window.show()
        at_rest(qtbot, window)
        return window

    yield make
    for window in windows:
        window.close()
        window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def at_rest(qtbot: QtBot, window: MainWindow) -> None:
    """Wait until nothing is read or worked out any more, timers of no length included."""
    quiet = 0

    def rested() -> bool:
        nonlocal quiet
        quiet = quiet + 1 if window.is_idle else 0
        return quiet > 3

    qtbot.waitUntil(rested, timeout=20_000)
