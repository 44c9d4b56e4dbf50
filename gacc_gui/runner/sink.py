"""Where the engine's records land: one run of a database, in one transaction.

A rule-driven run takes seconds and is worth nothing by halves: it lands whole, or not at all. Not here: the
rules of landing (`store.writes`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gacc_gui.core.errors import StoreError
from gacc_gui.core.records import Record, Run
from gacc_gui.runner.engine import Sink
from gacc_gui.store.database import Database
from gacc_gui.store.writes import RunWriter


class _OneTransaction:
    def __init__(self, writer: RunWriter, identity_verified: bool) -> None:
        self._writer = writer
        self._identity_verified = identity_verified

    def add(self, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Run):
                self._writer.begin_run(record, self._identity_verified)
            else:
                self._writer.add(record)


@contextmanager
def whole_run(database: Database, identity_verified: bool) -> Iterator[Sink]:
    """Give a sink whose run is committed when the block ends, and rolled back where it raises.

    A run that is here already, equal in every record, stays as it is. Raises BadInput where another run has
    the id, StoreError where a stored record differs from the one just made.
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
