"""The binding keeps its count of None: some versions drop one with every void call, and abort in the end."""

from __future__ import annotations

import sys

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot


def test_void_calls_do_not_lose_none(qtbot: QtBot) -> None:
    label = QLabel()
    qtbot.addWidget(label)
    before = sys.getrefcount(None)
    for _ in range(20_000):
        label.setText("a")
    assert sys.getrefcount(None) > before - 200, (
        "void Qt calls lose references to None: see the pin of PySide6"
    )
