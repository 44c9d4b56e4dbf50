"""What the stored rows mean: fills `results` and `units` by `core.analysis`. Owns nothing that a file said.

Streams context by context, so that a source is searched once and never more than one source with the rows of
one goal is in memory.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import Any, Final

from gacc_gui.core import causes
from gacc_gui.core.analysis import MemoryAnalysis, Source
from gacc_gui.core.records import Question
from gacc_gui.store import record_reads
from gacc_gui.store.record_rows import restore_retained

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

# What `outcomes` says of a row: fate, cause, flags, label, status, answer status, memory status.
_Outcome = tuple[str, str, str, str | None, str, str | None, str]


def compute(connection: sqlite3.Connection, run_key: int, new: range, touched: set[int]) -> None:
    """Compute results and units of the memories with a key in `new` or `touched`, in the open transaction."""
    old = {key for key in touched if key not in new}
    for key in old:
        connection.execute("DELETE FROM results WHERE memory_key = ?", (key,))
    if new or old:
        _Computation(connection, run_key).run(new, old)


class _Computation:
    def __init__(self, connection: sqlite3.Connection, run_key: int) -> None:
        self._connection = connection
        self._run_key = run_key
        self._results: list[tuple[int, int, int, int]] = []
        self._units: list[tuple[Any, ...]] = []
        self._outcomes: dict[_Outcome, tuple[int, str]] = {}
        for key, letter, *outcome in connection.execute(
            "SELECT outcome_key, letter, fate, cause, flags, label, status, answer_status, memory_status"
            " FROM outcomes"
        ):
            self._outcomes[tuple(outcome)] = (key, letter)  # type: ignore[index]

    def run(self, new: range, old: set[int]) -> None:
        connection = self._connection
        goals = self._touched_goals(new, old)
        source: Source | None = None
        source_key = 0
        for context_key, goal_key in goals:
            if source is None or context_key != source_key:
                (text,) = connection.execute(
                    "SELECT text FROM contexts JOIN texts ON text_key = source_text WHERE context_key = ?",
                    (context_key,),
                ).fetchone()
                source, source_key = Source(text), context_key
            questions = self._questions(goal_key)
            if not questions:
                continue
            for memory in connection.execute(
                "SELECT memory_key, cell_key, generation, budget, proposals.text, retained_end,"
                " retained_splits, retained.text, proposed_tokens, retained_tokens, status FROM memories"
                " LEFT JOIN texts AS proposals ON proposals.text_key = proposed_text"
                " LEFT JOIN texts AS retained ON retained.text_key = retained_text"
                " WHERE goal_key = ? ORDER BY memory_key",
                (goal_key,),
            ):
                if memory[0] in new or memory[0] in old:
                    self._memory(memory, source, context_key, goal_key, questions)
        self._flush()

    def _touched_goals(self, new: range, old: set[int]) -> list[tuple[int, int]]:
        goals = set(
            self._connection.execute(
                "SELECT DISTINCT context_key, goal_key FROM memories JOIN goals USING (goal_key)"
                " WHERE memory_key >= ? AND memory_key < ?",
                (new.start, new.stop),
            )
        )
        for key in old:
            goals.update(
                self._connection.execute(
                    "SELECT context_key, goal_key FROM memories JOIN goals USING (goal_key)"
                    " WHERE memory_key = ?",
                    (key,),
                )
            )
        return sorted(goals)

    def _questions(self, goal_key: int) -> list[tuple[int, Question]]:
        keys = self._connection.execute(
            "SELECT question_key FROM questions WHERE goal_key = ? ORDER BY question_key", (goal_key,)
        )
        records = record_reads.questions(self._connection, "questions.goal_key = ?", (goal_key,))
        return [(key, record) for (key,), record in zip(keys, records, strict=True)]

    def _memory(
        self,
        memory: tuple[Any, ...],
        source: Source,
        context_key: int,
        goal_key: int,
        questions: list[tuple[int, Question]],
    ) -> None:
        key, cell_key, generation, budget, proposed, end, splits, own_text, *tokens, status = memory
        connection = self._connection
        # An unusual text field held a JSON value that was no string: it equals no reference.
        answers = {
            (question, repeat): (answer_status, None if unusual and '"text"' in unusual else text)
            for question, repeat, answer_status, text, unusual in connection.execute(
                "SELECT question_key, repeat, status, text, unusual FROM answers WHERE memory_key = ?", (key,)
            )
        }
        verdicts = {
            (question, repeat): (verdict_status, label)
            for question, repeat, verdict_status, label in connection.execute(
                "SELECT question_key, repeat, status, label FROM verdicts WHERE memory_key = ?", (key,)
            )
        }
        repeats = sorted({repeat for _, repeat in (*answers, *verdicts)}) or [0]
        retained = restore_retained(proposed, end, splits, own_text)
        analysis = MemoryAnalysis(source, proposed, retained, budget, status)
        tail_characters = None if end is None or proposed is None else len(proposed) - end
        tail_tokens = None if None in tokens else tokens[0] - tokens[1]
        for repeat in repeats:
            counts: Counter[str] = Counter()
            judged = unsupported = 0
            strip, letters = [], []
            for question_key, question in questions:
                answer_status, answer = answers.get((question_key, repeat), (None, None))
                verdict_status, label = verdicts.get((question_key, repeat), (None, None))
                row = analysis.outcome(question, answer_status, answer, verdict_status, label)
                outcome_key, letter = self._outcome(
                    (
                        row.fate,
                        row.cause,
                        " ".join(sorted(row.flags)),
                        row.label,
                        row.status,
                        answer_status,
                        status,
                    )
                )
                self._results.append((key, repeat, question_key, outcome_key))
                counts[row.cause] += 1
                judged += row.label is not None
                unsupported += causes.UNSUPPORTED in row.flags
                strip.append(causes.LETTERS[row.cause])
                letters.append(letter)
            correct = counts[causes.CORRECT]
            self._units.append(
                (
                    key,
                    repeat,
                    self._run_key,
                    cell_key,
                    context_key,
                    goal_key,
                    generation,
                    budget,
                    tail_characters,
                    tail_tokens,
                    len(questions),
                    judged,
                    correct,
                    len(questions) - correct,
                    *(counts[cause] for cause in _FAULTS),
                    unsupported,
                    "".join(strip),
                    "".join(letters),
                )
            )
        if len(self._results) >= _BATCH:
            self._flush()

    def _outcome(self, outcome: _Outcome) -> tuple[int, str]:
        known = self._outcomes.get(outcome)
        if known is None:
            key = len(self._outcomes) + 1
            # Letters of one character each, none of which means something to GLOB.
            letter = _ALPHABET[key - 1] if key <= len(_ALPHABET) else chr(0x100 + key)
            self._connection.execute(
                "INSERT INTO outcomes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (key, letter, *outcome)
            )
            known = self._outcomes[outcome] = (key, letter)
        return known

    def _flush(self) -> None:
        self._connection.executemany(_INSERT_RESULT, self._results)
        self._connection.executemany(_INSERT_UNIT, self._units)
        self._results.clear()
        self._units.clear()
