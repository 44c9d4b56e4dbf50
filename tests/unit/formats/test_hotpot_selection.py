"""The selection file read back, and what makes one unusable."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app.compaction_selecting import select_questions
from gacc_gui.core.errors import BadInput
from gacc_gui.formats.hotpot_selection import read_selection
from gacc_gui.formats.hotpotqa import read_questions
from tests.compaction_cases import hotpot_rows
from tests.hotpot_files import write_json


@pytest.fixture
def selection(tmp_path: Path) -> Path:
    dataset = write_json(tmp_path / "d.json", hotpot_rows(4))
    select_questions(dataset, tmp_path / "s.json", {"bridge": 1, "comparison": 1}, 7)
    return tmp_path / "s.json"


def test_what_was_written(selection: Path) -> None:
    document = json.loads(selection.read_text(encoding="utf-8"))
    read = read_selection(selection)
    assert read.seed == 7
    assert read.dataset_sha256 == document["dataset"]["content_sha256"]
    assert [case.id for case in read.cases] == document["ids"]
    assert [case.kind for case in read.cases] == ["bridge", "comparison"]
    rows = {question.id: question for question in read_questions(selection.parent / "d.json")}
    assert all(case.content_sha256 == rows[case.id].content_sha256() for case in read.cases)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda d: d.update(format="x"), r"s\.json: it is no selection"),
        (lambda d: d.update(format_version=9), "its format_version is 9"),
        (lambda d: d.update(cases=[], ids=[]), "it selects nothing"),
        (lambda d: d.update(seed="7"), "its seed is no whole number"),
        (lambda d: d.pop("dataset"), "there is no dataset"),
        (lambda d: d["ids"].reverse(), "its ids are not those of its cases"),
        (lambda d: d["cases"].append(d["cases"][0]), r"s\.json: case 3: an earlier case has the id"),
        (lambda d: d["cases"].append(7), "case 3: it is no object"),
        (lambda d: d["cases"][1].update(type="x"), "case 2: its type is 'x'"),
        (lambda d: d["cases"][1].pop("content_sha256"), "case 2: there is no content_sha256"),
    ],
)
def test_what_is_refused(selection: Path, change: Callable[[dict[str, Any]], Any], reason: str) -> None:
    document = json.loads(selection.read_text(encoding="utf-8"))
    change(document)
    with pytest.raises(BadInput, match=reason):
        read_selection(write_json(selection, document))


def test_no_json(selection: Path) -> None:
    selection.write_text('{"format": 1, "format": 2}', encoding="utf-8")
    with pytest.raises(BadInput, match="stands twice"):
        read_selection(selection)
