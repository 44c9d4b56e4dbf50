"""A compaction run's folder, finished and looked at again: its results, figures, report and validation.

Owns the order in which the files are written (`validation.json` last: it says that the folder is finished),
the checks that only a folder can be put to, and rebuilding figures and report from it. The files' shapes are
`formats.compaction_folder`'s, the checks of the records `app.compaction_checks`'.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.app.check_results import Check, Example, Tally
from gacc_gui.app.compaction_hashes import (
    DATA_FILES,
    FROZEN,
    Changed,
    changed_files,
    file_hashes,
    sha256,
)
from gacc_gui.core.errors import BadInput, BadUsage, GaccError
from gacc_gui.core.records import Json, Record
from gacc_gui.formats.compaction_folder import (
    AGGREGATE_FILE,
    CORPUS_FILE,
    INPUT_FILES,
    PROTOCOL_FILE,
    REPORT_FILE,
    RESULT_FILES,
    VALIDATION_FILE,
    CompactionRun,
    aggregate_of,
    gathered,
    result_texts,
)
from gacc_gui.formats.compaction_report import report_text
from gacc_gui.formats.new_file import write_new

if TYPE_CHECKING:
    from gacc_gui.core.tokens import Codec

VALIDATION_FORMAT: Final = "gacc-compaction-validation"
AGGREGATE_FORMAT: Final = "gacc-compaction-aggregate"
FOLDER_CHECKS: Final = ("files", "read_back", "figures", "secrets")
"""What only a folder is put to, before the checks of its records."""
EQUAL: Final = "equal"
WRITTEN: Final = "written"
DIFFERENT: Final = "different"


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished folder: its checks, and whether none failed."""

    folder: Path
    checks: tuple[Check, ...]

    @property
    def failed(self) -> tuple[str, ...]:
        """The names of the checks that failed."""
        return _failed(self.checks)

    @property
    def holds(self) -> bool:
        """Whether no check failed."""
        return all(check.ok is not False for check in self.checks)


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """Figures and report made anew: what became of each file, and data that changed since validation.

    `files` gives each file's outcome: EQUAL to what was there, WRITTEN where there was none, DIFFERENT.
    `changed` are data that are another now, or gone.
    """

    run_id: str
    folder: Path
    output: Path
    files: tuple[tuple[str, str], ...]
    changed: tuple[Changed, ...]
    aggregate: dict[str, Json]

    @property
    def stands(self) -> bool:
        """Whether the folder says what its data say."""
        return not self.changed and all(outcome != DIFFERENT for _, outcome in self.files)

    def as_json(self) -> dict[str, Any]:
        """Return the outcome as JSON."""
        return {
            "run": self.run_id,
            "folder": str(self.folder),
            "output": str(self.output),
            "files": [{"file": name, "outcome": outcome} for name, outcome in self.files],
            "changed": [one.file for one in self.changed if not one.is_missing],
            "missing": [one.file for one in self.changed if one.is_missing],
            "aggregate": self.aggregate,
        }


def finish_folder(
    folder: Path, records: Iterable[Record], *, codec: Codec | None = None, secrets: Collection[str] = ()
) -> Finished:
    """Write all that a run's folder lacks, once everything was tried; `validation.json` last.

    `records` are the run's own, the run's record first; `codec` is its tokenizer, for a recount; `secrets`
    are texts that may stand in no file. What an earlier, interrupted finishing left is written anew. A check
    that fails is told in the validation, and no reason not to finish. Raises BadUsage for a finished folder,
    GaccError where something cannot be written.
    """
    if (folder / VALIDATION_FILE).exists():
        raise BadUsage(f"{folder} is finished already, and nothing is ever overwritten")
    run = gathered(records)
    of_records = _record_checks(run, codec)
    texts = {**result_texts(run), **_figures(run, _failed(of_records))}
    for name, text in texts.items():
        _leave_or_write(folder / name, text)
    checks = (*_folder_checks(folder, run, texts, secrets), *of_records)
    if _failed(checks) != _failed(of_records):  # the report names them all
        _leave_or_write(folder / REPORT_FILE, report_text(run, _failed(checks)))
    validation = {
        "format": VALIDATION_FORMAT,
        "format_version": 1,
        "run": run.run.id,
        "holds": all(check.ok is not False for check in checks),
        "checks": [_check_json(check) for check in checks],
        "files": file_hashes(folder),
    }
    write_new(folder / VALIDATION_FILE, _document(validation))
    return Finished(folder, checks)


def rebuild_report(folder: Path, output: Path | None = None) -> Rebuilt:
    """Make figures and report anew from a finished folder's data, in `output` (the folder by default).

    What is missing is written, what is there compared, and nothing overwritten. Raises BadInput where the
    folder is not finished or cannot be read, GaccError where something cannot be written.
    """
    from gacc_gui.formats.compaction_reading import records_of_folder

    run = gathered(records_of_folder(folder))
    changed = tuple(one for one in changed_files(folder) if one.file in DATA_FILES)
    failed = _validated_failures(folder)
    target = folder if output is None else output
    if output is not None:
        try:
            target.mkdir(exist_ok=True)
        except OSError as error:
            raise GaccError(f"{target} cannot be made: {(error.strerror or str(error)).lower()}") from error
    outcomes = []
    for name, text in _figures(run, failed).items():
        there = _text_of(target / name)
        if there is None:
            write_new(target / name, text)
        outcomes.append((name, WRITTEN if there is None else EQUAL if there == text.encode() else DIFFERENT))
    return Rebuilt(run.run.id, folder, target, tuple(outcomes), changed, aggregate_document(run))


def aggregate_document(run: CompactionRun) -> dict[str, Json]:
    """Return what `aggregate.json` holds."""
    head = {"format": AGGREGATE_FORMAT, "format_version": 1, "run": run.run.id}
    return {**head, "diagnostic_only": run.run.diagnostic_only, **aggregate_of(run).as_json()}


def _figures(run: CompactionRun, failed: Sequence[str]) -> dict[str, str]:
    return {AGGREGATE_FILE: _document(aggregate_document(run)), REPORT_FILE: report_text(run, failed)}


def _failed(checks: Iterable[Check]) -> tuple[str, ...]:
    return tuple(check.name for check in checks if check.ok is False)


def _validated_failures(folder: Path) -> tuple[str, ...]:
    """Return the names of the checks that did not hold when the run was finished. Raises BadInput."""
    from gacc_gui.formats.compaction_reading import read_document

    value = read_document(folder / VALIDATION_FILE)
    checks = value.get("checks") if isinstance(value, dict) else None
    if not isinstance(checks, list) or not isinstance(value.get("files"), dict):
        raise BadInput("it is no validation of a run", path=str(folder / VALIDATION_FILE))
    return tuple(
        str(check.get("name")) for check in checks if isinstance(check, dict) and check.get("ok") is False
    )


def _document(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _leave_or_write(path: Path, text: str) -> None:
    """Write a file of a folder that is not finished, in place of one that an earlier try left there."""
    if _text_of(path) == text.encode():
        return
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise GaccError(f"{path} cannot be written: {(error.strerror or str(error)).lower()}") from error
    write_new(path, text)


def _text_of(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadInput((error.strerror or str(error)).lower(), path=str(path)) from error


def _check_json(check: Check) -> dict[str, Json]:
    examples = [
        {name: value for name, value in asdict(example).items() if value is not None}
        for example in check.examples
    ]
    told = {"name": check.name, "ok": check.ok, "checked": check.checked, "failures": check.failures}
    return {**told, "examples": examples, **({} if check.why is None else {"why": check.why})}


def _record_checks(run: CompactionRun, codec: Codec | None) -> tuple[Check, ...]:
    from gacc_gui.app.compaction_checks import CompactionAudit

    return CompactionAudit(list(run.records()), codec).checks()


def _folder_checks(
    folder: Path, run: CompactionRun, texts: Mapping[str, str], secrets: Collection[str]
) -> Iterator[Check]:
    tallies = {name: Tally() for name in FOLDER_CHECKS}
    _check_files(tallies["files"], folder, run)
    _check_read_back(tallies["read_back"], folder, run)
    for name in (AGGREGATE_FILE, REPORT_FILE):
        failure = Example(None, name, detail="it is not what the data come to")
        tallies["figures"].count(None if _text_of(folder / name) == texts[name].encode() else failure)
    _check_secrets(tallies["secrets"], folder, secrets)
    for name, tally in tallies.items():
        yield tally.outcome(name, "there is nothing to look at")


def _check_files(tally: Tally, folder: Path, run: CompactionRun) -> None:
    """Whether every file is there, and the inputs are those that the protocol has the hashes of."""
    hashes = run.protocol.get("hashes") or {}
    for name in (PROTOCOL_FILE, CORPUS_FILE, *RESULT_FILES, AGGREGATE_FILE, REPORT_FILE):
        there = (folder / name).is_file()
        tally.count(None if there else Example(None, name, detail="it is not there"))
    for what, name in FROZEN.items():
        declared = hashes.get(what)
        if isinstance(declared, str):
            found = sha256(folder / name) if (folder / name).is_file() else "not there"
            same = declared.lower().removeprefix("sha256:") == found
            tally.count(None if same else Example(None, name, declared, found, detail="its SHA-256"))


def _check_read_back(tally: Tally, folder: Path, run: CompactionRun) -> None:
    """Whether reading the folder gives the records that it was written from."""
    from gacc_gui.formats.compaction_reading import CompactionFolder
    from gacc_gui.formats.items import Parsed

    expected = list(run.records())
    try:
        with CompactionFolder(folder, finished=False) as items:
            found = [item.record if isinstance(item, Parsed) else None for item in items]
    except BadInput as error:
        tally.count(Example(None, "folder", detail=str(error)))
        return
    for record, read in zip(expected, found, strict=False):
        name = str(getattr(record, "id", None) or getattr(record, "memory_id", ""))
        tally.count(None if record == read else Example(None, name, detail="it is read as another record"))
    if len(expected) != len(found):
        tally.fail(Example(None, "records", len(found), len(expected)))


def _check_secrets(tally: Tally, folder: Path, secrets: Collection[str]) -> None:
    """Whether a secret, or what looks like one where none may be, stands in a file."""
    from gacc_gui.formats.json_values import BadJson, careful
    from gacc_gui.formats.redaction import redacted_value

    needles = [secret.encode() for secret in secrets if secret.strip()]
    for name in (*DATA_FILES, AGGREGATE_FILE, REPORT_FILE):
        if (data := _text_of(folder / name)) is None:
            continue
        found = any(needle in data for needle in needles)
        if not found and name in (PROTOCOL_FILE, INPUT_FILES[2]):
            texts = data.split(b"\n") if name.endswith(".jsonl") else [data]
            try:
                values = [careful(text)[0] for text in texts if text.strip()]
                found = any(redacted_value(value) != value for value in values)
            except BadJson:
                found = False  # it was taken along as it was
        tally.count(Example(None, name, detail="it holds a credential") if found else None)
