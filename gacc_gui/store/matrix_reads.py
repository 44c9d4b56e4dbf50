"""A goal's units over all cells, and the goals that flip. Owns these SELECTs; their meaning is `core`'s."""

from __future__ import annotations

import sqlite3

from gacc_gui.core.errors import BadUsage
from gacc_gui.core.filters import Match, Query
from gacc_gui.core.flips import NONMONOTONE
from gacc_gui.core.matrix import MatrixQuestion, MatrixUnit
from gacc_gui.core.records import Cell
from gacc_gui.store import queries
from gacc_gui.store.rows import CellChoice, Decided

_SHOWN = 400
"""Code points of a text in a row."""


def goal_of(
    connection: sqlite3.Connection, run_key: int, goal_id: str
) -> tuple[str, list[MatrixQuestion], list[MatrixUnit]]:
    """Return a goal's text, questions and units. Raises BadUsage for an unknown goal."""
    found = connection.execute(
        "SELECT goal_key, text FROM goals WHERE run_key = ? AND id = ?", (run_key, goal_id)
    ).fetchone()
    if found is None:
        raise BadUsage(f"there is no goal {goal_id!r} in this run")
    goal_key, text = found
    questions = [
        MatrixQuestion(id_, words[:_SHOWN])
        for id_, words in connection.execute(
            "SELECT id, text FROM questions WHERE goal_key = ? ORDER BY question_key", (goal_key,)
        )
    ]
    units = [
        MatrixUnit(unit, Cell(*cell), generation, repeat, budget, strip)
        for unit, generation, repeat, budget, strip, *cell in connection.execute(
            "SELECT unit, units.generation, repeat, units.budget, strip, cells.compressor, cells.revision,"
            " cells.condition, cells.ratio"
            " FROM memories JOIN units USING (memory_key) JOIN cells ON cells.cell_key = units.cell_key"
            " WHERE memories.goal_key = ?",
            (goal_key,),
        )
    ]
    return text[:_SHOWN], questions, units


def goal_ids(connection: sqlite3.Connection, run_key: int) -> list[str]:
    """Return the goals of a run that have questions, in file order."""
    return [
        id_
        for (id_,) in connection.execute(
            "SELECT id FROM goals WHERE run_key = ? AND EXISTS"
            " (SELECT 1 FROM questions WHERE questions.goal_key = goals.goal_key) ORDER BY goal_key",
            (run_key,),
        )
    ]


def lost_goals(connection: sqlite3.Connection, run_key: int, decided: Decided | None = None) -> set[str]:
    """Return the goals of which a question is right at a smaller and wrong at a larger budget, somewhere.

    By `decided`, where decisions count or something is hidden.
    """
    lost = Query((Match("flip", (NONMONOTONE,)),))
    units = set(queries.goal_units(connection, run_key, CellChoice(), lost, decided=decided))
    return {
        id_
        for unit, id_ in connection.execute(
            "SELECT unit, goals.id FROM units JOIN goals USING (goal_key) WHERE units.run_key = ?", (run_key,)
        )
        if unit in units
    }
