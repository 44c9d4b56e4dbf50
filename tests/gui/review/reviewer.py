"""Somebody who reviews by the keys, and what is then read in the window and in the database."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.core.records import Review
from gacc_gui.core.reviewing import Row
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.review.review_panel import ReviewPanel
from gacc_gui.store.reads import Reader
from tests.gui.conftest import at_rest

Key = Qt.Key


class Person:
    """Somebody at the keyboard."""

    def __init__(self, qtbot: QtBot, window: MainWindow) -> None:
        self.qtbot, self.window = qtbot, window

    @property
    def panel(self) -> ReviewPanel:
        return cast(ReviewPanel, self.window.views.view("review"))

    def queued(self) -> list[Row]:
        """The rows of the queue at work, in its order."""
        state = self.panel.page.state
        assert state is not None
        return [entry.row for entry in state.queue.entries]

    def press(self, *keys: Any) -> None:
        """Press keys where the keyboard is, and wait until nothing is left to do."""
        for key in keys:
            focus = QApplication.focusWidget()
            assert focus is not None
            self.qtbot.keyClick(focus, key)
            at_rest(self.qtbot, self.window)

    def type(self, text: str) -> None:
        focus = QApplication.focusWidget()
        assert isinstance(focus, QLineEdit)
        self.qtbot.keyClicks(focus, text)

    def begin(self, name: str, rows: int, seed: int = 5) -> None:
        """Go to the view by its shortcut, say who one is, and begin."""
        self.qtbot.keyClick(self.window, Key.Key_R, Qt.KeyboardModifier.ControlModifier)
        at_rest(self.qtbot, self.window)
        for edit, text in (("reviewQueueSize", rows), ("reviewQueueSeed", seed)):
            box = self.panel.findChild(QSpinBox, edit)
            assert box is not None
            box.setFocus()
            box.selectAll()
            self.qtbot.keyClicks(box, str(text))
        name_edit = self.panel.findChild(QLineEdit, "reviewerEdit")
        assert name_edit is not None
        name_edit.setFocus()
        name_edit.selectAll()
        self.type(name)
        self.press(Key.Key_Return)


def reviews(database: Path) -> list[Review]:
    with Reader(database) as reader:
        return reader.reviews("demo")


def text_of(window: QWidget, name: str) -> str:
    widget = window.findChild(QWidget, name)
    assert widget is not None
    return cast(Any, widget).text()
