"""The figures of each cell: as `metrics` gives them, in an order that one can ask for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QTreeWidget
from pytestqt.qtbot import QtBot

from gacc_gui.app.metrics import run_metrics
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.side.figures_view import COLUMNS, ORIGIN
from gacc_gui.store.reads import Reader
from tests.gui.conftest import at_rest

OpenWindow = Callable[..., MainWindow]
PLACES = {column.title: place for place, column in reversed(list(enumerate(COLUMNS)))}


def _column(tree: QTreeWidget, title: str) -> list[str]:
    return [tree.topLevelItem(row).text(PLACES[title]) for row in range(tree.topLevelItemCount())]


def test_figures_are_those_of_metrics(open_window: OpenWindow, demo_database: Path, qtbot: QtBot) -> None:
    window = open_window(demo_database)
    tree = window.findChild(QTreeWidget, "figuresTable")
    assert tree.topLevelItemCount() == 0, "hidden views do not read"
    window.commands.run("figures")
    at_rest(qtbot, window)
    with Reader(demo_database) as reader:
        cells = run_metrics(reader, "demo").cells
    assert _column(tree, "Macro") == [f"{cell.macro.errors_as_wrong:.3f}" for cell in cells]
    assert _column(tree, "Goals") == [f"{cell.right_goals}/{cell.goals}" for cell in cells]
    assert [int(text or 0) for text in _column(tree, "T")] == [
        cell.causes.get("truncation", 0) for cell in cells
    ]
    assert tree.isColumnHidden(ORIGIN)


def test_no_two_columns_have_the_same_title() -> None:
    titles = [column.title for column in COLUMNS]
    assert len(set(titles)) == len(titles)
    assert {"Macro 95 %", "Micro 95 %", "Macro without errors", "Micro without errors"} <= set(titles)


def test_cells_are_split_by_origin(open_window: OpenWindow, demo_database: Path, qtbot: QtBot) -> None:
    window = open_window(demo_database)
    window.show_figures()
    at_rest(qtbot, window)
    tree = window.findChild(QTreeWidget, "figuresTable")
    whole = tree.topLevelItemCount()
    window.figures._origins.setChecked(True)
    at_rest(qtbot, window)
    with Reader(demo_database) as reader:
        cells = run_metrics(reader, "demo", by_origin=True).cells
    assert tree.topLevelItemCount() == len(cells) > whole
    assert _column(tree, "Origin") == [cell.origin for cell in cells]


def test_a_heading_orders_and_what_has_no_value_stands_last(
    open_window: OpenWindow, demo_database: Path, qtbot: QtBot
) -> None:
    window = open_window(demo_database)
    window.show_figures()
    at_rest(qtbot, window)
    tree = window.findChild(QTreeWidget, "figuresTable")
    for title in ("Micro", "Ratio"):
        tree.header().sectionClicked.emit(PLACES[title])
        values = [float(text) for text in _column(tree, title)]
        assert values == sorted(values, reverse=True)
        tree.header().sectionClicked.emit(PLACES[title])
        values = [float(text) for text in _column(tree, title)]
        assert values == sorted(values)
    shares = PLACES["Unsupported"]
    for _ in range(2):
        tree.header().sectionClicked.emit(shares)
        empty = [text == "" for text in _column(tree, "Unsupported")]
        assert empty == sorted(empty)


def test_a_cell_leads_to_its_goals(open_window: OpenWindow, demo_database: Path, qtbot: QtBot) -> None:
    window = open_window(demo_database)
    window.show_figures()
    at_rest(qtbot, window)
    tree = window.findChild(QTreeWidget, "figuresTable")
    tree.itemActivated.emit(tree.topLevelItem(3), 0)
    at_rest(qtbot, window)
    assert window.views.currentWidget() is window.inspector
    choice, cell = window.session.choice, window.figures._cells[3].cell
    assert (choice.compressor, choice.condition, choice.ratio) == (
        cell.compressor,
        cell.condition,
        cell.ratio,
    )
    assert window.inspector.goals.model.rowCount() == window.figures._cells[3].goals
