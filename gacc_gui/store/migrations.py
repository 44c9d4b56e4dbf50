"""The numbered steps that bring a database to the present schema. Owns `user_version`."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from gacc_gui.store import schema

if TYPE_CHECKING:
    from sqlite_utils import Database

SCHEMA_VERSION: Final = 3
"""The `user_version` that this program writes: the number of the last migration."""


OLDEST_READABLE: Final = 1
"""The oldest version whose tables hold all that reads need; what came later, older ones have none of."""


def migrate(connection: sqlite3.Connection) -> None:
    """Apply the pending migrations, each with its number, inside the caller's transaction."""
    from sqlite_utils import Database, Migrations  # imports pandas: only where something is to be done

    migrations = Migrations("gacc_gui")
    for number, step in _STEPS.items():
        migrations(name=f"{number:04d}_{step.__name__.strip('_')}")(_numbered(number, step))
    migrations.apply(Database(connection, execute_plugins=False))


def _numbered(number: int, step: Callable[[Database], None]) -> Callable[[Database], None]:
    def run(db: Database) -> None:
        step(db)
        db.execute(f"PRAGMA user_version = {number}")

    return run


def _first_tables(db: Database) -> None:
    for statement in (*schema.TABLES, *schema.INDEXES, *schema.VIEWS):
        db.execute(statement)


def _evaluations(db: Database) -> None:
    for statement in schema.EVALUATION_TABLES:
        db.execute(statement)


def _reviews(db: Database) -> None:
    for statement in schema.REVIEW_TABLES:
        db.execute(statement)


_STEPS: Final = {1: _first_tables, 2: _evaluations, 3: _reviews}
