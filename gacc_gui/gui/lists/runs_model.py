"""The runs of the database as a list model, in the order people expect of names, and a row's painting.

Owns the wording of a run's two lines. Not owned: reading them, choosing one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from gacc_gui.core.natural import natural_key
from gacc_gui.core.terms import COMPACTION
from gacc_gui.gui.lists.plain import cell_text, tooltip
from gacc_gui.gui.lists.strip import paint_ground
from gacc_gui.gui.lists.words import counted, joined
from gacc_gui.gui.theme import GRID, HALF, current_theme
from gacc_gui.store.rows import RunSummary

Index = QModelIndex | QPersistentModelIndex
_TOP: Final = QModelIndex()
DIAGNOSTIC: Final = "diagnostic"


def run_name(summary: RunSummary) -> str:
    """What a run is called: its name, or its id where it has none."""
    return summary.run.name or summary.run.id


def identity_words(summary: RunSummary) -> str:
    """The tokenizer's name, whether the file declares it verified, and whether we could verify it."""
    tokenizer = summary.run.tokenizer or {}
    name = tokenizer.get("name")
    finding = "✓ verified" if summary.identity_verified else "not verified"
    claim = {True: "declared verified", False: "declared unverified", None: ""}[summary.identity_declared]
    if summary.identity_declared == summary.identity_verified:
        claim = ""
    named = cell_text(name, 40) if isinstance(name, str) else "no tokenizer"
    return f"{named} {finding}" + (f" ({claim})" if claim else "")


def detail_words(summary: RunSummary) -> str:
    """A run's second line: whether its search index is being built, sizes, identity, protocol."""
    if summary.run.protocol == COMPACTION:
        # A case is a goal with one question; what kind of run it is comes first, where it is not elided.
        return joined(
            (
                "" if summary.search_ready else "search index building …",
                COMPACTION,
                counted(summary.goals, "case"),
                counted(summary.answers, "answer"),
                identity_words(summary),
            )
        )
    return joined(
        (
            "" if summary.search_ready else "search index building …",
            counted(summary.goals, "goal"),
            counted(summary.questions, "question"),
            identity_words(summary),
            counted(summary.answers, "answer"),
            cell_text(summary.run.protocol or "", 40),
        )
    )


class RunsModel(QAbstractListModel):
    """A run a row."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runs: tuple[RunSummary, ...] = ()

    def set_runs(self, runs: Iterable[RunSummary]) -> None:
        """Show these runs."""
        self.beginResetModel()
        self._runs = tuple(
            sorted(runs, key=lambda run: (natural_key(run_name(run)), natural_key(run.run.id)))
        )
        self.endResetModel()

    @property
    def runs(self) -> tuple[RunSummary, ...]:
        """The runs in the list's order."""
        return self._runs

    def row_of(self, run_id: str | None) -> int:
        """The row of a run, or -1."""
        return next((row for row, each in enumerate(self._runs) if each.run.id == run_id), -1)

    # --- Qt ----------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = _TOP) -> int:
        """Rows of the list; none below a row."""
        return 0 if parent.isValid() else len(self._runs)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A cell in a role; never raises."""
        if not index.isValid() or not 0 <= index.row() < len(self._runs):
            return None
        try:
            summary = self._runs[index.row()]
            if role == Qt.ItemDataRole.DisplayRole:
                return cell_text(run_name(summary))
            if role == Qt.ItemDataRole.ToolTipRole:
                return tooltip(self._hint(summary))
            if role == Qt.ItemDataRole.AccessibleTextRole:
                return joined((run_name(summary), self._mark(summary), detail_words(summary)))
            if role == Qt.ItemDataRole.AccessibleDescriptionRole:
                return detail_words(summary)
        except Exception as error:
            return f"{type(error).__name__}: {error}" if role == Qt.ItemDataRole.DisplayRole else None
        return None

    def _mark(self, summary: RunSummary) -> str:
        return "diagnostic only" if summary.run.diagnostic_only else ""

    def _hint(self, summary: RunSummary) -> str:
        run = summary.run
        lines = (
            run_name(summary),
            f"id {run.id}",
            f"created {run.created_at}" if run.created_at else "",
            detail_words(summary),
            "Diagnostic only: its figures compare with no published table." if run.diagnostic_only else "",
        )
        return "\n".join(line for line in lines if line)


class RunDelegate(QStyledItemDelegate):
    """Paints a run in two lines: its name and a diagnostic mark, its sizes and identity below."""

    def __init__(self, model: RunsModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a cell."""
        paint_ground(painter, option, index, self)
        if not 0 <= index.row() < len(self._model.runs):
            return
        summary = self._model.runs[index.row()]
        theme = current_theme()
        painter.save()
        area = option.rect.adjusted(GRID, HALF, -GRID, -HALF)
        name_font = QFont(option.font)
        name_font.setWeight(QFont.Weight.DemiBold)
        metrics = QFontMetrics(name_font)
        line = metrics.height()
        name_area = QRect(area.left(), area.top(), area.width(), line)
        if summary.run.diagnostic_only:
            name_area.setRight(self._paint_mark(painter, option, name_area) - GRID)
        painter.setFont(name_font)
        painter.setPen(theme.text)
        name = metrics.elidedText(
            cell_text(run_name(summary)), Qt.TextElideMode.ElideRight, name_area.width()
        )
        painter.drawText(name_area, Qt.AlignmentFlag.AlignVCenter, name)
        painter.setFont(option.font)
        painter.setPen(theme.muted)
        below = QRect(area.left(), area.top() + line, area.width(), area.height() - line)
        words = option.fontMetrics.elidedText(
            detail_words(summary), Qt.TextElideMode.ElideRight, below.width()
        )
        painter.drawText(below, Qt.AlignmentFlag.AlignVCenter, words)
        painter.restore()

    def _paint_mark(self, painter: QPainter, option: QStyleOptionViewItem, area: QRect) -> int:
        """Paint the diagnostic mark at the right of `area`; return its left edge."""
        theme = current_theme()
        width = option.fontMetrics.horizontalAdvance(DIAGNOSTIC) + GRID
        mark = QRect(area.right() - width + 1, area.top(), width, area.height())
        painter.save()
        painter.setFont(option.font)
        painter.setPen(theme.muted)
        painter.drawRoundedRect(mark.adjusted(0, 1, -1, -1), 3, 3)
        painter.setPen(theme.text)
        painter.drawText(mark, Qt.AlignmentFlag.AlignCenter, DIAGNOSTIC)
        painter.restore()
        return mark.left()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Room that is asked for."""
        return QSize(20 * GRID, 2 * option.fontMetrics.height() + 2 * HALF + 2)
