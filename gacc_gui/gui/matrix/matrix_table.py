"""How the matrix is painted: letters as in the goals list, triangles where a question turns, wide heads."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStyleOptionViewItem, QTableView, QWidget

from gacc_gui.core.matrix import Matrix, MatrixPlace
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.lists.strip import SQUARE, GroundDelegate, Index, draw_corner, paint_square
from gacc_gui.gui.lists.words import CAUSE_OF_LETTER, short_condition
from gacc_gui.gui.matrix.matrix_model import DECIDED, PLACE, MatrixModel
from gacc_gui.gui.theme import GRID, HALF, ROW, current_theme, ui_font

COLUMN: Final = 31
_TURNS: Final = 8 * GRID
_QUESTION: Final = 40 * GRID
_LINE: Final = 18
_TURN: Final = 10
"""Room beside a square or a fraction for the triangle, which the two share the cell's middle with."""


class PlaceDelegate(GroundDelegate):
    """Paints a place: the letter's square, or “2/3” where repeats differ; ▲ gained, ▼ lost."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a cell."""
        super().paint(painter, option, index)
        place = index.data(PLACE)
        theme, rect = current_theme(), option.rect
        painter.save()
        painter.setFont(option.font)
        if not isinstance(place, MatrixPlace):
            painter.setPen(theme.text)
            painter.drawText(rect.adjusted(HALF, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, index.data() or "")
        else:
            self._paint_place(painter, rect, place, index.data(DECIDED))
        painter.restore()

    def _paint_place(self, painter: QPainter, rect: QRect, place: MatrixPlace, decided: bool | None) -> None:
        words = f"{place.right}/{len(place.letters)}"
        is_mixed = place.letter is None and bool(place.letters)
        box = QRect(0, 0, _fraction_width(painter.fontMetrics(), words) if is_mixed else SQUARE, SQUARE)
        box.moveCenter(rect.center())
        box.translate(-_TURN // 2, 0)
        if place.letter is not None:
            cause = CAUSE_OF_LETTER.get(place.letter, "item")
            paint_square(painter, box, cause, place.letter, decided=decided)
        elif is_mixed:
            painter.setPen(QPen(current_theme().muted))
            painter.drawRoundedRect(box, 2, 2)
            painter.setPen(current_theme().text)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
            if decided is not None:
                draw_corner(painter, QRectF(box), full=decided)
        if place.turn is not None:
            _paint_turn(painter, QPointF(box.right() + 6.5, box.center().y() + 0.5), place.turn == "gained")

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Room that is asked for."""
        return QSize(_TURNS if index.column() == 0 else COLUMN, ROW)


def _fraction_width(metrics: QFontMetrics, words: str) -> int:
    """How wide the frame of “2/3” is."""
    return metrics.horizontalAdvance(words) + HALF + 2


def _place_width(metrics: QFontMetrics, units: int) -> int:
    """How wide a place of so many units has to be, with its triangle."""
    return _fraction_width(metrics, f"{units}/{units}") + _TURN + HALF + 2 if units > 1 else COLUMN


def _paint_turn(painter: QPainter, at: QPointF, up: bool) -> None:
    theme = current_theme()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.cause_text("correct") if up else theme.error)
    y = -4.0 if up else 4.0
    painter.drawPolygon(
        QPolygonF([at + QPointF(0, y), at + QPointF(4, -y * 0.7), at + QPointF(-4, -y * 0.7)])
    )


Group = tuple[int, int, str, object]
"""Neighbouring columns from one on and up to another, their name, and what they have in common."""


def _compressors(matrix: Matrix) -> list[Group]:
    cells = [column.cell for column in matrix.columns]
    pairs = {(cell.compressor, cell.revision) for cell in cells}
    names = [name for name, _ in pairs]
    return _groups(
        (
            cell_text(cell.compressor, 40)
            + (f" {cell_text(cell.revision, 20)}" if names.count(cell.compressor) > 1 else ""),
            (cell.compressor, cell.revision),
        )
        for cell in cells
    )


def _conditions(matrix: Matrix) -> list[Group]:
    cells = [column.cell for column in matrix.columns]
    return _groups(
        (cell_text(short_condition(cell.condition), 40), (cell.compressor, cell.revision, cell.condition))
        for cell in cells
    )


def _groups(columns: Iterable[tuple[str, object]]) -> list[Group]:
    groups: list[Group] = []
    for place, (name, key) in enumerate(columns):
        if groups and groups[-1][3] == key:
            groups[-1] = (groups[-1][0], place + 1, name, key)
        else:
            groups.append((place, place + 1, name, key))
    return groups


class MatrixHeader(QHeaderView):
    """Ratios, over them compressor and condition across all their columns, below what tells units apart."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionsClickable(False)
        self.setHighlightSections(False)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setMinimumSectionSize(2 * GRID)
        self.setFont(ui_font())

    def _matrix(self) -> Matrix | None:
        model = self.model()
        return model.matrix if isinstance(model, MatrixModel) else None

    def _lines(self) -> tuple[int | None, int | None, int]:
        """Where condition, ratio and units have their lines; None where no budget tells cells apart."""
        model = self.model()
        by_budget = not isinstance(model, MatrixModel) or model.terms.by_budget
        return (1, 2, 3) if by_budget else (None, None, 1)

    def widths(self) -> tuple[list[int], list[int]]:
        """The widths of all sections: at least, and so that every head is whole."""
        matrix, model, metrics = self._matrix(), self.model(), self.fontMetrics()
        if matrix is None or not isinstance(model, MatrixModel):
            return [_TURNS], [_TURNS]
        condition, ratio, _ = self._lines()
        turns = max(_TURNS, metrics.horizontalAdvance(model.unit_title()) + GRID)
        least = [
            max(
                COLUMN,
                _place_width(metrics, len(column.units)),
                metrics.horizontalAdvance(column.cell.ratio) + HALF if ratio is not None else 0,
                metrics.horizontalAdvance(model.unit_words(column)) + GRID,
            )
            for column in matrix.columns
        ]
        whole = list(least)
        conditions = _conditions(matrix) if condition is not None else []
        for begin, end, name, _ in (*conditions, *_compressors(matrix)):
            more = metrics.horizontalAdvance(name) + 2 * HALF - sum(whole[begin:end])
            for place in range(begin, end):
                whole[place] += max(0, math.ceil(more / (end - begin)))
        return [turns, *least], [turns, *whole]

    def sizeHint(self) -> QSize:
        """A line each for compressor, condition and ratio, and one where units are told apart."""
        matrix, last = self._matrix(), self._lines()[-1]
        lines = last + (matrix is not None and matrix.has_repeats)
        return QSize(super().sizeHint().width(), lines * _LINE + HALF)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint all heads: those that span columns belong to no section."""
        painter = QPainter(self.viewport())
        theme = current_theme()
        painter.fillRect(self.viewport().rect(), theme.window)
        matrix = self._matrix()
        if matrix is None:
            return
        painter.setPen(theme.muted)
        condition, ratio, units = self._lines()
        titles = [(units, self._units()[0])] + ([(ratio, "Turns")] if ratio is not None else [])
        for line, words in titles:
            rect = self._box(0, line).adjusted(HALF, 0, 0, 0)
            painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, words)
        for place, column in enumerate(matrix.columns):
            painter.setPen(theme.text)
            if ratio is not None:
                box = self._box(place + 1, ratio)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, column.cell.ratio)
            painter.setPen(theme.muted)
            if matrix.has_repeats:
                words = self._units()[place + 1]
                painter.drawText(self._box(place + 1, units), Qt.AlignmentFlag.AlignCenter, words)
        self._paint_groups(painter, _compressors(matrix), 0)
        if condition is not None:
            self._paint_groups(painter, _conditions(matrix), condition)

    def _paint_groups(self, painter: QPainter, groups: Iterable[Group], line: int) -> None:
        """Write one name over all neighbouring columns of a group."""
        theme = current_theme()
        for begin, end, name, _ in groups:
            rect = self._box(begin + 1, line).united(self._box(end, line))
            painter.setPen(theme.border)
            painter.drawLine(rect.left(), rect.top(), rect.left(), self.height())
            seen = rect.adjusted(HALF, 0, 0, 0).intersected(self.viewport().rect())
            if seen.width() > GRID:  # a name stays in sight as long as one of its columns does
                painter.setPen(theme.muted if line else theme.text)
                room = Qt.TextElideMode.ElideRight
                words = self.fontMetrics().elidedText(name, room, seen.width())
                painter.drawText(seen, Qt.AlignmentFlag.AlignVCenter, words)

    def _units(self) -> list[str]:
        model = self.model()
        if not isinstance(model, MatrixModel) or model.matrix is None:
            return [""]
        return [model.unit_title(), *map(model.unit_words, model.matrix.columns)]

    def _box(self, section: int, line: int) -> QRect:
        return QRect(
            self.sectionViewportPosition(section), line * _LINE + 2, self.sectionSize(section), _LINE
        )


class QuestionHeader(QHeaderView):
    """The questions, flat and elided at their end."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self.setDefaultSectionSize(ROW)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setFixedWidth(_QUESTION)
        self.setSectionsClickable(False)

    def longest(self) -> int:
        """How wide the longest question is."""
        model = self.model()
        words = [model.headerData(row, Qt.Orientation.Vertical) or "" for row in range(model.rowCount())]
        return max(map(self.fontMetrics().horizontalAdvance, words), default=0) + 3 * HALF

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:
        """Paint a question; the chosen row's stands on the selection's ground."""
        theme, table = current_theme(), self.parent()
        chosen = isinstance(table, QTableView) and table.currentIndex().row() == logicalIndex
        painter.fillRect(rect, theme.selection if chosen else theme.window)
        painter.setPen(theme.text)
        words = self.model().headerData(logicalIndex, Qt.Orientation.Vertical)
        room = rect.adjusted(HALF, 0, -HALF, 0)
        shown = self.fontMetrics().elidedText(words or "", Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, shown)


class MatrixTable(QTableView):
    """The table of the matrix."""

    def __init__(self, model: MatrixModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("matrixTable")
        self._fitted = 0
        self.setAccessibleName("Questions over cells")
        self.setHorizontalHeader(MatrixHeader(self))
        self.setModel(model)
        self.setItemDelegate(PlaceDelegate(self))
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setHorizontalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setVerticalHeader(QuestionHeader(self))
        self.setCornerButtonEnabled(False)

    def fit(self) -> None:
        """Give heads and questions their widths: as much as they need, where there is room."""
        sheet = (
            f"QTableCornerButton::section {{ background: {current_theme().window.name()}; border: none; }}"
        )
        if sheet != self.styleSheet():
            self.setStyleSheet(sheet)
        across, down = self.horizontalHeader(), self.verticalHeader()
        if not isinstance(across, MatrixHeader) or not isinstance(down, QuestionHeader):
            return
        least, whole = across.widths()
        room = self.width() - 2 * self.frameWidth() - self.verticalScrollBar().sizeHint().width()
        spare = room - _QUESTION - sum(least)
        share = min(1.0, max(0, spare) / max(1, sum(whole) - sum(least)))
        widths = [low + int(share * (high - low)) for low, high in zip(least, whole, strict=True)]
        for section in range(min(across.count(), len(widths))):
            across.resizeSection(section, widths[section])
        down.setFixedWidth(max(_QUESTION, min(down.longest(), room - sum(widths))))
        self.updateGeometries()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the widths to the new room."""
        super().resizeEvent(event)
        if self.width() != self._fitted:
            self._fitted = self.width()
            self.fit()
