"""Lines with intervals, steps and levels, drawn with pyqtgraph; which mark is where."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor

from gacc_gui.core.chart_style import look
from gacc_gui.core.chart_svg import x_range
from gacc_gui.core.charts import Line, LineChart, Mark
from gacc_gui.gui.charts.plotting import (
    POINTER,
    NumberAxis,
    Place,
    Spot,
    grid_pen,
    line_pen,
    look_colour,
    new_plot,
    pixel_size,
    ring_pen,
    title_axis,
)
from gacc_gui.gui.theme import current_theme

_BEAM = 0.01


class LineDrawing:
    """A line chart in an area. A place is (line, mark); a second panel's lines follow those of the first."""

    def __init__(self, area: pg.GraphicsLayoutWidget, chart: LineChart) -> None:
        self._chart = chart
        self._low, self._high = x_range(chart)
        self._plots: list[pg.PlotItem] = []
        self._lines: list[tuple[int, Line]] = []
        self._items: list[list[pg.GraphicsObject]] = []
        self._hidden: set[int] = set()
        self._rings: list[pg.ScatterPlotItem] = []
        for number, panel in enumerate(chart.panels):
            axes = {
                "bottom": NumberAxis("bottom", chart.x_ticks, whole=chart.x_is_whole),
                "left": NumberAxis("left"),
            }
            plot = new_plot(area, number, axes)
            title_axis(axes["bottom"], chart.x_title)
            if number == 0:
                title_axis(axes["left"], chart.y_title)
            if panel.title:
                plot.setTitle(panel.title, color=current_theme().text.name(), size="9pt", bold=True)
            for level in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
                plot.addItem(pg.InfiniteLine(level, angle=0, pen=grid_pen()))
            for line in panel.lines:
                self._lines.append((number, line))
                self._items.append(self._draw(plot, line))
            ring = pg.ScatterPlotItem(size=17, pen=ring_pen(), brush=None, symbol="o")
            ring.setZValue(20)
            plot.addItem(ring)
            self._rings.append(ring)
            plot.getViewBox().setLimits(
                xMin=self._low,
                xMax=self._high,
                yMin=-0.06,
                yMax=1.06,
                minXRange=(self._high - self._low) / 500,
            )
            if number:
                plot.setXLink(self._plots[0])
                plot.setYLink(self._plots[0])
            self._plots.append(plot)
        self.show_whole()

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines of the first panel: those that a legend names."""
        return self._chart.panels[0].lines

    def set_shown(self, number: int, shown: bool) -> None:
        """Show or hide a line of the legend, in every panel."""
        count = len(self.lines)
        for place in range(number, len(self._lines), count):
            (self._hidden.discard if shown else self._hidden.add)(place)
            for item in self._items[place]:
                item.setVisible(shown)

    def show_whole(self) -> None:
        """Show all of the chart."""
        self._plots[0].setRange(xRange=(self._low, self._high), yRange=(-0.03, 1.03), padding=0)

    def spot(self, place: Place) -> Spot | None:
        """What is at a place."""
        mark = self._mark_of(place)
        return None if mark is None else Spot(mark.words, mark.target)

    def place_at(self, position: QPointF) -> Place | None:
        """The mark under a point of the scene: the nearest of those near enough."""
        nearest, least = None, POINTER
        for number, plot in enumerate(self._plots):
            box = plot.getViewBox()
            if not box.sceneBoundingRect().contains(position):
                continue
            at = box.mapSceneToView(position)
            wide, tall = pixel_size(plot)
            for row, (panel, line) in enumerate(self._lines):
                if panel != number or row in self._hidden or not line.marks:
                    continue
                x, y = self._points(line)
                if line.shape == "level":
                    x = np.full_like(x, at.x())
                distance = np.hypot((x - at.x()) / wide, (y - at.y()) / tall)
                found = int(distance.argmin())
                if distance[found] < least:
                    nearest, least = (row, found), float(distance[found])
        return nearest

    def step(self, place: Place | None, across: int, down: int) -> Place | None:
        """The mark next to one: along its line, or the nearest one of another line."""
        rows = [row for row, (_, line) in enumerate(self._lines) if line.marks and row not in self._hidden]
        if not rows:
            return None
        if place is None or place[0] not in rows:
            return rows[0], 0
        row, number = place
        if across:
            last = len(self._lines[row][1].marks) - 1
            return row, max(0, min(number + across, last))
        other = rows[(rows.index(row) + down) % len(rows)]
        x = self._lines[row][1].marks[number].x
        marks = self._lines[other][1].marks
        return other, min(range(len(marks)), key=lambda at: abs(marks[at].x - x))

    def mark(self, place: Place | None) -> None:
        """Ring the chosen mark."""
        for ring in self._rings:
            ring.clear()
        chosen = None if place is None else self._mark_of(place)
        if place is None or chosen is None:
            return
        panel, line = self._lines[place[0]]
        x = (self._low + self._high) / 2 if line.shape == "level" else self._x(line, chosen)
        self._rings[panel].setData([x], [chosen.y])

    def _mark_of(self, place: Place) -> Mark | None:
        row, number = place
        if not 0 <= row < len(self._lines):
            return None
        marks = self._lines[row][1].marks
        return marks[number] if 0 <= number < len(marks) else None

    def _x(self, line: Line, mark: Mark) -> float:
        return mark.x + line.shift * (self._high - self._low)

    def _points(self, line: Line) -> tuple[np.ndarray, np.ndarray]:
        x = np.array([self._x(line, mark) for mark in line.marks], dtype=float)
        return x, np.array([mark.y for mark in line.marks], dtype=float)

    def _draw(self, plot: pg.PlotItem, line: Line) -> list[pg.GraphicsObject]:
        style = look(line.look)
        x, y = self._points(line)
        items: list[pg.GraphicsObject] = []
        if line.shape == "level":
            items += [pg.InfiniteLine(mark.y, angle=0, pen=line_pen(style, line.dash)) for mark in line.marks]
        elif line.shape == "step":
            items.append(
                pg.PlotCurveItem(np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1], pen=line_pen(style, line.dash))
            )
        elif line.shape == "line":
            items.append(pg.PlotCurveItem(x, y, pen=line_pen(style, line.dash)))
        if line.shape in ("line", "points"):
            items += self._intervals(line)
            edge = pg.mkPen(QColor(current_theme().base), width=0.8)
            items.append(
                pg.ScatterPlotItem(x, y, size=10, symbol=style.marker, brush=look_colour(style), pen=edge)
            )
        for item in items:
            plot.addItem(item)
        return items

    def _intervals(self, line: Line) -> list[pg.GraphicsObject]:
        known = [mark for mark in line.marks if mark.low is not None and mark.high is not None]
        if not known:
            return []
        y = np.array([mark.y for mark in known])
        return [
            pg.ErrorBarItem(
                x=np.array([self._x(line, mark) for mark in known]),
                y=y,
                top=np.array([mark.high for mark in known]) - y,
                bottom=y - np.array([mark.low for mark in known]),
                beam=_BEAM * (self._high - self._low),
                pen=line_pen(look(line.look), 0, 1.0),
            )
        ]
