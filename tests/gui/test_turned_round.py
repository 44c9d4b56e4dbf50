"""Names that would turn round what is written after them: no title, notice, label or list lets them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QListWidget,
    QTableView,
    QTreeWidget,
    QTreeWidgetItemIterator,
)
from pytestqt.qtbot import QtBot

from gacc_gui.app.importing import import_paths
from gacc_gui.gui.import_view import ImportView
from gacc_gui.gui.main_window import MainWindow
from tests.gui.conftest import at_rest

OpenWindow = Callable[..., MainWindow]
TURNING = re.compile("[\u202a-\u202e\u2066-\u2069\0\x1b]")
VIEWS = ("inspector", "figures", "charts", "matrix", "compare", "review", "audit", "requests", "runner")
AS_THEY_ARE = (
    "format", "protocol", "created_at", "condition", "ratio", "status", "label", "role", "tokenizer",
)  # fmt: skip


def turned(value: Any) -> Any:
    """Return a document whose names and texts all begin with what turns the rest round."""
    if isinstance(value, dict):
        return {key: one if key in AS_THEY_ARE else turned(one) for key, one in value.items()}
    if isinstance(value, list):
        return [turned(one) for one in value]
    return f"\u202e{value}" if isinstance(value, str) else value


def read_in(window: MainWindow) -> Iterator[tuple[str, str]]:
    """Yield what a person can read, and where: the title, labels, choices, cells."""
    yield "title", window.windowTitle()
    for kind in (QLabel, QComboBox, QTreeWidget, QListWidget, QTableView):
        for widget in window.findChildren(kind):
            if widget.isVisible():
                where = widget.objectName() or type(widget.parent()).__name__
                yield from ((where, text) for text in texts_of(widget))


def texts_of(widget: Any) -> Iterator[str]:
    match widget:
        case QLabel():
            yield widget.text()
        case QComboBox():
            yield from map(widget.itemText, range(widget.count()))
        case QTreeWidget():
            items = QTreeWidgetItemIterator(widget)
            while (item := items.value()) is not None:
                yield from map(item.text, range(widget.columnCount()))
                items += 1
        case QListWidget():
            yield from (widget.item(row).text() for row in range(widget.count()))
        case _:
            model = widget.model()
            for row in range(model.rowCount()):
                for column in range(model.columnCount()):
                    yield str(model.index(row, column).data() or "")


def audit(qtbot: QtBot, window: MainWindow) -> None:
    window.start_audit()
    tree = window.findChild(QTreeWidget, "auditChecks")
    qtbot.waitUntil(lambda: tree.topLevelItemCount() > 0)


def test_no_view_is_turned_round_by_a_name(
    open_window: OpenWindow, run_document: dict, run_file: Callable[..., Path], tmp_path: Path, qtbot: QtBot
) -> None:
    document = turned(run_document)
    document["memories"][0]["ledger"]["retained_tokens"] = 7  # the audit has something to tell
    path = tmp_path / "turned.db"
    import_paths(path, [run_file(document)])
    window = open_window(path)
    seen: set[str] = set()
    for name in VIEWS:
        window.views.show_view(name)
        if name == "audit":
            audit(qtbot, window)
        at_rest(qtbot, window)
        found = list(read_in(window))
        assert not [(name, *one) for one in found if TURNING.search(one[1])]
        seen |= {name for _, text in found if "⟨RLO⟩" in text}
    assert {"inspector", "audit", "requests"} <= seen
    assert window.windowTitle() == "⟨RLO⟩a small run – gacc-gui"

    window.tell("The run \u202ea small run\nis done.")
    assert window.strip.text() == "The run ⟨RLO⟩a small run ⏎ is done."
    window.tell(f"The run {'name ' * 100_000} is done.")
    assert window.strip.text().startswith("The run name") and window.strip.text().endswith("is done.")
    assert window.strip.height() < window.height() // 5


def test_an_import_is_not_turned_round_by_a_file(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "\u202enothing.json"
    path.write_text("{}", encoding="utf-8")
    view = ImportView()
    qtbot.addWidget(view)
    view.show()
    with qtbot.waitSignal(view.finished, timeout=60_000):
        view.import_files(tmp_path / "runs.db", [path])
    texts = [text for label in view.findChildren(QLabel) for text in texts_of(label)]
    texts += texts_of(view.findChild(QTreeWidget))
    assert any("\ufffdnothing.json: " in text for text in texts)  # as the command tells it
    assert not [text for text in texts if TURNING.search(text)]
