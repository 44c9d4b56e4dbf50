"""The unknown fields of the documents that runs came in: which runs have some, and what is left of them.

Owns these two statements. What becomes of the fields is `app.adopting`'s.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from gacc_gui.core.records import Run
from gacc_gui.store import record_reads
from gacc_gui.store.record_rows import mapping_column, names_column


def runs_with(connection: sqlite3.Connection, names: Collection[str]) -> list[Run]:
    """Return the runs whose documents had an unknown field of one of these names."""
    with_any = record_reads.runs(connection, "top_level IS NOT NULL", ())
    return [run for run in with_any if not run.top_level.keys().isdisjoint(names)]


def keep_fields(connection: sqlite3.Connection, run: Run) -> None:
    """Store the unknown fields of a run's document, and the run's `unusual`, as its record has them."""
    connection.execute(
        "UPDATE runs SET top_level = ?, unusual = ? WHERE id = ?",
        (mapping_column(run.top_level), names_column(run.unusual), run.id),
    )
