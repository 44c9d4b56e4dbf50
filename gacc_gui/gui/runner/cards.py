"""The blocks of the configuration's form: fields in two columns under a heading, for parts and endpoints.

Owns their arrangement and which fields a kind of part has. Not owned: the document they belong to
(`config_form`).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLineEdit, QPushButton, QToolButton, QWidget

from gacc_gui.gui.lists.plain import cell_text
from gacc_gui.gui.runner.document import Document, Key
from gacc_gui.gui.runner.field_edit import FieldEdit
from gacc_gui.gui.runner.fields import (
    ADDRESS,
    ADDRESSES,
    ENDPOINT,
    ENDPOINT_OF_PART,
    MODEL_PART,
    PART_NAME,
    PART_OPTIONS,
    PART_REVISION,
    PART_TIMEOUT,
    Field,
    addresses,
    part_field,
)
from gacc_gui.gui.side.section import Section, remark
from gacc_gui.gui.theme import GRID, HALF
from gacc_gui.gui.themed_label import ThemedLabel
from gacc_gui.runner.config_model import JUDGES, MODEL_PARTS, READERS, RULE_COMPRESSORS

_OURS: Final = frozenset({*RULE_COMPRESSORS, *READERS, *JUDGES}) - MODEL_PARTS


class FieldCard(Section):
    """Fields of one table, two beside each other.

    Signals: edited(Key, value | None); file_asked(FieldEdit).
    """

    edited = Signal(object, object)
    file_asked = Signal(object)

    def __init__(
        self, title: str, table: Key, fields: Sequence[Field], parent: QWidget | None = None
    ) -> None:
        super().__init__(title, parent)
        self.table = table
        self.edits = [FieldEdit(field, (*table, *field.key), self) for field in fields]
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(2 * GRID)
        self._grid.setVerticalSpacing(HALF)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, 1)
        self.body.addLayout(self._grid)
        self._arranged: list[FieldEdit] = []
        for edit in self.edits:
            edit.edited.connect(self.edited)
            edit.file_asked.connect(self.file_asked)
        self.arrange({field.key for field in fields})

    def edit_of(self, key: Key) -> FieldEdit:
        """The edit of a key relative to the table."""
        return next(edit for edit in self.edits if edit.field.key == key)

    def arrange(self, keys: set[Key]) -> None:
        """Show the fields with these relative keys, and no others."""
        wanted = [edit for edit in self.edits if edit.field.key in keys]
        if wanted == self._arranged:
            return
        self._arranged = wanted
        row = column = 0
        for edit in self.edits:
            self._grid.removeWidget(edit)
            edit.setVisible(edit in wanted)
        for edit in wanted:
            if edit.field.is_wide and column:
                row, column = row + 1, 0
            # At the top: a neighbour with a problem below it is taller.
            span = 2 if edit.field.is_wide else 1
            self._grid.addWidget(edit, row, column, 1, span, Qt.AlignmentFlag.AlignTop)
            if edit.field.is_wide or column:
                row, column = row + 1, 0
            else:
                column = 1

    def show_document(self, document: Document) -> None:
        """Show the values of a document."""
        for edit in self.edits:
            edit.show_value(self._value(document, edit))

    def _value(self, document: Document, edit: FieldEdit) -> Any:
        return document.value(edit.key)


class PartCard(FieldCard):
    """A compressor, the reader or the judge.

    Signals: removed(Key): a person takes it out.
    """

    removed = Signal(object)

    def __init__(
        self, title: str, role: str, table: Key, removable: bool = False, parent: QWidget | None = None
    ) -> None:
        fields = (
            part_field(role),
            PART_NAME,
            ENDPOINT_OF_PART,
            *MODEL_PART[:-1],
            PART_TIMEOUT,
            PART_REVISION,
            MODEL_PART[-1],
            PART_OPTIONS,
        )
        super().__init__(title, table, fields, parent)
        if removable:
            remove = _flat_button("Remove", f"Remove {title}", self)
            remove.clicked.connect(self._on_remove)
            self.head.addWidget(remove)

    def show_document(self, document: Document) -> None:
        """Show the part's values, and the fields that its kind has or that are set anyway."""
        part = document.value((*self.table, "part"))
        keys: set[Key] = {("part",), ("name",)}
        if part in MODEL_PARTS:
            keys |= {("endpoint",), *(field.key for field in MODEL_PART)}
        elif part not in _OURS and part:
            keys |= {PART_TIMEOUT.key, PART_OPTIONS.key, PART_REVISION.key, ("endpoint",)}
        keys |= {edit.field.key for edit in self.edits if document.value(edit.key) is not None}
        if part in _OURS and part in ("sentences", "bm25", "rule"):
            keys.add(PART_OPTIONS.key)
        self.arrange(keys)
        self.edit_of(("endpoint",)).offer(document.names(("endpoints",)))
        super().show_document(document)

    def _on_remove(self) -> None:
        self.removed.emit(self.table)


class EndpointCard(FieldCard):
    """One endpoint, with its name and a check of it.

    Signals: removed(Key); renamed(old name, new name); check_asked(name).
    """

    removed = Signal(object)
    renamed = Signal(object, object)
    check_asked = Signal(object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__("Endpoint", ("endpoints", name), ENDPOINT, parent)
        self.name = name
        self._name = QLineEdit(name, self)
        self._name.setObjectName(f"endpoint name {name}")
        self._name.setAccessibleName("Name of the endpoint")
        self._name.setMaximumWidth(20 * GRID)
        self._name.setAcceptDrops(False)
        self._name.editingFinished.connect(self._on_named)
        self._check = QPushButton("Check with one small call", self)
        self._check.setObjectName(f"check endpoint {name}")
        self._check.clicked.connect(self._on_check)
        remove = _flat_button("Remove", f"Remove endpoint {name}", self)
        remove.clicked.connect(self._on_remove)
        for place, widget in enumerate((self._name, self._check, remove)):
            self.head.insertWidget(place + 1, widget)
        self._told = remark(self)
        self._told.hide()
        self.body.addWidget(self._told)
        self._variable = ThemedLabel("muted", self)
        self.edit_of(("api_key_env",)).add_beside(self._variable)

    def show_document(self, document: Document) -> None:
        """Show the endpoint's values, and whether the variable with its key is set."""
        super().show_document(document)
        variable = document.value((*self.table, "api_key_env"))
        is_set = isinstance(variable, str) and bool(os.environ.get(variable))
        self._variable.setText("" if not variable else "is set" if is_set else "is not set")
        self._variable.set_role("muted" if is_set else "error")

    def show_check(self, sentence: str, role: str, running: bool = False) -> None:
        """Tell how the check of the endpoint went, or that it is made."""
        self._told.set_role(role)
        self._told.setText(cell_text(sentence))
        self._told.setVisible(bool(sentence))
        self._check.setEnabled(not running)

    def _value(self, document: Document, edit: FieldEdit) -> Any:
        value = super()._value(document, edit)
        if edit.field.key == (ADDRESS,) and value is None:
            return document.value((*self.table, ADDRESSES))  # one address or several are one field
        return value

    def _on_named(self) -> None:
        name = self._name.text().strip()
        if name and name != self.name:
            self.renamed.emit(self.name, name)
        else:
            self._name.setText(self.name)

    def _on_check(self) -> None:
        self.check_asked.emit(self.name)

    def _on_remove(self) -> None:
        self.removed.emit(self.table)


def with_addresses(document: Document, key: Key, value: Any) -> Document:
    """Return the document with an endpoint's address or addresses; `key` is of the one field for both."""
    table = key[:-1]
    urls = value if isinstance(value, list) else [value] if value else []
    if not urls:
        return document.without((*table, ADDRESS)).without((*table, ADDRESSES))
    name, written = addresses(urls)
    other = ADDRESSES if name == ADDRESS else ADDRESS
    return document.without((*table, other)).with_value((*table, name), written)


def _flat_button(text: str, accessible: str, parent: QWidget) -> QToolButton:
    button = QToolButton(parent)
    button.setText(text)
    button.setAccessibleName(accessible)
    button.setAutoRaise(True)
    return button
