"""What all drawings share: pyqtgraph as we use it, axes in the theme's colours, and where a person can point.

Imports pyqtgraph, which takes a quarter of a second: a worker imports it first, then this module.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPen
from PySide6.QtWidgets import QGraphicsSceneResizeEvent, QWidget

from gacc_gui.core.chart_style import Look, dash
from gacc_gui.core.charts import Target
from gacc_gui.core.svg_parts import number_text, ticks
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.theme import GRID, HALF, current_theme, ui_font

# Its own clean-up at exit walks through every object there is; our windows take their plots with them.
pg.setConfigOptions(antialias=True, exitCleanup=False)

POINTER: Final = 14.0
"""Pixels around a mark within which it is pointed at."""
_LABEL_HEIGHT: Final = 15
_SMALL_POINTS: Final = 7
_NAME_ROOM: Final = 96.0
"""Pixels that a name may take in any case, and the most that one below may take."""
_NAME_SHARE: Final = 0.4
"""Share of an area that names at its left may take."""

Place = tuple[int, int]
"""A mark's line (or part, or row) and its number there."""


@dataclass(frozen=True, slots=True)
class Spot:
    """What a person points at: its sentence and its rows."""

    words: str
    target: Target | None


class Drawing(Protocol):
    """A chart that is drawn."""

    def spot(self, place: Place) -> Spot | None:
        """What is at a place; None where nothing is."""
        ...

    def place_at(self, position: QPointF) -> Place | None:
        """The place under a point of the scene."""
        ...

    def step(self, place: Place | None, across: int, down: int) -> Place | None:
        """The place next to one, for the arrow keys; from nowhere the first one."""
        ...

    def mark(self, place: Place | None) -> None:
        """Show which place is chosen."""
        ...

    def show_whole(self) -> None:
        """Show all of the chart."""
        ...

    def zoom(self, factor: float) -> None:
        """Show more (above 1) or less (below) of the axes, around the chosen place."""
        ...


def look_colour(look: Look) -> QColor:
    """The colour of a series in the theme in force."""
    return QColor(look.dark if current_theme().is_dark else look.light)


def line_pen(look: Look, dashes: int, width: float = 1.6) -> QPen:
    """The pen of a series."""
    pen = QPen(look_colour(look), width)
    pen.setCosmetic(True)
    pattern = dash(dashes)
    if pattern:
        pen.setDashPattern(list(pattern))
    return pen


def ring_pen() -> QPen:
    """The pen around what is chosen."""
    pen = QPen(current_theme().text, 2.0)
    pen.setCosmetic(True)
    return pen


class Axis(pg.AxisItem):
    """An axis in the theme's colours, whose title is elided where the axis is shorter."""

    _title = ""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        theme = current_theme()
        self.setPen(QPen(theme.border))
        self.setTextPen(QPen(theme.text))
        self.setTickFont(ui_font())
        self.enableAutoSIPrefix(False)
        self.setStyle(tickLength=-4, tickTextOffset=4, hideOverlappingLabels=False, autoReduceTextSpace=False)

    def set_title(self, title: str) -> None:
        """Write a title. It is ours: pyqtgraph takes it for mark-up."""
        self._title = title
        self._write_title()

    def _write_title(self) -> None:
        size = self.size()
        room = int(size.height() if self.orientation in ("left", "right") else size.width()) - 2 * GRID
        shown = self._title
        if room > 0:
            shown = QFontMetrics(ui_font(9)).elidedText(shown, Qt.TextElideMode.ElideRight, room)
        if shown != self.labelText:
            self.setLabel(shown, **{"color": current_theme().text.name(), "font-size": "9pt"})

    def resizeEvent(self, ev: QGraphicsSceneResizeEvent | None = None) -> None:
        """Elide the title anew."""
        if self._title and self.label is not None:
            self._write_title()
        super().resizeEvent(ev)


class NumberAxis(Axis):
    """An axis of numbers; with `at`, labelled there alone. `whole`: at whole numbers only."""

    def __init__(self, side: str, at: Sequence[float] = (), *, whole: bool = False) -> None:
        super().__init__(side)
        self._at = tuple(at)
        self._whole = whole

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[Any]:
        """Where ticks are."""
        minVal, maxVal = sorted((minVal, maxVal))
        if self._at:
            shown = [value for value in self._at if minVal <= value <= maxVal]
            return [(maxVal - minVal or 1.0, _apart(shown, maxVal - minVal, size, 34))]
        room = 70 if self.orientation in ("bottom", "top") else 56
        values = ticks(minVal, maxVal, max(2, int(size / room)))
        if self._whole:
            values = [value for value in values if value == int(value)]
        return [(maxVal - minVal or 1.0, values)]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """What is written at ticks."""
        return [number_text(value) for value in values]


def _apart(values: list[float], span: float, size: float, room: float) -> list[float]:
    """Leave out labels that would stand on their neighbours."""
    kept: list[float] = []
    for value in values:
        if not kept or (value - kept[-1]) / (span or 1.0) * size >= room:
            kept.append(value)
    return kept


class NameAxis(Axis):
    """An axis of names at 0, 1, 2, …; as many as have room, each elided to it.

    Names below may have several lines; they are written smaller where all of them then have room.
    """

    def __init__(self, side: str, names: Sequence[str]) -> None:
        super().__init__(side)
        # A break of a chart's own makes lines below; one in a name of data is marked: it has no room here.
        parted = [name.split("\n") if side == "bottom" else [name] for name in names]
        self._names = ["\n".join(map(cell_text, lines)) for lines in parted]
        longest = sorted((line for name in self._names for line in name.split("\n")), key=len)[-20:]
        self._font = ui_font()
        self._widths = [
            max((QFontMetrics(font).horizontalAdvance(line) for line in longest), default=0)
            for font in (ui_font(), ui_font(_SMALL_POINTS))
        ]
        self._most = float(self._widths[0])

    def fit(self, area: QWidget) -> None:
        """Take no more of the area's width than leaves the chart room."""
        self._most = min(float(self._widths[0]), max(_NAME_ROOM, _NAME_SHARE * area.width()))
        self.setWidth(self._most + GRID)

    def resizeEvent(self, ev: QGraphicsSceneResizeEvent | None = None) -> None:
        """Choose the size of the letters."""
        super().resizeEvent(ev)
        if self.orientation == "bottom" and getattr(self, "_names", None):
            step = self.size().width() / len(self._names)
            small = self._widths[1] + HALF <= step < self._widths[0] + HALF
            font = ui_font(_SMALL_POINTS) if small else ui_font()
            if font != self._font:
                self._font = font
                self.setTickFont(font)

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[Any]:
        """Where ticks are."""
        minVal, maxVal = sorted((minVal, maxVal))  # the other way round on an axis that points down
        first, last = max(0, math.ceil(minVal)), min(len(self._names) - 1, math.floor(maxVal))
        step = max(1.0, size) / ((maxVal - minVal) or 1.0)
        if self.orientation == "bottom":
            every = max(1, math.ceil(self._room() / step))
            self._most = every * step - HALF
        else:
            every = max(1, math.ceil(_LABEL_HEIGHT / step))
        begin = math.ceil(first / every) * every
        return [(every, list(range(begin, last + 1, every)))]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """What is written at ticks."""
        # The ratio at a cell's end and the compressor at its beginning tell it from others.
        below = self.orientation == "bottom"
        mode = Qt.TextElideMode.ElideRight if below else Qt.TextElideMode.ElideMiddle
        # A whole pixel more: advances are rounded, and a name that just fits would be elided (6.11).
        metrics, room = QFontMetrics(self._font), math.ceil(self._most) + 1
        return [
            "\n".join(metrics.elidedText(line, mode, room) for line in self._names[int(value)].split("\n"))
            for value in values
        ]

    def _room(self) -> float:
        """How wide a name below is, as far as names may be."""
        small = self._font.pointSizeF() < ui_font().pointSizeF()
        return min(self._widths[small] + HALF, _NAME_ROOM)


def title_panels(area: pg.GraphicsLayoutWidget, title: str, panels: int) -> None:
    """Write the title that the axes below several panels share."""
    area.addLabel(title, row=3, col=0, colspan=2 * panels, color=current_theme().text.name(), size="9pt")


class Plot:
    """One system of axes in an area: a view box with its axes at the left and below, and a title over it.

    pyqtgraph's own PlotItem makes menus and controls of its own, 20 ms each time (measured 2026-11).
    """

    def __init__(
        self,
        area: pg.GraphicsLayoutWidget,
        number: int,
        left: Axis,
        bottom: Axis,
        title: str = "",
    ) -> None:
        column = 2 * number
        self._left = left
        self.box = area.addViewBox(row=1, col=column + 1, enableMenu=False)
        self.box.disableAutoRange()
        self.box.setBorder(QPen(current_theme().border))
        for axis, place in ((left, (1, column)), (bottom, (2, column + 1))):
            area.addItem(axis, row=place[0], col=place[1])
            axis.linkToView(self.box)
        if isinstance(left, NameAxis):
            left.fit(area)
            area.sigDeviceRangeChanged.connect(left.fit)
        if title:
            area.addLabel(
                title, row=0, col=column + 1, color=current_theme().text.name(), size="9pt", bold=True
            )
        layout = area.ci.layout
        layout.setSpacing(2)
        layout.setRowStretchFactor(1, 1)
        layout.setColumnStretchFactor(column + 1, 1)

    def set_whole(self, whole: QRectF) -> None:
        """Show a rectangle of the plot's numbers, and nothing beyond its edges."""
        self.box.setRange(whole, padding=0)

    def zoom(self, factor: float, around: QPointF | None = None) -> None:
        """Show more (above 1) or less (below) of the axes, around a point of them or the middle."""
        self.box.scaleBy((factor, factor), center=around)

    def left_ticks(self) -> list[float]:
        """Where the axis at the left has its ticks."""
        low, high = self._left.range
        return [
            at for _, found in self._left.tickValues(low, high, self._left.size().height()) for at in found
        ]

    def to_view(self, position: QPointF) -> QPointF | None:
        """A point of the scene in the plot's numbers; None outside of it."""
        if not self.box.sceneBoundingRect().contains(position):
            return None
        return self.box.mapSceneToView(position)

    def pixel_size(self) -> tuple[float, float]:
        """How much of each axis a pixel takes."""
        seen, scene = self.box.viewRect(), self.box.sceneBoundingRect()
        return seen.width() / max(1.0, scene.width()), seen.height() / max(1.0, scene.height())


def grid_pen() -> QPen:
    """The pen of guide lines."""
    pen = QPen(current_theme().border)
    pen.setCosmetic(True)
    pen.setStyle(Qt.PenStyle.DotLine)
    return pen
