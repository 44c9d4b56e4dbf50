"""The window's tests run without a screen, with the program's own fonts and theme and a folder each."""

from __future__ import annotations

import os

os.environ["QT_QPA_PLATFORM"] = "offscreen"

import gc
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from gacc_gui.gui.theme import apply_theme


@pytest.fixture(scope="session")
def qapp(qapp_args: list[str], qapp_cls: type[QApplication], pytestconfig: pytest.Config) -> QApplication:
    app = QApplication.instance() or qapp_cls(qapp_args)
    app.setApplicationName("gacc-gui")
    apply_theme(app, "light")
    return app


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
