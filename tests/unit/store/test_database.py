from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from gacc_gui.core.errors import BadUsage, StoreError
from gacc_gui.core.records import Run, Verdict
from gacc_gui.store import schema, search
from gacc_gui.store.database import delete_run, open_database, rename_run
from gacc_gui.store.migrations import SCHEMA_VERSION
from gacc_gui.store.reads import Reader
from gacc_gui.store.writes import RunWriter

from .conftest import RUN, Store, small_run

ROOT = Path(__file__).parents[3]


def test_a_new_file_says_whose_it_is_and_is_whole_after_closing(small: Store) -> None:
    assert [path.name for path in small.path.parent.iterdir()] == ["gacc.db"]
    connection = sqlite3.connect(small.path)
    one = lambda pragma: connection.execute(f"PRAGMA {pragma}").fetchone()[0]  # noqa: E731
    assert one("application_id") == schema.APPLICATION_ID
    assert one("user_version") == SCHEMA_VERSION
    assert one("page_size") == schema.PAGE_SIZE
    assert one("integrity_check") == "ok"
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    applied = connection.execute("SELECT name FROM _sqlite_migrations").fetchall()
    assert len(applied) == SCHEMA_VERSION
    connection.close()


def test_ids_stay_text_and_numbers_numbers(store: Store) -> None:
    """SQL-2: no type is guessed from what came first."""
    for id in ("007", "1e3", "5a7e", "True"):
        store.write([], Run(id))
    assert store.sql("SELECT id, typeof(id) FROM runs") == [
        (id, "text") for id in ("007", "1e3", "5a7e", "True")
    ]
    with open_database(store.path) as database, pytest.raises(sqlite3.IntegrityError):
        database.connection.execute("INSERT INTO runs (id, diagnostic_only) VALUES ('x', 'unclear')")


def test_every_table_is_strict_and_every_view_can_be_read(small: Store) -> None:
    kinds = small.sql(
        "SELECT name, type, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE '%sqlite%'"
    )
    assert all(strict for _, kind, strict in kinds if kind == "table")
    views = [str(name) for name, kind, _ in kinds if kind == "view"]
    assert sorted(views) == ["goal_results", "memory_texts", "question_results"]
    assert small.sql(
        "SELECT run, goal, memory, compressor, ratio, strip, correct, questions, away FROM goal_results"
        " WHERE memory = 'm1'"
    ) == [("r1", "g1", "m1", "lead", "0.5", "✓T", 1, 2, 1)]
    assert small.sql(
        "SELECT question, fate, cause, label, status, answer FROM question_results WHERE memory = 'm2'"
    ) == [("q3", "tail", "judge", "incorrect", "judged", "Ada")]
    assert len(small.sql("SELECT * FROM memory_texts")) == 3


def test_what_is_no_database_of_ours_gets_one_plain_sentence(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("These are notes, not a database. " * 40)
    other = tmp_path / "other.db"
    sqlite3.connect(other).executescript("CREATE TABLE t (a); INSERT INTO t VALUES (1)").connection.close()
    missing = tmp_path / "missing.db"
    for path, sentence in (
        (text, "is no SQLite database"),
        (other, "is an SQLite database, but not one of gacc-gui"),
        (missing, "there is no database at"),
        (tmp_path, "is a folder, not a database"),
    ):
        before = path.read_bytes() if path.is_file() else None
        with pytest.raises(StoreError, match=sentence) as reading:
            Reader(path)
        with pytest.raises(StoreError, match=sentence):
            open_database(path, create=False)
        assert "\n" not in str(reading.value)
        assert (path.read_bytes() if path.is_file() else None) == before
    assert not missing.exists()


def test_a_newer_file_is_left_alone(small: Store) -> None:
    connection = sqlite3.connect(small.path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    for opener in (Reader, open_database):
        with pytest.raises(StoreError, match=r"was made by a newer gacc-gui \(schema 99"):
            opener(small.path)


def test_an_empty_file_is_no_database_yet_but_can_become_one(store: Store) -> None:
    store.path.touch()
    with pytest.raises(StoreError, match="holds no database yet"):
        Reader(store.path)
    store.write(small_run())
    assert store.records() == small_run()


def test_a_damaged_file(small: Store) -> None:
    content = bytearray(small.path.read_bytes())
    content[schema.PAGE_SIZE : 6 * schema.PAGE_SIZE] = b"\xff" * (5 * schema.PAGE_SIZE)
    small.path.write_bytes(content)
    with pytest.raises(StoreError, match="is damaged"), Reader(small.path) as reader:
        reader.runs()
        list(reader.records("r1"))


def test_a_locked_database(small: Store) -> None:
    """SQL-5: the other program's lock is named, and nothing is lost or half-written."""
    with open_database(small.path) as holder:
        holder.connection.execute("BEGIN IMMEDIATE")
        with Reader(small.path) as reader:
            assert len(reader.runs()) == 1
        with open_database(small.path, busy_seconds=0.05) as database:
            with pytest.raises(StoreError, match="is locked by another program"), RunWriter(database):
                raise AssertionError("the lock was given twice")
            holder.connection.execute("COMMIT")
            with RunWriter(database) as writer:
                writer.begin_run(RUN)
                writer.add(Verdict("m3", "q2", 0, "correct", "judged"))
                writer.finish()
    assert Verdict("m3", "q2", 0, "correct", "judged") in small.records()


def test_a_full_disk_leaves_everything_as_it_was(small: Store) -> None:
    before = small.records()
    with open_database(small.path) as database:
        (pages,) = database.connection.execute("PRAGMA page_count").fetchone()
        database.connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(StoreError, match="the disk is full"), RunWriter(database) as writer:
            writer.begin_run(RUN)
            for repeat in range(2_000):
                writer.add(Verdict("m1", "q1", repeat + 9, None, "refused", "x" * 100))
            writer.finish()
    assert small.records() == before


_AS_SOMEBODY_ELSE = """
import os, sys
import sqlite_utils
from gacc_gui.core.errors import StoreError
from gacc_gui.store.database import open_database
from gacc_gui.store.reads import Reader

if os.geteuid() == 0:  # the permissions of files do not bind root
    os.setgid(65534)
    os.setuid(65534)
with Reader(sys.argv[1]) as reader:
    print(len(list(reader.records("r1"))))
try:
    open_database(sys.argv[1])
except StoreError as error:
    print(error)
"""


@pytest.mark.parametrize("mode", [0o444, 0o666])
def test_a_file_in_a_read_only_folder(small: Store, mode: int) -> None:
    with TemporaryDirectory() as name:
        path = Path(name) / "gacc.db"
        path.write_bytes(small.path.read_bytes())
        path.chmod(mode)
        path.parent.chmod(0o555)
        try:
            done = subprocess.run(
                [sys.executable, "-c", _AS_SOMEBODY_ELSE, str(path)],
                capture_output=True,
                text=True,
                check=False,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
            left = [entry.name for entry in path.parent.iterdir()]
        finally:
            path.parent.chmod(0o755)
    assert done.stderr == ""
    reason = f"the database {path} is read-only: its folder {path.parent} is read-only"
    assert done.stdout.splitlines() == [str(len(small_run()) + 1), reason]
    assert left == ["gacc.db"]


_KILLED = """
import os, signal, sys
from gacc_gui.core.records import Answer, Run
from gacc_gui.store.database import open_database
from gacc_gui.store.reads import Reader
from gacc_gui.store.writes import RunWriter

with Reader(sys.argv[1]) as reader:
    run = reader.runs()[0].run
database = open_database(sys.argv[1])
database.connection.execute("PRAGMA cache_size = 10")  # what is not committed reaches the disk all the same
with RunWriter(database) as writer:
    writer.begin_run(run)
    for repeat in range(3000):
        writer.add(Answer("m1", "q1", repeat + 5, "x" * 500, "ok"))
    writer.finish()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_writer_that_is_killed_leaves_everything_as_it_was(small: Store) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _KILLED, str(small.path)],
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == -9
    assert small.records() == small_run()
    assert small.write([Verdict("m3", "q2", 0, "correct", "judged")]).added == {"verdict": 1}
    assert [path.name for path in small.path.parent.iterdir()] == ["gacc.db"]


def test_deleting_a_run_takes_all_of_it_and_nothing_else(small: Store, another: Callable[[str], Run]) -> None:
    small.write(small_run(), another("r2"))
    assert small.sql("SELECT count(*) FROM texts") == [(2,)]
    with open_database(small.path) as database:
        for run in ("r1", "r2"):
            search.build(database, run)
        delete_run(database, "r1")
        with pytest.raises(BadUsage, match="there is no run 'r1'"):
            delete_run(database, "r1")
        assert database.connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert small.records("r2") == small_run()
    assert small.sql("SELECT count(*) FROM texts") == [(2,)]
    assert small.sql("SELECT name FROM sqlite_master WHERE name LIKE 'search%' AND sql LIKE '%fts5%'") == [
        ("search_2",)
    ]
    with open_database(small.path) as database:
        delete_run(database, "r2")
    for table in ("texts", "contexts", "goals", "questions", "cells", "memories", "answers", "verdicts"):
        assert small.sql(f"SELECT count(*) FROM {table}") == [(0,)], table
    for table in ("results", "units", "requests", "waiting", "runs"):
        assert small.sql(f"SELECT count(*) FROM {table}") == [(0,)], table


def test_renaming_a_run(small: Store) -> None:
    with open_database(small.path) as database:
        rename_run(database, "r1", "better")
        with pytest.raises(BadUsage, match="there is no run 'r9'"):
            rename_run(database, "r9", "x")
    with Reader(small.path) as reader:
        assert reader.runs()[0].run.name == "better"
        assert reader.resolve_run("better") == "r1"


def test_a_new_name_is_an_ordinary_one_however_the_old_was_written(store: Store) -> None:
    store.write([], Run("r1", "42", unusual=("name", "created_at")))
    with open_database(store.path) as database:
        rename_run(database, "r1", "better")
    with Reader(store.path) as reader:
        assert reader.runs()[0].run == Run("r1", "better", unusual=("created_at",))


def test_two_programs_make_the_same_file_at_once(store: Store) -> None:
    program = (
        "import sys\nfrom gacc_gui.store.database import open_database\nopen_database(sys.argv[1]).close()\n"
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(store.path)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    for child in children:
        _, err = child.communicate(timeout=60)
        assert child.returncode == 0, err.decode()
    store.write(small_run())
    assert store.records() == small_run()
