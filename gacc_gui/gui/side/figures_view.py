"""The figures of a run, cell by cell: both error policies, intervals, causes; by origin on demand.

Owns the table and its order. Not owned: the figures (`app.metrics`), which a worker computes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gacc_gui.core.causes import LETTERS
from gacc_gui.core.errors import GaccError
from gacc_gui.core.metrics import CellMetrics
from gacc_gui.core.natural import natural_key
from gacc_gui.gui.background import Background
from gacc_gui.gui.lists.plain import cell_text, tooltip
from gacc_gui.gui.lists.words import cause_name, counted, sentences_of, share_words
from gacc_gui.gui.overlay import RowDelegate, toggle_button
from gacc_gui.gui.session import Session
from gacc_gui.gui.side.section import remark
from gacc_gui.gui.theme import GRID, UI_POINTS, current_theme, ui_font
from gacc_gui.gui.tree_items import fit_columns
from gacc_gui.store.rows import CellChoice

if TYPE_CHECKING:
    from gacc_gui.app.metrics import Metrics
    from gacc_gui.app.reviewing import Reviewed
    from gacc_gui.gui.veil import Veil
    from gacc_gui.store.reads import Reader

CHANNEL: Final = "figures"
NO_RUN: Final = "No run is open. Open run files first."
HIDDEN: Final = "Hidden, as long as {0.a_row} that is counted is hidden until you have decided on it."
PLACE: Final = Qt.ItemDataRole.UserRole
_WIDEST: Final = 38 * GRID
"""A name without end must not push the figures out of sight."""
_RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its words, what it shows, what it is ordered by (None goes last), and the cause it counts."""

    title: str
    hint: str
    shown: Callable[[CellMetrics], str]
    value: Callable[[CellMetrics], Any]
    cause: str | None = None
    right: bool = True


def _share(value: float | None) -> str:
    return "–" if value is None else share_words(value)


def _share_of(value: float | None, part: int, whole: int) -> str:
    return f"{_share(value)}  {_of(part, whole)}"


def _interval(value: Any) -> str:
    return "" if value is None else "–".join(map(share_words, value))


def _of(part: int, whole: int) -> str:
    return f"{part:,}/{whole:,}"


def _count(value: int) -> str:
    return f"{value:,}" if value else ""


def _cause(cause: str, letter: str) -> Column:
    def value(cell: CellMetrics) -> int:
        return cell.causes.get(cause, 0)

    return Column(letter, "", lambda cell: _count(value(cell)), value, cause)


COLUMNS: Final = (
    Column(
        "Compressor",
        "Name and revision",
        lambda c: f"{c.cell.compressor} {c.cell.revision}".strip(),
        lambda c: natural_key(f"{c.cell.compressor} {c.cell.revision}"),
        right=False,
    ),
    Column(
        "Condition", "What it was shown", lambda c: c.cell.condition, lambda c: c.cell.condition, right=False
    ),
    Column("Ratio", "Budget as a share of the source", lambda c: c.cell.ratio, lambda c: float(c.cell.ratio)),
    Column(
        "Origin",
        "Where the contexts are from",
        lambda c: c.origin or "not given",
        lambda c: None if c.origin is None else natural_key(c.origin),
        right=False,
    ),
    Column(
        "Macro",
        "Goals whose every question is right; errors count as wrong",
        lambda c: _share(c.macro.errors_as_wrong),
        lambda c: c.macro.errors_as_wrong,
    ),
    Column(
        "Macro 95 %",
        "Interval over contexts; Wilson's where Macro is exactly 0 or 1",
        lambda c: _interval(c.macro_ci95) + (" W" if c.macro_ci95_method == "wilson" else ""),
        lambda c: c.macro_ci95 and c.macro_ci95[0],
    ),
    Column("Goals", "All-right of all", lambda c: _of(c.right_goals, c.goals), lambda c: c.goals),
    Column(
        "Macro without errors",
        "Macro over the goals without a row that has no verdict",
        lambda c: _share_of(c.macro.errors_excluded, c.right_goals, c.goals - c.incomplete_goals),
        lambda c: c.macro.errors_excluded,
    ),
    Column(
        "Micro",
        "Questions answered right; errors count as wrong",
        lambda c: _share(c.micro.errors_as_wrong),
        lambda c: c.micro.errors_as_wrong,
    ),
    Column(
        "Micro 95 %",
        "Interval over contexts",
        lambda c: _interval(c.micro_ci95),
        lambda c: c.micro_ci95 and c.micro_ci95[0],
    ),
    Column("Questions", "Right of all", lambda c: _of(c.correct, c.questions), lambda c: c.questions),
    Column(
        "Micro without errors",
        "Micro over the rows with a verdict",
        lambda c: _share_of(c.micro.errors_excluded, c.correct, c.judged),
        lambda c: c.micro.errors_excluded,
    ),
    *(_cause(cause, letter) for cause, letter in LETTERS.items() if cause != "correct"),
    Column(
        "Unsupported",
        "Correct answers for which the memory does not hold the evidence as written",
        lambda c: "" if c.unsupported_share is None else f"{c.unsupported_share:.1%}",
        lambda c: c.unsupported_share,
    ),
    Column(
        "Missing",
        "Goals without a memory in this cell",
        lambda c: _count(c.missing_goals),
        lambda c: c.missing_goals,
    ),
)
_OF_CASES: Final = {
    "Compressor": ("Method", "Name and revision"),
    "Micro": ("EM", "Answers that equal the gold answer; what failed counts zero"),
    "Micro 95 %": ("EM 95 %", "Interval over cases"),
    "Questions": ("Answers", "Right of all"),
    "Micro without errors": ("EM without errors", "EM over the answers with a score"),
    "Unsupported": (
        "Unsupported",
        "Right answers for which the context does not hold the evidence as written",
    ),
    "Missing": ("Missing", "Cases without a context of this method"),
}
"""Titles and hints of columns where a goal has one question: Macro is the same figure there."""
_NOT_OF_CASES: Final = ("Condition", "Ratio", "Macro", "Macro 95 %", "Goals", "Macro without errors")
ORIGIN: Final = next(place for place, column in enumerate(COLUMNS) if column.title == "Origin")


class FiguresView(QWidget):
    """Signals: cells_chosen(CellChoice): look at the goals of a cell. It reads only while it is seen."""

    cells_chosen = Signal(object)

    def __init__(self, session: Session, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("figuresView")
        self._session = session
        self._background = background
        self._stale = True
        self._reviewed_rows = 0
        self._is_hidden = False
        self._cells: Sequence[CellMetrics] = ()
        self._order: tuple[int, bool] | None = None
        self._build_ui()
        self._connect()
        self._on_reviewed(session.reviewed)

    def _build_ui(self) -> None:
        title = QLabel("Figures", self)
        title.setFont(ui_font(UI_POINTS + 3))
        self._origins = toggle_button("By origin of the contexts", self)
        self._as_reviewed = toggle_button("As reviewed", self)
        self._as_reviewed.setObjectName("figuresAsReviewed")
        self._as_reviewed.setToolTip(tooltip("Count rows as reviewers decided, where they did"))
        self._as_reviewed.hide()
        self._words = remark(self)
        self._tree = QTreeWidget(self)
        self._tree.setObjectName("figuresTable")
        self._tree.setAccessibleName("Figures of each cell")
        self._tree.setHeaderLabels([column.title for column in COLUMNS])
        self._tree.setRootIsDecorated(False)
        self._tree.setUniformRowHeights(True)
        self._tree.setAlternatingRowColors(True)
        self._tree.setItemDelegate(RowDelegate(self._tree))
        header = self._tree.header()
        header.setSectionsClickable(True)
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(3 * GRID)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        # Names may be cut short, and what tells them apart may be their end.
        self._tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        titles = self._tree.headerItem()
        for place, column in enumerate(COLUMNS):
            if column.right:
                titles.setTextAlignment(place, Qt.AlignmentFlag.AlignRight)
        head = QHBoxLayout()
        head.addWidget(title, 1)
        head.addWidget(self._as_reviewed)
        head.addWidget(self._origins)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID)
        layout.setSpacing(GRID)
        layout.addLayout(head)
        layout.addWidget(self._words)
        layout.addWidget(self._tree, 1)
        self._paint_titles()
        self._show_terms()

    def _show_terms(self) -> None:
        """Name the columns in the words of the run's benchmark, and hide those that it does not have."""
        terms, titles = self._session.terms, self._tree.headerItem()
        for place, column in enumerate(COLUMNS):
            title, hint = column.title, column.hint
            if column.cause is not None:
                hint = f"{cause_name(column.cause)}: {sentences_of(terms).get(column.cause, '')}"
            elif terms.one_question:
                title, hint = _OF_CASES.get(title, (title, hint))
            titles.setText(place, title)
            titles.setToolTip(place, hint)
            hidden = terms.one_question and column.title in _NOT_OF_CASES
            self._tree.setColumnHidden(place, hidden or (place == ORIGIN and not self._origins.isChecked()))
        self._tree.setAccessibleName(f"Figures of each {terms.cell}")
        self._origins.setText(f"By origin of the {terms.context}s")

    def _connect(self) -> None:
        self._origins.toggled.connect(self._on_changed)
        self._as_reviewed.toggled.connect(self._on_changed)
        self._session.reviewed_changed.connect(self._on_reviewed)
        self._tree.itemActivated.connect(self._on_activated)
        self._tree.header().sectionClicked.connect(self._on_section)
        self._session.run_changed.connect(self._on_changed)
        self._session.data_changed.connect(self._on_changed)
        self._session.veil_changed.connect(self._on_veil)

    def show_metrics(self, metrics: Metrics) -> None:
        """Show a run's cells, and what must be known beside them."""
        self._cells = metrics.cells
        terms = self._session.terms
        told = [
            *([f"As reviewed: {counted(self._reviewed_rows, terms.row)}."] if self._reviewed_rows else []),
            f"Double-click a {terms.cell} to see its {terms.unit}s."
            if metrics.cells
            else "Nothing was evaluated.",
            *(f"{warning[:1].upper()}{warning[1:]}." for warning in metrics.warnings),
        ]
        self._words.setText(" ".join(told))
        self._fill()

    def _on_reviewed(self, reviewed: Reviewed | None) -> None:
        some = reviewed is not None and bool(reviewed.rows)
        self._as_reviewed.setVisible(some)
        if self._as_reviewed.isChecked():
            if some:
                self._on_changed()
            else:
                self._as_reviewed.setChecked(False)

    def _hides(self) -> bool:
        """Whether the figures are of so few answers that they would tell of one that is hidden."""
        return self._session.terms.one_question and bool(self._session.veil.hidden())

    def _on_veil(self, _veil: Veil) -> None:
        if self._hides() != self._is_hidden:
            self._on_changed()

    def _on_changed(self, _value: object = None) -> None:
        self._stale = True
        if self.isVisible():
            self._read()

    def _read(self) -> None:
        self._stale = False
        run = self._session.run
        for button in (self._origins, self._as_reviewed):
            button.setEnabled(run is not None)
        self._is_hidden = self._hides()
        if run is None or self._is_hidden:
            self._background.forget(CHANNEL)
            self._cells = ()
            self._words.setText(NO_RUN if run is None else HIDDEN.format(self._session.terms))
            self._fill()
            return
        reviewed = self._session.reviewed if self._as_reviewed.isChecked() else None
        self._reviewed_rows = len(reviewed.rows) if reviewed is not None else 0
        work = partial(_read_metrics, run.run.id, self._origins.isChecked(), reviewed)
        self._background.request(CHANNEL, work, self.show_metrics, self._on_failed)

    def _on_failed(self, error: GaccError) -> None:
        self._words.setText(str(error))

    def _fill(self) -> None:
        self._tree.clear()
        self._show_terms()
        places = self._places()
        lines = [[cell_text(column.shown(self._cells[place])) for column in COLUMNS] for place in places]
        items = [QTreeWidgetItem(line) for line in lines]
        for place, item in zip(places, items, strict=True):
            item.setData(0, PLACE, place)
            for number, column in enumerate(COLUMNS):
                if column.right:
                    item.setTextAlignment(number, _RIGHT)
                else:
                    item.setToolTip(number, tooltip(column.shown(self._cells[place])))
        self._tree.addTopLevelItems(items)
        fit_columns(self._tree, lines, _WIDEST)

    def _places(self) -> list[int]:
        """The cells in the order that was asked for; what has no value stands last either way."""
        places = list(range(len(self._cells)))
        if self._order is None:
            return places
        column, descending = COLUMNS[self._order[0]], self._order[1]
        valued = [place for place in places if column.value(self._cells[place]) is not None]
        valued.sort(key=lambda place: column.value(self._cells[place]), reverse=descending)
        return valued + [place for place in places if column.value(self._cells[place]) is None]

    def _on_section(self, section: int) -> None:
        descending = COLUMNS[section].right
        if self._order is not None and self._order[0] == section:
            descending = not self._order[1]
        self._order = (section, descending)
        order = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
        self._tree.header().setSortIndicator(section, order)
        self._tree.header().setSortIndicatorShown(True)
        self._fill()

    def _on_activated(self, item: QTreeWidgetItem) -> None:
        cell = self._cells[item.data(0, PLACE)].cell
        self.cells_chosen.emit(CellChoice(cell.compressor, cell.revision, cell.condition, cell.ratio))

    def _paint_titles(self) -> None:
        titles = self._tree.headerItem()
        for place, column in enumerate(COLUMNS):
            if column.cause is not None:
                titles.setForeground(place, current_theme().cause_text(column.cause))

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._paint_titles()
        super().changeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Read what changed while the view was hidden."""
        super().showEvent(event)
        if self._stale:
            self._read()


def _read_metrics(run_id: str, by_origin: bool, reviewed: Reviewed | None, reader: Reader) -> Metrics:
    from gacc_gui.app.metrics import run_metrics

    return run_metrics(reader, run_id, by_origin, reviewed)
