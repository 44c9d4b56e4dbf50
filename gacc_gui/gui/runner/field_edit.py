"""The edit of one key of a configuration: its title, its value, and below it what is wrong with it."""

from __future__ import annotations

from typing import Any, Final

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gacc_gui.gui.lists.plain import tooltip
from gacc_gui.gui.overlay import toggle_button
from gacc_gui.gui.runner.document import Key, dotted
from gacc_gui.gui.runner.fields import Field, Kind, shown, understood
from gacc_gui.gui.theme import GRID, HALF
from gacc_gui.gui.themed_label import ThemedLabel

LABEL_WIDTH: Final = 13 * GRID


class FieldEdit(QWidget):
    """Signals: edited(Key, value | None): a person changed it; None takes the key out. file_asked(FieldEdit):
    a person wants to choose a file.
    """

    edited = Signal(object, object)
    file_asked = Signal(object)

    def __init__(self, field: Field, key: Key, parent: QWidget | None = None) -> None:
        """`key`: the whole key, from the top of the configuration."""
        super().__init__(parent)
        self.field = field
        self.key = key
        self.setObjectName(f"key {dotted(key)}")
        self._line: QLineEdit | None = None
        self._box: QComboBox | None = None
        self._toggles: dict[str, QToolButton] = {}
        self._value: Any = None
        self._build_ui()

    def _build_ui(self) -> None:
        field = self.field
        label = ThemedLabel("muted", self)
        label.setText("" if field.kind is Kind.FLAG else field.title)
        label.setFixedWidth(LABEL_WIDTH)
        label.setToolTip(tooltip(field.hint))
        self._problem = ThemedLabel("error", self)
        self._problem.setWordWrap(True)
        self._problem.hide()
        line = self._in_line = QHBoxLayout()
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(HALF)
        line.addWidget(label)
        self._add_edit(line, label)
        below = QHBoxLayout()
        below.setContentsMargins(LABEL_WIDTH + HALF, 0, 0, 0)
        below.addWidget(self._problem, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(HALF // 2)
        layout.addLayout(line)
        layout.addLayout(below)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def _add_edit(self, line: QHBoxLayout, label: QLabel) -> None:
        field = self.field
        if field.kind is Kind.TOGGLES or field.kind is Kind.FLAG:
            for choice in field.choices or (field.title,):
                button = self._toggles[choice] = toggle_button(choice, self)
                button.setToolTip(tooltip(field.hint))
                button.clicked.connect(self._on_toggled)
                line.addWidget(button)
            line.addStretch(1)
            return
        typed = self._line = QLineEdit(self)
        edit: QWidget = typed
        if field.kind is Kind.CHOICE:
            edit = self._box = _choice_box(field, typed, self)
            self._box.activated.connect(self._on_chosen)
        typed.setPlaceholderText(field.empty)
        typed.setAcceptDrops(False)
        typed.textEdited.connect(self._on_edited)
        edit.setAccessibleName(field.title)
        edit.setToolTip(tooltip(field.hint))
        edit.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        edit.setMinimumWidth(8 * GRID)
        label.setBuddy(edit)
        line.addWidget(edit, 1)
        if field.kind is Kind.PATH:
            browse = QPushButton("Choose…", self)
            browse.setAccessibleName(f"Choose: {field.title}")
            browse.clicked.connect(self._on_browse)
            line.addWidget(browse)

    def add_beside(self, widget: QWidget) -> None:
        """Put a widget behind the edit."""
        self._in_line.addWidget(widget)

    def offer(self, choices: list[str]) -> None:
        """Offer other choices; what is chosen stays."""
        box = self._box
        if box is not None and [box.itemText(place) for place in range(box.count())] != choices:
            blocker = QSignalBlocker(box)
            text = box.currentText()
            box.clear()
            box.addItems(choices)
            box.setEditText(text)
            blocker.unblock()

    def show_value(self, value: Any) -> None:
        """Show the value that the TOML has. An edit whose text means just that is left alone."""
        self._value = value
        if self.field.kind is Kind.FLAG:
            self._toggles[self.field.title].setChecked(value is True)
        elif self._line is None:
            chosen = value if isinstance(value, list) else []
            for name, button in self._toggles.items():
                button.setChecked(name in chosen)
        elif understood(self.field, self._line.text()) != self._meant(value):
            self._line.setText(shown(self.field, value))
            self._line.setCursorPosition(0)

    def show_problem(self, sentence: str | None) -> None:
        """Show what is wrong with the value, or that nothing is."""
        self._problem.setText(sentence or "")
        self._problem.setVisible(bool(sentence))

    @property
    def problem(self) -> str:
        """What is said to be wrong; empty when nothing is."""
        return self._problem.text()

    def text(self) -> str:
        """The text in the edit."""
        return self._line.text() if self._line is not None else ""

    def set_text(self, text: str) -> None:
        """Put in a text as if a person had typed it."""
        if self._line is not None:
            self._line.setText(text)
            self._on_edited(text)

    def take_focus(self) -> None:
        """Give the edit the keyboard."""
        (self._box or self._line or self).setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_edited(self, text: str) -> None:
        value = understood(self.field, text)
        if value != self._meant(self._value):
            self._value = value
            self.edited.emit(self.key, value)

    def _meant(self, value: Any) -> Any:
        """A value of the TOML as an edit says it: ratios may be numbers there, one address a text."""
        if self.field.kind is Kind.LIST and isinstance(value, str):
            return [value]
        return [str(one) for one in value] if isinstance(value, list) else value

    def _on_chosen(self, _place: int) -> None:
        if self._line is not None:
            self._on_edited(self._line.text())

    def _on_toggled(self) -> None:
        if self.field.kind is Kind.FLAG:
            value = True if self._toggles[self.field.title].isChecked() else None
            self.edited.emit(self.key, value)
            return
        chosen = [name for name, button in self._toggles.items() if button.isChecked()]
        self.edited.emit(self.key, chosen)

    def _on_browse(self) -> None:
        self.file_asked.emit(self)


def _choice_box(field: Field, edit: QLineEdit, parent: QWidget) -> QComboBox:
    box = QComboBox(parent)
    box.setEditable(True)
    box.setLineEdit(edit)
    box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(8)
    box.addItems(list(field.choices))
    box.setCurrentIndex(-1)
    return box
