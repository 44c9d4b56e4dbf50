"""Views as pages: what they have of the theme when they are seen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QPlainTextEdit
from pytestqt.qtbot import QtBot

from gacc_gui.gui.theme import apply_theme
from gacc_gui.gui.views import Views


@pytest.fixture
def light_again(qapp: QApplication) -> Iterator[None]:
    yield
    apply_theme(qapp, "light")


@pytest.mark.usefixtures("light_again")
def test_scroll_bars_follow_the_theme_when_their_view_is_seen(qtbot: QtBot, qapp: QApplication) -> None:
    views = Views({"one": QPlainTextEdit, "two": QPlainTextEdit})
    qtbot.addWidget(views)
    views.show_view("two")
    views.show_view("one")

    def sheet(name: str) -> str:
        view = views.view(name)
        assert isinstance(view, QPlainTextEdit)
        return view.verticalScrollBar().styleSheet()

    light = sheet("one")
    apply_theme(qapp, "dark")
    views.follow_theme()
    dark = sheet("one")
    assert dark != light
    assert sheet("two") == light, "a view that nobody sees costs nothing"
    views.show_view("two")
    assert sheet("two") == dark
    apply_theme(qapp, "light")
    views.follow_theme()
    views.show_view("one")
    assert sheet("one") == light
