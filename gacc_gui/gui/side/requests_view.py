"""The raw requests: what was really sent to compressor, reader and judge, word for word, and what came back.

Beside the words stands what else was kept of the call: tries, usage, finish reason, latency, cost, error.
"""

from __future__ import annotations

import json
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

from gacc_gui.core.causes import VEILED
from gacc_gui.core.errors import GaccError
from gacc_gui.core.records import Request
from gacc_gui.gui.background import Background
from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.lists.words import sentences_of
from gacc_gui.gui.overlay import RowDelegate, toggle_button
from gacc_gui.gui.panes.text_pane import TextPane
from gacc_gui.gui.probing.words import HIDDEN
from gacc_gui.gui.session import Session, ViewOptions
from gacc_gui.gui.theme import GRID, UI_POINTS, ui_font
from gacc_gui.gui.themed_label import ThemedLabel
from gacc_gui.gui.veil import Veil

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
        self._words = ThemedLabel("text", self)
        self._only = toggle_button("Only the shown memory", self)
        self._only.setChecked(True)
        self._list = QListWidget(self)
        self._list.setUniformItemSizes(True)
        self._list.setItemDelegate(RowDelegate(self._list))
        # Ids of one memory differ at their end.
        self._list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._content = _Part("Sent", "requestContent", self)
        self._reply = _Part("Came back", "requestReply", self)
        self._record = _Part("The call", "requestRecord", self)
        self._parts = (self._content, self._reply, self._record)
        texts = QSplitter(Qt.Orientation.Vertical, self)
        for part in self._parts:
            texts.addWidget(part)
        texts.setSizes([30 * GRID, 20 * GRID, 20 * GRID])
        texts.setChildrenCollapsible(False)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.addWidget(self._list)
        split.addWidget(texts)
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
        self._session.veil_changed.connect(self._on_veil)

    def _on_changed(self, _value: object = None) -> None:
        self._stale = True
        if self.isVisible():
            self._read()

    def _read(self) -> None:
        self._stale = False
        run, unit = self._session.run, self._session.unit
        self._only.setEnabled(unit is not None)
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
            role = f"{request.role}, asked again" if "probe" in request.extra else request.role
            words = f"{role} · {request.id}{memory} · {len(request.content):,} characters"
            self._list.addItem(QListWidgetItem(cell_text(words)))
        more = len(requests) - SHOWN
        count = f"{len(requests):,} request{'' if len(requests) == 1 else 's'}"
        if not requests:
            is_of_memory = self._only.isChecked() and self._session.unit is not None
            count = "The run kept none for this memory." if is_of_memory else "The run kept none."
        self._words.setText(count if more <= 0 else f"The first {SHOWN:,} of {count}")
        if requests:
            self._list.setCurrentRow(0)
        else:
            for part in self._parts:
                part.show_text(None)

    def _on_failed(self, error: GaccError) -> None:
        self._words.setText(str(error))

    def _on_row(self, row: int) -> None:
        if 0 <= row < len(self._requests):
            request = self._requests[row]
            rest = dict(request.extra)
            reply = rest.pop("reply", None)
            if request.memory_id in self._session.veil.memories():
                # A reply need not say which question it is about, so that all of the memory's are hidden.
                if "probe" in request.extra:
                    reply, rest = HIDDEN.format(self._session.terms), {}
                elif request.role == "judge":
                    reply, rest = sentences_of(self._session.terms)[VEILED], {}
            self._content.show_text(request.content)
            self._reply.show_text(reply if reply is None or isinstance(reply, str) else _as_json(reply))
            self._record.show_text(_as_json(rest) if rest else None)

    def _on_veil(self, _veil: Veil) -> None:
        self._on_row(self._list.currentRow())

    def _on_options(self, options: ViewOptions) -> None:
        for part in self._parts:
            part.pane.set_reading_font(mono=options.mono, zoom=options.zoom)
            part.pane.set_invisibles(options.invisibles)

    def showEvent(self, event: QShowEvent) -> None:
        """Read what changed while the view was hidden."""
        super().showEvent(event)
        if self._stale:
            self._read()


class _Part(QWidget):
    """A text of a request under its title; hidden where there is none, which is not an empty one."""

    def __init__(self, title: str, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.pane = TextPane(self)
        self.pane.setObjectName(name)
        self.pane.setAccessibleName(title)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(QLabel(title, self))
        layout.addWidget(self.pane, 1)
        self.setVisible(False)

    def show_text(self, text: str | None) -> None:
        """Show a text; None shows nothing at all."""
        self.setVisible(text is not None)
        self.pane.set_text(text or "")


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _read_requests(run_id: str, memory_id: str | None, reader: Reader) -> list[Request]:
    return reader.requests(run_id, memory_id)
