"""Writing a run piece by piece while it is being made: every piece is a transaction with its results.

Owns what is kept between transactions, and when it is stale because another program wrote. What becomes of a
record is `writes`'; the calls under way are `evaluations`'.
"""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Sequence
from time import monotonic
from typing import Final

from gacc_gui.core.analysis import Findings
from gacc_gui.core.errors import BadInput, StoreError
from gacc_gui.core.records import Record, Request, Run
from gacc_gui.store import evaluations
from gacc_gui.store.database import Database
from gacc_gui.store.evaluations import UnderWay
from gacc_gui.store.findings import TextFindings
from gacc_gui.store.landing import Landing
from gacc_gui.store.record_rows import differing_fields
from gacc_gui.store.writes import RunWriter

FLUSH_SECONDS: Final = 0.25
"""How often a commit waits for the disk: a killed process loses no commit, a power failure those since."""

_KEPT_FINDINGS: Final = 5_000
_LAST_WAIT_MILLISECONDS: Final = 120_000


class RunAppender:
    """Appends to one run. `begin` comes first; each call is a transaction of its own, all or nothing.

    Raises StoreError where the database cannot be written, or holds another record under a key.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._writer: RunWriter | None = None
        self._run: Run | None = None
        self._run_key = 0
        self._version = 0
        self._flushed = 0.0

    def begin(self, run: Run, identity_verified: bool, configuration: str) -> None:
        """Begin a session of `run`, new or continued, with its configuration (see `evaluations.Evaluation`).

        Raises BadInput naming the fields if the run is here with another record.
        """
        with self._database.transaction() as connection:
            self._writer = RunWriter(self._database, _KeptFindings(connection))
            self._writer.begin_run(run, identity_verified)
            self._run_key = self._writer.run_key
            self._writer.finish()
            evaluations.begin(connection, self._run_key, configuration)
        self._run = run
        self._version = _data_version(self._database.connection)

    def append(
        self, records: Sequence[Record], calls: Sequence[UnderWay] = (), withdrawn: Sequence[str] = ()
    ) -> None:
        """Store records, with their results, and note calls; a request among the records ends its call.

        `withdrawn` calls, by their ids, were noted and not made.
        """
        self._flush_now_and_then()
        try:
            with self._database.transaction() as connection:
                self._refresh(connection)
                if records:
                    self._write(records)
                    ended = [record.id for record in records if isinstance(record, Request)]
                    evaluations.forget(connection, self._run_key, ended)
                if withdrawn:
                    evaluations.forget(connection, self._run_key, withdrawn)
                if calls:
                    evaluations.note(connection, self._run_key, calls)
        except BaseException:
            self._writer = None  # it remembers what was rolled back
            raise

    def end(self, state: str, reason: str | None) -> None:
        """Note how the session ended, and see it onto the disk; waits for another program's lock."""
        connection = self._database.connection
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA busy_timeout = {_LAST_WAIT_MILLISECONDS}")
        with self._database.transaction():
            evaluations.end(connection, self._run_key, state, reason)

    def _write(self, records: Sequence[Record]) -> None:
        writer = self._writer
        assert writer is not None
        for record in records:
            if not isinstance(record, Run):  # `begin` brought it
                writer.add(record)
        landing = writer.finish()
        if landing.conflicts or landing.refused:
            raise BadInput(_contradiction(landing))

    def _refresh(self, connection: sqlite3.Connection) -> None:
        """See to a writer that knows what is stored."""
        assert self._run is not None, "begin comes first"
        version = _data_version(connection)
        if self._writer is not None and version == self._version:
            self._writer.next_batch()
            return
        self._version = version
        if not connection.execute("SELECT 1 FROM runs WHERE run_key = ?", (self._run_key,)).fetchone():
            raise StoreError(f"the run {self._run.id!r} was deleted while it was being evaluated")
        self._writer = RunWriter(self._database, _KeptFindings(connection))
        self._writer.continue_run(self._run.id, self._run_key)

    def _flush_now_and_then(self) -> None:
        now = monotonic()
        full = now - self._flushed >= FLUSH_SECONDS
        if full:
            self._flushed = now
        self._database.connection.execute(f"PRAGMA synchronous = {'FULL' if full else 'NORMAL'}")


class _KeptFindings(TextFindings):
    """Findings of memories whose rows come one by one: found once, by this process alone."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self._kept: OrderedDict[int, Findings] = OrderedDict()

    def add(self, memory_key: int, context_key: int) -> None:
        self._kept.pop(memory_key, None)
        super().add(memory_key, context_key)

    def want(self, memory_key: int, context_key: int) -> None:
        if memory_key not in self._kept:
            super().want(memory_key, context_key)

    def take(self, memory_key: int, context_key: int, questions: int) -> Findings:
        findings = self._kept.pop(memory_key, None)
        if findings is None or len(findings.fates) != questions:
            if findings is not None:
                super().add(memory_key, context_key)
            findings = super().take(memory_key, context_key, questions)
        self._kept[memory_key] = findings
        if len(self._kept) > _KEPT_FINDINGS:
            self._kept.popitem(last=False)
        return findings

    def _has_help(self) -> bool:
        return False


def _contradiction(landing: Landing) -> str:
    if landing.refused:
        refused = landing.refused[0]
        return f"{refused.kind} {' '.join(map(str, refused.key))}: {refused.reason}"
    conflict = landing.conflicts[0]
    fields = ", ".join(differing_fields(conflict.stored, conflict.incoming))
    return (
        f"the run {landing.run_id!r} in the database holds another {conflict.kind}"
        f" {' '.join(map(str, conflict.key))}: they differ in {fields}"
    )


def _data_version(connection: sqlite3.Connection) -> int:
    """Return a number that changes when another connection commits."""
    return int(connection.execute("PRAGMA data_version").fetchone()[0])
