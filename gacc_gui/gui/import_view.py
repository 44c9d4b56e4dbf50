"""Imports and the demonstration, seen while they run and when they are done.

Owns the view of one child command at a time: its command line, progress, cancel, and the report of what
was added, repaired, quarantined or in conflict. Not owned: importing itself (`gacc-gui import` does it).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gacc_gui.gui.child_process import Child, ChildOutcome
from gacc_gui.gui.lists.plain import cell_text, tooltip
from gacc_gui.gui.overlay import RowDelegate
from gacc_gui.gui.side.section import Elided, remark
from gacc_gui.gui.theme import GRID, UI_POINTS, mono_font, ui_font
from gacc_gui.gui.tree_items import child_items, top_items

SHOWN: Final = 500
"""Items of one heading that are listed; the rest is counted."""

PHASES: Final = {"rows": "Reading and storing rows", "index": "Making the search index", None: "Working"}
_PROGRAM: Final = re.compile(r"\A(?:gacc-gui: )+")
"""What the command's messages begin with; here it is known who speaks."""
PLURALS: Final = {"memory": "memories"}


class ImportView(QWidget):
    """Signals: rows_ready(); finished(run ids as list, database as str | None); closed()."""

    rows_ready = Signal()
    finished = Signal(object, object)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("importView")
        self._child: Child | None = None
        self._build_ui()
        self._connect()

    def _build_ui(self) -> None:
        self._title = Elided(self)
        self._title.setFont(ui_font(UI_POINTS + 3))
        self._command = QLineEdit(self)
        self._command.setReadOnly(True)
        self._command.setFont(mono_font())
        self._command.setToolTip("The command that does this")
        self._copy = QPushButton("Copy command", self)
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(GRID)
        self._phase = remark(self, role="text")
        self._cancel = QPushButton("Cancel", self)
        self._close = QPushButton("Go to the runs", self)
        self._report = QTreeWidget(self)
        self._report.setObjectName("importReport")
        self._report.setHeaderLabels(["What", "How many", "Detail"])
        self._report.setAlternatingRowColors(True)
        self._report.setUniformRowHeights(True)
        self._report.setItemDelegate(RowDelegate(self._report))
        self._report.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        self._report.header().setStretchLastSection(True)
        line = QHBoxLayout()
        line.addWidget(self._command, 1)
        line.addWidget(self._copy)
        below = QHBoxLayout()
        below.addWidget(self._phase, 1)
        below.addWidget(self._cancel)
        below.addWidget(self._close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * GRID, 2 * GRID, 3 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        layout.addWidget(self._title)
        layout.addLayout(line)
        layout.addWidget(self._bar)
        layout.addLayout(below)
        layout.addWidget(self._report, 1000)
        # Keeps the rest on top while there is no report yet.
        layout.addStretch(1)

    def _connect(self) -> None:
        self._copy.clicked.connect(self._on_copy)
        self._cancel.clicked.connect(self.cancel)
        self._close.clicked.connect(self.closed)

    @property
    def is_running(self) -> bool:
        """Whether a command runs."""
        return self._child is not None

    def import_files(self, database: Path, paths: Sequence[Path]) -> None:
        """Import files into a database."""
        names = ", ".join(path.name for path in paths)
        # Whole paths: the command may be typed elsewhere.
        files = [str(path.absolute()) for path in paths]
        self._start(f"Importing {names}", ["--db", str(database.absolute()), "import", *files])

    def run_demo(self) -> None:
        """Evaluate the demonstration into a fresh database."""
        self._start("Evaluating the demonstration", ["demo", "--no-window"])

    def cancel(self) -> None:
        """Stop the running command; what was committed stays."""
        if self._child is not None:
            self._phase.setText("Stopping…")
            self._cancel.setEnabled(False)
            self._child.cancel()

    def shutdown(self) -> None:
        """Stop the running command and wait for its end."""
        if self._child is not None:
            self._child.shutdown()
            self._child = None

    def _start(self, title: str, arguments: list[str]) -> None:
        if self._child is not None:
            return
        self._child = Child([*arguments, "--json", "--events"], self)
        self._child.event_received.connect(self._on_event)
        self._child.finished.connect(self._on_finished)
        self._title.set_text(title)
        # What a person would type: without what only this window reads.
        self._command.setText(shlex.join(["gacc-gui", *arguments]))
        self._command.setCursorPosition(0)
        self._report.clear()
        self._report.hide()
        self._phase.setText("Starting…")
        self._bar.setRange(0, 0)
        self._bar.show()
        self._cancel.setEnabled(True)
        self._cancel.show()
        self._close.hide()
        self._child.start()

    def _on_copy(self) -> None:
        QApplication.clipboard().setText(self._command.text())

    def _on_event(self, event: dict[str, Any]) -> None:
        if event["event"] == "rows_ready":
            self.rows_ready.emit()
        if event["event"] != "progress":
            return
        done, total, phase = event.get("done"), event.get("total"), event.get("phase")
        if isinstance(done, int) and isinstance(total, int) and total > 0:
            # A progress bar counts in 32 bits.
            self._bar.setRange(0, 1000)
            self._bar.setValue(min(1000, done * 1000 // total))
            self._phase.setText(f"{PHASES.get(phase, phase)}: {done / total:.0%}")
        else:
            self._bar.setRange(0, 0)
            self._phase.setText(f"{PHASES.get(phase, phase)}…")

    def _on_finished(self, outcome: ChildOutcome) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.deleteLater()
        self._bar.hide()
        self._cancel.hide()
        self._close.show()
        messages = [_PROGRAM.sub("", message) for message in outcome.messages]
        document = outcome.document if isinstance(outcome.document, dict) else {}
        self._phase.setText(_conclusion(outcome, document, messages))
        self._fill(document, messages)
        self.finished.emit(_runs(document), document.get("db"))

    def _fill(self, document: dict[str, Any], messages: Sequence[str]) -> None:
        files = document.get("files")
        for file in files if isinstance(files, list) else []:
            self._report.addTopLevelItem(_file_item(file))
        if messages:
            item = _item("Messages", f"{len(messages):,}")
            _add_lines(item, messages)
            self._report.addTopLevelItem(item)
        self._report.setVisible(self._report.topLevelItemCount() > 0)
        for item in top_items(self._report):
            self._open_item(item)
        self._report.setColumnWidth(0, 34 * GRID)
        self._report.setColumnWidth(1, 12 * GRID)

    def _open_item(self, item: QTreeWidgetItem) -> None:
        item.setExpanded(True)
        for child in child_items(item):
            child.setExpanded(child.childCount() <= 20)


def _conclusion(outcome: ChildOutcome, document: dict[str, Any], messages: Sequence[str]) -> str:
    if outcome.cancelled:
        return "Cancelled; what was already committed stays."
    if outcome.exit_code == 0:
        return "Done." if "files" not in document else "Done: everything landed or was already there."
    if outcome.exit_code == 3:
        return "Done, but something was refused, changed, quarantined or in conflict: see below."
    if outcome.exit_code is None:
        return "The command ended unexpectedly."
    last = messages[-1] if messages else "nothing landed"
    return f"Nothing was added: {last}"


def _runs(document: dict[str, Any]) -> list[str]:
    runs: list[Any] = list(document.get("runs") or [])
    for file in document.get("files") or []:
        runs += file.get("runs") or []
    return list(dict.fromkeys(_run_id(one) for one in runs))


def _run_id(run: Any) -> str:
    return str(run.get("id")) if isinstance(run, dict) else str(run)


def _item(what: str, count: str = "", detail: str = "") -> QTreeWidgetItem:
    item = QTreeWidgetItem([cell_text(what), count, cell_text(detail)])
    item.setToolTip(2, tooltip(detail))
    return item


def _file_item(file: dict[str, Any]) -> QTreeWidgetItem:
    runs = ", ".join(str(one) for one in file.get("runs") or [])
    item = _item(Path(str(file.get("path", "?"))).name, "", f"run {runs}" if runs else "")
    if file.get("error"):
        item.addChild(_item("Refused", "", _words(file["error"])))
    for key, title in (("added", "Added"), ("already", "Already there")):
        counts = {kind: n for kind, n in (file.get(key) or {}).items() if n}
        if counts:
            detail = ", ".join(_counted(n, kind) for kind, n in counts.items())
            child = _item(title, f"{sum(counts.values()):,}", detail)
            item.addChild(child)
    for key, title in (
        ("changed", "Changed files"),
        ("repaired", "Repaired"),
        ("quarantined", "Quarantined"),
        ("conflicts", "In conflict"),
    ):
        found = file.get(key) or []
        if found:
            child = _item(title, f"{len(found):,}")
            _add_lines(child, [_words(one) for one in found[:SHOWN]], more=len(found) - SHOWN)
            item.addChild(child)
    for child in child_items(item):
        child.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return item


def _counted(number: int, kind: str) -> str:
    many = PLURALS.get(kind, f"{kind}s")
    return f"{number:,} {kind if number == 1 else many}"


def _add_lines(item: QTreeWidgetItem, lines: Iterable[str], more: int = 0) -> None:
    for line in lines:
        item.addChild(_item("", detail=line))
    if more > 0:
        item.addChild(_item("", "", f"… and {more:,} more, in the command's own report"))


def _words(value: Any) -> str:
    """An entry of the report as one line, whatever its shape."""
    if isinstance(value, dict):
        parts = [f"{key} {_words(one)}" for key, one in value.items() if one is not None and key != "reason"]
        reason = value.get("reason")
        return ": ".join(part for part in (", ".join(parts), _words(reason) if reason else "") if part)
    if isinstance(value, list):
        return ", ".join(_words(one) for one in value)
    text = " ".join(str(value).split())
    return text if len(text) <= 400 else text[:400] + "…"
