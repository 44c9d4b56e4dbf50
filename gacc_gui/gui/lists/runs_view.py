"""The list of runs above the goals: as high as its runs need, up to a few.

Owns the choice of a run. Not owned: renaming, deleting and exporting, which it only asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QItemSelection, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QFocusEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QSizePolicy, QWidget

from gacc_gui.core.errors import GaccError
from gacc_gui.gui.background import Background
from gacc_gui.gui.lists.runs_model import RunDelegate, RunsModel
from gacc_gui.gui.session import Session
from gacc_gui.gui.theme import GRID, current_theme
from gacc_gui.store.rows import RunSummary

if TYPE_CHECKING:
    from gacc_gui.store.reads import Reader

_ROWS_SHOWN: Final = 4
NO_RUNS: Final = "No runs yet. Open run files, or drop them here."


class RunsView(QListView):
    """Signals, each with the RunSummary it is about: rename_asked, export_asked, delete_asked.

    runs_read(tuple of RunSummary): the list was read anew.
    """

    rename_asked = Signal(object)
    export_asked = Signal(object)
    delete_asked = Signal(object)
    runs_read = Signal(object)

    def __init__(self, session: Session, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._background = background
        self._quiet = False
        self._has_read = False
        self._runs = RunsModel(self)
        self._build_ui()
        self._connect()
        self.refresh()

    def refresh(self) -> None:
        """Read the runs of the database anew; the chosen one stays chosen."""
        if self._background.path is None:
            self.show_runs(())
        else:
            self._background.request("runs.list", _read_runs, self.show_runs, self._on_failed)

    @property
    def runs(self) -> tuple[RunSummary, ...]:
        """The runs in the list's order."""
        return self._runs.runs

    def _build_ui(self) -> None:
        self.setObjectName("runsView")
        self.setAccessibleName("Runs")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setItemDelegate(RunDelegate(self._runs, self))
        self.setModel(self._runs)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._rename = QAction("Rename …", self)
        self._rename.setShortcut(QKeySequence(Qt.Key.Key_F2))
        self._export = QAction("Export …", self)
        self._delete = QAction("Delete …", self)
        self._delete.setShortcut(QKeySequence(QKeySequence.StandardKey.Delete))
        for action in (self._rename, self._export, self._delete):
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            self.addAction(action)

    def _connect(self) -> None:
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self.customContextMenuRequested.connect(self._on_menu)
        self._rename.triggered.connect(self._on_rename)
        self._export.triggered.connect(self._on_export)
        self._delete.triggered.connect(self._on_delete)
        self._session.run_changed.connect(self._on_run_changed)
        self._session.data_changed.connect(self.refresh)

    def show_runs(self, runs: Sequence[RunSummary]) -> None:
        """Show these runs; the chosen one stays chosen."""
        self._quiet = True
        self._has_read = True
        self._runs.set_runs(runs)
        self._show_chosen()
        self._quiet = False
        self.updateGeometry()
        self.runs_read.emit(self._runs.runs)

    def _on_failed(self, error: GaccError) -> None:
        self._session.read_failed.emit(error)

    def _show_chosen(self) -> None:
        chosen = self._session.run
        row = self._runs.row_of(chosen.run.id if chosen else None)
        quiet, self._quiet = self._quiet, True
        if row < 0:
            self.clearSelection()
            self.selectionModel().clearCurrentIndex()
        else:
            self.setCurrentIndex(self._runs.index(row))
        self._quiet = quiet

    def _on_run_changed(self, run: RunSummary | None) -> None:
        if run is not None and run not in self._runs.runs:
            self.refresh()
        self._show_chosen()

    def _on_selection_changed(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        rows = self.selectionModel().selectedRows()
        if rows and not self._quiet:
            self._session.choose_run(self._runs.runs[rows[0].row()].run.id)

    def _on_menu(self, place: QPoint) -> None:
        if not self.indexAt(place).isValid():
            return
        from PySide6.QtWidgets import QMenu

        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions([self._rename, self._export, self._delete])
        menu.popup(self.viewport().mapToGlobal(place))

    def _asked_about(self) -> RunSummary | None:
        row = self.currentIndex().row()
        return self._runs.runs[row] if 0 <= row < len(self._runs.runs) else None

    def _on_rename(self) -> None:
        if (run := self._asked_about()) is not None:
            self.rename_asked.emit(run)

    def _on_export(self) -> None:
        if (run := self._asked_about()) is not None:
            self.export_asked.emit(run)

    def _on_delete(self) -> None:
        if (run := self._asked_about()) is not None:
            self.delete_asked.emit(run)

    # --- Qt ----------------------------------------------------------------------------------------

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Where no run is chosen none is current: Qt makes the first so, and Down would then skip it."""
        super().focusInEvent(event)
        if not self.selectionModel().hasSelection():
            self.selectionModel().clearCurrentIndex()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Say what to do where there is no run; nothing while it is not known whether there is one."""
        super().paintEvent(event)
        if self._has_read and not self._runs.runs:
            painter = QPainter(self.viewport())
            painter.setPen(current_theme().muted)
            area = self.viewport().rect().adjusted(GRID, 0, -GRID, 0)
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap, NO_RUNS)
            painter.end()

    def sizeHint(self) -> QSize:
        """Room that is asked for."""
        row = self.sizeHintForRow(0) if self._runs.runs else 2 * self.fontMetrics().height() + GRID
        rows = min(max(1, len(self._runs.runs)), _ROWS_SHOWN)
        # Half a row more tells that there are more.
        more = row // 2 if len(self._runs.runs) > _ROWS_SHOWN else 0
        return QSize(30 * GRID, rows * row + more)

    def minimumSizeHint(self) -> QSize:
        """Room that is needed."""
        return QSize(15 * GRID, self.sizeHint().height())


def _read_runs(reader: Reader) -> Sequence[RunSummary]:
    return reader.runs()
