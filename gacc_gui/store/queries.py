"""The goals list in SQL: a filter, a choice of cells and an order become the keys of units.

Owns the meaning of `core.filters` over the stored rows. Made to touch `units` alone, plus what is small
(cells, contexts, goals, outcomes): causes, fates, flags and statuses are letters of `units.outcomes`.
"""

from __future__ import annotations

import json
import operator
import sqlite3
from array import array
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from gacc_gui.core.errors import BadUsage
from gacc_gui.core.filters import REVIEW_KEYS, Compare, Match, Query
from gacc_gui.core.natural import natural_key
from gacc_gui.store.naming import named_keys
from gacc_gui.store.outcome_rows import OutcomeRow, meets, outcomes
from gacc_gui.store.rows import CellChoice

if TYPE_CHECKING:
    from gacc_gui.store.reviewed_units import Overlay
    from gacc_gui.store.rows import Decided

SORTS: Final = (
    "away",
    "goal",
    "goal-id",
    "context",
    "cell",
    "correct",
    "ratio",
    "budget",
    "tail",
    "questions",
)
"""What the list can be ordered by; `away` is failing first by fewest away, the all-right last."""

_OPERATORS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_COLUMNS: Final = {
    "away": "away",
    "budget": "budget",
    "tail": "tail_characters",
    "questions": "questions",
    "correct": "correct",
    "repeat": "repeat",
    "generation": "generation",
}
_GOAL_STATES: Final = {"right": "away = 0", "failed": "away > 0", "incomplete": "judged < questions"}
_CELL_FIELDS: Final = ("compressor", "revision", "condition", "ratio")
_IN: Final = "IN (SELECT value FROM json_each(?))"


class Condition(NamedTuple):
    """A piece of SQL about `units` and the values of its parameters."""

    sql: str
    values: tuple[object, ...] = ()


_NEVER: Final = Condition("0")


class _CellRow(NamedTuple):
    key: int
    compressor: str
    revision: str
    condition: str
    ratio: str


def goal_units(
    connection: sqlite3.Connection,
    run_key: int,
    choice: CellChoice,
    query: Query,
    sort: str = "away",
    descending: bool = False,
    grouped: bool = False,
    decided: Decided | None = None,
) -> array[int]:
    """Return the units of a run in the chosen cells that pass the query, in the order asked for.

    What is missing (no budget, no tail) or hidden stands last in both directions; ties are in file order.
    `grouped` keeps the units of a context together, contexts in file order. `decided` are the decisions on
    the run's rows, where they are at hand or count, and what is hidden. Raises BadUsage for an unknown order.
    """
    over = _overlay(connection, run_key, query, decided)
    compiler = _Compiler(connection, run_key, over)
    conditions = [of_run(connection, run_key), *compiler.choice(choice), *compiler.query(query)]
    where = " AND ".join(f"({condition.sql})" for condition in conditions)
    values = [value for condition in conditions for value in condition.values]
    if sort in _RANKED:
        column, ranks = _ranks(connection, run_key, compiler.cells, sort)
        units, keys = _columns(connection, over, ("unit", column), f"WHERE {where} ORDER BY unit", values)
        by_rank: dict[int, list[int]] = {}
        for unit, key in zip(units, keys, strict=True):
            by_rank.setdefault(ranks[key], []).append(unit)
        ordered = array(
            "q", chain.from_iterable(by_rank[rank] for rank in sorted(by_rank, reverse=descending))
        )
        return _grouped(connection, over, ordered, where, values) if grouped else ordered
    order = _order(sort, "DESC" if descending else "ASC")
    if grouped:
        order = f"context_key, {order}"
    (found,) = _columns(connection, over, ("unit",), f"WHERE {where} ORDER BY {order}, unit", values)
    return array("q", found)


def _overlay(
    connection: sqlite3.Connection, run_key: int, query: Query, decided: Decided | None
) -> Overlay | None:
    """Return what stands in for `units`; None where no decision and no veil matters to the list."""
    asked = any(term.key in REVIEW_KEYS for term in query.row_terms)
    if not asked and (decided is None or not (decided.counts or decided.hidden)):
        return None
    # Not for the first list of a window.
    from gacc_gui.store.reviewed_units import decided_of, overlay_of

    return overlay_of(connection, decided or decided_of(connection, run_key), outcomes(connection))


def _columns(
    connection: sqlite3.Connection,
    over: Overlay | None,
    names: tuple[str, ...],
    rest: str,
    values: Sequence[object],
) -> list[list[int]]:
    """Return whole columns of `units`, or of what stands in for it, each as one JSON list.

    One row, so that Python's lock is let go once and not for each of 60,000 rows: a reading thread would
    else wait for it up to 5 ms a row while the window is busy.
    """
    lists = ", ".join(f"json_group_array({name})" for name in names)
    relation, given = (over.relation, over.values) if over is not None else ("units", ())
    row = connection.execute(
        f"SELECT {lists} FROM (SELECT {', '.join(names)} FROM {relation} {rest})", (*given, *values)
    )
    return [json.loads(column) for column in row.fetchone()]


def _grouped(
    connection: sqlite3.Connection,
    over: Overlay | None,
    ordered: array[int],
    where: str,
    values: Sequence[object],
) -> array[int]:
    """Keep the units of a context together, contexts in file order, within them the order at hand."""
    units, contexts = _columns(connection, over, ("unit", "context_key"), f"WHERE {where}", values)
    context_of = dict(zip(units, contexts, strict=True))
    by_context: dict[int, list[int]] = {}
    for unit in ordered:
        by_context.setdefault(context_of[unit], []).append(unit)
    return array("q", chain.from_iterable(by_context[context] for context in sorted(by_context)))


def of_run(connection: sqlite3.Connection, run_key: int) -> Condition:
    """Return the condition that a unit is of the run, as a stretch of the table.

    A run's units were numbered together, or nearly so. Going through the stretch in order is five times as
    fast as looking each unit up through the index of runs (measured 2026-11), which `+` keeps SQLite from.
    """
    return Condition("+run_key = ? AND unit BETWEEN ? AND ?", (run_key, *stretch(connection, run_key)))


def stretch(connection: sqlite3.Connection, run_key: int) -> tuple[int, int]:
    """Return the first and the last unit of a run."""
    # Cell by cell, where the index has them in order: of a whole run it would be read from end to end.
    first, last = connection.execute(
        "SELECT min((SELECT min(unit) FROM units WHERE run_key = ?1 AND cell_key = cells.cell_key)),"
        " max((SELECT max(unit) FROM units WHERE run_key = ?1 AND cell_key = cells.cell_key))"
        " FROM cells WHERE run_key = ?1",
        (run_key,),
    ).fetchone()
    return first or 0, last or 0


def cells_of(connection: sqlite3.Connection, run_key: int, choice: CellChoice) -> list[int]:
    """Return the keys of the chosen cells."""
    return [cell.key for cell in _Compiler(connection, run_key).cells if _is_chosen(cell, choice)]


def choice_condition(connection: sqlite3.Connection, run_key: int, choice: CellChoice) -> Condition:
    """Return the condition that a unit is of the run and in the chosen cells."""
    conditions = [of_run(connection, run_key), *_Compiler(connection, run_key).choice(choice)]
    return Condition(
        " AND ".join(condition.sql for condition in conditions),
        tuple(value for condition in conditions for value in condition.values),
    )


class _Compiler:
    """Turns the terms of one query into conditions, with the small tables of the run at hand."""

    def __init__(self, connection: sqlite3.Connection, run_key: int, over: Overlay | None = None) -> None:
        self._connection = connection
        self._run_key = run_key
        self._over = over
        self.cells = [
            _CellRow(*row)
            for row in connection.execute(
                "SELECT cell_key, compressor, revision, condition, ratio FROM cells WHERE run_key = ?"
                " ORDER BY compressor, revision, condition, ratio_value, ratio",
                (run_key,),
            )
        ]

    def choice(self, choice: CellChoice) -> Iterable[Condition]:
        """Conditions for the chosen cells: none where all are chosen."""
        if any(getattr(choice, field) is not None for field in _CELL_FIELDS):
            yield self._in_cells(lambda cell: _is_chosen(cell, choice), negated=False)

    def query(self, query: Query) -> Iterable[Condition]:
        """One condition for each term, and one for the positive row terms together."""
        for term in query.unit_terms:
            yield self._unit_term(term)
        yield from self._row_terms(query.row_terms)
        if query.words:
            # Not for the first list of a window.
            from gacc_gui.store import search
        hidden = self._over.hidden if self._over is not None else ()
        for words in query.words:
            sql, values = search.condition(self._connection, self._run_key, words, hidden)
            yield Condition(f"NOT {sql}" if words.negated else sql, values)

    # Terms about a unit.

    def _unit_term(self, term: Match | Compare) -> Condition:
        if isinstance(term, Compare):
            return self._compare(term)
        key, negated = term.key, term.negated
        if key == "goal":
            return _negate(Condition(" OR ".join(_GOAL_STATES[value] for value in term.values)), negated)
        if key in _CELL_FIELDS:
            return self._in_cells(lambda cell: getattr(cell, key) in term.values, negated)
        if key == "flip":
            # Not for the first list of a window.
            from gacc_gui.store.flips import flip_units

            span = stretch(self._connection, self._run_key)
            strips = self._over.strips if self._over is not None else None
            units = flip_units(self._connection, self._run_key, span, term.values, strips)
            return _negate(Condition(f"unit {_IN}", (json.dumps(units),)), negated)
        if key == "memory-status":
            letters = self._letters(lambda outcome: outcome.memory_status in term.values)
            return _negate(_any_of(letters), negated)
        if key in _COLUMNS:
            numbers = json.dumps([int(value) for value in term.values])
            return self._column(key, f"{_IN}", numbers, negated)
        return _negate(self._named(key, term.values), negated)

    def _compare(self, term: Compare) -> Condition:
        if term.key == "ratio":
            compare = _OPERATORS[term.operator]
            return self._in_cells(lambda cell: compare(Decimal(cell.ratio), term.value), term.negated)
        return self._column(term.key, f"{term.operator} ?", int(term.value), term.negated)

    def _column(self, key: str, test: str, value: object, negated: bool) -> Condition:
        # NULL (unknown) compares with nothing, negated or not: NOT NULL is NULL.
        sql = f"{_COLUMNS[key]} {test}"
        return Condition(f"NOT ({sql})" if negated else sql, (value,))

    def _in_cells(self, test: Callable[[_CellRow], bool], negated: bool) -> Condition:
        keys = [cell.key for cell in self.cells if test(cell) != negated]
        if len(keys) == len(self.cells):
            return Condition("1")
        return Condition(f"cell_key {_IN}", (json.dumps(keys),)) if keys else _NEVER

    def _named(self, key: str, values: tuple[str, ...]) -> Condition:
        table, key_column, column = {
            # An empty value asks for contexts without an origin.
            "origin": ("contexts", "context_key", "coalesce(origin, '')"),
            "context-id": ("contexts", "context_key", "id"),
            "goal-id": ("goals", "goal_key", "id"),
            "memory-id": ("memories", "memory_key", "id"),
        }[key]
        keys = named_keys(self._connection, self._run_key, table, column, values)
        return Condition(f"{key_column} {_IN}", (json.dumps(keys),))

    # Terms about a row.

    def _row_terms(self, terms: tuple[Match | Compare, ...]) -> Iterable[Condition]:
        matches = [term for term in terms if isinstance(term, Match)]
        together = [term for term in matches if not term.negated]
        if together:
            yield self._some_row(together)
        for term in matches:
            if term.negated:
                yield _negate(self._some_row([term]), True)

    def _some_row(self, terms: list[Match]) -> Condition:
        """A row of the unit meets all terms together."""
        named = [term for term in terms if term.key == "question-id"]
        others = [term for term in terms if term.key != "question-id"]
        letters = self._letters(lambda outcome: all(meets(outcome, term) for term in others))
        if not named:
            return _any_of(letters)
        ids = set.intersection(*(set(term.values) for term in named))
        keys = named_keys(self._connection, self._run_key, "questions", "id", ids)
        # A unit's letters are in the order of its goal's questions.
        questions = self._connection.execute(
            "SELECT goal_key, (SELECT count(*) FROM questions AS others WHERE others.goal_key ="
            " questions.goal_key AND others.question_key <= questions.question_key)"
            f" FROM questions WHERE question_key {_IN}",
            (json.dumps(keys),),
        ).fetchall()
        goals = json.dumps(sorted({goal for goal, _ in questions}))
        if not others:
            return Condition(f"goal_key {_IN}", (goals,))
        return Condition(
            f"goal_key {_IN} AND EXISTS (SELECT 1 FROM json_each(?) AS asked"
            " WHERE json_extract(asked.value, '$[0]') = units.goal_key AND"
            f" substr(units.outcomes, json_extract(asked.value, '$[1]'), 1) {_IN})",
            (goals, json.dumps(questions), json.dumps(letters)),
        )

    def _letters(self, test: Callable[[OutcomeRow], bool]) -> list[str]:
        added = self._over.outcomes if self._over is not None else ()
        return [outcome.letter for outcome in (*outcomes(self._connection), *added) if test(outcome)]


def _is_chosen(cell: _CellRow, choice: CellChoice) -> bool:
    return all(getattr(choice, field) in (None, getattr(cell, field)) for field in _CELL_FIELDS)


def _any_of(letters: list[str]) -> Condition:
    return Condition("outcomes GLOB ?", (f"*[{_ranges(letters)}]*",)) if letters else _NEVER


def _ranges(letters: list[str]) -> str:
    """Return letters as a class of GLOB; neighbours as a range, which is tested at once."""
    runs: list[list[int]] = []
    for code in sorted(map(ord, letters)):
        if runs and code == runs[-1][1] + 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return "".join(f"{chr(a)}-{chr(b)}" if b > a else chr(a) for a, b in runs)


def _negate(condition: Condition, negated: bool) -> Condition:
    return Condition(f"NOT ({condition.sql})", condition.values) if negated else condition


def _order(sort: str, direction: str) -> str:
    match sort:
        case "away":
            return f"away IS NULL, away = 0, away {direction}"
        case "correct" | "questions":
            return f"{sort} IS NULL, {sort} {direction}"
        case "budget":
            return f"budget IS NULL, budget {direction}"
        case "tail":
            tokens = f"tail_tokens IS NULL, tail_tokens {direction}"
            return f"{tokens}, tail_characters IS NULL, tail_characters {direction}"
    raise BadUsage(f"the list cannot be ordered by {sort!r}; there are: {', '.join(SORTS)}")


_RANKED: Final = {
    "goal": ("goals", "goal_key", "text"),
    "goal-id": ("goals", "goal_key", "id"),
    "context": ("contexts", "context_key", "coalesce(title, id)"),
    "cell": ("cells", "cell_key", ""),
    "ratio": ("cells", "cell_key", ""),
}
"""Orders by a name or a cell: few, so ranked here. A join to ranks took SQLite 7 s (measured 2026-11)."""


def _ranks(
    connection: sqlite3.Connection, run_key: int, cells: list[_CellRow], sort: str
) -> tuple[str, dict[int, int]]:
    """Return the column of `units` that is ranked, and the rank of each key; equal names share a rank."""
    table, column, name = _RANKED[sort]
    named: list[tuple[Any, int]]
    if sort == "cell":
        named = [(place, cell.key) for place, cell in enumerate(cells)]
    elif sort == "ratio":
        named = [(Decimal(cell.ratio), cell.key) for cell in cells]
    else:
        rows = connection.execute(f"SELECT {name}, {column} FROM {table} WHERE run_key = ?", (run_key,))
        named = [(natural_key(text), key) for text, key in rows]
    ranks: dict[int, int] = {}
    for _, group in groupby(sorted(named), key=operator.itemgetter(0)):
        rank = len(ranks)
        ranks.update((key, rank) for _, key in group)
    return column, ranks
