"""What runs begin from: imported documents, a demonstration to write to, inputs and models of compaction."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app.importing import import_paths
from tests.compaction_service import Inputs, Models


@pytest.fixture
def imported(tmp_path: Path, run_file: Callable[..., Path]) -> Callable[[dict[str, Any]], Path]:
    """Import a document into a fresh database and return its path."""

    def load(document: dict[str, Any]) -> Path:
        db = tmp_path / "db.sqlite"
        report = import_paths(db, [run_file(document)])
        assert report.files[0].error is None, report.files[0].error
        return db

    return load


@pytest.fixture
def own_demo(demo_database: Path, tmp_path: Path) -> Path:
    """A copy of the demonstration that a test may write to."""
    return Path(shutil.copy(demo_database, tmp_path / "demo.db"))


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    """One case for a compaction run."""
    return Inputs(tmp_path, cases=1)


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """Where a compaction run's folder is to be."""
    return tmp_path / "run"


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Models]:
    """Models on loopback for live compaction runs, which find them in the environment."""
    models = Models(delay=0.0)
    with models.serving():
        monkeypatch.chdir(tmp_path)
        for name, value in models.environment.items():
            monkeypatch.setenv(name, value)
        yield models
