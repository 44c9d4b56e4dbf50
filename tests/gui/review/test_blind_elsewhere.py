"""What a blind review hides cannot be found out from orders, filters, buckets and charts of other views."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gacc_gui.core.filters import parse
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.side.section import Elided
from gacc_gui.store.reads import Reader
from tests.gui.conftest import at_rest
from tests.gui.review.reviewer import Person

OpenWindow = Callable[..., MainWindow]


@pytest.fixture
def person(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, demo_database: Path) -> Person:
    """Somebody who reviews forty rows of the demonstration blind."""
    person = Person(qtbot, open_window(Path(shutil.copy(demo_database, tmp_path / "mine.db"))))
    person.begin("Ada", 40)
    return person


def test_lists_and_filters_know_nothing_of_hidden_verdicts(person: Person) -> None:
    window, qtbot = person.window, person.qtbot
    hidden = window.session.veil.hidden()
    window.show_inspector()
    model = window.inspector.goals.model
    assert len(hidden) > 20 and set(model.units[-len(hidden) :]) == set(hidden)
    count = window.findChild(Elided, "goalsCount")
    assert count is not None and count.text().endswith(f"goals, {len(hidden)} hidden in part")
    assert "stand last" in count.toolTip()

    # the row on the card, asked for with each verdict that it could have
    card = person.panel.page.card
    assert card is not None
    one = f'memory-id:"{card.entry.row[0]}" question-id:"{card.entry.row[1]}"'
    for text, listed in (
        ("label:correct", 0),
        ("label:incorrect", 0),
        ("label:none", 0),
        ("fate:" + card.row.fate, 1),
    ):
        window.session.set_query(parse(f"{text} {one}"))
        at_rest(qtbot, window)
        assert len(model.units) == listed, text
    window.session.set_query(parse(""))
    at_rest(qtbot, window)

    # walking back from the top leads through them, to those of which a failure is in sight
    view, walked = window.inspector.goals, []
    for _ in range(6):
        view.previous_failing()
        at_rest(qtbot, window)
        unit = model.units[view.table.chosen_row()]
        row = model.goal_row(view.table.chosen_row())
        assert row is not None and set(window.session.veil.over_strip(unit, row.strip)) - {"✓", "?"}
        walked.append(unit)
    assert len({*walked} & {*hidden}) > 3

    # one's own decision lets the list know of it
    window.views.show_view("review")
    person.panel.page.setFocus()
    person.press("1")
    assert set(window.session.veil.hidden()) < set(hidden)
    window.session.set_query(parse(f"label:{card.row.label or 'none'} {one}"))
    at_rest(qtbot, window)
    assert list(model.units) == [card.unit]


def test_the_heat_map_has_a_question_mark_where_a_row_is_hidden(person: Person) -> None:
    window, qtbot = person.window, person.qtbot
    window.views.show_view("charts")
    panel = cast(Any, window.views.view("charts"))
    panel.show_key("heat")
    at_rest(qtbot, window)
    chart, drawing = panel.chart, panel.view.drawing
    places = window.session.veil.chart_places()
    at = [(chart.cells.index(cell), chart.goals.index(goal)) for goal, cell in places]
    assert chart.hidden == set(at) and len(at) > 20
    for place in at:
        assert drawing.figure(place)[0] == "?"
        assert drawing.spot(place).words.split(" · ")[-2].endswith("hidden until you have decided")
        assert chart.units[place[0]][place[1]] == 0  # nor does it count in the goals' order
    assert f"{len(at)} hidden until you have decided (?)" in panel._caption.text()

    # it follows what one decides, and the end of the queue
    window.views.show_view("review")
    person.panel.page.setFocus()
    person.press("1")
    window.views.show_view("charts")
    at_rest(qtbot, window)
    assert panel.chart.hidden != chart.hidden
    assert len(panel.chart.hidden) == len(window.session.veil.chart_places())
    window.views.show_view("review")
    qtbot.mouseClick(person.panel.bar.end, Qt.MouseButton.LeftButton)
    window.views.show_view("charts")
    at_rest(qtbot, window)
    assert panel.chart.hidden == frozenset() and "hidden" not in panel._caption.text()


def test_no_bucket_of_a_comparison_has_a_hidden_row(person: Person, qtbot: QtBot) -> None:
    window = person.window
    window.views.show_view("compare")
    at_rest(qtbot, window)
    panel = cast(Any, window.views.view("compare"))
    rows, hides = panel._rows, window.session.veil.hides

    def is_hidden(place: int) -> bool:
        row = rows[place]
        return any(unit is not None and hides(unit, row.question.id) for unit in (row.unit_a, row.unit_b))

    hidden = {place for place in range(len(rows)) if is_hidden(place)}
    assert hidden and panel._model.rowCount() == len(rows)  # all rows are all rows
    for name, number in rows.counts().items():
        left = number - sum(rows[place].bucket == name for place in hidden)
        button = panel._buckets.button(name)
        assert button.text().endswith(f" {left:,}")
        if not button.isHidden():
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
            at_rest(qtbot, window)
            listed = {panel._model.place_at(line) for line in range(panel._model.rowCount())}
            assert len(listed) == left and not listed & hidden, name
    note = panel._buckets._note
    words = f"{len(hidden)} row{'s' if len(hidden) > 1 else ''} hidden, in no bucket"
    assert note.text().startswith(words)

    # the end of the queue lets the buckets have them
    window.views.show_view("review")
    qtbot.mouseClick(person.panel.bar.end, Qt.MouseButton.LeftButton)
    window.views.show_view("compare")
    at_rest(qtbot, window)
    for name, number in rows.counts().items():
        assert panel._buckets.button(name).text().endswith(f" {number:,}")
    assert "hidden" not in note.text()


def test_what_is_hidden_is_what_the_database_says(person: Person) -> None:
    """The rows of the queue, but for the goal that was in sight when it began."""
    window = person.window
    state = person.panel.page.state
    assert state is not None and window.session.unit is not None
    with Reader(cast(Path, window.reads.path)) as reader:
        views = {unit: reader.unit_view(unit) for unit in window.session.veil.hidden()}
    found = {
        (view.memory.id, view.rows[place].question.id, view.repeat)
        for unit, view in views.items()
        for place in window.session.veil.places(unit)
    }
    rows = {entry.row for entry in state.queue.entries}
    assert found == {row for row in rows if row[0] != window.session.unit.memory.id}
