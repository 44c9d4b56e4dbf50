"""What becomes of a record whose key is taken, and the batches in which answers and verdicts land.

Owns FORMATS.md's rule: equal ones are already there, a finished item supersedes a failed one, any other is a
conflict in which the stored one stays.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any, Final

from gacc_gui.core.records import Answer, Memory, Record, Verdict, is_finished
from gacc_gui.store import record_reads
from gacc_gui.store.landing import Conflict, Landing
from gacc_gui.store.record_rows import key_of, kind_of, same
from gacc_gui.store.row_buffer import BATCH, COLUMNS, INSERTS

_KEY: Final = "memory_key = ? AND question_key = ? AND repeat = ?"


def settle(landing: Landing, record: Record, line: int | None, stored: Record) -> bool:
    """Tally a record whose key is taken; True if it is to supersede the stored one."""
    kind = kind_of(record)
    if same(stored, record):
        landing.already[kind] += 1
        return False
    if (
        isinstance(record, Memory | Answer | Verdict)
        and isinstance(stored, Memory | Answer | Verdict)
        and is_finished(record)
        and not is_finished(stored)
        and (not isinstance(record, Memory) or _same_place(record, stored))
    ):
        landing.superseded[kind] += 1
        return True
    landing.conflicts.append(Conflict(kind, key_of(record), line, stored, record))
    return False


def _same_place(record: Memory, stored: Record) -> bool:
    return isinstance(stored, Memory) and (
        record.goal_id,
        record.shown_goal_id,
        record.cell,
        record.generation,
    ) == (stored.goal_id, stored.shown_goal_id, stored.cell, stored.generation)


class ItemBatch:
    """Answers or verdicts on their way into their table (`answers`, `verdicts`)."""

    def __init__(
        self, connection: sqlite3.Connection, table: str, landing: Landing, first_new_memory: int
    ) -> None:
        self._connection = connection
        self._table = table
        self._read: Callable[..., Iterator[Record]] = getattr(record_reads, table)
        self._kind = table.removesuffix("s")
        self._landing = landing
        self._first_new_memory = first_new_memory
        self._rows: list[tuple[Any, ...]] = []
        self._records: list[tuple[Answer | Verdict, int | None]] = []
        self.touched: set[int] = set()
        """Keys of the memories that were there before and have other rows now."""

    def next_batch(self, landing: Landing, first_new_memory: int) -> None:
        """Tally what follows in `landing`, and count what is touched anew."""
        self._landing = landing
        self._first_new_memory = first_new_memory
        self.touched.clear()

    def add(self, row: tuple[Any, ...], record: Answer | Verdict, line: int | None) -> bool:
        """Take a row (columns as in COLUMNS); True when it is time to flush."""
        self._rows.append(row)
        self._records.append((record, line))
        return len(self._rows) >= BATCH

    def flush(self) -> None:
        """Write what is collected; the memories must be in their table."""
        rows = self._rows
        if not rows:
            return
        landed = self._insert_all() if all(row[0] >= self._first_new_memory for row in rows) else False
        if landed:
            self._landing.added[self._kind] += len(rows)
        else:
            for row, (record, line) in zip(rows, self._records, strict=True):
                self._insert_or_merge(row, record, line)
        rows.clear()
        self._records.clear()

    def _insert_all(self) -> bool:
        """Insert the batch at once; False, and nothing inserted, if there is a duplicate.

        For rows of new memories: nothing of these is stored but what this file brought.
        """
        connection = self._connection
        connection.execute("SAVEPOINT batch")
        try:
            connection.executemany(INSERTS[self._table], self._rows)
            return True
        except sqlite3.IntegrityError:
            connection.execute("ROLLBACK TO batch")
            return False
        finally:
            # A full disk rolls everything back, the savepoint too.
            if connection.in_transaction:
                connection.execute("RELEASE batch")

    def _insert_or_merge(self, row: tuple[Any, ...], record: Answer | Verdict, line: int | None) -> None:
        stored = next(self._read(self._connection, _KEY, row[:3], "position"), None)
        if stored is None:
            self._connection.execute(INSERTS[self._table], row)
            self._landing.added[self._kind] += 1
            self.touched.add(row[0])
        elif settle(self._landing, record, line, stored):
            columns = COLUMNS[self._table][4:]
            self._connection.execute(
                f"UPDATE {self._table} SET {', '.join(f'{name} = ?' for name in columns)} WHERE {_KEY}",
                (*row[4:], *row[:3]),
            )
            self.touched.add(row[0])
