"""The window's sizes and looks: nothing is clipped, columns share, the theme changes, all is remembered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QSplitter
from pytestqt.qtbot import QtBot

from gacc_gui.gui.main_window import MainWindow
from tests.gui.conftest import at_rest

OpenWindow = Callable[..., MainWindow]


def test_no_list_scrolls_sideways_at_the_smallest_usual_size(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    window.setFixedSize(1280, 800)
    at_rest(qtbot, window)
    window.inspector._columns.setSizes([416, 576, 288])
    at_rest(qtbot, window)
    for table in (window.inspector.goals.table, window.inspector.questions.table):
        qtbot.waitUntil(lambda table=table: table.horizontalScrollBar().maximum() == 0)
    assert window.inspector.goals.table.columnWidth(1) >= 100
    detail = window.inspector.questions.detail
    assert detail.widget().width() <= detail.viewport().width()


def test_the_label_of_the_cut_is_whole_where_evidence_is_behind_it(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    pane = window.inspector.texts.pane("retained")
    block = pane.document().lastBlock()
    assert "✂" in block.text()
    bottom = pane.blockBoundingGeometry(block).translated(pane.contentOffset()).bottom()
    assert bottom <= pane.viewport().height()


def test_the_theme_changes_under_an_open_window(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    before = window.grab().toImage()
    window.commands.run("dark")
    at_rest(qtbot, window)
    after = window.grab().toImage()
    corner = before.width() // 2, before.height() - 4
    assert before.pixelColor(*corner).lightness() > 200
    assert after.pixelColor(*corner).lightness() < 60
    assert window.updatesEnabled()
    assert window.settings.theme == "dark"
    window.commands.run("dark")


def test_geometry_and_options_are_remembered(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    window.resize(1100, 650)
    window.commands.run("zoom-in")
    window.commands.run("mono")
    window.commands.run("linked")
    window.inspector._middle.setSizes([300, 200])
    sizes = window.inspector._middle.sizes()
    inner = window.findChild(QSplitter, "textsSplitter")
    inner.setSizes([100, 250, 150])
    window.close()
    again = open_window(demo_database)
    # The screen of the offscreen platform is 800 pixels wide and high: only the height fits.
    assert again.height() == 650
    assert again.session.options.zoom == 1
    assert again.session.options.mono is True
    assert again.session.options.linked is False
    assert again.settings.recent == [str(demo_database)]
    assert again.inspector._middle.sizes()[0] == pytest.approx(sizes[0], abs=2)
    source, retained, tail = again.findChild(QSplitter, "textsSplitter").sizes()
    assert source < retained > tail


def test_nothing_is_clipped_at_the_smallest_usual_size(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    window.resize(1280, 800)
    at_rest(qtbot, window)
    side = window.inspector.side
    assert side.widget().width() <= side.viewport().width()
    for widget in (side, window.inspector.texts, window.inspector.questions, window.inspector.goals):
        corner = widget.mapTo(window, widget.rect().bottomRight())
        assert window.rect().contains(corner)


def test_the_columns_share_a_small_window_until_somebody_moves_them(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    columns = window.inspector._columns
    window.resize(1280, 800)
    left, _, side = columns.sizes()
    assert left >= 400 and side >= 280
    window.resize(960, 600)
    left, middle, side = columns.sizes()
    assert left <= 320 and side <= 260 and middle >= 380
    columns.setSizes([350, 360, 250])
    columns.splitterMoved.emit(350, 1)
    window.resize(970, 600)
    assert columns.sizes()[0] == pytest.approx(350, abs=4)
