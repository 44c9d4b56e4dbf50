"""A blind review of a compaction run: its view does not tell how a hidden answer was scored."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QTableWidgetItem, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.app.compaction_views import Overview
from gacc_gui.core.causes import VEILED
from gacc_gui.core.compaction import METHODS as NAMES
from gacc_gui.gui.compaction.cases_model import METHODS
from gacc_gui.gui.compaction.cases_table import Chosen
from gacc_gui.gui.compaction.headline_words import headline_words
from gacc_gui.gui.compaction.methods_page import HIDDEN_FIGURES, method_lines
from gacc_gui.gui.compaction.veiling import veiled_overview
from gacc_gui.gui.compaction.words import cause_of
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.veil import Veil
from gacc_gui.store.rows import CellChoice
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


def test_a_figure_over_hidden_answers_is_hidden_in_table_and_headline(small_overview: Overview) -> None:
    """One hidden answer is enough: with those that are seen, what they come to would tell of it."""
    bridge = small_overview.cases[0].kind
    one = small_overview.cases[0].cells[NAMES[1]][0]
    assert one.unit is not None and one.memory_id is not None
    veiled = veiled_overview(small_overview, Veil({one.unit: {0: (one.memory_id, one.case, one.repeat)}}))
    told = {line.title: line for line in method_lines(veiled)}
    before = {line.title: line for line in method_lines(small_overview)}
    for title, line in told.items():
        follows = not title.startswith("Input tokens") and title != "EM, comparison"
        assert (line.values[1] == "?") == follows, title
        assert [line.values[n] for n in (0, 2, 3)] == [before[title].values[n] for n in (0, 2, 3)]
        assert not follows or f"{NAMES[1]}: " not in line.hint or f"{NAMES[1]}: ?" in line.hint
    assert f"EM, {bridge}" in told and "EM, comparison" in told
    assert f" · {NAMES[1]} ? · " in headline_words(veiled) and "hypothesis hidden" in headline_words(veiled)
    assert f"{NAMES[0]} ?" not in headline_words(veiled)


def test_the_views_figures_come_back_with_the_last_decision(person: Person, qtbot: QtBot) -> None:
    window = person.window
    window.show_compaction()
    at_rest(qtbot, window)
    panel = window.compaction
    headline = panel.headline()
    person.begin("Ada", 4, seed=7)
    window.show_compaction()
    at_rest(qtbot, window)
    panel.show_page("Methods")

    def left() -> set[str]:
        rows = {row for row in person.queued() if row not in window.session.veil.seen}
        cells = (c for case in panel.overview.cases for some in case.cells.values() for c in some)
        return {cell.method for cell in cells if (cell.memory_id, cell.case, cell.repeat) in rows}

    def decide() -> None:
        window.views.show_view("review")
        person.panel.page.setFocus()
        person.press("1", Qt.Key.Key_Return)
        window.show_compaction()
        at_rest(qtbot, window)

    seen_in_part = 0
    for _ in person.queued():
        if not left():
            break
        table = panel.methods.table
        for column, name in enumerate(NAMES, 1):
            item = table.item(0, column)
            assert item is not None
            assert (item.text() == "?") == (name in left()) == (f"{name} ?" in panel.headline())
            if panel.reviewed_text():
                assert (f"{name} ?" in panel.reviewed_text()) == (name in left())
        assert "hypothesis hidden" in panel.headline() and HIDDEN_FIGURES in panel.methods.text()
        assert " − " not in "".join(line for line in panel.methods.text().splitlines() if "? hidden" in line)
        seen_in_part += 0 < len(left()) < len(NAMES)
        decide()
    assert seen_in_part and not left()
    assert panel.headline().replace("EM as scored", "Answer EM") == headline
    assert "?" not in panel.reviewed_text() and HIDDEN_FIGURES not in panel.methods.text()


def test_the_matrix_counts_only_what_is_in_sight(person: Person, qtbot: QtBot) -> None:
    window = person.window
    person.begin("Ada", 48)
    window.views.show_view("matrix")
    at_rest(qtbot, window)
    view = cast(Any, window.views.view("matrix"))
    hidden = []
    for _ in range(3):
        matrix = view.model.matrix
        letters = [letter for place in matrix.places[0] for letter in place.letters]
        hidden.append(letters.count("?"))
        seen = [letter for letter in letters if letter != "?"]
        right = f"{seen.count('✓')} of {len(seen)} answer{'s' if len(seen) > 1 else ''} right"
        facts = view.findChild(QWidget, "matrixFacts").text()
        assert facts == (
            f"1 question over 4 methods in 16 answers; {right if seen else 'none in sight'}"
            f", {hidden[-1]} hidden until you have decided (?)."
        )
        view.next_goal()
        at_rest(qtbot, window)
    assert min(hidden) < 16 == max(hidden)  # what has no score is in no queue


def test_charts_of_methods_have_no_figure_of_hidden_answers(person: Person, qtbot: QtBot) -> None:
    window = person.window
    person.begin("Ada", 48)
    window.views.show_view("charts")
    panel = cast(Any, window.views.view("charts"))
    for key in ("scores", "kinds"):
        panel.show_key(key)
        at_rest(qtbot, window)
        bars = [bar for group in panel.chart.groups for bar in group.bars]
        assert {bar.words for bar in bars} == {"? hidden until you have decided"}
        assert all(bar.size is None and not bar.rest for bar in bars) and " of 1" not in panel.chart.caption
    for key in ("causes", "places"):
        panel.show_key(key)
        at_rest(qtbot, window)
        assert panel.chart is None and panel.sentence().startswith("Hidden (?), as long as an answer")
    window.views.show_view("review")
    qtbot.mouseClick(person.panel.bar.end, Qt.MouseButton.LeftButton)
    window.views.show_view("charts")
    at_rest(qtbot, window)
    panel.show_key("causes")
    at_rest(qtbot, window)
    assert panel.chart is not None and not panel.sentence()
    panel.show_key("scores")
    at_rest(qtbot, window)
    assert all(bar.size is not None for group in panel.chart.groups for bar in group.bars)


def test_the_lists_of_figures_have_none_either(person: Person, qtbot: QtBot) -> None:
    window = person.window
    window.show_inspector()
    at_rest(qtbot, window)
    headline, side = window.inspector.headline, window.inspector.side
    before = headline.text()
    assert before.startswith("EM 0.") and "if mended" in texts_of(side.mended)
    mended = texts_of(side.mended)
    person.begin("Ada", 1, seed=7)
    card = person.panel.page.card
    assert card is not None
    window.show_inspector()
    at_rest(qtbot, window)
    assert headline.text().startswith("EM ? hidden until you have decided")
    assert person.panel.headline() == "EM ?" and side.mended.isHidden()
    window.views.show_view("figures")
    at_rest(qtbot, window)
    figures = cast(Any, window.views.view("figures"))
    assert figures._tree.topLevelItemCount() == 0 and figures._words.text().startswith(
        "Hidden, as long as an"
    )

    # of other methods there is nothing to hide
    hidden = next(iter(window.session.veil.charted.values()))[1]
    for name in NAMES:
        window.session.choose_cells(CellChoice(name))
        at_rest(qtbot, window)
        assert headline.text().startswith("EM ?") == (name == hidden.compressor)
    window.session.choose_cells(CellChoice())
    at_rest(qtbot, window)
    window.views.show_view("review")
    person.panel.page.setFocus()
    person.press("1")
    window.views.show_view("figures")
    at_rest(qtbot, window)
    assert figures._tree.topLevelItemCount() == len(NAMES)
    assert before.startswith(
        headline.text().removeprefix("As scored ").split(" every")[0].split(" failed")[0]
    )
    assert (
        "1 answer reviewed" in headline.reviewed_text()
        and not side.mended.isHidden()
        and texts_of(side.mended) == mended
    )


def texts_of(widget: QWidget) -> str:
    return " ".join(label.text() for label in widget.findChildren(QLabel) if not label.isHidden())
