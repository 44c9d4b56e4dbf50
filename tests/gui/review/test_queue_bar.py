"""The line above a queue: what was asked for comes back, and everything has room in the smallest window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from gacc_gui.core.review_queue import BY_CAUSE, EXACT_MATCH, RANDOM
from gacc_gui.core.terms import CASES
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.review.queue_bar import Asked, QueueBar
from gacc_gui.gui.review.review_panel import ReviewPanel
from tests.gui.conftest import at_rest

OpenWindow = Callable[..., MainWindow]


def panel_of(window: MainWindow) -> ReviewPanel:
    window.commands.run("review")
    return cast(ReviewPanel, window.views.view("review"))


def test_another_day_the_queue_is_offered_and_goes_on(
    open_window: OpenWindow, database: Path, qtbot: QtBot
) -> None:
    window = open_window(database)
    panel = panel_of(window)
    assert panel.bar.asked() == Asked("", BY_CAUSE, 100, 1, True)
    panel.bar.offer("Ada", RANDOM, 7, 23)
    panel.bar.start.click()
    at_rest(qtbot, window)
    state = panel.page.state
    assert state is not None
    rows = [entry.row for entry in state.queue.entries]
    qtbot.keyClick(panel.page, Qt.Key.Key_1)
    at_rest(qtbot, window)
    window.close()

    window = open_window(database)
    panel = panel_of(window)
    assert panel.bar.asked() == Asked("Ada", RANDOM, 7, 23, True)
    panel.bar.start.click()
    at_rest(qtbot, window)
    state = panel.page.state
    assert state is not None
    assert [entry.row for entry in state.queue.entries] == rows
    assert (state.place, state.done) == (1, 1)


def test_what_cannot_be_offered_is_not(qtbot: QtBot) -> None:
    bar = QueueBar()
    qtbot.addWidget(bar)
    bar.offer("Ada", "no such kind", 10**30, -(10**30))
    assert bar.asked() == Asked("Ada", BY_CAUSE, 100_000, 0, True)
    bar.show_terms(CASES)  # there the label is the exact match
    bar.offer("Ada", EXACT_MATCH, 7, 1)
    assert bar.asked().kind == BY_CAUSE


def test_a_small_window_has_room_for_a_queue_at_work(
    open_window: OpenWindow, database: Path, qtbot: QtBot
) -> None:
    window = open_window(database)
    window.resize(960, 600)
    panel = panel_of(window)
    panel.bar.offer("Ada Lovelace", RANDOM, 7, 23)
    panel.bar.start.click()
    at_rest(qtbot, window)
    QApplication.processEvents()
    bar, tabs = panel.bar, panel.tabs
    name = bar.reviewer
    assert name.width() >= name.fontMetrics().horizontalAdvance("Ada Lovelace")
    assert tabs.tabRect(tabs.count() - 1).right() <= tabs.width()
    assert all(button.width() >= button.sizeHint().width() for button in bar.findChildren(QPushButton))
    assert bar.end.isVisible() and bar.rect().contains(bar.end.geometry())
