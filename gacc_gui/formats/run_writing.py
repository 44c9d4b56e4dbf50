"""Writes `gacc-run` files, streaming: a JSON document or JSON Lines, gzipped by name.

Reading what is written gives equal records.

Owns the order of things in a written file; a record's object is `formats.record_writing`.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from gacc_gui.core.errors import BadInput
from gacc_gui.core.records import Record, Run
from gacc_gui.formats.atomic import written_whole
from gacc_gui.formats.gacc_run import FORMAT, FORMAT_VERSION
from gacc_gui.formats.json_values import dumps
from gacc_gui.formats.record_writing import KIND_OF, LISTS, has_list, json_line, json_object, plain_mapping

_NAMES: Final = tuple(LISTS)
_KINDS: Final = tuple(LISTS.values())


def write_run(path: Path | str, records: Iterable[Record]) -> None:
    """Write a run to `.json` or `.jsonl`, either with `.gz`; a file there is replaced only by a whole one.

    `records` are the run's own first, then the others; in a document their kinds must come in the order of
    FORMATS.md. Raises GaccError where the file cannot be written, BadInput where an unknown field has no
    place in this form.
    """
    path = Path(path)
    name = path.name.lower()
    write = _write_lines if name.removesuffix(".gz").endswith((".jsonl", ".ndjson")) else _write_document
    with written_whole(path) as part, _opened(part, packed=name.endswith(".gz")) as file:
        write(file.write, iter(records))


@contextmanager
def _opened(path: Path, packed: bool) -> Iterator[BinaryIO]:
    with path.open("wb") as file:
        if not packed:
            yield file
            return
        # No time and no name inside: the same run gives the same bytes.
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=6, mtime=0) as zipped:
            yield zipped  # type: ignore[misc]


def _write_lines(write: Callable[[bytes], object], records: Iterator[Record]) -> None:
    for record in records:
        write(dumps(json_line(record)).encode() + b"\n")


def _write_document(write: Callable[[bytes], object], records: Iterator[Record]) -> None:
    run = next(records)
    if not isinstance(run, Run):
        raise TypeError("the run's own record comes first")
    for name in ("format", "format_version", "run", *LISTS):
        if name in run.top_level:
            raise BadInput(f"the unknown field {name} has no place in a JSON document; export to .jsonl")
    head = {"format": FORMAT, "format_version": FORMAT_VERSION, **plain_mapping(run.top_level)}
    write((dumps(head)[:-1] + ',\n"run":' + dumps(json_object(run))).encode())
    at = -1
    for record in records:
        place = _KINDS.index(KIND_OF[type(record)])
        if place < at:
            raise ValueError(f"a {_KINDS[place]} after the {_NAMES[at]}")
        if place == at:
            write(b",\n")
        else:
            write(_end_list(at) + _empty_lists(run, at, place) + f',\n"{_NAMES[place]}":[\n'.encode())
            at = place
        write(dumps(json_object(record)).encode())
    write(_end_list(at) + _empty_lists(run, at, len(_NAMES)) + b"\n}\n")


def _end_list(at: int) -> bytes:
    return b"\n]" if at >= 0 else b""


def _empty_lists(run: Run, after: int, before: int) -> bytes:
    names = [name for name in _NAMES[after + 1 : before] if has_list(run, name)]
    return "".join(f',\n"{name}":[]' for name in names).encode()
