"""The question above a case: whole where it is short, some lines with a way to the rest where it is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gacc_gui.core.compaction import FUSION
from gacc_gui.core.records import Question
from gacc_gui.gui.compaction.cases_table import Chosen
from gacc_gui.gui.compaction.question_head import QuestionHead
from gacc_gui.gui.main_window import MainWindow
from tests.compaction_run import small_run_records, stored
from tests.gui.conftest import at_rest


@pytest.fixture
def head(qtbot: QtBot) -> QuestionHead:
    head = QuestionHead()
    qtbot.addWidget(head)
    head.resize(400, 60)
    with qtbot.waitExposed(head):
        head.show()
    return head


def test_a_short_question_is_whole_and_takes_no_keyboard(head: QuestionHead) -> None:
    head.show_question("Who built it?")
    QApplication.processEvents()
    assert head.height() < 30
    assert not head.verticalScrollBar().isVisible()
    assert head.focusPolicy() == Qt.FocusPolicy.NoFocus


def test_a_very_long_question_scrolls_to_its_end(head: QuestionHead, qtbot: QtBot) -> None:
    question = "Who built it? " * 2000 + "The end."
    head.show_question(question)
    QApplication.processEvents()
    assert head.height() < 80
    assert head.text() == question
    bar = head.verticalScrollBar()
    assert bar.isVisible() and bar.maximum() > 1000
    inner = head.widget()
    assert inner is not None
    assert inner.height() >= inner.heightForWidth(inner.width()), "all of it can be scrolled to"
    qtbot.keyClick(head, Qt.Key.Key_Down)
    assert bar.value() > 0
    head.show_question("Short?")
    QApplication.processEvents()
    assert bar.value() == 0 and not bar.isVisible()


def test_what_is_not_seen_is_marked(head: QuestionHead) -> None:
    head.show_question("a\u202eb\x00c\x07d\u200be\nf")
    assert head.text() == "a⟨RLO⟩b∅c▯d⟨ZWSP⟩e ⏎ f"


def test_texts_keep_their_room_below_a_very_long_question(
    open_window: Callable[..., MainWindow], tmp_path: Path, qtbot: QtBot
) -> None:
    records = [
        replace(one, text=one.text + " and so on" * 3000) if isinstance(one, Question) else one
        for one in small_run_records(1, faults={})
    ]
    window = open_window(stored(tmp_path / "long.db", records))
    window.resize(960, 600)
    window.show_compaction()
    at_rest(qtbot, window)
    page = window.compaction.case_page
    window.compaction.table.cell_chosen.emit(Chosen("case-1", FUSION, 0, 0))
    at_rest(qtbot, window)
    assert (window.width(), window.height()) == (960, 600)
    line = page.context.fontMetrics().lineSpacing()
    for pane in page.context.panes:
        assert pane.isVisible() and pane.height() >= 5 * line
    assert page.answers.height() >= 3 * line
    window.activateWindow()
    window.compaction.table.setFocus()
    window.commands.run("next-part")
    assert page.question.hasFocus()
