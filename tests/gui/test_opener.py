"""An open window whose database changes under it: runs go, the file goes, another comes."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.app.fixture import run_fixture
from gacc_gui.app.managing import delete_run, rename_run
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.opening import Place
from tests.gui.conftest import at_rest

OpenWindow = Callable[..., MainWindow]


def look(qtbot: QtBot, window: MainWindow) -> None:
    """Look for rows as the timer does, and follow what is found."""
    window.opener.look_for_rows()
    at_rest(qtbot, window)


def test_a_run_deleted_elsewhere_gives_way_to_one_that_is_left(
    open_window: OpenWindow, copied: Path, qtbot: QtBot
) -> None:
    window = open_window(copied, place=Place("demo"))
    look(qtbot, window)
    delete_run(copied, "demo")
    look(qtbot, window)
    assert window.session.run.run.id == "fixture-42"
    assert window.session.unit.run.id == "fixture-42"
    assert "was deleted" in window.strip.text()
    assert [summary.run.id for summary in window.inspector.runs.runs] == ["fixture-42"]


def test_the_last_run_deleted_elsewhere_leads_to_the_start_page(
    open_window: OpenWindow, demo_database: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "one.db"
    shutil.copy(demo_database, path)
    window = open_window(path)
    look(qtbot, window)
    delete_run(path, "demo")
    look(qtbot, window)
    assert window.session.run is None and window.session.unit is None
    assert window.views.current_name == "start"
    assert window.inspector.headline.text() == ""
    assert window.findChild(QWidget, "sourcePane").text() == ""


def test_a_file_that_is_deleted_is_told_and_closed(
    open_window: OpenWindow, copied: Path, qtbot: QtBot
) -> None:
    window = open_window(copied)
    copied.unlink()
    look(qtbot, window)
    assert "is gone" in window.strip.text()
    assert window.opener.path is None and window.session.run is None
    assert window.views.current_name == "start"
    assert window.inspector.runs.runs == ()


def test_a_file_that_is_replaced_is_opened_anew(open_window: OpenWindow, copied: Path, qtbot: QtBot) -> None:
    other = copied.with_name("other.db")
    shutil.copy(copied, other)
    delete_run(other, "demo")
    window = open_window(copied, place=Place("demo"))
    other.replace(copied)
    look(qtbot, window)
    assert "replaced" in window.strip.text()
    assert window.opener.path == copied
    assert window.session.run.run.id == "fixture-42"
    assert [summary.run.id for summary in window.inspector.runs.runs] == ["fixture-42"]


def test_a_goal_that_is_shown_again_makes_the_failure_to_read_one_old(
    open_window: OpenWindow, copied: Path, qtbot: QtBot
) -> None:
    window = open_window(copied)
    window.session.choose_unit(999_999)
    at_rest(qtbot, window)
    assert "no longer in the database" in window.strip.text()
    window.session.choose_unit(window.inspector.goals.model.units[1])
    at_rest(qtbot, window)
    assert window.strip.text() == ""


def test_a_log_that_cannot_be_read_is_told_and_no_stale_figures_are_shown(
    open_window: OpenWindow, copied: Path, tmp_path: Path
) -> None:
    path = tmp_path / "left.db"
    holding = sqlite3.connect(copied, isolation_level=None)
    try:
        holding.execute("BEGIN")
        holding.execute("SELECT count(*) FROM runs").fetchone()
        rename_run(copied, "demo", "the latest name")
        for suffix in ("", "-wal"):
            shutil.copy(f"{copied}{suffix}", f"{path}{suffix}")
    finally:
        holding.close()
    Path(f"{path}-shm").symlink_to(tmp_path / "nowhere" / "shm")  # SQLite follows no link there
    window = open_window(path)
    assert f"its latest changes are in {path}-wal" in window.strip.text()
    assert window.session.run is None and window.views.current_name == "start"


def test_what_others_write_right_after_the_opening_is_noticed(
    open_window: OpenWindow, copied: Path, qtbot: QtBot
) -> None:
    window = open_window(copied, place=Place("demo"))
    rename_run(copied, "demo", "renamed at once")
    look(qtbot, window)
    assert window.session.run.run.name == "renamed at once"
    assert "renamed at once" in {summary.run.name for summary in window.inspector.runs.runs}


def test_what_could_not_be_read_when_it_was_noticed_is_read_later(
    open_window: OpenWindow, copied: Path, qtbot: QtBot
) -> None:
    window = open_window(copied, place=Place("demo"))
    rename_run(copied, "demo", "renamed")
    window.opener.look_for_rows()
    window.counts.forget("opener.watch")  # as another request would, or a lock
    look(qtbot, window)
    assert window.session.run.run.name == "renamed"


def test_another_database_copied_into_the_open_file_is_shown(
    open_window: OpenWindow, copied: Path, qtbot: QtBot
) -> None:
    other = copied.with_name("other.db")
    shutil.copy(copied, other)
    delete_run(other, "demo")
    window = open_window(copied, place=Place("demo"))
    copied.write_bytes(other.read_bytes())
    look(qtbot, window)
    assert "replaced" in window.strip.text()
    assert window.session.run.run.id == "fixture-42"
    assert window.session.unit.run.id == "fixture-42"
    assert [summary.run.id for summary in window.inspector.runs.runs] == ["fixture-42"]


def test_garbage_in_the_open_file_is_told_and_closed(
    open_window: OpenWindow, copied: Path, qtbot: QtBot
) -> None:
    window = open_window(copied)
    window.opener.watch(False)
    copied.write_bytes(b"nothing of use\n" * 5000)
    look(qtbot, window)
    assert window.opener.path == copied  # it may be in the middle of a copy
    look(qtbot, window)
    assert "is no SQLite database" in window.strip.text()
    assert window.opener.path is None and window.views.current_name == "start"


def test_a_run_that_goes_while_many_views_and_a_queue_are_made_of_it(
    open_window: OpenWindow, copied: Path, qtbot: QtBot
) -> None:
    window = open_window(copied, place=Place("demo"))
    for name in ("matrix", "charts", "compare", "figures", "review"):
        window.views.show_view(name)
        at_rest(qtbot, window)
    panel = window.views.view("review")
    panel.bar.reviewer.setText("Ada")
    panel.bar.start.click()
    at_rest(qtbot, window)
    assert panel.page.state is not None
    rename_run(copied, "demo", "renamed")
    look(qtbot, window)
    delete_run(copied, "demo")
    look(qtbot, window)
    assert window.strip.text() == "The run renamed was deleted by another program."
    assert window.session.unit.run.id == "fixture-42" and panel.page.state is None


def test_what_could_not_be_read_is_old_when_a_goal_of_another_run_is_shown(
    open_window: OpenWindow, copied: Path, qtbot: QtBot
) -> None:
    window = open_window(copied, place=Place("demo"))
    window.opener.watch(False)
    window.views.show_view("compare")
    at_rest(qtbot, window)
    delete_run(copied, "demo")
    window.views.view("compare").step(1)
    at_rest(qtbot, window)
    assert "no longer in the database" in window.strip.text()
    window.opener.go(Place("fixture-42"))
    at_rest(qtbot, window)
    assert window.session.unit.run.id == "fixture-42" and window.strip.text() == ""


def test_a_larger_database_copied_into_a_file_that_was_written_to_is_shown(
    open_window: OpenWindow, copied: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    small = tmp_path / "small.db"
    run_fixture(small, [43])
    window = open_window(small)
    window.opener.watch(False)
    rename_run(small, "fixture-43", "renamed")
    look(qtbot, window)
    small.write_bytes(copied.read_bytes())
    look(qtbot, window)
    look(qtbot, window)
    assert "replaced" in window.strip.text()
    assert {summary.run.id for summary in window.inspector.runs.runs} == {"demo", "fixture-42"}
    assert window.session.unit.run.id == window.session.run.run.id
