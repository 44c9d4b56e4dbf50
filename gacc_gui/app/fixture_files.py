"""The contract diagnostic as a file: the report, or the runs themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gacc_gui.core.records import Record
    from gacc_gui.store.reads import Reader


def write_fixture(target: Path, database: Path, report: Mapping[str, Any]) -> None:
    """Write the stored runs of a report to `.jsonl` (or `.jsonl.gz`), the report itself to any other file.

    Raises GaccError where the file cannot be written; what was there before then stays.
    """
    if target.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson")):
        from gacc_gui.formats.run_writing import write_run
        from gacc_gui.store.reads import Reader

        with Reader(database) as reader:
            write_run(target, _records(reader, [run["id"] for run in report["runs"]]))
        return
    from gacc_gui.formats.atomic import written_whole

    with written_whole(target) as part:
        part.write_text(json.dumps(report, ensure_ascii=False, allow_nan=False, indent=1) + "\n", "utf-8")


def _records(reader: Reader, run_ids: Sequence[str]) -> Iterator[Record]:
    for run_id in run_ids:
        yield from reader.records(run_id)
