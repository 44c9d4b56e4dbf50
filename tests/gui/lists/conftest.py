"""Hand-made rows for the lists, as the store would return them, and the lists over a real database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gacc_gui.core.records import Answer, Cell, Context, Goal, Memory, Question, Run, Verdict
from gacc_gui.gui.background import Background
from gacc_gui.gui.lists.cell_chooser import CellChooser
from gacc_gui.gui.lists.filter_edit import FilterEdit
from gacc_gui.gui.lists.goals_view import GoalsView
from gacc_gui.gui.lists.runs_view import RunsView
from gacc_gui.gui.session import Session
from gacc_gui.store.rows import GoalRow, QuestionRow, RunSummary, UnitView
from tests.gui.lists.left_side import Lists, large_document

CELL = Cell("lead", "1", "own-goal", "0.25")


@pytest.fixture
def goal_row() -> Callable[..., GoalRow]:
    def make(unit: int, **changes: Any) -> GoalRow:
        strip = changes.pop("strip", "✓T")
        values: dict[str, Any] = {
            "unit": unit,
            "goal_id": f"g{unit}",
            "goal_text": f"goal number {unit}",
            "context_id": f"c{unit // 3}",
            "context_title": None,
            "memory_id": f"m{unit}",
            "memory_status": "ok",
            "cell": CELL,
            "generation": 0,
            "repeat": 0,
            "budget": 1234,
            "tail_characters": 20,
            "tail_tokens": 5,
            "strip": strip,
            "correct": strip.count("✓"),
            "questions": len(strip),
            "away": len(strip) - strip.count("✓"),
        }
        return GoalRow(**{**values, **changes})

    return make


@pytest.fixture
def question_row() -> Callable[..., QuestionRow]:
    def make(name: str = "q1", **changes: Any) -> QuestionRow:
        answer = changes.pop("answer", "not in memory")
        if isinstance(answer, str):
            answer = Answer("m1", name, 0, answer, "ok")
        verdict = changes.pop("verdict", Verdict("m1", name, 0, "incorrect", "judged", "says so", "raw"))
        values: dict[str, Any] = {
            "question": Question(
                name, "g1", changes.pop("text", f"What of {name}?"), changes.pop("references", ("Paris",))
            ),
            "answer": answer,
            "verdict": verdict,
            "repeat": 0,
            "fate": "tail",
            "cause": "truncation",
            "flags": (),
            "label": "incorrect",
            "status": verdict.status if verdict else "not_judged",
        }
        return QuestionRow(**{**values, **changes})

    return make


@pytest.fixture
def unit_view(question_row: Callable[..., QuestionRow]) -> Callable[..., UnitView]:
    def make(*rows: QuestionRow, unit: int = 1, **changes: Any) -> UnitView:
        values: dict[str, Any] = {
            "unit": unit,
            "run": Run("r1", "a run"),
            "context": Context("c1", "The capital is Paris. It rains."),
            "goal": Goal("g1", "c1", "Keep the capital"),
            "shown_goal": None,
            "memory": Memory(
                "m1", "g1", "g1", CELL, 3, 0, "The capital is Paris.", "The capital", None, "ok"
            ),
            "repeat": 0,
            "rows": rows or (question_row("q1"), question_row("q2")),
            "identity_verified": False,
        }
        return UnitView(**{**values, **changes})

    return make


@pytest.fixture
def run_summary() -> Callable[..., RunSummary]:
    def make(run_id: str, name: str | None = None, **changes: Any) -> RunSummary:
        values: dict[str, Any] = {
            "goals": 4,
            "questions": 12,
            "answers": 24,
            "identity_declared": None,
            "identity_verified": False,
            "search_ready": True,
        }
        run = Run(
            run_id, name, changes.pop("protocol", None), diagnostic_only=changes.pop("diagnostic", None)
        )
        return RunSummary(run=run, **{**values, **changes})

    return make


@pytest.fixture
def database(run_document: dict[str, Any], run_file: Callable[..., Path], tmp_path: Path) -> Path:
    """Three runs of many goals."""
    from gacc_gui.app.importing import import_paths

    path = tmp_path / "runs.db"
    files = [
        run_file(large_document(run_document, run_id), f"{run_id}.json") for run_id in ("r10", "r9", "r1")
    ]
    report = import_paths(path, files)
    assert [file.error for file in report.files] == [None] * 3
    return path


@pytest.fixture
def lists(qtbot: QtBot, database: Path) -> Iterator[Lists]:
    """The lists over them, in a window, with no run chosen."""
    background = Background(database)
    session = Session(background)
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(900, 500)
    lists = Lists(
        session,
        background,
        RunsView(session, background, window),
        CellChooser(session, background, window),
        FilterEdit(session, background, window),
        GoalsView(session, background, window),
        window,
    )
    lists.runs.setGeometry(0, 0, 400, 140)
    lists.cells.setGeometry(400, 0, 500, 40)
    lists.filter.setGeometry(400, 40, 500, 60)
    lists.goals.setGeometry(0, 140, 900, 360)
    with qtbot.waitExposed(window):
        window.show()
    yield lists
    background.shutdown()


@pytest.fixture
def opened(qtbot: QtBot, lists: Lists) -> Lists:
    """The lists with a run chosen, and its first goal shown."""
    lists.session.choose_run("r1")
    qtbot.waitUntil(lambda: lists.count == "48 goals" and lists.session.unit is not None)
    return lists
