"""A person at the window of a demonstration of their own."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gacc_gui.gui.main_window import MainWindow
from tests.gui.review.reviewer import Person

OpenWindow = Callable[..., MainWindow]


@pytest.fixture
def database(tmp_path: Path, demo_database: Path) -> Path:
    path = tmp_path / "mine.db"
    shutil.copy(demo_database, path)
    return path


@pytest.fixture
def person(qtbot: QtBot, open_window: OpenWindow, database: Path) -> Person:
    return Person(qtbot, open_window(database))
