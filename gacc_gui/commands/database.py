"""The option `--db`, the database it names, and what is not written over it: for declaring commands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gacc_gui.commands.arguments import FILE

if TYPE_CHECKING:
    from gacc_gui.store.reads import Reader

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _database(context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    # `--db` may stand before or after the command's name; the nearer one to the command wins.
    if value is not None:
        context.find_root().meta["gacc_gui.db"] = value
    return value


def with_database(command: _Command) -> _Command:
    """Give a command the option."""
    return click.option(
        "--db",
        type=FILE,
        metavar="FILE",
        expose_value=False,
        callback=_database,
        help="The SQLite file to work on.",
    )(command)


def given_database() -> Path | None:
    """Return the file that `--db` names in the running command, None without one."""
    given = click.get_current_context().find_root().meta.get("gacc_gui.db")
    return None if given is None else Path(given)


def database_path() -> Path:
    """Return the file to work on: the given one, or the default."""
    from gacc_gui.app.locations import default_database

    return given_database() or default_database()


def checked_target(target: str) -> str:
    """Return the name of a file or folder that a command is to write, as it was typed.

    Raises BadUsage where it is the database.
    """
    from gacc_gui.formats.targets import refuse_database

    refuse_database(Path(target), database_path())
    return target


@contextmanager
def open_reader() -> Iterator[Reader]:
    """Open the database for reading what it holds at this moment, whatever is written meanwhile.

    Raises StoreError, in one sentence, where that is impossible.
    """
    from gacc_gui.app import listing

    with listing.open_reader(database_path()) as reader, reader.snapshot():
        yield reader


def is_database_error(error: BaseException) -> bool:
    """Whether SQLite failed on what the file holds, and not on how we asked for it."""
    sqlite3 = sys.modules.get("sqlite3")  # not for commands that have no database
    return (
        sqlite3 is not None
        and isinstance(error, sqlite3.DatabaseError)
        and not isinstance(error, sqlite3.ProgrammingError)
    )
