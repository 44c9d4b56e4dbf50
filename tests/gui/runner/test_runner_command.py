"""The runner with the real command behind it, in a panel and in the window."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.gui.child_process import OWN_PROGRAM
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.runner.jobs import kept_jobs
from gacc_gui.gui.runner.run_process import is_running
from gacc_gui.resources import resource
from gacc_gui.store.reads import Reader
from tests.gui.conftest import at_rest
from tests.gui.runner.conftest import Answers
from tests.gui.runner.driving import LONG, OpenPanel, click, live, rules, state_of, type_into

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="asks processes by signals")


def test_a_real_evaluation_from_the_form_to_its_rows(
    open_panel: OpenPanel, dataset: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    panel = open_panel(OWN_PROGRAM)
    panel.set_database(tmp_path / "runs.db")
    desk = panel.desk
    desk.config.show_text(rules(dataset), dataset.parent)
    type_into(qtbot, desk, ("run", "name"), "from the form")
    type_into(qtbot, desk, ("evaluation", "ratios"), "0.25, 0.5")
    click(qtbot, desk, "Start")
    qtbot.waitUntil(lambda: state_of(desk).startswith("Finished"), timeout=LONG)
    assert "2 memories, 6 answers, 6 verdicts · no model is called" in desk.plan_view.words
    job = desk.queue.jobs[0]
    assert (job.done, job.planned, job.failed) == (14, 14, 0)
    with Reader(tmp_path / "runs.db") as reader:
        [summary] = reader.runs()
        assert (summary.run.id, summary.run.name, summary.answers) == (job.run, "from the form", 6)
    click(qtbot, desk, "Plan")
    qtbot.waitUntil(lambda: desk.is_idle, timeout=LONG)
    assert "it is resumed" in desk.plan_view.words


def test_the_real_command_names_the_key_that_is_wrong(
    open_panel: OpenPanel, tmp_path: Path, qtbot: QtBot
) -> None:
    desk = open_panel(OWN_PROGRAM).desk
    desk.config.show_text(rules(tmp_path / "nowhere.json"), tmp_path)
    click(qtbot, desk, "Plan")
    qtbot.waitUntil(lambda: "There is no plan" in desk.plan_view.words, timeout=LONG)
    assert "nowhere.json" in desk.plan_view.words
    assert not desk.plan_view.words.startswith("There is no plan: gacc-gui")


def test_the_real_check_of_an_endpoint_that_is_not_there(
    open_panel: OpenPanel, dataset: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-TESTSECRET123")
    desk = open_panel(OWN_PROGRAM).desk
    desk.config.show_text(live(dataset), dataset.parent)
    assert list(desk.config.problems) == []
    desk.config.check_asked.emit("main")
    qtbot.waitUntil(lambda: desk.is_idle, timeout=LONG)
    words = [label.text() for label in desk.config.form.findChildren(QWidget) if hasattr(label, "set_role")]
    [told] = [word for word in words if word.startswith("It does not answer")]
    assert "no connection to http://127.0.0.1:9" in told
    assert "TESTSECRET" not in " ".join(words)


@pytest.mark.slow
def test_the_window_shows_rows_as_they_land_and_closes_on_a_running_evaluation(
    open_window: Callable[..., MainWindow], answers: Answers, tmp_path: Path, qtbot: QtBot
) -> None:
    window = open_window(None, asker=answers)
    window.commands.run("runner")
    desk = window.runner.desk
    desk.config.show_example(resource("examples/rules.toml"))
    qtbot.waitUntil(desk.isVisible)
    click(qtbot, desk, "Start")
    qtbot.waitUntil(lambda: desk.queue.running is not None, timeout=LONG)
    running = desk.queue.running
    assert running is not None
    qtbot.waitUntil(lambda: desk.queue.progress_of(running.id).done > 100, timeout=LONG)
    desk.queue.pause()
    qtbot.waitUntil(lambda: window.session.run is not None and window.session.run.answers > 0, timeout=LONG)
    running = desk.queue.running
    assert running is not None
    assert window.views.current_name == "runner"
    answers.goes_on = None
    assert not window.close()
    answers.goes_on = False
    assert window.close()
    assert not is_running(running)
    [kept] = kept_jobs()
    assert (kept.state, kept.run) == ("stopped", running.run)

    again = open_window(desk.database, asker=answers)
    again.commands.run("runner")
    found = again.runner.desk
    qtbot.waitUntil(found.isVisible)
    click(qtbot, found.run_view, "Resume")
    qtbot.waitUntil(lambda: state_of(found).startswith("Finished"), timeout=LONG)
    click(qtbot, found.run_view, "Show its rows")
    at_rest(qtbot, again)
    assert again.views.current_name == "inspector"
    assert (again.session.run.run.id, again.session.run.answers) == (kept.run, 2700)
