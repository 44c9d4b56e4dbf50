"""What is in a database: its runs, and every row of a run. Reads only; never creates a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gacc_gui.store.reads import Reader
    from gacc_gui.store.rows import QuestionResult, RunSummary


def open_reader(path: Path) -> Reader:
    """Open a database for reading. Raises StoreError, in one sentence, where that is impossible."""
    from gacc_gui.store.reads import Reader

    return Reader(path)


def runs(reader: Reader) -> list[RunSummary]:
    """Return the runs of the database in the order in which they came."""
    return reader.runs()


def question_results(reader: Reader, run_id: str) -> Iterator[QuestionResult]:
    """Yield every row of a run, by memory, repeat and question in file order; memory use stays flat."""
    return reader.question_results(run_id)
