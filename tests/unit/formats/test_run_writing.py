from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gacc_gui.core.errors import BadInput, GaccError
from gacc_gui.core.records import Answer, Context, Goal, Record, Run
from gacc_gui.formats.gacc_run import read_run_file
from gacc_gui.formats.record_writing import LISTS
from gacc_gui.formats.run_writing import write_run
from tests.unit.formats.made_runs import documents


def records(path: Path) -> list[Record]:
    with read_run_file(path) as file:
        return [item.record for item in file]


@settings(max_examples=80, deadline=None)
@given(documents(), st.sampled_from(["json", "jsonl", "json.gz", "jsonl.gz"]))
def test_reading_what_was_written_is_the_identity(document: dict[str, Any], ending: str) -> None:
    with TemporaryDirectory() as folder:
        first = Path(folder, "first.json")
        first.write_text(json.dumps(document), encoding="utf-8")
        read = records(first)
        second = Path(folder, f"second.{ending}")
        write_run(second, read)
        assert records(second) == read
        again = Path(folder, "again.json")
        write_run(again, records(second))
        assert json.loads(again.read_text(encoding="utf-8")) == document


def test_unknown_fields_that_meet_in_the_run_line(tmp_path: Path) -> None:
    run = Run("r", extra={"a": 1, "b": 2}, top_level={"a": 3, "name": "the document's", "c": 4, "run": 5})
    path = tmp_path / "x.jsonl"
    write_run(path, [run])
    assert json.loads(path.read_text()) == {
        "record": "run",
        "format": "gacc-run",
        "format_version": 1,
        "id": "r",
        "a": 1,
        "b": 2,
        "c": 4,
        "run_fields": ["a", "b"],
        "document_fields": {"a": 3, "name": "the document's", "run": 5},
    }
    assert records(path) == [run]


@pytest.mark.parametrize("ending", ["jsonl", "json"])
def test_unknown_fields_that_are_named_like_a_line_s_own(ending: str, tmp_path: Path) -> None:
    names = ("record", "format", "format_version", "run_fields", "document_fields", "document_lists", "id")
    extra = {name: f"the run's {name}" for name in names[:-1]}
    top_level = {name: f"the document's {name}" for name in names if not name.startswith("format")}
    written: list[Record] = [
        Run("r", extra=extra, top_level=top_level),
        Context("c", "t", extra={"record": "context"}),
        Goal("g", "c", "t", extra={"record": 7, "record_fields": {"record": None}}),
        Goal("g2", "c", "t", extra={"record_fields": [1]}),
        Answer("m", "q", 0, "t", "ok", extra={"record": {"record": "answer"}}),
    ]
    path = tmp_path / f"x.{ending}"
    write_run(path, written)
    assert records(path) == written


def test_fields_without_a_place_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="the unknown field goals has no place in a JSON document"):
        write_run(tmp_path / "x.json", [Run("r", top_level={"goals": 1})])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("between", ["jsonl", "json"])
@pytest.mark.parametrize(
    "lists",
    [
        {},
        {"requests": []},
        {"contexts": [{"id": "c", "text": "t"}], "goals": [], "requests": []},
        {"contexts": [{"id": "c", "text": "t"}], "requests": [{"id": "x", "role": "judge", "content": "t"}]},
        {name: [] for name in LISTS},
    ],
    ids=lambda lists: " ".join(lists) or "none",
)
def test_lists_that_are_empty_or_absent_stay_so(lists: dict[str, Any], between: str, tmp_path: Path) -> None:
    document = {"format": "gacc-run", "format_version": 1, "run": {"id": "r"}, **lists}
    first, second, third = (tmp_path / name for name in ("1.json", f"2.{between}", "3.json"))
    first.write_text(json.dumps(document), encoding="utf-8")
    write_run(second, records(first))
    write_run(third, records(second))
    assert json.loads(third.read_text(encoding="utf-8")) == document


def test_lists_without_records_are_written_empty_but_for_requests(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_run(path, [Run("r"), Answer("m", "q", 0, None, "error")])
    document = json.loads(path.read_text())
    assert list(document) == [
        "format",
        "format_version",
        "run",
        "contexts",
        "goals",
        "questions",
        "memories",
        "answers",
        "verdicts",
    ]
    assert document["answers"] == [
        {"memory_id": "m", "question_id": "q", "repeat": 0, "text": None, "status": "error", "error": None}
    ]


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl.gz", tmp_path / "two.jsonl.gz"
    write_run(one, [Run("r"), Context("c", "é" * 1000)])
    write_run(two, [Run("r"), Context("c", "é" * 1000)])
    assert one.read_bytes() == two.read_bytes()


def test_a_failing_write_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("before")

    def broken() -> Any:
        yield Run("r")
        raise GaccError("the database went away")

    with pytest.raises(GaccError, match="went away"):
        write_run(path, broken())
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_folders_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(GaccError, match="cannot be written: no such file or directory"):
        write_run(tmp_path / "nowhere" / "x.json", [Run("r")])
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(GaccError, match="is a folder"):
        write_run(tmp_path / "folder.json", [Run("r")])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    with pytest.raises(GaccError, match="permission denied"):
        write_run(tmp_path / "x.json", [Run("r")])


def test_a_link_stays_a_link_and_permissions_stay(tmp_path: Path) -> None:
    real = tmp_path / "real.jsonl"
    real.write_text("old")
    real.chmod(0o640)
    link = tmp_path / "link.jsonl"
    link.symlink_to(real)
    write_run(link, [replace(Run("r"), name="n")])
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert records(real) == [Run("r", name="n")]
