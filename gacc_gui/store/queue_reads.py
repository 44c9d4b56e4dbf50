"""The rows that a review queue can draw from, and how many there are of which sort.

Owns what each kind of `core.review_queue` means over the stored rows. Only rows with an answer are asked
about: no label could make any other count.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from gacc_gui.core import review_queue
from gacc_gui.core.agreement import NO_VERDICT
from gacc_gui.core.causes import FAILED, JUDGE, expected_answers, normal_answer
from gacc_gui.core.reviewing import Row
from gacc_gui.store import queries
from gacc_gui.store.record_rows import tuple_of
from gacc_gui.store.rows import CellChoice

_ANSWERED: Final = ("ok", "truncated")
CORRECT_WITHOUT_MATCH: Final = "judged correct, no exact match"
INCORRECT_WITH_MATCH: Final = "judged incorrect, exact match"


class FrameRow(NamedTuple):
    """How many rows of the chosen cells have this cause and this counting label."""

    cause: str
    label: str | None
    answered: bool
    """Whether a label could count at all."""
    rows: int


class _Outcome(NamedTuple):
    cause: str
    flags: frozenset[str]
    label: str | None
    answered: bool


def frame(connection: sqlite3.Connection, run_key: int, choice: CellChoice) -> list[FrameRow]:
    """Count all rows of the chosen cells."""
    outcomes = _outcomes(connection)
    counts: Counter[tuple[str, str | None, bool]] = Counter()
    for outcome_key, rows in connection.execute(
        "SELECT outcome_key, count(*) FROM memories JOIN results USING (memory_key)"
        f" WHERE {_in_cells(connection, run_key, choice)} GROUP BY outcome_key"
    ):
        outcome = outcomes[outcome_key]
        counts[outcome.cause, outcome.label, outcome.answered] += rows
    return [FrameRow(*key, rows) for key, rows in counts.items()]


def candidates(
    connection: sqlite3.Connection, run_key: int, choice: CellChoice, kind: str
) -> Iterator[tuple[str, Row]]:
    """Yield stratum and row of all that a queue of this kind can draw from, in the chosen cells."""
    rows = _Rows(connection, run_key, choice)
    for found in _KINDS[kind](rows):
        yield found.stratum, rows.row(*found.key)


def sizes(
    connection: sqlite3.Connection, run_key: int, choice: CellChoice, kind: str
) -> dict[tuple[str, str], int]:
    """Count the rows that a queue of this kind can draw from, by stratum and what the judge says."""
    rows = _Rows(connection, run_key, choice)
    return dict(Counter((found.stratum, found.label or NO_VERDICT) for found in _KINDS[kind](rows)))


class _Found(NamedTuple):
    stratum: str
    label: str | None
    key: tuple[int, int, int]


class _Rows:
    """The answered rows of the chosen cells, by integer keys; ids are looked up for what is wanted."""

    def __init__(self, connection: sqlite3.Connection, run_key: int, choice: CellChoice) -> None:
        self.connection = connection
        self.cells = _in_cells(connection, run_key, choice)
        self.outcomes = _outcomes(connection)
        self._memories = dict(
            connection.execute(f"SELECT memory_key, id FROM memories WHERE {self.cells}").fetchall()
        )
        self._questions = dict(
            connection.execute("SELECT question_key, id FROM questions WHERE run_key = ?", (run_key,))
        )

    def row(self, memory_key: int, question_key: int, repeat: int) -> Row:
        """Return the ids of a row."""
        return self._memories[memory_key], self._questions[question_key], repeat

    def answered(self, condition: str = "1") -> Iterator[tuple[tuple[int, int, int], _Outcome]]:
        """Yield key (memory, question, repeat) and outcome of every row with an answer, on a condition."""
        # Whole columns as one row: see `queries`, why not 300,000 rows one by one.
        wanted = [str(key) for key, outcome in self.outcomes.items() if outcome.answered]
        columns = self.connection.execute(
            "SELECT json_group_array(memory_key), json_group_array(question_key), json_group_array(repeat),"
            " json_group_array(outcome_key) FROM memories JOIN results USING (memory_key)"
            f" WHERE {self.cells} AND outcome_key IN ({', '.join(wanted)}) AND {condition}"
        ).fetchone()
        outcomes = self.outcomes
        for memory_key, question_key, repeat, outcome_key in zip(*map(json.loads, columns), strict=True):
            yield (memory_key, question_key, repeat), outcomes[outcome_key]


def _random(rows: _Rows) -> Iterator[_Found]:
    for key, outcome in rows.answered():
        yield _Found(review_queue.ALL, outcome.label, key)


def _by_cause(rows: _Rows) -> Iterator[_Found]:
    for key, outcome in rows.answered():
        yield _Found(outcome.cause, outcome.label, key)


def _one_away(rows: _Rows) -> Iterator[_Found]:
    near = (
        "EXISTS (SELECT 1 FROM units WHERE units.memory_key = results.memory_key"
        " AND units.repeat = results.repeat AND away = 1)"
    )
    for key, outcome in rows.answered(near):
        if outcome.label != "correct":
            yield _Found(outcome.cause, outcome.label, key)


def _exact_match(rows: _Rows) -> Iterator[_Found]:
    expected: dict[int, frozenset[str]] = {}
    for question_key, references in rows.connection.execute(
        "SELECT question_key, reference_answers FROM questions"
    ):
        expected[question_key] = expected_answers(tuple_of(references))
    right = [key for key, outcome in rows.outcomes.items() if outcome.label == "correct"]
    for *key, text in rows.connection.execute(
        "SELECT results.memory_key, results.question_key, results.repeat, answers.text FROM memories"
        " JOIN results USING (memory_key) JOIN answers ON answers.memory_key = results.memory_key"
        " AND answers.question_key = results.question_key AND answers.repeat = results.repeat"
        f" WHERE {rows.cells} AND outcome_key IN ({', '.join(map(str, right))})"
    ):
        wanted = expected[key[1]]
        if wanted and (text is None or normal_answer(text) not in wanted):
            yield _Found(CORRECT_WITHOUT_MATCH, "correct", (key[0], key[1], key[2]))
    for found, outcome in rows.answered():
        if outcome.cause == JUDGE:
            yield _Found(INCORRECT_WITH_MATCH, outcome.label, found)


def _unsupported(rows: _Rows) -> Iterator[_Found]:
    for key, outcome in rows.answered():
        if "unsupported" in outcome.flags:
            yield _Found(review_queue.ALL, outcome.label, key)


def _unstable(rows: _Rows) -> Iterator[_Found]:
    said: dict[tuple[int, int], list[tuple[int, str | None]]] = defaultdict(list)
    repeated = "results.memory_key IN (SELECT memory_key FROM units GROUP BY memory_key HAVING count(*) > 1)"
    for (memory_key, question_key, repeat), outcome in rows.answered(repeated):
        said[memory_key, question_key].append((repeat, outcome.label))
    for (memory_key, question_key), repeats in said.items():
        if len({label for _, label in repeats}) > 1:
            for repeat, label in repeats:
                yield _Found(review_queue.ALL, label, (memory_key, question_key, repeat))


_KINDS: Final[dict[str, Callable[[_Rows], Iterator[_Found]]]] = {
    review_queue.RANDOM: _random,
    review_queue.BY_CAUSE: _by_cause,
    review_queue.ONE_AWAY: _one_away,
    review_queue.EXACT_MATCH: _exact_match,
    review_queue.UNSUPPORTED: _unsupported,
    review_queue.UNSTABLE: _unstable,
}


def _in_cells(connection: sqlite3.Connection, run_key: int, choice: CellChoice) -> str:
    keys = queries.cells_of(connection, run_key, choice)
    return f"cell_key IN ({', '.join(map(str, keys))})"  # integers of ours


def _outcomes(connection: sqlite3.Connection) -> dict[int, _Outcome]:
    return {
        key: _Outcome(cause, frozenset(flags.split()), label, answer in _ANSWERED and memory not in FAILED)
        for key, cause, flags, label, answer, memory in connection.execute(
            "SELECT outcome_key, cause, flags, label, answer_status, memory_status FROM outcomes"
        )
    }
