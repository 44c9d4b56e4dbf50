from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app.importing import import_paths
from gacc_gui.app.listing import open_reader, question_results, runs
from gacc_gui.app.managing import delete_run, rename_run
from gacc_gui.core.errors import BadUsage, StoreError

Document = dict[str, Any]


@pytest.fixture
def database(tmp_path: Path, run_document: Document, run_file: Callable[..., Path]) -> Path:
    path = tmp_path / "small.db"
    import_paths(path, [run_file(run_document)])
    return path


def test_a_missing_database_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no database at .*none\.db"):
        open_reader(tmp_path / "none.db")
    with pytest.raises(StoreError, match="there is no database"):
        delete_run(tmp_path / "none.db", "small")
    assert list(tmp_path.iterdir()) == []


def test_runs_and_rows(database: Path) -> None:
    with open_reader(database) as reader:
        (summary,) = runs(reader)
        assert (summary.run.id, summary.goals, summary.questions, summary.answers) == ("small", 1, 3, 3)
        rows = question_results(reader, "small")
        assert isinstance(rows, Iterator)  # one at a time, however many
        assert [(row.question_id, row.cause) for row in rows] == [
            ("q1", "correct"),
            ("q2", "truncation"),
            ("q3", "truncation"),
        ]


def test_rename_and_delete_take_a_name_or_an_id(database: Path) -> None:
    assert rename_run(database, "a small run", "another name") == "small"
    with pytest.raises(BadUsage, match="must not be empty"):
        rename_run(database, "small", "\n")
    assert delete_run(database, "another name") == "small"
    with open_reader(database) as reader:
        assert runs(reader) == []
    with pytest.raises(BadUsage, match="there is no run 'small'"):
        rename_run(database, "small", "x")
