"""What the charts read beside the counts of units: ledgers, places of evidence, what proposals would keep.

Owns these SELECTs. Evidence is read a few contexts at a time, so that whoever asks can say how far it is, do
something else in between, or stop. Figures and their meaning are `core`'s.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from gacc_gui.core.causes import ABSENT, BOUNDARY_UNKNOWN, OMITTED, UNLOCATED
from gacc_gui.core.evidence import Haystack, Pieces, pieces_of
from gacc_gui.core.evidence_charts import PlaceCount
from gacc_gui.core.evidence_needs import MemoryNeeds, Places, decile, least_budgets, place_in_source
from gacc_gui.core.ledger_figures import CellLedger
from gacc_gui.core.records import Cell
from gacc_gui.core.tokens import Codec
from gacc_gui.store import queries, record_reads
from gacc_gui.store.rows import CellChoice

_IN = "IN (SELECT value FROM json_each(?))"


def context_keys(connection: sqlite3.Connection, run_key: int) -> list[int]:
    """Return the keys of a run's contexts that have a goal, in file order."""
    return [
        key
        for (key,) in connection.execute(
            "SELECT context_key FROM contexts WHERE run_key = ? AND EXISTS"
            " (SELECT 1 FROM goals WHERE goals.context_key = contexts.context_key) ORDER BY context_key",
            (run_key,),
        )
    ]


def goal_texts(connection: sqlite3.Connection, run_key: int) -> dict[str, str]:
    """Return the first 200 code points of every goal's text, by id."""
    return _texts_by_id(connection, "SELECT id, text FROM goals WHERE run_key = ?", run_key)


def question_texts(connection: sqlite3.Connection, run_key: int) -> dict[str, str]:
    """Return the first 200 code points of the question of every goal that has one alone, by the goal's id."""
    select = (
        "SELECT goals.id, questions.text FROM goals JOIN questions USING (goal_key) WHERE goals.run_key = ?"
        " GROUP BY goal_key HAVING count(*) = 1"
    )
    return _texts_by_id(connection, select, run_key)


def _texts_by_id(connection: sqlite3.Connection, select: str, run_key: int) -> dict[str, str]:
    return {id_: text[:200] for id_, text in connection.execute(select, (run_key,))}


def ledgers(connection: sqlite3.Connection, run_key: int) -> list[CellLedger]:
    """Return the declared tokens of every cell, summed over the memories that declare all three."""
    declared = "proposed_tokens IS NOT NULL AND retained_tokens IS NOT NULL AND unused_budget IS NOT NULL"
    return [
        CellLedger(Cell(*row[:4]), *map(int, row[4:]))
        for row in connection.execute(
            "SELECT compressor, revision, condition, ratio, count(*), total(declared),"
            " total(proposed_tokens * declared), total(retained_tokens * declared),"
            " total(unused_budget * declared) FROM (SELECT *,"
            f" ({declared}) AS declared FROM memories WHERE run_key = ?) JOIN cells USING (cell_key)"
            " GROUP BY cell_key",
            (run_key,),
        )
    ]


def places(connection: sqlite3.Connection, contexts: Iterable[int]) -> Places:
    """Return where the evidence of these contexts' questions lies."""
    deciles: dict[int, int] = {}
    ids: list[tuple[int, str]] = []
    not_placed = 0
    for context in contexts:
        source = _source(connection, context)
        for keys, pieces in _goals(connection, context, source).values():
            for (key, id_), one in zip(keys, pieces, strict=True):
                place = place_in_source(one, source)
                if place is None:
                    not_placed += 1
                else:
                    deciles[key] = decile(place)
                    ids.append((deciles[key], id_))
    return Places(deciles, ids, not_placed)


def place_counts(
    connection: sqlite3.Connection, run_key: int, deciles: Mapping[int, int]
) -> list[PlaceCount]:
    """Return the rows of a run by tenth, cell and fate; rows of questions without a place are left out."""
    cells = _cells(connection, run_key, CellChoice())
    first, last = connection.execute(
        "SELECT min(memory_key), max(memory_key) FROM memories WHERE run_key = ?", (run_key,)
    ).fetchone()
    # Grouped by question first: the tenths of 2,571 questions are then joined to some 100,000 rows at most.
    return [
        PlaceCount(tenth, cells[cell], fate, rows)
        for tenth, cell, fate, rows in connection.execute(
            "WITH place (question_key, tenth) AS MATERIALIZED"
            " (SELECT CAST(key AS INTEGER), value FROM json_each(?))"
            " SELECT tenth, cell_key, fate, sum(n) FROM (SELECT results.question_key, memories.cell_key,"
            " results.outcome_key, count(*) AS n FROM results JOIN memories USING (memory_key)"
            " WHERE results.memory_key BETWEEN ? AND ? AND memories.run_key = ? GROUP BY 1, 2, 3)"
            " JOIN place USING (question_key) JOIN outcomes USING (outcome_key) GROUP BY 1, 2, 3",
            (json.dumps(deciles), first or 0, last or 0, run_key),
        )
    ]


def needs(
    connection: sqlite3.Connection, run_key: int, contexts: Iterable[int], choice: CellChoice, codec: Codec
) -> list[MemoryNeeds]:
    """Return what the evidence of these contexts' memories in the chosen cells needs, in tokens of `codec`.

    Raises CodecUnavailable where its tokens do not add up to a text.
    """
    cells = _cells(connection, run_key, choice)
    found: list[MemoryNeeds] = []
    for context in contexts:
        source = _source(connection, context)
        goals = _goals(connection, context, source)
        fates = _fates(connection, context, cells)
        counted: int | None = None
        for key, memory, goal, cell, budget, declared, text_key in connection.execute(
            "SELECT memory_key, memories.id, goal_key, cell_key, budget, source_tokens, proposed_text"
            f" FROM memories JOIN goals USING (goal_key) WHERE context_key = ? AND cell_key {_IN}"
            " ORDER BY memory_key",
            (context, json.dumps(list(cells))),
        ).fetchall():
            rows = fates.get(key)
            if not rows:
                continue
            if declared is None:
                counted = declared = codec.count(source.text) if counted is None else counted
            keys, pieces = goals[goal]
            least = _least(connection, codec, text_key, pieces, rows)
            located = {
                id_: need
                for (_, id_), need, (fate, _) in zip(keys, least, rows, strict=True)
                if fate != UNLOCATED
            }
            unlocated = len(rows) - len(located)
            needs, questions = tuple(located.values()), tuple(located)
            found.append(MemoryNeeds(cells[cell], budget, declared, needs, unlocated, memory, questions))
    return found


_Rows = list[tuple[str, bool]]
"""Per question of a memory its fate, and whether the boundary is unknown."""


def _least(
    connection: sqlite3.Connection,
    codec: Codec,
    text_key: int | None,
    pieces: Sequence[Pieces],
    rows: _Rows,
) -> Sequence[int | None]:
    # The stored fates say what no budget keeps: most proposals need not be read again.
    hopeless = (OMITTED, ABSENT, UNLOCATED)
    if text_key is None or all(fate in hopeless and not unknown for fate, unknown in rows):
        return (None,) * len(rows)
    (text,) = connection.execute("SELECT text FROM texts WHERE text_key = ?", (text_key,)).fetchone()
    return least_budgets(codec, text, pieces)


def _cells(connection: sqlite3.Connection, run_key: int, choice: CellChoice) -> dict[int, Cell]:
    chosen = set(queries.cells_of(connection, run_key, choice))
    return {
        key: Cell(*cell)
        for key, *cell in connection.execute(
            "SELECT cell_key, compressor, revision, condition, ratio FROM cells WHERE run_key = ?", (run_key,)
        )
        if key in chosen
    }


def _source(connection: sqlite3.Connection, context: int) -> Haystack:
    (text,) = connection.execute(
        "SELECT texts.text FROM contexts JOIN texts ON text_key = source_text WHERE context_key = ?",
        (context,),
    ).fetchone()
    return Haystack(text)


_Goals = dict[int, tuple[list[tuple[int, str]], list[Pieces]]]
"""By the goal's key: its questions (key and id) and their pieces, in file order."""


def _goals(connection: sqlite3.Connection, context: int, source: Haystack) -> _Goals:
    goals: _Goals = {}
    for (goal,) in connection.execute(
        "SELECT goal_key FROM goals WHERE context_key = ? ORDER BY goal_key", (context,)
    ).fetchall():
        keys = connection.execute(
            "SELECT question_key, id FROM questions WHERE goal_key = ? ORDER BY question_key", (goal,)
        ).fetchall()
        questions = record_reads.questions(connection, "questions.goal_key = ?", (goal,))
        goals[goal] = keys, [pieces_of(question, source) for question in questions]
    return goals


def _fates(connection: sqlite3.Connection, context: int, cells: Iterable[int]) -> dict[int, _Rows]:
    """Return the fates of each memory's questions, in their order: the same in every repeat."""
    rows: dict[int, _Rows] = {}
    for memory, fate, flags in connection.execute(
        "SELECT results.memory_key, fate, flags FROM goals"
        " JOIN memories USING (goal_key)"
        " JOIN results ON results.memory_key = memories.memory_key AND repeat ="
        " (SELECT min(repeat) FROM units WHERE units.memory_key = memories.memory_key)"
        " JOIN outcomes USING (outcome_key)"
        f" WHERE goals.context_key = ? AND memories.cell_key {_IN}"
        " ORDER BY results.memory_key, question_key",
        (context, json.dumps(list(cells))),
    ):
        rows.setdefault(memory, []).append((fate, BOUNDARY_UNKNOWN in flags.split()))
    return rows
