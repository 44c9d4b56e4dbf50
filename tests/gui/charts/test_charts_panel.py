"""The charts view through clicks and keys, down to the rows and the files that they lead to."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.core.causes import LETTERS
from gacc_gui.core.charts import BarChart, HeatChart, LineChart, Target
from gacc_gui.core.filters import Match, parse
from gacc_gui.gui.asking import Asker
from gacc_gui.store.reads import Reader
from gacc_gui.store.rows import CellChoice

if TYPE_CHECKING:
    from gacc_gui.gui.charts.charts_panel import ChartsPanel
    from gacc_gui.gui.main_window import MainWindow

OpenWindow = Callable[..., "MainWindow"]


class Answers(Asker):
    """Answers where a chart is to be written."""

    def __init__(self) -> None:
        self.target: Path | None = None
        self.suggestions: list[str] = []

    def chart_target(self, parent: QWidget, suggestion: str) -> Path | None:
        self.suggestions.append(suggestion)
        return self.target


def rest(qtbot: QtBot, window: MainWindow) -> None:
    quiet = 0

    def rested() -> bool:
        nonlocal quiet
        quiet = quiet + 1 if window.is_idle else 0
        return quiet > 3

    qtbot.waitUntil(rested, timeout=20_000)


@pytest.fixture
def shown(open_window: OpenWindow, demo_database: Path, qtbot: QtBot) -> tuple[MainWindow, ChartsPanel]:
    window = open_window(demo_database, asker=Answers())
    window.commands.run("charts")
    rest(qtbot, window)
    panel: Any = window.findChild(QWidget, "chartsPanel")
    assert window.views.currentWidget() is panel
    return window, panel


def choose(qtbot: QtBot, window: MainWindow, panel: ChartsPanel, key: str) -> Any:
    panel.show_key(key)
    rest(qtbot, window)
    return panel.chart


def click(qtbot: QtBot, panel: ChartsPanel, scene: QPointF) -> None:
    assert panel.view is not None
    at = panel.view.area.mapFromScene(scene)
    qtbot.mouseClick(panel.view.area.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(at))


def test_a_click_on_a_point_filters_to_its_rows(shown: tuple[MainWindow, ChartsPanel], qtbot: QtBot) -> None:
    window, panel = shown
    chart = panel.chart
    assert isinstance(chart, LineChart) and panel.view is not None
    drawing: Any = panel.view.drawing
    number, line = next((n, one) for n, one in drawing.shown(1) if one.shape == "line" and len(one.marks) > 1)
    assert drawing._plots[1].box.sceneBoundingRect().width() > 100
    scene = drawing._plots[1].box.mapViewToScene(drawing.points(line)[1])
    assert drawing.place_at(scene) == (number, 1)
    click(qtbot, panel, scene)
    rest(qtbot, window)
    mark = line.marks[1]
    assert mark.target is not None
    assert window.views.currentWidget() is window.inspector
    cell = mark.target
    assert window.session.choice == CellChoice(cell.compressor, cell.revision, cell.condition, cell.ratio)
    assert window.inspector.filter.line.text() == "goal:right"
    assert panel.view.words == mark.words
    # The figure beside the point is the number of goals that are listed.
    right = int(mark.words.split("(")[1].split(" of ")[0])
    assert window.inspector.goals.table.model().rowCount() == right


def test_a_drag_or_an_empty_spot_chooses_nothing(shown: tuple[MainWindow, ChartsPanel], qtbot: QtBot) -> None:
    window, panel = shown
    assert panel.view is not None
    drawing: Any = panel.view.drawing
    empty = drawing._plots[0].box.sceneBoundingRect().topLeft() + QPointF(3, 3)
    click(qtbot, panel, empty)
    assert window.views.currentWidget() is panel and panel.view.words.startswith("Arrow keys")
    _, line = drawing.shown(0)[1]
    at = panel.view.area.mapFromScene(drawing._plots[0].box.mapViewToScene(drawing.points(line)[0]))
    port = panel.view.area.viewport()
    qtbot.mousePress(port, Qt.MouseButton.LeftButton, pos=at)
    qtbot.mouseMove(port, at + QPoint(40, 10))
    qtbot.mouseRelease(port, Qt.MouseButton.LeftButton, pos=at + QPoint(40, 10))
    assert window.views.currentWidget() is panel


def test_causes_by_keyboard_alone(
    shown: tuple[MainWindow, ChartsPanel], demo_database: Path, qtbot: QtBot
) -> None:
    window, panel = shown
    chart = choose(qtbot, window, panel, "causes")
    assert isinstance(chart, BarChart) and panel.view is not None
    qtbot.keyClick(panel.focusWidget() or panel, Qt.Key.Key_Return)  # from the list to the chart
    area = panel.view.area
    qtbot.keyClick(area, Qt.Key.Key_Down)
    first = panel.view.words
    assert first == chart.layers[0].words[0]
    qtbot.keyClick(area, Qt.Key.Key_Down)
    qtbot.keyClick(area, Qt.Key.Key_Down)
    qtbot.keyClick(area, Qt.Key.Key_Right)
    words = panel.view.words
    assert words != first
    qtbot.keyClick(area, Qt.Key.Key_Return)
    rest(qtbot, window)
    assert window.views.currentWidget() is window.inspector
    asked = window.inspector.filter.line.text()
    assert asked.startswith("cause:")
    counted = int(words.split("(")[1].split(" of ")[0])
    letter = LETTERS[asked.removeprefix("cause:")]
    with Reader(demo_database) as reader:
        units = reader.goal_units("demo", window.session.choice, parse(asked))
        rows = reader.goal_rows(units)
    assert window.inspector.goals.table.model().rowCount() == len(rows)
    assert sum(row.strip.count(letter) for row in rows) == counted > 0


def test_the_heat_map_goes_to_one_goal_in_one_cell(
    shown: tuple[MainWindow, ChartsPanel], qtbot: QtBot
) -> None:
    window, panel = shown
    chart = choose(qtbot, window, panel, "heat")
    assert isinstance(chart, HeatChart) and panel.view is not None
    drawing: Any = panel.view.drawing
    scene = drawing._plot.box.mapViewToScene(QPointF(3.2, 4.3))
    assert drawing.place_at(scene) == (4, 3)
    click(qtbot, panel, scene)
    rest(qtbot, window)
    assert window.inspector.filter.line.text() == f"goal-id:{chart.goals[3]}"
    assert window.inspector.goals.table.model().rowCount() == chart.units[4][3]
    away: Any = panel._away
    window.views.show_view("charts")
    away.click()
    rest(qtbot, window)
    assert panel.chart is not chart and isinstance(panel.chart, HeatChart) and panel.chart.shows_away


def test_survival_is_read_and_narrowed_to_a_compressor(
    shown: tuple[MainWindow, ChartsPanel], qtbot: QtBot
) -> None:
    window, panel = shown
    chart = choose(qtbot, window, panel, "survival")
    assert isinstance(chart, LineChart)
    assert chart.caption.startswith("Evidence survival, not accuracy")
    assert panel.choice.compressor is not None
    lead = panel.field("compressor").box
    lead.setCurrentIndex(lead.findText("lead"))
    lead.activated.emit(lead.findText("lead"))
    rest(qtbot, window)
    assert panel.choice.compressor == "lead" and panel.chart is not chart
    panel._tokens.click()
    rest(qtbot, window)
    assert isinstance(panel.chart, LineChart) and "tokens" in panel.chart.x_title
    # A mark leads to what survives there, and says so where a filter cannot.
    questions = panel.chart.panels[0].lines[0]
    mark = questions.marks[len(questions.marks) // 2]
    assert mark.target is not None
    panel.target_chosen.emit(mark.target)
    rest(qtbot, window)
    assert window.inspector.filter.line.text() == mark.target.filter
    asked = parse(mark.target.filter).row_terms[0]
    assert isinstance(asked, Match) and len(asked.values) == round(mark.y * 60)
    goals = {id_.rsplit("-", 1)[0] for id_ in asked.values}
    assert {row.goal_id for row in window.inspector.goals.model.known_rows()} >= goals
    assert window.inspector.goals.model.rowCount() == len(goals)
    panel.target_chosen.emit(Target("lead", wider="These are more."))
    assert window.strip.text() == "These are more."
    window.views.show_view("charts")
    panel.field("compressor").value_chosen.emit("compressor", None)
    panel.field("condition").value_chosen.emit("condition", None)
    rest(qtbot, window)
    assert isinstance(panel.chart, LineChart)  # twelve cells are as many as it shows
    # A line of the legend is hidden, by keyboard, and can no longer be walked to.
    assert panel.view is not None
    legend, drawing = panel.view.legend, panel.view.drawing
    before = {number for number, _ in drawing.shown(0)}  # type: ignore[union-attr]
    legend.setCurrentRow(0)
    legend.itemActivated.emit(legend.item(0))
    assert {number for number, _ in drawing.shown(0)} == before - {0}  # type: ignore[union-attr]


def test_a_chart_that_makes_no_sense_says_so(shown: tuple[MainWindow, ChartsPanel], qtbot: QtBot) -> None:
    window, panel = shown
    assert choose(qtbot, window, panel, "sizes") is None
    assert panel.sentence() == "Every goal has 5 questions: there is no other size to compare with."
    assert not panel._export.isEnabled()
    assert not window.commands.run("export-chart")
    assert choose(qtbot, window, panel, "places") is not None
    assert panel.sentence() == ""
    assert choose(qtbot, window, panel, "ledger") is not None


@pytest.mark.parametrize("key", ["ratio", "heat"])
def test_exports(shown: tuple[MainWindow, ChartsPanel], qtbot: QtBot, tmp_path: Path, key: str) -> None:
    window, panel = shown
    chart = choose(qtbot, window, panel, key)
    asker: Any = window.asker
    for suffix in (".png", ".svg", ".csv"):
        asker.target = tmp_path / f"chart{suffix}"
        assert window.commands.run("export-chart")
        rest(qtbot, window)
    assert asker.suggestions[0].endswith(f"{key}.png")
    picture = QImage(str(tmp_path / "chart.png"))
    assert picture.width() == 1840 and picture.height() > 400
    assert len({picture.pixel(x, picture.height() // 2) for x in range(0, 1840, 3)}) > 2
    assert ElementTree.parse(tmp_path / "chart.svg").getroot().tag.endswith("svg")
    with (tmp_path / "chart.csv").open(encoding="utf-8-sig", newline="") as file:
        assert len(list(csv.reader(file))) == len(chart.table.rows) + 1
    asker.target = tmp_path / "none" / "chart.png"
    window.commands.run("export-chart")
    rest(qtbot, window)
    assert "cannot be written" in window.strip.text()
    assert not list(tmp_path.glob(".*.part"))


@pytest.mark.parametrize("suffix", [".png", ".svg", ".csv"])
def test_no_chart_replaces_the_open_database(
    shown: tuple[MainWindow, ChartsPanel], qtbot: QtBot, tmp_path: Path, suffix: str
) -> None:
    window, _ = shown
    asker: Any = window.asker
    asker.target = tmp_path / f"chart{suffix}"
    asker.target.symlink_to(window.opener.path)
    size = asker.target.stat().st_size
    assert window.commands.run("export-chart")
    rest(qtbot, window)
    assert f"{asker.target} is the open database itself" in window.strip.text()
    assert asker.target.stat().st_size == size


def test_the_theme_and_new_rows_are_followed(shown: tuple[MainWindow, ChartsPanel], qtbot: QtBot) -> None:
    window, panel = shown
    assert panel.view is not None
    before = panel.view.area.grab().toImage().pixelColor(5, 5)
    window.commands.run("dark")
    rest(qtbot, window)
    assert panel.view.area.grab().toImage().pixelColor(5, 5).lightness() < before.lightness()
    window.commands.run("dark")
    rest(qtbot, window)
    chart = panel.chart
    window.session.data_changed.emit()
    rest(qtbot, window)
    assert panel.chart is not None and panel.chart is not chart
    panel.view.zoom(0.5)
    drawing: Any = panel.view.drawing
    assert drawing._plots[0].box.viewRect().height() < 0.6
    panel._whole.click()
    assert drawing._plots[0].box.viewRect().height() > 1


def test_what_is_read_anew_leaves_the_chosen_chart(
    shown: tuple[MainWindow, ChartsPanel], qtbot: QtBot
) -> None:
    window, panel = shown
    panel.show_key("causes")
    rest(qtbot, window)
    window.session.data_changed.emit()
    window.session.show_run(window.session.run)  # both come of new rows, the run's counts behind them
    rest(qtbot, window)
    assert panel.key == "causes" and panel.chart is not None and panel.chart.key == "causes"


def test_pointing_says_the_figure_as_plain_text(shown: tuple[MainWindow, ChartsPanel], qtbot: QtBot) -> None:
    _, panel = shown
    assert panel.view is not None
    drawing: Any = panel.view.drawing
    _, line = drawing.shown(0)[1]
    scene = drawing._plots[0].box.mapViewToScene(drawing.points(line)[0])
    panel.view.area.pointed.emit(scene)
    assert panel.view.words == line.marks[0].words
    panel.view.area.pointed.emit(None)
    assert panel.view.words.startswith("Arrow keys")
