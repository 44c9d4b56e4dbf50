"""A bug, told once: what happened, to copy into a report. The window goes on."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from gacc_gui.gui.theme import GRID, mono_font


class BugReport(QDialog):
    """Shows a traceback. It stands beside the window and does not hold it up."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("bugReport")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Something went wrong inside the program")
        self.resize(80 * GRID, 50 * GRID)
        self._text = text
        words = QLabel(
            "This is a mistake in gacc-gui and not in your data. The window goes on; what it shows may be "
            "incomplete. The same mistake is told only once.",
            self,
        )
        words.setWordWrap(True)
        shown = QPlainTextEdit(self)
        shown.setReadOnly(True)
        shown.setFont(mono_font())
        shown.setPlainText(text)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        copy = buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(self._on_copy)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(words)
        layout.addWidget(shown, 1)
        layout.addWidget(buttons)

    def _on_copy(self) -> None:
        QApplication.clipboard().setText(self._text)
