"""Changes that lie beside the database, where SQLite cannot bring them in: told, never passed over."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from gacc_gui.core.errors import StoreError
from gacc_gui.store.database import open_database, rename_run
from gacc_gui.store.reads import Reader

from .conftest import Store


@pytest.fixture
def left(small: Store, tmp_path: Path) -> Path:
    """A copy of the database with the log of a writer that has not ended; no side file can be made there."""
    folder = tmp_path / "left"
    folder.mkdir()
    holding = sqlite3.connect(small.path, isolation_level=None)
    try:
        holding.execute("BEGIN")
        holding.execute("SELECT count(*) FROM runs").fetchone()
        with open_database(small.path) as database:
            rename_run(database, "r1", "the latest name")
        for suffix in ("", "-wal"):
            shutil.copy(f"{small.path}{suffix}", folder / f"a.db{suffix}")
    finally:
        holding.close()
    (folder / "a.db-shm").symlink_to(folder / "nowhere" / "shm")  # SQLite follows no link there
    return folder / "a.db"


def name(path: Path) -> str | None:
    with Reader(path) as reader:
        return reader.runs()[0].run.name


def test_a_log_that_cannot_be_read(left: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(left)
    for path in (left, link):
        with pytest.raises(StoreError) as caught:
            name(path)
        assert str(caught.value) == (
            f"the database {path} cannot be read here: its latest changes are in {left}-wal, and SQLite needs"
            " a folder that can be written to read them: copy both files to such a folder"
        )
    # What the sentence advises.
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(f"{left}{suffix}", folder)
    assert name(folder / "a.db") == "the latest name"


@pytest.mark.parametrize("kept", [0, 32])
def test_a_log_without_frames(left: Path, kept: int) -> None:
    os.truncate(f"{left}-wal", kept)
    assert name(left) == "a small run"
