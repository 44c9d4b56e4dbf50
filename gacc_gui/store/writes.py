"""Writing the records of one run, by the rules of “Importing” in FORMATS.md. Owns keys, batches and merging.

What the rows mean (fates, causes, summaries) is computed by `results` at the end, in the same transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from hashlib import sha256
from itertools import groupby
from typing import Any, Final

from gacc_gui.core.errors import BadInput
from gacc_gui.core.records import (
    Answer,
    Cell,
    Context,
    Goal,
    Ledger,
    Memory,
    Question,
    Record,
    Request,
    Run,
    Verdict,
    is_finished,
)
from gacc_gui.store import record_reads, results, search
from gacc_gui.store.database import Database
from gacc_gui.store.landing import Conflict, Landing, Refused, Waiting
from gacc_gui.store.record_rows import (
    RUN_COLUMNS,
    differing_fields,
    key_of,
    kind_of,
    list_column,
    mapping_column,
    names_column,
    packed,
    place_retained,
    run_row,
    same,
    to_json,
    unpacked,
)

BATCH: Final = 2_000
"""Rows handed to SQLite at a time; measured flat between 500 and 10,000."""

_ORDER: Final = ("context", "goal", "question", "memory", "answer", "verdict", "request")
_LARGEST: Final = 2**63 - 1

_LONG_BATCH: Final = 200
"""Rows with long texts: what is buffered stays within a few megabytes."""

_COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "texts": ("text_key", "sha256", "characters", "text"),
    "contexts": (
        "context_key", "run_key", "id", "source_text", "title", "origin", "license", "extra", "unusual",
    ),
    "goals": ("goal_key", "run_key", "id", "context_key", "text", "extra", "unusual"),
    "questions": (
        "question_key", "run_key", "id", "goal_key", "text", "reference_answers", "evidence", "extra",
        "unusual",
    ),
    "cells": ("cell_key", "run_key", "compressor", "revision", "condition", "ratio", "ratio_value"),
    "memories": (
        "memory_key", "run_key", "id", "goal_key", "shown_goal_key", "cell_key", "budget", "generation",
        "proposed_text", "retained_end", "retained_splits", "retained_text", "has_ledger", "source_tokens",
        "proposed_tokens", "retained_tokens", "unused_budget", "reencoded_tokens", "padding_tokens", "status",
        "error", "extra", "unusual",
    ),
    "requests": ("request_key", "run_key", "id", "role", "memory_key", "content", "extra", "unusual"),
    "answers": (
        "memory_key", "question_key", "repeat", "position", "text", "status", "error", "extra", "unusual",
    ),
    "verdicts": (
        "memory_key", "question_key", "repeat", "position", "label", "status", "rationale", "raw_reply",
        "extra", "unusual",
    ),
}  # fmt: skip
"""In the order in which foreign keys want the tables written."""

_INSERTS: Final = {
    table: f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
    for table, columns in _COLUMNS.items()
}
_FLUSHED: Final = [table for table in _COLUMNS if table not in ("answers", "verdicts")]
_KEYS: Final = {table: _COLUMNS[table][0] for table in _FLUSHED}


class RunWriter:
    """Writes one run in one transaction, which the `with` block commits, or rolls back on an exception.

    `begin_run` comes first, then `add` for every other record in any order, then `finish`. Records come back
    equal. Raises StoreError where the database is locked, read-only or full.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection = database.connection
        self._transaction: AbstractContextManager[sqlite3.Connection] | None = None
        self._run_key = 0
        self._landing = Landing("", False)
        self._contexts: dict[str, int] = {}
        self._goals: dict[str, tuple[int, int]] = {}
        self._questions: dict[str, tuple[int, int]] = {}
        self._memories: dict[str, tuple[int, int]] = {}
        self._requests: dict[str, int] = {}
        self._cells: dict[Cell, int] = {}
        self._texts: dict[bytes, int] = {}
        self._next: dict[str, int] = {}
        self._position = 0
        self._answers = 0
        self._first_new_memory = 0
        self._texts_were_there = False
        self._touched: set[int] = set()
        self._touched_goals: set[int] = set()
        self._rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in _INSERTS}
        self._items: dict[str, list[tuple[Any, int | None]]] = {"answers": [], "verdicts": []}
        self._pending: list[tuple[Record, int | None]] = []

    def __enter__(self) -> RunWriter:
        self._transaction = self._database.transaction()
        self._transaction.__enter__()
        return self

    def __exit__(self, *exc_info: Any) -> bool | None:
        transaction, self._transaction = self._transaction, None
        return transaction.__exit__(*exc_info) if transaction else None

    def begin_run(self, run: Run, identity_verified: bool | None = None) -> bool:
        """Say which run follows; returns whether it is new. `identity_verified`: our finding; None keeps it.

        Raises BadInput naming the fields if the run is here with another record.
        """
        connection = self._connection
        stored = next(record_reads.runs(connection, "id = ?", (run.id,)), None)
        if stored is None:
            cursor = connection.execute(
                f"INSERT INTO runs ({RUN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", run_row(run)
            )
            self._run_key = int(cursor.lastrowid or 0)
        else:
            if not same(stored, run):
                fields = ", ".join(differing_fields(stored, run)) or "the written form"
                raise BadInput(f"another run {run.id!r} is here already; they differ in {fields}")
            self._load_run(run.id)
        if identity_verified is not None:
            connection.execute(
                "UPDATE runs SET identity_verified = ? WHERE run_key = ?",
                (int(identity_verified), self._run_key),
            )
        self._landing = Landing(run.id, stored is None)
        self._landing.added["run"] += stored is None
        self._landing.already["run"] += stored is not None
        for table, key in _KEYS.items():
            (top,) = connection.execute(f"SELECT coalesce(max({key}), 0) FROM {table}").fetchone()
            self._next[table] = top + 1
        self._first_new_memory = self._next["memories"]
        self._texts_were_there = self._next["texts"] > 1
        return stored is None

    def add(self, record: Record, line: int | None = None) -> None:
        """Take one record; what became of it stands in the Landing that `finish` returns.

        Raises BadInput for a record that no database can hold (a number beyond 64 bits).
        """
        waits_for = self._place(record, line)
        if waits_for is not None:
            self._pending.append((record, line))

    def finish(self) -> Landing:
        """Settle what waits, compute the results of all that was touched, and return the tally."""
        self._settle()
        self._flush_all()
        connection, run_key = self._connection, self._run_key
        for goal_key in self._touched_goals:
            self._touched.update(
                key
                for (key,) in connection.execute(
                    "SELECT memory_key FROM memories WHERE goal_key = ?", (goal_key,)
                )
            )
        new_memories = range(self._first_new_memory, self._next["memories"])
        results.compute(connection, run_key, new_memories, self._touched)
        connection.execute(
            "UPDATE runs SET answers = answers + ?, next_position = ? WHERE run_key = ?",
            (self._answers, self._position, run_key),
        )
        if any(key < self._first_new_memory for key in self._touched) or self._touched_goals:
            search.forget(connection, run_key)
        elif self._landing.added.total():
            search.continue_later(connection, run_key)
        return self._landing

    # One method a kind: returns what the record waits for, or None when it was dealt with.

    def _place(self, record: Record, line: int | None) -> str | None:
        return _PLACES[type(record)](self, record, line)

    def _place_run(self, record: Run, line: int | None) -> None:
        if record.id == self._landing.run_id:
            stored = next(record_reads.runs(self._connection, "id = ?", (record.id,)))
            self._settle_known(record, line, stored)
        else:
            self._refuse(
                record, line, f"a second run {record.id!r} in the records of {self._landing.run_id!r}"
            )

    def _place_context(self, record: Context, line: int | None) -> None:
        if record.id in self._contexts:
            self._settle_known(record, line, self._stored(record_reads.contexts, "contexts", record.id))
            return
        key = self._contexts[record.id] = self._new_key("contexts")
        self._insert(
            "contexts",
            record,
            key,
            self._run_key,
            record.id,
            self._text_key(record.text),
            record.title,
            record.origin,
            record.license,
        )

    def _place_goal(self, record: Goal, line: int | None) -> str | None:
        if record.id in self._goals:
            self._settle_known(record, line, self._stored(record_reads.goals, "goals", record.id))
            return None
        context_key = self._contexts.get(record.context_id)
        if context_key is None:
            return f"context {record.context_id!r}"
        key = self._new_key("goals")
        self._goals[record.id] = (key, context_key)
        self._insert("goals", record, key, self._run_key, record.id, context_key, record.text)
        return None

    def _place_question(self, record: Question, line: int | None) -> str | None:
        if record.id in self._questions:
            self._settle_known(record, line, self._stored(record_reads.questions, "questions", record.id))
            return None
        goal = self._goals.get(record.goal_id)
        if goal is None:
            return f"goal {record.goal_id!r}"
        key = self._new_key("questions")
        self._questions[record.id] = (key, goal[0])
        if not self._landing.new_run:
            self._touched_goals.add(goal[0])
        self._insert(
            "questions",
            record,
            key,
            self._run_key,
            record.id,
            goal[0],
            record.text,
            list_column(record.references),
            list_column(record.evidence),
        )
        return None

    def _place_memory(self, record: Memory, line: int | None) -> str | None:
        known = self._memories.get(record.id)
        if known is not None:
            stored = self._stored(record_reads.memories, "memories", record.id)
            if self._settle_known(record, line, stored):
                self._supersede_memory(record, known[0])
            return None
        goal = self._goals.get(record.goal_id)
        if goal is None:
            return f"goal {record.goal_id!r}"
        shown_key = None
        if record.shown_goal_id is not None:
            shown = self._goals.get(record.shown_goal_id)
            if shown is None:
                return f"goal {record.shown_goal_id!r}"
            if shown[1] != goal[1]:
                self._refuse(
                    record, line, f"the shown goal {record.shown_goal_id!r} belongs to another context"
                )
                return None
            shown_key = shown[0]
        self._check_numbers(record, record.budget, record.generation, *_ledger_values(record.ledger))
        key = self._new_key("memories")
        self._memories[record.id] = (key, goal[0])
        self._insert("memories", record, key, *self._memory_columns(record, goal[0], shown_key))
        return None

    def _place_answer(self, record: Answer, line: int | None) -> str | None:
        return self._place_item("answers", record, line, (record.text, record.status, record.error))

    def _place_verdict(self, record: Verdict, line: int | None) -> str | None:
        return self._place_item(
            "verdicts", record, line, (record.label, record.status, record.rationale, record.raw_reply)
        )

    def _place_item(
        self, table: str, record: Answer | Verdict, line: int | None, columns: tuple[str | None, ...]
    ) -> str | None:
        memory = self._memories.get(record.memory_id)
        if memory is None:
            return f"memory {record.memory_id!r}"
        question = self._questions.get(record.question_id)
        if question is None:
            return f"question {record.question_id!r}"
        if memory[1] != question[1]:
            self._refuse(
                record,
                line,
                f"question {record.question_id!r} does not belong to the goal of memory {record.memory_id!r}",
            )
            return None
        if not -_LARGEST <= record.repeat <= _LARGEST:
            self._check_numbers(record, record.repeat)
        rows = self._rows[table]
        rows.append(
            (
                memory[0],
                question[0],
                record.repeat,
                self._position,
                *columns,
                mapping_column(record.extra) if record.extra else None,
                names_column(record.unusual) if record.unusual else None,
            )
        )
        self._position += 1
        self._items[table].append((record, line))
        if len(rows) >= BATCH:
            self._flush_items(table)
        return None

    def _place_request(self, record: Request, line: int | None) -> str | None:
        if record.id in self._requests:
            self._settle_known(record, line, self._stored(record_reads.requests, "requests", record.id))
            return None
        memory_key = None
        if record.memory_id is not None:
            memory = self._memories.get(record.memory_id)
            if memory is None:
                return f"memory {record.memory_id!r}"
            memory_key = memory[0]
        key = self._requests[record.id] = self._new_key("requests")
        self._insert(
            "requests", record, key, self._run_key, record.id, record.role, memory_key, record.content
        )
        return None

    # Merging.

    def _settle_known(self, record: Record, line: int | None, stored: Record) -> bool:
        """Tally a record whose key is taken; True if it is to supersede the stored one."""
        kind = kind_of(record)
        if same(stored, record):
            self._landing.already[kind] += 1
            return False
        if (
            isinstance(record, Memory | Answer | Verdict)
            and isinstance(stored, Memory | Answer | Verdict)
            and is_finished(record)
            and not is_finished(stored)
            and (not isinstance(record, Memory) or _same_place(record, stored))
        ):
            self._landing.superseded[kind] += 1
            return True
        self._landing.conflicts.append(Conflict(kind, key_of(record), line, stored, record))
        return False

    def _supersede_memory(self, record: Memory, key: int) -> None:
        goal_key = self._goals[record.goal_id][0]
        shown_key = None if record.shown_goal_id is None else self._goals[record.shown_goal_id][0]
        values = (*self._memory_columns(record, goal_key, shown_key), *_common(record))
        columns = ", ".join(f"{name} = ?" for name in _COLUMNS["memories"][1:])
        self._connection.execute(f"UPDATE memories SET {columns} WHERE memory_key = ?", (*values, key))
        self._touched.add(key)

    def _flush_items(self, table: str) -> None:
        rows, items = self._rows[table], self._items[table]
        if not rows:
            return
        self._flush("memories")  # the foreign key; contexts to questions went before it
        connection = self._connection
        kind = "answer" if table == "answers" else "verdict"
        landed = 0
        if all(row[0] >= self._first_new_memory for row in rows):
            # Nothing of these memories is stored but what this file brought: duplicates are the exception.
            connection.execute("SAVEPOINT batch")
            try:
                connection.executemany(_INSERTS[table], rows)
                landed = len(rows)
            except sqlite3.IntegrityError:
                connection.execute("ROLLBACK TO batch")
            connection.execute("RELEASE batch")
        if not landed:
            insert = _INSERTS[table].replace("INSERT", "INSERT OR IGNORE", 1)
            for row, (record, line) in zip(rows, items, strict=True):
                if connection.execute(insert, row).rowcount:
                    landed += 1
                    self._touched.add(row[0])
                else:
                    self._merge_item(table, row, record, line)
        self._landing.added[kind] += landed
        if kind == "answer":
            self._answers += landed
        rows.clear()
        items.clear()

    def _merge_item(
        self, table: str, row: tuple[Any, ...], record: Answer | Verdict, line: int | None
    ) -> None:
        read: Callable[..., Iterator[Any]] = getattr(record_reads, table)
        where = "memory_key = ? AND question_key = ? AND repeat = ?"
        stored = next(read(self._connection, where, row[:3], "position"))
        if self._settle_known(record, line, stored):
            columns = _COLUMNS[table][4:]
            self._connection.execute(
                f"UPDATE {table} SET {', '.join(f'{name} = ?' for name in columns)} WHERE {where}",
                (*row[4:], *row[:3]),
            )
            self._touched.add(row[0])

    # What waits.

    def _settle(self) -> None:
        """Place what waits, parents before children; one pass in that order is the fixpoint."""
        self._flush_all()
        pending: list[tuple[Record, int | None, int | None]] = [
            (record, line, None) for record, line in self._pending
        ]
        self._pending.clear()
        for waiting_key, kind, text in self._connection.execute(
            "SELECT waiting_key, kind, record FROM waiting WHERE run_key = ? ORDER BY waiting_key",
            (self._run_key,),
        ).fetchall():
            pending.append((unpacked(kind, text), None, waiting_key))
        pending.sort(key=lambda item: _ORDER.index(kind_of(item[0])))
        for kind, group in groupby(pending, key=lambda item: kind_of(item[0])):
            for record, line, waiting_key in group:
                waits_for = self._place(record, line)
                if waits_for is None:
                    if waiting_key is not None:
                        self._connection.execute("DELETE FROM waiting WHERE waiting_key = ?", (waiting_key,))
                elif waiting_key is None:
                    self._keep_waiting(kind, record, line, waits_for)
            self._flush_all()

    def _keep_waiting(self, kind: str, record: Record, line: int | None, waits_for: str) -> None:
        key = key_of(record)
        self._connection.execute(
            "INSERT INTO waiting (run_key, kind, key, waits_for, record) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET waits_for = excluded.waits_for, record = excluded.record",
            (self._run_key, kind, to_json(key), waits_for, packed(record)),
        )
        self._landing.waiting.append(Waiting(kind, key, line, f"{waits_for} is not there"))

    # Keys and rows.

    def _load_run(self, run_id: str) -> None:
        connection = self._connection
        self._run_key, self._position = connection.execute(
            "SELECT run_key, next_position FROM runs WHERE id = ?", (run_id,)
        ).fetchone()
        run = (self._run_key,)
        for id_, key in connection.execute("SELECT id, context_key FROM contexts WHERE run_key = ?", run):
            self._contexts[id_] = key
        for table, known, parent in (
            ("goals", self._goals, "context_key"),
            ("questions", self._questions, "goal_key"),
            ("memories", self._memories, "goal_key"),
        ):
            for id_, key, parent_key in connection.execute(
                f"SELECT id, {_KEYS[table]}, {parent} FROM {table} WHERE run_key = ?", run
            ):
                known[id_] = (key, parent_key)
        for id_, key in connection.execute("SELECT id, request_key FROM requests WHERE run_key = ?", run):
            self._requests[id_] = key
        for key, *cell in connection.execute(
            "SELECT cell_key, compressor, revision, condition, ratio FROM cells WHERE run_key = ?", run
        ):
            self._cells[Cell(*cell)] = key

    def _new_key(self, table: str) -> int:
        key = self._next[table]
        self._next[table] = key + 1
        return key

    def _text_key(self, text: str) -> int:
        digest = sha256(text.encode())
        key = self._texts.get(digest.digest())
        if key is None:
            if self._texts_were_there:
                row = self._connection.execute(
                    "SELECT text_key FROM texts WHERE sha256 = ?", (digest.hexdigest(),)
                ).fetchone()
                key = row[0] if row else None
            if key is None:
                key = self._new_key("texts")
                self._rows["texts"].append((key, digest.hexdigest(), len(text), text))
            self._texts[digest.digest()] = key
        return key

    def _cell_key(self, cell: Cell) -> int:
        key = self._cells.get(cell)
        if key is None:
            key = self._cells[cell] = self._new_key("cells")
            self._connection.execute(
                _INSERTS["cells"],
                (
                    key,
                    self._run_key,
                    cell.compressor,
                    cell.revision,
                    cell.condition,
                    cell.ratio,
                    float(cell.ratio),
                ),
            )
        return key

    def _memory_columns(self, record: Memory, goal_key: int, shown_key: int | None) -> tuple[Any, ...]:
        retained = place_retained(record.proposed_text, record.retained_text)
        return (
            self._run_key,
            record.id,
            goal_key,
            shown_key,
            self._cell_key(record.cell),
            record.budget,
            record.generation,
            None if record.proposed_text is None else self._text_key(record.proposed_text),
            retained.end,
            int(retained.splits),
            None if retained.text is None else self._text_key(retained.text),
            int(record.ledger is not None),
            *_ledger_values(record.ledger),
            record.status,
            record.error,
        )

    def _insert(self, table: str, record: Record, *columns: Any) -> None:
        rows = self._rows[table]
        rows.append((*columns, *_common(record)))
        self._landing.added[kind_of(record)] += 1
        if len(rows) >= BATCH or (table == "memories" and len(self._rows["texts"]) >= _LONG_BATCH):
            self._flush(table)

    def _flush(self, table: str) -> None:
        """Write what is buffered of a table, and of those before it that its foreign keys need."""
        for name in _FLUSHED[: _FLUSHED.index(table) + 1]:
            rows = self._rows[name]
            if rows:
                self._connection.executemany(_INSERTS[name], rows)
                rows.clear()

    def _flush_all(self) -> None:
        self._flush("requests")
        self._flush_items("answers")
        self._flush_items("verdicts")

    def _stored(self, read: Callable[..., Iterator[Record]], table: str, record_id: str) -> Record:
        self._flush(table)
        return next(
            read(self._connection, f"{table}.run_key = ? AND {table}.id = ?", (self._run_key, record_id))
        )

    def _refuse(self, record: Record, line: int | None, reason: str) -> None:
        self._landing.refused.append(Refused(kind_of(record), key_of(record), line, reason))

    def _check_numbers(self, record: Record, *numbers: int | None) -> None:
        for number in numbers:
            if number is not None and not -_LARGEST <= number <= _LARGEST:
                raise BadInput(
                    "a number is beyond 64 bits", record=f"{kind_of(record)} {key_of(record)[0]!r}"
                )


def _common(record: Record) -> tuple[str | None, str | None]:
    return mapping_column(record.extra), names_column(record.unusual)


def _ledger_values(ledger: Ledger | None) -> tuple[int | None, ...]:
    if ledger is None:
        return (None,) * 6
    return (
        ledger.source_tokens,
        ledger.proposed_tokens,
        ledger.retained_tokens,
        ledger.unused_budget,
        ledger.reencoded_tokens,
        ledger.padding_tokens,
    )


def _same_place(record: Memory, stored: Record) -> bool:
    return isinstance(stored, Memory) and (
        record.goal_id,
        record.shown_goal_id,
        record.cell,
        record.generation,
    ) == (stored.goal_id, stored.shown_goal_id, stored.cell, stored.generation)


_PLACES: Final[dict[type, Callable[[RunWriter, Any, int | None], str | None]]] = {
    Run: RunWriter._place_run,
    Context: RunWriter._place_context,
    Goal: RunWriter._place_goal,
    Question: RunWriter._place_question,
    Memory: RunWriter._place_memory,
    Answer: RunWriter._place_answer,
    Verdict: RunWriter._place_verdict,
    Request: RunWriter._place_request,
}
