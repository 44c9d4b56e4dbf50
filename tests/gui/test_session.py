"""The session: whoever sets a value makes every view follow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from gacc_gui.core.filters import parse
from gacc_gui.gui.background import Background
from gacc_gui.gui.session import Session
from gacc_gui.store.reads import Reader
from gacc_gui.store.rows import CellChoice


@pytest.fixture
def session(demo_database: Path, qapp: object) -> Iterator[Session]:
    background = Background(demo_database)
    yield Session(background)
    background.shutdown()


@pytest.fixture
def units(demo_database: Path) -> list[int]:
    with Reader(demo_database) as reader:
        return list(reader.goal_units("demo"))


def test_nothing_is_chosen_at_first(session: Session) -> None:
    assert (session.run, session.unit, session.question, session.question_row) == (None, None, None, None)
    assert session.choice == CellChoice()
    assert session.query == parse("")


def test_choosing_a_run_starts_over(session: Session, units: list[int], qtbot: QtBot) -> None:
    with qtbot.waitSignal(session.run_changed):
        session.choose_run("demo")
    assert session.run is not None and session.run.run.id == "demo"
    session.choose_cells(CellChoice(compressor="lead"))
    with qtbot.waitSignal(session.unit_loaded):
        session.choose_unit(units[0])
    session.show_run(None)
    assert session.choice == CellChoice()
    assert session.unit is None
    assert session.wanted_unit is None


def test_an_unknown_run_is_told(session: Session, qtbot: QtBot) -> None:
    with qtbot.waitSignal(session._background.failed) as told:
        session.choose_run("nobody")
    assert "nobody" in str(told.args[0])
    assert session.run is None


def test_a_unit_opens_at_its_first_failed_question(session: Session, units: list[int], qtbot: QtBot) -> None:
    with qtbot.waitSignals([session.unit_loaded, session.question_chosen]):
        session.choose_unit(units[0])
        assert session.wanted_unit == units[0]
    view = session.unit
    assert view is not None
    failed = [row.question.id for row in view.rows if row.label != "correct"]
    assert session.question == failed[0]
    assert session.question_row is not None and session.question_row.question.id == failed[0]


def test_a_wanted_question_wins(session: Session, units: list[int], qtbot: QtBot) -> None:
    with qtbot.waitSignal(session.unit_loaded):
        session.choose_unit(units[0])
    last = session.unit.rows[-1].question.id
    with qtbot.waitSignal(session.unit_loaded):
        session.choose_unit(units[0], last)
    assert session.question == last


def test_a_question_of_another_unit_changes_nothing(session: Session, units: list[int], qtbot: QtBot) -> None:
    with qtbot.waitSignal(session.unit_loaded):
        session.choose_unit(units[0])
    before = session.question
    session.choose_question("of another goal")
    assert session.question == before


def test_stepping_through_questions_stops_at_the_ends(
    session: Session, units: list[int], qtbot: QtBot
) -> None:
    session.step_question(1)
    with qtbot.waitSignal(session.unit_loaded):
        session.choose_unit(units[0])
    ids = [row.question.id for row in session.unit.rows]
    session.choose_question(ids[0])
    session.step_question(-1)
    assert session.question == ids[0]
    for _ in ids:
        session.step_question(1)
    assert session.question == ids[-1]


def test_the_same_value_is_no_change(session: Session, qtbot: QtBot) -> None:
    seen: list[Any] = []
    for signal in (session.choice_changed, session.query_changed, session.options_changed):
        signal.connect(seen.append)
    session.choose_cells(CellChoice())
    session.set_query(parse(""))
    session.set_options(zoom=0)
    assert seen == []
    session.set_options(zoom=2, mono=True)
    assert (session.options.zoom, session.options.mono) == (2, True)
    assert len(seen) == 1
