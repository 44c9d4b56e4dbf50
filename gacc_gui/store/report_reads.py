"""The SELECTs of reports: where a run's contexts come from, a goal with its context, what rows are about.

Owns the queries alone, to be handed to `Reader.on_run`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Final

from gacc_gui.core.errors import BadUsage
from gacc_gui.core.records import Context, Goal, Memory, Question
from gacc_gui.store import record_reads


def provenance(connection: sqlite3.Connection, run_key: int) -> list[tuple[str | None, str | None, int]]:
    """Return origin, licence and number of contexts, in the order in which they first come."""
    return list(
        connection.execute(
            "SELECT origin, license, count(*) FROM contexts WHERE run_key = ?"
            " GROUP BY origin, license ORDER BY min(context_key)",
            (run_key,),
        )
    )


def record_count(connection: sqlite3.Connection, run_key: int) -> int:
    """Return how many records a run has: those that `Reader.records` yields."""
    tables = ["runs", "contexts", "goals", "questions", "memories", "requests"]
    if record_reads.has_reviews(connection):
        tables += ["reviews", "probes"]
    counted = [f"(SELECT count(*) FROM {table} WHERE run_key = :run)" for table in tables]
    counted += [f"({_OF_MEMORIES.format(table)})" for table in ("answers", "verdicts")]
    return connection.execute(f"SELECT {' + '.join(counted)}", {"run": run_key}).fetchone()[0]


def waiting_counts(connection: sqlite3.Connection, run_key: int) -> dict[str, int]:
    """Return how many records of each kind wait for their parent: those that `Reader.records` leaves out."""
    select = "SELECT kind, count(*) FROM waiting WHERE run_key = ? GROUP BY kind"
    return dict(connection.execute(select, (run_key,)))


def row_count(connection: sqlite3.Connection, run_key: int) -> int:
    """Return how many rows a run has: those that `Reader.question_results` yields."""
    return connection.execute(_OF_MEMORIES.format("results"), {"run": run_key}).fetchone()[0]


_OF_MEMORIES: Final = "SELECT count(*) FROM memories JOIN {} USING (memory_key) WHERE memories.run_key = :run"


def goal_with_context(connection: sqlite3.Connection, run_key: int, goal_id: str) -> tuple[Goal, Context]:
    """Return a goal and its context. Raises BadUsage for an unknown goal."""
    goal = next(
        record_reads.goals(connection, "goals.run_key = ? AND goals.id = ?", (run_key, goal_id)), None
    )
    if goal is None:
        raise BadUsage(f"there is no goal {goal_id!r} in this run")
    where = "contexts.run_key = ? AND contexts.id = ?"
    return goal, next(record_reads.contexts(connection, where, (run_key, goal.context_id)))


def questions_of_goal(connection: sqlite3.Connection, run_key: int, goal_id: str) -> list[Question]:
    """Return a goal's questions in file order."""
    where = "questions.run_key = ? AND goals.id = ?"
    return list(record_reads.questions(connection, where, (run_key, goal_id)))


def answers_of_goal(connection: sqlite3.Connection, run_key: int, goal_id: str) -> int:
    """Return how many answers there are to a goal's questions."""
    (count,) = connection.execute(
        "SELECT count(*) FROM goals JOIN memories USING (goal_key) JOIN answers USING (memory_key)"
        " WHERE goals.run_key = ? AND goals.id = ?",
        (run_key, goal_id),
    ).fetchone()
    return count


def questions_by_id(connection: sqlite3.Connection, run_key: int, ids: Iterable[str]) -> dict[str, Question]:
    """Return these questions of a run."""
    where, values = _among("questions", run_key, ids)
    return {question.id: question for question in record_reads.questions(connection, where, values)}


def memories_by_id(connection: sqlite3.Connection, run_key: int, ids: Iterable[str]) -> dict[str, Memory]:
    """Return these memories of a run, with their texts."""
    where, values = _among("memories", run_key, ids)
    return {memory.id: memory for memory in record_reads.memories(connection, where, values)}


def _among(table: str, run_key: int, ids: Iterable[str]) -> tuple[str, tuple[object, ...]]:
    """Return the condition that a row has one of some hundred ids, and its values.

    As parameters of their own: in JSON, SQLite ends a text at NUL.
    """
    wanted = list(ids)
    places = ", ".join("?" * len(wanted))
    return f"{table}.run_key = ? AND {table}.id IN ({places})", (run_key, *wanted)
