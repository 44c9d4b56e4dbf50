"""Reads of what reviews are about: their rows as judged, and totals with what reviews change.

Owns these SELECTs: they touch the reviewed rows and their units, never all rows of a run.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from gacc_gui.core.causes import CAUSES, CORRECT, answer_equals_reference
from gacc_gui.core.records import Cell
from gacc_gui.core.reviewing import Change, JudgedRow, Row
from gacc_gui.store import queries, record_reads, summaries
from gacc_gui.store.naming import row_keys
from gacc_gui.store.record_rows import tuple_of
from gacc_gui.store.rows import CellChoice, Totals

_FAULTS: Final = tuple(cause for cause in CAUSES if cause != CORRECT)

JUDGED_ROWS: Final = """
    SELECT memories.id, questions.id, results.repeat, units.unit, cells.compressor, cells.revision,
           cells.condition, cells.ratio, goals.id, contexts.id, outcomes.fate, outcomes.cause, outcomes.flags,
           outcomes.label, outcomes.status, outcomes.answer_status, outcomes.memory_status, memories.budget,
           answers.text, questions.reference_answers,
           (SELECT count(*) FROM questions AS others WHERE others.goal_key = questions.goal_key
               AND others.question_key < questions.question_key)
    FROM {source}
    JOIN results ON results.memory_key = wanted.memory_key AND results.repeat = wanted.repeat
        AND results.question_key = wanted.question_key
    JOIN outcomes USING (outcome_key)
    JOIN memories ON memories.memory_key = results.memory_key
    JOIN questions ON questions.question_key = results.question_key
    JOIN units ON units.memory_key = results.memory_key AND units.repeat = results.repeat
    JOIN goals ON goals.goal_key = units.goal_key
    JOIN contexts ON contexts.context_key = units.context_key
    JOIN cells ON cells.cell_key = units.cell_key
    LEFT JOIN answers ON answers.memory_key = results.memory_key
        AND answers.question_key = results.question_key AND answers.repeat = results.repeat
    ORDER BY results.memory_key, results.repeat, results.question_key
"""
"""The rows of a table `wanted` (memory_key, question_key, repeat), which `source` names."""


def reviewed(connection: sqlite3.Connection, run_key: int) -> list[JudgedRow]:
    """Return every row of a run that anybody ever reviewed, as judged, in file order."""
    if not record_reads.has_reviews(connection):
        return []
    source = "(SELECT DISTINCT memory_key, question_key, repeat FROM reviews WHERE run_key = ?) AS wanted"
    return list(_judged_rows(connection, source, run_key))


def probed(connection: sqlite3.Connection, run_key: int) -> list[JudgedRow]:
    """Return every row of a run that was asked again, as judged, in file order."""
    if not record_reads.has_reviews(connection):
        return []
    source = "(SELECT DISTINCT memory_key, question_key, repeat FROM probes WHERE run_key = ?) AS wanted"
    return list(_judged_rows(connection, source, run_key))


def judged_rows(connection: sqlite3.Connection, run_key: int, rows: Iterable[Row]) -> list[JudgedRow]:
    """Return these rows of a run as judged, in file order; those that are not there are left out."""
    source = (
        "(SELECT json_extract(value, '$[0]') AS memory_key, json_extract(value, '$[1]') AS question_key,"
        " json_extract(value, '$[2]') AS repeat FROM json_each(?)) AS wanted"
    )
    keys = row_keys(connection, run_key, rows)
    return list(_judged_rows(connection, source, json.dumps(keys))) if keys else []


def _judged_rows(connection: sqlite3.Connection, source: str, *values: object) -> Iterator[JudgedRow]:
    for row in connection.execute(JUDGED_ROWS.format(source=source), values):
        memory, question, repeat, unit, *cell, goal, context, fate, cause, flags, label, status = row[:15]
        answer_status, memory_status, budget, answer, references, place = row[15:]
        yield JudgedRow(
            (memory, question, repeat),
            unit,
            Cell(*cell),
            goal,
            context,
            fate,
            cause,
            tuple(flags.split()),
            label,
            status,
            answer_status,
            memory_status,
            budget,
            answer_equals_reference(answer, tuple_of(references)),
            place,
        )


def totals(
    connection: sqlite3.Connection,
    run_key: int,
    choice: CellChoice,
    changes: Mapping[int, Change],
    found: Totals,
) -> Totals:
    """Return the sums over the units of the chosen cells (`found`) with the changes of some units."""
    where, values = queries.choice_condition(connection, run_key, choice)
    right, complete, judged, correct = found.right_goals, found.complete_goals, found.judged, found.correct
    gains = {cause: found.mended[cause] - right for cause in _FAULTS}
    columns = ", ".join(summaries.CAUSE_COLUMNS[cause] for cause in CAUSES)
    for unit, questions, had_judged, *had in connection.execute(
        f"SELECT unit, questions, judged, {columns} FROM units"
        f" WHERE unit IN (SELECT value FROM json_each(?)) AND {where} AND questions > 0",
        (json.dumps(list(changes)), *values),
    ):
        change = changes[unit]
        has = [mine + more for mine, more in zip(had, change.causes, strict=True)]
        judged += change.judged
        correct += change.correct
        complete += (had_judged + change.judged == questions) - (had_judged == questions)
        for counts, sign in ((had, -1), (has, 1)):
            lost = {cause: n for cause, n in zip(CAUSES, counts, strict=True) if n and cause != CORRECT}
            if not lost:
                right += sign
            elif len(lost) == 1:
                gains[next(iter(lost))] += sign
    return Totals(
        goals=found.goals,
        right_goals=right,
        complete_goals=complete,
        questions=found.questions,
        judged=judged,
        correct=correct,
        missing_goals=found.missing_goals,
        mended={cause: right + gained for cause, gained in gains.items()},
    )
