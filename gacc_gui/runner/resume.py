"""Going on with a run: whether it is still the same evaluation, and what of it is there.

Owns the comparison of configurations and the reading of what earlier sessions made; changes nothing. Not
here: what of a configuration is part of a run's record (`planning`), and what is done with what is missing
(`engine`).
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from gacc_gui.core.records import Answer, Json, Memory, Request, Run
from gacc_gui.formats.json_values import dumps
from gacc_gui.runner.cache import ProposalKey
from gacc_gui.runner.call_records import Place, interrupted_request
from gacc_gui.runner.known import Known
from gacc_gui.runner.parts import CompressorOutput
from gacc_gui.runner.planning import CONFIGURATION
from gacc_gui.store import evaluations, record_reads

_FINISHED_MEMORY: Final = "status IN ('ok', 'truncated')"
_FINISHED_ANSWER: Final = "answers.status IN ('ok', 'truncated')"
_FINISHED_VERDICT: Final = "verdicts.status = 'judged'"


def differences(before: Run, now: Run) -> list[str]:
    """Return what two runs' records were configured to do differently, one phrase each, by key."""
    then, today = (dict(_flat(run.extra.get(CONFIGURATION))) for run in (before, now))
    told = []
    for key in dict.fromkeys([*then, *today]):
        old, new = then.get(key), today.get(key)
        if old == new and (key in then) == (key in today):
            continue
        if key == "dataset":
            told.append("dataset: its items have changed")
        elif key.endswith("prompt") and old and new:
            told.append(f"{key}: its wording has changed")
        else:
            told.append(f"{key}: was {_shown(old, key in then)}, is {_shown(new, key in today)}")
    return told


def known_of(connection: sqlite3.Connection, run_id: str) -> Known:
    """Return what of a run is stored. Failed items are known as such, and will be tried again."""
    memories: dict[str, bool] = {}
    for name, finished in _rows(
        connection, f"SELECT memories.id, {_FINISHED_MEMORY} FROM memories JOIN runs USING (run_key)", run_id
    ):
        memories[name] = bool(finished)
    interrupted: dict[str, list[Request]] = defaultdict(list)
    for request in interrupted_calls(connection, run_id):
        if request.memory_id is not None and request.memory_id not in memories:
            interrupted[request.memory_id].append(request)
    taken = {
        name
        for (name,) in _rows(connection, "SELECT requests.id FROM requests JOIN runs USING (run_key)", run_id)
    }
    taken |= {call.request_id for call in evaluations.under_way(connection, run_id)}
    taken |= {request.id for request in evaluations.kept(connection, run_id)}
    return Known(
        memories=memories,
        answers=_items(connection, run_id, "answers", _FINISHED_ANSWER),
        verdicts=_items(connection, run_id, "verdicts", _FINISHED_VERDICT),
        memory=partial(_memory, connection, run_id),
        answer=partial(_answer, connection, run_id),
        request_ids=taken,
        interrupted=interrupted,
        kept=partial(_kept, connection, run_id),
    )


def interrupted_calls(connection: sqlite3.Connection, run_id: str) -> Iterator[Request]:
    """Yield a request record for each call that was under way when the program ended."""
    for call in evaluations.under_way(connection, run_id):
        yield interrupted_request(
            call.request_id,
            call.role,
            call.memory_id,
            call.question_id,
            call.repeat,
            call.started_at or "",
        )


def proposal_of(
    connection: sqlite3.Connection, key: ProposalKey, goal: str | None
) -> CompressorOutput | None:
    """Return the proposal that an evaluation of ours stored under a key, or None; `goal` as text."""
    found = evaluations.stored_proposal(
        connection,
        key.source.removeprefix("sha256:"),
        goal,
        key.tokenizer,
        key.compressor,
        key.budget,
        key.generation,
    )
    return None if found is None else CompressorOutput(found[0], found[1])


def _rows(connection: sqlite3.Connection, select: str, run_id: str) -> Iterator[tuple[Any, ...]]:
    yield from connection.execute(f"{select} WHERE runs.id = ?", (run_id,))


def _items(connection: sqlite3.Connection, run_id: str, table: str, finished: str) -> dict[Place, bool]:
    select = (
        f"SELECT memories.id, questions.id, repeat, {finished} FROM {table} JOIN memories USING (memory_key)"
        f" JOIN questions USING (question_key) JOIN runs ON runs.run_key = memories.run_key"
    )
    return {(row[0], row[1], row[2]): bool(row[3]) for row in _rows(connection, select, run_id)}


def _memory(connection: sqlite3.Connection, run_id: str, memory_id: str) -> Memory:
    where = "memories.run_key = (SELECT run_key FROM runs WHERE id = ?) AND memories.id = ?"
    return next(record_reads.memories(connection, where, (run_id, memory_id)))


def _answer(connection: sqlite3.Connection, run_id: str, place: Place) -> Answer:
    where = (
        "memories.run_key = (SELECT run_key FROM runs WHERE id = ?) AND memories.id = ?"
        " AND questions.id = ? AND repeat = ?"
    )
    return next(record_reads.answers(connection, where, (run_id, *place), "position"))


def _kept(connection: sqlite3.Connection, run_id: str, memory_id: str) -> list[Request]:
    where = (
        "requests.run_key = (SELECT run_key FROM runs WHERE id = ?) AND role = 'compressor'"
        " AND memories.id = ?"
    )
    placed = record_reads.requests(connection, where, (run_id, memory_id))
    kept = evaluations.kept(connection, run_id)
    return [*placed, *(request for request in kept if request.memory_id == memory_id)]


def _flat(value: Json, key: str = "") -> Iterator[tuple[str, Json]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _flat(inner, f"{key}.{name}" if key else name)
    elif key:
        yield key, value


def _shown(value: Json, there: bool) -> str:
    text = dumps(value) if there else "not there"
    return text if len(text) <= 80 else f"{text[:80]}…"
