"""One chart as a person uses it: pointed at, walked over with the arrow keys, zoomed, chosen from.

Owns pointer, keys and the sentence about what is pointed at. Drawing is `line_drawing`, `bar_drawing`,
`method_drawing` and `heat_drawing`; which chart is shown is the panel's.
"""

from __future__ import annotations

from typing import Final

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QToolTip, QVBoxLayout, QWidget

from gacc_gui.core.charts import BarChart, Chart, HeatChart, LineChart, MethodChart
from gacc_gui.core.terms import GOALS, Terms
from gacc_gui.gui.charts.bar_drawing import BarDrawing
from gacc_gui.gui.charts.heat_drawing import HeatDrawing
from gacc_gui.gui.charts.legend import Legend
from gacc_gui.gui.charts.line_drawing import LineDrawing
from gacc_gui.gui.charts.method_drawing import MethodDrawing
from gacc_gui.gui.charts.plotting import Drawing, Place
from gacc_gui.gui.lists.plain import tooltip
from gacc_gui.gui.side.section import Elided
from gacc_gui.gui.theme import GRID, HALF, current_theme

HINT: Final = "Arrow keys go from mark to mark, Enter or a click shows its {0.unit}s; + − or the wheel zooms."
_STEPS: Final = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}

_ZOOMS: Final = {Qt.Key.Key_Plus: 0.7, Qt.Key.Key_Equal: 0.7, Qt.Key.Key_Minus: 1 / 0.7}


class PlotArea(pg.GraphicsLayoutWidget):
    """Where charts are drawn. Signals: pointed(QPointF | None) and clicked(QPointF), of the scene.

    stepped(across, down), entered(), zoomed(factor): the arrow keys, Enter, + and -.
    """

    pointed = Signal(object)
    clicked = Signal(object)
    stepped = Signal(object, object)
    entered = Signal()
    zoomed = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("chartArea")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._pressed: QPoint | None = None

    def mousePressEvent(self, ev: QMouseEvent) -> None:
        """Remember where: a drag is no click."""
        self._pressed = ev.position().toPoint()
        super().mousePressEvent(ev)

    def mouseReleaseEvent(self, ev: QMouseEvent) -> None:
        """Take a press and release at one place for a click."""
        super().mouseReleaseEvent(ev)
        at = ev.position().toPoint()
        pressed, self._pressed = self._pressed, None
        if (
            ev.button() == Qt.MouseButton.LeftButton
            and pressed is not None
            and (at - pressed).manhattanLength() < 4
        ):
            self.clicked.emit(self.mapToScene(at))

    def mouseMoveEvent(self, ev: QMouseEvent) -> None:
        """Say what is pointed at."""
        super().mouseMoveEvent(ev)
        if not ev.buttons():
            self.pointed.emit(self.mapToScene(ev.position().toPoint()))

    def leaveEvent(self, ev: QEvent) -> None:
        """Nothing is pointed at."""
        super().leaveEvent(ev)
        self.pointed.emit(None)

    def keyPressEvent(self, ev: QKeyEvent) -> None:
        """Walk over the marks."""
        step = _STEPS.get(Qt.Key(ev.key()))
        if step is not None:
            self.stepped.emit(*step)
        elif ev.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.entered.emit()
        elif ev.key() in _ZOOMS:
            self.zoomed.emit(_ZOOMS[Qt.Key(ev.key())])
        else:
            ev.ignore()


class ChartView(QWidget):
    """Signals: target_chosen(core.charts.Target): show these rows."""

    target_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chartView")
        self._chart: Chart | None = None
        self._terms = GOALS
        self._theme = ""
        """The theme that it is drawn in."""
        self._drawing: Drawing | None = None
        self._place: Place | None = None
        self._area = PlotArea(self)
        self._legend = Legend(self)
        self._words = Elided(self, at_end=True)
        self._words.setObjectName("chartWords")
        row = QHBoxLayout()
        row.setSpacing(GRID)
        row.addWidget(self._area, 1)
        row.addWidget(self._legend)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(HALF)
        layout.addLayout(row, 1)
        layout.addWidget(self._words)
        self.setFocusProxy(self._area)
        self._area.pointed.connect(self._on_pointed)
        self._area.clicked.connect(self._on_clicked)
        self._area.stepped.connect(self._on_stepped)
        self._area.entered.connect(self._on_entered)
        self._area.zoomed.connect(self.zoom)
        self._legend.line_shown.connect(self._on_line_shown)

    @property
    def area(self) -> PlotArea:
        """Where the chart is drawn."""
        return self._area

    @property
    def legend(self) -> Legend:
        """The legend."""
        return self._legend

    @property
    def drawing(self) -> Drawing | None:
        """What is drawn."""
        return self._drawing

    @property
    def words(self) -> str:
        """The sentence about what is pointed at or chosen."""
        return self._words.text()

    def show_chart(self, chart: Chart, terms: Terms | None = None) -> None:
        """Draw a chart; `terms` of its run, where they are others than those of the chart before."""
        self._terms = terms or self._terms
        self._chart = chart
        self._theme = current_theme().name
        self._place = None
        self._area.clear()
        self._area.setBackground(current_theme().base)
        match chart:
            case LineChart():
                self._drawing = LineDrawing(self._area, chart)
            case BarChart():
                self._drawing = BarDrawing(self._area, chart)
            case MethodChart():
                self._drawing = MethodDrawing(self._area, chart)
            case HeatChart():
                self._drawing = HeatDrawing(self._area, chart)
            case _:
                self._drawing = None
        self._area.setAccessibleName(chart.title)
        self._legend.show_chart(chart.stacked() if isinstance(chart, MethodChart) else chart)
        self._say(None)

    def show_whole(self) -> None:
        """Undo the zoom."""
        if self._drawing is not None:
            self._drawing.show_whole()

    def zoom(self, factor: float) -> None:
        """Show more (above 1) or less (below) of the axes."""
        if self._drawing is not None:
            self._drawing.zoom(factor)

    def choose(self, place: Place | None) -> None:
        """Choose a mark, without going to its rows."""
        self._place = place
        if self._drawing is not None:
            self._drawing.mark(place)
        self._say(place)

    def _say(self, place: Place | None) -> None:
        spot = self._drawing.spot(place) if self._drawing is not None and place is not None else None
        if spot is None:
            self._words.set_text(HINT.format(self._terms), "muted")
        else:
            self._words.set_text(spot.words)
            self._area.setAccessibleDescription(spot.words)

    def _on_pointed(self, position: QPointF | None) -> None:
        if self._drawing is None:
            return
        place = None if position is None else self._drawing.place_at(position)
        spot = None if place is None else self._drawing.spot(place)
        self._say(place if spot is not None else self._place)
        if position is None or spot is None:
            QToolTip.hideText()
            return
        at = self._area.mapToGlobal(self._area.mapFromScene(position))
        QToolTip.showText(at, tooltip(spot.words), self._area)

    def _on_clicked(self, position: QPointF) -> None:
        if self._drawing is None:
            return
        place = self._drawing.place_at(position)
        self.choose(place)
        self._go(place)

    def _on_stepped(self, across: int, down: int) -> None:
        if self._drawing is not None:
            self.choose(self._drawing.step(self._place, across, down))

    def _on_entered(self) -> None:
        self._go(self._place)

    def _go(self, place: Place | None) -> None:
        spot = self._drawing.spot(place) if self._drawing is not None and place is not None else None
        if spot is not None and spot.target is not None:
            self.target_chosen.emit(spot.target)

    def _on_line_shown(self, number: int, shown: bool) -> None:
        if isinstance(self._drawing, LineDrawing):
            self._drawing.set_shown(number, shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let the legend's names have a quarter of the width."""
        super().resizeEvent(event)
        self._legend.give_room(event.size().width() // 4)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme, when seen."""
        if event.type() == QEvent.Type.PaletteChange and self.isVisible():
            self._follow_theme()
        super().changeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Follow the theme that changed while the view was hidden."""
        super().showEvent(event)
        self._follow_theme()

    def _follow_theme(self) -> None:
        if self._chart is not None and self._theme != current_theme().name:
            self.show_chart(self._chart)
