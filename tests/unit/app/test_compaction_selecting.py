"""Selecting: the counts, the file, and that nothing is ever overwritten."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app.compaction_selecting import TooFewQuestions, select_questions
from gacc_gui.core.errors import BadInput, BadUsage
from gacc_gui.core.hotpot_selection import order_of
from tests.hotpot_files import hotpot_row, write_json, write_parquet

COUNTS = {"bridge": 3, "comparison": 2}


def rows() -> list[dict[str, Any]]:
    return [
        *(hotpot_row(f"b{number}") for number in range(5)),
        *(hotpot_row(f"c{number}", "comparison") for number in range(4)),
        hotpot_row("other", "yesno", characters=10),
        hotpot_row("nine", titles=[f"n {number}" for number in range(9)]),
        hotpot_row("short", characters=5_999),
        hotpot_row("long", characters=32_001, facts=[["nowhere", 0]]),
        hotpot_row("astray", facts=[["astray 0", 2]]),
    ]


def test_what_each_filter_dropped(tmp_path: Path) -> None:
    selection = select_questions(write_json(tmp_path / "d.json", rows()), tmp_path / "s.json", COUNTS, 1)
    assert selection.rows == 14
    assert {drop.filter: (drop.failing, drop.dropped) for drop in selection.drops} == {
        "type": (1, 1),
        "articles": (1, 1),
        "evidence": (3, 2),
        "references": (2, 1),
    }


def test_the_file_says_what_was_selected_and_from_what(tmp_path: Path) -> None:
    output = tmp_path / "s.json"
    select_questions(write_json(tmp_path / "d.json", rows()), output, COUNTS, 1)
    document = json.loads(output.read_text(encoding="utf-8"))
    bridge = sorted((f"b{number}" for number in range(5)), key=lambda id: order_of(1, id))[:3]
    comparison = sorted((f"c{number}" for number in range(4)), key=lambda id: order_of(1, id))[:2]
    assert document["ids"] == [case["id"] for case in document["cases"]] == bridge + comparison
    assert [case["order"] for case in document["cases"]] == [order_of(1, id) for id in document["ids"]]
    assert all(check["ok"] for case in document["cases"] for check in case["checks"])
    assert (document["seed"], document["dataset"]["rows"]) == (1, 14)
    assert document["candidates"] == {"bridge": 5, "comparison": 4}


def test_the_same_bytes_from_either_form(tmp_path: Path) -> None:
    made = rows()
    select_questions(write_json(tmp_path / "d.json", made), tmp_path / "a.json", COUNTS, 5)
    select_questions(write_parquet(tmp_path / "d.parquet", made), tmp_path / "b.json", COUNTS, 5)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_the_order_of_the_rows_does_not_matter_to_what_is_selected(tmp_path: Path) -> None:
    made = rows()
    first = select_questions(write_json(tmp_path / "d.json", made), tmp_path / "a.json", COUNTS, 5)
    second = select_questions(write_json(tmp_path / "e.json", made[::-1]), tmp_path / "b.json", COUNTS, 5)
    assert first.choice.taken == second.choice.taken


def test_too_few_is_refused_with_the_numbers(tmp_path: Path) -> None:
    made = [
        *rows(),
        hotpot_row("c9", "comparison", titles=[f"b{number} 0" for number in range(5)] + list("vwxyz")),
    ]
    with pytest.raises(TooFewQuestions) as caught:
        select_questions(
            write_json(tmp_path / "d.json", made), tmp_path / "s.json", {"bridge": 5, "comparison": 5}, 1
        )
    assert (
        "comparison: 5 asked for, 5 pass the filters and 4 of them can be taken without sharing an article"
        in str(caught.value)
    )
    assert "\n" not in str(caught.value)
    assert caught.value.selection.choice.count("bridge") == 5
    assert not (tmp_path / "s.json").exists()


def test_what_is_available_does_not_depend_on_what_was_asked_for(tmp_path: Path) -> None:
    data = write_json(tmp_path / "d.json", rows())
    said = set()
    for bridge in (0, 1, 2):
        with pytest.raises(TooFewQuestions) as caught:
            select_questions(data, tmp_path / "s.json", {"bridge": bridge, "comparison": 99}, 1)
        choice = caught.value.selection.choice
        assert choice.count("bridge") == bridge
        said.add(choice.available["bridge"])
        assert f"bridge: {bridge} asked for, 5 pass the filters and 5 of them" in str(caught.value)
    assert said == {5}


def test_an_output_that_is_there_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    output = tmp_path / "s.json"
    output.write_text("mine")
    with pytest.raises(BadUsage, match="already there"):
        select_questions(tmp_path / "no.json", output, COUNTS, 1)
    assert output.read_text() == "mine"


def test_nothing_asked_for_and_nothing_readable(tmp_path: Path) -> None:
    with pytest.raises(BadUsage, match="nothing to select"):
        select_questions(tmp_path / "d.json", tmp_path / "s.json", {"bridge": 0, "comparison": 0}, 1)
    with pytest.raises(BadInput, match="row 2"):
        select_questions(write_json(tmp_path / "d.json", [rows()[0], 1]), tmp_path / "s.json", COUNTS, 1)
    assert not (tmp_path / "s.json").exists()
