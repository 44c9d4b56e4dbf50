"""How far evaluations of ours are: their configuration and state, the calls under way and those kept.

Owns the tables `evaluations` and `calls_under_way`. Not here: the records of the run (`writes`), and what a
state means for the next session (`runner.resume`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gacc_gui.core.records import Request
from gacc_gui.store.record_rows import unpacked

RUNNING: Final = "running"
"""Under way; or its program ended without a word, which the calls under way tell."""
STOPPED: Final = "stopped"
FINISHED: Final = "finished"
"""Everything was tried; items may have failed all the same."""


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A call that is being made. `request_id`: of the request record that will end it."""

    request_id: str
    role: str
    memory_id: str
    question_id: str | None = None
    repeat: int | None = None
    started_at: str | None = None
    """ISO 8601; None when it is noted: the store writes down the time."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An evaluation of ours. `configuration` as TOML, the last session's. Times as ISO 8601.

    `reason` says why it stopped. What a resumed session must agree with is in the run's own record.
    """

    run_id: str
    state: str
    reason: str | None
    configuration: str
    started_at: str
    changed_at: str


_COLUMNS: Final = "runs.id, state, reason, configuration, started_at, changed_at"
_NOW: Final = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"


def begin(connection: sqlite3.Connection, run_key: int, configuration: str) -> None:
    """Note that a session begins; what is there of an earlier one stays, but for its state."""
    connection.execute(
        "INSERT INTO evaluations (run_key, state, configuration, started_at, changed_at)"
        f" VALUES (?, ?, ?, {_NOW}, {_NOW}) ON CONFLICT (run_key) DO UPDATE SET state = excluded.state,"
        " reason = NULL, configuration = excluded.configuration, changed_at = excluded.changed_at",
        (run_key, RUNNING, configuration),
    )


def end(connection: sqlite3.Connection, run_key: int, state: str, reason: str | None) -> None:
    """Note how a session ended."""
    connection.execute(
        f"UPDATE evaluations SET state = ?, reason = ?, changed_at = {_NOW} WHERE run_key = ?",
        (state, reason, run_key),
    )


def note(connection: sqlite3.Connection, run_key: int, calls: Iterable[UnderWay]) -> None:
    """Note calls that are about to be made."""
    connection.executemany(
        "INSERT INTO calls_under_way (run_key, request_id, role, memory_id, question_id, repeat, started_at)"
        f" VALUES (?, ?, ?, ?, ?, ?, {_NOW})",
        [
            (run_key, call.request_id, call.role, call.memory_id, call.question_id, call.repeat)
            for call in calls
        ],
    )


def forget(connection: sqlite3.Connection, run_key: int, request_ids: Sequence[str]) -> None:
    """Drop the notes of calls whose requests are stored, or which were not made."""
    connection.executemany(
        "DELETE FROM calls_under_way WHERE run_key = ? AND request_id = ?",
        [(run_key, request_id) for request_id in request_ids],
    )


def under_way(connection: sqlite3.Connection, run_id: str) -> list[UnderWay]:
    """Return the calls that are noted, or were when the program ended, in the order they began."""
    return [
        UnderWay(*row)
        for row in connection.execute(
            "SELECT request_id, role, memory_id, question_id, repeat, started_at FROM calls_under_way"
            " JOIN runs USING (run_key) WHERE runs.id = ? ORDER BY calls_under_way.rowid",
            (run_id,),
        )
    ]


def kept(connection: sqlite3.Connection, run_id: str) -> Iterator[Request]:
    """Yield the calls whose memory has yet to be made, in the order they were stored."""
    for (text,) in connection.execute(
        "SELECT record FROM waiting JOIN runs USING (run_key) WHERE runs.id = ? AND kind = 'request'"
        " ORDER BY waiting_key",
        (run_id,),
    ):
        request = unpacked("request", text)
        assert isinstance(request, Request)
        yield request


def evaluations(connection: sqlite3.Connection) -> list[Evaluation]:
    """Return all evaluations of ours, in the order the runs came; none in a database older than they."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'evaluations'").fetchone():
        return []
    return [
        Evaluation(*row)
        for row in connection.execute(
            f"SELECT {_COLUMNS} FROM evaluations JOIN runs USING (run_key) ORDER BY run_key"
        )
    ]


def cache_hits(connection: sqlite3.Connection, run_id: str) -> int:
    """Return how many finished memories of a run cost no call that succeeded, although one was to be made.

    By what is stored, so that it holds however the sessions ended.
    """
    return connection.execute(
        "SELECT count(*) FROM memories JOIN runs USING (run_key) JOIN cells USING (cell_key)"
        " WHERE runs.id = ? AND memories.status IN ('ok', 'truncated') AND budget > 0"
        " AND condition <> 'full-context' AND NOT EXISTS (SELECT 1 FROM requests"
        " WHERE requests.memory_key = memories.memory_key AND role = 'compressor'"
        " AND json_extract(requests.extra, '$.error') IS NULL)",
        (run_id,),
    ).fetchone()[0]


def stored_proposal(
    connection: sqlite3.Connection,
    source_sha256: str,
    goal: str | None,
    tokenizer: str,
    compressor: tuple[str, str],
    budget: int,
    generation: int,
) -> tuple[str, str] | None:
    """Return text and status of a finished proposal that an evaluation of ours has stored, or None.

    `goal` is the shown goal's text, None for none at all; `tokenizer` and the second of `compressor` are
    revisions. Runs that were only imported are not looked at: nobody knows what made them.
    """
    return connection.execute(
        "SELECT proposals.text, memories.status FROM texts AS sources"
        " JOIN contexts ON contexts.source_text = sources.text_key"
        " JOIN goals ON goals.context_key = contexts.context_key"
        " JOIN memories ON memories.goal_key = goals.goal_key"
        " JOIN evaluations ON evaluations.run_key = memories.run_key"
        " JOIN runs ON runs.run_key = memories.run_key"
        " JOIN cells ON cells.cell_key = memories.cell_key"
        " JOIN texts AS proposals ON proposals.text_key = memories.proposed_text"
        " LEFT JOIN goals AS shown ON shown.goal_key = memories.shown_goal_key"
        " WHERE sources.sha256 = ? AND shown.text IS ? AND json_extract(runs.tokenizer, '$.revision') = ?"
        " AND compressor = ? AND revision = ? AND budget = ? AND generation = ?"
        " AND memories.status IN ('ok', 'truncated') ORDER BY memory_key LIMIT 1",
        (source_sha256, goal, tokenizer, *compressor, budget, generation),
    ).fetchone()
