"""Stacked bars, lying or upright, with hatches and letters; which part is where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen

from gacc_gui.core.chart_style import FILLS
from gacc_gui.core.charts import BarChart
from gacc_gui.gui.charts.plotting import (
    Axis,
    NameAxis,
    NumberAxis,
    Place,
    Plot,
    Spot,
    ring_pen,
)
from gacc_gui.gui.theme import current_theme, ui_font

HATCHES = {
    "none": Qt.BrushStyle.NoBrush,
    "up": Qt.BrushStyle.BDiagPattern,
    "down": Qt.BrushStyle.FDiagPattern,
    "cross": Qt.BrushStyle.DiagCrossPattern,
    "across": Qt.BrushStyle.HorPattern,
    "upright": Qt.BrushStyle.VerPattern,
    "dots": Qt.BrushStyle.Dense6Pattern,
    "sparse": Qt.BrushStyle.Dense7Pattern,
}
_THICK = 0.76
_SPOT = QSizeF(12, 13)
"""Of a letter, in pixels; lower in a thin bar, whose colour is seen above and below it."""


def paint_fill(painter: QPainter, rect: QRectF, role: str) -> None:
    """Paint the look of a cause or a part of a ledger: its colour, and its hatch over it."""
    theme, fill = current_theme(), FILLS[role]
    painter.fillRect(rect, QColor(fill.dark if theme.is_dark else fill.light))
    if fill.hatch != "none":
        ink = QColor(theme.text)
        ink.setAlphaF(0.5)
        painter.fillRect(rect, QBrush(ink, HATCHES[fill.hatch]))


def letter_spot(part: QRectF) -> QRectF | None:
    """Where a part's letter is written; None where that would hide the part's colour and hatch."""
    if part.width() < 2 * _SPOT.width() or part.height() < _SPOT.height():
        return None
    spot = QRectF(0, 0, _SPOT.width(), min(_SPOT.height(), part.height() - 4))
    spot.moveCenter(part.center())
    return spot


class _Bars(pg.GraphicsObject):
    """Paints the bars in pixels, so that hatches and letters keep their size."""

    def __init__(self, drawing: BarDrawing, whole: QRectF) -> None:
        super().__init__()
        self._drawing = drawing
        self._whole = whole

    def boundingRect(self) -> QRectF:
        """All bars."""
        return self._whole

    def paint(self, painter: QPainter, *_: Any) -> None:
        """Paint what is seen."""
        to_pixels = painter.worldTransform()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        theme = current_theme()
        font = ui_font(8)
        font.setBold(True)
        painter.setFont(font)
        edge = QPen(theme.base)
        for place, rect, role, letter in self._drawing.parts():
            pixels = to_pixels.mapRect(rect)
            paint_fill(painter, pixels, role)
            painter.setPen(edge)
            painter.drawRect(pixels)
            spot = letter_spot(pixels) if letter else None
            if spot is not None:
                painter.fillRect(spot, theme.base)
                painter.setPen(theme.text)
                painter.drawText(spot, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, letter)
            if place == self._drawing.chosen:
                painter.setPen(ring_pen())
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(pixels.adjusted(1, 1, -1, -1))


class BarDrawing:
    """A bar chart in an area. A place is (layer, bar)."""

    def __init__(
        self,
        area: pg.GraphicsLayoutWidget,
        chart: BarChart,
        *,
        longest: float | None = None,
        at: Sequence[float] = (),
    ) -> None:
        """`longest` is the end of the axis of sizes (None: just behind the bars), `at` where it has ticks."""
        self._chart = chart
        self.chosen: Place | None = None
        totals = [chart.total(bar) for bar in range(len(chart.labels))]
        self._longest = 1.0 if chart.is_share else max(totals, default=1.0)
        self._rects = self._lay_out()
        left: Axis
        bottom: Axis
        if chart.across:
            left, bottom = NameAxis("left", chart.labels), NumberAxis("bottom", at)
            bottom.set_title(chart.size_title)
        else:
            left, bottom = NumberAxis("left"), NameAxis("bottom", chart.labels)
            bottom.set_title(chart.bar_title)
            left.set_title(chart.size_title)
            bottom.setHeight(66)
        self._plot = Plot(area, 0, left, bottom)
        box = self._plot.box
        box.invertY(chart.across)
        bars, longest = len(chart.labels), longest or 1.02 * self._longest
        self._whole = QRectF(0, -0.5, longest, bars) if chart.across else QRectF(-0.5, 0, bars, longest)
        self._item = _Bars(self, self._whole)
        box.addItem(self._item, ignoreBounds=True)
        box.setLimits(
            xMin=self._whole.left(),
            xMax=self._whole.right(),
            yMin=self._whole.top(),
            yMax=self._whole.bottom(),
        )
        self.show_whole()

    def show_whole(self) -> None:
        """Show all bars."""
        self._plot.set_whole(self._whole)

    def zoom(self, factor: float) -> None:
        """Show more (above 1) or less (below) of the axes, around the chosen place."""
        chosen = self._rects.get(self.chosen) if self.chosen is not None else None
        self._plot.zoom(factor, None if chosen is None else chosen.center())

    def parts(self) -> list[tuple[Place, QRectF, str, str]]:
        """Every part with its place, rectangle, look and letter."""
        layers = self._chart.layers
        return [
            (place, rect, layers[place[0]].role, layers[place[0]].letter)
            for place, rect in self._rects.items()
        ]

    def spot(self, place: Place) -> Spot | None:
        """What is at a place."""
        if place not in self._rects:
            return None
        layer = self._chart.layers[place[0]]
        return Spot(layer.words[place[1]], layer.targets[place[1]])

    def place_at(self, position: QPointF) -> Place | None:
        """The part under a point of the scene."""
        at = self._plot.to_view(position)
        if at is None:
            return None
        return next((place for place, rect in self._rects.items() if rect.contains(at)), None)

    def step(self, place: Place | None, across: int, down: int) -> Place | None:
        """The part next to one: along the bar, or in the next bar that has this part."""
        if not self._rects:
            return None
        if place not in self._rects or place is None:
            return min(self._rects, key=lambda one: (one[1], one[0]))
        along, to_other = (across, down) if self._chart.across else (-down, across)
        layer, bar = place
        if to_other:
            bars = [b for (la, b) in self._rects if la == layer and (b - bar) * to_other > 0]
            return (layer, min(bars, key=lambda b: abs(b - bar))) if bars else place
        layers = [la for (la, b) in self._rects if b == bar and (la - layer) * along > 0]
        return (min(layers, key=lambda la: abs(la - layer)), bar) if layers else place

    def mark(self, place: Place | None) -> None:
        """Frame the chosen part."""
        self.chosen = place
        self._item.update()

    def _lay_out(self) -> dict[Place, QRectF]:
        rects: dict[Place, QRectF] = {}
        for bar in range(len(self._chart.labels)):
            at = 0.0
            for number, layer in enumerate(self._chart.layers):
                size = layer.sizes[bar]
                if not size:
                    continue
                rects[number, bar] = (
                    QRectF(at, bar - _THICK / 2, size, _THICK)
                    if self._chart.across
                    else QRectF(bar - _THICK / 2, at, _THICK, size)
                )
                at += size
        return rects
