"""What no writing of ours leaves in the file: tables and rows that are gone, columns that cannot be read.

Owns the search for such damage and its words. Reads trust what they find and are fast for it; it is looked
for where one of them failed, so that a file that somebody changed by hand is not taken for a bug of ours, and
where a run is audited.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

from gacc_gui.core.causes import CAUSES, FATES
from gacc_gui.core.records import (
    ANSWER_STATUSES,
    CONDITIONS,
    DECISIONS,
    LABELS,
    MATERIALS,
    MEMORY_STATUSES,
    ROLES,
    VERDICT_STATUSES,
)
from gacc_gui.core.reviewing import FAULTS
from gacc_gui.store import schema

SYMPTOMS: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    StopIteration,
    TypeError,
    ValueError,
    sqlite3.Error,
)
"""What reads of a damaged file, and what works on them, may end in; so may a bug, in a file that is whole."""

_COMMON: Final = {"extra": "object", "unusual": "array"}
_JSON: Final[Mapping[str, Mapping[str, str]]] = {
    "runs": {"tokenizer": "object", "reader": "object", "judge": "object", "top_level": "object", **_COMMON},
    "contexts": _COMMON,
    "goals": _COMMON,
    "questions": {"reference_answers": "array", "evidence": "array", **_COMMON},
    "memories": _COMMON,
    "answers": _COMMON,
    "verdicts": _COMMON,
    "requests": _COMMON,
    "reviews": {"tags": "array", "sample": "object", **_COMMON},
    "probes": {"reader": "object", "judge": "object", "usage": "object", "requests": "array", **_COMMON},
    "waiting": {"key": "array", "record": "array"},
}
_WORDS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "cells": {"condition": CONDITIONS},
    "memories": {"status": MEMORY_STATUSES},
    "answers": {"status": ANSWER_STATUSES},
    "verdicts": {"status": VERDICT_STATUSES},
    "requests": {"role": ROLES},
    "outcomes": {
        "cause": CAUSES,
        "fate": FATES,
        "label": LABELS,
        "status": VERDICT_STATUSES,
        "answer_status": ANSWER_STATUSES,
        "memory_status": MEMORY_STATUSES,
    },
    "reviews": {"decision": DECISIONS, "cause": FAULTS},
    "probes": {"given": MATERIALS, "answer_status": ANSWER_STATUSES, "verdict_status": VERDICT_STATUSES},
}
_TIMES: Final = {"reviews": "created_at", "probes": "created_at"}
_PARENTS: Final = (
    ("answers", "question_key", "questions"),
    ("verdicts", "question_key", "questions"),
    ("results", "question_key", "questions"),
    ("results", "outcome_key", "outcomes"),
    ("units", "cell_key", "cells"),
    ("units", "context_key", "contexts"),
    ("units", "goal_key", "goals"),
    ("reviews", "question_key", "questions"),
    ("probes", "question_key", "questions"),
)
"""Where no foreign key says what a column refers to: table, column, and the table that has it as its key."""

_STEPS: Final = {1: schema.TABLES, 2: schema.EVALUATION_TABLES, 3: schema.REVIEW_TABLES}
_TABLE: Final = re.compile(r"CREATE TABLE (\w+)")


def damage_of(connection: sqlite3.Connection) -> str | None:
    """Return the first damage of a database of ours, in a clause; None where there is none.

    Reads every row but the texts: some seconds of a file of gigabytes.
    """
    there = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    for name in _tables(version):
        if name not in there:
            return f"the table {name} is gone"
    return next(_damage(connection, there), None)


def _tables(version: int) -> Iterator[str]:
    for step, statements in _STEPS.items():
        for statement in statements if step <= version else ():
            yield from _TABLE.findall(statement)


def _damage(connection: sqlite3.Connection, there: set[str]) -> Iterator[str]:
    for table, columns in _JSON.items():
        for column, kind in columns.items() if table in there else ():
            # An empty text is read as none.
            wrong = f"{column} <> '' AND CASE json_valid({column}) WHEN 1 THEN json_type({column}) END"
            for row in _rows(connection, table, f"{wrong} IS NOT '{kind}'"):
                yield f"{row}: {column} is no JSON {kind}"
    for table, choices in _WORDS.items():
        for column, words in choices.items() if table in there else ():
            listed = ", ".join(f"'{word}'" for word in words)
            for row in _rows(connection, table, f"{column} NOT IN ({listed})"):
                yield f"{row}: {column} is none of {', '.join(words)}"
    for table, column in _TIMES.items():
        for row, time in _rows_with(connection, table, column) if table in there else ():
            if not _is_time(time):
                yield f"{row}: {column} is no time"
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        named = f"{table}, row {row}" if row is not None else table
        yield f"{named}: it refers to a row of {parent} that is gone"
    for table, column, parent in _PARENTS:
        key = "outcome_key" if parent == "outcomes" else column
        gone = f"NOT EXISTS (SELECT 1 FROM {parent} WHERE {parent}.{key} = {table}.{column})"
        for row in _rows(connection, table, gone) if table in there else ():
            yield f"{row}: its {column} is that of no row of {parent}"
    counted = "(SELECT count(*) FROM results WHERE (memory_key, repeat) = (units.memory_key, units.repeat))"
    for row in _rows(connection, "units", f"questions <> {counted}"):
        yield f"{row}: results of its questions are gone"
    for row in _rows(connection, "memories", "memory_key NOT IN (SELECT memory_key FROM units)"):
        yield f"{row}: its units are gone"


def _rows(connection: sqlite3.Connection, table: str, where: str) -> Iterator[str]:
    """Yield the names of the rows of a table that a condition holds for."""
    key = _key(connection, table)
    for row in connection.execute(f"SELECT {', '.join(key)} FROM {table} WHERE {where}"):
        yield _named(table, key, row)


def _rows_with(connection: sqlite3.Connection, table: str, column: str) -> Iterator[tuple[str, str]]:
    key = _key(connection, table)
    for *row, value in connection.execute(f"SELECT {', '.join(key)}, {column} FROM {table}"):
        yield _named(table, key, tuple(row)), value


def _key(connection: sqlite3.Connection, table: str) -> list[str]:
    columns = connection.execute("SELECT name, pk FROM pragma_table_info(?)", (table,)).fetchall()
    key = [name for name, place in sorted(columns, key=lambda column: column[1]) if place]
    return ["id"] if ("id", 0) in columns else key


def _named(table: str, key: list[str], row: tuple[object, ...]) -> str:
    return f"{table}, {', '.join(f'{name} {value!r}' for name, value in zip(key, row, strict=True))}"


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
