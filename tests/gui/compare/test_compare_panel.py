"""The comparison through its widgets, on the demonstration and on a run of one cell."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.app.comparing import compare
from gacc_gui.app.difference_words import signed
from gacc_gui.app.importing import import_paths
from gacc_gui.core.comparison import CellComparison
from gacc_gui.gui.compare.compare_panel import NO_RUN, ComparePanel
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.panes.spans import ONLY_HERE
from gacc_gui.gui.shot import take_shot
from gacc_gui.store.reads import Reader
from tests.gui.conftest import at_rest

OpenWindow = Callable[..., MainWindow]


@pytest.fixture
def opened(open_window: OpenWindow, demo_database: Path, qtbot: QtBot) -> tuple[MainWindow, ComparePanel]:
    """A window on the demonstration that shows the comparison."""
    window = open_window(demo_database)
    return window, shown(window, qtbot)


def shown(window: MainWindow, qtbot: QtBot) -> ComparePanel:
    window.commands.run("compare")
    at_rest(qtbot, window)
    panel = window.findChild(QWidget, "comparePanel")
    assert isinstance(panel, ComparePanel)
    return panel


def figures_of(database: Path, panel: ComparePanel) -> CellComparison:
    """What the command line says of what is shown."""
    assert panel.comparison is not None
    with Reader(database) as reader:
        (cell,) = compare(reader, panel.comparison.a.text, panel.comparison.b.text).cells
    return cell


def test_it_begins_with_two_compressors_and_tells_what_the_command_tells(
    opened: tuple[MainWindow, ComparePanel], demo_database: Path
) -> None:
    _, panel = opened
    QAbstractItemModelTester(panel._model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    cell = figures_of(demo_database, panel)
    micro = panel._figures.texts()[1]
    assert micro[1:6] == [
        f"{cell.micro.a:.3f}",
        f"{cell.right_a:,}/{cell.pairs:,}",
        f"{cell.micro.b:.3f}",
        f"{cell.right_b:,}/{cell.pairs:,}",
        signed(cell.micro.difference),
    ]
    macro = panel._figures.texts()[2]
    assert f"{cell.goal_test.fixed} fixed, {cell.goal_test.broken} broken" in macro[7]
    assert panel._differs.text().startswith("Differs: compressor: ")
    for name, number in cell.buckets.items():
        assert panel._buckets.button(name).text().endswith(f" {number:,}")
    assert panel._model.rowCount() == cell.pairs


def test_buckets_filter_the_list_by_mouse_and_by_number(
    opened: tuple[MainWindow, ComparePanel], qtbot: QtBot
) -> None:
    window, panel = opened
    assert panel._rows is not None
    counts = panel._rows.counts()
    qtbot.mouseClick(panel._buckets.button("both_wrong"), Qt.MouseButton.LeftButton)
    at_rest(qtbot, window)
    assert panel._model.rowCount() == counts["both_wrong"]
    for key, bucket in (("1", "fixed"), ("2", "broken"), ("3", "both_right"), ("5", "unlabelled")):
        qtbot.keyClick(panel._table, key)
        at_rest(qtbot, window)
        assert panel._buckets.chosen == bucket
        listed = [row.bucket for line in range(panel._model.rowCount()) if (row := panel._model.row_at(line))]
        assert listed == [bucket] * counts[bucket]
    qtbot.keyClick(panel._table, "0")
    assert panel._model.rowCount() == len(panel._rows)


def test_rows_are_walked_and_shown_with_both_sides(
    opened: tuple[MainWindow, ComparePanel], demo_database: Path, qtbot: QtBot
) -> None:
    window, panel = opened
    for key in "jjjk":
        qtbot.keyClick(panel._table, key)
        at_rest(qtbot, window)
    row = panel._model.row_at(2)
    assert panel._table.chosen_row() == 2 and row is not None
    assert row.unit_a is not None and row.unit_b is not None
    with Reader(demo_database) as reader:
        views = reader.unit_view(row.unit_a), reader.unit_view(row.unit_b)
    for view, side in zip(views, (panel.sides.a, panel.sides.b), strict=True):
        assert side.pane.text() == view.memory.retained_text
        question = next(one for one in view.rows if one.question.id == row.question.id)
        if question.answer is not None and question.answer.text:
            assert question.answer.text[:20] in side.answer.text()
    a, b = panel.sides.a.pane.text(), panel.sides.b.pane.text()
    assert panel.sides.changes
    for change in panel.sides.changes:
        assert a[change.a_start : change.a_end] != b[change.b_start : change.b_end]
    assert any(span.role == ONLY_HERE for span in panel.sides.a.pane.spans("evidence"))
    qtbot.keyClick(panel._table, "n")
    first = panel.sides.changes[0]
    assert panel.sides.b.pane.selected_range() == (first.b_start, first.b_end)
    qtbot.keyClick(panel._table, "p")
    last = panel.sides.changes[-1]
    assert panel.sides.a.pane.selected_range() == (last.a_start, last.a_end)


def test_swapping_mirrors_the_figures(
    opened: tuple[MainWindow, ComparePanel], demo_database: Path, qtbot: QtBot
) -> None:
    window, panel = opened
    before = figures_of(demo_database, panel)
    qtbot.keyClick(panel._table, "x")
    at_rest(qtbot, window)
    after = figures_of(demo_database, panel)
    assert (after.a, after.b) == (before.b, before.a)
    assert after.micro.difference == -(before.micro.difference or 0)
    assert panel._figures.texts()[1][5] == signed(after.micro.difference)
    assert panel._buckets.button("fixed").text() == f"Fixed {before.buckets['broken']:,}"


def test_whole_runs_list_their_pairs_of_cells(opened: tuple[MainWindow, ComparePanel], qtbot: QtBot) -> None:
    window, panel = opened
    for letter in "AB":
        box = window.findChild(QComboBox, f"compareCells{letter}")
        assert box.itemText(0).startswith("all ")
        box.setCurrentIndex(0)
        box.activated.emit(0)
        at_rest(qtbot, window)
    assert panel.comparison is not None
    count = len(panel.comparison.cells)
    assert count > 1 and panel._cells.topLevelItemCount() == count
    panel._cells.setCurrentItem(panel._cells.topLevelItem(count - 1))
    at_rest(qtbot, window)
    cell = panel.comparison.cells[-1]
    assert panel._figures.texts()[1][2] == f"{cell.right_a:,}/{cell.pairs:,}"
    assert cell.a == cell.b and panel._buckets.button("fixed").text() == "Fixed 0"


def test_a_side_is_looked_at_in_the_inspector(opened: tuple[MainWindow, ComparePanel], qtbot: QtBot) -> None:
    window, panel = opened
    panel.step(3)
    at_rest(qtbot, window)
    row = panel._row
    assert row is not None
    for key, unit in (("b", row.unit_b), ("a", row.unit_a)):
        window.commands.run("compare")
        at_rest(qtbot, window)
        qtbot.keyClick(panel._table, key)
        at_rest(qtbot, window)
        assert window.views.current_name == "inspector"
        assert window.session.unit is not None and window.session.unit.unit == unit
        assert window.session.question == row.question.id


def test_the_command_is_copied(opened: tuple[MainWindow, ComparePanel]) -> None:
    window, panel = opened
    window.commands.run("copy-comparison")
    assert panel.comparison is not None
    copied = QApplication.clipboard().text()
    assert copied.startswith("gacc-gui compare ") and panel.comparison.a.text in copied.replace("'", "")


def another(document: dict[str, Any], run_id: str) -> dict[str, Any]:
    twin = copy.deepcopy(document)
    twin["run"] |= {
        "id": run_id,
        "name": "<b>another</b> run",
        "reader": {"name": "<i>x</i>", "revision": "2"},
    }
    twin["memories"][0]["compressor"]["name"] = "tail"
    twin["verdicts"][1]["label"] = "correct"
    twin["questions"][2]["text"] += " <b>Really?</b>"
    return twin


def test_two_runs_with_a_question_that_differs(
    open_window: OpenWindow, run_document: dict[str, Any], tmp_path: Path, qtbot: QtBot
) -> None:
    database = tmp_path / "a.db"
    for document in (run_document, another(run_document, "twin")):
        path = tmp_path / f"{document['run']['id']}.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        import_paths(database, [path])
    from gacc_gui.gui.opening import Place

    window = open_window(database, place=Place("small"))
    panel = shown(window, qtbot)
    assert panel.comparison is not None
    assert (panel.comparison.a.text, panel.comparison.b.text) == ("small", "twin")
    assert "reader: rule 1 → <i>x</i> 2" in panel._differs.text()
    assert panel._differs.textFormat() == Qt.TextFormat.PlainText
    assert panel._buckets.button("texts_differ").text() == "Texts differ 2"
    qtbot.keyClick(panel._table, "8")
    at_rest(qtbot, window)
    assert panel._model.rowCount() == 2
    assert "Not paired" in panel.sides.a.verdict.text() + panel.sides.b.verdict.text()
    # B's row is in another run: the inspector changes to it.
    qtbot.keyClick(panel._table, "1")
    at_rest(qtbot, window)
    qtbot.keyClick(panel._table, "b")
    qtbot.waitUntil(lambda: window.session.unit is not None and window.session.unit.run.id == "twin")
    at_rest(qtbot, window)
    assert window.session.question == "q2"
    # Back here, the same two are compared.
    panel = shown(window, qtbot)
    assert panel.comparison is not None and panel.comparison.a.text == "small"


def test_one_cell_alone_says_what_to_do(
    open_window: OpenWindow,
    run_document: dict[str, Any],
    run_file: Callable[..., Path],
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    database = tmp_path / "a.db"
    import_paths(database, [run_file(run_document)])
    window = open_window(database)
    panel = shown(window, qtbot)
    assert "the open run has one cell, and there is no other run" in panel._message.text()
    assert panel._message.isVisible() and not panel._copy.isEnabled() and not panel._swap.isEnabled()
    window.session.choose_run(None)
    at_rest(qtbot, window)
    assert panel._message.text() == NO_RUN


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures(demo_database: Path, tmp_path: Path, theme: str, qapp: QApplication) -> None:
    out = tmp_path / f"{theme}.png"
    take_shot(demo_database, out, view="compare", theme=theme)
    assert out.stat().st_size > 20_000
