"""What tells one database from another, or from itself at another time, at a glance.

Owns what is looked at. It is no digest: of two databases with the same mark, rows may differ.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mark:
    """A database at a glance. `pages` of `page_bytes` are what the file has when all changes are in it."""

    runs: frozenset[tuple[int, str]]
    """Keys and ids."""
    pages: int
    page_bytes: int
    rest: tuple[object, ...]

    def can_become(self, other: Mark) -> bool:
        """Whether commits can make the other of this one: a run is still there, or there are none at all."""
        return not self.runs or not other.runs or not self.runs.isdisjoint(other.runs)


def mark_of(connection: sqlite3.Connection) -> Mark:
    """Return the mark of a database; takes no longer the larger it is."""
    runs = connection.execute("SELECT run_key, id, name, answers FROM runs").fetchall()
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
    (free,) = connection.execute("PRAGMA freelist_count").fetchone()
    (schema,) = connection.execute("PRAGMA schema_version").fetchone()
    last = connection.execute("SELECT text_key, sha256 FROM texts ORDER BY text_key DESC LIMIT 1").fetchone()
    return Mark(
        frozenset((key, run_id) for key, run_id, _, _ in runs),
        pages,
        page_bytes,
        (tuple(runs), free, schema, last),
    )
