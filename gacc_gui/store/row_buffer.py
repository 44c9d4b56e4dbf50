"""Rows on their way into the tables: integer keys, texts stored once, cells, and batches.

Owns what is written in which order; which rows, and what becomes of records whose key is taken, say `writes`.
"""

from __future__ import annotations

import sqlite3
from hashlib import sha256
from typing import Any, Final

from gacc_gui.core.records import Cell

BATCH: Final = 2_000
"""Rows handed to SQLite at a time; measured flat between 500 and 10,000."""

LONG_BATCH: Final = 200
"""Rows with long texts: what is buffered stays within a few megabytes."""

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
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
    "reviews": (
        "review_key", "run_key", "id", "memory_key", "question_key", "repeat", "decision", "cause", "note",
        "tags", "reviewer", "created_at", "blind", "sample", "extra", "unusual",
    ),
    "probes": (
        "probe_key", "run_key", "id", "memory_key", "question_key", "repeat", "given", "attempt", "answer",
        "answer_status", "answer_error", "label", "verdict_status", "rationale", "raw_reply", "created_at",
        "reader", "judge", "live", "usage", "cost", "seconds", "requests", "extra", "unusual",
    ),
    "answers": (
        "memory_key", "question_key", "repeat", "position", "text", "status", "error", "extra", "unusual",
    ),
    "verdicts": (
        "memory_key", "question_key", "repeat", "position", "label", "status", "rationale", "raw_reply",
        "extra", "unusual",
    ),
}  # fmt: skip
"""In the order in which foreign keys want the tables written."""

INSERTS: Final = {
    table: f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
    for table, columns in COLUMNS.items()
}
FLUSHED: Final = [table for table in COLUMNS if table not in ("answers", "verdicts")]
KEYS: Final = {table: COLUMNS[table][0] for table in FLUSHED}


class RowBuffer:
    """Collects the rows of one run inside the open transaction and writes them in batches."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in FLUSHED}
        self._next: dict[str, int] = {}
        for table, key in KEYS.items():
            (top,) = connection.execute(f"SELECT coalesce(max({key}), 0) FROM {table}").fetchone()
            self._next[table] = top + 1
        self._texts: dict[bytes, int] = {}
        self._texts_were_there = self._next["texts"] > 1
        self._cells: dict[Cell, int] = {}

    def next_key(self, table: str) -> int:
        """Return the key that the next new row of a table gets."""
        return self._next[table]

    def new_key(self, table: str) -> int:
        """Return a new key; keys ascend in the order of the records."""
        key = self._next[table]
        self._next[table] = key + 1
        return key

    def load_cells(self, run_key: int) -> None:
        """Know the cells that a run has already."""
        for key, *cell in self._connection.execute(
            "SELECT cell_key, compressor, revision, condition, ratio FROM cells WHERE run_key = ?", (run_key,)
        ):
            self._cells[Cell(*cell)] = key

    def cell_key(self, run_key: int, cell: Cell) -> int:
        """Return the key of a cell, a new one where it is new."""
        key = self._cells.get(cell)
        if key is None:
            key = self._cells[cell] = self.new_key("cells")
            self.add(
                "cells",
                (key, run_key, cell.compressor, cell.revision, cell.condition, cell.ratio, float(cell.ratio)),
            )
        return key

    def text_key(self, text: str) -> int:
        """Return the key of a text, which is stored once however often it occurs."""
        digest = sha256(text.encode())
        key = self._texts.get(digest.digest())
        if key is None:
            if self._texts_were_there:
                row = self._connection.execute(
                    "SELECT text_key FROM texts WHERE sha256 = ?", (digest.hexdigest(),)
                ).fetchone()
                key = row[0] if row else None
            if key is None:
                key = self.new_key("texts")
                self.add("texts", (key, digest.hexdigest(), len(text), text))
            self._texts[digest.digest()] = key
        return key

    def add(self, table: str, row: tuple[Any, ...]) -> None:
        """Take a row; columns as in COLUMNS."""
        rows = self._rows[table]
        rows.append(row)
        if len(rows) >= (LONG_BATCH if table in ("texts", "requests", "probes") else BATCH):
            self.flush(table)

    def flush(self, table: str = FLUSHED[-1]) -> None:
        """Write what is collected of a table, and of those before it that its foreign keys need."""
        for name in FLUSHED[: FLUSHED.index(table) + 1]:
            rows = self._rows[name]
            if rows:
                self._connection.executemany(INSERTS[name], rows)
                rows.clear()
