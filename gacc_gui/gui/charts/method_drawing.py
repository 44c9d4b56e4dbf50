"""Bars of methods with what is written beside them, and the line that none of them is to pass."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QPen

from gacc_gui.core.charts import MethodChart
from gacc_gui.core.svg_parts import ticks
from gacc_gui.gui.charts.bar_drawing import BarDrawing
from gacc_gui.gui.theme import current_theme, ui_font

_ROOM = 1.75
"""How much longer than its bars the chart is: the words beside them need it."""


class MethodDrawing(BarDrawing):
    """A chart of methods in an area. A place is (layer, line)."""

    def __init__(self, area: pg.GraphicsLayoutWidget, chart: MethodChart) -> None:
        bars = chart.stacked()
        super().__init__(area, bars, longest=chart.highest * _ROOM, at=ticks(0, chart.highest, 6))
        line = 0
        for group in chart.groups:
            line += 1  # that of the group's title
            for bar in group.bars:
                self._write(bar.words, bars.total(line), line)
                line += 1
        if chart.limit is not None:
            at, words = chart.limit
            pen = QPen(current_theme().text, 1.5, Qt.PenStyle.DashLine)
            pen.setCosmetic(True)
            self._plot.box.addItem(pg.InfiniteLine(at, angle=90, pen=pen), ignoreBounds=True)
            self._write(words, at, 0)

    def _write(self, words: str, x: float, line: int) -> None:
        text = pg.TextItem(words, color=current_theme().text, anchor=(0, 0.5))
        text.setFont(ui_font(8))
        text.setPos(x, line)
        self._plot.box.addItem(text, ignoreBounds=True)
