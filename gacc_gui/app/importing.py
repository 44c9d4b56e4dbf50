"""Import of run files into a database: the merge rules' outcome told file by file (FORMATS.md, “Importing”).

Owns the report, its exit code, and whether a declared tokenizer is the verified one. A compaction run's
folder (FORMATS.md §2) counts as one file; which of its files changed since it was finished is told
(`app.compaction_hashes`), and what is sound lands all the same. Reading is `formats.gacc_run` and
`formats.compaction_reading`, merging `store.writes`, the full-text index `store.search`.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from gacc_gui.app.import_report import (
    NO_PARTS,
    FileReport,
    ImportReport,
    Skipped,
    Tally,
    refuse_dangling,
    without_landed,
)
from gacc_gui.core.errors import BadInput, BadUsage, CodecUnavailable, GaccError, Interrupted
from gacc_gui.core.records import Record, Run
from gacc_gui.core.tokens import CL100K_SHA256
from gacc_gui.formats.items import Item, Parsed
from gacc_gui.formats.redaction import without_credentials

if TYPE_CHECKING:
    from gacc_gui.formats.compaction_reading import CompactionFolder
    from gacc_gui.formats.gacc_run import RunFile
    from gacc_gui.store.database import Database

_STEP: Final = 2_000
"""Records between two looks at progress and cancellation."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an import is: `done` of `total` bytes on disk (rows), or units (index), over all files."""

    phase: str
    """`rows` or `index`."""
    path: str
    done: int
    total: int
    records: int


def import_paths(
    database_path: Path | str,
    paths: Iterable[Path | str],
    *,
    as_id: str | None = None,
    progress: Callable[[Progress], None] | None = None,
    rows_ready: Callable[[], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> ImportReport:
    """Import files and folders, each file in a transaction of its own, and say what became of each.

    A folder stands for its run files and the compaction runs right inside it, unless it is a compaction run
    itself, for which its `protocol.json` stands as well. In a folder, what is JSON but no run is passed over,
    and listed as `skipped`.
    `as_id` gives the one run another id. `rows_ready` is called once the rows of all files are committed and
    usable; the full-text index follows. `cancelled` is asked now and then: True raises Interrupted, the file
    being read leaves nothing, finished files stay. A file that cannot be used has its `error`; StoreError is
    raised where the database itself cannot be used.
    """
    from gacc_gui.app.adopting import adopt_records
    from gacc_gui.formats.gacc_run import NotARun
    from gacc_gui.store.database import open_database

    watch = _Watch(progress, cancelled)
    reports: list[FileReport] = []
    files: list[tuple[Path, bool]] = []
    for path in map(Path, paths):
        try:
            files += _files_of(path)
        except BadInput as error:
            reports.append(FileReport(str(path), error=str(error)))
    if as_id is not None and not as_id:
        raise BadUsage("the new id of a run must not be empty")
    watch.total = sum(_size(file) for file, _ in files)
    skipped: list[Skipped] = []
    with open_database(Path(database_path)) as database, _few_collections():
        adopt_records(database)
        for file, in_folder in files:
            try:
                reports.append(_import_file(database, file, as_id, watch))
            except NotARun as error:
                if in_folder:
                    skipped.append(Skipped(str(file), error.reason))
                else:
                    reports.append(FileReport(str(file), error=str(error)))
            watch.before += _size(file)
        report = ImportReport(tuple(_forget_landed(database, reports)), tuple(skipped))
        if rows_ready is not None:
            rows_ready()
        for run_id in report.run_ids:
            _index(database, run_id, watch)
    return report


def identity_verified(run: Run) -> bool | None:
    """Whether a run's declared tokenizer is cl100k_base by our own check of the vocabulary it names.

    The declaration must give the canonical SHA-256, and our codec of that name must have been verified. None
    where that vocabulary is missing here: what was found before stays.
    """
    tokenizer = run.tokenizer or {}
    revision = tokenizer.get("revision")
    if tokenizer.get("name") != "cl100k_base" or not isinstance(revision, str):
        return False
    if revision.lower().removeprefix("sha256:") != CL100K_SHA256:
        return False
    from gacc_gui.formats.vocabulary import load_codec

    try:
        return load_codec("cl100k_base").identity_verified
    except CodecUnavailable:
        return None


def _files_of(path: Path) -> list[tuple[Path, bool]]:
    """Return what a path stands for, each with whether it was found in a folder. Raises BadInput."""
    from gacc_gui.formats.compaction_folder import PROTOCOL_FILE
    from gacc_gui.formats.compaction_reading import is_compaction_folder
    from gacc_gui.formats.gacc_run import run_files

    if path.name == PROTOCOL_FILE and path.is_file() and is_compaction_folder(path.parent):
        return [(path.parent, False)]  # who opens files, not folders, opens this one
    if not path.is_dir() or is_compaction_folder(path):
        return [(path, False)]
    inside = sorted(folder for folder in _folders_in(path) if is_compaction_folder(folder))
    try:
        files = run_files(path)
    except BadInput:
        if not inside:
            raise
        files = []
    return [(file, True) for file in (*files, *inside)]


def _folders_in(path: Path) -> list[Path]:
    try:
        return [entry for entry in path.iterdir() if entry.is_dir() and not entry.name.startswith(".")]
    except OSError as error:
        raise BadInput((error.strerror or str(error)).lower(), path=str(path)) from error


@contextmanager
def _few_collections() -> Iterator[None]:
    """Let the collector of cycles look seldom: records and rows form none.

    Measured 2026-11: 5 % of the import of 300,000 answers.
    """
    before = gc.get_threshold()
    gc.set_threshold(100_000, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


class _Watch:
    """Progress and cancellation of the whole import."""

    def __init__(
        self, progress: Callable[[Progress], None] | None, cancelled: Callable[[], bool] | None
    ) -> None:
        self._progress = progress
        self._cancelled = cancelled
        self.total = 0
        self.before = 0
        self.records = 0

    def at(self, phase: str, path: str, done: int, total: int) -> None:
        """Tell how far it is; raises Interrupted where somebody wants it to stop."""
        if self._cancelled is not None and self._cancelled():
            raise Interrupted("the import was cancelled")
        if self._progress is not None:
            self._progress(Progress(phase, path, done, total, self.records))


def _import_file(database: Database, path: Path, as_id: str | None, watch: _Watch) -> FileReport:
    from gacc_gui.formats.gacc_run import NotARun

    tally = Tally(str(path), _parts_of(path))
    try:
        with _opened(path) as file:
            if path.is_dir():
                from gacc_gui.app.compaction_hashes import changed_files

                tally.changed((one.file, one.reason) for one in changed_files(path))
            for run, records in _runs(file, as_id, tally):
                _write(database, file, run, records, tally, watch)
    except (Interrupted, NotARun):
        raise
    except GaccError as error:
        return tally.failed(str(error))
    return tally.report()


def _parts_of(path: Path) -> Mapping[str, str]:
    """Return which file of a compaction run's folder holds each kind of record."""
    if not path.is_dir():
        return NO_PARTS
    from gacc_gui.formats.compaction_reading import FILE_OF

    return FILE_OF


def _opened(path: Path) -> RunFile | CompactionFolder:
    if path.is_dir():
        from gacc_gui.formats.compaction_reading import CompactionFolder

        return CompactionFolder(path)
    from gacc_gui.formats.gacc_run import read_run_file

    return read_run_file(path)


def _runs(
    file: RunFile | CompactionFolder, as_id: str | None, tally: Tally
) -> Iterator[tuple[Run, Iterator[tuple[Record, int | None]]]]:
    """Yield each run of a file with its records; what is bad goes to the tally.

    A file holds one run; concatenated files hold one after the other.
    """
    items = iter(file)
    starts = [item for item in islice(items, 1) if isinstance(item, Parsed)]
    while starts:
        start = starts.pop()
        run = cast("Run", start.record)
        yield _renamed(run, start, as_id, tally), _records(file, items, run.id, as_id, tally, starts)


def _records(
    file: RunFile | CompactionFolder,
    items: Iterator[Item],
    run_id: str,
    as_id: str | None,
    tally: Tally,
    starts: list[Parsed],
) -> Iterator[tuple[Record, int | None]]:
    """Yield the records up to the next run, which is put into `starts`."""
    for item in items:
        if not isinstance(item, Parsed):
            tally.bad(item.line, item.reason)
            continue
        record: Record = item.record  # type: ignore[assignment]  # no dataset is read here
        line = item.line
        if isinstance(record, Run):
            if record.id != run_id:
                if as_id is not None:
                    raise BadInput(
                        "the file holds several runs, which cannot all be called " + as_id,
                        path=str(file.path),
                        record=f"line {line}",
                    )
                starts.append(item)
                return
            record = _renamed(record, item, as_id, tally)
        else:
            record, removed = without_credentials(record)
            if removed or item.repaired or item.warnings:
                tally.note(record, line, (*item.repaired, *removed), item.warnings)
        yield record, line


def _renamed(run: Run, item: Parsed, as_id: str | None, tally: Tally) -> Run:
    clean, removed = without_credentials(run)
    tally.note(clean, item.line, (*item.repaired, *removed), item.warnings)
    return clean if as_id is None else replace(clean, id=as_id)


def _write(
    database: Database,
    file: RunFile | CompactionFolder,
    run: Run,
    records: Iterator[tuple[Record, int | None]],
    tally: Tally,
    watch: _Watch,
) -> None:
    """Write one run of a file in one transaction."""
    from gacc_gui.store.writes import RunWriter

    path = str(file.path)
    watch.at("rows", path, watch.before, watch.total)
    with RunWriter(database) as writer:
        try:
            writer.begin_run(run, identity_verified(run))
        except BadInput as error:
            raise BadInput(error.reason, path=path, record=error.record) from error
        for number, (record, line) in enumerate(records, 1):
            writer.add(record, line)
            if number % _STEP == 0:
                watch.records += _STEP
                watch.at("rows", path, watch.before + file.position(), watch.total)
        landing = writer.finish()
        if file.whole:
            refuse_dangling(landing, file.lists, path)
    tally.landed(landing)


def _forget_landed(database: Database, reports: list[FileReport]) -> list[FileReport]:
    """Drop from the reports what waited for a parent that a later file brought."""
    from gacc_gui.store.record_reads import waiting_keys

    runs = {item.waits[0] for report in reports for item in report.quarantined if item.waits is not None}
    still = frozenset(
        (run, kind, key) for run in runs for kind, key in waiting_keys(database.connection, run)
    )
    return without_landed(reports, still)


def _index(database: Database, run_id: str, watch: _Watch) -> None:
    """Bring the full-text index of a run up to date."""
    from gacc_gui.store.search import build

    build(database, run_id, lambda done, total: watch.at("index", run_id, done, total))


def _size(path: Path) -> int:
    try:
        if path.is_dir():
            from gacc_gui.formats.compaction_reading import folder_size

            return folder_size(path)
        return path.stat().st_size
    except OSError:
        return 0
