"""What the methods come to: the six scores with their denominators, tokens, causes, and the hypothesis.

Owns the table and its words. Not owned: the arithmetic (`core.compaction_aggregate`), which is exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QScrollArea,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gacc_gui.app.compaction_viewing import NO_CONTEXT
from gacc_gui.app.compaction_views import Overview
from gacc_gui.core.causes import VEIL, VEILED
from gacc_gui.core.compaction_aggregate import HYPOTHESIS, MISSING, POLICY, Figures, HypothesisPart, TokenSum
from gacc_gui.gui.compaction.words import (
    CAUSE_NAMES,
    CAUSE_SENTENCES,
    COLOURS,
    DESCRIPTIVE,
    DIAGNOSTIC,
    LETTERS,
    SHOWN_CAUSES,
    exact,
    share,
    status_words,
)
from gacc_gui.gui.lists.plain import cell_text, tooltip
from gacc_gui.gui.lists.strip import SQUARE, GroundDelegate, Index, paint_square
from gacc_gui.gui.lists.words import counted, joined
from gacc_gui.gui.side.section import remark
from gacc_gui.gui.theme import GRID, HALF, ROW, current_theme, ui_font
from gacc_gui.gui.themed_label import ThemedLabel

SCORE_TITLES: Final = {
    "em": "Answer EM",
    "f1": "Answer F1",
    "sp_em": "Facts EM",
    "sp_f1": "Facts F1",
    "joint_em": "Joint EM",
    "joint_f1": "Joint F1",
}
HIDDEN_FIGURES: Final = (
    f"{VEIL}: hidden, as long as an answer that the figure is about is hidden until you have decided on it."
)
_WHOLE: Final = ("em", "sp_em", "joint_em")
"""Scores that are 0 or 1 for each answer: their sums are counts."""
_CAUSE: Final = Qt.ItemDataRole.UserRole
_WIDEST: Final = 112 * GRID
"""Figures that stand further apart are not read together."""
_TITLE: Final = 22 * GRID
_AIR: Final = 2
"""A header has its line, and a cell its margin."""


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the table: its title, a value a method, a hint; `cause` gives it a square."""

    title: str
    values: tuple[str, ...]
    hint: str = ""
    cause: str | None = None
    strong: bool = False


def method_lines(overview: Overview) -> Iterator[Line]:
    """The rows of the table, EM first. A figure over answers of which any is hidden is “?”."""
    methods = overview.aggregate.methods
    hidden = {method.method for method in methods if overview.hides(method.method)}
    for name, title in SCORE_TITLES.items():
        values = []
        for method in methods:
            if method.method in hidden:
                values.append(VEIL)
                continue
            value = method.all.scores[name]
            of = f"  {_sum(value, method.all.planned)}/{method.all.planned}" if name in _WHOLE else ""
            values.append(share(value) + of)
        hint = f"{title}: {POLICY}.\n" + "\n".join(
            f"{method.method}: {VEIL if method.method in hidden else exact(method.all.scores[name])}"
            for method in methods
        )
        yield Line(title, tuple(values), hint, strong=name == "em")
    kinds = sorted({kind for method in methods for kind in method.by_kind})
    for kind in kinds:
        values = []
        for method in methods:
            figures = method.by_kind.get(kind)
            value = figures.scores["em"] if figures is not None else None
            planned = figures.planned if figures is not None else 0
            known = f"{share(value)}  {_sum(value, planned)}/{planned}"
            values.append(VEIL if overview.hides(method.method, kind) else known)
        yield Line(
            f"EM, {cell_text(kind, 20)}",
            tuple(values),
            f"Answer EM of {kind} questions",
        )
    yield Line(
        "Valid / planned",
        tuple(
            VEIL if method.method in hidden else f"{method.all.valid:,}/{method.all.planned:,}"
            for method in methods
        ),
        "Answers that count with their scores, of all that were planned; the others count zero.\n"
        + "\n".join(
            f"{method.method}: {VEIL if method.method in hidden else _statuses(method.all)}"
            for method in methods
        ),
    )
    for title, sums in (
        ("Input tokens, provider", [method.provider for method in methods]),
        ("Input tokens, local", [method.local for method in methods]),
    ):
        hint = (
            f"{title}: what an answer's input has on average, and of how many of the planned it is known.\n"
        )
        hint += "\n".join(f"{m.method}: {_tokens(one)}" for m, one in zip(methods, sums, strict=True))
        yield Line(title, tuple(_mean(one, m.all) for m, one in zip(methods, sums, strict=True)), hint)
    for cause in (*SHOWN_CAUSES, MISSING):
        counts = [overview.causes[method.method].get(cause, 0) for method in methods]
        if cause != MISSING or any(counts):
            shown = tuple(
                VEIL if method.method in hidden else f"{count:,}/{method.all.planned:,}" if count else "–"
                for count, method in zip(counts, methods, strict=True)
            )
            yield Line(
                CAUSE_NAMES[cause].capitalize(),
                shown,
                CAUSE_SENTENCES[cause],
                cause,
            )


def _statuses(figures: Figures) -> str:
    return ", ".join(f"{status_words(name)} {count:,}" for name, count in figures.statuses.items())


def _sum(value: Fraction | None, planned: int) -> str:
    return exact(value * planned) if value is not None else "–"


def _mean(tokens: TokenSum, figures: Figures) -> str:
    asked = figures.planned - sum(figures.statuses.get(status, 0) for status in (NO_CONTEXT, MISSING))
    # Of calls that were never made there is no count that could be told.
    untold = "not told" if asked else "–"
    mean = untold if tokens.mean is None else f"{round(tokens.mean):,}"
    return f"{mean}  {tokens.inputs:,}/{figures.planned:,}"


def _tokens(tokens: TokenSum) -> str:
    return f"{tokens.total:,} in {counted(tokens.inputs, 'input')}"


def part_words(part: HypothesisPart, overview: Overview) -> str:
    """One comparison with its exact figures, and whether it held; “?” where a figure of it is hidden."""
    if overview.hides(part.left[0]) or overview.hides(part.right[0]):
        return f"{VEIL} hidden: {part.left[0]} {part.name}"
    held: Mapping[bool | None, str] = {True: "✓ held", False: "✗ did not hold", None: "– cannot be decided"}
    sign = ">" if part.strict else "≥"
    bound = exact(-part.margin)
    figures = f"{exact(part.left[1])} − {exact(part.right[1])} = {exact(part.difference)}"
    asked = f"{figures}, asked {sign} {bound}" if part.difference is not None else "a method was not run"
    return f"{held[part.holds]}: {part.left[0]} {part.name}  ({asked})"


def hypothesis_words(overview: Overview) -> str:
    """Whether the predeclared hypothesis held, in a few words."""
    hypothesis = overview.aggregate.hypothesis
    if hypothesis.held is None:
        return f"cannot be decided: {', '.join(hypothesis.missing)} not run"
    if any(overview.hides(method) for part in hypothesis.parts for method in (part.left[0], part.right[0])):
        return CAUSE_NAMES[VEILED]
    return "held" if hypothesis.held else "did not hold"


class MethodsPage(QScrollArea):
    """The table of methods over the hypothesis and what must be known beside both."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compactionMethods")
        self.setAccessibleName("What the methods come to")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        page = QWidget(self)
        self._diagnostic = remark(page, DIAGNOSTIC, "text")
        self._table = _Table(page)
        self._title = ThemedLabel("text", page)
        bold = ui_font()
        bold.setBold(True)
        self._title.setFont(bold)
        self._statement = remark(page)
        self._parts = remark(page, role="text")
        self._notes = remark(page)
        self._page = page
        column = QVBoxLayout(page)
        page.setMaximumWidth(_WIDEST)
        column.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID)
        column.setSpacing(GRID)
        for widget in (self._diagnostic, self._table, self._title, self._statement, self._parts, self._notes):
            column.addWidget(widget)
        column.addStretch(1)
        self.setWidget(page)

    @property
    def table(self) -> QTableWidget:
        """The table."""
        return self._table

    def text(self) -> str:
        """What stands around the table."""
        parts = (self._diagnostic, self._title, self._statement, self._parts, self._notes)
        return "\n".join(part.text() for part in parts if not part.isHidden())

    def show_overview(self, overview: Overview | None) -> None:
        """Show a run's figures."""
        self._page.setVisible(overview is not None)
        if overview is None:
            return
        self._diagnostic.setVisible(overview.is_diagnostic)
        self._table.show_lines(
            [one.method for one in overview.aggregate.methods], list(method_lines(overview))
        )
        self._title.setText(f"Predeclared hypothesis: {hypothesis_words(overview)}")
        self._statement.setText(f"{HYPOTHESIS}.")
        parts = overview.aggregate.hypothesis.parts
        self._parts.setText("\n".join(part_words(part, overview) for part in parts))
        planned = overview.planned
        plan = joined(
            (
                counted(len(planned.cases), "question"),
                counted(len(planned.methods), "method"),
                f"{planned.generations} × {planned.repeats} answers each",
                f"{counted(planned.answers, 'answer')} planned",
            )
        )
        left_out = [f"Left out: {one.id} ({one.check}: {one.reason})." for one in overview.left_out]
        hidden = [HIDDEN_FIGURES] if overview.hides_any else []
        notes = (*hidden, DESCRIPTIVE, f"{POLICY[:1].upper()}{POLICY[1:]}.", f"{plan}.", *left_out)
        self._notes.setText("\n".join(notes))


class _Table(QTableWidget):
    """Measures down, methods across; as high as its rows."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(0, 0, parent)
        self.setObjectName("compactionMethodsTable")
        self.setAccessibleName("Figures of each method")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setAlternatingRowColors(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        columns = self.horizontalHeader()
        columns.setHighlightSections(False)
        columns.setSectionsClickable(False)
        columns.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setItemDelegateForColumn(0, TitleDelegate(self))

    def show_lines(self, methods: list[str], lines: list[Line]) -> None:
        """Show these rows."""
        self.clear()
        self.setColumnCount(1 + len(methods))
        self.setRowCount(len(lines))
        for column, title in enumerate(("", *(cell_text(method, 40) for method in methods))):
            header = QTableWidgetItem(title)
            header.setTextAlignment(_RIGHT | Qt.AlignmentFlag.AlignVCenter)
            self.setHorizontalHeaderItem(column, header)
        strong = QFont(self.font())
        strong.setBold(True)
        for row, line in enumerate(lines):
            for column, text in enumerate((line.title, *line.values)):
                item = QTableWidgetItem(text)
                item.setToolTip(tooltip(line.hint))
                if column:
                    item.setTextAlignment(_RIGHT | Qt.AlignmentFlag.AlignVCenter)
                else:
                    item.setData(_CAUSE, line.cause)
                if line.strong:
                    item.setFont(strong)
                self.setItem(row, column, item)
            self.setRowHeight(row, ROW - 2)
        self._fit()

    def _fit(self) -> None:
        """Methods share the width, evenly if they can; where even their words need more, there is a bar."""
        count = self.columnCount()
        if not count:
            return
        needs = [self._need(column) for column in range(count)]
        room = self.viewport().width()
        title = min(max(needs[0], _TITLE), max(needs[0], room - sum(needs[1:])))
        others = max(1, count - 1)
        even = (room - title) // others
        spare = max(0, room - title - sum(needs[1:])) // others
        is_even = even >= max(needs[1:], default=0)
        for column, need in enumerate(needs):
            self.setColumnWidth(column, (even if is_even else need + spare) if column else title)
        is_wider = self.horizontalHeader().length() > room
        bar = self.horizontalScrollBar().sizeHint().height() if is_wider else 0
        height = sum(self.rowHeight(row) for row in range(self.rowCount()))
        self.setFixedHeight(height + self.horizontalHeader().sizeHint().height() + bar + 2)

    def _need(self, column: int) -> int:
        """Pixels that a column's texts need."""
        head = self.horizontalHeaderItem(column)
        widest = self.fontMetrics().horizontalAdvance(head.text()) if head is not None else 0
        for row in range(self.rowCount()):
            item = self.item(row, column)
            if item is not None:
                square = 0 if item.data(_CAUSE) is None else SQUARE + GRID
                widest = max(widest, square + QFontMetrics(item.font()).horizontalAdvance(item.text()))
        return widest + 2 * HALF + _AIR

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share out the new width."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        if event.type() == QEvent.Type.PaletteChange:
            self.viewport().update()
        super().changeEvent(event)


_RIGHT: Final = Qt.AlignmentFlag.AlignRight


class TitleDelegate(GroundDelegate):
    """Paints a row's title, behind the square of its cause where it counts one."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a cell."""
        super().paint(painter, option, index)
        rect = option.rect
        left = rect.left() + HALF
        cause = index.data(_CAUSE)
        if cause is not None:
            square = QRect(left, rect.top() + (rect.height() - SQUARE) // 2, SQUARE, SQUARE)
            paint_square(painter, square, COLOURS[cause], LETTERS[cause])
            left = square.right() + 1 + GRID
        painter.save()
        font = index.data(Qt.ItemDataRole.FontRole)
        painter.setFont(font if isinstance(font, QFont) else option.font)
        painter.setPen(current_theme().text)
        area = QRect(left, rect.top(), rect.right() - left, rect.height())
        shown = painter.fontMetrics().elidedText(
            str(index.data(Qt.ItemDataRole.DisplayRole)), Qt.TextElideMode.ElideRight, area.width()
        )
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, shown)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Room that is asked for."""
        return QSize(20 * GRID, ROW - 2)
