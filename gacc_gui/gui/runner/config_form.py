"""The configuration as a form: every key of the TOML as an edit, with what is wrong with it below.

Owns the blocks and how an edit changes the document. Not owned: the document itself, which the panel keeps,
and its check.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QVBoxLayout, QWidget

from gacc_gui.gui.runner.cards import EndpointCard, FieldCard, PartCard, with_addresses
from gacc_gui.gui.runner.document import Document, Key, dotted
from gacc_gui.gui.runner.field_edit import FieldEdit
from gacc_gui.gui.runner.fields import ADDRESS, ADDRESSES, CELLS, COLUMNS, DATASET, LIMITS, RUN
from gacc_gui.gui.theme import GRID

if TYPE_CHECKING:
    from gacc_gui.runner.config import Problem

TABLES = (".csv", ".tsv", ".parquet")
NEW_ENDPOINT = {"base_url": "http://127.0.0.1:8080/v1", "model": "default"}


class ConfigForm(QScrollArea):
    """Signals: document_edited(Document); check_asked(endpoint's name); file_asked(FieldEdit)."""

    document_edited = Signal(object)
    check_asked = Signal(object)
    file_asked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("configForm")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._document = Document()
        self._cards: list[FieldCard] = []
        self._build_ui()
        self._shape: tuple[Any, ...] | None = None

    def _build_ui(self) -> None:
        body = QWidget(self)
        self.viewport().setBackgroundRole(QPalette.ColorRole.Window)
        self._layout = QVBoxLayout(body)
        self._layout.setContentsMargins(0, 0, GRID, GRID)
        self._layout.setSpacing(2 * GRID)
        self._run = self._card(FieldCard("Run", ("run",), RUN, body))
        self._dataset = self._card(FieldCard("Dataset", ("dataset",), (*DATASET, COLUMNS), body))
        self._cells = self._card(FieldCard("Cells", ("evaluation",), CELLS, body))
        self._compressors = QVBoxLayout()
        self._compressors.setSpacing(GRID)
        self._add_compressor = QPushButton("Add a compressor", body)
        self._add_compressor.clicked.connect(self._on_add_compressor)
        self._reader = self._card(PartCard("Reader", "reader", ("reader",), parent=body))
        self._judge = self._card(PartCard("Judge", "judge", ("judge",), parent=body))
        self._endpoints = QVBoxLayout()
        self._endpoints.setSpacing(GRID)
        self._add_endpoint = QPushButton("Add an endpoint", body)
        self._add_endpoint.clicked.connect(self._on_add_endpoint)
        self._limits = self._card(FieldCard("Limits", ("limits",), LIMITS, body))
        self._fixed = list(self._cards)
        for card in (self._run, self._dataset, self._cells):
            self._layout.addWidget(card)
        self._layout.addLayout(self._compressors)
        self._layout.addWidget(self._add_compressor, 0, Qt.AlignmentFlag.AlignLeft)
        for card in (self._reader, self._judge):
            self._layout.addWidget(card)
        self._layout.addLayout(self._endpoints)
        self._layout.addWidget(self._add_endpoint, 0, Qt.AlignmentFlag.AlignLeft)
        self._layout.addWidget(self._limits)
        self._layout.addStretch(1)
        self.setWidget(body)

    def show_document(self, document: Document) -> None:
        """Show a document that is TOML; edits whose text says the same already are left alone."""
        self._document = document
        endpoints = document.names(("endpoints",))
        shape = (document.count(("compressors",)), *endpoints)
        if shape != self._shape:
            self._shape = shape
            self._build_lists(document, endpoints)
        path = document.value(("dataset", "path"))
        is_table = isinstance(path, str) and path.lower().endswith(TABLES)
        keys: set[Key] = {field.key for field in DATASET}
        if is_table or document.value(("dataset", "columns")) is not None:
            keys.add(COLUMNS.key)
        self._dataset.arrange(keys)
        for card in self._cards:
            card.show_document(document)

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Show each problem at its edit, if it has one."""
        edits = {dotted(edit.key): edit for card in self._cards for edit in card.edits}
        found: dict[str, list[str]] = {}
        for problem in problems:
            key = _edit_key(problem.key, edits)
            if key is not None:
                found.setdefault(key, []).append(problem.message)
        for key, edit in edits.items():
            edit.show_problem("; ".join(found.get(key, ())))

    def edit_at(self, key: Key) -> FieldEdit | None:
        """The edit of a key, or None where the form has none."""
        return next((edit for card in self._cards for edit in card.edits if edit.key == key), None)

    def first_problem(self) -> FieldEdit | None:
        """The first edit that something is wrong with."""
        return next((edit for card in self._cards for edit in card.edits if edit.problem), None)

    def show_check(self, name: str, sentence: str, role: str, running: bool = False) -> None:
        """Tell at an endpoint how its check went."""
        for card in self._cards:
            if isinstance(card, EndpointCard) and card.name == name:
                card.show_check(sentence, role, running)

    def _card(self, card: FieldCard) -> FieldCard:
        card.edited.connect(self._on_edited)
        card.file_asked.connect(self.file_asked)
        if isinstance(card, PartCard | EndpointCard):
            card.removed.connect(self._on_removed)
        if isinstance(card, EndpointCard):
            card.renamed.connect(self._on_renamed)
            card.check_asked.connect(self.check_asked)
        self._cards.append(card)
        return card

    def _build_lists(self, document: Document, endpoints: Sequence[str]) -> None:
        for card in self._cards:
            if card not in self._fixed:
                card.hide()
                card.deleteLater()
        self._cards = list(self._fixed)
        for layout in (self._compressors, self._endpoints):
            while layout.count():
                layout.takeAt(0)
        for number in range(document.count(("compressors",))):
            title = f"Compressor {number + 1}"
            card = PartCard(
                title, "compressor", ("compressors", number), removable=True, parent=self.widget()
            )
            self._compressors.addWidget(self._card(card))
        for name in endpoints:
            self._endpoints.addWidget(self._card(EndpointCard(name, self.widget())))

    def _change(self, document: Document) -> None:
        self.show_document(document)
        self.document_edited.emit(document)

    def _on_edited(self, key: Key, value: Any) -> None:
        if key[0] == "endpoints" and key[-1] == ADDRESS:
            self._change(with_addresses(self._document, key, value))
        elif value is None:
            self._change(self._document.without(key))
        else:
            self._change(self._document.with_value(key, value))

    def _on_add_compressor(self) -> None:
        there = [
            self._document.value(("compressors", number, "part"))
            for number in range(self._document.count(("compressors",)))
        ]
        part = next((one for one in ("lead", "tail", "sentences", "bm25") if one not in there), "oracle")
        self._change(self._document.with_entry(("compressors",), {"part": part}))

    def _on_add_endpoint(self) -> None:
        there = self._document.names(("endpoints",))
        name = next(name for name in ("main", *(f"endpoint-{n}" for n in range(2, 99))) if name not in there)
        document = self._document
        for key, value in NEW_ENDPOINT.items():
            document = document.with_value(("endpoints", name, key), value)
        self._change(document)

    def _on_removed(self, table: Key) -> None:
        self._change(self._document.without(table))

    def _on_renamed(self, old: str, name: str) -> None:
        document = self._document
        if name in document.names(("endpoints",)):
            self.show_document(document)
            return
        document = document.renamed(("endpoints", old), name)
        parts: list[Key] = [("reader",), ("judge",)]
        parts += [("compressors", number) for number in range(document.count(("compressors",)))]
        for part in parts:
            if document.value((*part, "endpoint")) == old:
                document = document.with_value((*part, "endpoint"), name)
        self._change(document)


def _edit_key(key: str, edits: dict[str, FieldEdit]) -> str | None:
    """The key of the edit that a problem's key belongs to: its own, or one it lies in (`ratios[1]`)."""
    if key.startswith("endpoints."):
        key = key.replace(f".{ADDRESSES}", f".{ADDRESS}")
        if f"{key}.{ADDRESS}" in edits:
            return f"{key}.{ADDRESS}"
    while key:
        if key in edits:
            return key
        cut = max(key.rfind("."), key.rfind("["))
        key = key[:cut] if cut > 0 else ""
    return None
