"""A live evaluation from the panel, against a service on loopback; the key is left nowhere."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.gui.child_process import OWN_PROGRAM
from gacc_gui.gui.runner.runner_panel import RunnerPanel
from gacc_gui.store.reads import Reader
from tests.gui.runner.conftest import Answers
from tests.servers.odd_server import Answer, OddServer, Received, completion, error

LONG = 30_000
KEY = "sk-TESTSECRET1234567890"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="asks processes by signals")
CONFIG = """
[run]
name = "a live one"

[dataset]
path = "{path}"

[evaluation]
ratios = ["0.5"]
conditions = ["own-goal", "no-goal"]
tokenizer = "codepoint"

[[compressors]]
part = "lead"

[[compressors]]
part = "llm-summary"
endpoint = "main"

[reader]
part = "llm"
endpoint = "main"

[judge]
part = "exact"

[endpoints.main]
base_url = "{url}"
model = "m"
api_key_env = "PANEL_KEY"
concurrency = 1
max_retries = 0
price = {{ input = 1000.0, output = 2000.0 }}
"""


def _state(panel: RunnerPanel) -> str:
    return panel.desk.run_view.findChild(QWidget, "runState").text()


def _click(qtbot: QtBot, parent: QWidget, text: str) -> None:
    button = next(one for one in parent.findChildren(QPushButton) if one.text() == text and one.isVisible())
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.mark.slow
def test_a_live_evaluation(
    open_panel: Callable[..., RunnerPanel],
    answers: Answers,
    dataset: Path,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PANEL_KEY", KEY)
    panel = open_panel(OWN_PROGRAM)
    panel.set_database(tmp_path / "runs.db")
    desk = panel.desk
    made = 0

    def rule(received: Received) -> Answer:
        nonlocal made
        made += 1
        if made == 6:
            return error(500, f"upstream said no to {KEY}")
        slow = 0.0 if made < 6 else 0.3
        return Answer(completion("Ines Okafor").body, delay=slow)

    with OddServer(rule) as server:
        desk.config.show_text(CONFIG.format(path=dataset, url=server.url), dataset.parent)
        assert list(desk.config.problems) == []
        desk.config.check_asked.emit("main")
        qtbot.waitUntil(lambda: made == 1 and desk.is_idle, timeout=LONG)
        _click(qtbot, desk, "Start live…")
        qtbot.waitUntil(lambda: made >= 8, timeout=LONG)
        assert "calls of models" in answers.asked[0] and "USD" in answers.asked[0]
        running = desk.queue.running
        assert running is not None
        if sys.platform.startswith("linux"):
            assert KEY.encode() not in Path(f"/proc/{running.pid}/cmdline").read_bytes()
        _click(qtbot, desk.run_view, "Stop")
        qtbot.waitUntil(lambda: _state(panel).startswith("Stopped"), timeout=LONG)
        before = made
        assert before < 15
        _click(qtbot, desk.run_view, "Resume")
        qtbot.waitUntil(lambda: _state(panel).startswith("Finished"), timeout=LONG)
    # 1 check, 2 summaries, 4 memories × 3 questions, and the one that failed once more; none was made twice.
    assert _state(panel) == "Finished: every item has a result."
    assert made == 1 + 2 + 12 + 1
    progress = desk.queue.progress_of(desk.queue.jobs[0].id)
    assert progress.usage["reader"].calls == 13
    assert progress.usage["compressor"].cost == pytest.approx(2 * (7 * 1000 + 3 * 2000) / 1_000_000)
    with Reader(tmp_path / "runs.db") as reader:
        [summary] = reader.runs()
        assert summary.answers == 12
    panel.shutdown(keeps=True)
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path
