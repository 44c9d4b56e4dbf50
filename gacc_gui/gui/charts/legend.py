"""The legend beside a chart: each line with its marker and dash, each part with its hatch and letter.

Lines can be hidden and shown again. Owns the list; a chart's looks are `core.chart_style`.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QWidget

from gacc_gui.core.chart_style import heat_colour, look, marker_fill
from gacc_gui.core.charts import BarChart, Chart, HeatChart, Layer, Line, LineChart
from gacc_gui.core.svg_parts import number_text
from gacc_gui.gui.charts.bar_drawing import paint_fill
from gacc_gui.gui.charts.line_drawing import paint_marker
from gacc_gui.gui.charts.plotting import line_pen
from gacc_gui.gui.lists.plain import cell_text, tooltip
from gacc_gui.gui.overlay import RowDelegate
from gacc_gui.gui.theme import GRID, current_theme

_SAMPLE: Final = QSize(34, 16)
_WIDTH: Final = 28 * GRID


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
        self._most = _WIDTH
        # Compressor, condition and what else a name ends with tell lines apart.
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.itemChanged.connect(self._on_item_changed)
        self.itemActivated.connect(self._on_activated)

    def show_chart(self, chart: Chart) -> None:
        """Name what a chart shows."""
        self.blockSignals(True)
        self.clear()
        self._show_boxes()
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
        self._fit()

    def give_room(self, most: int) -> None:
        """Say how much of a chart's width the names may take."""
        self._most = max(_WIDTH, most)
        self._fit()

    def _fit(self) -> None:
        wide = self.sizeHintForColumn(0) + self.verticalScrollBar().sizeHint().width()
        self.setFixedWidth(max(12 * GRID, min(wide, self._most)))

    def _show_boxes(self) -> None:
        """Give check boxes a frame that is seen: Fusion's is a shade darker than the window (6.11)."""
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Window, current_theme().muted.lighter(140))
        self.setPalette(palette)

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
        paint_marker(painter, QPointF(_SAMPLE.width() / 2, middle), style, marker_fill(line.dash))
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
