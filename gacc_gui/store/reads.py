"""Reading the SQLite file for windows, commands and exports. Owns the reading connection; changes nothing.

The SELECTs of single records are in `record_reads`, the goals list's in `queries`, a unit's in `unit_reads`.
What a window's first list does not need is imported where it is used.
"""

from __future__ import annotations

import os
import sqlite3
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeVar

from gacc_gui.core.errors import BadUsage, StoreError
from gacc_gui.core.filters import Match, Query
from gacc_gui.core.records import Cell, Probe, Record, Request, Review, Run
from gacc_gui.store import database, queries, unit_reads
from gacc_gui.store.migrations import OLDEST_READABLE
from gacc_gui.store.record_rows import RUN_COLUMNS, run_of
from gacc_gui.store.rows import (
    CellChoice,
    FilterVocabulary,
    GoalRow,
    QuestionResult,
    RunSummary,
    Totals,
    UnitView,
)

if TYPE_CHECKING:
    from gacc_gui.core.metrics import GoalFacts, UnitCounts
    from gacc_gui.core.reviewing import Change
    from gacc_gui.store.evaluations import Evaluation
    from gacc_gui.store.mark import Mark
    from gacc_gui.store.rows import Decided

BUSY_SECONDS: Final = 5.0
ALL_CELLS: Final = CellChoice()
EVERYTHING: Final = Query()
_Found = TypeVar("_Found")
_NO_CHANGES: Final[Mapping[int, Change]] = MappingProxyType({})
_Added = TypeVar("_Added", Review, Probe)


class Reader:
    """A connection of its own that only reads. A context manager; for one thread at a time.

    Opening never makes a file. Raises StoreError, in one plain sentence, where there is no such database, it
    is another program's, of another version, damaged or locked; BadUsage for a run that is not there.
    """

    def __init__(self, path: Path | str, busy_seconds: float = BUSY_SECONDS) -> None:
        self.path = Path(path)
        self._connection = _open(self.path, busy_seconds)

    def close(self) -> None:
        """Close the connection; the reader cannot be used afterwards."""
        self._connection.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            if error is not None:
                self.tell_damage(error)
        finally:
            self.close()

    def tell_damage(self, error: BaseException) -> None:
        """Raise StoreError in place of an error that work on this database ended in, if that is damaged."""
        with database.plain_errors(self.path):
            database.tell_damage(self._connection, self.path, error)

    def check_whole(self) -> None:
        """Raise StoreError where rows are gone or cannot be read: see `damage`."""
        with database.plain_errors(self.path):
            database.check_whole(self._connection, self.path)

    def interrupt(self) -> None:
        """Stop the query that another thread runs on this reader: it raises StoreError there."""
        self._connection.interrupt()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Have all that the block reads be of one moment, whatever is written meanwhile.

        For one-off work only: a window must see what comes.
        """
        with database.plain_errors(self.path):
            self._connection.execute("BEGIN")
        try:
            yield
        finally:
            with database.plain_errors(self.path):
                self._connection.rollback()

    def data_version(self) -> int:
        """Return a number that changes when another connection commits."""
        with database.plain_errors(self.path):
            return self._connection.execute("PRAGMA data_version").fetchone()[0]

    def mark(self) -> Mark:
        """Return what tells this database from others, or from itself at another time, at a glance."""
        from gacc_gui.store.mark import mark_of

        with database.plain_errors(self.path):
            return mark_of(self._connection)

    def runs(self) -> list[RunSummary]:
        """Return all runs with their sizes, in the order they came."""
        with database.plain_errors(self.path):
            return [
                _summary(row)
                for row in self._connection.execute(
                    f"SELECT {RUN_COLUMNS}, (SELECT count(*) FROM goals WHERE goals.run_key = runs.run_key),"
                    " (SELECT count(*) FROM questions WHERE questions.run_key = runs.run_key),"
                    " answers, identity_verified, search_ready FROM runs ORDER BY run_key"
                )
            ]

    def evaluations(self) -> list[Evaluation]:
        """Return how far the evaluations of ours are, in the order of their runs."""
        from gacc_gui.store import evaluations

        with database.plain_errors(self.path):
            return evaluations.evaluations(self._connection)

    def resolve_run(self, run: str) -> str:
        """Return the id of the run with this id or, failing that, this unique name."""
        with database.plain_errors(self.path):
            if self._connection.execute("SELECT 1 FROM runs WHERE id = ?", (run,)).fetchone():
                return run
            named = self._connection.execute("SELECT id FROM runs WHERE name = ?", (run,)).fetchall()
        if not named:
            raise BadUsage(f"there is no run {run!r}")
        if len(named) > 1:
            ids = ", ".join(id_ for (id_,) in named)
            raise BadUsage(f"several runs are named {run!r}; say which by its id: {ids}")
        return named[0][0]

    def cells(self, run_id: str) -> list[Cell]:
        """Return the cells of a run: by compressor, revision, condition, then ratio as a number."""
        with database.plain_errors(self.path):
            return [
                Cell(*row)
                for row in self._connection.execute(
                    "SELECT compressor, revision, condition, ratio FROM cells WHERE run_key = ?"
                    " ORDER BY compressor, revision, condition, ratio_value, ratio",
                    (self._run_key(run_id),),
                )
            ]

    def unit_counts(
        self, run_id: str, choice: CellChoice = ALL_CELLS, changes: Mapping[int, Change] = _NO_CHANGES
    ) -> Iterator[UnitCounts]:
        """Yield the counted rows of every unit in the chosen cells, for `core.metrics`.

        `changes` are what reviews add to the counts, by unit (see `core.reviewing`).
        """
        from gacc_gui.store import summaries

        with database.plain_errors(self.path):
            yield from summaries.unit_counts(self._connection, self._run_key(run_id), choice, changes)

    def goal_facts(self, run_id: str) -> list[GoalFacts]:
        """Return every goal of the run with its number of questions, evaluated or not, in file order."""
        from gacc_gui.store import summaries

        with database.plain_errors(self.path):
            return summaries.goal_facts(self._connection, self._run_key(run_id))

    def mended(self, run_id: str, choice: CellChoice = ALL_CELLS) -> dict[str, int]:
        """Return, per cause that occurs, how many units would be all-right were its rows right."""
        from gacc_gui.store import summaries

        with database.plain_errors(self.path):
            return summaries.mended(self._connection, self._run_key(run_id), choice)

    def totals(self, run_id: str, choice: CellChoice = ALL_CELLS) -> Totals:
        """Return the sums over the units of the chosen cells."""
        from gacc_gui.store import summaries

        with database.plain_errors(self.path):
            return summaries.totals(self._connection, self._run_key(run_id), choice)

    def vocabulary(self, run_id: str) -> FilterVocabulary:
        """Return what occurs in a run, for completion."""
        from gacc_gui.store import summaries

        with database.plain_errors(self.path):
            return summaries.vocabulary(self._connection, self._run_key(run_id))

    def goal_units(
        self,
        run_id: str,
        choice: CellChoice = ALL_CELLS,
        query: Query = EVERYTHING,
        sort: str = "away",
        descending: bool = False,
        grouped: bool = False,
        decided: Decided | None = None,
    ) -> array[int]:
        """Return the units that pass a filter, in the order asked for: see `queries.goal_units`."""
        with database.plain_errors(self.path):
            return queries.goal_units(
                self._connection, self._run_key(run_id), choice, query, sort, descending, grouped, decided
            )

    def find_unit(
        self,
        run_id: str,
        goal_id: str | None = None,
        question_id: str | None = None,
        choice: CellChoice | None = None,
        memory_id: str | None = None,
    ) -> int | None:
        """Return the first unit, in the list's order, of all that is named; None without one."""
        named = {"memory-id": memory_id, "goal-id": goal_id, "question-id": question_id}
        terms = tuple(Match(key, (value,)) for key, value in named.items() if value is not None)
        units = self.goal_units(run_id, choice or ALL_CELLS, Query(terms))
        return units[0] if units else None

    def goal_rows(self, units: Sequence[int]) -> list[GoalRow]:
        """Return the rows of a page of units, in the order asked for; units that are gone are left out."""
        with database.plain_errors(self.path):
            return unit_reads.goal_rows(self._connection, units)

    def unit_view(self, unit: int) -> UnitView:
        """Return all that the panes show of a unit. Raises BadUsage if it is gone."""
        with database.plain_errors(self.path):
            return unit_reads.unit_view(self._connection, unit)

    def question_results(self, run_id: str) -> Iterator[QuestionResult]:
        """Yield every row of a run, by memory and repeat in file order."""
        with database.plain_errors(self.path):
            yield from unit_reads.question_results(self._connection, self._run_key(run_id))

    def on_run(self, run_id: str, select: Callable[[sqlite3.Connection, int], _Found]) -> _Found:
        """Return what the SELECTs of another module find: given the connection and the key of the run."""
        with database.plain_errors(self.path):
            return select(self._connection, self._run_key(run_id))

    def records(self, run_id: str) -> Iterator[Record]:
        """Yield the records of a run as they were imported, in file order, kinds in FORMATS.md's order."""
        from gacc_gui.store import record_reads

        run = (self._run_key(run_id),)
        connection = self._connection
        with database.plain_errors(self.path):
            yield from record_reads.runs(connection, "run_key = ?", run)
            yield from record_reads.contexts(connection, "contexts.run_key = ?", run)
            yield from record_reads.goals(connection, "goals.run_key = ?", run)
            yield from record_reads.questions(connection, "questions.run_key = ?", run)
            yield from record_reads.memories(connection, "memories.run_key = ?", run)
            yield from record_reads.answers(connection, "memories.run_key = ?", run, "position")
            yield from record_reads.verdicts(connection, "memories.run_key = ?", run, "position")
            yield from record_reads.requests(connection, "requests.run_key = ?", run)
            if record_reads.has_reviews(connection):
                yield from record_reads.reviews(connection, "reviews.run_key = ?", run)
                yield from record_reads.probes(connection, "probes.run_key = ?", run)

    def requests(self, run_id: str, memory_id: str | None = None) -> list[Request]:
        """Return what was really sent, of a run or of one memory, in file order."""
        from gacc_gui.store import record_reads

        with database.plain_errors(self.path):
            where, values = "requests.run_key = ?", [self._run_key(run_id)]
            if memory_id is not None:
                where += " AND memories.id = ?"
                return list(record_reads.requests(self._connection, where, (*values, memory_id)))
            return list(record_reads.requests(self._connection, where, tuple(values)))

    def reviews(self, run_id: str, memory_id: str | None = None) -> list[Review]:
        """Return the reviewers' decisions on a run or on one memory, withdrawn ones too, as they came."""
        from gacc_gui.store import record_reads

        return self._added(record_reads.reviews, "reviews", run_id, memory_id)

    def probes(self, run_id: str, memory_id: str | None = None) -> list[Probe]:
        """Return the probes of a run or of one memory, as they came."""
        from gacc_gui.store import record_reads

        return self._added(record_reads.probes, "probes", run_id, memory_id)

    def _added(
        self, read: Callable[..., Iterator[_Added]], table: str, run_id: str, memory_id: str | None
    ) -> list[_Added]:
        from gacc_gui.store import record_reads

        with database.plain_errors(self.path):
            run: tuple[int] = (self._run_key(run_id),)
            if not record_reads.has_reviews(self._connection):
                return []
            where = f"{table}.run_key = ?"
            if memory_id is None:
                return list(read(self._connection, where, run))
            where += (
                f" AND {table}.memory_key = (SELECT memory_key FROM memories WHERE run_key = ? AND id = ?)"
            )
            return list(read(self._connection, where, (*run, *run, memory_id)))

    def _run_key(self, run_id: str) -> int:
        row = self._connection.execute("SELECT run_key FROM runs WHERE id = ?", (run_id,)).fetchone()
        if row is None:
            raise BadUsage(f"there is no run {run_id!r}")
        return row[0]


def _summary(row: tuple) -> RunSummary:
    run: Run = run_of(row[:11])
    goals, questions, answers, verified, ready = row[11:]
    declared = run.tokenizer.get("identity_verified") if run.tokenizer is not None else None
    return RunSummary(
        run=run,
        goals=goals,
        questions=questions,
        answers=answers,
        identity_declared=declared if isinstance(declared, bool) else None,
        identity_verified=bool(verified),
        search_ready=bool(ready),
    )


_NO_SIDE_FILES: Final = ("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_IOERR_SHM", "SQLITE_FULL")
"""How the beginning of a reading fails where no side files can be made."""
_LOGS: Final = (("-wal", 32), ("-journal", 0))
"""SQLite's files with changes, and the size up to which there are none: a write-ahead log has a header."""


def _open(path: Path, busy_seconds: float) -> sqlite3.Connection:
    if not database.is_file_at(path):
        raise StoreError(f"there is no database at {path}")
    # `rw` where the folder allows it, although nothing is written (query_only): a connection opened `ro`
    # leaves the empty -wal and -shm files behind when it closes (measured 2026-11, SQLite 3.40). `immutable`
    # for a folder that is read-only or full, where these side files cannot be made and nobody writes either.
    attempts = (("rw", False), ("ro", False), ("ro", True))
    for number, (mode, immutable) in enumerate(attempts, 1):
        if immutable:
            _check_log(path)
        try:
            connection = database.connect(path, mode, busy_seconds, immutable)
        except StoreError:
            if number == len(attempts):
                raise
            continue
        try:
            with database.plain_errors(path):
                connection.execute("PRAGMA query_only = ON")
                connection.execute("PRAGMA cache_size = -32768")
                version = database.schema_version(connection, path)
                _check_version(path, version)
                return connection
        except StoreError as error:
            connection.close()
            cause = error.__cause__
            name = getattr(cause, "sqlite_errorname", "") or ""
            if not name.startswith(_NO_SIDE_FILES) or number == len(attempts):
                raise
    raise StoreError(f"the database {path} cannot be opened")


def _check_log(path: Path) -> None:
    """Raise StoreError where what was committed, or is to be taken back, lies in a file beside the database.

    SQLite passes over these files when nothing is to change (`immutable`), and would read stale rows.
    """
    whole = os.path.realpath(path)  # links are followed before the suffix is added, as SQLite does
    for suffix, empty in _LOGS:
        log = Path(whole + suffix)
        try:
            size = log.stat().st_size
        except FileNotFoundError:
            continue
        except OSError as error:
            raise StoreError(f"{log} cannot be reached: {(error.strerror or str(error)).lower()}") from error
        if size > empty:
            raise StoreError(
                f"the database {path} cannot be read here: its latest changes are in {log}, and SQLite needs"
                " a folder that can be written to read them: copy both files to such a folder"
            )


def _check_version(path: Path, version: int) -> None:
    if version == 0:
        raise StoreError(f"{path} is empty: it holds no database yet")
    if version < OLDEST_READABLE:
        raise StoreError(
            f"{path} was made by an older version of gacc-gui; importing into it brings it up to date"
        )
