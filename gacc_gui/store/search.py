"""Full-text search of a run: goals, questions, references, answers and rationales; memories are left out.

Owns the index, what a word is, and the scan that stands in while an index is not complete. The index of a
run is a table of its own (`search_<run_key>`), so that deleting a run drops it at once. A row of it is a unit
(its answers and rationales) or, with a negative key, a goal (its text, questions and references).

A word is what FTS5's `unicode61` makes of it, without case and diacritics; every CJK character is a word of
its own. A bare word matches the beginning of words, a phrase whole words.
"""

from __future__ import annotations

import json
import re
import sqlite3
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Final

from gacc_gui.core.errors import BadUsage
from gacc_gui.core.filters import Words
from gacc_gui.core.words import CJK

if TYPE_CHECKING:
    from gacc_gui.store.database import Database

_CHUNK: Final = 2_000
"""Units indexed in one transaction: a stop or a crash costs no more, and other writers get their turn."""

_BREAK: Final = " \ue000 "
"""Between the texts of one row: a word nobody writes, so that no phrase reaches across."""

_LISTED: Final = "(SELECT value FROM json_each(?))"

_TOKEN: Final = re.compile(r"[^\W_]+")


def build(database: Database, run_id: str, progress: Callable[[int, int], None] | None = None) -> None:
    """Complete the index of a run, from where it stands. `progress` gets units done and in all.

    What `progress` raises stops it; what is indexed stays, and the next call goes on from there. Raises
    BadUsage for an unknown run, StoreError where the database cannot be written.
    """
    while True:
        with database.transaction() as connection:
            row = connection.execute(
                "SELECT run_key, search_ready, search_goal, search_unit FROM runs WHERE id = ?", (run_id,)
            ).fetchone()
            if row is None:
                raise BadUsage(f"there is no run {run_id!r}")
            run_key, ready, goal_done, unit_done = row
            if ready:
                return
            if goal_done == 0:
                _create(connection, run_key)
            goal_done = _index_goals(connection, run_key, goal_done)
            unit_done, more = _index_units(connection, run_key, unit_done)
            connection.execute(
                "UPDATE runs SET search_goal = ?, search_unit = ?, search_ready = ? WHERE run_key = ?",
                (goal_done, unit_done, int(not more), run_key),
            )
            done, total = connection.execute(
                "SELECT count(*) FILTER (WHERE unit <= ?), count(*) FROM units WHERE run_key = ?",
                (unit_done, run_key),
            ).fetchone()
        if progress is not None:
            progress(done, total)
        if not more:
            return


def forget(connection: sqlite3.Connection, run_key: int) -> None:
    """Have the index of a run built anew: texts that it holds have changed."""
    connection.execute(
        "UPDATE runs SET search_ready = 0, search_goal = 0, search_unit = 0 WHERE run_key = ?", (run_key,)
    )


def continue_later(connection: sqlite3.Connection, run_key: int) -> None:
    """Say that goals or units were added to a run, which the index lacks."""
    connection.execute("UPDATE runs SET search_ready = 0 WHERE run_key = ?", (run_key,))


def drop(connection: sqlite3.Connection, run_key: int) -> None:
    """Remove the index of a run."""
    connection.execute(f"DROP TABLE IF EXISTS search_{run_key}")


def condition(
    connection: sqlite3.Connection, run_key: int, words: Words, hidden: Collection[int] = ()
) -> tuple[str, tuple[object, ...]]:
    """Return an SQL condition on `units` for one word or phrase (negation not applied), with its values.

    Of the units in `hidden` the rationales are not searched: a reviewer is not to know them.
    """
    (ready,) = connection.execute("SELECT search_ready FROM runs WHERE run_key = ?", (run_key,)).fetchone()
    query = _match_query(words)
    if ready and query is not None:
        found = f"(SELECT rowid FROM search_{run_key} WHERE search_{run_key} MATCH ?)"
        if not hidden:
            return f"(unit IN {found} OR -goal_key IN {found})", (query, query)
        seen = f"(unit NOT IN {_LISTED} OR unit IN {found})"
        values = (query, json.dumps(list(hidden)), f"answers : {query}", query)
        return f"(unit IN {found} AND {seen} OR -goal_key IN {found})", values
    goals, units = _scan(connection, run_key, words, hidden)
    return f"(unit IN {_LISTED} OR goal_key IN {_LISTED})", (json.dumps(units), json.dumps(goals))


def spaced(text: str) -> str:
    """Return the text with blanks around each CJK character, which makes it a word of its own."""
    return text if text.isascii() else CJK.sub(r" \g<0> ", text)


def _create(connection: sqlite3.Connection, run_key: int) -> None:
    drop(connection, run_key)
    # Without content: the texts are in their own tables. Without column sizes: nothing is ranked.
    connection.execute(
        f"CREATE VIRTUAL TABLE search_{run_key} USING fts5 (goal, questions, reference_answers, answers,"
        " rationales, content = '', columnsize = 0, tokenize = 'unicode61 remove_diacritics 2')"
    )


def _index_goals(connection: sqlite3.Connection, run_key: int, after: int) -> int:
    rows = []
    for goal_key, text, questions, references in _goal_texts(connection, run_key, after):
        rows.append(
            (-goal_key, spaced(text), spaced(_BREAK.join(questions)), spaced(_BREAK.join(references)))
        )
        after = goal_key
    connection.executemany(
        f"INSERT INTO search_{run_key} (rowid, goal, questions, reference_answers) VALUES (?, ?, ?, ?)", rows
    )
    return after


def _index_units(connection: sqlite3.Connection, run_key: int, after: int) -> tuple[int, bool]:
    """Index the next units; return the last one and whether there are more."""
    units = connection.execute(
        "SELECT unit, memory_key, repeat FROM units WHERE unit > ? AND run_key = +? ORDER BY unit LIMIT ?",
        (after, run_key, _CHUNK),
    ).fetchall()
    rows = []
    for unit, memory_key, repeat in units:
        answers = connection.execute(
            "SELECT text FROM answers WHERE memory_key = ? AND repeat = ? AND text IS NOT NULL",
            (memory_key, repeat),
        )
        answer = _BREAK.join([text for (text,) in answers])
        rationales = connection.execute(
            "SELECT rationale FROM verdicts WHERE memory_key = ? AND repeat = ? AND rationale IS NOT NULL",
            (memory_key, repeat),
        )
        rationale = _BREAK.join([text for (text,) in rationales])
        rows.append((unit, spaced(answer), spaced(rationale)))
    connection.executemany(
        f"INSERT INTO search_{run_key} (rowid, answers, rationales) VALUES (?, ?, ?)", rows
    )
    return (units[-1][0] if units else after), len(units) == _CHUNK


def _goal_texts(
    connection: sqlite3.Connection, run_key: int, after: int
) -> Iterator[tuple[int, str, list[str], list[str]]]:
    """Yield goals with a key beyond `after`: key, text, texts of the questions, references."""
    questions: dict[int, list[str]] = defaultdict(list)
    references: dict[int, list[str]] = defaultdict(list)
    for goal_key, text, listed in connection.execute(
        "SELECT goal_key, text, reference_answers FROM questions WHERE run_key = ? AND goal_key > ?",
        (run_key, after),
    ):
        questions[goal_key].append(text)
        if listed:
            references[goal_key].extend(item for item in json.loads(listed) if isinstance(item, str))
    for goal_key, text in connection.execute(
        "SELECT goal_key, text FROM goals WHERE run_key = ? AND goal_key > ? ORDER BY goal_key",
        (run_key, after),
    ):
        yield goal_key, text, questions[goal_key], references[goal_key]


def _match_query(words: Words) -> str | None:
    """Return an FTS5 expression that takes the words literally; None if they hold no word at all."""
    text = spaced(words.text).replace("\0", " ")
    if _TOKEN.search(text) is None:
        return None
    quoted = text.replace('"', '""')
    return f'"{quoted}"' if words.phrase else f'"{quoted}"*'


def _scan(
    connection: sqlite3.Connection, run_key: int, words: Words, hidden: Collection[int]
) -> tuple[list[int], list[int]]:
    """Return the goals and units that hold the words, by reading the texts."""
    holds = _matcher(words)
    goals = [
        goal_key
        for goal_key, goal_text, questions, references in _goal_texts(connection, run_key, 0)
        if any(holds(text) for text in (goal_text, *questions, *references))
    ]
    units: set[int] = set()
    for table, column in (("answers", "text"), ("verdicts", "rationale")):
        for unit, text in connection.execute(
            f"SELECT unit, {column} FROM units JOIN {table} USING (memory_key, repeat)"
            f" WHERE units.run_key = ? AND {column} IS NOT NULL",
            (run_key,),
        ):
            if unit not in units and not (column == "rationale" and unit in hidden) and holds(text):
                units.add(unit)
    return goals, sorted(units)


def _matcher(words: Words) -> Callable[[str], bool]:
    tokens = _TOKEN.findall(spaced(_plain(words.text)))
    if not tokens:
        wanted = words.text.casefold()
        return lambda text: wanted in text.casefold()
    end = r"(?![^\W_])" if words.phrase else ""
    pattern = re.compile(r"(?<![^\W_])" + r"[\W_]+".join(map(re.escape, tokens)) + end)
    return lambda text: pattern.search(spaced(_plain(text))) is not None


def _plain(text: str) -> str:
    """Return the text without case and diacritics, as unicode61 compares it."""
    if text.isascii():
        return text.lower()
    return "".join(c for c in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(c))
