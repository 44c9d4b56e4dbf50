"""`compare` as a person types it."""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.compaction_run import small_run_records, stored
from tests.conftest import CommandLine

TOP = ["a", "b", "differs", "matched", "only_a", "only_b", "texts_differ", "cells"]
CELL = ["a", "b", "pairs", "both_right", "fixed", "broken", "both_wrong", "unlabelled", "micro", "macro"]


@pytest.fixture(scope="module")
def two_runs(small_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small run, and the same by another compressor and reader, with another label; for reading."""
    folder = tmp_path_factory.mktemp("two")
    shutil.copy(small_database, folder / "two.db")
    twin = json.loads((small_database.parent / "run.json").read_text(encoding="utf-8"))
    twin["run"] |= {"id": "twin: 1,2", "name": "the twin", "reader": {"name": "other", "revision": "2"}}
    twin["memories"][0]["compressor"]["name"] = "tail, first"
    twin["verdicts"][1]["label"] = "correct"
    (folder / "twin.json").write_text(json.dumps(twin), encoding="utf-8")
    CommandLine(folder).holds("twin.json", "two.db")
    return folder / "two.db"


@pytest.fixture
def runs(cli: CommandLine, two_runs: Path) -> CommandLine:
    """A command line beside `a.db`, a copy of the two runs."""
    shutil.copy(two_runs, cli.folder / "a.db")
    return cli


def test_the_document(runs: CommandLine) -> None:
    document = runs(
        "compare", "small", "twin: 1,2:compressor=tail, first,ratio=0.50", "--db", "a.db", "--json"
    ).json
    assert set(TOP) <= set(document)
    assert document["differs"] == [
        {"name": "reader", "a": "rule 1", "b": "other 2"},
        {"name": "compressor", "a": "lead", "b": "tail, first"},
    ]
    assert [document[name] for name in ("matched", "only_a", "only_b", "texts_differ")] == [3, 0, 0, 0]
    assert (document["a"], document["b"]) == ("small", "twin: 1,2:compressor=tail, first,ratio=0.50")
    (cell,) = document["cells"]
    assert set(CELL) <= set(cell)
    assert cell["a"] == {"compressor": "lead", "revision": "1", "condition": "own-goal", "ratio": "0.5"}
    assert [cell[name] for name in CELL[2:8]] == [3, 1, 1, 0, 1, 0]
    assert cell["micro"] == {"a": 1 / 3, "b": 2 / 3, "difference": 1 / 3, "ci95": None}
    macro = {"a": 0.0, "b": 0.0, "difference": 0.0, "fixed_goals": 0, "broken_goals": 0, "mcnemar_p": 1.0}
    assert cell["macro"] == {**macro, "ci95": None}


def test_for_people(runs: CommandLine) -> None:
    told = runs("--db", "a.db", "compare", "small", "the twin")
    assert "reader" in told.out and "tail, first" in told.out and "+0.333" in told.out
    assert "diagnostic" in told.err


def test_where_several_revisions_fit_they_are_named(runs: CommandLine, run_document: dict[str, Any]) -> None:
    twice = copy.deepcopy(run_document)
    twice["run"] |= {"id": "twice", "name": "twice"}
    for one in ("memories", "answers", "verdicts"):
        key = "id" if one == "memories" else "memory_id"
        twice[one] += [{**copy.deepcopy(item), key: f"{item[key]}b"} for item in twice[one]]
    half = len(twice["memories"]) // 2
    for number, memory in enumerate(twice["memories"]):
        memory["compressor"] = {"name": "pick", "revision": "1" if number < half else "2"}
    path = runs.folder / "twice.json"
    path.write_text(json.dumps(twice), encoding="utf-8")
    runs.holds(path, "a.db")
    a, b = "small:compressor=lead,condition=own-goal", "twice:compressor=pick,condition=own-goal"
    document = runs("compare", a, b, "--db", "a.db", "--json").json
    assert (document["matched"], document["only_a"], document["only_b"]) == (0, 3, 6)
    told = (
        "several cells of B fit lead, own-goal, 0.5, revision 1 of A: pick, own-goal, 0.5, revision 1, 2;"
        " revision=… says which is meant"
    )
    assert told in document["warnings"] and not any("has a partner" in one for one in document["warnings"])
    turned = runs("compare", b, a, "--db", "a.db", "--json").json
    assert told.replace("of A", "of B").replace("of B fit", "of A fit") in turned["warnings"]
    said = runs("compare", a, f"{b},revision=2", "--db", "a.db", "--json").json
    assert said["matched"] == 3 and not any("several cells" in one for one in said["warnings"])


@pytest.mark.parametrize(
    "selection",
    [
        "nobody",
        "small:",
        "small:compressor",
        "small:compressor=x",
        "small:rato=0.5",
        "small:ratio=a",
        "small:generation=1",
    ],
)
def test_bad_usage_in_one_line(runs: CommandLine, selection: str) -> None:
    for pair in ((selection, "small"), ("small", selection)):
        told = runs("compare", *pair, "--db", "a.db", "--json", expect=2)
        assert told.out == "" and told.err.count("\n") == 1


def test_no_database_is_made(cli: CommandLine) -> None:
    cli("compare", "a", "b", "--db", "none.db", expect=2)
    assert not (cli.folder / "none.db").exists()


def test_what_reviewers_decided_stands_beside(runs: CommandLine) -> None:
    decision = ["--memory", "m1", "--question", "q3", "--decision", "correct", "--reviewer", "Ada"]
    assert runs("--db", "a.db", "review", "small", *decision).code == 0
    found = runs("--db", "a.db", "compare", "small", "the twin", "--json").json
    (cell,) = found["cells"]
    assert (cell["micro"]["a"], cell["micro"]["b"]) == (1 / 3, 2 / 3)
    assert cell["as_reviewed"]["decided"] == 1
    assert cell["as_reviewed"]["micro"]["a"] == cell["as_reviewed"]["micro"]["b"] == 2 / 3
    assert any("as judged" in note for note in found["warnings"])
    told = runs("--db", "a.db", "compare", "small", "the twin")
    assert "Micro, as judged" in told.out and "Macro, as reviewed" in told.out


def test_no_difference_of_goals_is_no_certainty(runs: CommandLine) -> None:
    """Without a goal that differs, no p and no interval of no width are printed; the document has both."""
    told = runs("--db", "a.db", "compare", "small", "the twin").out
    macro = next(line for line in told.splitlines() if " Macro " in line and "p" not in line.split())
    assert "+0 −0" in macro and macro.rstrip().endswith("–") and "+0.000 …" not in macro


def test_methods_are_compared_by_em_and_over_cases(cli: CommandLine) -> None:
    stored(cli.folder / "c.db", small_run_records(3))
    told = cli("compare", "small:compressor=jev", "small:compressor=full", "--db", "c.db")
    assert "EM A" in told.out and "sign test" in told.out and "each case once" in told.err
    document = cli("compare", "small:compressor=jev", "small:compressor=full", "--db", "c.db", "--json").json
    macro = document["cells"][0]["macro"]
    assert (macro["fixed_goals"], macro["broken_goals"], macro["mcnemar_p"]) == (2, 0, 0.5)
    figures = cli("metrics", "small", "--db", "c.db")
    assert figures.out.splitlines()[0].split()[:4] == ["method", "EM", "right", "scored"]
    agreement = cli("agreement", "small", "--db", "c.db")
    for words in (told, figures, agreement):
        for foreign in ("Micro", "Macro", "McNemar", " verdict", "condition", "judge"):
            assert foreign not in words.out + words.err
