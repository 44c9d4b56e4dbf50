"""Runs that grow commit by commit: results after each, other writers in between, and nothing half done."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gacc_gui.core.errors import BadInput, StoreError
from gacc_gui.core.metrics import UnitCounts
from gacc_gui.core.records import (
    Answer,
    Cell,
    Context,
    Goal,
    Ledger,
    Memory,
    Question,
    Record,
    Request,
    Run,
    Verdict,
)
from gacc_gui.store import evaluations
from gacc_gui.store.appending import RunAppender
from gacc_gui.store.database import Database, delete_run, open_database
from gacc_gui.store.evaluations import FINISHED, RUNNING, STOPPED, UnderWay
from gacc_gui.store.reads import Reader
from gacc_gui.store.writes import RunWriter

SOURCE = "The valve was closed by Ines. The tank held 812 litres. The repair cost 4,150 euros."
CELL = Cell("lead", "1", "own-goal", "0.5")
ITEMS: tuple[Record, ...] = (
    Context("c", SOURCE),
    Goal("g", "c", "What happened?"),
    Question("q1", "g", "Who?", ("Ines",)),
    Question("q2", "g", "How much?", ("812 litres",)),
)


def memory(id: str = "m", status: str = "ok", text: str | None = SOURCE) -> Memory:
    kept = None if text is None else text[:42]
    ledger = None if text is None else Ledger(84, 84, 42, 0, 42, 0)
    return Memory(id, "g", "g", CELL, 42, 0, text, kept, ledger, status)


def rows(memory_id: str = "m") -> list[list[Record]]:
    """What an engine hands over after the memory, one list a commit."""
    return [
        [Answer(memory_id, "q1", 0, "Ines", "ok"), Request(f"{memory_id}/q1", "reader", "…", memory_id)],
        [Verdict(memory_id, "q1", 0, "correct", "judged")],
        [Answer(memory_id, "q2", 0, "no idea", "ok")],
        [Verdict(memory_id, "q2", 0, "incorrect", "judged")],
    ]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with open_database(tmp_path / "runs.db") as database:
        yield database


@pytest.fixture
def appender(database: Database) -> RunAppender:
    appender = RunAppender(database)
    appender.begin(Run("r"), False, "[run]\n")
    appender.append(ITEMS)
    return appender


def counts(database: Database) -> list[UnitCounts]:
    with Reader(database.path) as reader:
        return list(reader.unit_counts("r"))


def stored(path: Path) -> list[str]:
    with Reader(path) as reader:
        return sorted(map(repr, reader.records("r")))


def test_every_commit_has_its_results(database: Database, appender: RunAppender) -> None:
    assert counts(database) == []
    appender.append([memory()])
    seen = [counts(database)]
    for batch in rows():
        appender.append(batch)
        seen.append(counts(database))
    assert [(units[0].questions, units[0].judged, units[0].correct) for units in seen] == [
        (2, 0, 0), (2, 0, 0), (2, 1, 1), (2, 1, 1), (2, 2, 1),
    ]  # fmt: skip


def test_piece_by_piece_is_the_same_as_at_once(
    database: Database, appender: RunAppender, tmp_path: Path
) -> None:
    everything = [[memory()], *rows(), [memory("m2", "error", None)], [memory("m3")], *rows("m3")]
    for batch in everything:
        appender.append(batch)
    with open_database(tmp_path / "other.db") as other, RunWriter(other) as writer:
        writer.begin_run(Run("r"), False)
        for record in (*ITEMS, *(record for batch in everything for record in batch)):
            writer.add(record)
        writer.finish()
    assert stored(database.path) == stored(tmp_path / "other.db")
    with Reader(database.path) as one, Reader(tmp_path / "other.db") as two:
        assert sorted(map(repr, one.question_results("r"))) == sorted(map(repr, two.question_results("r")))
        assert sorted(map(repr, one.unit_counts("r"))) == sorted(map(repr, two.unit_counts("r")))


def test_another_writer_in_between(database: Database, appender: RunAppender) -> None:
    """Keys and texts that another program took are not taken again."""
    appender.append([memory()])
    with open_database(database.path) as elsewhere, RunWriter(elsewhere) as writer:
        writer.begin_run(Run("another"), False)
        for record in (*ITEMS, memory(text="something else " * 9), *(r for batch in rows() for r in batch)):
            writer.add(record)
        writer.finish()
    for batch in (*rows(), [memory("m2", text="something else " * 9)], *rows("m2")):
        appender.append(batch)
    with Reader(database.path) as reader:
        assert [unit.correct for unit in reader.unit_counts("r")] == [1, 1]
        assert [unit.correct for unit in reader.unit_counts("another")] == [1]
        texts = [r.proposed_text for r in reader.records("r") if isinstance(r, Memory)]
    assert texts == [SOURCE, "something else " * 9]


def test_a_run_that_was_deleted_meanwhile_does_not_come_back(
    database: Database, appender: RunAppender
) -> None:
    with open_database(database.path) as elsewhere:
        delete_run(elsewhere, "r")
    with pytest.raises(StoreError, match="'r' was deleted while it was being evaluated"):
        appender.append([memory()])
    with Reader(database.path) as reader:
        assert reader.runs() == []


def test_a_finished_item_takes_the_place_of_a_failed_one(database: Database, appender: RunAppender) -> None:
    appender.append([memory(status="error", text=None)])
    assert counts(database)[0].judged == 0
    for batch in ([memory()], *rows()):
        appender.append(batch)
    assert (counts(database)[0].judged, counts(database)[0].correct) == (2, 1)


def test_a_record_that_differs_is_refused_whole(database: Database, appender: RunAppender) -> None:
    appender.append([memory()])
    before = stored(database.path)
    with pytest.raises(BadInput, match="holds another question q2: they differ in text"):
        appender.append([*rows()[0], Question("q2", "g", "How many?", ("812 litres",))])
    assert stored(database.path) == before
    appender.append(rows()[0])  # and goes on
    assert len(stored(database.path)) == len(before) + 2


def test_a_full_disk_takes_nothing_and_can_be_tried_again(database: Database, appender: RunAppender) -> None:
    connection = database.connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages + 1}")
    before = stored(database.path)
    large = [memory(f"m{n}", text=f"{n} " * 20_000) for n in range(3)]
    with pytest.raises(StoreError, match="disk is full"):
        appender.append(large)
    assert stored(database.path) == before
    connection.execute(f"PRAGMA max_page_count = {pages + 1000}")
    appender.append(large)
    assert len(stored(database.path)) == len(before) + 3


# Calls under way and the state of an evaluation.


def under_way(database: Database) -> list[str]:
    return [call.request_id for call in evaluations.under_way(database.connection, "r")]


def test_a_note_goes_with_the_commit_of_its_request(database: Database, appender: RunAppender) -> None:
    appender.append((), [UnderWay("m/compressor", "compressor", "m")])
    appender.append([memory()], [UnderWay("m/q1", "reader", "m", "q1", 0)])
    assert under_way(database) == ["m/compressor", "m/q1"]
    assert all(call.started_at for call in evaluations.under_way(database.connection, "r"))
    appender.append(rows()[0])
    assert under_way(database) == ["m/compressor"]


def test_the_state_of_an_evaluation(database: Database, appender: RunAppender) -> None:
    def state() -> evaluations.Evaluation:
        with Reader(database.path) as reader:
            (evaluation,) = reader.evaluations()
        return evaluation

    assert (state().state, state().configuration, state().reason) == (RUNNING, "[run]\n", None)
    appender.end(STOPPED, "stopped by request")
    assert (state().state, state().reason) == (STOPPED, "stopped by request")
    again = RunAppender(database)
    again.begin(Run("r"), False, "[run]\n# again\n")
    assert (state().state, state().reason, state().configuration) == (RUNNING, None, "[run]\n# again\n")
    again.end(FINISHED, None)
    assert state().state == FINISHED
    delete_run(database, "r")
    with Reader(database.path) as reader:
        assert reader.evaluations() == []


def test_a_proposal_is_found_by_what_it_was_made_of(database: Database) -> None:
    from hashlib import sha256

    run = Run("r", tokenizer={"name": "codepoint", "revision": "1"})
    appender = RunAppender(database)
    appender.begin(run, False, "")
    appender.append([*ITEMS, memory()])
    source = sha256(SOURCE.encode()).hexdigest()

    def find(goal: str | None = "What happened?", budget: int = 42, revision: str = "1") -> object:
        return evaluations.stored_proposal(
            database.connection, source, goal, "1", ("lead", revision), budget, 0
        )

    assert find() == (SOURCE, "ok")
    assert find(goal=None) is None
    assert find(budget=41) is None
    assert find(revision="2") is None


def test_an_imported_run_is_no_source_of_proposals(database: Database) -> None:
    from hashlib import sha256

    with RunWriter(database) as writer:
        writer.begin_run(Run("r", tokenizer={"name": "codepoint", "revision": "1"}), False)
        for record in (*ITEMS, memory()):
            writer.add(record)
        writer.finish()
    source = sha256(SOURCE.encode()).hexdigest()
    found = evaluations.stored_proposal(
        database.connection, source, "What happened?", "1", ("lead", "1"), 42, 0
    )
    assert found is None


def test_a_database_of_the_first_version_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    with open_database(path) as database, RunWriter(database) as writer:
        writer.begin_run(Run("r"), False)
        writer.finish()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "DROP TABLE evaluations; DROP TABLE calls_under_way; PRAGMA user_version = 1;"
            "DELETE FROM _sqlite_migrations WHERE name LIKE '0002%'"
        )
    with Reader(path) as reader:
        assert [summary.run.id for summary in reader.runs()] == ["r"]
        assert reader.evaluations() == []
    with open_database(path) as database:
        RunAppender(database).begin(Run("r2"), False, "")
    with Reader(path) as reader:
        assert [evaluation.run_id for evaluation in reader.evaluations()] == ["r2"]


def test_the_end_waits_for_a_lock(database: Database, appender: RunAppender) -> None:
    database.connection.execute("PRAGMA busy_timeout = 0")
    other = sqlite3.connect(database.path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.2, lambda: other.execute("ROLLBACK"))
    release.start()
    appender.end(FINISHED, None)
    release.join()
    other.close()
    with Reader(database.path) as reader:
        assert reader.evaluations()[0].state == FINISHED
