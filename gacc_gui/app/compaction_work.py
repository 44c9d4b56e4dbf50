"""What the folder of a compaction run holds while the run goes, and what is left where it was killed.

Owns the names of these files, what of an earlier session is read from them, and their removal. Their life is
`compaction_running`'s; the database's tables are `store`'s.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gacc_gui.core.errors import BadUsage
from gacc_gui.core.records import Json
from gacc_gui.formats.compaction_folder import (
    AGGREGATE_FILE,
    REPORT_FILE,
    RESULT_FILES,
    VALIDATION_FILE,
    WORK_FILE,
)

if TYPE_CHECKING:
    import sqlite3

BEGUN_FILE: Final = "work.json"
"""Beside `work.db`, and removed with it: where the tokenizer is, before the database knows."""
_TOKENIZER: Final = "tokenizer"
"""In BEGUN_FILE and in the session's configuration: where the file was. No path stands elsewhere."""
_BUSY_SECONDS: Final = 5.0
_WRITTEN_FILES: Final = (*RESULT_FILES, AGGREGATE_FILE, REPORT_FILE, VALIDATION_FILE)


def begun_with(tokenizer: Path) -> str:
    """Return what a session is begun with, as it is kept in the folder and in the database."""
    return json.dumps({_TOKENIZER: str(tokenizer.absolute())})


def stored_protocol(folder: Path) -> dict[str, Json] | None:
    """Return the protocol of the run in the database; None where it is not begun."""
    from gacc_gui.formats.compaction_records import protocol_of
    from gacc_gui.store import record_reads

    with _connected(folder) as connection:
        runs = [] if connection is None else list(record_reads.runs(connection, "1", ()))
    try:
        return protocol_of(runs[0]) if runs else None
    except KeyError:
        return None


def last_tokenizer(folder: Path) -> Path:
    """Return where the tokenizer was in the last session. Raises BadUsage where nobody knows."""
    from gacc_gui.store import evaluations

    told: list[object] = []
    with _connected(folder) as connection:
        if connection is not None:
            told += [one.configuration for one in evaluations.evaluations(connection)]
    if (begun := folder / BEGUN_FILE).is_file():
        told.append(begun.read_text(encoding="utf-8", errors="replace"))
    for text in told:
        try:
            return Path(json.loads(str(text))[_TOKENIZER])
        except (ValueError, LookupError, TypeError):
            continue
    raise BadUsage(f"{folder} was hardly begun: --tokenizer says where its tokenizer is")


@contextmanager
def _connected(folder: Path) -> Iterator[sqlite3.Connection | None]:
    """Open the folder's database for reading; None where there is none, or it is not one yet."""
    from gacc_gui.store import database

    path = folder / WORK_FILE
    if not path.is_file():
        yield None
        return
    with database.plain_errors(path), closing(database.connect(path, "rw", _BUSY_SECONDS)) as connection:
        connection.execute("PRAGMA query_only = ON")
        made = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'evaluations'").fetchone()
        yield connection if made else None


def remove_work(folder: Path) -> None:
    """Remove the database, once the results are written."""
    for name in (WORK_FILE, f"{WORK_FILE}-wal", f"{WORK_FILE}-shm", BEGUN_FILE):
        (folder / name).unlink(missing_ok=True)


def remove_parts(folder: Path) -> None:
    """Remove what a process that was killed left of a file that it was writing (see `formats.new_file`)."""
    for name in _WRITTEN_FILES:
        for part in folder.glob(f".{name}-*.part"):
            part.unlink(missing_ok=True)


def has_leftovers(folder: Path) -> bool:
    """Whether something is left of a run under way."""
    left = any(folder.glob(f"{WORK_FILE}*")) or (folder / BEGUN_FILE).is_file()
    return left or any(folder.glob(".*.part"))
