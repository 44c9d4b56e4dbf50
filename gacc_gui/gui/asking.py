"""Questions to the person at the window, through one replaceable object.

A test or a script gives the window its own `Asker` and answers without a screen.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QDialog,
    QFileDialog,
    QInputDialog,
    QLabel,
    QMessageBox,
    QWidget,
)

from gacc_gui.gui.lists.plain import cell_text, lines_text

RUN_FILES: Final = "Runs and datasets (*.json *.jsonl *.json.gz *.jsonl.gz *.gz);;All files (*)"
DATABASES: Final = "Databases (*.sqlite *.sqlite3 *.db);;All files (*)"
CONFIGURATIONS: Final = "Configurations (*.toml);;All files (*)"
CHARTS: Final = "PNG picture (*.png);;SVG drawing (*.svg);;CSV of the figures (*.csv)"
PAGES: Final = "Report as a page (*.html)"
EXPORTS: Final = (
    "JSON Lines (*.jsonl);;JSON (*.json);;CSV (*.csv);;Parquet (*.parquet);;Report as Markdown (*.md)"
    f";;{PAGES}"
)

_QUESTION: Final = 120
"""Code points of a question on one line; a dialog is as wide as it."""


class Asker:
    """Asks with the platform's dialogs. Each method returns None (or False) when the person backs out."""

    def confirm(self, parent: QWidget, title: str, text: str, action: str) -> bool:
        """Ask before something that cannot be taken back; `action` is the word on the button."""
        box = _question(parent, title, text)
        yes = box.addButton(action, QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        return _answer(box) is yes

    def text(self, parent: QWidget, title: str, label: str, value: str) -> str | None:
        """Ask for a line of text."""
        box = QInputDialog(parent)
        box.setWindowTitle(title)
        box.setTextValue(value)
        # An ampersand would be a mnemonic, and Qt would guess mark-up.
        box.setLabelText(cell_text(label, _QUESTION).replace("&", "&&"))
        for shown in box.findChildren(QLabel):
            shown.setTextFormat(Qt.TextFormat.PlainText)
        accepted = box.exec() == QDialog.DialogCode.Accepted
        text = box.textValue().strip()
        box.deleteLater()
        return text if accepted and text else None

    def run_files(self, parent: QWidget) -> list[Path]:
        """Ask which run files to import."""
        names, _ = QFileDialog.getOpenFileNames(parent, "Open run files", "", RUN_FILES)
        return [Path(name) for name in names]

    def database(self, parent: QWidget) -> Path | None:
        """Ask which database to open."""
        name, _ = QFileDialog.getOpenFileName(parent, "Open a database", "", DATABASES)
        return Path(name) if name else None

    def export_target(self, parent: QWidget, suggestion: str) -> Path | None:
        """Ask where to write an export; the suffix decides the format."""
        name, _ = QFileDialog.getSaveFileName(parent, "Export the run", suggestion, EXPORTS)
        return Path(name) if name else None

    def page_target(self, parent: QWidget, suggestion: str) -> Path | None:
        """Ask where to write the report of a goal."""
        name, _ = QFileDialog.getSaveFileName(parent, "Export the goal", suggestion, PAGES)
        return Path(name) if name else None

    def chart_target(self, parent: QWidget, suggestion: str) -> Path | None:
        """Ask where to write a chart; the suffix decides the format."""
        name, _ = QFileDialog.getSaveFileName(parent, "Export the chart", suggestion, CHARTS)
        return Path(name) if name else None

    def configuration(self, parent: QWidget) -> Path | None:
        """Ask which configuration of an evaluation to open."""
        name, _ = QFileDialog.getOpenFileName(parent, "Open a configuration", "", CONFIGURATIONS)
        return Path(name) if name else None

    def configuration_target(self, parent: QWidget, suggestion: str) -> Path | None:
        """Ask where to save a configuration."""
        name, _ = QFileDialog.getSaveFileName(parent, "Save the configuration", suggestion, CONFIGURATIONS)
        return Path(name) if name else None

    def any_file(self, parent: QWidget, title: str) -> Path | None:
        """Ask for a file."""
        name, _ = QFileDialog.getOpenFileName(parent, title)
        return Path(name) if name else None

    def run_goes_on(self, parent: QWidget, name: str) -> bool | None:
        """Ask, on closing, whether a running evaluation goes on; None: the window stays."""
        box = _question(
            parent,
            "An evaluation is running",
            f"“{name}” is running.\n\nIt can go on without the window, which finds it again when it is "
            "opened the next time. Or it ends now: what is done is kept, and it can be resumed.",
        )
        on = box.addButton("Let it go on", QMessageBox.ButtonRole.AcceptRole)
        end = box.addButton("End it", QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(on)
        clicked = _answer(box)
        return True if clicked is on else False if clicked is end else None


def _question(parent: QWidget, title: str, text: str) -> QMessageBox:
    box = QMessageBox(QMessageBox.Icon.Question, title, "", parent=parent)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(lines_text(text))
    return box


def _answer(box: QMessageBox) -> QAbstractButton | None:
    """Put the question and return the button that was pressed; Escape presses Cancel.

    With WA_DeleteOnClose, the box would be gone inside of `exec`, and its answer with it.
    """
    box.exec()
    clicked = box.clickedButton()
    box.deleteLater()
    return clicked
