"""Colours can be read: the contrast of every text on every ground it stands on, in both themes."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from gacc_gui.core.causes import CAUSES, FATES
from gacc_gui.gui import theme as themes
from gacc_gui.gui.theme import Theme, apply_theme, contrast, current_theme, theme_named

READABLE = 4.5


@pytest.fixture(params=themes.THEMES)
def theme(request: pytest.FixtureRequest) -> Theme:
    return theme_named(request.param)


@pytest.mark.parametrize(
    "ground",
    [
        "window",
        "base",
        "alternate",
        "selection",
        "tail_tint",
        "tail_only",
        "token_shade",
        "find",
        "find_current",
    ],
)
def test_text_can_be_read_on_every_ground(theme: Theme, ground: str) -> None:
    assert contrast(theme.text, getattr(theme, ground)) >= READABLE


@pytest.mark.parametrize("ground", ["window", "base", "alternate", "selection", "notice"])
def test_quiet_text_can_be_read(theme: Theme, ground: str) -> None:
    assert contrast(theme.muted, getattr(theme, ground)) >= READABLE


@pytest.mark.parametrize(
    ("ink", "ground"),
    [
        ("gone_text", "base"),
        ("gone_text", "token_shade"),
        ("cut_line", "base"),
        ("cut_line", "tail_tint"),
        ("error", "base"),
        ("error", "window"),
        ("error", "notice"),
        ("accent_text", "accent"),
    ],
)
def test_special_inks_can_be_read(theme: Theme, ink: str, ground: str) -> None:
    assert contrast(getattr(theme, ink), getattr(theme, ground)) >= READABLE


@pytest.mark.parametrize("cause", CAUSES)
def test_a_cause_can_be_read(theme: Theme, cause: str) -> None:
    assert contrast(theme.cause_text(cause), theme.base) >= READABLE
    ground = theme.base if cause == "no-verdict" else theme.cause_colour(cause)
    assert contrast(theme.cause_ink(cause), ground) >= READABLE


@pytest.mark.parametrize("fate", FATES)
def test_text_can_be_read_on_lit_evidence(theme: Theme, fate: str) -> None:
    assert contrast(theme.text, theme.fate_tint(fate)) >= READABLE


def test_causes_have_colours_of_their_own(theme: Theme) -> None:
    colours = {theme.cause_colour(cause).name() for cause in CAUSES}
    assert len(colours) == len(CAUSES)


def test_contrast_is_that_of_wcag() -> None:
    black, white, grey = (themes.QColor(name) for name in ("#000000", "#ffffff", "#777777"))
    assert contrast(black, white) == pytest.approx(21)
    assert contrast(white, grey) == pytest.approx(4.48, abs=0.01)


def _wears(label: QLabel) -> bool:
    """Whether a widget has the current theme's colours."""
    role, palette = QPalette.ColorRole, label.palette()
    theme = current_theme()
    return palette.color(role.WindowText) == theme.text and palette.color(role.Window) == theme.window


def test_both_themes_reach_the_widgets(qapp: QApplication, qtbot: QtBot) -> None:
    label = QLabel("words")
    qtbot.addWidget(label)
    with qtbot.waitExposed(label):
        label.show()
    try:
        for name in themes.THEMES:
            apply_theme(qapp, name)
            assert current_theme().name == name
            # Qt tells windows of it through the event loop.
            qtbot.waitUntil(partial(_wears, label))
    finally:
        apply_theme(qapp, "light")
