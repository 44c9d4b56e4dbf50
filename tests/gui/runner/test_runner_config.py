"""The runner's configuration through its widgets: form and TOML, mistakes, files, what is kept of it."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.gui.runner.jobs import jobs_folder
from tests.gui.runner.conftest import Answers
from tests.gui.runner.driving import OpenPanel, button, click, live, rules, type_into

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="asks processes by signals")


def test_without_anything_it_offers_examples(open_panel: OpenPanel, qtbot: QtBot) -> None:
    desk = open_panel().desk
    assert not button(desk, "Plan").isEnabled() and not button(desk, "Start").isEnabled()
    assert not desk.config.findChild(QPushButton, "showProblem").isVisible()
    click(qtbot, desk, "An evaluation without any model")
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
    desk.config.show_text(rules(dataset), dataset.parent)
    type_into(qtbot, desk, ("run", "name"), "typed into the form")
    type_into(qtbot, desk, ("limits", "calls"), "12")
    text = desk.config.toml.text()
    assert text.startswith("# Rules only\n")
    assert tomllib.loads(text)["run"] == {"name": "typed into the form"}
    assert tomllib.loads(text)["limits"] == {"calls": 12}

    desk.config.show_toml()
    desk.config.toml.setPlainText(text.replace("typed into the form", "typed into the text"))
    assert desk.config.form.edit_at(("run", "name")).text() == "typed into the text"
    assert desk.config.config.run.name == "typed into the text"
    type_into(qtbot, desk, ("limits", "calls"), "")
    assert "calls" not in desk.config.text


def test_a_mistake_is_told_at_its_key(open_panel: OpenPanel, dataset: Path, qtbot: QtBot) -> None:
    desk = open_panel().desk
    desk.config.show_text(live(dataset), dataset.parent)
    assert desk.config.config is not None
    type_into(qtbot, desk, ("endpoints", "main", "concurrency"), "0")
    assert desk.config.config is None
    edit = desk.config.form.edit_at(("endpoints", "main", "concurrency"))
    assert edit.problem == "must be at least 1"
    assert not button(desk, "Start").isEnabled()
    click(qtbot, desk.config, "Show")
    assert edit.isAncestorOf(QApplication.focusWidget()) or not desk.isActiveWindow()
    type_into(qtbot, desk, ("endpoints", "main", "concurrency"), "2")
    assert desk.config.config.endpoints["main"].concurrency == 2
    assert edit.problem == ""


def test_a_text_that_is_no_toml_stays_a_text(open_panel: OpenPanel, dataset: Path, qtbot: QtBot) -> None:
    desk = open_panel().desk
    desk.config.show_text("[run\nname =", dataset.parent)
    assert desk.config.toml.isVisible()
    desk.config.show_form()
    assert desk.config.toml.isVisible() and not desk.config.form.isVisible()
    assert "line 1" in desk.config.findChild(QWidget, "configProblems").text()
    desk.config.toml.setPlainText(rules(dataset))
    desk.config.show_form()
    assert desk.config.form.isVisible()


def test_compressors_and_endpoints_come_and_go(open_panel: OpenPanel, dataset: Path, qtbot: QtBot) -> None:
    desk = open_panel().desk
    desk.config.show_text(live(dataset), dataset.parent)
    click(qtbot, desk.config.form, "Add a compressor")
    click(qtbot, desk.config.form, "Add an endpoint")
    config = desk.config.config
    assert [part.part for part in config.compressors] == ["lead", "tail"]
    assert list(config.endpoints) == ["main", "endpoint-2"]
    name = desk.config.form.findChild(QLineEdit, "endpoint name main")
    name.setText("first")
    name.editingFinished.emit()
    config = desk.config.config
    assert list(config.endpoints) == ["endpoint-2", "first"]
    assert config.reader.endpoint == "first"
    type_into(qtbot, desk, ("endpoints", "first", "base_url"), "http://a/v1, http://b/v1")
    assert desk.config.config.endpoints["first"].base_urls == ("http://a/v1", "http://b/v1")
    desk.config.form._on_removed(("compressors", 0))
    assert [part.part for part in desk.config.config.compressors] == ["tail"]


def test_save_and_open(
    open_panel: OpenPanel, answers: Answers, dataset: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    desk = open_panel().desk
    desk.config.show_text(rules(Path(dataset.name)), dataset.parent)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    answers.file = folder / "mine.toml"
    click(qtbot, desk.config, "Save")
    # Relative paths go on meaning the same file.
    assert tomllib.loads(answers.file.read_text(encoding="utf-8"))["dataset"]["path"] == str(dataset)
    assert desk.config.saved_file == answers.file
    type_into(qtbot, desk, ("run", "name"), "changed")
    assert desk.config.saved_file is None
    answers.yes = False
    desk.config.ask_file()
    assert "would be lost" in answers.asked[-1]
    assert desk.config.form.edit_at(("run", "name")).text() == "changed"
    answers.yes = True
    desk.config.ask_file()
    assert desk.config.form.edit_at(("run", "name")).text() == ""


def test_no_configuration_replaces_the_open_database(
    open_panel: OpenPanel, answers: Answers, dataset: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    panel = open_panel()
    database = tmp_path / "a.db"
    database.write_bytes(b"rows")
    panel.set_database(database)
    panel.desk.config.show_text(rules(dataset), dataset.parent)
    answers.file = database
    with qtbot.waitSignal(panel.desk.failed) as failed:
        click(qtbot, panel.desk.config, "Save")
    assert "is the open database itself" in failed.args[0]
    assert database.read_bytes() == b"rows" and panel.desk.config.saved_file is None


def test_what_is_worked_on_is_there_the_next_time(open_panel: OpenPanel, dataset: Path, qtbot: QtBot) -> None:
    first = open_panel()
    first.desk.config.show_text(rules(dataset), dataset.parent)
    first.shutdown(keeps=True)
    assert open_panel().desk.config.text == rules(dataset)


def test_a_key_that_was_pasted_is_kept_nowhere(open_panel: OpenPanel, dataset: Path, qtbot: QtBot) -> None:
    panel = open_panel()
    pasted = live(dataset).replace("SOME_API_KEY", "sk-TESTSECRET1234567890")
    panel.desk.config.show_text(pasted, dataset.parent)
    assert panel.desk.config.config is None
    assert "TESTSECRET" not in panel.desk.config.findChild(QWidget, "configProblems").text()
    panel.shutdown(keeps=True)
    for path in jobs_folder().rglob("*") if jobs_folder().exists() else ():
        assert not path.is_file() or b"TESTSECRET" not in path.read_bytes()
