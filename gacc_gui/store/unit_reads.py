"""Units as rows of the goals list and as whole views. Owns these SELECTs; which units, `queries` says."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence

from gacc_gui.core.errors import BadUsage
from gacc_gui.core.records import Answer, Cell, Verdict
from gacc_gui.store.record_rows import mapping, names
from gacc_gui.store.rows import GoalRow, QuestionResult, QuestionRow, UnitView

SHOWN_CHARACTERS = 400
"""Code points of a text in a row of a list."""

_UNITS = """
    SELECT unit, goals.id, goals.text, contexts.id, contexts.title, memories.id, memories.status,
           cells.compressor, cells.revision, cells.condition, cells.ratio, memories.generation, repeat,
           units.budget, tail_characters, tail_tokens, strip, correct, questions, away
    FROM json_each(?) AS wanted
    JOIN units ON units.unit = wanted.value
    JOIN memories USING (memory_key)
    JOIN goals ON goals.goal_key = units.goal_key
    JOIN contexts ON contexts.context_key = units.context_key
    JOIN cells ON cells.cell_key = units.cell_key
    ORDER BY wanted.key
"""

_ROWS = """
    SELECT questions.id, outcomes.fate, outcomes.cause, outcomes.flags, outcomes.label, outcomes.status,
           answers.status, answers.text, answers.error, answers.extra, answers.unusual,
           verdicts.status, verdicts.label, verdicts.rationale, verdicts.raw_reply, verdicts.extra,
           verdicts.unusual
    FROM results
    JOIN outcomes USING (outcome_key)
    JOIN questions USING (question_key)
    LEFT JOIN answers ON answers.memory_key = results.memory_key
        AND answers.question_key = results.question_key AND answers.repeat = results.repeat
    LEFT JOIN verdicts ON verdicts.memory_key = results.memory_key
        AND verdicts.question_key = results.question_key AND verdicts.repeat = results.repeat
    WHERE results.memory_key = ? AND results.repeat = ?
    ORDER BY results.question_key
"""


def goal_rows(connection: sqlite3.Connection, units: Sequence[int]) -> list[GoalRow]:
    """Return the rows of these units, in this order."""
    return [
        GoalRow(
            unit=row[0],
            goal_id=row[1],
            goal_text=row[2][:SHOWN_CHARACTERS],
            context_id=row[3],
            context_title=row[4][:SHOWN_CHARACTERS] if row[4] is not None else None,
            memory_id=row[5],
            memory_status=row[6],
            cell=Cell(*row[7:11]),
            generation=row[11],
            repeat=row[12],
            budget=row[13],
            tail_characters=row[14],
            tail_tokens=row[15],
            strip=row[16],
            correct=row[17],
            questions=row[18],
            away=row[19],
        )
        for row in connection.execute(_UNITS, (json.dumps(list(units)),))
    ]


def unit_view(connection: sqlite3.Connection, unit: int) -> UnitView:
    """Return a unit whole. Raises BadUsage if there is no such unit."""
    from gacc_gui.store import record_reads

    found = connection.execute(
        "SELECT memory_key, repeat, units.run_key, context_key, units.goal_key, shown_goal_key,"
        " identity_verified FROM units JOIN memories USING (memory_key)"
        " JOIN runs ON runs.run_key = units.run_key WHERE unit = ?",
        (unit,),
    ).fetchone()
    if found is None:
        raise BadUsage("this goal is no longer in the database")
    memory_key, repeat, run_key, context_key, goal_key, shown_key, verified = found
    shown = (
        record_reads.goals(connection, "goal_key = ?", (shown_key,)) if shown_key is not None else iter(())
    )
    memory = next(record_reads.memories(connection, "memory_key = ?", (memory_key,)))
    return UnitView(
        unit=unit,
        run=next(record_reads.runs(connection, "run_key = ?", (run_key,))),
        context=next(record_reads.contexts(connection, "context_key = ?", (context_key,))),
        goal=next(record_reads.goals(connection, "goal_key = ?", (goal_key,))),
        shown_goal=next(shown, None),
        memory=memory,
        repeat=repeat,
        rows=tuple(_question_rows(connection, memory_key, memory.id, goal_key, repeat)),
        identity_verified=bool(verified),
    )


def _question_rows(
    connection: sqlite3.Connection, memory_key: int, memory_id: str, goal_key: int, repeat: int
) -> Iterator[QuestionRow]:
    from gacc_gui.store import record_reads

    questions = {
        question.id: question
        for question in record_reads.questions(connection, "questions.goal_key = ?", (goal_key,))
    }
    for row in connection.execute(_ROWS, (memory_key, repeat)):
        question_id, fate, cause, flags, label, status = row[:6]
        answer = verdict = None
        if row[6] is not None:
            answer = Answer(
                memory_id, question_id, repeat, row[7], row[6], row[8], mapping(row[9]), names(row[10])
            )
        if row[11] is not None:
            verdict = Verdict(
                memory_id,
                question_id,
                repeat,
                row[12],
                row[11],
                row[13],
                row[14],
                mapping(row[15]),
                names(row[16]),
            )
        yield QuestionRow(
            question=questions[question_id],
            answer=answer,
            verdict=verdict,
            repeat=repeat,
            fate=fate,
            cause=cause,
            flags=tuple(flags.split()),
            label=label,
            status=status,
        )


def question_results(connection: sqlite3.Connection, run_key: int) -> Iterator[QuestionResult]:
    """Yield every row of a run, by memory, repeat and question in file order."""
    cells: dict[int, tuple[str, str, str, str]] = {
        key: (compressor, revision, condition, ratio)
        for key, compressor, revision, condition, ratio in connection.execute(
            "SELECT cell_key, compressor, revision, condition, ratio FROM cells WHERE run_key = ?", (run_key,)
        )
    }
    for (
        memory_id,
        goal_id,
        question_id,
        generation,
        repeat,
        cell_key,
        fate,
        cause,
        flags,
        label,
        status,
    ) in connection.execute(
        "SELECT memories.id, goals.id, questions.id, memories.generation, results.repeat, memories.cell_key,"
        " outcomes.fate, outcomes.cause, outcomes.flags, outcomes.label, outcomes.status"
        " FROM memories"
        " JOIN results ON results.memory_key = memories.memory_key"
        " JOIN outcomes ON outcomes.outcome_key = results.outcome_key"
        " JOIN questions ON questions.question_key = results.question_key"
        " JOIN goals ON goals.goal_key = memories.goal_key"
        " WHERE memories.run_key = ?"
        " ORDER BY memories.memory_key, results.repeat, results.question_key",
        (run_key,),
    ):
        yield QuestionResult(
            memory_id,
            goal_id,
            question_id,
            generation,
            repeat,
            *cells[cell_key],
            fate,
            cause,
            tuple(flags.split()),
            label,
            status,
        )
