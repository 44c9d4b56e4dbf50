"""The table of a run's rows, one per question under one memory and repeat, for `.csv` and `.parquet`.

Owns its columns and how they are written, safe to open in a spreadsheet. Filling it is `app.exporting`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.core.records import Run
from gacc_gui.formats.atomic import written_whole
from gacc_gui.formats.json_values import dumps

if TYPE_CHECKING:
    import pyarrow

_ROW_GROUP: Final = 20_000

# What a spreadsheet takes for a formula, also behind blanks and invisible characters, and full-width.
_FORMULA: Final = re.compile(
    r"[\s\x00-\x20\u200b-\u200f\u2060\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]"
)


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One row; the fields are the columns, in order.

    `label` is the one that counts, `judge_label` what the judge said. Token counts are the declared ones.
    `reviewed_label` and `reviewed_cause` are those that stand with reviewers' decisions, on every row: where
    nobody decided they are `label` and `cause`. `review_decision` and `reviewer` are of the decision that
    counts, `reviews` says how many reviewers have one, `review_conflict` whether they disagree.
    """

    run_id: str
    run_name: str | None
    diagnostic_only: bool | None
    context_id: str
    context_title: str | None
    origin: str | None
    license: str | None
    goal_id: str
    goal: str
    question_id: str
    question: str
    references: tuple[str, ...] | None
    memory_id: str
    memory_status: str
    condition: str
    shown_goal_id: str | None
    compressor: str
    revision: str
    ratio: str
    budget: int | None
    generation: int
    repeat: int
    source_tokens: int | None
    proposed_tokens: int | None
    retained_tokens: int | None
    fate: str
    cause: str
    flags: tuple[str, ...]
    label: str | None
    status: str
    judge_label: str | None
    has_answer: bool
    answer: str | None
    answer_status: str | None
    rationale: str | None
    reviewed_label: str | None
    reviewed_cause: str
    review_decision: str | None
    reviewer: str | None
    reviews: int
    review_conflict: bool


COLUMNS: Final = tuple(field.name for field in fields(ResultRow))


def write_csv(path: Path, rows: Iterable[ResultRow]) -> None:
    """Write the rows as CSV: UTF-8 with a mark, so that spreadsheets see it; every text quoted.

    A text that a spreadsheet would take for a formula gets an apostrophe before it. None is an empty cell;
    `has_answer` tells an empty answer from none. Lossless is `.jsonl`. Raises GaccError on a failing write.
    """
    with written_whole(path) as part, part.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
        writer.writerow(COLUMNS)
        for row in rows:
            writer.writerow([_cell(name, getattr(row, name)) for name in COLUMNS])


def safe_cell(text: str) -> str:
    """Return the text as a spreadsheet may see it: never a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def _cell(name: str, value: Any) -> str | int:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return value
    if isinstance(value, tuple):
        return " ".join(value) if name == "flags" else dumps(list(value))
    # A NUL ends the file for many readers of CSV.
    return safe_cell(value.replace("\0", "\N{SYMBOL FOR NULL}"))


def write_parquet(path: Path, run: Run, rows: Iterable[ResultRow]) -> None:
    """Write the rows as Parquet with an explicit schema; the run's record is in the file's metadata.

    Raises GaccError on a failing write.
    """
    import pyarrow
    from pyarrow import parquet

    from gacc_gui.formats.record_writing import json_object

    schema = _schema().with_metadata({"gacc_run": dumps(json_object(run))})
    with (
        written_whole(path) as part,
        part.open("wb") as file,
        parquet.ParquetWriter(file, schema, compression="zstd") as writer,
    ):
        for batch in _batches(rows):
            columns = [[_listed(getattr(row, name)) for row in batch] for name in COLUMNS]
            arrays = [
                pyarrow.array(values, field.type) for values, field in zip(columns, schema, strict=True)
            ]
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))


def _schema() -> pyarrow.Schema:
    import pyarrow

    types = {
        "str": pyarrow.string(),
        "int": pyarrow.int64(),
        "bool": pyarrow.bool_(),
        "tuple[str, ...]": pyarrow.list_(pyarrow.string()),
    }
    return pyarrow.schema(
        pyarrow.field(field.name, types[str(field.type).removesuffix(" | None")])
        for field in fields(ResultRow)
    )


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _batches(rows: Iterable[ResultRow]) -> Iterator[list[ResultRow]]:
    rows = iter(rows)
    while batch := list(islice(rows, _ROW_GROUP)):
        yield batch
