"""Lines with intervals, steps and levels; which mark is where.

One item paints all lines of a panel: an item each for line, markers and interval takes pyqtgraph half a
second for 120 lines (measured 2026-11).
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, Final

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen, QPolygonF, QTransform

from gacc_gui.core.chart_style import Look, look, marker_fill
from gacc_gui.core.chart_svg import x_range
from gacc_gui.core.charts import Line, LineChart, Mark
from gacc_gui.gui.charts.plotting import (
    POINTER,
    NumberAxis,
    Place,
    Plot,
    Spot,
    grid_pen,
    line_pen,
    look_colour,
    ring_pen,
    title_panels,
)
from gacc_gui.gui.theme import current_theme

_MARKER: Final = 10.0
_BEAM: Final = 3.0
_BOTTOM: Final = -0.03
_TOP: Final = 1.03


def marker_path(name: str, size: float = _MARKER) -> QPainterPath:
    """The outline of a marker, around 0."""
    path: QPainterPath = pg.graphicsItems.ScatterPlotItem.Symbols[name]
    return QTransform.fromScale(size, size).map(path)


def paint_marker(painter: QPainter, at: QPointF, style: Look, fill: str) -> None:
    """Paint a marker of a series, filled as `chart_style.MARKER_FILLS` has it."""
    path = marker_path(style.marker).translated(at)
    colour, base = look_colour(style), current_theme().base
    if fill == "full":
        painter.setPen(QPen(base, 0.8))
        painter.setBrush(colour)
        painter.drawPath(path)
        return
    painter.setPen(QPen(colour, 1.4))
    painter.setBrush(base)
    painter.drawPath(path)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    if fill == "dotted":
        painter.drawEllipse(at, 1.8, 1.8)
    elif fill == "half":
        left = QPainterPath()
        left.addRect(QRectF(at.x() - _MARKER, at.y() - _MARKER, _MARKER, 2 * _MARKER))
        painter.drawPath(path.intersected(left))


class _Lines(pg.GraphicsObject):
    """Paints the lines of a panel in pixels."""

    def __init__(self, drawing: LineDrawing, panel: int, whole: QRectF) -> None:
        super().__init__()
        self._drawing = drawing
        self._panel = panel
        self._whole = whole

    def boundingRect(self) -> QRectF:
        """All of the axes: lines that are hidden come back."""
        return self._whole

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Paint guides, lines, and a ring around the chosen mark."""
        to_pixels = painter.worldTransform()
        painter.resetTransform()
        left, right = (to_pixels.map(QPointF(x, 0)).x() for x in (self._whole.left(), self._whole.right()))
        painter.setPen(grid_pen())
        for level in self._drawing.levels(self._panel):
            y = to_pixels.map(QPointF(0, level)).y()
            painter.drawLine(QPointF(left, y), QPointF(right, y))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number, line in self._drawing.shown(self._panel):
            points = [to_pixels.map(point) for point in self._drawing.points(line)]
            self._paint_line(painter, line, points, (left, right), to_pixels)
            chosen = self._drawing.chosen
            if chosen is not None and chosen[0] == number:
                at = points[chosen[1]]
                if line.shape == "level":
                    at = QPointF((left + right) / 2, at.y())
                painter.setPen(ring_pen())
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(at, 8.5, 8.5)

    def _paint_line(
        self,
        painter: QPainter,
        line: Line,
        points: list[QPointF],
        ends: tuple[float, float],
        to_pixels: QTransform,
    ) -> None:
        style = look(line.look)
        painter.setPen(line_pen(style, line.dash))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        match line.shape:
            case "level":
                for point in points:
                    painter.drawLine(QPointF(ends[0], point.y()), QPointF(ends[1], point.y()))
                return
            case "step":
                steps = [points[0]] if points else []
                for before, after in pairwise(points):
                    steps += [QPointF(after.x(), before.y()), after]
                painter.drawPolyline(QPolygonF(steps))
                return
            case "line":
                # One by one: as a polyline, 120 smoothed lines take Qt ten times as long (measured 2026-11).
                # Where two meet stands a marker.
                for before, after in pairwise(points):
                    painter.drawLine(before, after)
        painter.setPen(line_pen(style, 0, 1.2))
        for point, mark in zip(points, line.marks, strict=True):
            if mark.low is not None and mark.high is not None:
                low, high = (to_pixels.map(QPointF(mark.x, value)).y() for value in (mark.low, mark.high))
                painter.drawLine(QPointF(point.x(), low), QPointF(point.x(), high))
                for y in (low, high):
                    painter.drawLine(QPointF(point.x() - _BEAM, y), QPointF(point.x() + _BEAM, y))
        for point in points:
            paint_marker(painter, point, style, marker_fill(line.dash))


class LineDrawing:
    """A line chart in an area. A place is (line, mark); a second panel's lines follow those of the first."""

    def __init__(self, area: pg.GraphicsLayoutWidget, chart: LineChart) -> None:
        self._chart = chart
        self.chosen: Place | None = None
        self._hidden: set[int] = set()
        self._plots: list[Plot] = []
        self._items: list[_Lines] = []
        low, high = x_range(chart)
        self._whole = QRectF(low, _BOTTOM, high - low, _TOP - _BOTTOM)
        self._lines = [(number, line) for number, panel in enumerate(chart.panels) for line in panel.lines]
        for number, panel in enumerate(chart.panels):
            left = NumberAxis("left")
            bottom = NumberAxis("bottom", chart.x_ticks, whole=chart.x_is_whole)
            if len(chart.panels) == 1:
                bottom.set_title(chart.x_title)
            if number == 0:
                left.set_title(chart.y_title)
            plot = Plot(area, number, left, bottom, panel.title)
            item = _Lines(self, number, self._whole)
            plot.box.addItem(item, ignoreBounds=True)
            plot.box.setLimits(
                xMin=low, xMax=high, yMin=_BOTTOM, yMax=_TOP, minXRange=(high - low) / 500, minYRange=0.005
            )
            if number:
                plot.box.setXLink(self._plots[0].box)
                plot.box.setYLink(self._plots[0].box)
            self._plots.append(plot)
            self._items.append(item)
        if len(chart.panels) > 1:
            title_panels(area, chart.x_title, len(chart.panels))
        self.show_whole()

    def set_shown(self, number: int, shown: bool) -> None:
        """Show or hide a line of the legend, in every panel."""
        for place in range(number, len(self._lines), len(self._chart.panels[0].lines)):
            (self._hidden.discard if shown else self._hidden.add)(place)
        self._update()

    def show_whole(self) -> None:
        """Show all of the chart."""
        self._plots[0].set_whole(self._whole)

    def zoom(self, factor: float) -> None:
        """Show more (above 1) or less (below) of the axes, around the chosen place."""
        chosen = self.chosen
        around = None if chosen is None else self.points(self._lines[chosen[0]][1])[chosen[1]]
        self._plots[0].zoom(factor, around)

    def shown(self, panel: int) -> list[tuple[int, Line]]:
        """The lines of a panel that are not hidden, with their numbers."""
        return [
            (number, line)
            for number, (of_panel, line) in enumerate(self._lines)
            if of_panel == panel and line.marks and number not in self._hidden
        ]

    def levels(self, panel: int) -> list[float]:
        """Where a panel's guides are: at the ticks of its axis, whatever is zoomed."""
        return self._plots[panel].left_ticks()

    def points(self, line: Line) -> list[QPointF]:
        """Where the marks of a line stand: those of several lines are spread a little."""
        shift = line.shift * self._whole.width()
        return [QPointF(mark.x + shift, mark.y) for mark in line.marks]

    def spot(self, place: Place) -> Spot | None:
        """What is at a place."""
        mark = self._mark_of(place)
        return None if mark is None else Spot(mark.words, mark.target)

    def place_at(self, position: QPointF) -> Place | None:
        """The mark under a point of the scene: the nearest of those near enough."""
        nearest, least = None, POINTER
        for panel, plot in enumerate(self._plots):
            at = plot.to_view(position)
            if at is None:
                continue
            wide, tall = plot.pixel_size()
            for number, line in self.shown(panel):
                for place, point in enumerate(self.points(line)):
                    across = 0.0 if line.shape == "level" else (point.x() - at.x()) / wide
                    distance = math.hypot(across, (point.y() - at.y()) / tall)
                    if distance < least:
                        nearest, least = (number, place), distance
        return nearest

    def step(self, place: Place | None, across: int, down: int) -> Place | None:
        """The mark next to one: along its line, or the nearest one of another line."""
        rows = [number for panel in range(len(self._plots)) for number, _ in self.shown(panel)]
        if not rows:
            return None
        if place is None or place[0] not in rows:
            return rows[0], 0
        row, number = place
        if across:
            return row, max(0, min(number + across, len(self._lines[row][1].marks) - 1))
        other = rows[(rows.index(row) + down) % len(rows)]
        x, marks = self._lines[row][1].marks[number].x, self._lines[other][1].marks
        return other, min(range(len(marks)), key=lambda at: abs(marks[at].x - x))

    def mark(self, place: Place | None) -> None:
        """Ring the chosen mark."""
        self.chosen = place if place is not None and self._mark_of(place) is not None else None
        self._update()

    def _update(self) -> None:
        for item in self._items:
            item.update()

    def _mark_of(self, place: Place) -> Mark | None:
        row, number = place
        if not 0 <= row < len(self._lines):
            return None
        marks = self._lines[row][1].marks
        return marks[number] if 0 <= number < len(marks) else None
