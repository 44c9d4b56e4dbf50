"""The view of reviews as a person uses it: by its keys, in a window, on a real database."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QTreeWidget, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.app.agreement import agreement_of
from gacc_gui.app.reviewing import Decision, append_review
from gacc_gui.core.reviewing import standing_reviews
from gacc_gui.core.terms import GOALS
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.review.queue_page import FINISHED, NOT_INCORRECT
from gacc_gui.gui.review.review_panel import BEGIN, NO_NAME, ReviewPanel
from gacc_gui.gui.settings import Settings
from gacc_gui.gui.side.figures_view import FiguresView
from gacc_gui.store.database import open_database
from gacc_gui.store.reads import Reader
from tests.gui.conftest import at_rest
from tests.gui.review.reviewer import Person, reviews, text_of

Key = Qt.Key
OpenWindow = Callable[..., MainWindow]


def judges_rows(database: Path) -> list[list[tuple[object, ...]]]:
    connection = sqlite3.connect(database)
    try:
        tables = ("verdicts", "answers", "results", "units", "outcomes")
        return [connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables]
    finally:
        connection.close()


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


def test_a_queue_goes_on_where_it_was_left(person: Person, database: Path) -> None:
    person.begin("Ada", 6)
    rows = person.queued()
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
    assert text_of(person.panel, "reviewTold") == "row 1: not stored"
    assert "the disk is full" in person.window.strip.text()
    assert person.panel.page.state is not None and person.panel.page.state.done == 0
    assert not reviews(database)


def test_another_run_ends_the_queue(person: Person, qtbot: QtBot) -> None:
    person.begin("Ada", 3)
    person.window.session.show_run(None)
    at_rest(qtbot, person.window)
    assert person.panel.page.state is None
    assert not person.panel.bar.isEnabled()


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
