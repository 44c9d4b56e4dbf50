"""A queue on a database that others hold, or that cannot be written to: no decision is lost unsaid."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.app import reviewing
from gacc_gui.app.managing import delete_run
from gacc_gui.app.reviewing import Decision, append_review
from gacc_gui.core.reviewing import moment
from gacc_gui.gui import review_writer
from gacc_gui.gui.asking import Asker
from gacc_gui.gui.review.card_view import HIDDEN
from gacc_gui.gui.review.queue_page import STILL_WAITS
from gacc_gui.store.database import open_database
from tests.gui.conftest import at_rest
from tests.gui.review.conftest import OpenWindow
from tests.gui.review.reviewer import Person, reviews, text_of

Key = Qt.Key


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reviewing, "_TRY_SECONDS", 0.02)
    monkeypatch.setattr(review_writer, "_AGAIN_SECONDS", 0.02)


@contextmanager
def held(database: Path) -> Iterator[None]:
    """The database, while another program writes to it."""
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.close()


def strike(person: Person, *keys: Any) -> None:
    """Press keys, and wait for nothing but what is read."""
    for key in keys:
        focus = QApplication.focusWidget()
        assert focus is not None
        person.qtbot.keyClick(focus, key)
        person.qtbot.waitUntil(lambda: person.panel.page.card is not None)


def told(person: Person) -> str:
    """What is said above the views of decisions that wait."""
    return person.panel.held_up.text()


def test_decisions_wait_for_a_locked_database_as_they_were_given(person: Person, database: Path) -> None:
    person.begin("Ada", 6, seed=2)
    rows, page = person.queued(), person.panel.page
    with held(database):
        before = datetime.now(UTC)
        strike(person, "1")
        person.qtbot.waitUntil(lambda: told(person).startswith("1 decision waits: another program holds"))
        after = datetime.now(UTC)
        # what is not stored shows nothing yet, here or elsewhere
        assert page.card_view.judge.captions() == (HIDDEN,)
        assert person.window.session.veil.rows and rows[0] not in person.window.session.veil.seen
        strike(person, "i")
        assert text_of(person.panel, "reviewTold") == STILL_WAITS
        strike(person, Key.Key_Return, "2")
        person.qtbot.waitUntil(lambda: told(person).startswith("2 decisions wait"))
        assert page.state is not None and page.state.done == 2
        assert text_of(person.panel, "reviewCount").startswith("2 of 6 rows decided")
        person.window.session.data_changed.emit()  # what is read meanwhile takes nothing back
        person.qtbot.waitUntil(lambda: person.window.counts.is_idle)
        strike(person, Key.Key_Left)
        assert page.state.decision == "correct" and page.state.done == 2
        assert page.card_view.judge.captions() == (HIDDEN,)
        assert person.window.strip.text() == "" and not person.window.is_idle
    at_rest(person.qtbot, person.window)
    assert told(person) == "" and person.panel.held_up.isHidden()
    found = reviews(database)
    assert [(one.decision, one.blind) for one in found] == [("correct", True), ("incorrect", True)]
    assert [(one.memory_id, one.question_id, one.repeat) for one in found] == rows[:2]
    assert before <= moment(found[0].created_at) <= after
    assert page.state.done == 2 and HIDDEN not in page.card_view.judge.captions()
    strike(person, "1")
    at_rest(person.qtbot, person.window)
    assert reviews(database)[-1].blind is True


def test_a_queue_that_is_begun_anew_knows_what_waits(person: Person, database: Path) -> None:
    person.begin("Ada", 4)
    with held(database):
        strike(person, "1")
        person.qtbot.mouseClick(person.panel.bar.end, Qt.MouseButton.LeftButton)
        person.qtbot.mouseClick(person.panel.bar.start, Qt.MouseButton.LeftButton)
        person.qtbot.waitUntil(lambda: person.panel.page.card is not None)
        state = person.panel.page.state
        assert state is not None and (state.place, state.done) == (1, 1)
    at_rest(person.qtbot, person.window)
    assert state.done == 1 and len(reviews(database)) == 1


def test_what_others_said_while_a_decision_waited_stays_the_later_one(person: Person, database: Path) -> None:
    person.begin("Ada", 4)
    row = person.queued()[0]
    with held(database):
        strike(person, "1")
        person.qtbot.waitUntil(lambda: told(person) != "")
        decided_at = datetime.now(UTC)
    at_rest(person.qtbot, person.window)
    with open_database(database) as opened:
        late = append_review(opened, "demo", Decision(*row, "incorrect", "Ben"))
        early = append_review(opened, "demo", Decision(*row, "unclear", "Cy", decided_at=decided_at))
    assert moment(early.review.created_at) == decided_at < moment(late.review.created_at)
    assert early.row is not None and early.row.standing.decides.reviewer == "Ben"


def test_a_decision_that_fails_for_good_is_taken_back_and_its_row_named(
    person: Person, database: Path
) -> None:
    person.window.opener.watch(False)  # which would leave the run as soon as it sees it gone
    person.begin("Ada", 4)
    page = person.panel.page
    person.press("1", Key.Key_Return)
    delete_run(database, "demo")
    person.press("2")
    memory, question, repeat = person.queued()[1]
    assert page.state is not None and page.state.done == 1 and page.state.decision is None
    assert text_of(person.panel, "reviewTold") == "row 2: not stored"
    assert person.window.strip.text() == (
        f"“incorrect” on memory {memory}, question {question}, repeat {repeat} was not stored: "
        "there is no run 'demo'"
    )
    assert page.card_view.judge.captions() == (HIDDEN,)


class Asked(Asker):
    """A person who answers what is asked on closing."""

    def __init__(self, *answers: bool) -> None:
        self.answers = list(answers)
        self.texts: list[str] = []

    def confirm(self, parent: QWidget, title: str, text: str, action: str) -> bool:
        self.texts.append(text)
        return self.answers.pop(0)


def test_closing_tells_what_is_not_stored(
    qtbot: QtBot,
    open_window: OpenWindow,
    database: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from gacc_gui.gui import reviews as reviews_module

    monkeypatch.setattr(reviews_module, "_MOMENT_SECONDS", 0.05)
    asker = Asked(False, True)
    window = open_window(database, asker=asker)
    person = Person(qtbot, window)
    person.begin("Ada", 3)
    memory, question, repeat = person.queued()[0]
    with held(database):
        strike(person, "1")
        qtbot.waitUntil(lambda: told(person) != "")
        assert not window.close() and window.isVisible()
        strike(person, "1")
        assert window.close()
    told_line = f"“correct” on memory {memory}, question {question}, repeat {repeat} by Ada: the database"
    assert asker.texts[0].startswith(f"1 decision not stored:\n\n{told_line}")
    assert asker.texts[1].startswith("2 decisions not stored:") and not reviews(database)
    assert capsys.readouterr().err.count(f"gacc-gui: not stored: {told_line}") == 2


def test_closing_waits_a_moment_for_another_program(
    qtbot: QtBot, open_window: OpenWindow, database: Path
) -> None:
    window = open_window(database, asker=Asked())
    person = Person(qtbot, window)
    person.begin("Ada", 3)
    with held(database):
        strike(person, "1")
        qtbot.waitUntil(lambda: told(person) != "")
    assert window.close()
    assert [review.decision for review in reviews(database)] == ["correct"]
