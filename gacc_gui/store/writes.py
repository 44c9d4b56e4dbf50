"""Writing the records of one run, by the rules of “Importing” in FORMATS.md.

Owns the transaction, the run record and what waits for its parents. Records become rows in `placing`; what
the rows mean (fates, causes, summaries) is computed by `results` at the end, in the same transaction.
"""

from __future__ import annotations

import sqlite3
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import groupby
from typing import Any

from gacc_gui.core.errors import BadInput
from gacc_gui.core.records import KINDS, Record, Run
from gacc_gui.store import record_reads, results, search
from gacc_gui.store.database import Database
from gacc_gui.store.findings import TextFindings
from gacc_gui.store.landing import Landing, Waiting
from gacc_gui.store.placing import Placer
from gacc_gui.store.record_rows import (
    RUN_COLUMNS,
    differing_fields,
    key_of,
    kind_of,
    packed,
    run_row,
    same,
    to_json,
    unpacked,
)


class RunWriter:
    """Writes one run in one transaction, which the `with` block commits, or rolls back on an exception.

    `begin_run` comes first, then `add` for every other record in any order, then `finish`. Records come back
    equal. Raises StoreError where the database is locked, read-only or full.
    """

    def __init__(self, database: Database, texts: TextFindings | None = None) -> None:
        self._database = database
        self._connection = database.connection
        self._transaction: AbstractContextManager[sqlite3.Connection] | None = None
        self._run_key = 0
        self._placer: Placer | None = None
        self._texts = texts if texts is not None else TextFindings(self._connection)
        self._pending: list[tuple[Record, int | None]] = []

    def __enter__(self) -> RunWriter:
        # Every key written here was given out or looked up by `placing`: to look each parent up again would
        # only take time (measured: a sixth of all inserting). Cannot be changed inside a transaction.
        self._connection.execute("PRAGMA foreign_keys = OFF")
        self._transaction = self._database.transaction()
        try:
            self._transaction.__enter__()
        except BaseException:
            self._connection.execute("PRAGMA foreign_keys = ON")
            raise
        return self

    def __exit__(self, *exc_info: Any) -> bool | None:
        self._texts.close()
        transaction, self._transaction = self._transaction, None
        try:
            return transaction.__exit__(*exc_info) if transaction else None
        finally:
            self._connection.execute("PRAGMA foreign_keys = ON")

    def begin_run(self, run: Run, identity_verified: bool | None = None) -> bool:
        """Say which run follows; returns whether it is new. `identity_verified`: our finding; None keeps it.

        Raises BadInput naming the fields if the run is here with another record. A run that was renamed here
        is still known by the name it came with.
        """
        connection = self._connection
        found = connection.execute(
            "SELECT run_key, imported_name FROM runs WHERE id = ?", (run.id,)
        ).fetchone()
        if found is None:
            cursor = connection.execute(
                f"INSERT INTO runs ({RUN_COLUMNS}, imported_name) VALUES ({', '.join('?' * 12)})",
                (*run_row(run), run.name),
            )
            self._run_key = int(cursor.lastrowid or 0)
        else:
            self._run_key, imported_name = found
            stored = next(record_reads.runs(connection, "run_key = ?", (self._run_key,)))
            as_imported = replace(stored, name=imported_name, unusual=run.unusual)
            if not same(stored, run) and not same(as_imported, run):
                fields = ", ".join(differing_fields(stored, run)) or "name"
                raise BadInput(f"another run {run.id!r} is here already; they differ in {fields}")
        if identity_verified is not None:
            connection.execute(
                "UPDATE runs SET identity_verified = ? WHERE run_key = ?",
                (int(identity_verified), self._run_key),
            )
        landing = Landing(run.id, found is None)
        (landing.added if found is None else landing.already)["run"] += 1
        self._placer = Placer(connection, self._run_key, landing, self._texts)
        return found is None

    @property
    def run_key(self) -> int:
        """The store's key of the run, once it is begun."""
        return self._run_key

    def continue_run(self, run_id: str, run_key: int) -> None:
        """Say which run that is here follows, in a transaction that the caller opened."""
        self._run_key = run_key
        self._placer = Placer(self._connection, run_key, Landing(run_id, False), self._texts)

    def next_batch(self) -> None:
        """Begin the records of another transaction of the same run; nobody else wrote in between."""
        assert self._placer is not None, "begin_run comes first"
        self._placer.next_batch()

    def add(self, record: Record, line: int | None = None) -> None:
        """Take one record; what became of it stands in the Landing that `finish` returns.

        Raises BadInput for a record that no database can hold (a number beyond 64 bits).
        """
        assert self._placer is not None, "begin_run comes first"
        if self._placer.place[type(record)](record, line) is not None:
            self._pending.append((record, line))

    def finish(self) -> Landing:
        """Settle what waits, compute the results of all that was touched, and return the tally."""
        placer = self._placer
        assert placer is not None, "begin_run comes first"
        self._settle(placer)
        touched = placer.touched_memories()
        results.compute(self._connection, self._run_key, self._texts, placer.new_memories, touched)
        self._connection.execute(
            "UPDATE runs SET answers = answers + ?, next_position = ? WHERE run_key = ?",
            (placer.landing.added["answer"], placer.position, self._run_key),
        )
        if touched or placer.changed_goals:
            search.forget(self._connection, self._run_key)
        elif placer.landing.added.total():
            search.continue_later(self._connection, self._run_key)
        return placer.landing

    def _settle(self, placer: Placer) -> None:
        """Place what waits, parents before children; one pass in that order is the fixpoint."""
        placer.flush()
        pending: list[tuple[Record, int | None, int | None]] = [(*item, None) for item in self._pending]
        self._pending.clear()
        for waiting_key, kind, text in self._connection.execute(
            "SELECT waiting_key, kind, record FROM waiting WHERE run_key = ? ORDER BY waiting_key",
            (self._run_key,),
        ):
            pending.append((unpacked(kind, text), None, waiting_key))
        # Parents before children.
        pending.sort(key=lambda item: KINDS.index(kind_of(item[0])))
        for kind, group in groupby(pending, key=lambda item: kind_of(item[0])):
            for record, line, waiting_key in group:
                parent = placer.place[type(record)](record, line)
                if parent is None:
                    if waiting_key is not None:
                        self._connection.execute("DELETE FROM waiting WHERE waiting_key = ?", (waiting_key,))
                elif waiting_key is None:
                    self._keep_waiting(kind, record, " ".join(parent))
                    placer.landing.waiting.append(Waiting(kind, key_of(record), line, *parent))
        placer.flush()

    def _keep_waiting(self, kind: str, record: Record, waits_for: str) -> None:
        self._connection.execute(
            "INSERT INTO waiting (run_key, kind, key, waits_for, record) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET waits_for = excluded.waits_for, record = excluded.record",
            (self._run_key, kind, to_json(key_of(record)), waits_for, packed(record)),
        )
