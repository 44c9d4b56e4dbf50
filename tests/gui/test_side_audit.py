"""The audit view and the raw requests, on runs with and without faults."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QListWidget, QTreeWidget, QTreeWidgetItem, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.app.verifying import CHECKS
from gacc_gui.core.terms import GOALS
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.probing.words import HIDDEN
from gacc_gui.gui.side.audit_panel import NAMES
from gacc_gui.gui.veil import Veil
from tests.gui.conftest import at_rest

OpenWindow = Callable[..., MainWindow]


def _checks(window: MainWindow) -> dict[str, QTreeWidgetItem]:
    tree = window.findChild(QTreeWidget, "auditChecks")
    return {tree.topLevelItem(row).text(0): tree.topLevelItem(row) for row in range(tree.topLevelItemCount())}


@pytest.fixture
def database(tmp_path: Path, run_file: Callable[..., Path]) -> Callable[[dict[str, Any]], Path]:
    def make(document: dict[str, Any]) -> Path:
        from gacc_gui.app.importing import import_paths

        path = tmp_path / "runs.db"
        import_paths(path, [run_file(document)])
        return path

    return make


def test_a_faultless_run_holds(
    open_window: OpenWindow, run_document: dict, database: Callable[..., Path], qtbot: QtBot
) -> None:
    window = open_window(database(run_document))
    window.commands.run("audit")
    assert window.views.currentWidget() is window.audit
    at_rest(qtbot, window)
    outcomes = {name: item.text(1) for name, item in _checks(window).items()}
    assert not [name for name, outcome in outcomes.items() if outcome.startswith("✗")]
    assert outcomes["Retained tokens"] == "✓ holds"
    assert "0 faults" in window.audit._words.text()


def test_failures_are_listed_and_lead_to_their_rows(
    open_window: OpenWindow, run_document: dict, database: Callable[..., Path], qtbot: QtBot
) -> None:
    run_document["memories"][0]["ledger"]["retained_tokens"] = 80
    run_document["requests"][0]["content"] += " Who closed the valve?"
    run_document["questions"][2]["evidence"] = [{"quote": "<b>nowhere</b> to be found"}]
    window = open_window(database(run_document))
    window.commands.run("audit")
    at_rest(qtbot, window)
    checks = _checks(window)
    failed = {name for name, item in checks.items() if item.text(1).startswith("✗")}
    assert failed == {"Retained tokens", "No question or reference was shown to a compressor"}
    example = checks["Retained tokens"].child(0)
    assert "memory m1" in example.text(0)
    assert "declared 80, recounted 81" in example.text(4)
    faults = [item for name, item in checks.items() if name.startswith("Item fault")]
    assert any("q3" in fault.child(0).text(0) for fault in faults)
    window.findChild(QTreeWidget, "auditChecks").itemActivated.emit(example, 0)
    at_rest(qtbot, window)
    assert window.views.currentWidget() is window.inspector
    assert window.session.unit.memory.id == "m1"


def test_an_audit_can_be_stopped_and_started_again(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    window.commands.run("audit")
    assert window.audit.is_running
    window.audit.cancel()
    assert not window.audit.is_running
    assert "stopped" in window.audit._words.text()
    window.audit.start()
    at_rest(qtbot, window)
    assert window.audit.audit is not None


def test_another_run_forgets_the_audit(open_window: OpenWindow, demo_database: Path, qtbot: QtBot) -> None:
    window = open_window(demo_database)
    window.commands.run("audit")
    at_rest(qtbot, window)
    window.session.show_run(None)
    assert window.audit.audit is None
    assert _checks(window) == {}


def test_requests_are_plain_text_and_whole(
    open_window: OpenWindow, run_document: dict, database: Callable[..., Path], qtbot: QtBot
) -> None:
    content = "<h1>Not a heading</h1>\r\nsecond line\u2028third\ufeff" + "x" * 5000
    run_document["requests"] = [
        {"id": "x1", "role": "compressor", "memory_id": "m1", "content": content},
        {"id": "x2", "role": "judge", "content": "of no memory"},
    ]
    window = open_window(database(run_document))
    window.commands.run("requests")
    at_rest(qtbot, window)
    listed = window.requests.findChild(QListWidget)
    assert [listed.item(row).text() for row in range(listed.count())] == [
        f"compressor · x1 · {len(content):,} characters"
    ]
    assert window.findChild(QWidget, "requestContent").text() == content
    window.requests._only.setChecked(False)
    at_rest(qtbot, window)
    assert listed.count() == 2
    listed.setCurrentRow(1)
    assert window.findChild(QWidget, "requestContent").text() == "of no memory"


def test_what_came_back_and_every_try_are_shown(
    open_window: OpenWindow, run_document: dict, database: Callable[..., Path], qtbot: QtBot
) -> None:
    attempts = [{"number": 1, "status": 429, "error": "slow down"}, {"number": 2, "status": 200}]
    rest = {"finish_reason": "stop", "usage": {"input_tokens": 7}, "attempts": attempts}
    reply = '{"choices": ["<b>\r\n"]}'
    run_document["requests"] = [
        {"id": "x1", "role": "reader", "memory_id": "m1", "content": "asked", "reply": reply, **rest},
        {"id": "x2", "role": "judge", "memory_id": "m1", "content": "nothing came back"},
    ]
    window = open_window(database(run_document))
    window.commands.run("requests")
    at_rest(qtbot, window)
    pane = lambda name: window.findChild(QWidget, name)  # noqa: E731
    assert pane("requestReply").text() == reply
    assert json.loads(pane("requestRecord").text()) == rest
    window.requests.findChild(QListWidget).setCurrentRow(1)
    assert pane("requestContent").isVisible() and pane("requestContent").text() == "nothing came back"
    assert not pane("requestReply").isVisible() and not pane("requestRecord").isVisible()


def test_what_the_judge_said_of_a_veiled_row_is_hidden(
    open_window: OpenWindow, run_document: dict, database: Callable[..., Path], qtbot: QtBot
) -> None:
    row = {"memory_id": "m1", "content": "asked", "attempts": []}
    run_document["requests"] = [
        {"id": "x1", "role": "judge", "reply": "incorrect", **row},
        {"id": "x2", "role": "reader", "reply": "an answer", **row},
        {"id": "x3", "role": "reader", "reply": "another", "probe": "p1", **row},
    ]
    window = open_window(database(run_document))
    window.commands.run("requests")
    at_rest(qtbot, window)
    reply, record = (window.findChild(QWidget, name) for name in ("requestReply", "requestRecord"))
    assert reply.text() == "incorrect"
    decided = ("m1", "q1", 0)
    veil = Veil({window.session.unit.unit: {0: decided}})
    window.session.set_veil(veil)
    assert "is hidden" in reply.text() and not record.isVisible()
    window.requests.findChild(QListWidget).setCurrentRow(1)
    assert reply.text() == "an answer"
    window.requests.findChild(QListWidget).setCurrentRow(2)
    assert reply.text() == HIDDEN.format(GOALS) and not record.isVisible()
    window.requests.findChild(QListWidget).setCurrentRow(0)
    window.session.set_veil(veil.lifted([decided]))
    assert reply.text() == "incorrect"


def test_hidden_requests_are_not_read(open_window: OpenWindow, demo_database: Path, qtbot: QtBot) -> None:
    window = open_window(demo_database)
    assert window.requests.findChild(QListWidget).count() == 0
    window.commands.run("requests")
    at_rest(qtbot, window)
    assert window.requests.findChild(QListWidget).count() > 0


def test_every_check_has_words() -> None:
    assert set(CHECKS) == set(NAMES)
