"""With the list counting as reviewed: other views follow, or say whose labels they count by."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from pytestqt.qtbot import QtBot

from gacc_gui.app.matrix import run_goals
from gacc_gui.app.reviewing import Decision, append_review
from gacc_gui.core.filters import parse
from gacc_gui.core.selector import Selector
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.store.database import open_database
from gacc_gui.store.reads import Reader
from gacc_gui.store.rows import UnitView
from tests.gui.conftest import at_rest


def views(reader: Reader, ratio: str) -> dict[str, UnitView]:
    """The units of one series at a ratio, by goal."""
    found = reader.goal_units("demo", query=parse(f"compressor:lead condition:own-goal ratio:{ratio}"))
    return {view.goal.id: view for view in map(reader.unit_view, found)}


@pytest.fixture
def reviewed(
    qtbot: QtBot, open_window: Callable[..., MainWindow], tmp_path: Path, demo_database: Path
) -> tuple[MainWindow, str]:
    """The demonstration, as reviewed, where a decision has a larger budget lose a question; and its goal."""
    path = Path(shutil.copy(demo_database, tmp_path / "mine.db"))
    with Reader(path) as reader:
        lost = run_goals(reader, "demo").lost
        small, large = views(reader, "0.25"), views(reader, "0.5")
        goal, question = next(
            (goal, a.question.id)
            for goal, view in small.items()
            for a, b in zip(view.rows, large[goal].rows, strict=True)
            if goal not in lost and a.label == b.label == "correct"
        )
        memory = large[goal].memory.id
    with open_database(path) as database:
        append_review(database, "demo", Decision(memory, question, 0, "incorrect", "Ada", cause="compressor"))
    window = open_window(path)
    window.session.set_options(as_reviewed=True)
    at_rest(qtbot, window)
    return window, goal


def test_a_charts_mark_lists_what_it_counts(reviewed: tuple[MainWindow, str], qtbot: QtBot) -> None:
    window, _ = reviewed
    noticed: list[object] = []
    window.session.noticed.connect(noticed.append)
    window.views.show_view("charts")
    panel = cast(Any, window.views.view("charts"))
    panel.show_key("causes")
    at_rest(qtbot, window)
    drawing = panel.view.drawing
    places = ((bar, layer) for bar in range(12) for layer in range(12))
    spots = [spot for place in places if (spot := drawing.spot(place)) is not None]
    mark = next(
        spot
        for spot in spots
        if (target := spot.target) is not None
        and (target.compressor, target.ratio, target.filter) == ("lead", "0.5", "cause:compressor")
    )
    panel.view.target_chosen.emit(mark.target)
    at_rest(qtbot, window)
    assert not window.session.options.as_reviewed
    assert noticed == ["Charts count as judged, and so does the list now (Ctrl+J)."]
    model = window.inspector.goals.model
    listed = [row for line in range(len(model.units)) if (row := model.goal_row(line)) is not None]
    counted = sum(row.strip.count("C") for row in listed)
    assert counted and f"({counted} of 60)" in mark.words
    # where nothing has to change, nothing is told
    panel.view.target_chosen.emit(mark.target)
    assert len(noticed) == 1


def test_the_matrix_walks_through_the_goals_that_are_lost_as_reviewed(
    reviewed: tuple[MainWindow, str], qtbot: QtBot
) -> None:
    window, goal = reviewed
    window.views.show_view("matrix")
    at_rest(qtbot, window)
    view = cast(Any, window.views.view("matrix"))
    known = view._goals
    assert goal in known.lost and view._next_lost.text() == f"Next ▼ ({len(known.lost)})"
    view.show_goal(known.ids[known.ids.index(goal) - 1])
    at_rest(qtbot, window)
    view._next_lost.click()
    at_rest(qtbot, window)
    assert view.goal_id == goal and "1 question is not monotone" in view._facts.text()
    window.session.set_options(as_reviewed=False)
    at_rest(qtbot, window)
    assert goal not in view._goals.lost and view._next_lost.text() == f"Next ▼ ({len(known.lost) - 1})"


def test_buckets_say_that_they_are_as_judged(reviewed: tuple[MainWindow, str], qtbot: QtBot) -> None:
    window, _ = reviewed
    window.views.show_view("compare")
    at_rest(qtbot, window)
    panel = cast(Any, window.views.view("compare"))
    a, b = panel._chosen
    cells = [Selector("lead", None, "own-goal", ratio) for ratio in ("0.25", "0.5")]
    panel.compare(replace(a, selector=cells[0]), replace(b, selector=cells[1]))
    at_rest(qtbot, window)
    note = panel._buckets._note
    assert note.text().startswith("as judged · J K rows")
    # the decision is in the figures below, not in a bucket
    assert panel._figures.texts()[1][0] != panel._figures.texts()[3][0] == "Micro, as reviewed"
    panel.compare(replace(a, selector=cells[0]), replace(b, selector=cells[0]))
    at_rest(qtbot, window)
    assert note.text().startswith("J K rows")
