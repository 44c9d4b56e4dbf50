"""A blind review of a compaction run: its view does not tell how a hidden answer was scored."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTableWidgetItem
from pytestqt.qtbot import QtBot

from gacc_gui.app.compaction_views import Overview
from gacc_gui.core.causes import VEILED
from gacc_gui.core.compaction import METHODS as NAMES
from gacc_gui.gui.compaction.cases_model import METHODS
from gacc_gui.gui.compaction.cases_table import Chosen
from gacc_gui.gui.compaction.methods_page import method_lines
from gacc_gui.gui.compaction.veiling import veiled_overview
from gacc_gui.gui.compaction.words import cause_of
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.veil import Veil
from tests.gui.conftest import at_rest
from tests.gui.review.reviewer import Person

SPOKEN = Qt.ItemDataRole.AccessibleTextRole


@pytest.fixture
def person(
    qtbot: QtBot, open_window: Callable[..., MainWindow], tmp_path: Path, compaction_database: Path
) -> Person:
    return Person(qtbot, open_window(Path(shutil.copy(compaction_database, tmp_path / "mine.db"))))


def answers_shown(window: MainWindow, column: int) -> list[str]:
    table = window.compaction.case_page.answers
    items = [table.item(row, column) for row in range(table.rowCount())]
    assert all(isinstance(item, QTableWidgetItem) for item in items)
    return [f"{item.text()}\n{item.toolTip()}" for item in items if item is not None]


def test_a_hidden_answer_is_hidden_there_until_one_has_decided(person: Person, qtbot: QtBot) -> None:
    window = person.window
    window.show_compaction()
    at_rest(qtbot, window)
    panel = window.compaction
    whole = panel.overview
    assert whole is not None
    person.begin("Ada", 16)
    card = person.panel.page.card
    assert card is not None
    window.show_compaction()
    at_rest(qtbot, window)
    assert panel.overview is not None
    veil, model = window.session.veil, panel.list.model
    cells = [cell for case in panel.overview.cases for some in case.cells.values() for cell in some]
    hidden = [cell for cell in cells if cell.unit is not None and veil.places(cell.unit)]
    assert len(hidden) > 10
    assert {cause_of(cell) for cell in hidden} == {VEILED} and {cell.em for cell in hidden} == {0}

    # the list: mark, count, what is spoken
    for cell in hidden:
        index = model.index(model.row_of(cell.case), METHODS + NAMES.index(cell.method))
        assert index.data().startswith("?/")
        line = str(index.data(SPOKEN)).splitlines()[1 + 2 * cell.generation + cell.repeat]
        assert line.endswith(": hidden")
    # its order and its filter: what is hidden stands last, and is neither right nor wrong
    for column, method in enumerate(NAMES, METHODS):
        for descending in (False, True):
            model.show_ordered(column, descending)
            kept = [case.hides(method) for case in model.rows]
            assert kept == sorted(kept), method
    for text in ("right", "wrong", "✓", "dropped", "lost", "missed", "form", "failed"):
        panel.list.filter.setText(f"cause:{text}")
        open_causes = {cause_of(cell) for case in model.rows for some in case.cells.values() for cell in some}
        assert not model.rows or open_causes - {VEILED}
    panel.list.filter.setText("")

    # the case in full
    entry = next(cell for cell in hidden if cell.unit == card.unit)
    panel.table.choose(Chosen.of(entry))
    panel.table.cell_chosen.emit(Chosen.of(entry))
    at_rest(qtbot, window)
    place = panel.case_page.answers.currentColumn()
    told = answers_shown(window, place)
    assert [text.splitlines()[0] for text in told[2:6]] == ["?", "?", "?", "hidden"]
    assert "hidden until you have decided" in told[5] and not set("✓✗−") & set("".join(told))

    # one's own decision lifts it: the very cell, as it was
    window.views.show_view("review")
    person.panel.page.setFocus()
    person.press("1")
    window.show_compaction()
    at_rest(qtbot, window)
    case, before = panel.overview.case(entry.case), whole.case(entry.case)
    assert case is not None and before is not None
    at = 2 * entry.generation + entry.repeat
    assert case.cells[entry.method][at] == before.cells[entry.method][at]
    assert answers_shown(window, place)[2].startswith(("0 · ", "1 · ", "0.", "–"))
    # and the end of the queue all others
    window.views.show_view("review")
    qtbot.mouseClick(person.panel.bar.end, Qt.MouseButton.LeftButton)
    at_rest(qtbot, window)
    assert panel.overview == whole


def test_a_figure_that_is_all_hidden_is_none(small_overview: Overview) -> None:
    """With every answer of a method in a blind queue, what they come to would tell of them."""
    kind = small_overview.cases[0].kind
    cells = [
        cell
        for case in small_overview.cases
        for method in NAMES
        for cell in case.cells[method]
        if method == NAMES[1] or (method == NAMES[2] and case.kind == kind)
    ]
    veil = Veil(
        {cell.unit: {0: (str(cell.memory_id), cell.case, cell.repeat)} for cell in cells if cell.unit}
    )
    told = {line.title: line for line in method_lines(veiled_overview(small_overview, veil))}
    before = {line.title: line for line in method_lines(small_overview)}
    assert told["Answer EM"].values[1] == "?" and f"{NAMES[1]}: ?" in told["Answer EM"].hint
    assert [told["Answer EM"].values[n] for n in (0, 2, 3)] == [
        before["Answer EM"].values[n] for n in (0, 2, 3)
    ]
    assert told[f"EM, {kind}"].values[1:3] == ("?", "?")
    assert told["Condition failed"].values[1] == "?" != before["Condition failed"].values[1]
