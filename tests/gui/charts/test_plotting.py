"""How charts fit their window: names, titles, guides, letters and check boxes, in a small one too."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from gacc_gui.core.causes import CAUSES
from gacc_gui.core.chart_figures import causes_chart, ratio_chart
from gacc_gui.core.charts import BarChart, Chart, Layer, Table
from gacc_gui.core.metrics import GoalFacts, UnitCounts, cell_metrics
from gacc_gui.core.records import Cell

if TYPE_CHECKING:
    from gacc_gui.gui.charts.chart_view import ChartView


def chart_of(make: Callable[[Any], Chart], name: str = "lead") -> Chart:
    cells = [Cell(name, "1", "own-goal", ratio) for ratio in ("0.1", "0.25")]
    facts = [GoalFacts(f"g{n}", f"c{n}", None, 8) for n in range(3)]
    units = [
        UnitCounts(cell, fact.goal_id, fact.context_id, 8, 7, 1, 0, (1,) * len(CAUSES))
        for cell in cells
        for fact in facts
    ]
    return make(cell_metrics(units, facts).cells)


@pytest.fixture
def view(qtbot: QtBot) -> ChartView:
    from gacc_gui.gui.charts.chart_view import ChartView

    made = ChartView()
    qtbot.addWidget(made)
    made.resize(620, 380)
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_a_letter_is_written_where_the_part_stays_in_sight() -> None:
    from gacc_gui.gui.charts.bar_drawing import letter_spot

    assert letter_spot(QRectF(0, 0, 20, 30)) is None  # narrow
    assert letter_spot(QRectF(0, 0, 200, 12)) is None  # thin
    for tall in (14, 18, 40):
        spot = letter_spot(QRectF(5, 7, 24, tall))
        assert spot is not None
        assert QRectF(5, 7, 24, tall).adjusted(6, 2, -6, -2).contains(spot)


def test_long_names_leave_the_chart_room(view: ChartView, qtbot: QtBot) -> None:
    view.show_chart(chart_of(causes_chart, "a compressor with a name " * 5))
    drawing: Any = view.drawing
    qtbot.waitUntil(lambda: drawing._plot.box.sceneBoundingRect().width() > 100)
    axis = drawing._plot._left
    box = drawing._plot.box.sceneBoundingRect()
    assert box.width() > 0.45 * view.area.width()
    shown = axis.tickStrings([0, 1], 1, 1)
    assert all("…" in name for name in shown)
    assert shown[0].endswith("0.1") and shown[1].endswith("0.25")
    before = box.width()
    view.resize(1500, 380)
    qtbot.waitUntil(lambda: drawing._plot.box.sceneBoundingRect().width() > before + 300)
    assert len(axis.tickStrings([0], 1, 1)[0]) > len(shown[0])


@pytest.mark.parametrize("width", [560, 1200])
def test_every_bar_has_its_denominator(view: ChartView, qtbot: QtBot, width: int) -> None:
    labels = tuple(f"{10 * n}–{10 * n + 10}\n{1_000 + n:,}" for n in range(10))
    layer = Layer("retained", "", "retained", (1.0,) * 10, ("",) * 10, (None,) * 10)
    titles = "a title that is a good deal longer than any window is wide " * 5, "share"
    chart = BarChart("places", "x", "", *titles, labels, (layer,), False, Table((), ()), True)
    view.resize(width, 380)
    view.show_chart(chart)
    drawing: Any = view.drawing
    qtbot.waitUntil(lambda: drawing._plot.box.sceneBoundingRect().width() > width / 2)
    view.grab()
    axis = next(item for item in view.area.scene().items() if getattr(item, "orientation", "") == "bottom")
    assert axis.tickValues(-0.5, 9.5, axis.size().width())[0][1] == list(range(10))
    assert axis.tickStrings(range(10), 1, 1) == list(labels)
    assert axis.labelText.startswith("a title") and axis.labelText.endswith("…")
    assert axis.label.boundingRect().width() <= axis.size().width()


def test_guides_stand_at_the_ticks_whatever_is_zoomed(view: ChartView, qtbot: QtBot) -> None:
    view.show_chart(chart_of(ratio_chart))
    drawing: Any = view.drawing
    qtbot.waitUntil(lambda: drawing._plots[1].box.sceneBoundingRect().width() > 50)
    found = []
    for _ in range(3):
        view.grab()
        for panel, plot in enumerate(drawing._plots):
            low, high = plot._left.range
            ticks = plot._left.tickValues(low, high, plot._left.size().height())[0][1]
            assert drawing.levels(panel) == ticks and len(ticks) >= 2
        found.append(drawing.levels(0))
        view.zoom(0.4)
    assert found[0] != found[2]


def test_panels_share_one_title(view: ChartView, qtbot: QtBot) -> None:
    chart: Any = chart_of(ratio_chart)
    view.show_chart(chart)
    texts = [getattr(item, "text", None) for item in view.area.ci.items]
    assert texts.count(chart.x_title) == 1
    drawing: Any = view.drawing
    label = next(item for item in view.area.ci.items if getattr(item, "text", None) == chart.x_title)
    qtbot.waitUntil(lambda: label.sceneBoundingRect().width() > 100)
    left = drawing._plots[0].box.sceneBoundingRect().left()
    right = drawing._plots[1].box.sceneBoundingRect().right()
    assert left - 60 <= label.sceneBoundingRect().left() and label.sceneBoundingRect().right() <= right + 2


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_check_boxes_of_the_legend_are_seen(theme: str, qtbot: QtBot) -> None:
    from PySide6.QtWidgets import QApplication

    from gacc_gui.gui.charts.chart_view import ChartView
    from gacc_gui.gui.theme import apply_theme, current_theme, the_application

    app = the_application()
    before = "dark" if current_theme().is_dark else "light"
    apply_theme(app, theme)
    try:
        made = ChartView()
        qtbot.addWidget(made)
        made.resize(900, 400)
        with qtbot.waitExposed(made):
            made.show()
        made.show_chart(chart_of(ratio_chart))
        made.legend.item(0).setCheckState(made.legend.item(0).checkState().Unchecked)
        QApplication.processEvents()
        picture = made.legend.grab().toImage()
        rect = made.legend.visualItemRect(made.legend.item(0))
        ground = QColor(picture.pixelColor(rect.right() - 4, rect.bottom() - 2))
        y = rect.center().y()
        contrast = max(abs(picture.pixelColor(x, y).lightness() - ground.lightness()) for x in range(2, 24))
        assert contrast > 60
    finally:
        apply_theme(app, before)
