"""The cases' table: a block of squares a method, walked cell by cell, the question in as many lines as fit.

Owns what is seen, clicked and walked. Not owned: rows and their order (`cases_model`), what follows a choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPixmap,
    QResizeEvent,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QHeaderView, QStyleOptionViewItem, QWidget

from gacc_gui.app.compaction_views import AnswerCell
from gacc_gui.gui.compaction.cases_model import METHODS, NUMBER, QUESTION, TYPE, CasesModel
from gacc_gui.gui.compaction.words import COLOURS, LETTERS, cause_of
from gacc_gui.gui.lists.strip import GAP, MARGIN, SQUARE, GroundDelegate, Index, paint_square
from gacc_gui.gui.lists.table import SORT_ARROW, ReadingTable
from gacc_gui.gui.lists.widths import share_width
from gacc_gui.gui.theme import GRID, HALF, current_theme

_STEP: Final = SQUARE + GAP
_EDGE: Final = 2
"""Pixels around a block for the frame of a chosen square."""
_LINES: Final = 2
"""Lines that a question may have, at least."""
_QUESTION_AT_EASE: Final = 24 * GRID
"""Pixels of the question for which the type is cut short."""
_QUESTION_TIGHT: Final = 16 * GRID
"""Pixels of the question for which the methods' columns are narrowed."""
_QUESTION_LEAST: Final = 12 * GRID


@dataclass(frozen=True, slots=True)
class Chosen:
    """A cell of the table: one answer of one case."""

    case: str
    method: str
    generation: int
    repeat: int

    @classmethod
    def of(cls, cell: AnswerCell) -> Chosen:
        """The place of an answer."""
        return cls(cell.case, cell.method, cell.generation, cell.repeat)


class CasesTable(ReadingTable):
    """Signals:

    - cell_chosen(Chosen): another answer is chosen, by a click or a key
    - opened(): Return, or a double click: the chosen answer is to be looked at elsewhere
    - order_chosen(column)
    """

    cell_chosen = Signal(object)
    opened = Signal()
    order_chosen = Signal(object)

    def __init__(self, model: CasesModel, parent: QWidget | None = None) -> None:
        super().__init__("compactionCases", "Cases", {}, parent)
        self._cases = model
        self._chosen: Chosen | None = None
        self.setModel(model)
        self._questions = QuestionDelegate(self)
        self._blocks = BlockDelegate(model, self)
        self.setItemDelegateForColumn(QUESTION, self._questions)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.sectionClicked.connect(self._on_section)
        self.doubleClicked.connect(self._on_double_click)
        self.watch_selection()
        self.row_chosen.connect(self._on_row)
        model.modelReset.connect(self._on_reset)

    @property
    def chosen(self) -> Chosen | None:
        """The chosen answer."""
        return self._chosen

    def choose(self, chosen: Chosen | None) -> None:
        """Mark an answer, and bring its row into view; says nothing."""
        self._mark(chosen)
        self.keep_quiet(True)
        self.show_row(self._cases.row_of(chosen.case if chosen is not None else None))
        self.keep_quiet(False)

    def fit_columns(self) -> None:
        """Give each column what it needs, and the question the rest."""
        generations, repeats = self._cases.grid
        metrics = self.fontMetrics()
        self.verticalHeader().setDefaultSectionSize(
            max(_LINES * metrics.lineSpacing() + GRID, generations * _STEP - GAP + 6)
        )
        widths = {NUMBER: self._needed(NUMBER, self.text_width(str(self._cases.total)))}
        for column in range(METHODS, METHODS + len(self._cases.methods)):
            count = f"{generations * repeats}/{generations * repeats}"
            block = MARGIN + repeats * _STEP + HALF + metrics.horizontalAdvance(count) + GRID
            widths[column] = self._needed(column, block)
            self.setItemDelegateForColumn(column, self._blocks)
        widths[TYPE] = self._needed(TYPE, self.text_width("comparison"))
        room = self.room() - sum(widths.values())
        if room < _QUESTION_AT_EASE:
            # Whole in the tooltip, and beside the texts.
            room += widths[TYPE]
            widths[TYPE] = self._needed(TYPE, self.text_width("comp…"))
            room -= widths[TYPE]
        methods = range(METHODS, METHODS + len(self._cases.methods))
        if room < _QUESTION_TIGHT and methods:
            # The squares say it all: counts give way, and long names where not even the least is left.
            squares = 2 * MARGIN + repeats * _STEP
            named = [max(squares, self._needed(column, 0)) for column in methods]
            for wanted, least in ((_QUESTION_TIGHT, named), (_QUESTION_LEAST, [squares] * len(methods))):
                needed = [widths[column] for column in methods]
                shared = share_width(sum(needed) - max(0, wanted - room), needed, least)
                widths.update(zip(methods, shared, strict=True))
                room += sum(needed) - sum(shared)
        widths[QUESTION] = max(room, _QUESTION_LEAST)
        for column, width in widths.items():
            self.setColumnWidth(column, width)
        # The run's own order needs no arrow.
        column, descending = self._cases.order
        order = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
        self.horizontalHeader().setSortIndicator(
            -1 if (column, descending) == (NUMBER, False) else column, order
        )

    def _needed(self, column: int, content: int) -> int:
        arrow = SORT_ARROW if column == self._cases.order[0] and column != NUMBER else 0
        least = self.horizontalHeader().minimumSectionSize()
        return max(content, self.title_width(column) + arrow, least)

    def step_cell(self, step: int) -> None:
        """Go to the next or previous answer of the case, stopping at its ends."""
        cells = self._cells()
        if not cells:
            return
        at = next((n for n, cell in enumerate(cells) if cell == self._chosen), -1)
        self._choose(cells[max(0, min(at + step, len(cells) - 1))] if at >= 0 else cells[0])

    def step_failing(self, step: int) -> None:
        """Go to the next or previous answer that is seen not to be right, round all cases of the list."""
        every = [
            (Chosen.of(cell), cell.em == 1 or cell.is_hidden)
            for case in self._cases.rows
            for method in self._cases.methods
            for cell in case.cells[method]
        ]
        if not every:
            return
        at = next((n for n, (place, _) in enumerate(every) if place == self._chosen), -1 if step > 0 else 0)
        for walked in range(1, len(every) + 1):
            place, is_right = every[(at + step * walked) % len(every)]
            if not is_right:
                self._choose(place)
                return

    def _cells(self) -> list[Chosen]:
        case = self._cases.case(self.chosen_row())
        if case is None:
            return []
        return [Chosen.of(cell) for method in self._cases.methods for cell in case.cells[method]]

    def _choose(self, chosen: Chosen) -> None:
        another = chosen != self._chosen
        self.choose(chosen)
        self._show_column(chosen.method)
        if another:
            self.cell_chosen.emit(chosen)

    def _show_column(self, method: str) -> None:
        column = METHODS + self._cases.methods.index(method)
        index = self._cases.index(self.chosen_row(), column)
        if self.visualRect(index).right() > self.viewport().width() or self.visualRect(index).left() < 0:
            self.scrollTo(index)

    def _mark(self, chosen: Chosen | None) -> None:
        marked = [one for one in (self._chosen, chosen) if one is not None]
        self._chosen = chosen
        self._blocks.choose(chosen)
        for one in marked:
            row = self._cases.row_of(one.case)
            if row >= 0 and one.method in self._cases.methods:
                self.update(self._cases.index(row, METHODS + self._cases.methods.index(one.method)))

    def _on_row(self, row: int) -> None:
        case = self._cases.case(row)
        if case is None:
            return
        former = self._chosen
        if former is None or former.method not in self._cases.methods:
            cells = self._cells()
            wanted = cells[0] if cells else None
        else:
            wanted = Chosen(case.id, former.method, former.generation, former.repeat)
        if wanted is not None:
            self._choose(wanted)

    def _on_reset(self) -> None:
        self.fit_columns()
        if self._chosen is not None:
            self.choose(self._chosen)

    def _on_section(self, section: int) -> None:
        self.order_chosen.emit(section)

    def _on_double_click(self, _index: object) -> None:
        self.opened.emit()

    # --- Qt ----------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right walk the answers of a case, Home and End go to its ends, Return opens."""
        steps = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        elif event.key() in steps:
            self.step_cell(steps[Qt.Key(event.key())])
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click on a square chooses it; elsewhere in a method's column, the first of that method."""
        index = self.indexAt(event.position().toPoint())
        method = self._cases.method_of(index.column())
        case = self._cases.case(index.row())
        if event.button() != Qt.MouseButton.LeftButton or method is None or case is None:
            super().mousePressEvent(event)
            return
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        cells = case.cells[method]
        place = self._blocks.place_at(self.visualRect(index), event.position().toPoint().toTuple())
        if cells:
            self._choose(Chosen.of(cells[place if place is not None else 0]))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share out the new width."""
        super().resizeEvent(event)
        self.fit_columns()


class QuestionDelegate(GroundDelegate):
    """Paints a question in as many lines as its row has room for."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a cell."""
        super().paint(painter, option, index)
        text = index.data(Qt.ItemDataRole.DisplayRole)
        if not isinstance(text, str):
            return
        area = option.rect.adjusted(HALF, HALF, -HALF, -HALF)
        painter.save()
        painter.setFont(option.font)
        painter.setPen(current_theme().text)
        lines = wrapped(text, option.font, area.width(), area.height() // option.fontMetrics.lineSpacing())
        height = len(lines) * option.fontMetrics.lineSpacing()
        top = area.top() + max(0, (area.height() - height) // 2)
        for number, line in enumerate(lines):
            shown = option.fontMetrics.elidedText(line, Qt.TextElideMode.ElideRight, area.width())
            y = top + number * option.fontMetrics.lineSpacing() + option.fontMetrics.ascent()
            painter.drawText(area.left(), y, shown)
        painter.restore()


def wrapped(text: str, font: QFont, width: int, most: int) -> tuple[str, ...]:
    """Break a text into at most `most` lines; the last holds all that is left, to be elided."""
    return _wrapped(text, font.key(), width, most)


@lru_cache(maxsize=1024)
def _wrapped(text: str, font_key: str, width: int, most: int) -> tuple[str, ...]:
    font = QFont()
    font.fromString(font_key)
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WordWrap)
    layout.setTextOption(option)
    layout.beginLayout()
    starts: list[int] = []
    while len(starts) < max(1, most):
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(width)
        starts.append(line.textStart())
    layout.endLayout()
    # Positions of a layout are UTF-16 units.
    units = text.encode("utf-16-le", "surrogatepass")
    ends = [*starts[1:], len(units) // 2]
    return tuple(
        units[2 * start : 2 * end].decode("utf-16-le", "surrogatepass").strip()
        for start, end in zip(starts, ends, strict=True)
    )


class BlockDelegate(GroundDelegate):
    """Paints a method's answers to a case: a row of squares a generation, then how many are right."""

    def __init__(self, model: CasesModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._cases = model
        self._chosen: Chosen | None = None

    def choose(self, chosen: Chosen | None) -> None:
        """Frame this answer's square."""
        self._chosen = chosen

    def place_at(self, cell: QRect, point: tuple[int, int]) -> int | None:
        """The place, among a method's answers, of the square under a point of the viewport."""
        generations, repeats = self._cases.grid
        left, top = self._origin(cell)
        repeat, generation = (point[0] - left) // _STEP, (point[1] - top) // _STEP
        inside = 0 <= repeat < repeats and 0 <= generation < generations
        return generation * repeats + repeat if inside else None

    def _origin(self, cell: QRect) -> tuple[int, int]:
        height = self._cases.grid[0] * _STEP - GAP
        return cell.left() + MARGIN, cell.top() + (cell.height() - height) // 2

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a cell."""
        super().paint(painter, option, index)
        case, method = self._cases.case(index.row()), self._cases.method_of(index.column())
        if case is None or method is None:
            return
        repeats = self._cases.grid[1]
        left, top = self._origin(option.rect)
        chosen = self._chosen
        at = -1
        if chosen is not None and (chosen.case, chosen.method) == (case.id, method):
            at = chosen.generation * repeats + chosen.repeat
        block = _block(
            current_theme().name,
            option.font.family(),
            painter.device().devicePixelRatioF(),
            tuple(map(cause_of, case.cells[method])),
            repeats,
            at,
        )
        painter.drawPixmap(left - _EDGE, top - _EDGE, block)
        painter.save()
        painter.setFont(option.font)
        theme = current_theme()
        painter.setPen(theme.text if case.right(method) else theme.muted)
        start = left + repeats * _STEP + HALF
        count = str(index.data(Qt.ItemDataRole.DisplayRole))
        rest = QRect(start, option.rect.top(), option.rect.right() - start, option.rect.height())
        if option.fontMetrics.horizontalAdvance(count) <= rest.width():
            painter.drawText(rest, Qt.AlignmentFlag.AlignVCenter, count)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Room that is asked for."""
        generations, repeats = self._cases.grid
        return QSize(2 * MARGIN + repeats * _STEP + 4 * GRID, generations * _STEP + 2 * HALF)


@lru_cache(maxsize=512)
def _block(
    _theme: str, family: str, scale: float, causes: tuple[str, ...], repeats: int, chosen: int
) -> QPixmap:
    """A method's squares as one picture: a screen of cases has hundreds, of some dozen kinds of blocks."""
    rows = -(-len(causes) // max(1, repeats))
    width, height = repeats * _STEP - GAP + 2 * _EDGE, rows * _STEP - GAP + 2 * _EDGE
    picture = QPixmap(max(1, round(width * scale)), max(1, round(height * scale)))
    picture.setDevicePixelRatio(scale)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setFont(QFont(family))
    for place, cause in enumerate(causes):
        left, top = _EDGE + place % repeats * _STEP, _EDGE + place // repeats * _STEP
        square = QRect(left, top, SQUARE, SQUARE)
        paint_square(painter, square, COLOURS[cause], LETTERS[cause], chosen=place == chosen)
    painter.end()
    return picture
