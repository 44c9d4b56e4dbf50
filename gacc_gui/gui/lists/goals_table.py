"""The goals' table: its columns, their order and widths, the choice of a row or of a square.

Owns what is seen and clicked. Not owned: reading, and what a choice leads to (GoalsView).
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from gacc_gui.gui.lists.goals_model import COLUMNS, PLACES, GoalsModel
from gacc_gui.gui.lists.strip import StripDelegate, square_at, strip_width
from gacc_gui.gui.lists.table import SORT_ARROW, ReadingTable
from gacc_gui.gui.theme import GRID, blend, current_theme
from gacc_gui.store.rows import GoalRow

_GOAL_AT_EASE: Final = 26 * GRID
"""Pixels of the goal's text for which columns of figures go, and long names of cells are cut."""
_GOAL_LEAST: Final = 20 * GRID
"""Pixels of the goal's text for which others are narrowed."""
_GOAL_TIGHT: Final = 14 * GRID
"""Pixels of the goal's text for which others are narrowed until they tell little."""
_GOAL_LAST: Final = 7 * GRID
_GIVE_WAY: Final = ("tail", "budget")
"""Columns that go where room is short, in this order."""
_NARROWED: Final = (
    ("cell", 18 * GRID, _GOAL_AT_EASE),
    ("cell", 7 * GRID, _GOAL_LEAST),
    ("strip", strip_width(6), _GOAL_LEAST),
    ("context", 8 * GRID, _GOAL_LEAST),
    ("strip", strip_width(4), _GOAL_TIGHT),
    ("context", 6 * GRID, _GOAL_TIGHT),
    ("cell", 5 * GRID, _GOAL_TIGHT),
)
"""What columns are narrowed to where room is short, in this order, and until the goal has how much."""
_GOAL_MOST: Final = 80 * GRID
_CONTEXT_MOST: Final = 20 * GRID
_STRIP_MOST: Final = 12
"""Squares that are given room unasked; a wider column shows more."""
_MEASURED: Final = 512
"""Rows that columns are measured by: the latest read."""


class GoalsTable(ReadingTable):
    """Signals: row_chosen(row), square_chosen(row, question's place), order_chosen(column), stepped(±1)."""

    square_chosen = Signal(object, object)
    order_chosen = Signal(object)

    def __init__(self, model: GoalsModel, parent: QWidget | None = None) -> None:
        super().__init__("goalsView", "Goals", {"n": 1, "p": -1}, parent)
        self._goals = model
        self._fitting = False
        self._by_hand: set[int] = set()
        self._order_place = -1
        self._wanted = set(PLACES) - {"context", "cell"}
        self._needs = {key: 0 for key in PLACES}
        self._marked = -1
        self.setModel(model)
        self._strips = StripDelegate(self)
        self.setItemDelegateForColumn(PLACES["strip"], self._strips)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.watch_selection()
        header.sectionClicked.connect(self._on_section_clicked)
        header.sectionResized.connect(self._on_section_resized)
        self.fit_columns()

    def show_columns(self, *, context: bool, cell: bool) -> None:
        """Show what tells something: the context where grouped, the cell where there are several."""
        told = {"context": context, "cell": cell}
        self._wanted = {key for key in PLACES if told.get(key, True)}
        self._share()

    def show_order(self, key: str, descending: bool) -> None:
        """Mark the column the list is sorted by."""
        places = [place for place, column in enumerate(COLUMNS) if column.sort == key]
        order = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
        self._order_place = places[0] if places else -1
        self.horizontalHeader().setSortIndicator(self._order_place, order)

    def show_unit(self, unit: int | None) -> None:
        """Make the unit's row the current one; none if the list does not hold it."""
        row = self._goals.row_of(unit)
        if row != self.chosen_row():
            self.show_row(row)

    def mark_square(self, row: int, place: int | None) -> None:
        """Mark the chosen question in its row's strip."""
        self._strips.choose(row, place)
        for changed in {row, self._marked}:
            self.update(self._goals.index(changed, PLACES["strip"]))
        self._marked = row

    def fit_columns(self) -> None:
        """Give each column what its known content needs, and the goal's text what is left."""
        rows = list(self._goals.known_rows())[-_MEASURED:]
        self._needs = {key: self._needed(key, rows) for key in PLACES}
        self._share()

    def _share(self) -> None:
        """Share out the width: numbers have what they need, the goal's text the rest and not too little."""
        widths = {
            key: self.columnWidth(PLACES[key]) if PLACES[key] in self._by_hand else self._needs[key]
            for key in PLACES
            if key in self._wanted and key != "goal"
        }
        room = self.room()
        for key in _GIVE_WAY:
            if sum(widths.values()) > room - min(self._needs["goal"], _GOAL_AT_EASE):
                del widths[key]
        for key, narrowest, of_goal in _NARROWED:
            if key in widths and PLACES[key] not in self._by_hand:
                excess = max(0, sum(widths.values()) + min(self._needs["goal"], of_goal) - room)
                widths[key] = min(widths[key], max(narrowest, widths[key] - excess))
        widths["goal"] = min(max(room - sum(widths.values()), _GOAL_LAST), _GOAL_MOST)
        self._fitting = True
        for key, place in PLACES.items():
            self.setColumnHidden(place, key not in widths)
            if key in widths and place not in self._by_hand:
                self.setColumnWidth(place, widths[key])
        self._fitting = False

    def _needed(self, key: str, rows: list[GoalRow]) -> int:
        place = PLACES[key]
        arrow = SORT_ARROW if place == self._order_place else 0
        title = self.title_width(place) + arrow
        if key == "strip":
            squares = max((len(row.strip) for row in rows), default=0)
            return max(title, strip_width(min(squares, _STRIP_MOST)))
        texts = {self._goals.text_of(row, key) for row in rows}
        width = max((self.text_width(text) for text in _longest(texts)), default=0)
        return max(title, min(width, _CONTEXT_MOST) if key == "context" else width)

    def _on_section_clicked(self, section: int) -> None:
        self.order_chosen.emit(section)

    def _on_section_resized(self, section: int, old: int, new: int) -> None:
        if not self._fitting and old and new:
            self._by_hand.add(section)
            self._share()

    # --- Qt ----------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click on a square chooses its question too."""
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        if event.button() != Qt.MouseButton.LeftButton or index.column() != PLACES["strip"]:
            return
        row = self._goals.known_row(index.row())
        cell = self.visualRect(index)
        if row is not None:
            place = square_at(cell.width(), len(row.strip), round(event.position().x()) - cell.left())
            if place is not None:
                self.square_chosen.emit(index.row(), place)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw a line above each group."""
        super().paintEvent(event)
        if self.isColumnHidden(PLACES["context"]):
            return
        painter = QPainter(self.viewport())
        theme = current_theme()
        painter.setPen(QPen(blend(theme.border, theme.muted, 0.4), 1))
        first, last = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        if last < 0:
            last = self._goals.rowCount() - 1
        for row in range(max(1, first), last + 1):
            if self._goals.starts_group(row):
                top = self.rowViewportPosition(row)
                painter.drawLine(0, top, self.viewport().width(), top)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share out the new width."""
        super().resizeEvent(event)
        self._share()


def _longest(texts: set[str]) -> list[str]:
    """The few longest: figures are all of one width, names nearly so."""
    return sorted(texts, key=len)[-5:]
