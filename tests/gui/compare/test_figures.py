"""The figures of a comparison in words, as judged and as reviewed, and what the boxes say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.app.compared_reviews import ReviewedCells
from gacc_gui.app.difference_words import NO_SPREAD, interval_words
from gacc_gui.app.importing import import_paths
from gacc_gui.app.reviewing import Decision, Reviewed, add_review, reviewed_of
from gacc_gui.core.comparison import BUCKETS, CellComparison, Difference, GoalTest
from gacc_gui.core.records import Cell, Run
from gacc_gui.core.selector import Selector
from gacc_gui.gui.compare.cells_table import CellsTable
from gacc_gui.gui.compare.compare_panel import ComparePanel
from gacc_gui.gui.compare.figures_grid import FiguresGrid
from gacc_gui.gui.compare.offers import Chosen, RunOffers, offers_of
from gacc_gui.gui.compare.side_choice import SideChoice
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.store.reads import Reader
from gacc_gui.store.rows import RunSummary
from tests.gui.conftest import at_rest


def cells(revision_a: str = "1", revision_b: str = "1", fixed: int = 0) -> CellComparison:
    same = Difference(0.0, fixed / 48, fixed / 48, (0.0, fixed / 48))
    return CellComparison(
        a=Cell("pick", revision_a, "own-goal", "0.1"),
        b=Cell("pick", revision_b, "own-goal", "0.1"),
        contexts=8,
        goals=48,
        pairs=240,
        buckets=dict.fromkeys(BUCKETS, 0),
        right_a=0,
        right_b=0,
        right_goals_a=0,
        right_goals_b=fixed,
        micro=Difference(0.1, 0.2, 0.1, (0.05, 0.15)),
        macro=same,
        goal_test=GoalTest(fixed, 0, 1.0, 1),
    )


def test_no_interval_where_every_context_says_the_same(qtbot: QtBot) -> None:
    assert interval_words((0.0, 0.0)) == interval_words((1.0, 1.0)) == NO_SPREAD
    assert interval_words((-0.1, 0.2)) == "−0.100 … +0.200"
    assert interval_words(None) == "–"
    grid = FiguresGrid()
    qtbot.addWidget(grid)
    grid.show_figures(cells())
    _, micro, macro, *_ = grid.texts()
    assert micro[6] == "+0.050 … +0.150" and macro[6] == NO_SPREAD
    assert macro[7] == "goals: no discordant goals, nothing to test"
    grid.show_figures(cells(fixed=2))
    assert "2 fixed, 0 broken · McNemar" in grid.texts()[2][7]


def test_as_reviewed_stands_below_as_judged(qtbot: QtBot) -> None:
    grid = FiguresGrid()
    qtbot.addWidget(grid)
    with qtbot.waitExposed(grid):
        grid.show()
    grid.show_figures(cells())
    low = grid.sizeHint().height()
    assert [line[0] for line in grid.texts()] == ["", "Micro", "Macro", "", ""]
    grid.show_figures(cells(), ReviewedCells(3, cells(fixed=2)))
    names = ["Micro, as judged", "Macro, as judged", "Micro, as reviewed", "Macro, as reviewed"]
    assert [line[0] for line in grid.texts()[1:]] == names
    assert "3 rows decided" in grid.texts()[3][7] and grid.texts()[4][4] == "2/48"
    assert grid.sizeHint().height() > low
    grid.show_figures(cells())
    assert grid.sizeHint().height() == low and grid.texts()[1][0] == "Micro"


def test_pairs_of_two_revisions_are_told_apart(qtbot: QtBot) -> None:
    table = CellsTable()
    qtbot.addWidget(table)

    def names(*pairs: CellComparison) -> list[tuple[str, str]]:
        table.show_cells(pairs, 0)
        items = [table.topLevelItem(n) for n in range(table.topLevelItemCount())]
        return [(item.text(0), item.text(1)) for item in items]

    first, second = "pick 1 · own · 0.1", "pick 2 · own · 0.1"
    assert names(cells(), cells("2", "2")) == [(first, first), (second, second)]
    assert names(cells("1", "2")) == [(first, second)]
    assert names(cells(), cells()) == [("pick · own · 0.1",) * 2] * 2


def test_a_run_of_one_cell_as_a_whole_is_called_like_its_cell(qtbot: QtBot) -> None:
    choice = SideChoice("A")
    qtbot.addWidget(choice)
    one = [Cell("lead", "1", "own-goal", "0.5")]

    def shown(found: list[Cell], selector: Selector) -> str:
        summary = RunSummary(Run("r"), 1, 1, 1, None, False, True)
        offers = RunOffers(summary, tuple(found), tuple(offers_of(found)))
        choice.show_choice([offers], Chosen("r", selector))
        return str(choice._cells.currentText())

    assert shown(one, Selector()) == "lead · own · 0.5"
    assert choice._cells.count() == 1 and choice.chosen == Chosen("r", Selector())
    assert shown([], Selector()) == "no cells"
    two = [*one, Cell("lead", "1", "own-goal", "0.1")]
    assert shown(two, Selector()) == "all 2 cells"
    assert shown(two, Selector(ratio="0.5")) == "ratio=0.5"
    choice.show_choice([], None)
    assert not choice.isEnabled()


@pytest.fixture
def twins(tmp_path: Path, run_file: Callable[..., Path], run_document: dict[str, Any]) -> Path:
    """A database with two runs of one cell each."""
    database = tmp_path / "a.db"
    import_paths(database, [run_file(run_document)])
    run_document["run"] |= {"id": "twin", "name": "the twin"}
    import_paths(database, [run_file(run_document, "twin.json")])
    return database


def told(window: MainWindow, run_id: str) -> Reviewed:
    assert window.opener.path is not None
    with Reader(window.opener.path) as reader:
        return reviewed_of(reader, run_id)


def test_a_decision_changes_what_is_shown(
    open_window: Callable[..., MainWindow], twins: Path, qtbot: QtBot
) -> None:
    from gacc_gui.gui.opening import Place

    window = open_window(twins, place=Place("small"))
    window.commands.run("compare")
    at_rest(qtbot, window)
    panel = window.findChild(QWidget, "comparePanel")
    assert isinstance(panel, ComparePanel)
    assert panel._figures.texts()[1][0] == "Micro"
    for decision in ("correct", "clear"):
        add_review(twins, "small", Decision("m1", "q2", 0, decision, "Ada"))
        window.session.show_reviewed(told(window, "small"))
        at_rest(qtbot, window)
        reviewed = decision == "correct"
        assert panel._figures.texts()[1][0] == ("Micro, as judged" if reviewed else "Micro")
        assert ("as judged" in panel._notes.text()) == reviewed
        assert panel._figures.texts()[3][2:5] == (["2/3", "0.333", "1/3"] if reviewed else [""] * 3)


def test_a_chart_says_that_it_is_as_judged(
    open_window: Callable[..., MainWindow], twins: Path, qtbot: QtBot
) -> None:
    from gacc_gui.app.charting import run_charts
    from gacc_gui.core.charts import NoChart
    from gacc_gui.gui.opening import Place

    window = open_window(twins, place=Place("small"))
    window.commands.run("charts")
    at_rest(qtbot, window)
    panel: Any = window.findChild(QWidget, "chartsPanel")
    said = "As judged; reviewers have decided on 1 row of this run."
    for key, is_judged in (("causes", True), ("ledger", False), ("heat", True), ("places", False)):
        panel.show_key(key)
        at_rest(qtbot, window)
        assert panel.chart is not None and said not in panel.chart.caption
        add_review(twins, "small", Decision("m1", "q2", 0, "correct", "Ada"))
        window.session.show_reviewed(told(window, "small"))
        at_rest(qtbot, window)
        assert (said in panel.chart.caption) == is_judged == (said in panel._caption.text())
        add_review(twins, "small", Decision("m1", "q2", 0, "clear", "Ada"))
        window.session.show_reviewed(told(window, "small"))
        at_rest(qtbot, window)
        assert said not in panel._caption.text()
    add_review(twins, "small", Decision("m1", "q2", 0, "correct", "Ada"))
    with Reader(twins) as reader:
        charts = {chart.key: chart for chart in run_charts(reader, "small")}
    shown = {key: chart.caption for key, chart in charts.items() if not isinstance(chart, NoChart)}
    assert {key for key, caption in shown.items() if said in caption} == shown.keys() - {"ledger", "places"}
