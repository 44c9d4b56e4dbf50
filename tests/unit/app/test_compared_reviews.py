"""A comparison as reviewed is the comparison of runs whose judge had said so."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from gacc_gui.app.comparing import AS_JUDGED, Comparison, compare
from gacc_gui.app.importing import import_paths
from gacc_gui.app.reviewing import Decision, add_review
from gacc_gui.core.terms import GOALS
from gacc_gui.store.reads import Reader

Document = dict[str, Any]


def twin_of(document: Document, run_id: str) -> Document:
    twin = copy.deepcopy(document)
    twin["run"] |= {"id": run_id, "name": f"run {run_id}"}
    return twin


def decide(database: Path, run_id: str, question: str, decision: str) -> None:
    add_review(database, run_id, Decision("m1", question, 0, decision, "Ada"))


def compared(database: Path, a: str, b: str) -> Comparison:
    with Reader(database) as reader:
        return compare(reader, a, b)


def test_labels_of_reviewers_count_as_a_judges(
    tmp_path: Path, run_file: Callable[..., Path], run_document: Document
) -> None:
    database = tmp_path / "a.db"
    judged_so = twin_of(run_document, "so")
    judged_so["verdicts"] = [{**one, "label": "correct"} for one in judged_so["verdicts"]]
    judged_so["verdicts"][0] |= {"label": None, "status": "unparsed"}
    for number, document in enumerate((run_document, twin_of(run_document, "b"), judged_so)):
        import_paths(database, [run_file(document, f"{number}.json")])
    before = compared(database, "small", "b")
    assert before.reviewed == (None,) and AS_JUDGED.format(GOALS) not in before.notes
    for question, decision in (("q1", "unclear"), ("q2", "correct"), ("q3", "correct")):
        decide(database, "b", question, decision)
    found = compared(database, "small", "b")
    assert found.cells == before.cells and AS_JUDGED.format(GOALS) in found.notes
    (reviewed,) = found.reviewed
    assert reviewed is not None and reviewed.decided == 3
    assert reviewed.figures == compared(database, "small", "so").cells[0]
    # Either way round, and with itself: a row that stands on both sides is decided once.
    (back,) = compared(database, "b", "small").reviewed
    assert back is not None and back.figures.micro.difference == -(reviewed.figures.micro.difference or 0)
    (itself,) = compared(database, "b", "b").reviewed
    assert itself is not None and (itself.decided, itself.figures.micro.difference) == (3, 0.0)
    for question in ("q1", "q2", "q3"):
        decide(database, "b", question, "clear")
    assert compared(database, "small", "b").reviewed == (None,)


def test_only_cells_with_decisions_are_computed_again(
    tmp_path: Path, run_file: Callable[..., Path], run_document: Document
) -> None:
    document = run_document
    for part, key in (("memories", "id"), ("answers", "memory_id"), ("verdicts", "memory_id")):
        document[part] += [{**one, key: "m2"} for one in document[part]]
    document["memories"][1]["ratio"] = "0.25"
    database = tmp_path / "a.db"
    import_paths(database, [run_file(document), run_file(twin_of(document, "b"), "b.json")])
    decide(database, "small", "q2", "correct")
    found = compared(database, "small", "b")
    places = {cell.a.ratio: one for cell, one in zip(found.cells, found.reviewed, strict=True)}
    assert places["0.25"] is None
    half = places["0.5"]
    assert half is not None and half.figures == replace(
        half.figures, a=found.cells[-1].a, right_a=2, right_b=1, pairs=3
    )
