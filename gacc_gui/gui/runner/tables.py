"""Small tables of figures that are as tall as their rows: nothing to choose, nothing to scroll."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from gacc_gui.gui.lists.plain import cell_text, tooltip
from gacc_gui.gui.overlay import ROW_HEIGHT, RowDelegate
from gacc_gui.gui.theme import HALF

_FITS, _STRETCH = QHeaderView.ResizeMode.ResizeToContents, QHeaderView.ResizeMode.Stretch
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def plain_table(
    name: str, titles: Sequence[str], parent: QWidget, words: Collection[str] = ()
) -> QTreeWidget:
    """Make a table whose first column is words and whose others are figures, except those in `words`.

    The last of `words`, or else the first column, takes the width that is left.
    """
    tree = QTreeWidget(parent)
    tree.setObjectName(name)
    tree.setHeaderLabels(list(titles))
    tree.setRootIsDecorated(False)
    tree.setUniformRowHeights(True)
    tree.setItemDelegate(RowDelegate(tree))
    tree.setSelectionMode(QTreeWidget.SelectionMode.NoSelection)
    tree.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    tree.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    header = tree.header()
    header.setStretchLastSection(False)
    header.setSectionResizeMode(_FITS)
    wide = max((titles.index(title) for title in words), default=0)
    header.setSectionResizeMode(wide, _STRETCH)
    for column, title in enumerate(titles):
        if column and title not in words:
            tree.headerItem().setTextAlignment(column, _RIGHT)
    return tree


def name_columns(tree: QTreeWidget, titles: Sequence[str]) -> None:
    """Call the columns of a table otherwise."""
    for column, title in enumerate(titles):
        tree.headerItem().setText(column, title)


def fill(tree: QTreeWidget, rows: Sequence[Sequence[str]]) -> None:
    """Show rows; a table without any hides, and so does a column. Items stay if only texts change."""
    while tree.topLevelItemCount() > len(rows):
        tree.takeTopLevelItem(tree.topLevelItemCount() - 1)
    heading = tree.headerItem()
    for place, row in enumerate(rows):
        item = tree.topLevelItem(place)
        if item is None:
            item = QTreeWidgetItem()
            for column in range(tree.columnCount()):
                # A heading without an alignment says 0, which would mean the top.
                alignment = heading.textAlignment(column)
                item.setTextAlignment(column, Qt.AlignmentFlag(alignment) if alignment else _LEFT)
            tree.addTopLevelItem(item)
        for column, text in enumerate(row):
            shown = cell_text(text)
            if item.text(column) != shown:
                item.setText(column, shown)
                item.setToolTip(column, tooltip(text) if len(text) > 30 else "")
    for column in range(1, tree.columnCount()):
        tree.setColumnHidden(column, not any(row[column] for row in rows))
    header = tree.header()
    seen = [column for column in range(1, tree.columnCount()) if not tree.isColumnHidden(column)]
    stretched = any(header.sectionResizeMode(column) == _STRETCH for column in seen)
    header.setSectionResizeMode(0, _FITS if stretched else _STRETCH)
    tree.setVisible(bool(rows))
    tree.setFixedHeight(tree.header().sizeHint().height() + len(rows) * ROW_HEIGHT + HALF)
