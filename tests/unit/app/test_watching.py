"""What a watch finds when others write, with real databases and second connections."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from gacc_gui.app.fixture import run_fixture
from gacc_gui.app.managing import delete_run, rename_run
from gacc_gui.app.watching import Found, Watch
from gacc_gui.core.errors import StoreError
from gacc_gui.store.reads import Reader


@pytest.fixture
def path(demo_database: Path, tmp_path: Path) -> Path:
    path = tmp_path / "watched.db"
    shutil.copy(demo_database, path)
    return path


@pytest.fixture
def other(tmp_path: Path) -> Path:
    path = tmp_path / "other.db"
    run_fixture(path, [42])
    return path


@pytest.fixture
def watch(path: Path) -> Iterator[Watch]:
    watch = Watch(path)
    watch.begin()
    yield watch
    watch.close()


def taken(watch: Watch) -> Found:
    found = watch.look()
    watch.take(found)
    return found


def copy_over(source: Path, target: Path) -> None:
    """As `cp` does: into the same file."""
    target.write_bytes(source.read_bytes())


def test_what_is_written_after_the_beginning_is_found_until_it_is_taken(watch: Watch, path: Path) -> None:
    assert watch.look() == Found(0)
    rename_run(path, "demo", "another name")
    first = watch.look()
    assert first.written and not first.replaced
    assert watch.look() == first
    rename_run(path, "demo", "a third name")
    second = watch.look()
    watch.take(first)
    assert watch.look() == second and second.written
    assert taken(watch).written and not taken(watch).written


def test_a_commit_that_stays_in_the_log_and_its_checkpoint(watch: Watch, path: Path) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("UPDATE runs SET name = 'in the log'")
    found = taken(watch)
    assert found.written and not found.file_changed
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    found = taken(watch)
    assert found.file_changed and not found.replaced
    assert not taken(watch).written
    connection.execute("UPDATE runs SET name = 'again'")
    assert not taken(watch).file_changed
    connection.close()
    assert not taken(watch).replaced


def test_another_database_copied_over_the_file(watch: Watch, path: Path, other: Path) -> None:
    copy_over(other, path)
    found = watch.look()
    assert found.written and found.file_changed and found.replaced


def test_an_older_state_copied_over_the_file_is_read_anew(path: Path, demo_database: Path) -> None:
    rename_run(path, "demo", "renamed")
    watch = Watch(path)
    watch.begin()
    copy_over(demo_database, path)
    found = watch.look()
    assert found.file_changed and found.replaced
    watch.close()


def test_a_run_that_goes_is_a_commit_and_no_other_database(watch: Watch, path: Path) -> None:
    run_fixture(path, [42])
    assert not taken(watch).replaced
    delete_run(path, "demo")
    found = taken(watch)
    assert found.written and not found.replaced
    delete_run(path, "fixture-42")
    assert not taken(watch).replaced


def test_a_copy_that_is_half_done_is_looked_at_again(watch: Watch, path: Path, other: Path) -> None:
    whole = other.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StoreError):
        watch.look()
    path.write_bytes(whole)
    assert watch.look().replaced


def test_garbage_is_told_when_it_stays(watch: Watch, path: Path) -> None:
    path.write_bytes(b"no database at all\n" * 1000)
    with pytest.raises(StoreError, match="no SQLite database"):
        watch.look()
    assert watch.look().replaced


def test_a_closed_watch_has_no_connection(path: Path) -> None:
    watch = Watch(path)
    watch.begin()
    watch.close()
    assert watch.look() == Found(0)
    late = Watch(path)
    late.close()
    late.begin()
    assert not late.look().written
    assert not Path(f"{path}-wal").exists()  # the last connection takes it away
    with Reader(path) as reader:
        assert reader.mark() == reader.mark()
