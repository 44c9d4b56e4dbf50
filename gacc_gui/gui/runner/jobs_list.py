"""The evaluations of this window and of earlier ones, newest first: one line each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from gacc_gui.gui.lists.plain import cell_text, tooltip
from gacc_gui.gui.overlay import ROW_HEIGHT, RowDelegate
from gacc_gui.gui.runner.jobs import Job
from gacc_gui.gui.runner.progress import RunProgress
from gacc_gui.gui.runner.words import STATE_NAMES, share_done
from gacc_gui.gui.theme import HALF, current_theme
from gacc_gui.gui.tree_items import top_items

ROWS_SHOWN: Final = 6
"""Jobs that are seen without scrolling."""
_ID: Final = Qt.ItemDataRole.UserRole
_STATE: Final = Qt.ItemDataRole.UserRole + 1


class JobsList(QTreeWidget):
    """Signals: job_chosen(job id | None)."""

    job_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("jobsList")
        self.setAccessibleName("Evaluations")
        self.setHeaderLabels(["Evaluation", "State", "Done", "Failed", "Asked for"])
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAlternatingRowColors(True)
        self.setItemDelegate(RowDelegate(self))
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in (2, 3):
            self.headerItem().setTextAlignment(column, Qt.AlignmentFlag.AlignRight)
        self.setVerticalScrollMode(QTreeWidget.ScrollMode.ScrollPerPixel)
        self.currentItemChanged.connect(self._on_current)

    @property
    def chosen(self) -> str | None:
        """The id of the chosen job."""
        item = self.currentItem()
        return item.data(0, _ID) if item is not None else None

    def show_jobs(self, jobs: Sequence[Job], running: RunProgress | None) -> None:
        """Show the jobs; the chosen one stays chosen, else the first is. `running`: of the one that runs."""
        chosen = self.chosen
        blocker = QSignalBlocker(self)
        if [job.id for job in jobs] != [item.data(0, _ID) for item in top_items(self)]:
            self.clear()
            for job in jobs:
                item = QTreeWidgetItem()
                item.setData(0, _ID, job.id)
                for column in (2, 3):
                    item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                self.addTopLevelItem(item)
        items = top_items(self)
        for item, job in zip(items, jobs, strict=True):
            self._show(item, job, running if job.state == "running" else None)
            if job.id == chosen:
                self.setCurrentItem(item)
        if self.currentItem() is None and items:
            self.setCurrentItem(items[0])
        blocker.unblock()
        rows = max(1, min(len(jobs), ROWS_SHOWN))
        self.setFixedHeight(self.header().sizeHint().height() + rows * ROW_HEIGHT + HALF)
        if self.chosen != chosen:
            self.job_chosen.emit(self.chosen)

    def choose(self, job_id: str) -> None:
        """Choose a job."""
        for item in top_items(self):
            if item.data(0, _ID) == job_id:
                self.setCurrentItem(item)

    def _show(self, item: QTreeWidgetItem, job: Job, progress: RunProgress | None) -> None:
        state = STATE_NAMES[job.state]
        done, planned, failed = job.done, job.planned, job.failed
        if progress is not None:
            done, planned, failed = progress.done, progress.planned, progress.failed
            stopping = job.stopping or progress.stopping is not None
            state = "Stopping" if stopping else "Paused" if progress.is_paused else state
        counts = share_done(done, planned), f"{failed:,}" if failed else ""
        texts = (cell_text(job.name), state, *counts, _when(job.created_at))
        for column, text in enumerate(texts):
            if item.text(column) != text:
                item.setText(column, text)
        item.setData(0, _STATE, job.state)
        item.setToolTip(0, tooltip(job.name))
        self._paint(item)

    def _paint(self, item: QTreeWidgetItem) -> None:
        theme = current_theme()
        colours = {
            "running": theme.accent,
            "finished": theme.cause_text("correct"),
            "failed": theme.error,
            "lost": theme.error,
        }
        item.setForeground(1, colours.get(item.data(0, _STATE), theme.muted))
        item.setForeground(4, theme.muted)

    def _on_current(self, _item: object) -> None:
        self.job_chosen.emit(self.chosen)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        if event.type() == QEvent.Type.PaletteChange:
            for item in top_items(self):
                self._paint(item)
        super().changeEvent(event)


def _when(created_at: str) -> str:
    try:
        moment = datetime.fromisoformat(created_at).astimezone()
    except ValueError:
        return ""
    return moment.strftime("%Y-%m-%d %H:%M")
