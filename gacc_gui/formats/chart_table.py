"""The figures of a chart as CSV, safe to open in a spreadsheet. Owns the writing, not the figures."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from gacc_gui.formats.atomic import written_whole
from gacc_gui.formats.result_table import safe_cell


def write_table(
    path: Path, columns: Sequence[str], rows: Iterable[Sequence[str | int | float | None]]
) -> None:
    """Write rows of figures: UTF-8 with a mark, every text quoted and never a formula, None an empty cell.

    The file appears whole or not at all. Raises GaccError on a failing write.
    """
    with written_whole(path) as part, part.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
        writer.writerow(columns)
        for row in rows:
            writer.writerow([_cell(value) for value in row])


def _cell(value: str | int | float | None) -> str | int | float:
    if value is None:
        return ""
    if isinstance(value, str):
        # A NUL ends the file for many readers of CSV.
        return safe_cell(value.replace("\0", "\N{SYMBOL FOR NULL}"))
    return value
