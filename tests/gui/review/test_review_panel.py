"""The view of reviews as a person uses it: by its keys, in a window, on a real database."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QSpinBox, QTreeWidget, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.app.agreement import agreement_of
from gacc_gui.app.reviewing import Decision, append_review
from gacc_gui.core.records import Review
from gacc_gui.core.reviewing import standing_reviews
from gacc_gui.core.terms import GOALS
from gacc_gui.gui.lists.goals_model import PLACES
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.review.card_view import HIDDEN
from gacc_gui.gui.review.queue_page import FINISHED, NOT_INCORRECT, STILL_BLIND
from gacc_gui.gui.review.review_panel import BEGIN, NO_NAME, ReviewPanel
from gacc_gui.gui.settings import Settings
from gacc_gui.gui.side.figures_view import FiguresView
from gacc_gui.store.database import open_database
from gacc_gui.store.reads import Reader
from tests.gui.conftest import at_rest

Key = Qt.Key
OpenWindow = Callable[..., MainWindow]


class Person:
    """Somebody at the keyboard."""

    def __init__(self, qtbot: QtBot, window: MainWindow) -> None:
        self.qtbot, self.window = qtbot, window

    @property
    def panel(self) -> ReviewPanel:
        return cast(ReviewPanel, self.window.views.view("review"))

    def press(self, *keys: Any) -> None:
        """Press keys where the keyboard is, and wait until nothing is left to do."""
        for key in keys:
            focus = QApplication.focusWidget()
            assert focus is not None
            self.qtbot.keyClick(focus, key)
            at_rest(self.qtbot, self.window)

    def type(self, text: str) -> None:
        focus = QApplication.focusWidget()
        assert isinstance(focus, QLineEdit)
        self.qtbot.keyClicks(focus, text)

    def begin(self, name: str, rows: int, seed: int = 5) -> None:
        """Go to the view by its shortcut, say who one is, and begin."""
        self.qtbot.keyClick(self.window, Key.Key_R, Qt.KeyboardModifier.ControlModifier)
        at_rest(self.qtbot, self.window)
        for edit, text in (("reviewQueueSize", rows), ("reviewQueueSeed", seed)):
            box = self.panel.findChild(QSpinBox, edit)
            assert box is not None
            box.setFocus()
            box.selectAll()
            self.qtbot.keyClicks(box, str(text))
        name_edit = self.panel.findChild(QLineEdit, "reviewerEdit")
        assert name_edit is not None
        name_edit.setFocus()
        name_edit.selectAll()
        self.type(name)
        self.press(Key.Key_Return)


@pytest.fixture
def database(tmp_path: Path, demo_database: Path) -> Path:
    path = tmp_path / "mine.db"
    shutil.copy(demo_database, path)
    return path


@pytest.fixture
def person(qtbot: QtBot, open_window: OpenWindow, database: Path) -> Person:
    return Person(qtbot, open_window(database))


def reviews(database: Path) -> list[Review]:
    with Reader(database) as reader:
        return reader.reviews("demo")


def judges_rows(database: Path) -> list[list[tuple[object, ...]]]:
    connection = sqlite3.connect(database)
    try:
        tables = ("verdicts", "answers", "results", "units", "outcomes")
        return [connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables]
    finally:
        connection.close()


def text_of(window: QWidget, name: str) -> str:
    widget = window.findChild(QWidget, name)
    assert widget is not None
    return cast(Any, widget).text()


def kappa_by_hand(pairs: list[tuple[str, str]]) -> float:
    """Cohen's κ from its definition, of the pairs in which both are labels."""
    both = [(a, b) for a, b in pairs if {a, b} <= {"correct", "incorrect"}]
    n = len(both)
    observed = sum(a == b for a, b in both) / n
    by_chance = sum(
        sum(a == label for a, _ in both) / n * sum(b == label for _, b in both) / n
        for label in ("correct", "incorrect")
    )
    return (observed - by_chance) / (1 - by_chance)


def test_twenty_reviews_by_two_reviewers_and_back(person: Person, database: Path) -> None:
    headline = person.window.inspector.headline
    before, rows_before = (headline.text(), headline.reviewed_text()), judges_rows(database)
    assert before[1] == "" and not before[0].startswith("As judged")
    said = {
        "Ada": "1121311211",
        "Ben": "2111121231",
    }
    for name, keys in said.items():
        person.begin(name, 10)
        for key in keys:
            person.press(key, Key.Key_Return)
        assert text_of(person.panel, "reviewTold") == FINISHED
    found = reviews(database)
    assert len(found) == 20 and {review.reviewer for review in found} == {"Ada", "Ben"}
    assert all(review.blind is True and review.sample is not None for review in found)
    names = {"1": "correct", "2": "incorrect", "3": "unclear"}
    ada = [review.decision for review in found[:10]]
    ben = [review.decision for review in found[10:]]
    assert (ada, ben) == ([names[key] for key in said["Ada"]], [names[key] for key in said["Ben"]])
    assert [review.question_id for review in found[:10]] == [review.question_id for review in found[10:]]

    # as judged stays, as reviewed stands beside it
    assert headline.text() == f"As judged {before[0]}"
    assert headline.reviewed_text().startswith("As reviewed Micro ")
    assert "10 rows reviewed" in headline.reviewed_text()
    assert person.panel.headline() == "   ".join(headline.lines())
    assert judges_rows(database) == rows_before

    # κ is what an independent computation gives
    with Reader(database) as reader:
        labels = {
            (row.memory_id, row.question_id, row.repeat): row.label or "none"
            for row in reader.question_results("demo")
        }
        agreement = agreement_of(reader, "demo")
    for each, decisions in zip(agreement.reviewers, (found[:10], found[10:]), strict=True):
        pairs = [(labels[r.memory_id, r.question_id, r.repeat], r.decision) for r in decisions]
        assert each.figures.kappa == pytest.approx(kappa_by_hand(pairs))
    assert agreement.pairs[0].figures.kappa == pytest.approx(kappa_by_hand(list(zip(ada, ben, strict=True))))

    # and all of it is taken back
    for name in said:
        person.begin(name, 10)
        for _ in range(10):
            person.press("0", Key.Key_Right)
    assert len(reviews(database)) == 40
    assert not standing_reviews(reviews(database))
    assert (headline.text(), headline.reviewed_text()) == before
    assert judges_rows(database) == rows_before


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


def test_a_queue_goes_on_where_it_was_left(person: Person, database: Path) -> None:
    person.begin("Ada", 6)
    rows = [entry.row for entry in person.panel.page.state.queue.entries]  # type: ignore[union-attr]
    person.press("1", Key.Key_Return, "2", Key.Key_Return)
    person.begin("Ben", 6)
    assert text_of(person.panel, "reviewCount") == "0 of 6 rows decided"
    person.begin("Ada", 6)
    state = person.panel.page.state
    assert state is not None and state.place == 2 and [e.row for e in state.queue.entries] == rows
    assert text_of(person.panel, "reviewCount") == "2 of 6 rows decided · 1 correct · 1 incorrect"
    person.press(Key.Key_Backspace, Key.Key_Backspace)
    assert state.place == 0 and state.decision == "correct"
    person.press(Key.Key_Return)
    assert state.place == 2


def test_note_tags_and_cause(person: Person, database: Path) -> None:
    person.begin("Ada", 3)
    person.press("n")
    person.type("the judge took it literally")
    person.press(Key.Key_Return, "c", "i", "2")
    person.press("t")
    person.type("literal, names, literal")
    person.press(Key.Key_Return)
    latest = reviews(database)[-1]
    assert (latest.decision, latest.cause, latest.note) == (
        "incorrect",
        "item",
        "the judge took it literally",
    )
    assert latest.tags == ("literal", "names") and latest.blind is True
    person.press("1", "c", "r")
    assert text_of(person.panel, "reviewTold") == NOT_INCORRECT
    latest = reviews(database)[-1]
    assert (latest.decision, latest.cause, latest.blind) == ("correct", None, False)
    person.press("n")
    person.type("another")
    person.press(Key.Key_Escape)
    assert reviews(database)[-1] == latest
    person.press("c", Key.Key_Escape, "2")
    assert reviews(database)[-1].cause is None


def test_keys_and_the_way_to_the_inspector(person: Person) -> None:
    person.begin("Ada", 3)
    person.press("?")
    assert person.panel.page.sheet.isVisible()
    person.press(Key.Key_Escape)
    assert not person.panel.page.sheet.isVisible()
    card = person.panel.page.card
    assert card is not None
    person.press("1", "i")
    session = person.window.session
    assert person.window.views.current_name == "inspector"
    assert session.unit is not None and session.unit.unit == card.unit
    assert session.question == card.row.question.id


def test_the_inspector_shows_what_reviewers_say(person: Person) -> None:
    person.begin("Ada", 3)
    person.press("1")
    person.begin("Ben", 3)
    person.press("2", "i")
    questions = person.window.inspector.questions
    row = questions.model.row_of(person.window.session.question)
    assert questions.model.text_at(row, "reviewed") == "✗ ≠"
    section = questions.detail.section("reviewers")
    assert section.captions()[0] == "They disagree: the first of these, the latest, counts."
    assert section.captions()[1].startswith("Ben: ✗ incorrect")
    assert section.captions()[2].startswith("Ada: ✓ correct")
    other = next(place for place in range(len(questions.model.rows)) if place != row)
    assert questions.model.text_at(other, "reviewed") == ""


def test_figures_as_reviewed(person: Person, qtbot: QtBot) -> None:
    window = person.window
    person.begin("Ada", 5)
    window.show_figures()
    at_rest(qtbot, window)
    toggle = window.figures.findChild(QWidget, "figuresAsReviewed")
    assert toggle is not None and not toggle.isVisible()
    person.panel.show_page("Queue")
    window.views.show_view("review")
    person.panel.page.setFocus()
    for key in "12312":
        person.press(key, Key.Key_Return)
    window.show_figures()
    at_rest(qtbot, window)
    before = [cell.correct for cell in window.figures._cells]
    assert toggle.isVisible()
    cast(Any, toggle).setChecked(True)
    at_rest(qtbot, window)
    with Reader(window.opener.path) as reader:
        from gacc_gui.app.metrics import run_metrics
        from gacc_gui.app.reviewing import reviewed_of

        metrics = run_metrics(reader, "demo", reviewed=reviewed_of(reader, "demo"))
    assert [cell.correct for cell in window.figures._cells] == [cell.correct for cell in metrics.cells]
    assert [cell.correct for cell in window.figures._cells] != before


def test_figures_know_reviews_that_were_there_before_them(person: Person, qtbot: QtBot) -> None:
    person.begin("Ada", 3)
    person.press("1", Key.Key_Return, "2")
    view = FiguresView(person.window.session, person.window.counts)
    qtbot.addWidget(view)
    toggle = view.findChild(QWidget, "figuresAsReviewed")
    assert toggle is not None and not toggle.isHidden()


def test_the_agreement_page(person: Person, qtbot: QtBot) -> None:
    for name in ("Ada", "Ben"):
        person.begin(name, 12)
        for key in "112112112111" if name == "Ada" else "111112112131":
            person.press(key, Key.Key_Return)
    person.panel.show_page("Agreement")
    at_rest(qtbot, person.window)
    page = person.panel.agreement
    with Reader(person.window.opener.path) as reader:
        found = agreement_of(reader, "demo")
    assert page.agreement == found
    assert found.corrected is not None and "Corrected Micro" in page.corrected_words()
    assert found.corrected.unanswered
    shown = "\n".join(label.text() for label in page.findChildren(QLabel))
    assert (
        f"{found.corrected.unanswered} of {found.rows} rows have no answer; the queue is drawn from" in shown
    )
    cells = [
        tree.topLevelItem(row).text(column)
        for tree in page.findChildren(QTreeWidget)
        for row in range(tree.topLevelItemCount())
        for column in range(tree.columnCount())
    ]
    # The ends of an interval may be negative: no dash stands between them.
    assert any(" … " in text for text in cells) and not any("––" in text or "–−" in text for text in cells)
    person.panel.show_page("Queue")
    person.begin("Ada", 12)
    person.press("0")
    person.panel.show_page("Agreement")
    at_rest(qtbot, person.window)
    assert page.agreement != found and page.agreement is not None and page.agreement.reviewed == 12


def test_a_name_is_needed_and_kept(person: Person) -> None:
    person.begin(" ", 3)
    assert text_of(person.panel, "reviewMessage") == NO_NAME
    person.begin("Ada", 3)
    assert person.window.settings.reviewer == "Ada"


def test_the_name_comes_back(qtbot: QtBot, open_window: OpenWindow, database: Path) -> None:
    window = open_window(database, settings=Settings(reviewer="Grace"))
    panel = cast(ReviewPanel, window.views.view("review"))
    assert panel.bar.reviewer.text() == "Grace"
    assert text_of(panel, "reviewMessage") == BEGIN.format(GOALS)


def test_nothing_decided_is_lost_when_the_window_closes(
    qtbot: QtBot, open_window: OpenWindow, database: Path
) -> None:
    window = open_window(database)
    person = Person(qtbot, window)
    person.begin("Ada", 3)
    focus = QApplication.focusWidget()
    assert focus is not None
    qtbot.keyClick(focus, "1")
    window.close()
    assert [review.decision for review in reviews(database)] == ["correct"]


def test_a_database_that_cannot_be_written_to(
    person: Person, database: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The decision is not shown as stored, and the window says why."""
    from gacc_gui.app import reviewing
    from gacc_gui.core.errors import StoreError

    def refuse(*_: object) -> None:
        raise StoreError("the disk is full: it was left as it was")

    person.begin("Ada", 3)
    monkeypatch.setattr(reviewing, "add_review", refuse)
    person.press("1")
    assert text_of(person.panel, "reviewTold") == "not stored"
    assert "the disk is full" in person.window.strip.text()
    assert person.panel.page.state is not None and person.panel.page.state.done == 0
    assert not reviews(database)


def test_another_run_ends_the_queue(person: Person, qtbot: QtBot) -> None:
    person.begin("Ada", 3)
    person.window.session.show_run(None)
    at_rest(qtbot, person.window)
    assert person.panel.page.state is None
    assert not person.panel.bar.isEnabled()


def test_what_a_blind_queue_asks_is_hidden_in_every_view(person: Person, database: Path) -> None:
    window, qtbot = person.window, person.qtbot
    goals = window.inspector.goals.model
    strips = {row.unit: row.strip for row in goals.known_rows()}
    person.begin("Ada", 30)
    card = person.panel.page.card
    assert card is not None
    hidden = {entry.row for entry in person.panel.page.state.queue.entries}  # type: ignore[union-attr]
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
    matrix = window.views.view("matrix").model  # type: ignore[attr-defined]
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
        goals.goal_row(goals.row_of(unit))
        at_rest(person.qtbot, person.window)


def open_rows_of(window: MainWindow) -> set[object]:
    veil = window.session.veil
    return {row for rows in veil.rows.values() for row in rows.values()} - veil.seen


def test_the_agreement_names_decisions_on_rows_that_are_not_there(person: Person, database: Path) -> None:
    with Reader(database) as reader:
        row = next(iter(reader.question_results("demo")))
    with open_database(database) as opened:
        append_review(opened, "demo", Decision(row.memory_id, row.question_id, 7, "correct", "Ada"))
    person.window.session.data_changed.emit()
    at_rest(person.qtbot, person.window)
    person.begin("Ada", 3)
    person.panel.show_page("Agreement")
    at_rest(person.qtbot, person.window)
    told = text_of(person.panel, "agreementAbsent")
    assert told.startswith("Decisions on rows that the run does not have, which count nowhere: ")
    assert f"memory {row.memory_id}, question {row.question_id}, repeat 7." in told
