"""Rows of what was added to a run beside its evaluation: requests, reviews and probes.

Owns which of them are known by their id and how they land; their parents are looked up by `placing`, or, for
a few records at a time, by `append_added` here, without knowing the whole run.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from gacc_gui.core.errors import BadInput, BadUsage
from gacc_gui.core.records import Probe, Record, Request, Review
from gacc_gui.store import record_reads
from gacc_gui.store.database import Database
from gacc_gui.store.landing import Landing
from gacc_gui.store.merging import settle
from gacc_gui.store.record_rows import common_columns, key_of, kind_of, probe_row, review_row
from gacc_gui.store.row_buffer import INSERTS, KEYS, RowBuffer

Added = Request | Review | Probe

_TABLES: Final[dict[type[Record], tuple[str, Callable[..., Iterator[Record]]]]] = {
    Request: ("requests", record_reads.requests),
    Review: ("reviews", record_reads.reviews),
    Probe: ("probes", record_reads.probes),
}


class AddedRows:
    """Takes the added records of one run into its tables, through the buffer that knows their keys."""

    def __init__(
        self, connection: sqlite3.Connection, run_key: int, buffer: RowBuffer, new_run: bool
    ) -> None:
        self._connection = connection
        self._run_key = run_key
        self._buffer = buffer
        self._known: dict[type[Record], set[str]] = {
            kind: set()
            if new_run
            else {
                id_ for (id_,) in connection.execute(f"SELECT id FROM {table} WHERE run_key = ?", (run_key,))
            }
            for kind, (table, _) in _TABLES.items()
        }

    def is_settled(self, record: Added, line: int | None, landing: Landing) -> bool:
        """Whether the id is taken: what follows from that is tallied already."""
        if record.id not in self._known[type(record)]:
            return False
        table, read = _TABLES[type(record)]
        self._buffer.flush(table)
        where = f"{table}.run_key = ? AND {table}.id = ?"
        settle(landing, record, line, next(read(self._connection, where, (self._run_key, record.id))))
        return True

    def add(
        self, record: Added, landing: Landing, memory_key: int | None, question_key: int | None = None
    ) -> None:
        """Take a record whose id is new and whose parents are there."""
        table, _ = _TABLES[type(record)]
        self._known[type(record)].add(record.id)
        key = self._buffer.new_key(table)
        self._buffer.add(table, _columns(record, key, self._run_key, memory_key, question_key))
        landing.added[kind_of(record)] += 1


def append_added(database: Database, run_id: str, records: Sequence[Added]) -> list[Added]:
    """Store a few new records of a run in one transaction, all or none, beside whoever reads meanwhile.

    Returns them as stored: a probe whose attempt another program has taken meanwhile has the next free one.
    Raises BadUsage for an unknown run, memory or question, BadInput for an id that is taken, StoreError where
    the database cannot be written.
    """
    with database.transaction() as connection:
        run = connection.execute("SELECT run_key FROM runs WHERE id = ?", (run_id,)).fetchone()
        if run is None:
            raise BadUsage(f"there is no run {run_id!r}")
        stored = []
        for record in records:
            table, _ = _TABLES[type(record)]
            taken = f"SELECT 1 FROM {table} WHERE run_key = ? AND id = ?"
            if connection.execute(taken, (run[0], record.id)).fetchone():
                raise BadInput(f"the {kind_of(record)} {key_of(record)[0]!r} is there already")
            keys = _parents(connection, run[0], record)
            if isinstance(record, Probe):
                record = replace(record, attempt=_free_attempt(connection, record, *keys))
            (top,) = connection.execute(f"SELECT coalesce(max({KEYS[table]}), 0) FROM {table}").fetchone()
            connection.execute(INSERTS[table], _columns(record, top + 1, run[0], *keys))
            stored.append(record)
    return stored


def _free_attempt(
    connection: sqlite3.Connection, probe: Probe, memory_key: int | None, question_key: int | None
) -> int:
    """Return the probe's attempt, or where it is taken the one after all of its row and kind."""
    attempts = {
        attempt
        for (attempt,) in connection.execute(
            "SELECT attempt FROM probes"
            " WHERE memory_key = ? AND question_key = ? AND repeat = ? AND given = ?",
            (memory_key, question_key, probe.repeat, probe.given),
        )
    }
    return max(attempts) + 1 if probe.attempt in attempts else probe.attempt


def _parents(connection: sqlite3.Connection, run_key: int, record: Added) -> tuple[int | None, int | None]:
    """Return the keys of the record's memory and question, as far as it has any."""
    if record.memory_id is None:
        return None, None
    memory = connection.execute(
        "SELECT memory_key, goal_key FROM memories WHERE run_key = ? AND id = ?", (run_key, record.memory_id)
    ).fetchone()
    if memory is None:
        raise BadUsage(f"there is no memory {record.memory_id!r}")
    if isinstance(record, Request):
        return memory[0], None
    question = connection.execute(
        "SELECT question_key, goal_key FROM questions WHERE run_key = ? AND id = ?",
        (run_key, record.question_id),
    ).fetchone()
    if question is None or question[1] != memory[1]:
        raise BadUsage(f"memory {record.memory_id!r} was not asked a question {record.question_id!r}")
    return memory[0], question[0]


def _columns(
    record: Added, key: int, run_key: int, memory_key: int | None, question_key: int | None
) -> tuple[Any, ...]:
    common = common_columns(record)
    if isinstance(record, Request):
        return key, run_key, record.id, record.role, memory_key, record.content, *common
    own = review_row(record) if isinstance(record, Review) else probe_row(record)
    return key, run_key, record.id, memory_key, question_key, *own, *common
