"""What the stored rows mean: fills `results` and `units` by `core.analysis`. Owns nothing that a file said.

Streams context by context, so that a source is searched once and no more than a few megabytes are in memory.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import closing
from typing import Any, Final, NamedTuple

from gacc_gui.core import causes
from gacc_gui.core.records import Question
from gacc_gui.store import record_reads
from gacc_gui.store.analysing import GoalTask, MemoryTask, Outcome, Task
from gacc_gui.store.analysts import analyse_all

LARGE: Final = 4_000
"""Memories from which on other processes help: below, starting them takes longer than they save."""

_TASK_CHARACTERS: Final = 1_000_000
_BATCH: Final = 2_000

_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

_INSERT_RESULT: Final = (
    "INSERT INTO results (memory_key, repeat, question_key, outcome_key) VALUES (?, ?, ?, ?)"
)
_UNIT_COLUMNS: Final = (
    "memory_key, repeat, run_key, cell_key, context_key, goal_key, generation, budget, tail_characters,"
    " tail_tokens, questions, judged, correct, away, truncation, compressor, reader, judge, item, unlocated,"
    " no_verdict, unsupported, strip, outcomes"
)
_INSERT_UNIT: Final = (
    f"INSERT INTO units ({_UNIT_COLUMNS}) VALUES ({', '.join('?' * (_UNIT_COLUMNS.count(',') + 1))})"
    " ON CONFLICT (memory_key, repeat) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _UNIT_COLUMNS.split(", ")[2:])
)
_FAULTS: Final = (
    causes.TRUNCATION,
    causes.COMPRESSOR,
    causes.READER,
    causes.JUDGE,
    causes.ITEM,
    causes.UNLOCATED,
    causes.NO_VERDICT,
)


class _Memory(NamedTuple):
    """What a unit shows of its memory, while the rows are being analysed."""

    question_keys: list[int]
    columns: tuple[Any, ...]
    """run_key to tail_tokens of _UNIT_COLUMNS."""


def compute(connection: sqlite3.Connection, run_key: int, new: range, touched: set[int]) -> None:
    """Compute results and units of the memories with a key in `new` or `touched`, in the open transaction."""
    old = {key for key in touched if key not in new}
    for key in old:
        connection.execute("DELETE FROM results WHERE memory_key = ?", (key,))
    if not new and not old:
        return
    coming: deque[_Memory] = deque()
    writer = _Writer(connection)
    tasks = _tasks(connection, run_key, new, old, coming)
    with closing(analyse_all(tasks, len(new) + len(old) >= LARGE)) as analysed:
        for rows in analysed:
            for key, repeats in rows:
                if key in old:
                    _forget_repeats(connection, key, [repeat for repeat, _ in repeats])
                memory = coming.popleft()
                for repeat, outcomes in repeats:
                    writer.add(key, repeat, memory, outcomes)
    writer.flush()


def _forget_repeats(connection: sqlite3.Connection, memory_key: int, kept: list[int]) -> None:
    """Drop the units of repeats that are none: a memory without answers had one for repeat 0."""
    connection.execute(
        "DELETE FROM units WHERE memory_key = ? AND repeat NOT IN (SELECT value FROM json_each(?))",
        (memory_key, json.dumps(kept)),
    )


def _tasks(
    connection: sqlite3.Connection, run_key: int, new: range, old: set[int], coming: deque[_Memory]
) -> Iterator[Task]:
    """Yield the work, and put what the units need of each memory into `coming`, in the same order."""
    context = 0
    source = ""
    goals: list[GoalTask] = []
    size = 0
    for context_key, goal_key in _touched_goals(connection, new, old):
        if context_key != context:
            if goals:
                yield Task(source, goals)
                goals, size = [], 0
            (source,) = connection.execute(
                "SELECT text FROM contexts JOIN texts ON text_key = source_text WHERE context_key = ?",
                (context_key,),
            ).fetchone()
            context = context_key
        questions = _questions(connection, goal_key)
        if not questions:
            continue
        question_keys = [key for key, _ in questions]
        goals.append(GoalTask(questions, []))
        for row in connection.execute(
            "SELECT memory_key, cell_key, generation, budget, proposals.text, retained_end,"
            " retained_splits, retained.text, status, proposed_tokens - retained_tokens FROM memories"
            " LEFT JOIN texts AS proposals ON proposals.text_key = proposed_text"
            " LEFT JOIN texts AS retained ON retained.text_key = retained_text"
            " WHERE goal_key = ? ORDER BY memory_key",
            (goal_key,),
        ):
            key, cell_key, generation, budget, proposed, end, splits, own_text, status, tail_tokens = row
            if key not in new and key not in old:
                continue
            tail = None if end is None or proposed is None else len(proposed) - end
            columns = (run_key, cell_key, context_key, goal_key, generation, budget, tail, tail_tokens)
            coming.append(_Memory(question_keys, columns))
            goals[-1].memories.append(
                MemoryTask(key, budget, proposed, end, splits, own_text, status, *_items(connection, key))
            )
            size += len(proposed or "")
            if size > _TASK_CHARACTERS:
                yield Task(source, goals)
                goals, size = [GoalTask(questions, [])], 0
    if goals:
        yield Task(source, goals)


def _touched_goals(connection: sqlite3.Connection, new: range, old: set[int]) -> list[tuple[int, int]]:
    goals = set(
        connection.execute(
            "SELECT DISTINCT context_key, goal_key FROM memories JOIN goals USING (goal_key)"
            " WHERE memory_key >= ? AND memory_key < ?",
            (new.start, new.stop),
        )
    )
    for key in old:
        goals.update(
            connection.execute(
                "SELECT context_key, goal_key FROM memories JOIN goals USING (goal_key) WHERE memory_key = ?",
                (key,),
            )
        )
    return sorted(goals)


def _questions(connection: sqlite3.Connection, goal_key: int) -> list[tuple[int, Question]]:
    keys = connection.execute(
        "SELECT question_key FROM questions WHERE goal_key = ? ORDER BY question_key", (goal_key,)
    )
    records = record_reads.questions(connection, "questions.goal_key = ?", (goal_key,))
    return [(key, record) for (key,), record in zip(keys, records, strict=True)]


_Items = dict[tuple[int, int], tuple[str, str | None]]


def _items(connection: sqlite3.Connection, memory_key: int) -> tuple[_Items, _Items]:
    """Return the memory's answers and verdicts by (question key, repeat)."""
    answers = {
        # An unusual text held a JSON value that was no string: it equals no reference.
        (question, repeat): (status, None if unusual and '"text"' in unusual else text)
        for question, repeat, status, text, unusual in connection.execute(
            "SELECT question_key, repeat, status, text, unusual FROM answers WHERE memory_key = ?",
            (memory_key,),
        )
    }
    verdicts = {
        (question, repeat): (status, label)
        for question, repeat, status, label in connection.execute(
            "SELECT question_key, repeat, status, label FROM verdicts WHERE memory_key = ?", (memory_key,)
        )
    }
    return answers, verdicts


class _Writer:
    """Writes results and units in batches."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._results: list[tuple[int, int, int, int]] = []
        self._units: list[tuple[Any, ...]] = []
        self._outcomes: dict[Outcome, tuple[int, str]] = {}
        for key, letter, *outcome in connection.execute(
            "SELECT outcome_key, letter, fate, cause, flags, label, status, answer_status, memory_status"
            " FROM outcomes"
        ):
            self._outcomes[tuple(outcome)] = (key, letter)

    def add(self, memory_key: int, repeat: int, memory: _Memory, outcomes: list[Outcome]) -> None:
        """Take the rows of one unit."""
        counts: Counter[str] = Counter()
        judged = unsupported = 0
        strip, letters = "", ""
        for question_key, outcome in zip(memory.question_keys, outcomes, strict=True):
            outcome_key, letter = self._outcomes.get(outcome) or self._new_outcome(outcome)
            self._results.append((memory_key, repeat, question_key, outcome_key))
            _, cause, flags, label, *_ = outcome
            counts[cause] += 1
            judged += label is not None
            unsupported += causes.UNSUPPORTED in flags
            strip += causes.LETTERS[cause]
            letters += letter
        correct = counts[causes.CORRECT]
        self._units.append(
            (
                memory_key,
                repeat,
                *memory.columns,
                len(outcomes),
                judged,
                correct,
                len(outcomes) - correct,
                *(counts[cause] for cause in _FAULTS),
                unsupported,
                strip,
                letters,
            )
        )
        if len(self._results) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Write what is collected."""
        self._connection.executemany(_INSERT_RESULT, self._results)
        self._connection.executemany(_INSERT_UNIT, self._units)
        self._results.clear()
        self._units.clear()

    def _new_outcome(self, outcome: Outcome) -> tuple[int, str]:
        key = len(self._outcomes) + 1
        # Letters of one character each, none of which means something to GLOB.
        letter = _ALPHABET[key - 1] if key <= len(_ALPHABET) else chr(0x100 + key)
        self._connection.execute(
            "INSERT INTO outcomes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (key, letter, *outcome)
        )
        self._outcomes[outcome] = (key, letter)
        return key, letter
