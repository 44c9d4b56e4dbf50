"""What a row came to when it was asked again is hidden with the row in a blind review, and comes with it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gacc_gui.core.records import Probe, ProbeAnswer, ProbeVerdict
from gacc_gui.core.terms import GOALS
from gacc_gui.gui.main_window import MainWindow
from gacc_gui.gui.probing.words import HIDDEN
from gacc_gui.store.added_rows import append_added
from gacc_gui.store.database import open_database
from gacc_gui.store.reads import Reader
from tests.gui.conftest import at_rest
from tests.gui.review.reviewer import Person

AGAIN = "said when asked again"


@pytest.fixture
def person(
    qtbot: QtBot, open_window: Callable[..., MainWindow], tmp_path: Path, demo_database: Path
) -> Person:
    """Somebody who reviews forty rows blind of a run of which every row was asked again."""
    path = Path(shutil.copy(demo_database, tmp_path / "mine.db"))
    with Reader(path) as reader:
        views = list(map(reader.unit_view, reader.goal_units("demo")))
    answer, verdict = ProbeAnswer(AGAIN, "ok"), ProbeVerdict("correct", "judged")
    rows = [(view.memory.id, row.question.id, view.repeat) for view in views for row in view.rows]
    probes = [
        Probe(f"p{n}", *row, "proposal", 0, answer, verdict, "2026-11-30T00:00:00Z")
        for n, row in enumerate(rows)
    ]
    with open_database(path) as store:
        append_added(store, "demo", probes)
    person = Person(qtbot, open_window(path))
    person.begin("Ada", 40)
    return person


def test_a_hidden_rows_probes_are_withheld_until_one_has_decided(person: Person, qtbot: QtBot) -> None:
    window, section = person.window, person.window.reask.section
    card = person.panel.page.card
    assert card is not None
    window.show_inspector()
    window.session.choose_unit(card.unit, card.row.question.id)
    at_rest(qtbot, window)
    unit = window.session.unit
    assert unit is not None and unit.unit == card.unit
    hidden = window.session.veil.places(card.unit)
    assert 0 < len(hidden) < len(unit.rows)  # of the goal's rows some are in sight
    for place, row in enumerate(unit.rows):
        window.session.choose_question(row.question.id)
        if place in hidden:
            assert section.findings() == (HIDDEN.format(GOALS),) and not section.isHidden()
            assert section.texts() == section.captions() == ()
        else:
            assert AGAIN in section.texts() and "With the tail restored: ✓ right" in section.captions()
            assert HIDDEN.format(GOALS) not in section.findings()

    # one's own decision lifts it, where the row is in sight and where it comes to be
    window.session.choose_question(card.row.question.id)
    window.views.show_view("review")
    person.panel.page.setFocus()
    person.press("1")
    window.show_inspector()
    assert AGAIN in section.texts() and section.findings() != (HIDDEN.format(GOALS),)


def test_the_end_of_the_queue_shows_them_all(person: Person, qtbot: QtBot) -> None:
    window, section = person.window, person.window.reask.section
    card = person.panel.page.card
    assert card is not None
    window.session.choose_unit(card.unit, card.row.question.id)
    at_rest(qtbot, window)
    assert section.findings() == (HIDDEN.format(GOALS),)
    person.panel.end_queue()
    at_rest(qtbot, window)
    assert AGAIN in section.texts() and section.findings() != (HIDDEN.format(GOALS),)
