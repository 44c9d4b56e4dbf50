"""The compaction view in its window: reading, choosing, to the inspector and back, keys, empty states."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from gacc_gui.core.compaction import FULL, FUSION, JEV, PROTOCOL, SUMMARY
from gacc_gui.core.records import Answer, Run, Verdict
from gacc_gui.core.terms import COMPACTION
from gacc_gui.gui.compaction.cases_table import Chosen
from gacc_gui.gui.compaction.compaction_panel import CompactionPanel
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.opening import Place
from gacc_gui.gui.shot import take_shot
from gacc_gui.gui.theme import apply_theme
from gacc_gui.store.reads import Reader
from tests.compaction_run import small_run_records, stored
from tests.gui.conftest import at_rest

OpenWindow = Callable[..., MainWindow]


@pytest.fixture
def window(open_window: OpenWindow, compaction_database: Path, qtbot: QtBot) -> MainWindow:
    """A window on the small run, with its cases shown."""
    window = open_window(compaction_database)
    window.show_compaction()
    at_rest(qtbot, window)
    return window


def choose(
    window: MainWindow, qtbot: QtBot, case: str, method: str, generation: int = 0, repeat: int = 0
) -> None:
    """Choose an answer as a click would."""
    panel = window.compaction
    panel.table.choose(Chosen(case, method, generation, repeat))
    panel.table.cell_chosen.emit(panel.table.chosen)
    at_rest(qtbot, window)


def test_the_lists_know_the_protocols_name() -> None:
    assert COMPACTION == PROTOCOL


def test_a_run_is_read_and_its_headline_has_denominators(window: MainWindow) -> None:
    panel = window.compaction
    assert panel.message() == ""
    assert panel.headline() == (
        "diagnostic · Answer EM · full 0.833 10/12 · jev 0.583 7/12 · summary 0.750 9/12"
        " · jev+summary 0.833 10/12 · hypothesis held · descriptive only"
    )
    assert panel.case is not None
    assert window.banner.isVisible()


def test_a_context_is_shown_with_its_facts_budget_and_answers(window: MainWindow, qtbot: QtBot) -> None:
    choose(window, qtbot, "case-1", JEV)
    panel, page = window.compaction, window.compaction.case_page
    assert panel.case is not None and panel.case.id == "case-1"
    context, summary = page.context.panes
    assert context.text() == panel.case.source
    assert len(context.spans("survival")) > 3
    assert len(context.spans("evidence")) == 3
    assert not summary.isVisible()
    assert page.facts.count() == 3
    assert "local" in page.budget_text() and "900" in page.budget_text()
    assert page.answers.columnCount() == 6


def test_the_summary_has_a_pane_of_its_own(window: MainWindow, qtbot: QtBot) -> None:
    choose(window, qtbot, "case-1", FUSION)
    page = window.compaction.case_page
    context = page.context_shown
    assert context is not None and context.sent is not None
    assert page.context.panes[1].isVisible()
    assert page.context.panes[1].text() == context.sent.summary


def test_as_sent_and_raw_reply_and_back(window: MainWindow, qtbot: QtBot) -> None:
    choose(window, qtbot, "case-1", JEV, 0, 1)
    page, pane = window.compaction.case_page, window.compaction.case_page.context.panes[0]
    source = pane.text()
    window.commands.run("as-sent")
    context = page.context_shown
    assert context is not None and context.sent is not None
    assert pane.text() == "".join(message["content"] for message in context.sent.messages)
    window.commands.run("raw-reply")
    assert pane.text().startswith("I believe that it is")
    window.commands.run("raw-reply")
    at_rest(qtbot, window)
    assert pane.text() == source
    button = page.context.findChild(object, "contextMode_sent")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert page.context.mode == "sent"


def test_a_failed_context_shows_why_and_what_it_would_have_taken(window: MainWindow, qtbot: QtBot) -> None:
    choose(window, qtbot, "case-1", SUMMARY, 1, 1)
    page = window.compaction.case_page
    assert page.context.panes[0].text() == ""
    item = page.facts.item(0)
    assert item is not None and "no context" in str(item.data(Qt.ItemDataRole.AccessibleTextRole))


def test_choosing_here_is_choosing_in_the_inspector_and_back(window: MainWindow, qtbot: QtBot) -> None:
    panel, session = window.compaction, window.session
    choose(window, qtbot, "case-2", SUMMARY, 1, 0)
    assert session.unit is not None
    assert (session.unit.goal.id, session.unit.memory.generation, session.unit.repeat) == ("case-2", 1, 0)
    assert session.unit.memory.cell.compressor == SUMMARY
    assert session.question == "case-2"
    panel.table.setFocus()
    qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    assert window.views.current_name == "inspector"
    cell = panel.overview.cases[2].cells[JEV][3] if panel.overview is not None else None
    assert cell is not None and cell.unit is not None
    session.choose_unit(cell.unit)
    at_rest(qtbot, window)
    window.commands.run("compaction")
    at_rest(qtbot, window)
    assert panel.table.chosen == Chosen("case-3", JEV, 1, 1)
    assert panel.case is not None and panel.case.id == "case-3"


def test_the_unit_that_a_window_is_opened_at_is_shown(
    open_window: OpenWindow, compaction_database: Path, qtbot: QtBot
) -> None:
    window = open_window(compaction_database, place=Place(goal_id="case-3"))
    window.show_compaction()
    at_rest(qtbot, window)
    chosen = window.compaction.table.chosen
    assert chosen is not None and chosen.case == "case-3"


def test_choosing_a_column_of_the_answers_chooses_the_answer(window: MainWindow, qtbot: QtBot) -> None:
    choose(window, qtbot, "case-1", JEV)
    answers = window.compaction.case_page.answers
    answers.setCurrentCell(0, 5)
    at_rest(qtbot, window)
    assert window.compaction.table.chosen == Chosen("case-1", JEV, 1, 1)
    assert window.session.unit is not None and window.session.unit.repeat == 1


def test_what_is_read_stays_in_view_from_method_to_method(window: MainWindow, qtbot: QtBot) -> None:
    choose(window, qtbot, "case-1", FULL)
    pane = window.compaction.case_page.context.panes[0]
    at = pane.text().index("# Tirrin Orchard 1")
    pane.scroll_to(at)
    top = pane.first_visible()
    choose(window, qtbot, "case-1", JEV)
    assert abs(pane.first_visible() - top) < 200
    choose(window, qtbot, "case-2", JEV)
    facts = [span for span in pane.spans("evidence")]
    start, end = pane.visible_range()
    assert any(start <= span.start < end for span in facts), "another case begins at a supporting fact"


def test_facts_are_gone_through_by_key(window: MainWindow, qtbot: QtBot) -> None:
    choose(window, qtbot, "case-1", FULL)
    page = window.compaction.case_page
    pane = page.context.panes[0]
    assert window.compaction.case is not None
    for fact in window.compaction.case.facts:
        window.commands.run("next-fact")
        start, end = pane.visible_range()
        assert start <= pane.text().index(fact.text) < end
    window.commands.run("previous-fact")
    assert page.facts.currentRow() == 1


def test_finding_in_the_texts(window: MainWindow, qtbot: QtBot) -> None:
    choose(window, qtbot, "case-1", FUSION)
    window.commands.run("find")
    assert window.views.current_name == "compaction"
    edit = window.compaction.findChild(QLineEdit, "findEdit")
    edit.setText("salt")
    at_rest(qtbot, window)
    pane = window.compaction.case_page.context.panes[0]
    assert len(pane.spans("find")) == 10
    window.commands.run("find-next")
    assert pane.spans("find-current")


def test_keys_mean_this_view_while_it_is_seen(window: MainWindow, qtbot: QtBot) -> None:
    panel = window.compaction
    choose(window, qtbot, "case-1", FULL)
    window.commands.run("next-goal")
    assert panel.table.chosen == Chosen("case-1", FULL, 1, 0)
    window.commands.run("previous-goal")
    assert panel.table.chosen == Chosen("case-2", FUSION, 1, 1)
    choose(window, qtbot, "case-1", FULL)
    window.activateWindow()
    window.commands.run("filter")
    assert panel.list.filter.hasFocus()
    window.commands.run("next-part")
    assert panel.table.hasFocus()
    seen = set()
    for _ in range(6):
        window.commands.run("next-part")
        focused = QApplication.focusWidget()
        assert focused is not None and panel.isAncestorOf(focused)
        seen.add(focused.objectName())
    assert {"compactionFacts", "contextPane", "compactionAnswers", "compactionFilter"} <= seen


def test_the_cases_command_shows_the_case_from_every_page(window: MainWindow) -> None:
    panel = window.compaction
    for page in ("Budgets", "Methods"):
        panel.show_page(page)
        assert window.commands.run("compaction")
        assert panel.case_page.isVisible()
        window.show_inspector()
        panel.show_page(page)
        assert window.commands.run("compaction")
        assert window.views.current_name == "compaction" and panel.case_page.isVisible()


def test_pages_by_command(window: MainWindow) -> None:
    window.commands.run("compaction-methods")
    assert window.compaction.methods.isVisible()
    window.commands.run("compaction-budgets")
    assert window.compaction.budgets.isVisible()
    window.commands.run("next-fact")
    assert window.compaction.case_page.isVisible()


def test_only_compaction_runs_have_the_view(
    open_window: OpenWindow, demo_database: Path, compaction_database: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "both.db"
    shutil.copy(demo_database, path)
    stored(path, small_run_records(2))
    window = open_window(path)
    place = [window.tabs.tabText(n) for n in range(window.tabs.count())].index("Compaction")
    assert not window.tabs.isTabEnabled(place)
    assert not window.commands.run("compaction")
    window.session.choose_run("small")
    at_rest(qtbot, window)
    assert window.tabs.isTabEnabled(place)
    assert window.commands.run("compaction")
    at_rest(qtbot, window)
    assert window.compaction.message() == ""
    window.session.choose_run("demo")
    at_rest(qtbot, window)
    assert "gacc-gui compaction run" in window.compaction.message()
    assert window.compaction.overview is None
    assert window.views.current_name == "compaction"


def test_without_a_run_it_says_what_to_do(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(None)
    panel = window.compaction
    panel.show()
    assert "Open run files" in panel.message()


def test_new_rows_are_shown_and_what_is_chosen_stays(
    open_window: OpenWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    records = small_run_records(2, faults={})
    late = [
        one for one in records if isinstance(one, Answer | Verdict) and one.memory_id.startswith("case-2/")
    ]
    path = stored(tmp_path / "growing.db", [one for one in records if one not in late])
    window = open_window(path)
    window.show_compaction()
    at_rest(qtbot, window)
    choose(window, qtbot, "case-2", JEV)
    panel = window.compaction
    assert panel.overview is not None
    assert [cell.cause for cell in panel.overview.cases[1].cells[JEV]] == [None] * 4
    pane = panel.case_page.context.panes[0]
    pane.scroll_to(len(pane.text()) // 2)
    top = pane.first_visible()
    stored(path, [records[0], *late])
    window.session.data_changed.emit()
    at_rest(qtbot, window)
    assert pane.first_visible() == top, "whoever reads stays there"
    assert panel.overview.cases[1].right(JEV) == 4
    assert panel.table.chosen is not None and panel.table.chosen.case == "case-2"
    assert panel.case is not None and panel.case.answers_of(JEV)[0].answer is not None


def test_a_read_that_fails_is_told_in_its_place(window: MainWindow, qtbot: QtBot) -> None:
    run = window.session.run
    assert run is not None
    gone = replace(run, run=replace(run.run, id="gone"))
    window.session.show_run(gone)
    at_rest(qtbot, window)
    assert "no run 'gone'" in window.compaction.message()


def test_usable_right_after_its_construction(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(None)
    panel = CompactionPanel(window.session, window.reads, window.counts)
    qtbot.addWidget(panel)
    panel.step_part(1)
    panel.step_fact(1)
    panel.step_find(1)
    panel.toggle_sent()
    panel.inspect()
    panel.shutdown()
    assert panel.is_idle


def test_the_inspectors_lists_read_well_for_a_compaction_run(window: MainWindow, qtbot: QtBot) -> None:
    window.show_inspector()
    at_rest(qtbot, window)
    inspector = window.inspector
    model = inspector.goals.model
    row = model.goal_row(0)
    assert row is not None
    assert model.text_of(row, "goal") == row.context_title
    assert model.text_of(row, "cell").split(" · ")[0] in (FULL, JEV, SUMMARY, FUSION)
    assert "own" not in model.text_of(row, "cell")
    assert inspector.headline.text().startswith("EM 0.750 36/48")
    assert not inspector.cells.field("ratio").isVisible()
    assert not inspector.cells.field("condition").isVisible()
    assert inspector.cells.field("compressor").isVisible()


def test_a_review_stands_beside_what_the_judge_says(
    open_window: OpenWindow, compaction_database: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    from gacc_gui.app.review_queue import draw_queue, queue_key
    from gacc_gui.app.reviewing import Decision, add_review
    from gacc_gui.store.rows import CellChoice

    path = Path(shutil.copy(compaction_database, tmp_path / "small.db"))
    window = open_window(path)
    headline = window.inspector.headline
    assert headline.text().startswith("EM 0.750 36/48") and headline.reviewed_text() == ""
    run = window.session.run
    assert run is not None
    with Reader(path) as reader:
        queue = draw_queue(reader, run.run.id, queue_key("random", 1, 48, CellChoice()))
        labels = {
            (row.memory_id, row.question_id, row.repeat): row.label
            for row in reader.question_results(run.run.id)
        }
    row = next(entry.row for entry in queue.entries if labels[entry.row] == "correct")
    add_review(path, run.run.id, Decision(*row, "incorrect", "Ada"))
    window.session.data_changed.emit()
    at_rest(qtbot, window)
    assert headline.text().startswith("As scored EM 0.750 36/48")
    assert headline.reviewed_text() == "As reviewed EM 0.729 35/48 · 1 answer reviewed"
    panel = window.views.view("review")
    assert cast(Any, panel).headline().endswith(headline.reviewed_text())
    add_review(path, run.run.id, Decision(*row, "clear", "Ada"))
    window.session.data_changed.emit()
    at_rest(qtbot, window)
    assert headline.text().startswith("EM 0.750 36/48") and headline.reviewed_text() == ""


def test_what_stands_in_the_data_is_plain_text(open_window: OpenWindow, tmp_path: Path, qtbot: QtBot) -> None:
    records = small_run_records(1, faults={})
    hostile = "<b>Who</b> &amp; \u202ewhat\u200b?\n<img src=x>"
    changed = [replace(one, text=hostile) if type(one).__name__ == "Question" else one for one in records]
    run = records[0]
    assert isinstance(run, Run)
    window = open_window(stored(tmp_path / "hostile.db", changed))
    window.show_compaction()
    at_rest(qtbot, window)
    panel = window.compaction
    shown = str(panel.list.model.data(panel.list.model.index(0, 1)))
    assert "<b>Who</b>" in shown and "\u202e" not in shown and "\n" not in shown
    assert panel.case_page.question.text() == "<b>Who</b> &amp; ⟨RLO⟩what⟨ZWSP⟩? ⏎ <img src=x>"
    for label in panel.case_page.findChildren(QLabel):
        if label.text():
            assert label.textFormat() == Qt.TextFormat.PlainText, label.text()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_picture_of_it(compaction_database: Path, tmp_path: Path, theme: str, qapp: QApplication) -> None:
    out = tmp_path / "compaction.png"
    take_shot(compaction_database, out, view="compaction", theme=theme, size=(1280, 800))
    image = QImage(str(out))
    assert (image.width(), image.height()) == (1280, 800)
    colours = {image.pixel(x, y) for x in range(0, 1280, 5) for y in range(0, 800, 5)}
    assert len(colours) > 40
    apply_theme(qapp, "light")
