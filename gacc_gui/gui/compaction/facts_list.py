"""The supporting facts of a case, each with its fate in the shown context; choosing one leads to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QStyleOptionViewItem, QWidget

from gacc_gui.core.compaction_causes import Fact, FactFate
from gacc_gui.gui.compaction.words import FATE_COLOURS, FATE_LETTERS, FATE_WORDS
from gacc_gui.gui.lists.plain import cell_text, tooltip
from gacc_gui.gui.lists.strip import SQUARE, GroundDelegate, Index, paint_square
from gacc_gui.gui.theme import GRID, HALF, current_theme

_FATE: Final = Qt.ItemDataRole.UserRole
_TITLE: Final = Qt.ItemDataRole.UserRole + 1
_MOST: Final = 4
"""Facts that are shown without scrolling."""
_ROW: Final = SQUARE + HALF


class FactsList(QListWidget):
    """Signals: fact_chosen(place of the fact in the question)."""

    fact_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compactionFacts")
        self.setAccessibleName("Supporting facts")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(FactDelegate(self))
        self.itemClicked.connect(self._on_item)
        self.itemActivated.connect(self._on_item)

    def show_facts(self, facts: Sequence[Fact], fates: Sequence[FactFate]) -> None:
        """Show these facts with their fates, in the same order; without any where there is no context."""
        row = self.currentRow()
        self.clear()
        known: Sequence[FactFate | None] = fates or [None] * len(facts)
        for fact, fate in zip(facts, known, strict=True):
            name = fate.fate if fate is not None else ""
            like = (
                f", {fate.likeness:.0f} of 100 alike"
                if fate is not None and fate.likeness is not None
                else ""
            )
            where = cell_text(f"{fact.title} [{fact.sentence}]", 80)
            item = QListWidgetItem(cell_text(fact.text) or "names no sentence")
            item.setData(_FATE, name)
            item.setData(_TITLE, f"{where}  {FATE_WORDS.get(name, 'no context')}{like}")
            said = f"{where}: {FATE_WORDS.get(name, 'no context')}{like}\n{fact.text}"
            item.setToolTip(tooltip(said))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, said)
            self.addItem(item)
        if 0 <= row < self.count():
            self.setCurrentRow(row)
        self.setVisible(bool(facts))
        self.setFixedHeight(_ROW * min(max(1, len(facts)), _MOST))

    def step(self, step: int) -> None:
        """Choose the next or previous fact, round the list."""
        if self.count():
            row = self.currentRow()
            at = (row + step) % self.count() if row >= 0 else 0 if step > 0 else self.count() - 1
            self.setCurrentRow(at)
            self.fact_chosen.emit(at)

    def _on_item(self, item: QListWidgetItem) -> None:
        self.fact_chosen.emit(self.row(item))


class FactDelegate(GroundDelegate):
    """Paints a fact: the square of its fate, where it stands and what became of it, then its words."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        super().paint(painter, option, index)
        rect, theme = option.rect, current_theme()
        fate = index.data(_FATE)
        square = QRect(rect.left() + GRID, rect.top() + (rect.height() - SQUARE) // 2, SQUARE, SQUARE)
        paint_square(painter, square, FATE_COLOURS.get(fate, "no-verdict"), FATE_LETTERS.get(fate, "–"))
        painter.save()
        painter.setFont(option.font)
        left = rect.left() + GRID + SQUARE + GRID
        painter.setPen(theme.text)
        left = self._paint(painter, option, str(index.data(_TITLE)), left)
        painter.setPen(theme.muted)
        self._paint(painter, option, str(index.data(Qt.ItemDataRole.DisplayRole)), left + 2 * GRID)
        painter.restore()

    def _paint(self, painter: QPainter, option: QStyleOptionViewItem, text: str, left: int) -> int:
        """Paint a text from `left` on, elided where room ends; return where it ends."""
        room = option.rect.right() - GRID - left
        shown = option.fontMetrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, room))
        area = QRect(left, option.rect.top(), max(0, room), option.rect.height())
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, shown)
        return left + option.fontMetrics.horizontalAdvance(shown)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """A row."""
        return QSize(20 * GRID, _ROW)
