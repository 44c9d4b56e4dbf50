"""What a comparison reads: questions with the texts they stand on, and how each row of a unit came out.

Owns these SELECTs, made for `Reader.on_run`. What is paired with what is `core.pairing`. A unit's rows are
the letters of `units.outcomes`, so that 300,000 of them are 60,000 short strings; a source is its SHA-256.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from gacc_gui.core.records import Cell
from gacc_gui.core.selector import Selector
from gacc_gui.core.sides import MARK_OF_LABEL, UNLABELLED, Side, SideQuestion, UnitTable
from gacc_gui.store import queries
from gacc_gui.store.outcome_rows import outcomes


def generations(connection: sqlite3.Connection, run_key: int) -> list[int]:
    """Return the generations of a run's memories, ascending."""
    found = connection.execute(
        "SELECT DISTINCT generation FROM memories WHERE run_key = ? ORDER BY generation", (run_key,)
    )
    return [generation for (generation,) in found]


def side(connection: sqlite3.Connection, run_key: int, selector: Selector) -> Side:
    """Return what the selected cells of a run hold."""
    cells = {
        key: Cell(*cell)
        for key, *cell in connection.execute(
            "SELECT cell_key, compressor, revision, condition, ratio FROM cells WHERE run_key = ?"
            " ORDER BY compressor, revision, condition, ratio_value, ratio",
            (run_key,),
        )
    }
    chosen = set(selector.chosen(cells.values()))
    keys = [key for key, cell in cells.items() if cell in chosen]
    return Side(
        selector=selector,
        questions=_questions(connection, run_key),
        cells=[cells[key] for key in keys],
        units=_units(connection, run_key, cells, keys, selector.generation),
    )


def _questions(connection: sqlite3.Connection, run_key: int) -> list[SideQuestion]:
    """Return the run's questions. A row's place in a unit is that of its question among its goal's."""
    places: dict[int, int] = {}
    questions = []
    for id_, goal, context_id, *texts in connection.execute(
        "SELECT questions.id, questions.goal_key, contexts.id, texts.sha256, goals.text, questions.text,"
        " coalesce(reference_answers, '[]')"
        " FROM questions JOIN goals USING (goal_key) JOIN contexts USING (context_key)"
        " JOIN texts ON text_key = source_text WHERE questions.run_key = ? ORDER BY question_key",
        (run_key,),
    ):
        place = places.get(goal, 0)
        places[goal] = place + 1
        questions.append(SideQuestion(id_, goal, place, context_id, tuple(texts)))
    return questions


def _units(
    connection: sqlite3.Connection,
    run_key: int,
    cells: dict[int, Cell],
    keys: Sequence[int],
    generation: int | None,
) -> UnitTable:
    marks = str.maketrans(
        {outcome.letter: MARK_OF_LABEL.get(outcome.label, UNLABELLED) for outcome in outcomes(connection)}
    )
    of_run = queries.of_run(connection, run_key)
    where = f"{of_run.sql} AND cell_key IN (SELECT value FROM json_each(?))"
    values = [*of_run.values, json.dumps(keys)]
    if generation is not None:
        where += " AND generation = ?"
        values.append(generation)
    # Columns whole, as one row: see `queries._columns`.
    columns = connection.execute(
        "SELECT json_group_array(unit), json_group_array(units.cell_key), json_group_array(units.goal_key),"
        " json_group_array(units.generation), json_group_array(repeat),"
        " json_group_array(coalesce(goals.id, '')), json_group_array(memories.id),"
        " json_group_array(units.budget), json_group_array(outcomes), json_group_array(strip)"
        " FROM (SELECT unit, memory_key, cell_key, goal_key, generation, repeat, budget, outcomes, strip"
        f" FROM units WHERE {where} AND questions > 0) AS units"
        " JOIN memories USING (memory_key) LEFT JOIN goals ON goals.goal_key = shown_goal_key",
        values,
    ).fetchone()
    lists = [json.loads(column) for column in columns]
    lists[1] = [cells[key] for key in lists[1]]
    lists[-2] = "\n".join(lists[-2]).translate(marks).split("\n") if lists[-2] else []
    return UnitTable(lists)
