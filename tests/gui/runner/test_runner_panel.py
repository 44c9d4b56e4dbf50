"""The runner driven through its widgets: configured, planned, started, watched, stopped, resumed."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QTreeWidget, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.gui.child_process import OWN_PROGRAM
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.runner.jobs import jobs_folder, kept_jobs
from gacc_gui.gui.runner.run_process import is_running
from gacc_gui.gui.runner.runner_desk import RunnerDesk
from gacc_gui.gui.runner.runner_panel import RunnerPanel
from gacc_gui.gui.theme import apply_theme
from gacc_gui.resources import resource
from gacc_gui.store.reads import Reader
from tests.gui.conftest import at_rest
from tests.gui.runner.conftest import FINISHING, HELD, PLANNED, Answers, plan_document, progress

LONG = 20_000
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="asks processes by signals")
OpenPanel = Callable[..., RunnerPanel]
Act = Callable[..., None]

RULES = """# Rules only
[dataset]
path = "{path}"

[evaluation]
ratios = ["0.5"]
tokenizer = "codepoint"

[[compressors]]
part = "lead"

[reader]
part = "rule"

[judge]
part = "exact"
"""
LIVE = """
[reader]
part = "llm"
endpoint = "main"

[endpoints.main]
base_url = "http://127.0.0.1:9/v1"
model = "m"
api_key_env = "SOME_API_KEY"
max_retries = 0
"""


def _rules(dataset: Path) -> str:
    return RULES.format(path=dataset)


def _live(dataset: Path) -> str:
    return _rules(dataset).replace('\n[reader]\npart = "rule"\n', LIVE)


def _button(parent: QWidget, text: str) -> QPushButton:
    return next(one for one in parent.findChildren(QPushButton) if one.text() == text)


def _click(qtbot: QtBot, parent: QWidget, text: str) -> None:
    button = _button(parent, text)
    assert button.isVisible() and button.isEnabled(), text
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def _rows(parent: QWidget, name: str) -> list[list[str]]:
    tree = parent.findChild(QTreeWidget, name)
    assert tree is not None
    return [
        [tree.topLevelItem(row).text(column) for column in range(tree.columnCount())]
        for row in range(tree.topLevelItemCount())
    ]


def _type(qtbot: QtBot, desk: RunnerDesk, key: tuple[str | int, ...], text: str) -> None:
    edit = desk.config.form.edit_at(key)
    assert edit is not None, key
    line = edit.findChild(QLineEdit)
    assert line is not None
    line.selectAll()
    qtbot.keyClicks(line, text) if text else qtbot.keyClick(line, Qt.Key.Key_Backspace)


def _state(desk: RunnerDesk) -> str:
    return desk.run_view.findChild(QWidget, "runState").text()


# --- configuration -------------------------------------------------------------------------------------


def test_without_anything_it_offers_examples(open_panel: OpenPanel, qtbot: QtBot) -> None:
    desk = open_panel().desk
    assert not _button(desk, "Plan").isEnabled() and not _button(desk, "Start").isEnabled()
    assert not desk.config.findChild(QPushButton, "showProblem").isVisible()
    _click(qtbot, desk, "An evaluation without any model")
    assert desk.config.config is not None
    assert not desk.config.config.is_live
    assert desk.config.saved_file is None and desk.config.is_changed


def test_every_shipped_example_is_sound(open_panel: OpenPanel) -> None:
    from gacc_gui.gui.runner.config_file import examples

    desk = open_panel().desk
    assert len(examples()) >= 5
    for example in examples():
        desk.config.show_example(example.path)
        assert list(desk.config.problems) == [], example.path
        for card_edit in desk.config.form.findChildren(QWidget):
            assert getattr(card_edit, "problem", "") == ""


def test_form_and_toml_are_the_same_thing(open_panel: OpenPanel, dataset: Path, qtbot: QtBot) -> None:
    desk = open_panel().desk
    desk.config.show_text(_rules(dataset), dataset.parent)
    _type(qtbot, desk, ("run", "name"), "typed into the form")
    _type(qtbot, desk, ("limits", "calls"), "12")
    text = desk.config.toml.text()
    assert text.startswith("# Rules only\n")
    assert tomllib.loads(text)["run"] == {"name": "typed into the form"}
    assert tomllib.loads(text)["limits"] == {"calls": 12}

    desk.config.show_toml()
    desk.config.toml.setPlainText(text.replace("typed into the form", "typed into the text"))
    assert desk.config.form.edit_at(("run", "name")).text() == "typed into the text"
    assert desk.config.config.run.name == "typed into the text"
    _type(qtbot, desk, ("limits", "calls"), "")
    assert "calls" not in desk.config.text


def test_a_mistake_is_told_at_its_key(open_panel: OpenPanel, dataset: Path, qtbot: QtBot) -> None:
    desk = open_panel().desk
    desk.config.show_text(_live(dataset), dataset.parent)
    assert desk.config.config is not None
    _type(qtbot, desk, ("endpoints", "main", "concurrency"), "0")
    assert desk.config.config is None
    edit = desk.config.form.edit_at(("endpoints", "main", "concurrency"))
    assert edit.problem == "must be at least 1"
    assert not _button(desk, "Start").isEnabled()
    _click(qtbot, desk.config, "Show")
    assert edit.isAncestorOf(QApplication.focusWidget()) or not desk.isActiveWindow()
    _type(qtbot, desk, ("endpoints", "main", "concurrency"), "2")
    assert desk.config.config.endpoints["main"].concurrency == 2
    assert edit.problem == ""


def test_a_text_that_is_no_toml_stays_a_text(open_panel: OpenPanel, dataset: Path, qtbot: QtBot) -> None:
    desk = open_panel().desk
    desk.config.show_text("[run\nname =", dataset.parent)
    assert desk.config.toml.isVisible()
    desk.config.show_form()
    assert desk.config.toml.isVisible() and not desk.config.form.isVisible()
    assert "line 1" in desk.config.findChild(QWidget, "configProblems").text()
    desk.config.toml.setPlainText(_rules(dataset))
    desk.config.show_form()
    assert desk.config.form.isVisible()


def test_compressors_and_endpoints_come_and_go(open_panel: OpenPanel, dataset: Path, qtbot: QtBot) -> None:
    desk = open_panel().desk
    desk.config.show_text(_live(dataset), dataset.parent)
    _click(qtbot, desk.config.form, "Add a compressor")
    _click(qtbot, desk.config.form, "Add an endpoint")
    config = desk.config.config
    assert [part.part for part in config.compressors] == ["lead", "tail"]
    assert list(config.endpoints) == ["main", "endpoint-2"]
    name = desk.config.form.findChild(QLineEdit, "endpoint name main")
    name.setText("first")
    name.editingFinished.emit()
    config = desk.config.config
    assert list(config.endpoints) == ["endpoint-2", "first"]
    assert config.reader.endpoint == "first"
    _type(qtbot, desk, ("endpoints", "first", "base_url"), "http://a/v1, http://b/v1")
    assert desk.config.config.endpoints["first"].base_urls == ("http://a/v1", "http://b/v1")
    desk.config.form._on_removed(("compressors", 0))
    assert [part.part for part in desk.config.config.compressors] == ["tail"]


def test_save_and_open(
    open_panel: OpenPanel, answers: Answers, dataset: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    desk = open_panel().desk
    desk.config.show_text(_rules(Path(dataset.name)), dataset.parent)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    answers.file = folder / "mine.toml"
    _click(qtbot, desk.config, "Save")
    # Relative paths go on meaning the same file.
    assert tomllib.loads(answers.file.read_text(encoding="utf-8"))["dataset"]["path"] == str(dataset)
    assert desk.config.saved_file == answers.file
    _type(qtbot, desk, ("run", "name"), "changed")
    assert desk.config.saved_file is None
    answers.yes = False
    desk.config.ask_file()
    assert "would be lost" in answers.asked[-1]
    assert desk.config.form.edit_at(("run", "name")).text() == "changed"
    answers.yes = True
    desk.config.ask_file()
    assert desk.config.form.edit_at(("run", "name")).text() == ""


def test_what_is_worked_on_is_there_the_next_time(open_panel: OpenPanel, dataset: Path, qtbot: QtBot) -> None:
    first = open_panel()
    first.desk.config.show_text(_rules(dataset), dataset.parent)
    first.shutdown(keeps=True)
    assert open_panel().desk.config.text == _rules(dataset)


def test_a_key_that_was_pasted_is_kept_nowhere(open_panel: OpenPanel, dataset: Path, qtbot: QtBot) -> None:
    panel = open_panel()
    pasted = _live(dataset).replace("SOME_API_KEY", "sk-TESTSECRET1234567890")
    panel.desk.config.show_text(pasted, dataset.parent)
    assert panel.desk.config.config is None
    assert "TESTSECRET" not in panel.desk.config.findChild(QWidget, "configProblems").text()
    panel.shutdown(keeps=True)
    for path in jobs_folder().rglob("*") if jobs_folder().exists() else ():
        assert not path.is_file() or b"TESTSECRET" not in path.read_bytes()


# --- plan, start, watch --------------------------------------------------------------------------------


def test_a_plan_stands_before_a_start(
    open_panel: OpenPanel, act: Act, answers: Answers, dataset: Path, qtbot: QtBot
) -> None:
    act(dry_run={"document": plan_document(calls=30, cost=1.5)}, run=HELD)
    desk = open_panel().desk
    desk.config.show_text(_live(dataset), dataset.parent)
    answers.yes = False
    _click(qtbot, desk, "Start live…")
    qtbot.waitUntil(lambda: bool(answers.asked), timeout=LONG)
    assert "at most 30 calls" in answers.asked[0]
    assert desk.queue.jobs == []
    assert _rows(desk, "planTable")[0][:3] == ["Compressor lead", "", "2"]
    answers.yes = True
    _click(qtbot, desk, "Start live…")  # the plan is still that of this configuration
    assert desk.queue.running is not None
    assert "--live" in desk.queue.running.command_line
    _type(qtbot, desk, ("run", "name"), "another")
    assert desk.config.config is not None
    assert "changed since" in desk.plan_view.words


def test_a_plan_that_cannot_be_made_says_why(
    open_panel: OpenPanel, act: Act, dataset: Path, qtbot: QtBot
) -> None:
    act(dry_run={"steps": ["gacc-gui: small.json: no such file"], "code": 2})
    desk = open_panel().desk
    desk.config.show_text(_rules(dataset), dataset.parent)
    _click(qtbot, desk, "Start")
    qtbot.waitUntil(lambda: "no such file" in desk.plan_view.words, timeout=LONG)
    assert desk.queue.jobs == []


def test_a_plugin_is_looked_for_beside_the_file(
    open_panel: OpenPanel, act: Act, answers: Answers, dataset: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    panel = open_panel()
    desk = panel.desk
    desk.config.show_text(_rules(dataset).replace('"lead"', '"my_parts:Mine"'), dataset.parent)
    with qtbot.waitSignal(panel.failed) as told:
        _click(qtbot, desk, "Start")
    assert "save it" in told.args[0]
    answers.file = tmp_path / "mine.toml"
    _click(qtbot, desk.config, "Save")
    _click(qtbot, desk, "Start")
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
    desk.config.show_text(_rules(dataset), dataset.parent)
    with qtbot.waitSignal(panel.rows_expected, timeout=LONG) as expected:
        _click(qtbot, desk, "Start")
    assert expected.args == [desk.database, "acted"]
    qtbot.waitUntil(lambda: "429" in _state(desk), timeout=LONG)
    assert "waits for main" in _state(desk)
    assert ["Reader", "4", "", "1,200", "", "30", "0.5000"] in _rows(desk, "runUsage")
    assert _rows(desk, "runErrors") == [["compressor error", "1", "<b>HTTP 500</b>"]]
    assert [row[1:4] for row in _rows(desk, "jobsList")] == [["Running", "7 %", "1"]]
    command = desk.run_view.findChild(QLineEdit).text()
    _click(qtbot, desk.run_view, "Copy command")
    assert QApplication.clipboard().text() == command
    assert command.startswith("gacc-gui --db ") and " run gacc " in command

    _click(qtbot, desk.run_view, "Pause")
    qtbot.waitUntil(lambda: _state(desk).startswith("Paused"), timeout=LONG)
    _click(qtbot, desk.run_view, "Continue")
    qtbot.waitUntil(lambda: _state(desk).startswith("Running"), timeout=LONG)
    _click(qtbot, desk.run_view, "Stop")
    qtbot.waitUntil(lambda: _state(desk).startswith("Stopped"), timeout=LONG)
    act(run=FINISHING)
    _click(qtbot, desk.run_view, "Resume")
    qtbot.waitUntil(lambda: _state(desk).startswith("Finished"), timeout=LONG)
    with qtbot.waitSignal(panel.run_chosen) as chosen:
        _click(qtbot, desk.run_view, "Show its rows")
    assert chosen.args == [desk.database, "acted"]
    _click(qtbot, desk.run_view, "Take off the list")
    assert desk.queue.jobs == [] and not desk.run_view.isVisible()


def test_several_are_queued(open_panel: OpenPanel, act: Act, dataset: Path, qtbot: QtBot) -> None:
    act(run=HELD)
    desk = open_panel().desk
    desk.config.show_text(_rules(dataset), dataset.parent)
    _click(qtbot, desk, "Start")
    qtbot.waitUntil(lambda: desk.queue.running is not None, timeout=LONG)
    _type(qtbot, desk, ("run", "name"), "the second")
    assert desk.config.config is not None
    _click(qtbot, desk, "Queue")
    qtbot.waitUntil(lambda: len(desk.queue.jobs) == 2, timeout=LONG)
    assert [row[:2] for row in _rows(desk, "jobsList")] == [
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
    desk.config.show_text(_live(dataset), dataset.parent)
    words = [label.text() for label in desk.config.form.findChildren(QWidget) if hasattr(label, "set_role")]
    assert "is not set" in words
    desk.config.form.verticalScrollBar().setValue(desk.config.form.verticalScrollBar().maximum())
    _click(qtbot, desk.config.form, "Check with one small call")
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
    desk.config.show_text(_rules(dataset), dataset.parent)
    assert panel.may_close()
    _click(qtbot, desk, "Start")
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


# --- the real command ----------------------------------------------------------------------------------


def test_a_real_evaluation_from_the_form_to_its_rows(
    open_panel: OpenPanel, dataset: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    panel = open_panel(OWN_PROGRAM)
    panel.set_database(tmp_path / "runs.db")
    desk = panel.desk
    desk.config.show_text(_rules(dataset), dataset.parent)
    _type(qtbot, desk, ("run", "name"), "from the form")
    _type(qtbot, desk, ("evaluation", "ratios"), "0.25, 0.5")
    _click(qtbot, desk, "Start")
    qtbot.waitUntil(lambda: _state(desk).startswith("Finished"), timeout=LONG)
    assert "2 memories, 6 answers, 6 verdicts · no model is called" in desk.plan_view.words
    job = desk.queue.jobs[0]
    assert (job.done, job.planned, job.failed) == (14, 14, 0)
    with Reader(tmp_path / "runs.db") as reader:
        [summary] = reader.runs()
        assert (summary.run.id, summary.run.name, summary.answers) == (job.run, "from the form", 6)
    _click(qtbot, desk, "Plan")
    qtbot.waitUntil(lambda: desk.is_idle, timeout=LONG)
    assert "it is resumed" in desk.plan_view.words


def test_the_real_command_names_the_key_that_is_wrong(
    open_panel: OpenPanel, tmp_path: Path, qtbot: QtBot
) -> None:
    desk = open_panel(OWN_PROGRAM).desk
    desk.config.show_text(_rules(tmp_path / "nowhere.json"), tmp_path)
    _click(qtbot, desk, "Plan")
    qtbot.waitUntil(lambda: "There is no plan" in desk.plan_view.words, timeout=LONG)
    assert "nowhere.json" in desk.plan_view.words
    assert not desk.plan_view.words.startswith("There is no plan: gacc-gui")


def test_the_real_check_of_an_endpoint_that_is_not_there(
    open_panel: OpenPanel, dataset: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-TESTSECRET123")
    desk = open_panel(OWN_PROGRAM).desk
    desk.config.show_text(_live(dataset), dataset.parent)
    assert list(desk.config.problems) == []
    desk.config.check_asked.emit("main")
    qtbot.waitUntil(lambda: desk.is_idle, timeout=LONG)
    words = [label.text() for label in desk.config.form.findChildren(QWidget) if hasattr(label, "set_role")]
    [told] = [word for word in words if word.startswith("It does not answer")]
    assert "no connection to http://127.0.0.1:9" in told
    assert "TESTSECRET" not in " ".join(words)


def test_the_window_shows_rows_as_they_land_and_closes_on_a_running_evaluation(
    open_window: Callable[..., MainWindow], answers: Answers, tmp_path: Path, qtbot: QtBot
) -> None:
    window = open_window(None, asker=answers)
    window.commands.run("runner")
    desk = window.runner.desk
    desk.config.show_example(resource("examples/rules.toml"))
    qtbot.waitUntil(desk.isVisible)
    _click(qtbot, desk, "Start")
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
    _click(qtbot, found.run_view, "Resume")
    qtbot.waitUntil(lambda: _state(found).startswith("Finished"), timeout=LONG)
    _click(qtbot, found.run_view, "Show its rows")
    at_rest(qtbot, again)
    assert again.views.current_name == "inspector"
    assert (again.session.run.run.id, again.session.run.answers) == (kept.run, 2700)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_follows_the_theme(
    open_panel: OpenPanel, act: Act, dataset: Path, qtbot: QtBot, qapp: QApplication, theme: str
) -> None:
    desk = open_panel().desk
    desk.config.show_text(_live(dataset), dataset.parent)
    apply_theme(qapp, theme)
    QApplication.processEvents()
    picture = desk.grab().toImage()
    ground = picture.pixelColor(picture.width() - 4, picture.height() - 4).lightness()
    assert ground < 60 if theme == "dark" else ground > 200
    apply_theme(qapp, "light")
