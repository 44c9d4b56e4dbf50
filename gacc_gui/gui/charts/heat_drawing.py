"""Cells × goals as a picture with the figures written in where there is room; which place is where."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from gacc_gui.core.chart_style import heat_colour
from gacc_gui.core.chart_svg import heat_text, heat_value
from gacc_gui.core.charts import HeatChart
from gacc_gui.gui.charts.plotting import NameAxis, Place, Plot, Spot, ring_pen
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.theme import current_theme, ui_font

_ROOM = (24, 13)
"""Pixels that a place needs to have its figure written in."""


class _Figures(pg.GraphicsObject):
    """Writes figures into the places that are seen, in pixels, and frames the chosen place."""

    def __init__(self, drawing: HeatDrawing, whole: QRectF) -> None:
        super().__init__()
        self._drawing = drawing
        self._whole = whole
        self.setZValue(10)

    def boundingRect(self) -> QRectF:
        """All places."""
        return self._whole

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Paint what is seen."""
        to_pixels = painter.worldTransform()
        painter.resetTransform()
        unit = to_pixels.mapRect(QRectF(0, 0, 1, 1))
        if unit.width() >= _ROOM[0] and unit.height() >= _ROOM[1]:
            painter.setFont(ui_font(8))
            seen = self.getViewBox().viewRect().intersected(self._whole).translated(0.5, 0.5)
            for row in range(math.floor(seen.top()), math.ceil(seen.bottom())):
                for goal in range(math.floor(seen.left()), math.ceil(seen.right())):
                    text, ink = self._drawing.figure((row, goal))
                    painter.setPen(ink)
                    painter.drawText(
                        to_pixels.mapRect(_square(row, goal)), Qt.AlignmentFlag.AlignCenter, text
                    )
        if self._drawing.chosen is not None:
            painter.setPen(ring_pen())
            painter.drawRect(to_pixels.mapRect(_square(*self._drawing.chosen)).adjusted(-1, -1, 1, 1))


def _square(row: int, goal: int) -> QRectF:
    """A place's square: ticks are at whole numbers, so its middle is one."""
    return QRectF(goal - 0.5, row - 0.5, 1, 1)


class HeatDrawing:
    """A heat map in an area. A place is (cell, goal)."""

    def __init__(self, area: pg.GraphicsLayoutWidget, chart: HeatChart) -> None:
        self._chart = chart
        self._highest = chart.highest
        self.chosen: Place | None = None
        left, bottom = NameAxis("left", chart.labels), NameAxis("bottom", tuple(map(cell_text, chart.goals)))
        bottom.set_title(f"{chart.goal_title} ({len(chart.goals):,})")
        self._plot = Plot(area, 0, left, bottom)
        box = self._plot.box
        box.invertY(True)
        self._rows, self._columns = len(chart.cells), len(chart.goals)
        self._whole = QRectF(-0.5, -0.5, self._columns, self._rows)
        image = pg.ImageItem(self._pixels(), axisOrder="row-major", levels=(0, 255))
        image.setRect(self._whole)
        self._figures = _Figures(self, self._whole)
        box.addItem(image, ignoreBounds=True)
        box.addItem(self._figures, ignoreBounds=True)
        box.setLimits(
            xMin=-0.5, xMax=self._columns - 0.5, yMin=-0.5, yMax=self._rows - 0.5, minXRange=1, minYRange=1
        )
        self.show_whole()

    def show_whole(self) -> None:
        """Show all places."""
        self._plot.set_whole(self._whole)

    def zoom(self, factor: float) -> None:
        """Show more (above 1) or less (below) of the axes, around the chosen place."""
        around = None if self.chosen is None else QPointF(self.chosen[1], self.chosen[0])
        self._plot.zoom(factor, around)

    def figure(self, place: Place) -> tuple[str, QColor]:
        """What is written in a place, and in which colour."""
        value = heat_value(self._chart, *place, self._highest)
        if value is None:
            return heat_text(self._chart, *place), current_theme().muted
        fill = QColor(heat_colour(value, dark=current_theme().is_dark))
        return heat_text(self._chart, *place), QColor("#111111" if fill.lightness() > 128 else "#ffffff")

    def spot(self, place: Place) -> Spot | None:
        """What is at a place."""
        cell, goal = place
        if not (0 <= cell < self._rows and 0 <= goal < self._columns):
            return None
        text = self._chart.goal_texts[goal]
        words = self._chart.words(cell, goal) + (f" · {text}" if text else "")
        has_rows = self._chart.units[cell][goal] > 0 or place in self._chart.hidden
        return Spot(words, self._chart.target(cell, goal) if has_rows else None)

    def place_at(self, position: QPointF) -> Place | None:
        """The place under a point of the scene."""
        at = self._plot.to_view(position)
        if at is None:
            return None
        place = math.floor(at.y() + 0.5), math.floor(at.x() + 0.5)
        return place if self.spot(place) is not None else None

    def step(self, place: Place | None, across: int, down: int) -> Place | None:
        """The place next to one."""
        if place is None:
            return 0, 0
        cell, goal = place
        return max(0, min(cell + down, self._rows - 1)), max(0, min(goal + across, self._columns - 1))

    def mark(self, place: Place | None) -> None:
        """Frame the chosen place."""
        self.chosen = place
        self._figures.update()

    def _pixels(self) -> np.ndarray:
        dark = current_theme().is_dark
        scale = np.array(
            [_opaque(heat_colour(step / 100, dark=dark)) for step in range(101)] + [(0, 0, 0, 0)],
            dtype=np.ubyte,
        )
        right, whole, units = (
            np.array(counts, dtype=float)
            for counts in (self._chart.right, self._chart.whole, self._chart.units)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            value = 1 - (whole - right) / units / self._highest if self._chart.shows_away else right / whole
        steps = np.where(whole > 0, np.rint(np.nan_to_num(value) * 100), 101).astype(int)
        return scale[steps]


def _opaque(colour: str) -> tuple[int, int, int, int]:
    named = QColor(colour)
    return named.red(), named.green(), named.blue(), 255
