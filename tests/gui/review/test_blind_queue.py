"""A blind queue: the judge's verdict is hidden until one has decided, on the card and in every view."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from PySide6.QtCore import Qt

from gacc_gui.gui.lists.goals_model import PLACES
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.matrix.matrix_view import MatrixView
from gacc_gui.gui.review.card_view import HIDDEN
from gacc_gui.gui.review.queue_page import STILL_BLIND
from gacc_gui.store.reads import Reader
from tests.gui.conftest import at_rest
from tests.gui.review.reviewer import Person, reviews, text_of

Key = Qt.Key


def test_blind_hides_the_judge_until_one_has_decided(person: Person) -> None:
    person.begin("Ada", 4)
    card, page = person.panel.page.card_view, person.panel.page
    assert card.judge.captions() == (HIDDEN,) and not card.reviewers.captions()
    assert page.card is not None and page.card.row.cause not in text_of(person.panel, "reviewWhere")
    person.press("3")
    assert HIDDEN not in card.judge.captions()
    assert card.reviewers.captions()[0].startswith("Ada: ? unclear · blind")
    person.panel.bar.blind.setChecked(False)
    person.begin("Ben", 4)
    assert HIDDEN not in card.judge.captions()
    assert card.reviewers.captions()[0].startswith("Ada")  # open: others are seen, too
    person.press("1")
    assert page.state is not None and page.state.tally() == {"correct": 1}


def test_blind_stays_blind_until_one_has_decided(person: Person, database: Path) -> None:
    window = person.window
    person.begin("Ada", 8)
    page = person.panel.page
    person.press("i")  # the inspector would tell
    assert window.views.current_name == "review"
    assert page.decisions.told() == STILL_BLIND and page.card_view.judge.captions() == (HIDDEN,)
    person.press("1", "i")
    assert window.views.current_name == "inspector"
    person.press(Key.Key_Escape)
    window.views.show_view("review")
    page.setFocus()
    person.press(Key.Key_Return)
    # Whoever looks the row up in another view finds it hidden there, too.
    card = page.card
    assert card is not None and page.card_view.judge.captions() == (HIDDEN,)
    window.session.choose_unit(card.unit, card.row.question.id)
    at_rest(person.qtbot, window)
    row = window.session.question_row
    assert row is not None and (row.cause, row.verdict, row.label) == ("veiled", None, None)
    assert page.card_view.judge.captions() == (HIDDEN,)
    person.press("2")
    assert [review.blind for review in reviews(database)] == [True, True]
    row = window.session.question_row
    assert row == card.row


def test_what_was_looked_at_before_the_queue_is_not_blind(person: Person, database: Path) -> None:
    window = person.window
    person.begin("Ada", 8)
    first = person.panel.page.card
    assert first is not None
    person.begin("Ben", 8)
    window.session.choose_unit(first.unit, first.row.question.id)
    at_rest(person.qtbot, window)
    # what a queue hides is seen when it ends
    person.qtbot.mouseClick(person.panel.bar.end, Qt.MouseButton.LeftButton)
    at_rest(person.qtbot, window)
    person.begin("Ada", 8)
    assert HIDDEN not in person.panel.page.card_view.judge.captions()
    person.press("1")
    assert [review.blind for review in reviews(database)] == [False]


def test_what_a_blind_queue_asks_is_hidden_in_every_view(person: Person, database: Path) -> None:
    window, qtbot = person.window, person.qtbot
    goals = window.inspector.goals.model
    strips = {row.unit: row.strip for row in goals.known_rows()}
    person.begin("Ada", 30)
    card = person.panel.page.card
    assert card is not None
    hidden = set(person.queued())
    with Reader(database) as reader:
        views = {unit: reader.unit_view(unit) for unit in goals.units if unit in strips}
    asked = 0
    window.show_inspector()
    read_lines(person, views)
    for unit, view in views.items():
        line = goals.row_of(unit)
        told = str(goals.data(goals.index(line, PLACES["strip"])))
        rows = [(view.memory.id, row.question.id, view.repeat) for row in view.rows]
        open_rows = [row in hidden and unit != window.session.wanted_unit for row in rows]
        for letter, judged, is_open in zip(told, strips[unit], open_rows, strict=True):
            assert letter == ("?" if is_open else judged) or unit == window.session.wanted_unit
        asked += any(open_rows)
        right = str(goals.data(goals.index(line, PLACES["correct"])))
        assert right.startswith("?") == ("?" in told)
    assert asked > 3

    # the inspector: table and detail
    window.session.choose_unit(card.unit, card.row.question.id)
    at_rest(qtbot, window)
    questions = window.inspector.questions
    place = questions.model.row_of(card.row.question.id)
    assert [questions.model.text_at(place, key) for key in ("verdict", "rationale", "cause", "flags")] == [
        "?", "", "veiled", "",
    ]  # fmt: skip
    told = "\n".join(
        caption
        for key in ("cause", "verdict", "reply", "reviewers")
        for caption in questions.detail.section(key).captions()
    )
    assert told.count("hidden until you have decided") == 2 and "orrect" not in told

    # the matrix
    window.views.show_view("matrix")
    at_rest(qtbot, window)
    matrix = cast(MatrixView, window.views.view("matrix")).model
    column = next(n for n, one in enumerate(matrix.matrix.columns, 1) if one.units[0].unit == card.unit)
    assert matrix.data(matrix.index(place, column)) == "?"
    assert "hidden until you have decided" in matrix.words(matrix.index(place, column))

    # the comparison, over all rows of two cells of which one is the card's
    window.views.show_view("compare")
    at_rest(qtbot, window)
    panel = cast(Any, window.views.view("compare"))
    compared = 0
    for line in range(panel._model.rowCount()):
        row = panel._model.row_at(line)
        for side, unit in (("a", row.unit_a), ("b", row.unit_b)):
            if unit is not None and window.session.veil.hides(unit, row.question.id):
                assert panel._model.text_at(row, side) == "veiled"
                assert panel._model.text_at(row, "bucket") == "?"
                compared += 1
                if compared == 1:
                    panel._table.show_row(line)
                    at_rest(qtbot, window)
                    view = panel.sides.a if side == "a" else panel.sides.b
                    assert "hidden until you have decided" in view.verdict.text()
    assert compared

    # one's own decision lifts it, for its row alone
    window.views.show_view("review")
    person.panel.page.setFocus()
    before = open_rows_of(window)
    person.press("1")
    assert not window.session.veil.hides(card.unit, card.row.question.id)
    assert questions.model.text_at(place, "cause") == card.row.cause
    assert before - open_rows_of(window) == {card.entry.row} and len(before) > 20
    # and its end the others
    assert window.session.veil.rows
    qtbot.mouseClick(person.panel.bar.end, Qt.MouseButton.LeftButton)
    at_rest(qtbot, window)
    assert not window.session.veil.rows and person.panel.bar.end.isHidden()
    read_lines(person, strips)
    assert [goals.data(goals.index(goals.row_of(unit), PLACES["strip"])) for unit in strips] == list(
        strips.values()
    )


def read_lines(person: Person, units: Iterable[int]) -> None:
    """Have the list read what it shows of some goals, wherever they stand in it."""
    goals = person.window.inspector.goals.model
    for unit in units:
        if goals.goal_row(goals.row_of(unit)) is None:
            at_rest(person.qtbot, person.window)


def open_rows_of(window: MainWindow) -> set[object]:
    veil = window.session.veil
    return {row for rows in veil.rows.values() for row in rows.values()} - veil.seen
