from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app.importing import import_paths
from gacc_gui.app.metrics import Metrics, run_metrics
from gacc_gui.core.errors import BadUsage
from gacc_gui.store.reads import Reader

Document = dict[str, Any]


@pytest.fixture
def metrics(tmp_path: Path, run_file: Callable[..., Path]) -> Callable[..., Metrics]:
    """Import a document and return the figures of its run."""

    def figures(document: Document, by_origin: bool = False) -> Metrics:
        database = tmp_path / "metrics.db"
        import_paths(database, [run_file(document)])
        with Reader(database) as reader:
            return run_metrics(reader, document["run"]["id"], by_origin)

    return figures


def with_second_context(document: Document, all_right: bool = False) -> Document:
    """The small run with its context, goal and results a second time, from another origin."""
    twin = copy.deepcopy(document)
    for name in ("contexts", "goals", "questions", "memories", "answers", "verdicts"):
        for record in twin[name]:
            for field in ("id", "context_id", "goal_id", "shown_goal_id", "memory_id", "question_id"):
                if field in record:
                    record[field] += "-2"
        document[name] += twin[name]
    document["contexts"][1]["origin"] = "elsewhere"
    for verdict in document["verdicts"][3:]:
        verdict["label"] = "correct" if all_right else verdict["label"]
    return document


def test_one_context_has_no_interval_and_says_so(
    metrics: Callable[..., Metrics], run_document: Document
) -> None:
    found = metrics(run_document)
    (cell,) = found.cells
    assert (cell.micro.errors_as_wrong, cell.micro_ci95, cell.macro_ci95) == (1 / 3, None, None)
    assert found.warnings == (
        "a diagnostic run: its figures are not comparable with the benchmark's tables",
        "cells with one context have no interval: 1 of 1",
    )


def test_a_macro_of_zero_gets_a_wilson_interval_and_says_so(
    metrics: Callable[..., Metrics], run_document: Document
) -> None:
    run_document["run"]["diagnostic_only"] = False
    found = metrics(with_second_context(run_document))
    (cell,) = found.cells
    assert cell.macro.errors_as_wrong == 0
    assert cell.macro_ci95_method == "wilson"
    assert cell.macro_ci95 is not None and cell.macro_ci95[0] == 0 and cell.macro_ci95[1] > 0.5
    (warning,) = found.warnings
    assert warning.startswith("where Macro is exactly 0 or 1, its interval is Wilson's")


def test_cells_split_by_origin_add_up(metrics: Callable[..., Metrics], run_document: Document) -> None:
    document = with_second_context(run_document, all_right=True)
    (whole,) = metrics(document).cells
    ours, elsewhere = sorted(metrics(document, by_origin=True).cells, key=lambda cell: cell.correct)
    assert (ours.origin, elsewhere.origin) == ("ours", "elsewhere")
    assert (ours.macro.errors_as_wrong, elsewhere.macro.errors_as_wrong) == (0, 1)
    assert ours.questions + elsewhere.questions == whole.questions == 6
    assert whole.macro.errors_as_wrong == 0.5 and whole.macro_ci95_method == "bootstrap"


def test_rows_without_a_verdict_and_goals_without_a_question(
    metrics: Callable[..., Metrics], run_document: Document
) -> None:
    run_document["verdicts"].pop()
    run_document["goals"].append({"id": "idle", "context_id": "c1", "text": "Keep nothing."})
    found = metrics(run_document)
    (cell,) = found.cells
    assert (cell.questions, cell.judged, cell.incomplete_goals, cell.missing_goals) == (3, 2, 1, 0)
    assert cell.micro.errors_excluded == 0.5 and cell.macro.errors_excluded is None
    assert "goals without a question are in no figure: idle" in found.warnings
    assert "cells with rows without a verdict: 1 of 1; see both error policies" in found.warnings


def test_an_unknown_run(metrics: Callable[..., Metrics], run_document: Document, tmp_path: Path) -> None:
    metrics(run_document)
    with Reader(tmp_path / "metrics.db") as reader, pytest.raises(BadUsage, match="nope"):
        run_metrics(reader, "nope")
