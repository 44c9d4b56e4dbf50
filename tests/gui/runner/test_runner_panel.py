"""The runner driven through its widgets: planned, started, watched, stopped, resumed, closed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.gui.runner.jobs import kept_jobs
from gacc_gui.gui.runner.run_process import is_running
from gacc_gui.gui.theme import apply_theme
from tests.gui.runner.conftest import FINISHING, HELD, PLANNED, Answers, plan_document, progress
from tests.gui.runner.driving import LONG, Act, OpenPanel, click, live, rows_of, rules, state_of, type_into

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="asks processes by signals")


def test_a_plan_stands_before_a_start(
    open_panel: OpenPanel, act: Act, answers: Answers, dataset: Path, qtbot: QtBot
) -> None:
    act(dry_run={"document": plan_document(calls=30, cost=1.5)}, run=HELD)
    desk = open_panel().desk
    desk.config.show_text(live(dataset), dataset.parent)
    answers.yes = False
    click(qtbot, desk, "Start live…")
    qtbot.waitUntil(lambda: bool(answers.asked), timeout=LONG)
    assert "at most 30 calls" in answers.asked[0]
    assert desk.queue.jobs == []
    assert rows_of(desk, "planTable")[0][:3] == ["Compressor lead", "", "2"]
    answers.yes = True
    click(qtbot, desk, "Start live…")  # the plan is still that of this configuration
    assert desk.queue.running is not None
    assert "--live" in desk.queue.running.command_line
    type_into(qtbot, desk, ("run", "name"), "another")
    assert desk.config.config is not None
    assert "changed since" in desk.plan_view.words


def test_a_plan_that_cannot_be_made_says_why(
    open_panel: OpenPanel, act: Act, dataset: Path, qtbot: QtBot
) -> None:
    act(dry_run={"steps": ["gacc-gui: small.json: no such file"], "code": 2})
    desk = open_panel().desk
    desk.config.show_text(rules(dataset), dataset.parent)
    click(qtbot, desk, "Start")
    qtbot.waitUntil(lambda: "no such file" in desk.plan_view.words, timeout=LONG)
    assert desk.queue.jobs == []


def test_a_plugin_is_looked_for_beside_the_file(
    open_panel: OpenPanel, act: Act, answers: Answers, dataset: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    panel = open_panel()
    desk = panel.desk
    desk.config.show_text(rules(dataset).replace('"lead"', '"my_parts:Mine"'), dataset.parent)
    with qtbot.waitSignal(panel.failed) as told:
        click(qtbot, desk, "Start")
    assert "save it" in told.args[0]
    answers.file = tmp_path / "mine.toml"
    click(qtbot, desk.config, "Save")
    click(qtbot, desk, "Start")
    qtbot.waitUntil(lambda: len(desk.queue.jobs) == 1, timeout=LONG)
    assert desk.queue.jobs[0].config == str(answers.file)


def test_a_run_is_watched_paused_stopped_and_resumed(
    open_panel: OpenPanel, act: Act, dataset: Path, qtbot: QtBot
) -> None:
    steps = [
        PLANNED,
        progress("memories", 1, 2, failed=1),
        {
            "event": "usage",
            "role": "reader",
            "calls": 4,
            "input_tokens": 1200,
            "output_tokens": 30,
            "cost": 0.5,
        },
        {"event": "error", "kind": "compressor error", "count": 1, "example": "<b>HTTP 500</b>"},
        {"event": "waiting", "endpoint": "main", "seconds": 600, "reason": "429 Too Many Requests"},
        "hold",
    ]
    act(run={"steps": steps})
    panel = open_panel()
    desk = panel.desk
    desk.config.show_text(rules(dataset), dataset.parent)
    with qtbot.waitSignal(panel.rows_expected, timeout=LONG) as expected:
        click(qtbot, desk, "Start")
    assert expected.args == [desk.database, "acted"]
    qtbot.waitUntil(lambda: "429" in state_of(desk), timeout=LONG)
    assert "waits for main" in state_of(desk)
    assert ["Reader", "4", "", "1,200", "", "30", "0.5000"] in rows_of(desk, "runUsage")
    assert rows_of(desk, "runErrors") == [["compressor error", "1", "<b>HTTP 500</b>"]]
    assert [row[1:4] for row in rows_of(desk, "jobsList")] == [["Running", "7 %", "1"]]
    command = desk.run_view.findChild(QLineEdit).text()
    click(qtbot, desk.run_view, "Copy command")
    assert QApplication.clipboard().text() == command
    assert command.startswith("gacc-gui --db ") and " run gacc " in command

    click(qtbot, desk.run_view, "Pause")
    qtbot.waitUntil(lambda: state_of(desk).startswith("Paused"), timeout=LONG)
    click(qtbot, desk.run_view, "Continue")
    qtbot.waitUntil(lambda: state_of(desk).startswith("Running"), timeout=LONG)
    click(qtbot, desk.run_view, "Stop")
    qtbot.waitUntil(lambda: state_of(desk).startswith("Stopped"), timeout=LONG)
    act(run=FINISHING)
    click(qtbot, desk.run_view, "Resume")
    qtbot.waitUntil(lambda: state_of(desk).startswith("Finished"), timeout=LONG)
    with qtbot.waitSignal(panel.run_chosen) as chosen:
        click(qtbot, desk.run_view, "Show its rows")
    assert chosen.args == [desk.database, "acted"]
    click(qtbot, desk.run_view, "Take off the list")
    assert desk.queue.jobs == [] and not desk.run_view.isVisible()


def test_several_are_queued(open_panel: OpenPanel, act: Act, dataset: Path, qtbot: QtBot) -> None:
    act(run=HELD)
    desk = open_panel().desk
    desk.config.show_text(rules(dataset), dataset.parent)
    click(qtbot, desk, "Start")
    qtbot.waitUntil(lambda: desk.queue.running is not None, timeout=LONG)
    type_into(qtbot, desk, ("run", "name"), "the second")
    assert desk.config.config is not None
    click(qtbot, desk, "Queue")
    qtbot.waitUntil(lambda: len(desk.queue.jobs) == 2, timeout=LONG)
    assert [row[:2] for row in rows_of(desk, "jobsList")] == [
        ["acted", "Waiting"],
        ["acted", "Running"],
    ]
    # Each has the configuration that it was asked with.
    second, first = desk.queue.jobs
    assert "the second" in Path(second.config).read_text(encoding="utf-8")
    assert "the second" not in Path(first.config).read_text(encoding="utf-8")


def test_an_endpoint_is_checked_with_one_call(
    open_panel: OpenPanel, act: Act, dataset: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOME_API_KEY", raising=False)
    act(endpoint={"document": {"ok": True, "seconds": 0.42, "text": "OK"}})
    desk = open_panel().desk
    desk.config.show_text(live(dataset), dataset.parent)
    words = [label.text() for label in desk.config.form.findChildren(QWidget) if hasattr(label, "set_role")]
    assert "is not set" in words
    desk.config.form.verticalScrollBar().setValue(desk.config.form.verticalScrollBar().maximum())
    click(qtbot, desk.config.form, "Check with one small call")
    qtbot.waitUntil(lambda: desk.is_idle, timeout=LONG)
    words = [label.text() for label in desk.config.form.findChildren(QWidget) if hasattr(label, "set_role")]
    assert "It answers in 0.4 s: OK" in words


@pytest.mark.parametrize("goes_on", [True, False, None])
def test_closing_asks_about_what_runs(
    open_panel: OpenPanel, act: Act, answers: Answers, dataset: Path, qtbot: QtBot, goes_on: bool | None
) -> None:
    act(run=HELD)
    panel = open_panel()
    desk = panel.desk
    desk.config.show_text(rules(dataset), dataset.parent)
    assert panel.may_close()
    click(qtbot, desk, "Start")
    qtbot.waitUntil(
        lambda: desk.queue.running is not None and desk.queue.running.run == "acted", timeout=LONG
    )
    running = desk.queue.running
    answers.goes_on = goes_on
    assert panel.may_close() is (goes_on is not None)
    if goes_on is None:
        return
    panel.shutdown(keeps=False)
    assert is_running(running) is goes_on
    if goes_on:
        found = open_panel()
        found.find_running()
        assert found.desk.queue.running.id == running.id
        found.desk.queue.stop()
        qtbot.waitUntil(lambda: found.desk.queue.running is None, timeout=LONG)
    assert kept_jobs()[0].state == "stopped"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_follows_the_theme(
    open_panel: OpenPanel, act: Act, dataset: Path, qtbot: QtBot, qapp: QApplication, theme: str
) -> None:
    desk = open_panel().desk
    desk.config.show_text(live(dataset), dataset.parent)
    apply_theme(qapp, theme)
    QApplication.processEvents()
    picture = desk.grab().toImage()
    ground = picture.pixelColor(picture.width() - 4, picture.height() - 4).lightness()
    assert ground < 60 if theme == "dark" else ground > 200
    apply_theme(qapp, "light")
