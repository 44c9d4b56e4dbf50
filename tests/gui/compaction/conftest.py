"""A small compaction run in a database, and its views, for the tests of the window's view of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gacc_gui.app.compaction_viewing import case_view, overview
from gacc_gui.app.compaction_views import CaseView, Overview
from gacc_gui.store.reads import Reader
from tests.compaction_run import small_run_records, stored


@pytest.fixture(scope="session")
def compaction_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small run with every fault, of three cases; for reading."""
    return stored(tmp_path_factory.mktemp("compaction") / "small.db", small_run_records(3))


@pytest.fixture(scope="session")
def small_overview(compaction_database: Path) -> Overview:
    """The run as it is looked at."""
    with Reader(compaction_database) as reader:
        return overview(reader, reader.runs()[0].run)


@pytest.fixture(scope="session")
def small_case(compaction_database: Path, small_overview: Overview) -> Callable[[int], CaseView]:
    """One of its cases in full, by its place from 0."""

    def case(place: int) -> CaseView:
        with Reader(compaction_database) as reader:
            found = case_view(reader, small_overview.run, small_overview.cases[place].id)
        assert found is not None
        return found

    return case
