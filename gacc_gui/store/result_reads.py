"""The rows of a run with all that a table says of each, and none of the long texts.

Owns this SELECT, to be handed to `Reader.on_run`. Sources, memories and requests are not read at all: in a
run of 300,000 answers they are most of the file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from gacc_gui.core.records import Cell
from gacc_gui.store.record_rows import tuple_of


class TableContext(NamedTuple):
    """A context without its text."""

    id: str
    title: str | None
    origin: str | None
    license: str | None


class TableQuestion(NamedTuple):
    """A question with the goal that it belongs to and its context."""

    id: str
    text: str
    references: tuple[str, ...] | None
    goal_id: str
    goal: str
    context: TableContext


class TableMemory(NamedTuple):
    """A memory without its texts; token counts are the declared ones."""

    id: str
    status: str
    cell: Cell
    shown_goal_id: str | None
    budget: int | None
    generation: int
    source_tokens: int | None
    proposed_tokens: int | None
    retained_tokens: int | None


class TableRow(NamedTuple):
    """One question under one memory and repeat. `label` is the one that counts."""

    memory: TableMemory
    question: TableQuestion
    repeat: int
    fate: str
    cause: str
    flags: tuple[str, ...]
    label: str | None
    status: str
    answer: str | None
    answer_status: str | None
    judge_label: str | None
    rationale: str | None


def table_rows(connection: sqlite3.Connection, run_key: int) -> Iterator[TableRow]:
    """Yield every row of a run, by memory, repeat and question in file order."""
    questions = _questions(connection, run_key)
    known: tuple[int | None, TableMemory | None] = (None, None)
    memories = _memories(connection, run_key)
    for key, question, *row in connection.execute(_ROWS, (run_key,)):
        while known[0] != key:  # both go through the memories in file order
            known = next(memories)
        memory = known[1]
        assert memory is not None
        repeat, fate, cause, flags, *rest = row
        yield TableRow(memory, questions[question], repeat, fate, cause, tuple(flags.split()), *rest)


_ROWS = (
    "SELECT results.memory_key, results.question_key, results.repeat, outcomes.fate, outcomes.cause,"
    " outcomes.flags, outcomes.label, outcomes.status, answers.text, answers.status, verdicts.label,"
    " verdicts.rationale"
    " FROM memories"
    " JOIN results ON results.memory_key = memories.memory_key"
    " JOIN outcomes ON outcomes.outcome_key = results.outcome_key"
    " LEFT JOIN answers ON answers.memory_key = results.memory_key"
    " AND answers.question_key = results.question_key AND answers.repeat = results.repeat"
    " LEFT JOIN verdicts ON verdicts.memory_key = results.memory_key"
    " AND verdicts.question_key = results.question_key AND verdicts.repeat = results.repeat"
    " WHERE memories.run_key = ?"
    " ORDER BY memories.memory_key, results.repeat, results.question_key"
)


def _questions(connection: sqlite3.Connection, run_key: int) -> dict[int, TableQuestion]:
    contexts: dict[int, TableContext] = {
        key: TableContext(*row)
        for key, *row in connection.execute(
            "SELECT context_key, id, title, origin, license FROM contexts WHERE run_key = ?", (run_key,)
        )
    }
    return {
        key: TableQuestion(id_, text, tuple_of(references), goal_id, goal, contexts[context])
        for key, id_, text, references, goal_id, goal, context in connection.execute(
            "SELECT question_key, questions.id, questions.text, reference_answers, goals.id, goals.text,"
            " context_key FROM questions JOIN goals USING (goal_key) WHERE questions.run_key = ?",
            (run_key,),
        )
    }


def _memories(connection: sqlite3.Connection, run_key: int) -> Iterator[tuple[int, TableMemory]]:
    cells: dict[int, Cell] = {
        key: Cell(*cell)
        for key, *cell in connection.execute(
            "SELECT cell_key, compressor, revision, condition, ratio FROM cells WHERE run_key = ?", (run_key,)
        )
    }
    for key, id_, status, cell, *row in connection.execute(
        "SELECT memory_key, memories.id, status, cell_key, goals.id, budget, generation, source_tokens,"
        " proposed_tokens, retained_tokens"
        " FROM memories LEFT JOIN goals ON goals.goal_key = shown_goal_key"
        " WHERE memories.run_key = ? ORDER BY memory_key",
        (run_key,),
    ):
        yield key, TableMemory(id_, status, cells[cell], *row)
