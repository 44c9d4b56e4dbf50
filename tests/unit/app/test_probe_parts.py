"""Whose parts are asked again: the contract diagnostic's, and an imported run's only where they are ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app.fixture import run_fixture
from gacc_gui.app.probe_planning import ProbeRequest
from gacc_gui.app.probe_rows import Selection
from gacc_gui.app.probing import ask_again
from gacc_gui.core.errors import BadUsage

EVERYTHING = Selection(filter="", most=10_000)


def test_the_contract_diagnostic_is_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "fixture.db"
    run_fixture(path, [42])
    document = ask_again(path, "fixture-42", ProbeRequest(EVERYTHING)).as_json()
    # The last field of each goal is cut off, and nothing else fails.
    assert [row["finding"] for row in document["rows"]] == [
        "right with the tail restored: truncation confirmed"
    ] * 4


def test_a_run_that_was_only_imported_says_so(
    imported: Callable[..., Path], run_document: dict[str, Any]
) -> None:
    run_document["run"]["reader"] = {"name": "some-model", "revision": "7"}
    path = imported(run_document)
    with pytest.raises(BadUsage) as told:
        ask_again(path, "small", ProbeRequest(EVERYTHING))
    assert str(told.value) == (
        "the run 'small' was only imported, and its reader (some-model 7) is not here to be asked again"
    )


def test_another_reader_of_the_same_name_is_not_asked(
    imported: Callable[..., Path], run_document: dict[str, Any]
) -> None:
    path = imported(run_document)  # its reader is called `rule` 1, and answers with a name
    with pytest.raises(BadUsage, match=r"ours of that name \(rule 1\) answers otherwise"):
        ask_again(path, "small", ProbeRequest(Selection("m1", "q1"), ("empty",)))


def test_a_run_without_a_reader_says_so(imported: Callable[..., Path], run_document: dict[str, Any]) -> None:
    del run_document["run"]["judge"]
    path = imported(run_document)
    with pytest.raises(BadUsage, match=r"its judge \(nameless\) is not here"):
        ask_again(path, "small", ProbeRequest(Selection("m1", "q2"), ("empty",)))
