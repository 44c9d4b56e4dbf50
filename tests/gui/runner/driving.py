"""Drives the runner through its widgets: configurations to show, buttons to click, what it then says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPushButton, QTreeWidget, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.gui.runner.runner_desk import RunnerDesk
from gacc_gui.gui.runner.runner_panel import RunnerPanel

LONG = 20_000
OpenPanel = Callable[..., RunnerPanel]
Act = Callable[..., None]

RULES = """# Rules only
[dataset]
path = "{path}"

[evaluation]
ratios = ["0.5"]
tokenizer = "codepoint"

[[compressors]]
part = "lead"

[reader]
part = "rule"

[judge]
part = "exact"
"""
LIVE = """
[reader]
part = "llm"
endpoint = "main"

[endpoints.main]
base_url = "http://127.0.0.1:9/v1"
model = "m"
api_key_env = "SOME_API_KEY"
max_retries = 0
"""


def rules(dataset: Path) -> str:
    return RULES.format(path=dataset)


def live(dataset: Path) -> str:
    return rules(dataset).replace('\n[reader]\npart = "rule"\n', LIVE)


def button(parent: QWidget, text: str) -> QPushButton:
    return next(one for one in parent.findChildren(QPushButton) if one.text() == text)


def click(qtbot: QtBot, parent: QWidget, text: str) -> None:
    found = button(parent, text)
    assert found.isVisible() and found.isEnabled(), text
    qtbot.mouseClick(found, Qt.MouseButton.LeftButton)


def rows_of(parent: QWidget, name: str) -> list[list[str]]:
    tree = parent.findChild(QTreeWidget, name)
    assert tree is not None
    return [
        [tree.topLevelItem(row).text(column) for column in range(tree.columnCount())]
        for row in range(tree.topLevelItemCount())
    ]


def type_into(qtbot: QtBot, desk: RunnerDesk, key: tuple[str | int, ...], text: str) -> None:
    edit = desk.config.form.edit_at(key)
    assert edit is not None, key
    line = edit.findChild(QLineEdit)
    assert line is not None
    line.selectAll()
    qtbot.keyClicks(line, text) if text else qtbot.keyClick(line, Qt.Key.Key_Backspace)


def state_of(desk: RunnerDesk) -> str:
    return desk.run_view.findChild(QWidget, "runState").text()
