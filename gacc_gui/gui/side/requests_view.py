"""The raw requests: what was really sent to compressor, reader and judge, word for word."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from gacc_gui.core.errors import GaccError
from gacc_gui.core.records import Request
from gacc_gui.gui.background import Background
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.overlay import RowDelegate, toggle_button
from gacc_gui.gui.panes.text_pane import TextPane
from gacc_gui.gui.session import Session, ViewOptions
from gacc_gui.gui.theme import GRID, UI_POINTS, ui_font

if TYPE_CHECKING:
    from gacc_gui.store.reads import Reader

CHANNEL: Final = "requests"
SHOWN: Final = 2000


class RequestsView(QWidget):
    """The requests of the shown memory, or of the whole run. It reads only while it is seen."""

    def __init__(self, session: Session, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("requestsView")
        self._session = session
        self._background = background
        self._requests: Sequence[Request] = ()
        self._stale = True
        self._build_ui()
        self._connect()

    def _build_ui(self) -> None:
        title = QLabel("Raw requests", self)
        title.setFont(ui_font(UI_POINTS + 3))
        self._words = QLabel(self)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._only = toggle_button("Only the shown memory", self)
        self._only.setChecked(True)
        self._list = QListWidget(self)
        self._list.setUniformItemSizes(True)
        self._list.setItemDelegate(RowDelegate(self._list))
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._content = TextPane(self)
        self._content.setObjectName("requestContent")
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.addWidget(self._list)
        split.addWidget(self._content)
        split.setSizes([40 * GRID, 90 * GRID])
        split.setChildrenCollapsible(False)
        head = QHBoxLayout()
        head.setSpacing(2 * GRID)
        head.addWidget(title)
        head.addWidget(self._words, 1)
        head.addWidget(self._only)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID)
        layout.setSpacing(GRID)
        layout.addLayout(head)
        layout.addWidget(split, 1)

    def _connect(self) -> None:
        self._only.toggled.connect(self._on_changed)
        self._list.currentRowChanged.connect(self._on_row)
        self._session.run_changed.connect(self._on_changed)
        self._session.unit_loaded.connect(self._on_changed)
        self._session.data_changed.connect(self._on_changed)
        self._session.options_changed.connect(self._on_options)

    def _on_changed(self, _value: object = None) -> None:
        self._stale = True
        if self.isVisible():
            self._read()

    def _read(self) -> None:
        self._stale = False
        run, unit = self._session.run, self._session.unit
        if run is None:
            self._background.forget(CHANNEL)
            self._show_requests([])
            self._words.setText("No run is open.")
            return
        memory_id = unit.memory.id if unit is not None and self._only.isChecked() else None
        work = partial(_read_requests, run.run.id, memory_id)
        self._background.request(CHANNEL, work, self._show_requests, self._on_failed)

    def _show_requests(self, requests: Sequence[Request]) -> None:
        self._requests = requests
        self._list.clear()
        for request in requests[:SHOWN]:
            memory = "" if self._only.isChecked() else f" · {request.memory_id or 'no memory'}"
            words = f"{request.role} · {request.id}{memory} · {len(request.content):,} characters"
            self._list.addItem(QListWidgetItem(cell_text(words)))
        more = len(requests) - SHOWN
        count = f"{len(requests):,} request{'' if len(requests) == 1 else 's'}"
        if not requests:
            count = "The run kept none for this memory." if self._only.isChecked() else "The run kept none."
        self._words.setText(count if more <= 0 else f"The first {SHOWN:,} of {count}")
        if requests:
            self._list.setCurrentRow(0)
        else:
            self._content.set_text("")

    def _on_failed(self, error: GaccError) -> None:
        self._words.setText(str(error))

    def _on_row(self, row: int) -> None:
        if 0 <= row < len(self._requests):
            self._content.set_text(self._requests[row].content)

    def _on_options(self, options: ViewOptions) -> None:
        self._content.set_reading_font(mono=options.mono, zoom=options.zoom)
        self._content.set_invisibles(options.invisibles)

    def showEvent(self, event: QShowEvent) -> None:
        """Read what changed while the view was hidden."""
        super().showEvent(event)
        if self._stale:
            self._read()


def _read_requests(run_id: str, memory_id: str | None, reader: Reader) -> list[Request]:
    return reader.requests(run_id, memory_id)
