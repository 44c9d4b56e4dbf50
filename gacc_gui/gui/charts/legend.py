"""The legend beside a chart: each line with its marker and dash, each part with its hatch and letter.

Lines can be hidden and shown again. Owns the list; a chart's looks are `core.chart_style`.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QWidget

from gacc_gui.core.chart_style import heat_colour, look
from gacc_gui.core.charts import BarChart, Chart, HeatChart, Layer, Line, LineChart
from gacc_gui.core.svg_parts import number_text
from gacc_gui.gui.charts.bar_drawing import paint_fill
from gacc_gui.gui.charts.line_drawing import marker_path
from gacc_gui.gui.charts.plotting import line_pen, look_colour
from gacc_gui.gui.lists.plain import cell_text, tooltip
from gacc_gui.gui.overlay import RowDelegate
from gacc_gui.gui.theme import GRID, current_theme

_SAMPLE: Final = QSize(34, 16)


class Legend(QListWidget):
    """Signals: line_shown(number of the line, bool)."""

    line_shown = Signal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chartLegend")
        self.setAccessibleName("Legend")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setIconSize(_SAMPLE)
        self.setItemDelegate(RowDelegate(self))
        self.setUniformItemSizes(True)
        self.setFixedWidth(28 * GRID)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.itemChanged.connect(self._on_item_changed)
        self.itemActivated.connect(self._on_activated)

    def show_chart(self, chart: Chart) -> None:
        """Name what a chart shows."""
        self.blockSignals(True)
        self.clear()
        match chart:
            case LineChart():
                for line in chart.panels[0].lines:
                    item = self._add(line.name, _line_sample(line, self.devicePixelRatioF()))
                    item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                    item.setCheckState(Qt.CheckState.Checked)
                self.setToolTip("Enter or a click hides a line and shows it again")
            case BarChart():
                for layer in chart.layers:
                    name = f"{layer.letter} {layer.name}".strip()
                    self._add(name, _fill_sample(layer, self.devicePixelRatioF()))
                self.setToolTip("")
            case HeatChart():
                self._add_scale(chart)
                self.setToolTip("")
        self.blockSignals(False)

    def _add(self, name: str, picture: QPixmap) -> QListWidgetItem:
        item = QListWidgetItem(QIcon(picture), cell_text(name))
        item.setToolTip(tooltip(name))
        self.addItem(item)
        return item

    def _add_scale(self, chart: HeatChart) -> None:
        for step in (10, 8, 6, 4, 2, 0):
            share = step / 10
            words = (
                f"{number_text(round((1 - share) * chart.highest, 2))} away"
                if chart.shows_away
                else f"{share:.1f} right"
            )
            picture = _blank(self.devicePixelRatioF())
            picture.fill(QColor(heat_colour(share, dark=current_theme().is_dark)))
            self._add(words, picture)

    def _on_item_changed(self, item: QListWidgetItem) -> None:
        self.line_shown.emit(self.row(item), item.checkState() == Qt.CheckState.Checked)

    def _on_activated(self, item: QListWidgetItem) -> None:
        if item.flags() & Qt.ItemFlag.ItemIsUserCheckable:
            shown = item.checkState() == Qt.CheckState.Checked
            item.setCheckState(Qt.CheckState.Unchecked if shown else Qt.CheckState.Checked)


def _blank(scale: float) -> QPixmap:
    picture = QPixmap(_SAMPLE * scale)
    picture.setDevicePixelRatio(scale)
    picture.fill(Qt.GlobalColor.transparent)
    return picture


def _line_sample(line: Line, scale: float) -> QPixmap:
    picture = _blank(scale)
    style = look(line.look)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    middle = _SAMPLE.height() / 2
    if line.shape != "points":
        painter.setPen(line_pen(style, line.dash))
        painter.drawLine(1, round(middle), _SAMPLE.width() - 1, round(middle))
    if line.shape in ("line", "points"):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look_colour(style))
        painter.drawPath(marker_path(style.marker).translated(_SAMPLE.width() / 2, middle))
    painter.end()
    return picture


def _fill_sample(layer: Layer, scale: float) -> QPixmap:
    picture = _blank(scale)
    painter = QPainter(picture)
    rect = QRectF(0.5, 1.5, _SAMPLE.width() - 2, _SAMPLE.height() - 3)
    paint_fill(painter, rect, layer.role)
    painter.setPen(current_theme().muted)
    painter.drawRect(rect)
    painter.end()
    return picture
