"""The views that both benchmarks share, on a compaction run: cases, methods and EM, and nothing of GACC's."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QToolButton, QTreeWidget, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.app.compaction_views import Overview
from gacc_gui.core.charts import MethodChart
from gacc_gui.gui.asking import Asker
from gacc_gui.gui.compare.pairs_model import PLACES as COLUMNS
from gacc_gui.gui.compare.pairs_table import PairsTable
from gacc_gui.gui.lists.goals_model import PLACES
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.store.reads import Reader
from tests.gui.conftest import at_rest

FOREIGN = re.compile(
    r"\b(judge\w*|Micro|Macro|goals?|verdicts?|compressors?|ratio|condition|McNemar)\b", re.I
)
"""Words of the other benchmark."""
_KEYED = re.compile(r"[\w-]+:\S+")
"""A term of the filter's language, which is one for both."""


class Answers(Asker):
    """Answers where a chart is to be written."""

    target: Path | None = None

    def chart_target(self, parent: QWidget, suggestion: str) -> Path | None:
        return self.target


@pytest.fixture
def window(open_window: Callable[..., MainWindow], compaction_database: Path, qtbot: QtBot) -> MainWindow:
    made = open_window(compaction_database, asker=Answers())
    at_rest(qtbot, made)
    return made


def show(window: MainWindow, qtbot: QtBot, command: str) -> Any:
    window.commands.run(command)
    at_rest(qtbot, window)
    return window.views.currentWidget()


def seen(view: QWidget) -> list[str]:
    """What a person reads there: labels, buttons, their hints, and the heads of tables that are seen."""
    texts = []
    for part in view.findChildren(QWidget):
        if not part.isVisibleTo(view):
            continue
        if isinstance(part, QLabel | QToolButton):
            texts += [part.text(), part.toolTip()]
        if isinstance(part, QTreeWidget):
            head = part.headerItem()
            shown = [column for column in range(part.columnCount()) if not part.isColumnHidden(column)]
            texts += [text for column in shown for text in (head.text(column), head.toolTip(column))]
    return [_KEYED.sub("", text) for text in texts if text]


def test_no_view_speaks_of_the_other_benchmark(window: MainWindow, qtbot: QtBot) -> None:
    # A cause is called as the filter calls it.
    causes = re.compile(r"\b(compressor|judge|no verdict)[:.] ", re.IGNORECASE)
    for command in ("figures", "charts", "matrix", "compare", "review", "agreement"):
        texts = seen(show(window, qtbot, command))
        assert len(texts) > 3
        assert [text for text in texts if FOREIGN.search(causes.sub("", text))] == [], command


def test_the_lists_speak_of_cases(window: MainWindow) -> None:
    assert "failing answers" in window._keys.text()
    assert not FOREIGN.search(_KEYED.sub("", window.inspector.headline.text()))
    texts = [text for text in seen(window.inspector.goals) if FOREIGN.search(text)]
    assert texts == []
    model = window.inspector.goals.model
    for section in range(model.columnCount()):
        for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            title = model.headerData(section, Qt.Orientation.Horizontal, role)
            assert not FOREIGN.search(str(title)), title
    cells = [
        str(model.index(row, PLACES["cell"]).data(role))
        for row in range(model.rowCount())
        for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
    ]
    assert any("answer 1" in text for text in cells) and not any("rep" in text for text in cells)


def test_where_no_budget_cuts_there_is_none_to_try(
    window: MainWindow, open_window: Callable[..., MainWindow], demo_database: Path
) -> None:
    side = window.inspector.side
    assert side.what_if.isHidden() and not side.boundary.isHidden()
    assert not open_window(demo_database).inspector.side.what_if.isHidden()


def test_answers_are_shown_as_read_with_the_reply_at_hand(window: MainWindow, qtbot: QtBot) -> None:
    panel = show(window, qtbot, "compare")
    a = panel.sides.a
    said = a.answer.text()
    assert said.startswith("Answer: ") and "Supporting facts named: [" in said and "{" not in said
    raw = panel.findChild(QToolButton, "compareRawA")
    qtbot.mouseClick(raw, Qt.MouseButton.LeftButton)
    assert a.answer.text().startswith('Raw reply: {"answer"')
    qtbot.mouseClick(raw, Qt.MouseButton.LeftButton)
    assert a.answer.text() == said
    show(window, qtbot, "inspector")
    window.session.choose_unit(window.inspector.goals.model.units[-1])  # the right ones are last
    at_rest(qtbot, window)
    row = window.session.question_row
    assert row is not None and row.answer is not None
    detail: Any = window.findChild(QWidget, "detailArea")
    assert detail.section("reply").texts() == (row.answer.text,)
    assert "{" not in detail.section("answer").texts()[0]
    assert any(caption.startswith("Answer EM ") for caption in detail.section("verdict").captions())


def test_the_comparison_counts_cases(window: MainWindow, qtbot: QtBot) -> None:
    panel = show(window, qtbot, "compare")
    titles, em, tested, *_ = panel._figures.texts()
    assert em[0] == "EM" and "95 % over cases" in titles and "3 cases" in em[-1]
    assert tested[-1].startswith("cases: ") and "better in B" in tested[-1]
    assert "each case once" in panel.findChild(QWidget, "compareNotes").text()
    pairs = panel.findChild(PairsTable).model()
    places = [str(pairs.index(row, COLUMNS["repeat"]).data()) for row in range(pairs.rowCount())]
    assert "answer 0" in places and "gen 1 · answer 1" in places
    head = [
        pairs.headerData(COLUMNS["repeat"], Qt.Orientation.Horizontal, role)
        for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
    ]
    assert head == ["Answer", "Generation and answer, where there are several"]


def test_the_matrix_is_headed_by_the_question(
    window: MainWindow, qtbot: QtBot, small_overview: Overview
) -> None:
    view = show(window, qtbot, "matrix")
    case = next(one for one in small_overview.cases if one.id == view.goal_id)
    assert view._title.text() == f"{case.id} · {case.question}"
    assert view.model.unit_title() == "Gen. answer" and not view._next_lost.isVisibleTo(view)
    answers = sum(len(cells) for cells in case.cells.values())
    assert f"over 4 methods in {answers} answers" in view._facts.text()


def test_the_charts_are_those_of_its_page_and_export_like_the_others(
    window: MainWindow, qtbot: QtBot, small_overview: Overview, tmp_path: Path
) -> None:
    panel = show(window, qtbot, "charts")
    assert panel._list.keys == ("scores", "kinds", "tokens", "causes", "heat", "places")
    assert panel.key == "scores" and isinstance(panel.chart, MethodChart)
    em = {bar.name: bar.size for bar in panel.chart.groups[0].bars}
    assert em == {one.method: float(one.all.scores["em"] or 0) for one in small_overview.aggregate.methods}
    for key in panel._list.keys:
        panel.show_key(key)
        at_rest(qtbot, window)
        assert panel.sentence() == "" and panel.chart is not None, key
        for suffix in (".svg", ".csv", ".png"):
            window.asker.target = tmp_path / f"{key}{suffix}"  # type: ignore[attr-defined]
            panel.export()
            at_rest(qtbot, window)
    ElementTree.parse(tmp_path / "tokens.svg")
    text = (tmp_path / "scores.csv").read_bytes().decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert {row["method"]: float(row["score"]) for row in rows if row["group"] == "Answer EM"} == em
    assert (tmp_path / "kinds.png").read_bytes().startswith(b"\x89PNG")


def test_a_bar_leads_to_its_answers(
    window: MainWindow, qtbot: QtBot, compaction_database: Path, small_overview: Overview
) -> None:
    panel = show(window, qtbot, "charts")
    panel.show_key("kinds")
    at_rest(qtbot, window)
    group = panel.chart.groups[0]
    kind = group.title.partition(":")[0]
    bar = next(one for one in group.bars if one.size)
    view = panel.view
    view.choose((0, 1 + group.bars.index(bar)))
    qtbot.keyClick(view.area, Qt.Key.Key_Return)
    at_rest(qtbot, window)
    assert window.session.choice.compressor == bar.name
    ids = {case.id for case in small_overview.cases if case.kind == kind}
    with Reader(compaction_database) as reader:
        rows = reader.goal_rows(list(window.inspector.goals.model.units))
    assert {row.goal_id for row in rows} == ids and {row.cell.compressor for row in rows} == {bar.name}
