"""The whole window on a real database: it opens, follows, steps through what there is, and tells."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.message_strip import DIAGNOSTIC
from gacc_gui.gui.opening import Place
from gacc_gui.gui.side.audit_panel import Target
from gacc_gui.gui.window_views import OF_RUN
from gacc_gui.store.reads import Reader
from tests.gui.conftest import at_rest

OpenWindow = Callable[..., MainWindow]


def test_a_goal_that_failed_to_load_can_be_chosen_again(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    shown = window.session.unit.unit
    window.session.choose_unit(999_999)
    at_rest(qtbot, window)
    assert "no longer in the database" in window.strip.text()
    assert window.session.wanted_unit == shown
    table = window.inspector.goals.table
    other = window.inspector.goals.model.units[1]
    window.inspector.goals.model.set_units([shown, 999_999, other])
    for _ in range(2):
        window.strip.clear()
        place = table.visualRect(table.model().index(1, 1)).center()
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
        at_rest(qtbot, window)
        assert "no longer in the database" in window.strip.text()


def test_new_rows_reload_the_shown_goal(open_window: OpenWindow, copied: Path, qtbot: QtBot) -> None:
    window = open_window(copied, place=Place("demo"))
    before = window.session.unit
    with qtbot.waitSignal(window.session.unit_loaded):
        window.session.data_changed.emit()
    at_rest(qtbot, window)
    assert window.session.unit == before and window.session.unit is not before


def test_recent_files_are_a_menu(
    open_window: OpenWindow, demo_database: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    other = tmp_path / "a & b.db"
    shutil.copy(demo_database, other)
    window = open_window(demo_database)
    window.settings.remember_file(other)
    window.settings.remember_file(tmp_path / "gone.db")
    menu = window.findChild(QMenu, "recentMenu")
    menu.fill()
    assert [action.data() for action in menu.actions()] == [str(other), str(demo_database)]
    menu.actions()[0].trigger()
    at_rest(qtbot, window)
    assert window.opener.path == other


def test_a_budget_that_is_tried_is_seen_in_the_texts(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    slider, texts = window.inspector.side.what_if.slider, window.inspector.texts
    own = slider.value()
    assert texts.pane("retained").spans("tried") == []
    slider.setValue(own - 5)
    (span,) = texts.pane("retained").spans("tried")
    assert 0 < span.start < len(texts.pane("retained").text())
    slider.setValue(own + 5)
    assert texts.pane("retained").spans("tried") == []
    assert len(texts.pane("tail").spans("tried")) == 1
    slider.setValue(own)
    assert texts.pane("tail").spans("tried") == []


def test_without_a_database_the_start_page_says_what_to_do(open_window: OpenWindow, tmp_path: Path) -> None:
    window = open_window(tmp_path / "none.db")
    assert window.views.currentWidget() is window.start_page
    assert not window.strip.isVisible()
    assert not window.banner.isVisible()
    assert not (tmp_path / "none.db").exists()


def test_opening_shows_the_first_run_its_goal_and_its_texts(
    open_window: OpenWindow, demo_database: Path
) -> None:
    window = open_window(demo_database)
    assert window.views.currentWidget() is window.inspector
    view = window.session.unit
    assert view is not None
    for name, text in (
        ("sourcePane", view.context.text),
        ("retainedPane", view.memory.retained_text),
    ):
        assert window.findChild(QWidget, name).text() == text
    assert window.session.question is not None
    assert "demo.db" in window._where.text()
    assert "Demonstration" in window.windowTitle()
    assert "Micro" in window.inspector.headline.text()


def test_a_diagnostic_run_says_so(open_window: OpenWindow, demo_database: Path) -> None:
    window = open_window(demo_database)
    assert window.banner.isVisible()
    assert window.banner.text() == DIAGNOSTIC
    window.show_audit()
    assert window.banner.isVisible()
    window.show_start()
    assert not window.banner.isVisible()


def test_a_place_can_be_named(open_window: OpenWindow, demo_database: Path) -> None:
    with Reader(demo_database) as reader:
        view = reader.unit_view(reader.goal_units("demo")[-1])
    goal, question = view.goal.id, view.rows[-1].question.id
    window = open_window(demo_database, place=Place("demo", goal, question))
    assert window.session.unit.goal.id == goal
    assert window.session.question == question


@pytest.mark.parametrize(
    ("place", "named"),
    [(Place("nobody"), "nobody"), (Place("demo", "no-goal"), "no-goal"), (Place(question_id="q?"), "q?")],
)
def test_a_place_that_is_not_there_is_told(
    open_window: OpenWindow, demo_database: Path, place: Place, named: str
) -> None:
    window = open_window(demo_database, place=place)
    assert window.strip.isVisible()
    assert named in window.strip.text()


@pytest.mark.parametrize("content", [b"", b"no database at all, but long enough to be looked at" * 40])
def test_a_file_that_is_no_database_is_told(open_window: OpenWindow, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd.db"
    path.write_bytes(content)
    window = open_window(path)
    assert window.views.currentWidget() is window.start_page
    assert "odd.db" in window.strip.text()
    assert window.opener.path is None


def test_new_rows_of_another_process_appear(open_window: OpenWindow, copied: Path, qtbot: QtBot) -> None:
    from gacc_gui.app.fixture import run_fixture

    window = open_window(copied)
    window.opener.look_for_rows()
    at_rest(qtbot, window)
    question = window.session.question
    run_fixture(copied, [43])
    with qtbot.waitSignal(window.session.data_changed):
        window.opener.look_for_rows()
    at_rest(qtbot, window)
    assert [summary.run.id for summary in window.inspector.runs.runs][-1] == "fixture-43" or {
        summary.run.id for summary in window.inspector.runs.runs
    } == {"demo", "fixture-42", "fixture-43"}
    assert window.session.question == question


def test_failing_goals_are_stepped_through(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    first = window.session.unit.unit
    window.commands.run("next-goal")
    at_rest(qtbot, window)
    second = window.session.unit
    assert second.unit != first
    assert any(row.label != "correct" for row in second.rows)
    window.commands.run("previous-goal")
    at_rest(qtbot, window)
    assert window.session.unit.unit == first


def test_runs_are_stepped_through(open_window: OpenWindow, copied: Path, qtbot: QtBot) -> None:
    window = open_window(copied, place=Place("demo"))
    seen = {window.session.run.run.id}
    for command in ("previous-run", "next-run", "next-run"):
        window.commands.run(command)
        at_rest(qtbot, window)
        seen.add(window.session.run.run.id)
        assert window.session.unit is not None
    assert seen == {"demo", "fixture-42"}


def test_f6_goes_round_the_window(open_window: OpenWindow, demo_database: Path, qtbot: QtBot) -> None:
    window = open_window(demo_database)
    window.activateWindow()
    window.inspector.goals.setFocus()
    seen = []
    for _ in range(9):
        window.commands.run("next-part")
        seen.append(QApplication.focusWidget().objectName())
    assert {"filterEdit", "runsView", "goalsView", "sourcePane", "questionsView", "budgetSlider"} <= set(seen)
    forward = seen[-1]
    window.commands.run("next-part")
    window.commands.run("previous-part")
    assert QApplication.focusWidget().objectName() == forward


def test_a_failure_of_the_audit_leads_to_its_row(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    with Reader(demo_database) as reader:
        view = reader.unit_view(reader.goal_units("demo")[-1])
    window.show_audit()
    window.audit.target_chosen.emit(Target(view.memory.id, None, view.rows[0].question.id))
    at_rest(qtbot, window)
    assert window.views.currentWidget() is window.inspector
    assert window.session.unit.memory.id == view.memory.id
    assert window.session.question == view.rows[0].question.id


def test_tabs_change_the_view(open_window: OpenWindow, demo_database: Path, qtbot: QtBot) -> None:
    window = open_window(demo_database)
    for name in ("figures", "charts", "matrix", "audit", "requests", "inspector"):
        window.tabs.setCurrentIndex([*OF_RUN].index(name))
        assert window.views.currentWidget() is window.views.made(name)
    window.commands.run("inspector")
    assert window.tabs.currentIndex() == 0
    at_rest(qtbot, window)


def test_messages_can_be_dismissed(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(None)
    window.tell_error(ValueError("<i>told</i>"))
    assert window.strip.isVisible()
    assert window.strip.text() == "<i>told</i>"
    window.strip.clear()
    assert not window.strip.isVisible()


def test_the_detail_has_the_evidence_of_a_long_text_from_the_panes(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    short = window.session.unit
    text = short.context.text + "。" * 200_000
    window.session.show_unit(
        replace(short, unit=short.unit + 1000, context=replace(short.context, text=text))
    )
    section = window.inspector.questions.detail.section("evidence")
    assert section.texts() == ()
    at_rest(qtbot, window)
    long_texts, captions = section.texts(), section.captions()
    assert long_texts
    window.session.show_unit(short)
    assert (section.texts(), section.captions()) == (long_texts, captions)
