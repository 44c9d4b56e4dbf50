"""Opening the SQLite file for writing, and what is done to whole runs. Owns the words of every store failure.

Readers open their own connection (`reads`); rows are written by `writes`, `results` and `search`.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from gacc_gui.core.errors import BadUsage, Interrupted, StoreError
from gacc_gui.store import schema
from gacc_gui.store.migrations import SCHEMA_VERSION, migrate
from gacc_gui.store.record_rows import names, names_column

BUSY_SECONDS: Final = 5.0
"""How long a writer waits for another program's lock before it says so."""
_PAUSE_SECONDS: Final = 0.01


class Database:
    """The one writing connection. Use `open_database`; a context manager that closes."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.connection = connection

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing; raises StoreError where the database is locked, read-only or full."""
        with plain_errors(self.path):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                # A full disk may have rolled back already.
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close with a checkpoint, so that the one file is the whole."""
        try:
            self.connection.execute("PRAGMA busy_timeout = 200")
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error:
            pass  # a reader holds the log: the last to close brings it in
        self.connection.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            if error is not None:
                tell_damage(self.connection, self.path, error)
        finally:
            self.close()


def open_database(path: Path | str, create: bool = True, busy_seconds: float = BUSY_SECONDS) -> Database:
    """Open the file for writing, make it where it is missing (`create`), and bring its schema up to date.

    Raises StoreError with one plain sentence.
    """
    path = Path(path)
    if not is_file_at(path):
        if not create:
            raise StoreError(f"there is no database at {path}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"the folder of {path} cannot be made: {_reason(error)}") from error
    connection = connect(path, "rwc" if create else "rw", busy_seconds)
    try:
        with plain_errors(path):
            _prepare(connection, path, busy_seconds)
    except BaseException:
        connection.close()
        raise
    return Database(path, connection)


def is_file_at(path: Path) -> bool:
    """Whether there is a file at the path.

    Raises StoreError where it is a folder, or in one that cannot be entered.
    """
    try:
        if path.is_dir():
            raise StoreError(f"{path} is a folder, not a database")
        return path.exists()
    except OSError as error:
        raise StoreError(f"the database {path} cannot be reached: {_reason(error)}") from error


def connect(path: Path, mode: str, busy_seconds: float, immutable: bool = False) -> sqlite3.Connection:
    """Open a connection without touching the file; `mode` as in SQLite's URIs."""
    uri = f"{path.absolute().as_uri()}?mode={mode}{'&immutable=1' if immutable else ''}"
    with plain_errors(path):
        return sqlite3.connect(
            uri,
            uri=True,
            timeout=busy_seconds,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )


def schema_version(connection: sqlite3.Connection, path: Path) -> int:
    """Return the version of our schema in the file, 0 if it is empty.

    Raises StoreError where the file is another program's or of a newer version of this one.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != schema.APPLICATION_ID:
        if connection.execute("SELECT EXISTS (SELECT 1 FROM sqlite_master)").fetchone()[0]:
            raise StoreError(f"{path} is an SQLite database, but not one of gacc-gui")
        return 0
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path} was made by a newer gacc-gui (schema {version}; this one knows {SCHEMA_VERSION})"
        )
    return version


def delete_run(database: Database, run_id: str) -> None:
    """Delete a run with everything that belongs to it; texts that other runs use stay.

    Raises BadUsage for an unknown id, StoreError where the database cannot be written.
    """
    from gacc_gui.store import search

    with database.transaction() as connection:
        run_key = _run_key(connection, run_id)
        connection.execute("DELETE FROM runs WHERE run_key = ?", (run_key,))
        connection.execute(
            "DELETE FROM texts WHERE"
            " NOT EXISTS (SELECT 1 FROM contexts WHERE source_text = text_key)"
            " AND NOT EXISTS (SELECT 1 FROM memories WHERE proposed_text = text_key)"
            " AND NOT EXISTS (SELECT 1 FROM memories WHERE retained_text = text_key)"
        )
        search.drop(connection, run_key)


def rename_run(database: Database, run_id: str, name: str) -> None:
    """Give a run another name. Raises BadUsage for an unknown id."""
    with database.transaction() as connection:
        run_key = _run_key(connection, run_id)
        (unusual,) = connection.execute("SELECT unusual FROM runs WHERE run_key = ?", (run_key,)).fetchone()
        # However the old name was written, the new one is an ordinary string.
        kept = [field for field in names(unusual) if field != "name"]
        connection.execute(
            "UPDATE runs SET name = ?, unusual = ? WHERE run_key = ?", (name, names_column(kept), run_key)
        )


@contextmanager
def plain_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite says about files, locks and space into a StoreError; anything else is a bug."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", None) or ""
        if name == "SQLITE_INTERRUPT":
            raise Interrupted("the reading was stopped") from error
        for prefix, sentence in _SENTENCES:
            if name.startswith(prefix):
                why = _why_closed(path) if prefix in _CLOSED else ""
                raise StoreError(sentence.format(path=path) + why) from error
        raise


def check_whole(connection: sqlite3.Connection, path: Path) -> None:
    """Raise StoreError where rows of the database are gone or cannot be read: see `damage`."""
    from gacc_gui.store.damage import damage_of

    found = damage_of(connection)
    if found is not None:
        raise StoreError(f"the database {path} is damaged: {found}")


def tell_damage(connection: sqlite3.Connection, path: Path, error: BaseException) -> None:
    """Raise StoreError in place of an error that may come of a damaged database, if this one is damaged."""
    from gacc_gui.store.damage import SYMPTOMS

    if isinstance(error, SYMPTOMS):
        try:
            check_whole(connection, path)
        except StoreError as told:
            raise told from error


def is_busy(error: StoreError) -> bool:
    """Whether another program holds the lock, so that trying again may help."""
    return str(getattr(error.__cause__, "sqlite_errorname", "")).startswith("SQLITE_BUSY")


_CLOSED: Final = ("SQLITE_READONLY", "SQLITE_CANTOPEN")
_SENTENCES: Final = (
    ("SQLITE_BUSY", "the database {path} is locked by another program; try again when that has finished"),
    ("SQLITE_LOCKED", "the database {path} is locked; try again when the other work has finished"),
    ("SQLITE_READONLY", "the database {path} is read-only"),
    ("SQLITE_FULL", "the disk is full: {path} takes nothing more"),
    ("SQLITE_NOTADB", "{path} is no SQLite database"),
    ("SQLITE_CORRUPT", "the database {path} is damaged"),
    ("SQLITE_CANTOPEN", "the database {path} cannot be opened"),
    ("SQLITE_PERM", "the database {path} cannot be opened: permission denied"),
    ("SQLITE_PROTOCOL", "the database {path} cannot be locked: its -wal or -shm is in the way"),
    ("SQLITE_IOERR_SHM", "beside the database {path} no file can be made: the disk is full"),
    ("SQLITE_IOERR", "the database {path} cannot be read or written: the disk reports an error"),
    ("SQLITE_TOOBIG", "a text is too long for the database {path}"),
)


def _why_closed(path: Path) -> str:
    """Say what SQLite does not: it has one error for files and for folders, whatever they lack.

    Which of its two errors a read-only folder gets is up to what lies in it beside the database.
    """
    folder = path.absolute().parent
    if not folder.is_dir() or not is_file_at(path):
        return ""
    if not os.access(path, os.R_OK):
        return ": permission denied"
    if not os.access(folder, os.W_OK):
        return f": its folder {folder} is read-only"
    return ""


def _run_key(connection: sqlite3.Connection, run_id: str) -> int:
    row = connection.execute("SELECT run_key FROM runs WHERE id = ?", (run_id,)).fetchone()
    if row is None:
        raise BadUsage(f"there is no run {run_id!r}")
    return row[0]


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _begin_log(connection: sqlite3.Connection, busy_seconds: float) -> None:
    """Keep a write-ahead log from here on, waiting for others, which SQLite does not do in this one case."""
    deadline = time.monotonic() + busy_seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            name = getattr(error, "sqlite_errorname", "")
            if not name.startswith("SQLITE_BUSY") or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE_SECONDS)


def _prepare(connection: sqlite3.Connection, path: Path, busy_seconds: float) -> None:
    version = schema_version(connection, path)
    if version == 0:
        connection.execute(f"PRAGMA page_size = {schema.PAGE_SIZE}")
    _begin_log(connection, busy_seconds)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA cache_size = -65536")
    # Debian builds SQLite so that a delete overwrites with zeros; nothing here is secret from its owner.
    connection.execute("PRAGMA secure_delete = OFF")
    if version < SCHEMA_VERSION:
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Another process may have been faster while we waited for the lock.
            if schema_version(connection, path) < SCHEMA_VERSION:
                connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
                migrate(connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
