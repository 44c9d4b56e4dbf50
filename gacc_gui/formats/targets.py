"""Where a file may be written: anywhere but over the open database.

Every command and every view that writes a file asks here, before anything is worked out. Another database, or
a file that was read, is the person's to write over. Not owned: how a file is written (`atomic`, `new_file`).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from gacc_gui.core.errors import BadUsage

_BESIDE: Final = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a database, under the name that the database's links lead to."""


def refuse_database(target: Path, database: Path) -> None:
    """Raise BadUsage where a target is the database, by whatever name, or one of SQLite's files beside it.

    Neither of them needs to be there yet.
    """
    place = os.path.realpath(database)
    if _is_same(target, place):
        raise BadUsage(f"{target} is the open database itself: choose another file to write to")
    if any(_is_same(target, place + suffix) for suffix in _BESIDE):
        raise BadUsage(f"{target} belongs to the open database {database}: choose another file to write to")


def _is_same(target: Path, place: str) -> bool:
    if os.path.normcase(os.path.realpath(target)) == os.path.normcase(place):
        return True
    try:
        return target.samefile(place)  # a hard link, or a name of other case
    except OSError:
        return False  # one of them is not there
