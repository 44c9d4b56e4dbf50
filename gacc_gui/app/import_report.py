"""What an import tells: per file what landed, was there already, was repaired, quarantined or in conflict.

Owns the report's JSON (FORMATS.md §3) and its exit code. Doing the import is `app.importing`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from gacc_gui.core.errors import BadInput
from gacc_gui.core.records import KINDS, Json, Record, Run

if TYPE_CHECKING:
    from gacc_gui.store.landing import Conflict, Landing

Key = tuple[str | int, ...]
DONE: Final = 0
BAD_INPUT: Final = 2
FAILED_ITEMS: Final = 3
NO_PARTS: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A line, or in a document a record, that did not land, and why.

    A record that only waits for its parent has `waits`: run id, kind and key.
    """

    line: int | None
    reason: str
    waits: tuple[str, str, Key] | None = None


@dataclass(frozen=True, slots=True)
class ConflictShown:
    """Two records under one key; the stored one stayed. Records as FORMATS.md writes them."""

    kind: str
    key: Key
    line: int | None
    fields: tuple[str, ...]
    stored: Mapping[str, Json]
    incoming: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file. Counts are by record kind, without zeros.

    `superseded` counts, within `added`, finished items that took the place of failed ones.
    """

    path: str
    runs: tuple[str, ...] = ()
    added: Mapping[str, int] | None = None
    already: Mapping[str, int] | None = None
    superseded: Mapping[str, int] | None = None
    repaired: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    quarantined: tuple[Quarantined, ...] = ()
    conflicts: tuple[ConflictShown, ...] = ()
    error: str | None = None
    changed: tuple[tuple[str, str], ...] = ()
    """Files of a compaction run's folder that are not what it ended with, each with how, in words."""

    def to_json(self) -> dict[str, Json]:
        """Return the file's part of the report of FORMATS.md §3."""
        return {
            "path": self.path,
            "runs": list(self.runs),
            "added": dict(self.added or {}),
            "already": dict(self.already or {}),
            "superseded": dict(self.superseded or {}),
            "repaired": list(self.repaired),
            "warnings": list(self.warnings),
            "quarantined": [{"line": item.line, "reason": item.reason} for item in self.quarantined],
            "conflicts": [
                {
                    "kind": item.kind,
                    "key": list(item.key),
                    "line": item.line,
                    "fields": list(item.fields),
                    "stored": dict(item.stored),
                    "incoming": dict(item.incoming),
                }
                for item in self.conflicts
            ],
            "changed": [{"file": name, "reason": reason} for name, reason in self.changed],
            "error": self.error,
        }


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file of a folder that is no run."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What became of every file of an import, in order; `skipped` files of a folder are no runs."""

    files: tuple[FileReport, ...]
    skipped: tuple[Skipped, ...] = ()

    @property
    def run_ids(self) -> tuple[str, ...]:
        """The runs that got records or had them already, each once, in order."""
        return tuple(dict.fromkeys(run for file in self.files for run in file.runs))

    def to_json(self) -> dict[str, Json]:
        """Return the report of FORMATS.md §3."""
        report: dict[str, Json] = {"files": [file.to_json() for file in self.files]}
        if self.skipped:
            report["skipped"] = [{"path": item.path, "reason": item.reason} for item in self.skipped]
        return report


def exit_code(report: ImportReport) -> int:
    """Return 0 if all landed or was there, 2 if no file landed, 3 for anything between."""
    failed = [file for file in report.files if file.error is not None]
    landed = any(file.runs for file in report.files)
    if not landed:
        return BAD_INPUT
    if failed or any(file.quarantined or file.conflicts or file.changed for file in report.files):
        return FAILED_ITEMS
    return DONE


class Tally:
    """Gathers what becomes of one file."""

    def __init__(self, path: str, parts: Mapping[str, str] = NO_PARTS) -> None:
        """`parts`: where it is a folder of several files, the one that holds each kind of record."""
        self._path = path
        self._parts = parts
        self._changed: tuple[tuple[str, str], ...] = ()
        self._runs: list[str] = []
        self._added: Counter[str] = Counter()
        self._already: Counter[str] = Counter()
        self._superseded: Counter[str] = Counter()
        self._repaired: list[str] = []
        self._warnings: list[str] = []
        self._quarantined: list[Quarantined] = []
        self._conflicts: list[ConflictShown] = []

    def note(
        self, record: Record, line: int | None, repaired: Iterable[str], warnings: Iterable[str] = ()
    ) -> None:
        """Keep what was repaired in a record or is strange about it."""
        place = f"line {line}" if line is not None else _name(record)
        self._repaired += [f"{place}: {sentence}" for sentence in repaired]
        self._warnings += [f"{place}: {sentence}" for sentence in warnings]

    def changed(self, files: Iterable[tuple[str, str]]) -> None:
        """Keep which files are not what they were, and how."""
        self._changed = tuple(files)

    def bad(self, line: int | None, reason: str) -> None:
        """Keep a line that held no record, or where the file breaks off."""
        self._quarantined.append(Quarantined(line, reason))

    def landed(self, landing: Landing) -> None:
        """Take over what became of the records of one run."""
        if landing.run_id not in self._runs:
            self._runs.append(landing.run_id)
        self._added += landing.added + landing.superseded
        self._already += landing.already
        self._superseded += landing.superseded
        for refused in landing.refused:
            name = self._place(refused.kind) + _key_name(refused.kind, refused.key)
            self._quarantined.append(Quarantined(refused.line, f"{name}: {refused.reason}"))
        for waiting in landing.waiting:
            parent = f'its {waiting.parent_kind} "{waiting.parent_id}" is not here (yet)'
            reason = f"{self._place(waiting.kind)}{_key_name(waiting.kind, waiting.key)}: {parent}"
            waits = (landing.run_id, waiting.kind, waiting.key)
            self._quarantined.append(Quarantined(waiting.line, reason, waits))
        self._conflicts += [_shown(conflict) for conflict in landing.conflicts]

    def _place(self, kind: str) -> str:
        return f"{self._parts[kind]}: " if kind in self._parts else ""

    def report(self, error: str | None = None) -> FileReport:
        """Return the report of the file."""
        return FileReport(
            self._path,
            tuple(self._runs),
            _counts(self._added),
            _counts(self._already),
            _counts(self._superseded),
            tuple(self._repaired),
            tuple(self._warnings),
            tuple(sorted(self._quarantined, key=lambda item: (item.line is None, item.line or 0))),
            tuple(self._conflicts),
            error,
            self._changed,
        )

    def failed(self, error: str) -> FileReport:
        """Return the report of a file that could not be used: only what was committed before counts."""
        if self._runs:
            return self.report(error)
        return FileReport(self._path, error=error)


def refuse_dangling(landing: Landing, lists: frozenset[str], path: str) -> None:
    """Raise BadInput where a document's record refers to what neither it nor the database has.

    `lists` are the kinds the document has records of. Where it has no parent of that kind at all it is a
    shard, and the record waits; so does what depends on a record that waits.
    """
    for refused in landing.refused:
        raise BadInput(refused.reason, path=path, record=_key_name(refused.kind, refused.key))
    waiting = {(item.kind, item.key) for item in landing.waiting}
    for item in landing.waiting:
        kind, id = item.parent_kind, item.parent_id
        if kind in lists and (kind, (id,)) not in waiting:
            raise BadInput(f'there is no {kind} "{id}"', path=path, record=_key_name(item.kind, item.key))


def without_landed(
    reports: Iterable[FileReport], still_waiting: frozenset[tuple[str, str, Key]]
) -> list[FileReport]:
    """Return the reports without those quarantined records whose parents came with a later file."""
    return [
        replace(
            report,
            quarantined=tuple(
                item for item in report.quarantined if item.waits is None or item.waits in still_waiting
            ),
        )
        for report in reports
    ]


def _shown(conflict: Conflict) -> ConflictShown:
    from gacc_gui.formats.record_writing import json_object

    stored, incoming = json_object(conflict.stored), json_object(conflict.incoming)
    names = dict.fromkeys((*stored, *incoming))
    missing = object()
    fields = tuple(name for name in names if stored.get(name, missing) != incoming.get(name, missing))
    return ConflictShown(conflict.kind, conflict.key, conflict.line, fields, stored, incoming)


def _counts(counter: Counter[str]) -> dict[str, int]:
    return {kind: counter[kind] for kind in KINDS if counter[kind]}


def _name(record: Record) -> str:
    from gacc_gui.formats.record_writing import KIND_OF

    kind = KIND_OF[type(record)]
    if isinstance(record, Run):
        return "run"
    key = (record.id,) if hasattr(record, "id") else (record.memory_id, record.question_id, record.repeat)
    return _key_name(kind, key)


def _key_name(kind: str, key: Key) -> str:
    return f"{kind} " + " / ".join(f'"{part}"' if isinstance(part, str) else str(part) for part in key)
