"""A database of a version that knew neither reviews nor probes, and had imported a document with some."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app.exporting import export_run
from gacc_gui.app.importing import import_paths
from gacc_gui.app.reviewing import Decision, add_review, reviewed_of
from gacc_gui.store.database import open_database
from gacc_gui.store.document_fields import keep_fields
from gacc_gui.store.reads import Reader

Document = dict[str, Any]
GIVEN = {"memory_id": "m1", "question_id": "q2", "created_at": "2026-11-29T10:00:00Z"}
REVIEW = {"id": "v1", **GIVEN, "decision": "correct", "reviewer": "Ada", "mood": [1]}
LATER = {**REVIEW, "id": "v2", "memory_id": "nowhere"}
PROBE = {"id": "p1", **GIVEN, "with": "source", "answer": {"text": "a", "status": "ok", "error": None}}


@pytest.fixture
def old(
    tmp_path: Path, run_file: Callable[..., Path], run_document: Document
) -> Callable[..., tuple[Path, Path]]:
    """Makes the database that such a version left, and the file that it came from."""

    def make(**lists: list[Any]) -> tuple[Path, Path]:
        plain = run_file(copy.deepcopy(run_document))
        path = tmp_path / "old.db"
        import_paths(path, [plain])
        with open_database(path) as database, Reader(path) as reader:
            (summary,) = reader.runs()
            run = summary.run
            keep_fields(database.connection, replace(run, top_level={**run.top_level, **lists}))
        file = tmp_path / "with.json"
        file.write_text(json.dumps({**run_document, **lists}), encoding="utf-8")
        return path, file

    return make


def exported(path: Path, target: Path) -> Document:
    export_run(path, "small", target)
    return json.loads(target.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "lists", [{"reviews": [REVIEW]}, {"reviews": [REVIEW], "probes": [PROBE]}, {"probes": []}]
)
def test_the_same_file_is_there_already_and_is_exported_as_a_new_import_would_be(
    old: Callable[..., tuple[Path, Path]], tmp_path: Path, lists: dict[str, list[Any]]
) -> None:
    path, file = old(**lists)
    (report,) = import_paths(path, [file]).files
    assert report.error is None and not report.added and not report.conflicts and not report.quarantined
    import_paths(tmp_path / "new.db", [file])
    document = exported(path, tmp_path / "a.json")
    assert document == exported(tmp_path / "new.db", tmp_path / "b.json")
    assert {name: document[name] for name in lists} == lists


def test_an_export_needs_no_import_before(old: Callable[..., tuple[Path, Path]], tmp_path: Path) -> None:
    path, _ = old(reviews=[REVIEW], probes=[PROBE])
    document = exported(path, tmp_path / "a.json")
    assert (document["reviews"], document["probes"]) == ([REVIEW], [PROBE])
    with Reader(path) as reader:
        assert [row.label for row in reviewed_of(reader, "small").rows] == ["correct"]


def test_a_decision_comes_after_those_that_were_there(old: Callable[..., tuple[Path, Path]]) -> None:
    path, _ = old(reviews=[{**REVIEW, "created_at": "2999-01-01T00:00:00Z"}])
    add_review(path, "small", Decision("m1", "q2", 0, "unclear", "Ada"))
    with Reader(path) as reader:
        assert [row.standing.decides.decision for row in reviewed_of(reader, "small").rows] == ["unclear"]


def test_what_has_no_row_waits_and_what_is_no_record_stays(
    old: Callable[..., tuple[Path, Path]], tmp_path: Path
) -> None:
    bad = {"id": "v3", "note": "an opinion"}
    path, _ = old(reviews=[REVIEW, LATER, bad, "nothing"])
    export_run(path, "small", tmp_path / "a.jsonl")
    with Reader(path) as reader:
        (summary,) = reader.runs()
        assert [review.id for review in reader.reviews("small")] == ["v1"]
    assert summary.run.top_level["reviews"] == [bad, "nothing"]
    with open_database(path) as database:
        assert database.connection.execute("SELECT kind, key FROM waiting").fetchall() == [
            ("review", '["v2"]')
        ]
