"""Reviews and probes that a version which knew neither kept as unknown fields of a run become records.

Such a version imported a document with the lists `reviews` and `probes` and kept them as they were. Owns when
they become what they would be if the file were imported now: before anything is imported, decided or
exported. What a list holds that is no sound record stays where it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gacc_gui.core.errors import BadInput, StoreError
from gacc_gui.core.records import Json, Record, Run

if TYPE_CHECKING:
    from gacc_gui.store.database import Database

_LISTS: Final[Mapping[str, str]] = {"reviews": "review", "probes": "probe"}


def adopt_records(database: Database) -> None:
    """Turn such fields of every run into records, each run in a transaction of its own.

    Records whose rows are not there wait for them. Raises StoreError where the database cannot be written.
    """
    from gacc_gui.store.document_fields import keep_fields, runs_with
    from gacc_gui.store.writes import RunWriter

    for run in runs_with(database.connection, _LISTS):
        changed, records = _taken_out(run)
        if changed == run:
            continue
        with RunWriter(database) as writer:
            writer.begin_run(run)
            for record in records:
                try:
                    writer.add(record)
                except BadInput as error:
                    raise StoreError(f"the run {run.id!r} cannot be brought up to date: {error}") from error
            writer.finish()
            keep_fields(database.connection, changed)


def adopt_where_possible(path: Path) -> None:
    """Do so in a database that somebody is about to read; one that cannot be written stays as it is."""
    from gacc_gui.store.database import open_database
    from gacc_gui.store.reads import Reader

    with Reader(path) as reader:
        old = any(not summary.run.top_level.keys().isdisjoint(_LISTS) for summary in reader.runs())
    if not old:
        return
    try:
        with open_database(path, create=False) as database:
            adopt_records(database)
    except StoreError:
        pass


def _taken_out(run: Run) -> tuple[Run, list[Record]]:
    """Return the run without what became records, and these."""
    left, unusual = dict(run.top_level), list(run.unusual)
    records: list[Record] = []
    for name, kind in _LISTS.items():
        items = left.get(name)
        if not isinstance(items, list):
            continue
        sound = [(item, _record(kind, item)) for item in items]
        rest = [item for item, record in sound if record is None]
        if rest:
            left[name] = rest
        else:
            del left[name]
        if not items:
            unusual.append(name)  # a list without records, which is not ordinary
        records += [record for _, record in sound if record is not None]
    return replace(run, top_level=left, unusual=tuple(unusual)), records


def _record(kind: str, item: Json) -> Record | None:
    from gacc_gui.formats.record_reading import BadRecord, record_from
    from gacc_gui.formats.redaction import without_credentials

    if not isinstance(item, dict):
        return None
    try:
        record, _ = record_from(kind, dict(item))
    except BadRecord:
        return None
    return without_credentials(record)[0]
