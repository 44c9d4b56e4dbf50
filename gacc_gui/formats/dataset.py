"""Reads the items of a file for checking: contexts, goals and questions of a `gacc-dataset` or a `gacc-run`.

Owns which records count as items. Reading itself is `formats.gacc_run`, checking `app.linting`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gacc_gui.core.records import Context, Goal, Question
from gacc_gui.formats.gacc_run import RunFile
from gacc_gui.formats.items import Item, Parsed


def read_item_records(path: Path | str) -> Iterator[Item]:
    """Yield every context, goal and question of a file, and every line that holds no usable record.

    Raises BadInput where the file as a whole, or in a JSON document one record, cannot be used.
    """
    with RunFile(Path(path), datasets=True) as file:
        for item in file:
            if not isinstance(item, Parsed) or isinstance(item.record, Context | Goal | Question):
                yield item
