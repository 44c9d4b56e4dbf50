"""The whole window on a real database: it opens, follows, tells, remembers and closes."""

from __future__ import annotations

import gc
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QMenu, QSplitter, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.gui.application import ExceptionHook, create_window
from gacc_gui.gui.asking import Asker
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.message_strip import DIAGNOSTIC
from gacc_gui.gui.opening import Place
from gacc_gui.gui.side.audit_panel import Target
from gacc_gui.gui.window_views import OF_RUN
from gacc_gui.store.reads import Reader
from tests.gui.conftest import at_rest

OpenWindow = Callable[..., MainWindow]
NAMES = (
    "runsView",
    "goalsView",
    "questionsView",
    "sourcePane",
    "retainedPane",
    "tailPane",
    "filterEdit",
    "budgetSlider",
    "auditPanel",
)


LATER = ("figures", "audit", "requests", "runner", "imports", "start")


class Answers(Asker):
    """Answers in place of a person."""

    def __init__(self, yes: bool = True, words: str | None = None, target: Path | None = None) -> None:
        self.yes, self.words, self.target = yes, words, target
        self.asked: list[str] = []

    def confirm(self, parent: QWidget, title: str, text: str, action: str) -> bool:
        self.asked.append(text)
        return self.yes

    def text(self, parent: QWidget, title: str, label: str, value: str) -> str | None:
        return self.words

    def export_target(self, parent: QWidget, suggestion: str) -> Path | None:
        self.asked.append(suggestion)
        return self.target


@pytest.fixture
def copied(demo_database: Path, tmp_path: Path) -> Path:
    """A database that may be written to, with the demonstration and the contract diagnostic."""
    from gacc_gui.app.fixture import run_fixture

    path = tmp_path / "copied.db"
    shutil.copy(demo_database, path)
    run_fixture(path, [42])
    return path


def test_every_fixed_name_is_there(open_window: OpenWindow, demo_database: Path) -> None:
    window = open_window(demo_database)
    for name in NAMES:
        found = window.findChildren(QWidget, name)
        assert len(found) == 1, name
        assert found[0].accessibleName() or found[0].objectName()


def test_names_are_there_before_the_event_loop_has_turned(demo_database: Path, qapp: QApplication) -> None:
    window = create_window(demo_database)
    try:
        for name in NAMES:
            assert window.findChild(QWidget, name) is not None, name
            assert len(window.findChildren(QWidget, name)) == 1, name
        assert window.findChild(QWidget, "sourcePane").text() == ""
    finally:
        window.close()
        window.deleteLater()


def test_the_list_is_painted_before_other_parts_are_made(
    demo_database: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    window = create_window(demo_database)
    made_at_first_paint: list[list[str]] = []

    class Watch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint and table.model().known_row(0) is not None:
                made_at_first_paint.append([name for name in LATER if window.views.made(name) is not None])
            return False

    watch = Watch()
    table = window.inspector.goals.table
    table.viewport().installEventFilter(watch)
    try:
        window.show()
        qtbot.waitUntil(lambda: bool(made_at_first_paint))
        assert made_at_first_paint[0] == []
        at_rest(qtbot, window)
        assert all(window.views.made(name) is not None for name in LATER)
    finally:
        window.close()
        window.deleteLater()


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


def test_no_list_scrolls_sideways_at_the_smallest_usual_size(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    window.setFixedSize(1280, 800)
    at_rest(qtbot, window)
    window.inspector._columns.setSizes([416, 576, 288])
    at_rest(qtbot, window)
    for table in (window.inspector.goals.table, window.inspector.questions.table):
        qtbot.waitUntil(lambda table=table: table.horizontalScrollBar().maximum() == 0)
    assert window.inspector.goals.table.columnWidth(1) >= 100
    detail = window.inspector.questions.detail
    assert detail.widget().width() <= detail.viewport().width()


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


def test_the_label_of_the_cut_is_whole_where_evidence_is_behind_it(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    pane = window.inspector.texts.pane("retained")
    block = pane.document().lastBlock()
    assert "✂" in block.text()
    bottom = pane.blockBoundingGeometry(block).translated(pane.contentOffset()).bottom()
    assert bottom <= pane.viewport().height()


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


def test_deleting_asks_first(open_window: OpenWindow, copied: Path, qtbot: QtBot) -> None:
    asker = Answers(yes=False)
    window = open_window(copied, place=Place("fixture-42"), asker=asker)
    window.commands.run("delete")
    assert len(asker.asked) == 1 and "12 answers" in asker.asked[0]
    assert window.counts.is_idle
    asker.yes = True
    with qtbot.waitSignal(window.run_actions.run_deleted):
        window.commands.run("delete")
    at_rest(qtbot, window)
    assert [summary.run.id for summary in window.inspector.runs.runs] == ["demo"]
    assert window.session.run.run.id == "demo"


def test_the_last_run_deleted_leads_to_the_start_page(
    open_window: OpenWindow, demo_database: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "one.db"
    shutil.copy(demo_database, path)
    window = open_window(path, asker=Answers())
    with qtbot.waitSignal(window.run_actions.run_deleted):
        window.commands.run("delete")
    at_rest(qtbot, window)
    assert window.session.run is None
    assert window.views.currentWidget() is window.start_page
    assert window.findChild(QWidget, "sourcePane").text() == ""


def test_renaming_shows_the_new_name(open_window: OpenWindow, copied: Path, qtbot: QtBot) -> None:
    window = open_window(copied, place=Place("fixture-42"), asker=Answers(words="another <b>name</b>"))
    with qtbot.waitSignal(window.session.run_changed):
        window.commands.run("rename")
    at_rest(qtbot, window)
    assert window.session.run.run.name == "another <b>name</b>"
    assert window.windowTitle().startswith("another <b>name</b>")


def test_exporting_writes_the_file(
    open_window: OpenWindow, demo_database: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    target = tmp_path / "out.jsonl"
    asker = Answers(target=target)
    window = open_window(demo_database, asker=asker)
    window.commands.run("export")
    at_rest(qtbot, window)
    assert asker.asked[0].endswith(".jsonl")
    assert '"format":"gacc-run"' in target.read_text(encoding="utf-8").replace(" ", "")
    assert "out.jsonl" in window.strip.text()


def test_a_locked_database_is_told_and_the_window_goes_on(
    open_window: OpenWindow, copied: Path, qtbot: QtBot
) -> None:
    window = open_window(copied, asker=Answers(words="new name"))
    holder = sqlite3.connect(copied)
    holder.execute("BEGIN IMMEDIATE")
    try:
        with qtbot.waitSignal(window.counts.failed, timeout=20_000):
            window.commands.run("rename")
        assert "locked" in window.strip.text() or "busy" in window.strip.text()
        window.commands.run("next-question")
    finally:
        holder.rollback()
        holder.close()


def test_the_command_that_reopens_is_copied(open_window: OpenWindow, demo_database: Path) -> None:
    window = open_window(demo_database)
    window.commands.run("reopen")
    words = QApplication.clipboard().text()
    assert words.startswith(f"gacc-gui --db {demo_database} --run demo --goal ")
    assert words.endswith(f"--question {window.session.question}")


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


def test_the_theme_changes_under_an_open_window(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    before = window.grab().toImage()
    window.commands.run("dark")
    at_rest(qtbot, window)
    after = window.grab().toImage()
    corner = before.width() // 2, before.height() - 4
    assert before.pixelColor(*corner).lightness() > 200
    assert after.pixelColor(*corner).lightness() < 60
    assert window.settings.theme == "dark"
    window.commands.run("dark")


def test_geometry_and_options_are_remembered(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    window.resize(1100, 650)
    window.commands.run("zoom-in")
    window.commands.run("mono")
    window.commands.run("linked")
    window.inspector._middle.setSizes([300, 200])
    sizes = window.inspector._middle.sizes()
    inner = window.findChild(QSplitter, "textsSplitter")
    inner.setSizes([100, 250, 150])
    window.close()
    again = open_window(demo_database)
    # The screen of the offscreen platform is 800 pixels wide and high: only the height fits.
    assert again.height() == 650
    assert again.session.options.zoom == 1
    assert again.session.options.mono is True
    assert again.session.options.linked is False
    assert again.settings.recent == [str(demo_database)]
    assert again.inspector._middle.sizes()[0] == pytest.approx(sizes[0], abs=2)
    source, retained, tail = again.findChild(QSplitter, "textsSplitter").sizes()
    assert source < retained > tail


def test_nothing_is_clipped_at_the_smallest_usual_size(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    window.resize(1280, 800)
    at_rest(qtbot, window)
    side = window.inspector.side
    assert side.widget().width() <= side.viewport().width()
    for widget in (side, window.inspector.texts, window.inspector.questions, window.inspector.goals):
        corner = widget.mapTo(window, widget.rect().bottomRight())
        assert window.rect().contains(corner)


def test_the_columns_share_a_small_window_until_somebody_moves_them(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    columns = window.inspector._columns
    window.resize(1280, 800)
    left, _, side = columns.sizes()
    assert left >= 400 and side >= 280
    window.resize(960, 600)
    left, middle, side = columns.sizes()
    assert left <= 320 and side <= 260 and middle >= 380
    columns.setSizes([350, 360, 250])
    columns.splitterMoved.emit(350, 1)
    window.resize(970, 600)
    assert columns.sizes()[0] == pytest.approx(350, abs=4)


def test_closing_while_busy_leaves_nothing_behind(demo_database: Path, qapp: QApplication) -> None:
    for _ in range(3):
        window = create_window(demo_database)
        window.show()
        qapp.processEvents()
        window.start_audit()
        window.close()
        window.deleteLater()
        qapp.processEvents()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("gacc-gui")]
    assert gc.isenabled()


def test_known_errors_are_told_and_bugs_once_per_traceback(
    open_window: OpenWindow, capsys: pytest.CaptureFixture[str], qtbot: QtBot
) -> None:
    from gacc_gui.core.errors import BadUsage
    from gacc_gui.gui.bug_report import BugReport

    window = open_window(None)
    hook = ExceptionHook(window)
    try:
        error = BadUsage("there is no such thing")
        hook._on_exception(type(error), error, None)
        assert window.strip.text() == "there is no such thing"
        for _ in range(2):
            try:
                raise ValueError("<b>odd</b>")
            except ValueError as bug:
                hook._on_exception(type(bug), bug, bug.__traceback__)
        assert len(window.findChildren(BugReport)) == 1
        assert capsys.readouterr().err.count("Traceback") == 2
        report = window.findChildren(BugReport)[0]
        qtbot.keyClick(report, Qt.Key.Key_Escape)
    finally:
        hook.restore()


def test_messages_can_be_dismissed(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(None)
    window.tell_error(ValueError("<i>told</i>"))
    assert window.strip.isVisible()
    assert window.strip.text() == "<i>told</i>"
    window.strip.clear()
    assert not window.strip.isVisible()


def test_what_was_copied_survives_the_window_and_the_program_ends(
    demo_database: Path, tmp_path: Path
) -> None:
    program = tmp_path / "copies.py"
    program.write_text(
        "import sys\n"
        "from PySide6.QtWidgets import QApplication\n"
        "from gacc_gui.gui.application import create_window\n"
        "app = QApplication([])\n"
        "window = create_window(sys.argv[1])\n"
        "pane = window.inspector.texts.pane('source')\n"
        "pane.set_text('\\ufeffexact\\n')\n"
        "pane.selectAll()\n"
        "pane.copy()\n"
        "window.close()\n"
        "assert app.clipboard().text() == '\\ufeffexact\\n'\n"
    )
    done = subprocess.run(
        [sys.executable, str(program), str(demo_database)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_opening_a_window_says_nothing(demo_database: Path, tmp_path: Path) -> None:
    program = tmp_path / "opens.py"
    program.write_text(
        "import sys\n"
        "from PySide6.QtWidgets import QApplication\n"
        "from gacc_gui.gui.application import create_window\n"
        "app = QApplication([])\n"
        "window = create_window(sys.argv[1])\n"
        "pane = window.inspector.texts.pane('source')\n"
        "pane.set_text('\\U00012000 \u0915 \u0e01 \u1200')\n"
        "window.show()\n"
        "window.grab()\n"
        "window.close()\n"
    )
    done = subprocess.run(
        [sys.executable, str(program), str(demo_database)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
