"""The SELECTs of a compaction run: its cases, its contexts, and what was answered from each.

Owns the queries alone, to be handed to `Reader.on_run`. Whole texts are read for one case, not for a run.
What the rows mean is `app.compaction_viewing`'s.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gacc_gui.core.records import Context, Goal, Json, Question
from gacc_gui.store import record_reads
from gacc_gui.store.record_rows import mapping


@dataclass(frozen=True, slots=True)
class StoredCase:
    """What a case is made of; context, goal and question have its id."""

    context: Context
    goal: Goal
    question: Question


@dataclass(frozen=True, slots=True)
class StoredContext:
    """A memory of a case. `evidence` is what it retained; None where texts were not asked for, or none."""

    memory_id: str
    case: str
    method: str
    generation: int
    status: str
    error: str | None
    extra: Mapping[str, Json]
    evidence: str | None


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer with its verdict, or the place of one that is not there.

    `unit` is the store's key of the case under this memory and repeat. A status of None: no such record.
    `text` is None where texts were not asked for, or there is none.
    """

    memory_id: str
    repeat: int
    unit: int
    status: str | None
    error: str | None
    text: str | None
    verdict_status: str | None
    rationale: str | None
    verdict: Mapping[str, Json]
    """The verdict's further fields."""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run's cases, contexts and answers in file order; or those of one case."""

    cases: tuple[StoredCase, ...]
    contexts: tuple[StoredContext, ...]
    answers: tuple[StoredAnswer, ...]


def stored_run(connection: sqlite3.Connection, run_key: int) -> StoredRun:
    """Return a whole run, without the texts of contexts and answers."""
    return _stored(connection, "= ?", (run_key,), texts=False)


def stored_case(connection: sqlite3.Connection, run_key: int, case_id: str) -> StoredRun:
    """Return one case with all its texts; no case where there is none of this id."""
    return _stored(connection, "= ? AND goals.id = ?", (run_key, case_id), texts=True)


def _stored(connection: sqlite3.Connection, where: str, values: tuple[Any, ...], *, texts: bool) -> StoredRun:
    return StoredRun(
        tuple(_cases(connection, where, values)),
        tuple(_contexts(connection, where, values, texts)),
        tuple(_answers(connection, where, values, texts)),
    )


def _cases(connection: sqlite3.Connection, where: str, values: tuple[Any, ...]) -> Iterator[StoredCase]:
    goals = list(record_reads.goals(connection, f"goals.run_key {where}", values))
    questions: dict[str, Question] = {}
    for question in record_reads.questions(connection, f"questions.run_key {where}", values):
        questions.setdefault(question.goal_id, question)
    wanted = ", ".join("?" * len(goals))
    found = record_reads.contexts(
        connection,
        f"contexts.run_key = ? AND contexts.id IN ({wanted})",
        (values[0], *(goal.context_id for goal in goals)),
    )
    contexts = {context.id: context for context in found}
    for goal in goals:
        if goal.id in questions and goal.context_id in contexts:
            yield StoredCase(contexts[goal.context_id], goal, questions[goal.id])


def _contexts(
    connection: sqlite3.Connection, where: str, values: tuple[Any, ...], texts: bool
) -> Iterator[StoredContext]:
    # What was sent is proposal and retained text at once.
    text, join = (
        ("texts.text", "LEFT JOIN texts ON text_key = memories.proposed_text") if texts else ("NULL", "")
    )
    for id_, case, method, generation, status, error, extra, evidence in connection.execute(
        "SELECT memories.id, goals.id, cells.compressor, memories.generation, memories.status,"
        f" memories.error, memories.extra, {text}"
        " FROM memories JOIN goals USING (goal_key) JOIN cells ON cells.cell_key = memories.cell_key"
        f" {join} WHERE memories.run_key {where} ORDER BY memory_key",
        values,
    ):
        yield StoredContext(id_, case, method, generation, status, error, mapping(extra), evidence)


def _answers(
    connection: sqlite3.Connection, where: str, values: tuple[Any, ...], texts: bool
) -> Iterator[StoredAnswer]:
    text = "answers.text" if texts else "NULL"
    for id_, repeat, unit, status, error, said, verdict_status, rationale, verdict in connection.execute(
        f"SELECT memories.id, units.repeat, unit, answers.status, answers.error, {text}, verdicts.status,"
        " verdicts.rationale, verdicts.extra"
        " FROM units JOIN memories USING (memory_key) JOIN goals ON goals.goal_key = units.goal_key"
        " LEFT JOIN answers ON answers.memory_key = units.memory_key AND answers.repeat = units.repeat"
        " LEFT JOIN verdicts ON verdicts.memory_key = units.memory_key"
        " AND verdicts.question_key = answers.question_key AND verdicts.repeat = units.repeat"
        f" WHERE units.run_key {where} ORDER BY units.memory_key, units.repeat",
        values,
    ):
        yield StoredAnswer(
            id_, repeat, unit, status, error, said, verdict_status, rationale, mapping(verdict)
        )
