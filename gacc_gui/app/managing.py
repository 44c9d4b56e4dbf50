"""Deleting and renaming the runs of a database."""

from __future__ import annotations

from pathlib import Path

from gacc_gui.core.errors import BadUsage


def delete_run(path: Path, run: str) -> str:
    """Delete a run (an id or a unique name) and return its id.

    Raises BadUsage for an unknown run, StoreError where the database is missing or cannot be written.
    """
    from gacc_gui.store.database import delete_run as delete
    from gacc_gui.store.database import open_database

    run_id = _resolved(path, run)
    with open_database(path, create=False) as database:
        delete(database, run_id)
    return run_id


def rename_run(path: Path, run: str, name: str) -> str:
    """Give a run another name and return its id, which stays. Raises as `delete_run` does."""
    from gacc_gui.store.database import open_database
    from gacc_gui.store.database import rename_run as rename

    if not name.strip():
        raise BadUsage("a run's name must not be empty")
    run_id = _resolved(path, run)
    with open_database(path, create=False) as database:
        rename(database, run_id, name)
    return run_id


def _resolved(path: Path, run: str) -> str:
    from gacc_gui.app.listing import open_reader

    with open_reader(path) as reader:
        return reader.resolve_run(run)
