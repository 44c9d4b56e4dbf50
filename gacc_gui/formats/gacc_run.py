"""Reads and writes `gacc-run` files (FORMATS.md §1): JSON documents and JSON Lines, either gzipped.

Owns the order of things in a file, the run line, and how a bad record is told. Not the shape of a record
(`formats.schema`, `formats.record_reading`), nor whether what it refers to exists (the store knows).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

from pydantic_core import from_json

from gacc_gui.core.errors import BadInput
from gacc_gui.core.records import KINDS, NOTHING, Json, Record, Run
from gacc_gui.formats.items import Bad, Broken, DatasetHead, Item, Parsed
from gacc_gui.formats.json_values import (
    BadJson,
    careful,
    count_keys,
    is_finite,
    may_repeat_a_key,
    quick,
)
from gacc_gui.formats.lines import ByteSource
from gacc_gui.formats.quick_reading import QUICK
from gacc_gui.formats.record_reading import BadRecord, plain, record_from
from gacc_gui.formats.record_writing import LISTS, unusual_lists

FORMAT: Final = "gacc-run"
DATASET_FORMAT: Final = "gacc-dataset"
FORMAT_VERSION: Final = 1
RUN_FIELDS: Final = (
    "id",
    "name",
    "protocol",
    "created_at",
    "diagnostic_only",
    "tokenizer",
    "reader",
    "judge",
)
_ASIDE: Final = frozenset({"record", "record_fields"})
_MENDED_ID: Final = re.compile(r"(?:\w+\[\d+\]\.|run\.)?(?:id|\w+_id):")
# A float keeps a decimal of up to 15 digits and exponents of two: any other ratio is read from its text.
_LONG_RATIO: Final = re.compile(rb'"ratio"\s*:\s*(?:[-+.0-9eE]{17,}|[-+.0-9]+[eE][-+]?[0-9]{3,})')


class NotARun(BadInput):
    """A readable file that is something else than a run: in a folder of runs it is passed over."""


class OtherFormat(BadRecord):
    """A document or a first line that says, by its `format`, that it is no run, or says nothing."""


class RunFile:
    """One file being read: iterate it once for its items, the run's record first.

    A JSON document (`whole`) raises BadInput for its first bad record; JSON Lines yield `Bad` and read on.
    Raises BadInput where the file as a whole cannot be used. `datasets` says whether a gacc-dataset is read
    too: a DatasetHead then stands where the run's record would.
    """

    def __init__(self, path: Path, datasets: bool = False) -> None:
        self.path = path
        self._formats = (FORMAT, DATASET_FORMAT) if datasets else (FORMAT,)
        self._source = ByteSource(path)
        self.size = self._source.size
        """Bytes on disk."""
        self._lines = self._source.lines()
        self._head: list[bytes] = []
        self._given = self._total = 0  # records of a document, which is parsed as a whole
        self.whole = not self._is_json_lines()
        """Whether one bad record refuses the file."""
        self.lists: frozenset[str] = frozenset()
        """Of a document: the kinds it has records of, known once the run's record was yielded."""

    def __enter__(self) -> RunFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._source.close()

    def position(self) -> int:
        """Return how far the file was read, in bytes on disk; a document's records count as its bytes."""
        read = self._source.position()
        return read * self._given // self._total if self._total else read

    def __iter__(self) -> Iterator[Item]:
        return self._document() if self.whole else self._read_lines()

    def _is_json_lines(self) -> bool:
        """Decide by content where it is clear (the first line is a record of its own), else by name."""
        for line in self._lines:
            self._head.append(line)
            if line.strip():
                break
        first = self._head[-1] if self._head else b""
        value = quick(first)
        stem = self.path.name.lower().removesuffix(".gz")
        by_name = stem.endswith((".jsonl", ".ndjson"))
        if isinstance(value, dict):
            if "record" in value:
                return not _is_document(value, by_name)
            if "format" in value:
                return False
        return by_name

    def _fail(self, reason: str, record: str | None = None) -> BadInput:
        return BadInput(reason, path=str(self.path), record=record)

    def _first_line(self, line: bytes, number: int, reason: str) -> BadInput:
        """Tell a run whose first line is bad from JSON Lines that are something else."""
        value = quick(line)
        is_ours = isinstance(value, dict) and value.get("record") in KINDS
        if value is None or (is_ours and value.get("format", FORMAT) == FORMAT):
            return self._fail(reason, f"line {number}")
        return NotARun(reason, path=str(self.path), record=f"line {number}")

    # JSON Lines

    def _read_lines(self) -> Iterator[Item]:
        last: Bad | None = None  # what may turn out to be the torn last line
        torn = seen_run = False
        number = 0
        for number, line in enumerate(chain(self._head, self._lines), 1):
            item: Parsed | Bad | None = _quick_line(line, number)
            if item is not None and seen_run and last is None:  # nearly every line
                yield item
                continue
            if item is None:
                if line.isspace() or not line:
                    continue
                item, torn = self._line(line, number)
            if last is not None:
                yield last
                last = None
            if isinstance(item, Bad):
                if not seen_run:
                    raise self._first_line(line, number, item.reason)
                torn = torn or not line.endswith(b"\n")
                last = item
                continue
            if not seen_run:
                if not isinstance(item.record, Run | DatasetHead):
                    raise self._first_line(line, number, "the first line is no run record")
                seen_run = True
            yield item
        broken = self._source.broken
        if broken is not None:
            if not seen_run:
                raise self._fail(broken.reason)
            if last is not None and not torn:
                yield last
                last = None
            yield Broken(last.line if last is not None else number + 1, broken.reason)
        elif last is not None:
            yield Broken(last.line, f"incomplete line: {last.reason}") if torn else last
        if not seen_run:
            raise self._fail("the file is empty")

    def _line(self, line: bytes, number: int) -> tuple[Parsed | Bad, bool]:
        """Return what a line holds that is not ordinary, and whether it merely ends too early."""
        value = quick(line)
        repaired: tuple[str, ...] = ()
        try:
            if (
                not isinstance(value, dict)
                or may_repeat_a_key(line, count_keys(value))
                or not is_finite(value)
                or (type(value.get("ratio")) is float and _LONG_RATIO.search(line))
            ):
                value, repaired = careful(line)
                _refuse_mended_ids(repaired)
            record, warnings = _record_of_line(value, self._formats)
        except BadJson as error:
            return Bad(number, error.reason), error.breaks_off
        except BadRecord as error:
            return Bad(number, str(error)), False
        return Parsed(record, number, repaired, warnings), False

    # JSON document

    def _document(self) -> Iterator[Item]:
        value, repaired = self._load()
        if not isinstance(value, dict):
            raise NotARun("no gacc-run: the document is no object", path=str(self.path))
        try:
            check_format(value, self._formats)
        except OtherFormat as error:
            raise NotARun(str(error), path=str(self.path)) from error
        except BadRecord as error:
            raise self._fail(str(error)) from error
        self.lists = frozenset(kind for name, kind in LISTS.items() if value.get(name))
        top_level = {
            name: plain(item)
            for name, item in value.items()
            if name not in LISTS and name not in ("format", "format_version", "run")
        }
        if value["format"] == DATASET_FORMAT:
            yield Parsed(DatasetHead(top_level or NOTHING), None, repaired)
        else:
            record, warnings = self._build("run", value.get("run"), "run")
            filled = {name for name in LISTS if value.get(name)}
            unusual = (*record.unusual, *unusual_lists(LISTS.keys() & value.keys(), filled))
            run = replace(record, top_level=top_level or NOTHING, unusual=unusual)
            yield Parsed(run, None, repaired, warnings)
        self._total = sum(len(items) for name in LISTS if isinstance(items := value.get(name), list))
        for name, kind in LISTS.items():
            items = value.pop(name, [])
            if not isinstance(items, list):
                raise self._fail("is no list", name)
            fast = QUICK.get(kind)
            for index, item in enumerate(items):
                items[index] = None  # a big document is let go while it is read
                self._given += 1
                record = fast[0](item) if fast is not None and type(item) is dict else None
                if record is not None:
                    yield Parsed(record, None)
                    continue
                record, warnings = self._build(kind, item, f"{name}[{index}]")
                yield Parsed(record, None, (), warnings)

    def _load(self) -> tuple[Json, tuple[str, ...]]:
        self._source.rewind()
        data = self._source.read_all()
        if not data.strip():
            raise self._fail("the file is empty")
        value = quick(data)
        if (
            value is not None
            and not may_repeat_a_key(data, count_keys(value))
            and is_finite(value)
            and not _LONG_RATIO.search(data)
        ):
            return value, ()
        try:
            value, repaired = careful(data)
            _refuse_mended_ids(repaired)
        except BadJson as error:
            raise self._fail(error.reason) from error
        except BadRecord as error:
            raise self._fail(str(error)) from error
        return value, repaired

    def _build(self, kind: str, value: Json, place: str) -> tuple[Any, tuple[str, ...]]:
        if not isinstance(value, dict):
            raise self._fail("is missing" if value is None else "is no object", place)
        try:
            return record_from(kind, value)
        except BadRecord as error:
            raise self._fail(str(error), _named(place, value)) from error


def _quick_line(line: bytes, number: int) -> Parsed | None:
    """Return the record of an ordinary line of the three kinds that make up a file's bulk; else None."""
    try:
        value = from_json(line, allow_inf_nan=False)
        build, nested = QUICK[value.pop("record")]
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
    keys = len(value) + 1 + nested
    if line.count(b'":') != keys and may_repeat_a_key(line, keys):
        return None
    record = build(value)
    return None if record is None else Parsed(record, number)


def read_run_file(path: Path | str) -> RunFile:
    """Open a `gacc-run` file for reading; use it as a context manager and iterate it once.

    Raises BadInput naming the file where it cannot be opened; reading raises the rest.
    """
    return RunFile(Path(path))


def run_files(path: Path | str) -> list[Path]:
    """Return the files a path stands for: itself, or every run file of a folder, sorted, none hidden.

    Raises BadInput if there is nothing there, or nothing that can be looked at.
    """
    path = Path(path)
    endings = (".json", ".jsonl", ".ndjson")
    try:
        if not path.is_dir():
            return [path]
        files = sorted(
            file
            for file in path.iterdir()
            if not file.name.startswith(".")
            and file.name.lower().removesuffix(".gz").endswith(endings)
            and file.is_file()
        )
    except OSError as error:
        raise BadInput((error.strerror or str(error)).lower(), path=str(path)) from error
    if not files:
        raise BadInput("no .json or .jsonl file in this folder", path=str(path))
    return files


def check_format(value: Mapping[str, Json], formats: tuple[str, ...] = (FORMAT,)) -> None:
    """Raise BadRecord unless a document or first line says it is of one of these formats, in our version.

    It is OtherFormat where the file is something else altogether.
    """
    name = value.get("format")
    if name not in formats:
        if name == DATASET_FORMAT:
            raise OtherFormat("a gacc-dataset holds no run to import; `lint` checks it")
        raise OtherFormat("no gacc-run: format is " + ("missing" if name is None else repr(name)[:60]))
    version = value.get("format_version")
    if type(version) is not int or version != FORMAT_VERSION:
        raise BadRecord(f"format_version is {version!r:.40}; this program reads version {FORMAT_VERSION}")


def _is_document(value: Mapping[str, Json], is_lines_by_name: bool) -> bool:
    """Whether a line is a whole document, to which `record` is a field that we do not know."""
    lists = any(isinstance(value.get(name), list) for name in LISTS)
    kind = value["record"]
    if isinstance(value.get("run"), dict):
        return kind != "run" or lists or not is_lines_by_name
    return value.get("format") == DATASET_FORMAT and (kind != "dataset" or lists)


def _refuse_mended_ids(repaired: tuple[str, ...]) -> None:
    """Raise BadRecord where an id was repaired: two ids could become one."""
    for sentence in repaired:
        if _MENDED_ID.match(sentence):
            raise BadRecord(f"{sentence.partition(':')[0]} holds half a surrogate pair")


def _named(place: str, value: Mapping[str, Json]) -> str:
    id = value.get("id")
    return f'{place} "{id[:60]}"' if isinstance(id, str) and id else place


def _record_of_line(value: Json, formats: tuple[str, ...]) -> tuple[Record | DatasetHead, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise BadRecord("the line is no object")
    kind = value.pop("record", None)
    if kind == "run":
        return _run_of_line(value)
    if kind == "dataset":
        check_format(value, formats)
        return DatasetHead({n: v for n, v in value.items() if n not in ("format", "format_version")}), ()
    if not isinstance(kind, str) or kind not in KINDS:
        raise BadRecord("record is missing" if kind is None else f"the record kind {kind!r:.60} is not known")
    aside = value.get("record_fields")
    if isinstance(aside, dict) and aside and aside.keys() <= _ASIDE:
        del value["record_fields"]
        value |= aside
    return record_from(kind, value)


def _run_of_line(value: dict[str, Json]) -> tuple[Record, tuple[str, ...]]:
    """Take a run line apart: the run's own fields, and those of the document around it."""
    check_format(value)
    own = value.pop("run_fields", None)
    document = value.pop("document_fields", {})
    lists = value.pop("document_lists", None)
    if not isinstance(document, dict) or not all(
        given is None or isinstance(given, list) for given in (own, lists)
    ):
        raise BadRecord("run_fields or document_lists is no list, or document_fields is no object")
    rest = {name: item for name, item in value.items() if name not in ("format", "format_version")}
    inner = rest.get("run")
    if "id" not in rest and isinstance(inner, dict):  # the run as an object of its own, as in a document
        run = rest.pop("run")
    else:
        run = {name: rest.pop(name) for name in (*RUN_FIELDS, *(own or ())) if name in rest}
    record, warnings = record_from("run", run)
    assert isinstance(record, Run)
    top_level = plain({**rest, **document})
    unusual = () if lists is None else unusual_lists(set(map(str, lists)))
    return replace(record, top_level=top_level or NOTHING, unusual=(*record.unusual, *unusual)), warnings
