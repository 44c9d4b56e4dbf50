"""What a reviewer says of the row: the decision, the cause, a note, tags.

Owns the look and the edits. What a key means is `keys`, what is stored the panel's.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QToolButton, QVBoxLayout, QWidget

from gacc_gui.app.reviewing import plain_tags
from gacc_gui.core.causes import LETTERS
from gacc_gui.core.reviewing import CLEAR, FAULTS
from gacc_gui.gui.lists.words import cause_name
from gacc_gui.gui.review.keys import DECISION_OF_KEY
from gacc_gui.gui.theme import GRID, HALF, current_theme
from gacc_gui.gui.themed_label import ThemedLabel

_TITLES: Final = {"correct": "Correct", "incorrect": "Incorrect", "unclear": "Unclear", CLEAR: "Clear"}


class _Line(QLineEdit):
    """An edit that the keyboard leaves with Enter, or with Escape as it was."""

    left = Signal(bool)

    def __init__(self, name: str, spoken: str, hint: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(spoken)
        self.setPlaceholderText(hint)
        # By click or by its key: Tab goes round the page's texts.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._before = ""

    def begin(self) -> None:
        """Take the keyboard."""
        self._before = self.text()
        self.setFocus()
        self.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter keeps, Escape does not."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.left.emit(True)
        elif event.key() == Qt.Key.Key_Escape:
            self.setText(self._before)
            self.left.emit(False)
        else:
            super().keyPressEvent(event)


class _Choice(QToolButton):
    """A button that leaves the keyboard to the page; one that is chosen is seen to be so on either theme."""

    def __init__(self, name: str, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setText(text)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.toggled.connect(self._paint_theme)

    def _paint_theme(self) -> None:
        theme, palette = current_theme(), QPalette()
        if self.isChecked():
            palette.setColor(QPalette.ColorRole.Button, theme.accent)
            palette.setColor(QPalette.ColorRole.ButtonText, theme.accent_text)
        if palette != self.palette():
            self.setPalette(palette)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._paint_theme()
        super().changeEvent(event)


class DecisionBar(QWidget):
    """Signals: decided(decision), cause_chosen(cause), note_given(text), tags_given(tuple); left(): the
    keyboard is free again.
    """

    decided = Signal(object)
    cause_chosen = Signal(object)
    note_given = Signal(object)
    tags_given = Signal(object)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._buttons: dict[str, _Choice] = {}
        self._causes: dict[str, _Choice] = {}
        self._choosing = False
        self._build_ui()
        self.note.left.connect(self._on_note_left)
        self.tags.left.connect(self._on_tags_left)

    def _build_ui(self) -> None:
        decisions = QHBoxLayout()
        decisions.setSpacing(GRID)
        for key, decision in DECISION_OF_KEY.items():
            button = _Choice(f"decision {decision}", f"{key}  {_TITLES[decision]}", self)
            button.setCheckable(decision != CLEAR)
            button.clicked.connect(self._on_decision)
            self._buttons[decision] = button
            decisions.addWidget(button)
        self.note = _Line("reviewNote", "Note", "N  Note", self)
        self.tags = _Line("reviewTags", "Tags", "T  Tags, with commas", self)
        decisions.addSpacing(GRID)
        decisions.addWidget(self.note, 3)
        decisions.addWidget(self.tags, 2)
        causes = QHBoxLayout()
        causes.setSpacing(HALF)
        self._causes_title = ThemedLabel("muted", self)
        causes.addWidget(self._causes_title)
        for cause in FAULTS:
            button = _Choice(f"cause {cause}", f"{LETTERS[cause]}  {cause_name(cause)}", self)
            button.setCheckable(True)
            button.setAutoRaise(True)
            button.clicked.connect(self._on_cause)
            self._causes[cause] = button
            causes.addWidget(button)
        causes.addStretch(1)
        self._told = ThemedLabel("muted", self)
        self._told.setObjectName("reviewTold")
        causes.addWidget(self._told)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(HALF)
        layout.addLayout(decisions)
        layout.addLayout(causes)
        self.choose_cause(False)

    def show_said(self, decision: str | None, cause: str | None, note: str, tags: tuple[str, ...]) -> None:
        """Show what is said of the row so far."""
        for name, button in self._buttons.items():
            button.setChecked(name == decision)
        for name, button in self._causes.items():
            button.setChecked(name == cause)
        self.note.setText(note)
        self.tags.setText(", ".join(tags))

    def tell(self, sentence: str, error: bool = False) -> None:
        """Say what came of a decision."""
        self._told.set_role("error" if error else "muted")
        self._told.setText(sentence)

    def told(self) -> str:
        """What is said."""
        return self._told.text()

    def choose_cause(self, choosing: bool) -> None:
        """Say whether the next key is the letter of a cause."""
        self._choosing = choosing
        self._causes_title.set_role("accent" if choosing else "muted")
        self._causes_title.setText("C  Which cause?" if choosing else "C  Cause")

    @property
    def is_choosing(self) -> bool:
        """Whether the next key is the letter of a cause."""
        return self._choosing

    def _on_decision(self) -> None:
        self.decided.emit(self.sender().objectName().removeprefix("decision "))

    def _on_cause(self) -> None:
        self.cause_chosen.emit(self.sender().objectName().removeprefix("cause "))

    def _on_note_left(self, kept: bool) -> None:
        if kept:
            self.note_given.emit(self.note.text().strip())
        self.left.emit()

    def _on_tags_left(self, kept: bool) -> None:
        if kept:
            self.tags_given.emit(plain_tags(self.tags.text().split(",")))
        self.left.emit()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        if event.type() == QEvent.Type.PaletteChange:
            self.choose_cause(self._choosing)
        super().changeEvent(event)
