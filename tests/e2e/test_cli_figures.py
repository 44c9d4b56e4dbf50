"""The independently computed figures of the shared runs, through the commands a person types."""

from __future__ import annotations

import gzip
import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CommandLine

COUNTS = (
    "goals",
    "questions",
    "judged",
    "correct",
    "incomplete_goals",
    "missing_goals",
    "unsupported",
    "causes",
)
SHARES = ("micro", "macro")


def expected(shared_data: Path, name: str) -> Any:
    return json.loads((shared_data / "runs" / f"{name}.expected.json").read_text(encoding="utf-8"))


def cells_of(document: Any, with_revision: bool) -> dict[str, dict[str, Any]]:
    names = (
        ("compressor", "revision", "condition", "ratio")
        if with_revision
        else ("compressor", "condition", "ratio")
    )
    return {"|".join(cell[name] for name in names): cell for cell in document["cells"]}


def assert_same_cells(found: dict[str, dict[str, Any]], right: dict[str, dict[str, Any]]) -> None:
    assert found.keys() == right.keys()
    for name, cell in right.items():
        for count in COUNTS:
            if count in cell:
                assert found[name][count] == cell[count], (name, count)
        for share, policy in itertools.product(SHARES, ("errors_as_wrong", "errors_excluded")):
            value = cell[f"{share}_{policy}"]
            assert found[name][share][policy] == (None if value is None else pytest.approx(value, abs=1e-12))


def rows_of(document: Any) -> list[list[Any]]:
    """The rows as the shared files have them: without the flag that depends on how sentences are split."""
    names = ("memory_id", "question_id", "repeat", "fate", "cause", "flags", "label", "status")
    for row in document["questions"]:
        row["flags"] = [flag for flag in row["flags"] if flag != "uncertain"]
    return sorted([row[name] for name in names] for row in document["questions"])


def test_hotpot_rules(cli: CommandLine, shared_data: Path) -> None:
    right = expected(shared_data, "hotpot-rules")
    cli("import", shared_data / "runs" / "hotpot-rules.gacc-run.json", "--db", "a.db")
    metrics = cli("metrics", "hotpot-rules-5", "--db", "a.db", "--json").json
    assert metrics["run"] == "hotpot-rules-5"
    assert_same_cells(cells_of(metrics, with_revision=False), right["cells"])
    for cell in metrics["cells"]:
        assert sum(cell["causes"].values()) == cell["questions"]
        for share in SHARES:
            low, high = cell[f"{share}_ci95"]
            assert 0 <= low <= cell[share]["errors_as_wrong"] <= high <= 1
    # the run's name is unique, so it will do for its id
    found = cli("questions", "HotpotQA openings, rule compressors, seed 5", "--db", "a.db", "--json").json
    rows = [[memory, question, fate, cause] for memory, question, _, fate, cause, *_ in rows_of(found)]
    assert rows == sorted(right["questions"])

    again = cli("import", shared_data / "runs" / "hotpot-rules.gacc-run.json", "--db", "a.db", "--json").json
    (file,) = again["files"]
    assert file["added"] == {} and sum(file["already"].values()) == 1 + 24 + 48 + 240 + 432 + 2160 + 2160
    assert cli("metrics", "hotpot-rules-5", "--db", "a.db", "--json").json == metrics


def test_mixed(cli: CommandLine, shared_data: Path) -> None:
    right = expected(shared_data, "mixed")
    cli("--db", "a.db", "import", shared_data / "runs" / "mixed.gacc-run.json")
    metrics = cli("--db", "a.db", "metrics", "mixed-3", "--json").json
    assert_same_cells(cells_of(metrics, with_revision=True), right["cells"])
    assert any("g-empty" in warning for warning in metrics["warnings"])
    assert rows_of(cli("--db", "a.db", "questions", "mixed-3", "--json").json) == sorted(right["rows"])

    by_origin = cli("--db", "a.db", "metrics", "mixed-3", "--by", "origin", "--json").json
    for name, cell in cells_of(metrics, with_revision=True).items():
        parts = [part for part in by_origin["cells"] if "|".join([*map(part.get, name_fields())]) == name]
        for count in ("goals", "questions", "judged", "correct", "missing_goals", "unsupported"):
            assert sum(part[count] for part in parts) == cell[count]


def name_fields() -> tuple[str, ...]:
    return ("compressor", "revision", "condition", "ratio")


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
@pytest.mark.slow
def test_a_run_cut_in_three_is_the_same_run_in_any_order(
    order: tuple[int, ...], cli: CommandLine, shared_data: Path
) -> None:
    document = json.loads((shared_data / "runs" / "mixed.gacc-run.json").read_text(encoding="utf-8"))
    kinds = {
        "contexts": "context",
        "goals": "goal",
        "questions": "question",
        "memories": "memory",
        "answers": "answer",
        "verdicts": "verdict",
    }
    first = {"record": "run", "format": "gacc-run", "format_version": 1, **document["run"]}
    items = [{"record": kind, **record} for name, kind in kinds.items() for record in document[name]]
    shards = [[first, *items[start::3]] for start in range(3)]
    for number in order:
        lines = "".join(json.dumps(record) + "\n" for record in shards[number]).encode()
        path = cli.folder / f"shard{number}.jsonl.gz"
        path.write_bytes(gzip.compress(lines, compresslevel=1))
        # what depends on records of another shard waits for them, and is told
        done = cli("import", path, "--db", "a.db", "--json", expect=None)
        assert done.code in (0, 3)
    assert done.code == 0
    right = expected(shared_data, "mixed")
    assert rows_of(cli("questions", "mixed-3", "--db", "a.db", "--json").json) == sorted(right["rows"])
    metrics = cli("metrics", "mixed-3", "--db", "a.db", "--json").json
    assert_same_cells(cells_of(metrics, with_revision=True), right["cells"])


@pytest.mark.slow
def test_intervals_do_not_depend_on_the_order_of_records(cli: CommandLine, shared_data: Path) -> None:
    document = json.loads((shared_data / "runs" / "hotpot-rules.gacc-run.json").read_text(encoding="utf-8"))
    for records in document.values():
        if isinstance(records, list):
            records.reverse()
    (cli.folder / "reversed.json").write_text(json.dumps(document), encoding="utf-8")
    cli("import", "reversed.json", "--db", "reversed.db")
    cli("import", shared_data / "runs" / "hotpot-rules.gacc-run.json", "--db", "a.db")
    found = [
        cli("metrics", "hotpot-rules-5", "--db", name, "--json").json for name in ("a.db", "reversed.db")
    ]
    assert found[0]["cells"] == found[1]["cells"]
