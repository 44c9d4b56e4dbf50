from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from gacc_gui.core.records import Run
from gacc_gui.gui.background import Background
from gacc_gui.gui.lists.runs_model import RunsModel, detail_words, identity_words
from gacc_gui.gui.lists.runs_view import RunsView
from gacc_gui.gui.session import Session
from gacc_gui.store.rows import RunSummary

Make = Callable[..., RunSummary]
SPOKEN = Qt.ItemDataRole.AccessibleTextRole


@pytest.fixture
def background(qtbot: QtBot) -> Iterator[Background]:
    worker = Background()
    yield worker
    worker.shutdown()


def test_runs_stand_in_natural_order(run_summary: Make) -> None:
    model = RunsModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)
    model.set_runs([run_summary("run10"), run_summary("run1"), run_summary("z", "run9")])
    assert [model.data(model.index(row)) for row in range(3)] == ["run1", "run9", "run10"]
    assert model.row_of("z") == 1 and model.row_of("run2") == -1
    del tester


def test_a_run_says_its_sizes_identity_and_state(run_summary: Make) -> None:
    assert detail_words(run_summary("r", search_ready=False)).startswith("search index building …")
    assert "4 goals · 12 questions" in detail_words(run_summary("r"))
    model = RunsModel()
    model.set_runs([run_summary("r", "a <b>run</b>", diagnostic=True)])
    assert "diagnostic only" in model.data(model.index(0), SPOKEN)
    assert "&lt;b&gt;" in model.data(model.index(0), Qt.ItemDataRole.ToolTipRole)


@pytest.mark.parametrize(
    ("declared", "verified", "words"),
    [
        (True, True, "cl100k_base ✓ verified"),
        (True, False, "cl100k_base not verified (declared verified)"),
        (False, True, "cl100k_base ✓ verified (declared unverified)"),
        (None, False, "cl100k_base not verified"),
    ],
)
def test_the_claim_stands_beside_our_finding(declared: bool | None, verified: bool, words: str) -> None:
    run = Run("r", tokenizer={"name": "cl100k_base"})
    assert identity_words(RunSummary(run, 1, 1, 1, declared, verified, True)) == words


def test_a_run_without_tokenizer_or_with_an_odd_one_is_shown(run_summary: Make) -> None:
    assert identity_words(run_summary("r")) == "no tokenizer not verified"
    odd = RunSummary(Run("r", tokenizer={"name": 7}), 1, 1, 1, None, False, True)
    assert identity_words(odd) == "no tokenizer not verified"


def test_the_view_is_as_high_as_its_runs_and_no_higher(
    qtbot: QtBot, background: Background, run_summary: Make
) -> None:
    view = RunsView(Session(background), background)
    qtbot.addWidget(view)
    empty = view.sizeHint().height()
    heights = []
    for count in (1, 2, 4, 5, 300):
        view.show_runs([run_summary(f"r{n}") for n in range(count)])
        heights.append(view.sizeHint().height())
    assert empty <= heights[0] < heights[1] < heights[2] < heights[3] == heights[4]


def test_choosing_another_run_tells_the_session_and_menus_ask(
    qtbot: QtBot, background: Background, run_summary: Make
) -> None:
    session = Session(background)
    view = RunsView(session, background)
    qtbot.addWidget(view)
    with qtbot.waitExposed(view):
        view.show()
    runs = [run_summary("r1"), run_summary("r2")]
    view.show_runs(runs)
    session.show_run(runs[0])
    assert view.currentIndex().row() == 0
    with qtbot.waitSignal(view.rename_asked) as asked:
        qtbot.keyClick(view, Qt.Key.Key_F2)
    assert asked.args == [runs[0]]
    with qtbot.waitSignal(view.delete_asked) as asked:
        qtbot.keyClick(view, Qt.Key.Key_Delete)
    assert asked.args == [runs[0]]
