"""Where the engine's records land: one run of a database, at once or piece by piece.

Owns when a transaction begins and ends, and the wait for a database that another program holds. Not here: the
rules of landing (`store.writes`, `store.appending`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Final

from gacc_gui.core.errors import StoreError
from gacc_gui.core.records import Record, Run
from gacc_gui.formats.redaction import without_credentials
from gacc_gui.runner.engine import Sink
from gacc_gui.runner.events import Report, Waiting
from gacc_gui.store.appending import RunAppender
from gacc_gui.store.database import Database, is_busy
from gacc_gui.store.evaluations import UnderWay
from gacc_gui.store.writes import RunWriter

LOCKED_SECONDS: Final = 120.0
"""How long a run waits for a database that another program holds (an import of a large run, say)."""

_AGAIN_SECONDS: Final = 0.5
TELL_SECONDS: Final = 5.0
"""A wait that is worth telling: runs that share a database hold each other up for moments all the time."""
_BUSY_MILLISECONDS: Final = 100
"""SQLite's own wait for a lock, during which calls under way stand still."""


class _OneTransaction:
    def __init__(self, writer: RunWriter, identity_verified: bool) -> None:
        self._writer = writer
        self._identity_verified = identity_verified

    async def begin(self, call: UnderWay) -> None:
        """Nothing of a run that lands whole outlives a crash."""

    async def withdraw(self, request_id: str) -> None:
        """No call of it is noted."""

    async def add(self, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Run):
                self._writer.begin_run(record, self._identity_verified)
            else:
                self._writer.add(record)


@contextmanager
def whole_run(database: Database, identity_verified: bool) -> Iterator[Sink]:
    """Give a sink whose run is committed when the block ends, and rolled back where it raises.

    For runs of seconds that are worth nothing by halves. A run that is here already, equal in every record,
    stays as it is. Raises BadInput where another run has the id, StoreError where a stored record differs
    from the one just made.
    """
    with RunWriter(database) as writer:
        yield _OneTransaction(writer, identity_verified)
        landing = writer.finish()
        if landing.conflicts:
            conflict = landing.conflicts[0]
            key = " ".join(map(str, conflict.key))
            raise StoreError(
                f"the run {landing.run_id!r} in the database differs from the one just made:"
                f" {conflict.kind} {key}; delete it first"
            )


class DurableSink:
    """Commits what it is given at once: what came in one turn of the loop lands in one transaction.

    For one event loop, whose thread owns the connection. While another program holds the database, everybody
    waits, and `report` gets to know if that takes long. Credentials are taken out as they are on import, so
    that a run and its export hold the same.
    """

    def __init__(self, appender: RunAppender, database: Database, report: Report) -> None:
        self._appender = appender
        self._report = report
        self._records: list[Record] = []
        self._calls: list[UnderWay] = []
        self._withdrawn: list[str] = []
        self._waiting: list[asyncio.Future[None]] = []
        self._busy_since: float | None = None
        self._is_told = False
        database.connection.execute(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")

    async def begin(self, call: UnderWay) -> None:
        """Note a call; returns when the note is committed."""
        self._calls.append(call)
        await self._committed()

    async def withdraw(self, request_id: str) -> None:
        """Forget a note; returns when that is committed."""
        self._withdrawn.append(request_id)
        await self._committed()

    async def add(self, records: Sequence[Record]) -> None:
        """Take records; returns when they are committed."""
        self._records.extend(without_credentials(record)[0] for record in records)
        await self._committed()

    async def _committed(self) -> None:
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._commit)
        mine: asyncio.Future[None] = loop.create_future()
        self._waiting.append(mine)
        await mine

    def _commit(self) -> None:
        try:
            self._appender.append(self._records, self._calls, self._withdrawn)
        except StoreError as error:
            if is_busy(error) and self._waits():
                asyncio.get_running_loop().call_later(_AGAIN_SECONDS, self._commit)
                return
            self._settle(error)
        except Exception as error:
            self._settle(error)
        else:
            self._settle(None)

    def _waits(self) -> bool:
        """Whether to try again while another program holds the database."""
        now = monotonic()
        if self._busy_since is None:
            self._busy_since = now
        waited = now - self._busy_since
        if waited >= TELL_SECONDS and not self._is_told:
            self._is_told = True
            left = max(0.0, LOCKED_SECONDS - waited)
            self._report(Waiting("database", left, "another program holds the database"))
        return waited < LOCKED_SECONDS

    def _settle(self, error: Exception | None) -> None:
        waiting, self._waiting = self._waiting, []
        self._records, self._calls, self._withdrawn = [], [], []
        self._busy_since, self._is_told = None, False
        for future in waiting:
            if future.done():
                continue  # its worker was told to give up
            if error is None:
                future.set_result(None)
            else:
                future.set_exception(error)
