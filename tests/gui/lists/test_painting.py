"""What the lists' cells look like, as facts: colours at points, in light and dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gacc_gui.core.causes import CAUSES, LETTERS
from gacc_gui.gui.lists.filter_line import FilterLine
from gacc_gui.gui.lists.goals_model import PLACES, GoalsModel
from gacc_gui.gui.lists.goals_table import GoalsTable
from gacc_gui.gui.lists.strip import (
    GAP,
    MARGIN,
    SQUARE,
    paint_square,
    paint_strip,
    square_at,
    squares_in,
    strip_width,
)
from gacc_gui.gui.theme import apply_theme, contrast, current_theme
from gacc_gui.gui.themed_label import ThemedLabel
from gacc_gui.store.rows import GoalRow


@pytest.fixture(params=["light", "dark"])
def theme(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[str]:
    apply_theme(qapp, request.param)
    yield request.param
    apply_theme(qapp, "light")


def canvas(width: int, height: int = 24) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(current_theme().base)
    return image


@pytest.mark.parametrize("cause", CAUSES)
def test_a_square_has_its_causes_colour_and_a_letter(theme: str, cause: str) -> None:
    image = canvas(SQUARE, SQUARE)
    painter = QPainter(image)
    paint_square(painter, QRect(0, 0, SQUARE, SQUARE), cause, LETTERS[cause])
    painter.end()
    ground = current_theme().base if cause == "no-verdict" else current_theme().cause_colour(cause)
    assert image.pixelColor(3, 2) == ground
    inks = {image.pixelColor(x, y).name() for x in range(2, SQUARE - 2) for y in range(2, SQUARE - 2)} - {
        ground.name()
    }
    assert max(contrast(QColor(ink), ground) for ink in inks) >= 4.5


def test_no_verdict_has_a_dashed_outline(theme: str) -> None:
    image = canvas(SQUARE, SQUARE)
    painter = QPainter(image)
    paint_square(painter, QRect(0, 0, SQUARE, SQUARE), "no-verdict", "–")
    painter.end()
    edge = [image.pixelColor(x, 0) == current_theme().base for x in range(3, SQUARE - 3)]
    assert any(edge) and not all(edge)


def test_the_chosen_square_is_framed(theme: str) -> None:
    plain, framed = canvas(60), canvas(60)
    for image, chosen in ((plain, None), (framed, 1)):
        painter = QPainter(image)
        paint_strip(painter, QRect(0, 0, 60, 24), "✓TR", chosen)
        painter.end()
    first, second = QPoint(MARGIN - 1, 12), QPoint(MARGIN + SQUARE + GAP - 1, 12)
    assert plain.pixelColor(first) == framed.pixelColor(first)
    assert plain.pixelColor(second) != framed.pixelColor(second)


def test_squares_that_do_not_fit_are_counted() -> None:
    assert squares_in(strip_width(5), 5) == 5
    assert squares_in(strip_width(5), 50) == 3
    assert squares_in(strip_width(5) - 1, 5) == 2
    assert squares_in(0, 5) == 0
    assert square_at(strip_width(5), 5, MARGIN) == 0
    assert square_at(strip_width(5), 5, MARGIN - 1) is None
    assert square_at(strip_width(5), 5, MARGIN + 4 * (SQUARE + GAP)) == 4
    assert square_at(strip_width(5), 50, MARGIN + 4 * (SQUARE + GAP)) is None
    assert square_at(500, 5, 400) is None


def test_the_list_paints_strips_group_lines_and_the_focus_bar(
    qtbot: QtBot, theme: str, goal_row: Callable[..., GoalRow]
) -> None:
    model = GoalsModel()
    table = GoalsTable(model)
    qtbot.addWidget(table)
    table.resize(700, 200)
    table.show_columns(context=True, cell=True)
    model.set_units([1, 2, 3], [goal_row(1, context_id="a"), goal_row(2, context_id="a"), goal_row(3)])
    table.fit_columns()
    with qtbot.waitExposed(table):
        table.show()
    table.setFocus()
    table.show_unit(2)
    image = table.viewport().grab().toImage()
    cell = table.visualRect(model.index(0, PLACES["strip"]))
    second = QPoint(cell.left() + MARGIN + SQUARE + GAP + 3, cell.center().y() - SQUARE // 2 + 2)
    assert image.pixelColor(second) == current_theme().cause_colour("truncation")
    third_top = table.rowViewportPosition(2)
    assert contrast(image.pixelColor(300, third_top), current_theme().base) > 1.5
    assert image.pixelColor(300, third_top + 2) == current_theme().base
    assert image.pixelColor(1, table.rowViewportPosition(1) + 8) == current_theme().accent
    assert image.pixelColor(1, table.rowViewportPosition(0) + 8) != current_theme().accent


def test_the_wave_stands_under_the_mistake_however_far_the_line_is_scrolled(qtbot: QtBot, theme: str) -> None:
    line = FilterLine()
    qtbot.addWidget(line)
    line.resize(260, 30)
    with qtbot.waitExposed(line):
        line.show()
    line.setText("𝒳 away:1 cause:bogus")
    line.mark_mistake(15, 5)

    def columns() -> list[int]:
        image = line.grab().toImage()
        rows = range(image.height() // 2 + 2, image.height())
        points = {x: [image.pixelColor(x, y) for y in rows] for x in range(image.width())}
        return [x for x, colours in points.items() if any(c.red() - c.green() > 60 for c in colours)]

    metrics = line.fontMetrics()
    start = metrics.horizontalAdvance("𝒳 away:1 cause:")
    marked = columns()
    assert marked and abs(marked[0] - start) < 10
    assert marked[-1] - marked[0] < metrics.horizontalAdvance("bogus") + 8
    line.setText("word " * 40 + "cause:bogus")
    line.mark_mistake(206, 5)
    assert line.cursorPosition() == len(line.text())
    scrolled = columns()
    assert scrolled and scrolled[0] > 150
    line.clear_mistake()
    qtbot.keyClick(line, Qt.Key.Key_Home)
    assert not columns()


def test_words_in_colours_of_the_theme_follow_it(qtbot: QtBot, qapp: QApplication) -> None:
    label = ThemedLabel("error")
    qtbot.addWidget(label)
    label.setText("a mistake")
    try:
        for name in ("dark", "light", "dark"):
            apply_theme(qapp, name)
            qapp.processEvents()
            assert label.palette().color(QPalette.ColorRole.WindowText) == current_theme().error
    finally:
        apply_theme(qapp, "light")
