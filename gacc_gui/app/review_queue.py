"""A reviewer's queue: drawn from the run's rows, and where the reviewer is in it.

Owns the way from a choice of cells to a queue. Kinds, order and allocation are `core.review_queue`, which
rows there are `store.queue_reads`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gacc_gui.core.errors import BadUsage
from gacc_gui.core.records import Review
from gacc_gui.core.review_queue import KINDS, Entry, QueueKey, draw
from gacc_gui.core.reviewing import Row, row_of, standing_reviews
from gacc_gui.store.rows import CellChoice

if TYPE_CHECKING:
    from gacc_gui.store.reads import Reader

_CELL_FIELDS = ("compressor", "revision", "condition", "ratio")


@dataclass(frozen=True, slots=True)
class ReviewQueue:
    """The drawn rows in the order in which they are looked at; `population`: rows that could be drawn."""

    run_id: str
    key: QueueKey
    entries: tuple[Entry, ...]

    @property
    def population(self) -> int:
        """The rows that the queue was drawn from."""
        return sum({entry.stratum: entry.stratum_size for entry in self.entries}.values())

    def next_open(self, decided: Collection[Row], start: int = 0) -> int | None:
        """Return the place of the first row from `start` on that is not decided; None where all are."""
        for place in range(start, len(self.entries)):
            if self.entries[place].row not in decided:
                return place
        return None


def queue_key(kind: str, seed: int, size: int, choice: CellChoice) -> QueueKey:
    """Return the queue that is meant. Raises BadUsage for a kind or a size that there is not."""
    if kind not in KINDS:
        raise BadUsage(f"the queue {kind!r} is none of {', '.join(KINDS)}")
    if size < 1:
        raise BadUsage("a queue has one row at least")
    given = ((name, getattr(choice, name)) for name in _CELL_FIELDS)
    return QueueKey(kind, seed, size, tuple((name, value) for name, value in given if value is not None))


def draw_queue(reader: Reader, run_id: str, key: QueueKey) -> ReviewQueue:
    """Draw a queue: the same for the same seed and rows, whoever asks.

    Raises BadUsage for an unknown run, StoreError where the database cannot be read.
    """
    from gacc_gui.store import queue_reads

    choice = CellChoice(**dict(key.cells))

    def entries(connection: sqlite3.Connection, run_key: int) -> list[Entry]:
        return draw(queue_reads.candidates(connection, run_key, choice, key.kind), key.seed, key.size)

    return ReviewQueue(run_id, key, tuple(reader.on_run(run_id, entries)))


@dataclass(frozen=True, slots=True)
class SoFar:
    """What a reviewer has done in a run: what stands of it by row, and the rows that ever were decided."""

    decided: Mapping[Row, Review]
    seen: frozenset[Row]


def so_far(reader: Reader, run_id: str, reviewer: str) -> SoFar:
    """Return what a reviewer has done in a run, so that a queue goes on where it was left."""
    reviews = [review for review in reader.reviews(run_id) if review.reviewer == reviewer]
    decided = {row: standing.decides for row, standing in standing_reviews(reviews).items()}
    return SoFar(decided, frozenset(map(row_of, reviews)))
