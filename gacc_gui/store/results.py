"""What the stored rows mean: fills `results` and `units` by `core.analysis`. Owns nothing that a file said.

Goes goal by goal, so that the rows of one goal at a time are in memory; what the texts say comes from
`findings`.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from gacc_gui.core import causes
from gacc_gui.core.analysis import Outcome, memory_rows
from gacc_gui.store.findings import TextFindings
from gacc_gui.store.record_rows import tuple_of

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


_Items = defaultdict[int, dict[tuple[int, int], tuple[str, str | None]]]
"""Answers or verdicts: by memory, then by question and repeat, the status and the text or label."""


def compute(
    connection: sqlite3.Connection, run_key: int, texts: TextFindings, new: range, touched: set[int]
) -> None:
    """Compute results and units of the memories with a key in `new` or `touched`, in the open transaction.

    Those in `new` were added to `texts`.
    """
    goals = set(
        connection.execute(
            "SELECT DISTINCT context_key, goal_key FROM memories JOIN goals USING (goal_key)"
            " WHERE memory_key >= ? AND memory_key < ?",
            (new.start, new.stop),
        )
    )
    old = {key for key in touched if key not in new}
    for key in old:
        connection.execute("DELETE FROM results WHERE memory_key = ?", (key,))
        (goal,) = connection.execute(
            "SELECT context_key, goal_key FROM memories JOIN goals USING (goal_key) WHERE memory_key = ?",
            (key,),
        )
        goals.add(goal)
        texts.want(key, goal[0])
    writer = _Writer(connection, run_key)
    for context_key, goal_key in sorted(goals):
        _goal(connection, context_key, goal_key, texts, new, old, writer)
    writer.flush()


def _goal(
    connection: sqlite3.Connection,
    context_key: int,
    goal_key: int,
    texts: TextFindings,
    new: range,
    old: set[int],
    writer: _Writer,
) -> None:
    questions = [
        (key, causes.expected_answers(tuple_of(references)))
        for key, references in connection.execute(
            "SELECT question_key, reference_answers FROM questions WHERE goal_key = ? ORDER BY question_key",
            (goal_key,),
        )
    ]
    if not questions:
        return
    memories = [
        row
        for row in connection.execute(
            "SELECT memory_key, cell_key, generation, budget, status, characters - retained_end,"
            " proposed_tokens - retained_tokens FROM memories LEFT JOIN texts ON text_key = proposed_text"
            " WHERE goal_key = ? ORDER BY memory_key",
            (goal_key,),
        )
        if row[0] in new or row[0] in old
    ]
    answers, verdicts = _items(connection, [row[0] for row in memories])
    for key, cell_key, generation, budget, status, *tail in memories:
        findings = texts.take(key, context_key, len(questions))
        given = answers[key]
        rows = memory_rows(findings, questions, given, verdicts[key], budget=budget, status=status)
        if key in old:
            connection.execute(
                "DELETE FROM units WHERE memory_key = ? AND repeat NOT IN (SELECT value FROM json_each(?))",
                (key, json.dumps([repeat for repeat, _ in rows])),
            )
        columns = (cell_key, context_key, goal_key, generation, budget, *tail)
        for repeat, outcomes in rows:
            writer.add(key, repeat, columns, status, questions, given, outcomes)


def _items(connection: sqlite3.Connection, memory_keys: list[int]) -> tuple[_Items, _Items]:
    """Return the answers and the verdicts of some memories."""
    answers: _Items = defaultdict(dict)
    verdicts: _Items = defaultdict(dict)
    keys = (json.dumps(memory_keys),)
    for memory, question, repeat, status, text, unusual in connection.execute(
        "SELECT memory_key, question_key, repeat, status, text, unusual FROM answers"
        " WHERE memory_key IN (SELECT value FROM json_each(?))",
        keys,
    ):
        # An unusual text held a JSON value that was no string: it equals no reference.
        answers[memory][question, repeat] = status, None if unusual and '"text"' in unusual else text
    for memory, question, repeat, status, label in connection.execute(
        "SELECT memory_key, question_key, repeat, status, label FROM verdicts"
        " WHERE memory_key IN (SELECT value FROM json_each(?))",
        keys,
    ):
        verdicts[memory][question, repeat] = status, label
    return answers, verdicts


class _Known(NamedTuple):
    """A row of `outcomes`, with what a unit counts of it."""

    key: int
    letter: str
    cause: str
    cause_letter: str
    judged: bool
    unsupported: bool


class _Writer:
    """Writes results and units in batches."""

    def __init__(self, connection: sqlite3.Connection, run_key: int) -> None:
        self._connection = connection
        self._run_key = run_key
        self._results: list[tuple[int, int, int, int]] = []
        self._units: list[tuple[Any, ...]] = []
        self._outcomes: dict[tuple[Outcome, str | None, str], _Known] = {}
        self._count = 0
        for key, letter, fate, cause, flags, label, status, *statuses in connection.execute(
            "SELECT outcome_key, letter, fate, cause, flags, label, status, answer_status, memory_status"
            " FROM outcomes"
        ):
            self._know(key, letter, Outcome(fate, cause, tuple(flags.split()), label, status), *statuses)

    def add(
        self,
        memory_key: int,
        repeat: int,
        columns: tuple[Any, ...],
        memory_status: str,
        questions: Sequence[tuple[int, frozenset[str]]],
        answers: dict[tuple[int, int], tuple[str, str | None]],
        outcomes: list[Outcome],
    ) -> None:
        """Take the rows of one unit; `columns` are cell_key to tail_tokens of _UNIT_COLUMNS."""
        known = []
        for (question_key, _), outcome in zip(questions, outcomes, strict=True):
            answer = answers.get((question_key, repeat))
            answer_status = None if answer is None else answer[0]
            row = self._outcomes.get((outcome, answer_status, memory_status))
            if row is None:
                row = self._new_outcome(outcome, answer_status, memory_status)
            known.append(row)
            self._results.append((memory_key, repeat, question_key, row.key))
        found = [row.cause for row in known]
        correct = found.count(causes.CORRECT)
        self._units.append(
            (
                memory_key,
                repeat,
                self._run_key,
                *columns,
                len(known),
                sum(row.judged for row in known),
                correct,
                len(known) - correct,
                *map(found.count, _FAULTS),
                sum(row.unsupported for row in known),
                "".join([row.cause_letter for row in known]),
                "".join([row.letter for row in known]),
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

    def _new_outcome(self, outcome: Outcome, answer_status: str | None, memory_status: str) -> _Known:
        flags = tuple(sorted(outcome.flags))
        if flags != outcome.flags:  # the same row of `outcomes`, whatever the order of its flags
            sorted_outcome = outcome._replace(flags=flags)
            known = self._outcomes.get((sorted_outcome, answer_status, memory_status))
            if known is None:
                known = self._new_outcome(sorted_outcome, answer_status, memory_status)
            self._outcomes[outcome, answer_status, memory_status] = known
            return known
        key = self._count + 1
        # Letters of one character each, none of which means something to GLOB.
        letter = _ALPHABET[key - 1] if key <= len(_ALPHABET) else chr(0x100 + key)
        fate, cause, _, label, status = outcome
        self._connection.execute(
            "INSERT INTO outcomes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (key, letter, fate, cause, " ".join(flags), label, status, answer_status, memory_status),
        )
        return self._know(key, letter, outcome, answer_status, memory_status)

    def _know(
        self, key: int, letter: str, outcome: Outcome, answer_status: str | None, memory_status: str
    ) -> _Known:
        self._count += 1
        known = _Known(
            key,
            letter,
            outcome.cause,
            causes.LETTERS[outcome.cause],
            outcome.label is not None,
            causes.UNSUPPORTED in outcome.flags,
        )
        self._outcomes[outcome, answer_status, memory_status] = known
        return known
