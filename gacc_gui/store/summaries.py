"""Figures over the units of a run: counts for metrics, what mending a cause gains, a filter's vocabulary."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from gacc_gui.core import causes
from gacc_gui.core.metrics import GoalFacts, UnitCounts
from gacc_gui.core.records import Cell
from gacc_gui.core.reviewing import Change, changed
from gacc_gui.store import queries
from gacc_gui.store.outcome_rows import outcomes
from gacc_gui.store.record_reads import has_reviews
from gacc_gui.store.record_rows import names
from gacc_gui.store.rows import CellChoice, FilterVocabulary, Totals

CAUSE_COLUMNS: Final = {cause: cause.replace("-", "_") for cause in causes.CAUSES}
"""The column of `units` that counts the rows of a cause."""


def unit_counts(
    connection: sqlite3.Connection,
    run_key: int,
    choice: CellChoice,
    changes: Mapping[int, Change] = MappingProxyType({}),
) -> Iterator[UnitCounts]:
    """Yield the counted rows of every unit in the chosen cells, in file order, with the changes of some."""
    cells = {
        key: Cell(*cell)
        for key, *cell in connection.execute(
            "SELECT cell_key, compressor, revision, condition, ratio FROM cells WHERE run_key = ?", (run_key,)
        )
    }
    goals = dict(connection.execute("SELECT goal_key, id FROM goals WHERE run_key = ?", (run_key,)))
    contexts = dict(connection.execute("SELECT context_key, id FROM contexts WHERE run_key = ?", (run_key,)))
    where, values = queries.choice_condition(connection, run_key, choice)
    for (
        unit,
        cell_key,
        goal_key,
        context_key,
        questions,
        judged,
        correct,
        unsupported,
        *per_cause,
    ) in connection.execute(
        "SELECT unit, cell_key, goal_key, context_key, questions, judged, correct, unsupported,"
        f" {', '.join(CAUSE_COLUMNS.values())} FROM units WHERE {where} ORDER BY unit",
        values,
    ):
        counts = UnitCounts(
            cells[cell_key],
            goals[goal_key],
            contexts[context_key],
            questions,
            judged,
            correct,
            unsupported,
            tuple(per_cause),
        )
        change = changes.get(unit)
        yield counts if change is None else changed(counts, change)


def goal_facts(connection: sqlite3.Connection, run_key: int) -> list[GoalFacts]:
    """Return every goal of a run in file order, with its context's origin and its number of questions."""
    return [
        GoalFacts(*row)
        for row in connection.execute(
            "SELECT goals.id, contexts.id, origin,"
            " (SELECT count(*) FROM questions WHERE questions.goal_key = goals.goal_key)"
            " FROM goals JOIN contexts USING (context_key) WHERE goals.run_key = ? ORDER BY goals.goal_key",
            (run_key,),
        )
    ]


def mended(connection: sqlite3.Connection, run_key: int, choice: CellChoice) -> dict[str, int]:
    """Return, per cause that occurs, the units that would be all-right were its rows right."""
    where, values = queries.choice_condition(connection, run_key, choice)
    faults = [cause for cause in causes.CAUSES if cause != causes.CORRECT]
    sums = ", ".join(f"sum({CAUSE_COLUMNS[cause]}), sum({CAUSE_COLUMNS[cause]} = away)" for cause in faults)
    row = connection.execute(f"SELECT {sums} FROM units WHERE {where}", values).fetchone()
    return {cause: row[2 * at + 1] for at, cause in enumerate(faults) if row[2 * at]}


def totals(connection: sqlite3.Connection, run_key: int, choice: CellChoice) -> Totals:
    """Return the sums over the units of the chosen cells; units without questions count nowhere."""
    where, values = queries.choice_condition(connection, run_key, choice)
    faults = [cause for cause in causes.CAUSES if cause != causes.CORRECT]
    gains = ", ".join(f"total({CAUSE_COLUMNS[cause]} = away AND away > 0)" for cause in faults)
    goals, right, complete, questions, judged, correct, *gained = (
        int(value)
        for value in connection.execute(
            "SELECT count(*), total(away = 0), total(judged = questions), total(questions), total(judged),"
            f" total(correct), {gains} FROM units WHERE {where} AND questions > 0",
            values,
        ).fetchone()
    )
    (evaluated,) = connection.execute(
        "SELECT count(*) FROM (SELECT DISTINCT cell_key, goal_key FROM units"
        f" WHERE {where} AND questions > 0)",
        values,
    ).fetchone()
    (askable,) = connection.execute(
        "SELECT count(DISTINCT goal_key) FROM questions WHERE run_key = ?", (run_key,)
    ).fetchone()
    return Totals(
        goals=goals,
        right_goals=right,
        complete_goals=complete,
        questions=questions,
        judged=judged,
        correct=correct,
        missing_goals=askable * len(queries.cells_of(connection, run_key, choice)) - evaluated,
        mended={cause: right + count for cause, count in zip(faults, gained, strict=True)},
    )


def vocabulary(connection: sqlite3.Connection, run_key: int) -> FilterVocabulary:
    """Return what occurs in a run; ratios sorted as numbers, everything else as text."""

    def distinct(column: str, tables: str = "cells") -> tuple[str, ...]:
        rows = connection.execute(f"SELECT DISTINCT {column} FROM {tables} WHERE run_key = ?", (run_key,))
        return tuple(sorted(value for (value,) in rows if value is not None))

    where, values = queries.of_run(connection, run_key)
    found = connection.execute(f"SELECT group_concat(DISTINCT outcomes) FROM units WHERE {where}", values)
    letters = set(found.fetchone()[0] or "")
    statuses = {outcome.status for outcome in outcomes(connection) if outcome.letter in letters}
    reviewed = has_reviews(connection)
    told = distinct("tags", "reviews") if reviewed else ()
    return FilterVocabulary(
        compressors=distinct("compressor"),
        conditions=distinct("condition"),
        ratios=tuple(
            ratio
            for (ratio,) in connection.execute(
                "SELECT DISTINCT ratio FROM cells WHERE run_key = ? ORDER BY ratio_value, ratio", (run_key,)
            )
        ),
        statuses=tuple(sorted(statuses)),
        origins=distinct("origin", "contexts"),
        reviewers=distinct("reviewer", "reviews") if reviewed else (),
        tags=tuple(sorted({tag for tags in told for tag in names(tags)})),
    )
