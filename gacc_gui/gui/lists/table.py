"""A table for reading: rows of one height, chosen whole, walked with the keyboard.

Owns what the goals' and the questions' tables have in common. Not owned: models, columns, what a choice
means.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QItemSelection, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gacc_gui.gui.theme import GRID, HALF, ROW, current_theme

PADDING = GRID + HALF
"""Pixels that Fusion leaves around a cell's text, and some air."""
SORT_ARROW = 2 * GRID
_FOCUS_BAR = 3


Index = QModelIndex | QPersistentModelIndex


class ReadingDelegate(QStyledItemDelegate):
    """Paints a cell without a focus frame of its own: the table shows focus on the whole row."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Take the focus frame away."""
        super().initStyleOption(option, index)
        option.state &= ~QStyle.StateFlag.State_HasFocus


class ReadingTable(QTableView):
    """Signals: row_chosen(row) when another row is selected; stepped(int) when a step key was pressed.

    `step_keys` gives single letters and what they step, such as {"n": 1, "p": -1}.
    """

    row_chosen = Signal(object)
    stepped = Signal(object)

    def __init__(
        self, name: str, title: str, step_keys: Mapping[str, int], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self._step_keys = dict(step_keys)
        self._quiet = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setItemDelegate(ReadingDelegate(self))
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        # Tab leaves the table, as F6 does; the arrows walk in it.
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        columns = self.horizontalHeader()
        columns.setHighlightSections(False)
        columns.setMinimumSectionSize(3 * GRID)
        columns.setTextElideMode(Qt.TextElideMode.ElideRight)
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._fit_rows()

    def watch_selection(self) -> None:
        """Listen to the selection of the model that is set: `setModel` makes a new one each time."""
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)

    def keep_quiet(self, quiet: bool) -> None:
        """While quiet, the selection moves without telling anybody."""
        self._quiet = quiet

    def chosen_row(self) -> int:
        """The selected row, or -1."""
        rows = self.selectionModel().selectedRows()
        return rows[0].row() if rows else -1

    def title_width(self, column: int) -> int:
        """Pixels that a column's title needs."""
        title = self.model().headerData(column, Qt.Orientation.Horizontal) or ""
        return QFontMetrics(self.horizontalHeader().font()).horizontalAdvance(str(title)) + PADDING

    def text_width(self, text: str) -> int:
        """Pixels that a cell with this text needs."""
        return self.fontMetrics().horizontalAdvance(text) + PADDING

    def show_row(self, row: int) -> None:
        """Make a row the current one and bring it into view; -1 leaves none."""
        index = (
            self.model().index(row, max(0, self.horizontalHeader().logicalIndexAt(0))) if row >= 0 else None
        )
        if index is None or not index.isValid():
            self.clearSelection()
            self.selectionModel().clearCurrentIndex()
        else:
            left = self.horizontalScrollBar().value()
            self.setCurrentIndex(index)
            self.scrollTo(index)
            self.horizontalScrollBar().setValue(left)

    def _on_selection_changed(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        row = self.chosen_row()
        if row >= 0 and not self._quiet:
            self.row_chosen.emit(row)

    def _fit_rows(self) -> None:
        self.verticalHeader().setDefaultSectionSize(max(ROW, self.fontMetrics().height() + GRID))

    # --- Qt ----------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step keys come before anything else."""
        step = self._step_keys.get(event.text())
        if step is not None and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.stepped.emit(step)
            event.accept()
            return
        super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Where no row is selected none is current: Qt makes the first so, and Down would then skip it."""
        super().focusInEvent(event)
        if not self.selectionModel().hasSelection():
            self.selectionModel().clearCurrentIndex()

    def keyboardSearch(self, search: str) -> None:
        """Do nothing: Qt would read row after row, a million of them, in the GUI thread."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """With the keyboard here, a bar stands at the chosen row's left edge."""
        super().paintEvent(event)
        row = self.chosen_row()
        if row >= 0 and self.hasFocus():
            painter = QPainter(self.viewport())
            bar = (0, self.rowViewportPosition(row), _FOCUS_BAR, self.rowHeight(row))
            painter.fillRect(*bar, current_theme().accent)
            painter.end()

    def changeEvent(self, event: QEvent) -> None:
        """Another font or style: another row height."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit_rows()
