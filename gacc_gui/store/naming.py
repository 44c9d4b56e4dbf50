"""Ids that people know as the store's keys. Owns the look-up of any number of them.

An id is a parameter of its own: what SQLite reads out of JSON ends at a NUL.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Final

LARGEST: Final = 2**63 - 1
"""The greatest whole number that SQLite has."""
_CHUNK: Final = 500
"""Ids looked up at once: SQLite takes some thousand parameters, everywhere."""


def named_keys(
    connection: sqlite3.Connection, run_key: int, table: str, column: str, values: Iterable[str]
) -> list[int]:
    """Return the keys, sorted, of a run's contexts, goals, questions or memories by the values of a column.

    `column` is `id`, or another expression over the table.
    """
    key = f"{table.removesuffix('s') if table != 'memories' else 'memory'}_key"
    found: set[int] = set()
    for some in _chunks([(value,) for value in values]):
        listed = ", ".join("?" * len(some))
        found.update(
            value
            for (value,) in connection.execute(
                f"SELECT {key} FROM {table} WHERE run_key = ? AND {column} IN ({listed})",
                (run_key, *chain.from_iterable(some)),
            )
        )
    return sorted(found)


def row_keys(
    connection: sqlite3.Connection, run_key: int, rows: Iterable[tuple[str, str, int]]
) -> list[tuple[int, int, int]]:
    """Return memory, question and repeat of rows as keys, sorted; those that are not there are left out."""
    found: set[tuple[int, int, int]] = set()
    for some in _chunks(rows):
        listed = ", ".join(["(?, ?, ?)"] * len(some))
        found.update(
            connection.execute(
                f"SELECT memory_key, question_key, asked.column3 FROM (VALUES {listed}) AS asked"
                " JOIN memories ON memories.run_key = ? AND memories.id = asked.column1"
                " JOIN questions ON questions.run_key = memories.run_key AND questions.id = asked.column2",
                (*chain.from_iterable(some), run_key),
            )
        )
    return sorted(found)


def _chunks(rows: Iterable[tuple]) -> Iterator[Sequence[tuple]]:
    """Yield the rows in parts; those with a text or a number that no database can hold are left out."""
    there = (row for row in rows if all(_is_storable(value) for value in row))
    while some := list(islice(there, _CHUNK)):
        yield some


def _is_storable(value: object) -> bool:
    if isinstance(value, int):
        return -LARGEST - 1 <= value <= LARGEST
    # Half of a surrogate pair, as a command line or a file may have it, is no text to SQLite.
    return not isinstance(value, str) or value.isascii() or not any("\ud800" <= c <= "\udfff" for c in value)
