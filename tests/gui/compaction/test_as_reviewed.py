"""The view's headline with reviews: as judged and as reviewed, each method beside its denominator."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from pytestqt.qtbot import QtBot

from gacc_gui.app.compaction_views import Overview
from gacc_gui.app.reviewing import Decision, add_review
from gacc_gui.core.compaction import JEV
from gacc_gui.gui.compaction.cases_list import CasesList
from gacc_gui.gui.compaction.cases_model import METHODS
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.store.reads import Reader
from tests.gui.conftest import at_rest


def test_reviews_stand_beside_what_was_judged(
    open_window: Callable[..., MainWindow], compaction_database: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    path = Path(shutil.copy(compaction_database, tmp_path / "small.db"))
    window = open_window(path)
    window.show_compaction()
    at_rest(qtbot, window)
    panel, run = window.compaction, window.session.run
    assert run is not None
    assert "Answer EM · full" in panel.headline() and panel.reviewed_text() == ""
    with Reader(path) as reader:
        rows = [
            (row.memory_id, row.question_id, row.repeat)
            for row in reader.question_results(run.run.id)
            if row.compressor == JEV and row.label == "correct"
        ]
    add_review(path, run.run.id, Decision(*rows[0], "incorrect", "Ada"))
    add_review(path, run.run.id, Decision(*rows[1], "correct", "Ada"))
    window.session.data_changed.emit()
    at_rest(qtbot, window)
    assert "EM as scored · full 0.833 10/12 · jev 0.583 7/12" in panel.headline()
    assert panel.reviewed_text() == (
        "As reviewed · full 0.833 10/12 · jev 0.500 6/12 · summary 0.750 9/12 · jev+summary 0.833 10/12"
        " · 2 answers reviewed"
    )


def test_methods_have_their_whole_names_in_a_small_window(qtbot: QtBot, small_overview: Overview) -> None:
    view = CasesList()
    qtbot.addWidget(view)
    view.resize(430, 400)
    with qtbot.waitExposed(view):
        view.show()
    view.show_overview(small_overview)
    table = view.table
    for column in range(METHODS, METHODS + 4):
        assert table.columnWidth(column) >= table.title_width(column), column
    assert not table.horizontalScrollBar().isVisible()
