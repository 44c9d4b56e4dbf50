"""The pairs of cells of a comparison with their differences: one is chosen to be looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QFrame, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from gacc_gui.app.difference_words import interval_words, signed
from gacc_gui.core.comparison import BROKEN, FIXED, CellComparison
from gacc_gui.core.terms import GOALS, Terms
from gacc_gui.gui.compare.words import figure_words, p_words
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.lists.words import cell_words
from gacc_gui.gui.overlay import ROW_HEIGHT, RowDelegate
from gacc_gui.gui.theme import GRID
from gacc_gui.gui.tree_items import fit_columns

_WIDEST: Final = 40 * GRID
_MOST_ROWS: Final = 6
"""Rows that are seen at once; more scroll."""


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    hint: str
    shown: Callable[[CellComparison], str]
    right: bool = True


def _revisions_matter(pairs: Sequence[CellComparison]) -> bool:
    """Whether some pair differs in the revision, or some name has several."""
    cells = [cell for pair in pairs for cell in (pair.a, pair.b)]
    found = {(cell.compressor, cell.revision) for cell in cells}
    return len(found) > len({name for name, _ in found})


_COLUMNS: Final = (
    _Column("A", "Compressor · condition · ratio", lambda c: cell_words(c.a), right=False),
    _Column("B", "Compressor · condition · ratio", lambda c: cell_words(c.b), right=False),
    _Column("Pairs", "Rows that are paired", lambda c: f"{c.pairs:,}"),
    _Column("Fixed", "Wrong in A, right in B", lambda c: f"{c.buckets[FIXED]:,}"),
    _Column("Broken", "Right in A, wrong in B", lambda c: f"{c.buckets[BROKEN]:,}"),
    _Column("Micro A", "Share of questions right", lambda c: figure_words(c.micro.a)),
    _Column("Micro B", "Share of questions right", lambda c: figure_words(c.micro.b)),
    _Column("Micro B − A", "Difference", lambda c: signed(c.micro.difference)),
    _Column("95 %", "Interval over contexts", lambda c: interval_words(c.micro.ci95)),
    _Column("Macro A", "Share of goals whose every question is right", lambda c: figure_words(c.macro.a)),
    _Column("Macro B", "Share of goals whose every question is right", lambda c: figure_words(c.macro.b)),
    _Column("Macro B − A", "Difference", lambda c: signed(c.macro.difference)),
    _Column("95 % ", "Interval over contexts", lambda c: interval_words(c.macro.ci95)),
    _Column(
        "p",
        "McNemar's exact test on goals, two-sided",
        lambda c: p_words(c.goal_test.p if c.goal_test.fixed or c.goal_test.broken else None),
    ),
)
_OF_CASES: Final = {
    "A": ("A", "The method"),
    "B": ("B", "The method"),
    "Pairs": ("Pairs", "Answers that are paired"),
    "Micro A": ("EM A", "Share of answers that equal the gold answer"),
    "Micro B": ("EM B", "Share of answers that equal the gold answer"),
    "Micro B − A": ("EM B − A", "Difference"),
    "95 %": ("95 %", "Interval over cases"),
    "p": ("p", "Exact sign test on cases, better against worse in B, two-sided"),
}
"""Titles and hints where a goal has one question, and Macro is Micro over again."""
_MACRO: Final = ("Macro A", "Macro B", "Macro B − A", "95 % ")


class CellsTable(QTreeWidget):
    """Signals: cells_chosen(place of the pair)."""

    cells_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compareCellPairs")
        self.setAccessibleName("Pairs of cells")
        self.setHeaderLabels([column.title for column in _COLUMNS])
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setItemDelegate(RowDelegate(self))
        header = self.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(3 * GRID)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self._terms = GOALS
        titles = self.headerItem()
        for place, column in enumerate(_COLUMNS):
            titles.setToolTip(place, column.hint)
            if column.right:
                titles.setTextAlignment(place, Qt.AlignmentFlag.AlignRight)
        self.currentItemChanged.connect(self._on_current)

    def show_terms(self, terms: Terms) -> None:
        """Use the words of a benchmark, from the next pairs on."""
        self._terms = terms
        titles = self.headerItem()
        for place, column in enumerate(_COLUMNS):
            title, hint = column.title, column.hint
            if terms.one_question:
                title, hint = _OF_CASES.get(title, (title, hint))
            titles.setText(place, title)
            titles.setToolTip(place, hint)
            self.setColumnHidden(place, terms.one_question and column.title in _MACRO)

    def show_cells(self, cells: Sequence[CellComparison], chosen: int) -> None:
        """Show the pairs, one chosen. Of a single pair nothing is shown: the figures above say it all."""
        blocker = QSignalBlocker(self)
        self.clear()
        named = _revisions_matter(cells)
        lines = [[cell_text(column.shown(cell)) for column in _COLUMNS] for cell in cells]
        for line, pair in zip(lines, cells, strict=True):
            sides = (pair.a, pair.b)
            line[:2] = [cell_text(cell_words(cell, self._terms, with_revision=named)) for cell in sides]
        items = [QTreeWidgetItem(line) for line in lines]
        for item in items:
            for place, column in enumerate(_COLUMNS):
                if column.right:
                    item.setTextAlignment(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.addTopLevelItems(items)
        fit_columns(self, lines, _WIDEST)
        if 0 <= chosen < len(items):
            self.setCurrentItem(items[chosen])
        blocker.unblock()
        self.setVisible(len(cells) > 1)
        rows = min(len(cells), _MOST_ROWS)
        self.setFixedHeight(self.header().sizeHint().height() + rows * ROW_HEIGHT + GRID)

    def _on_current(self, item: QTreeWidgetItem | None, _before: QTreeWidgetItem | None) -> None:
        if item is not None:
            self.cells_chosen.emit(self.indexOfTopLevelItem(item))
