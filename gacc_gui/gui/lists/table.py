"""A table for reading: rows of one height, chosen whole, walked with the keyboard.

Owns what the goals' and the questions' tables have in common. Not owned: models, columns, what a choice
means.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QItemSelection, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
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


class CurrentRowDelegate(QStyledItemDelegate):
    """Paints a cell of the current row without a focus frame: the table shows focus on the whole row.

    Of that row only, as Qt's own delegate paints the others ten times as fast as one in Python.
    """

    def __init__(self, table: QTableView) -> None:
        super().__init__(table)
        self._table = table

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint as the column does, without the frame; with the keyboard here, a bar at the left edge."""
        # Not with the module: this class brings the names of everything that a style can do.
        from PySide6.QtWidgets import QStyle

        has_focus = QStyle.StateFlag.State_HasFocus
        is_focused = self._table.hasFocus()
        option.state &= ~has_focus
        of_column = self._table.itemDelegateForColumn(index.column())
        if of_column is not None:
            of_column.paint(painter, option, index)
        else:
            super().paint(painter, option, index)
        if is_focused and self._table.columnViewportPosition(index.column()) <= 0:
            painter.fillRect(0, option.rect.top(), _FOCUS_BAR, option.rect.height(), current_theme().accent)


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
        self._current = -1
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._current_delegate = CurrentRowDelegate(self)
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
        self.selectionModel().currentRowChanged.connect(self._on_current_changed)
        self.model().modelReset.connect(self._on_reset)
        # A row that is selected already can be chosen once more: it may have failed to load.
        self.clicked.connect(self._on_clicked)

    def keep_quiet(self, quiet: bool) -> None:
        """While quiet, the selection moves without telling anybody."""
        self._quiet = quiet

    def chosen_row(self) -> int:
        """The selected row, or -1."""
        rows = self.selectionModel().selectedRows()
        return rows[0].row() if rows else -1

    def room(self) -> int:
        """Pixels that the columns have together."""
        # Not the viewport's: asking for it takes PySide a tenth of the window's start (6.11).
        bar = self.verticalScrollBar()
        taken = bar.sizeHint().width() if self._scrolls() else 0
        return self.contentsRect().width() - taken

    def _scrolls(self) -> bool:
        rows = self.model().rowCount() * self.verticalHeader().defaultSectionSize()
        return rows > self.contentsRect().height() - self.horizontalHeader().height()

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

    def _on_clicked(self, index: QModelIndex) -> None:
        self.row_chosen.emit(index.row())

    def _on_current_changed(self, current: QModelIndex, previous: QModelIndex) -> None:
        if previous.isValid():
            self.setItemDelegateForRow(previous.row(), None)  # type: ignore[arg-type]  # Qt takes none
        if current.isValid():
            self.setItemDelegateForRow(current.row(), self._current_delegate)
        self._current = current.row()

    def _on_reset(self) -> None:
        # The row that was current is not told of when its model is filled anew.
        if self._current >= 0:
            self.setItemDelegateForRow(self._current, None)  # type: ignore[arg-type]
            self._current = -1

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

    def changeEvent(self, event: QEvent) -> None:
        """Another font or style: another row height."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit_rows()
