"""The view of a comparison: two sides are chosen, what differs is told, rows are looked through.

Owns what is compared and what follows from a choice. Figures are `app.comparing`'s, made in the worker. A
comparison of whole runs keeps its figures alone; the rows are read of the pair of cells one looks at.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gacc_gui.core.errors import GaccError
from gacc_gui.gui.background import Background
from gacc_gui.gui.compare.bucket_bar import ALL, BucketBar
from gacc_gui.gui.compare.cells_table import CellsTable
from gacc_gui.gui.compare.compare_reads import (
    Bucketed,
    ReadPair,
    ReadSide,
    bucketed,
    read_comparison,
    read_pair,
    read_rows,
    veiled_pair,
)
from gacc_gui.gui.compare.figures_grid import FiguresGrid
from gacc_gui.gui.compare.offers import (
    Chosen,
    RunOffers,
    first_pair,
    nothing_words,
    read_offers,
    unpaired_words,
)
from gacc_gui.gui.compare.pairs_model import PairsModel
from gacc_gui.gui.compare.pairs_table import PairsTable
from gacc_gui.gui.compare.side_choice import SideChoice
from gacc_gui.gui.compare.sides_view import SidesView
from gacc_gui.gui.compare.words import differing_words
from gacc_gui.gui.session import Session
from gacc_gui.gui.side.section import remark
from gacc_gui.gui.theme import GRID, HALF
from gacc_gui.gui.themed_label import ThemedLabel
from gacc_gui.gui.veil import Veil

if TYPE_CHECKING:
    from gacc_gui.app.comparing import Comparison
    from gacc_gui.app.reviewing import Reviewed
    from gacc_gui.core.compared_rows import ComparedRow, ComparedRows

OFFERS: Final = "compare.offers"
FIGURES: Final = "compare.figures"
ROWS: Final = "compare.rows"
PAIR: Final = "compare.pair"
NO_RUN: Final = "No run is open. Open run files first (Ctrl+O), or try the demonstration."


class ComparePanel(QWidget):
    """It reads only while it is seen.

    Signals: row_chosen(run id, unit, question id): look at it in the inspector.
    """

    row_chosen = Signal(object, object, object)

    def __init__(
        self, session: Session, reads: Background, counts: Background, parent: QWidget | None = None
    ) -> None:
        """`reads` answers what one waits for, `counts` what takes longer."""
        super().__init__(parent)
        self.setObjectName("comparePanel")
        self._session, self._reads, self._counts = session, reads, counts
        self._runs: Sequence[RunOffers] = ()
        self._chosen: tuple[Chosen, Chosen] | None = None
        self._comparison: Comparison | None = None
        self._rows: ComparedRows | None = None
        self._row: ComparedRow | None = None
        self._pair: ReadPair | None = None
        self._shown_pair: ReadPair | None = None
        """The same, without what is hidden from a reviewer."""
        self._bucketed = Bucketed()
        self._stale = True
        self._build_ui()
        self._connect()
        self._sides.show_options(session.options)
        for side in (self._a, self._b):
            side.show_choice((), None)
        self._say(NO_RUN)

    def _build_ui(self) -> None:
        self._a, self._b = SideChoice("A", self), SideChoice("B", self)
        self._swap = QToolButton(self)
        self._swap.setText("⇄")
        self._swap.setToolTip("Swap the sides  (X in the list)")
        self._swap.setAccessibleName("Swap the sides")
        self._copy = QToolButton(self)
        self._copy.setText("Copy command")
        self._copy.setToolTip("Copy the command that prints this comparison")
        for button in (self._swap, self._copy):
            button.setAutoRaise(True)
        choices = QHBoxLayout()
        choices.setSpacing(GRID)
        choices.addWidget(self._a, 1)
        choices.addWidget(self._swap)
        choices.addWidget(self._b, 1)
        choices.addWidget(self._copy)
        self._differs = remark(self, role="text")
        self._differs.setObjectName("compareDiffers")
        self._notes = remark(self)
        self._notes.setObjectName("compareNotes")
        self._figures = FiguresGrid(self)
        self._cells = CellsTable(self)
        self._buckets = BucketBar(self)
        self._model = PairsModel(self)
        self._model.show_veil(self._session.veil)
        self._table = PairsTable(self._model, self)
        self._sides = SidesView(self._counts, self)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.addWidget(self._table)
        split.addWidget(self._sides)
        split.setSizes([40 * GRID, 80 * GRID])
        split.setStretchFactor(0, 2)
        split.setStretchFactor(1, 3)
        split.setChildrenCollapsible(False)
        self._nothing = ThemedLabel("muted", self)
        self._nothing.setObjectName("compareNothing")
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._nothing.setWordWrap(True)
        self._body = QStackedWidget(self)
        self._body.addWidget(split)
        self._body.addWidget(self._nothing)
        page = QWidget(self)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID)
        for part in (self._differs, self._notes, self._figures, self._cells, self._buckets):
            column.addWidget(part)
        column.addWidget(self._body, 1)
        self._message = ThemedLabel("muted", self)
        self._message.setObjectName("compareMessage")
        self._message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._message.setWordWrap(True)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(page)
        self._pages.addWidget(self._message)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID)
        layout.setSpacing(HALF)
        layout.addLayout(choices)
        layout.addWidget(self._pages, 1)
        self.setFocusProxy(self._table)

    def _connect(self) -> None:
        self._a.chosen_changed.connect(self._on_chosen)
        self._b.chosen_changed.connect(self._on_chosen)
        self._swap.clicked.connect(self.swap)
        self._copy.clicked.connect(self.copy_command)
        self._cells.cells_chosen.connect(self._on_cells)
        self._buckets.bucket_chosen.connect(self._on_bucket)
        self._table.row_chosen.connect(self._on_line)
        self._table.stepped.connect(self.step)
        self._table.key_pressed.connect(self._on_key)
        self._sides.inspect_asked.connect(self.inspect)
        self._session.run_changed.connect(self._on_changed)
        self._session.data_changed.connect(self._on_changed)
        self._session.reviewed_changed.connect(self._on_reviewed)
        self._session.options_changed.connect(self._sides.show_options)
        self._session.veil_changed.connect(self._on_veil)

    # --- what others ask for -----------------------------------------------------------------------

    @property
    def comparison(self) -> Comparison | None:
        """What is shown; None before it is made."""
        return self._comparison

    @property
    def sides(self) -> SidesView:
        """Both sides of the chosen row."""
        return self._sides

    def compare(self, a: Chosen, b: Chosen) -> None:
        """Compare these two."""
        self._chosen = (a, b)
        self._a.show_choice(self._runs, a)
        self._b.show_choice(self._runs, b)
        self._counts.request(FIGURES, partial(read_comparison, a, b), self._on_compared, self._on_failed)

    def swap(self) -> None:
        """Have A's side be B's and the other way round."""
        if self._chosen is not None:
            self.compare(self._chosen[1], self._chosen[0])

    def step(self, step: int) -> None:
        """Go to the next (1) or the previous (-1) row of the list."""
        line = self._table.chosen_row() + step
        if 0 <= line < self._model.rowCount():
            self._table.show_row(line)

    def inspect(self, side: str) -> None:
        """Look at one side (`a` or `b`) of the chosen row in the inspector."""
        found: ReadSide | None = getattr(self._pair, side) if self._pair is not None else None
        if found is not None and self._row is not None:
            self.row_chosen.emit(found.view.run.id, found.view.unit, self._row.question.id)

    def copy_command(self) -> None:
        """Copy what one would type for this comparison."""
        if self._comparison is not None:
            import shlex

            words = ["gacc-gui", "compare", self._comparison.a.text, self._comparison.b.text]
            if self._reads.path is not None:
                words += ["--db", str(self._reads.path)]
            QApplication.clipboard().setText(shlex.join(words))
            self._session.noticed.emit("The command is copied.")

    # --- what happens ------------------------------------------------------------------------------

    def _on_changed(self, _value: object = None) -> None:
        self._stale = True
        if self.isVisible():
            self._read()

    def _on_reviewed(self, reviewed: Reviewed | None) -> None:
        if (reviewed is not None and reviewed.rows) or (
            self._comparison is not None and any(self._comparison.reviewed)
        ):
            self._on_changed()

    def _read(self) -> None:
        self._stale = False
        if self._session.run is None:
            for channel in (OFFERS, FIGURES, ROWS):
                self._counts.forget(channel)
            self._chosen = None
            self._a.show_choice((), None)
            self._b.show_choice((), None)
            self._say(NO_RUN)
        else:
            self._counts.request(OFFERS, read_offers, self._on_offers, self._on_failed)

    def _on_offers(self, runs: Sequence[RunOffers]) -> None:
        self._runs = runs
        known = {one.summary.run.id for one in runs}
        run = self._session.run
        run_id = run.run.id if run is not None else None
        chosen = self._chosen
        # A choice stays while it has to do with the open run: one may have gone there from here.
        ids = {one.run_id for one in chosen} if chosen is not None else set()
        if chosen is None or not ids <= known or run_id not in ids:
            chosen = first_pair(runs, run_id, self._session.choice)
        if chosen is None:
            self._chosen = None
            self._a.show_choice(runs, None)
            self._b.show_choice(runs, None)
            self._say(NO_RUN if run is None else nothing_words(runs, run_id))
        else:
            self.compare(*chosen)

    def _on_chosen(self, _chosen: Chosen) -> None:
        a, b = self._a.chosen, self._b.chosen
        if a is not None and b is not None:
            self.compare(a, b)

    def _on_compared(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._copy.setEnabled(True)
        self._swap.setEnabled(True)
        self._differs.setText(differing_words(comparison.differs, comparison.terms))
        self._show_notes(comparison)
        for worded in (self._cells, self._buckets, self._model):
            worded.show_terms(comparison.terms)
        self._cells.show_cells(comparison.cells, 0)
        self._nothing.setText(unpaired_words(self._runs, comparison.a.run.id, comparison.b.run.id))
        self._body.setCurrentIndex(0 if comparison.cells else 1)
        for part in (self._figures, self._buckets):
            part.setVisible(bool(comparison.cells))
        if comparison.cells:
            self._on_cells(0)
        else:
            self._figures.show_figures(None)
            self._show_rows(None)
        # Last: Qt lays the whole page out again for each part that appears on it.
        self._pages.setCurrentIndex(0)

    def _show_notes(self, comparison: Comparison) -> None:
        from gacc_gui.app.comparing import DIAGNOSTIC
        from gacc_gui.app.comparing import UNPAIRED as UNPAIRED_NOTE

        run = self._session.run
        told = run is not None and run.run.diagnostic_only  # in the window's banner
        unsaid = {UNPAIRED_NOTE, *([DIAGNOSTIC] if told else [])}
        notes = [note for note in comparison.notes if note not in unsaid]
        self._notes.setText(" ".join(f"{note[:1].upper()}{note[1:]}." for note in notes))
        self._notes.setVisible(bool(notes))

    def _on_failed(self, error: GaccError) -> None:
        self._say(str(error))

    def _say(self, words: str) -> None:
        self._message.setText(words)
        self._pages.setCurrentIndex(1)
        self._comparison = None
        self._copy.setEnabled(False)
        self._swap.setEnabled(False)
        self._show_rows(None)

    def _on_cells(self, place: int) -> None:
        comparison = self._comparison
        if comparison is None or not 0 <= place < len(comparison.cells):
            return
        cell = comparison.cells[place]
        self._figures.show_figures(cell, comparison.reviewed[place], comparison.terms)
        work = partial(read_rows, comparison.a, comparison.b, (cell.a, cell.b))
        self._counts.request(ROWS, work, self._show_rows, self._on_failed)

    def _show_rows(self, rows: ComparedRows | None) -> None:
        self._rows = rows
        self._count_rows()
        if not self._buckets.button(self._buckets.chosen).isVisibleTo(self._buckets):
            self._buckets.show_chosen(ALL)
        self._list_rows()

    def _count_rows(self) -> None:
        found = self._bucketed = bucketed(self._rows, self._session.veil)
        reviewed = self._comparison is not None and any(self._comparison.reviewed)
        self._buckets.show_counts(found.counts(), len(found.hidden), is_reviewed=reviewed)

    def _on_bucket(self, _name: str) -> None:
        self._list_rows()
        self._table.setFocus()

    def _list_rows(self) -> None:
        wanted = self._model.place_at(self._table.chosen_row())
        places = self._bucketed.places(self._buckets.chosen)
        self._model.show_rows(self._rows, places)
        self._table.measure()
        line = self._model.line_of(wanted)
        if places:
            self._table.show_row(max(0, line))
        else:
            self._on_line(-1)

    def _on_line(self, line: int) -> None:
        row = self._row = self._model.row_at(line)
        self._pair = None
        if row is None:
            self._reads.forget(PAIR)
            self._sides.show_pair(None, None)
        else:
            self._reads.request(PAIR, partial(read_pair, row), self._on_pair, self._on_pair_failed)

    def _on_pair(self, pair: ReadPair) -> None:
        self._pair, self._shown_pair = pair, veiled_pair(pair, self._session.veil)
        self._sides.show_pair(self._row, self._shown_pair)

    def _on_veil(self, veil: Veil) -> None:
        self._model.show_veil(veil)
        if self._stale:
            return  # what these rows are of may be gone; all is read when one looks
        if bucketed(self._rows, veil) != self._bucketed:
            self._show_rows(self._rows)
        if self._pair is not None and veiled_pair(self._pair, veil) != self._shown_pair:
            self._on_pair(self._pair)

    def _on_pair_failed(self, error: GaccError) -> None:
        self._sides.show_pair(None, None)
        self._session.read_failed.emit(error)

    def _on_key(self, key: str) -> None:
        if key.isdigit():
            self._buckets.choose(int(key))
        elif key == "X":
            self.swap()
        elif key in "NP":
            (self._sides.next_change if key == "N" else self._sides.previous_change)()
        else:
            self.inspect(key.lower())

    # --- Qt ----------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Read what changed while the view was hidden."""
        super().showEvent(event)
        if self._stale:
            self._read()
