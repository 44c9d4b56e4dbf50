"""The contract diagnostic, the demonstration, and runs that leave and come back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CommandLine

Document = dict[str, Any]


def test_the_contract_diagnostic(cli: CommandLine) -> None:
    runs = cli("run", "fixture", "--seeds", "42,43,44", "--json", "--db", "a.db").json["runs"]
    assert [run["id"] for run in runs] == ["fixture-42", "fixture-43", "fixture-44"]
    for seed, run in zip((42, 43, 44), runs, strict=True):
        assert run.pop("id") and run.pop("seed") == seed
        assert run.pop("micro") == pytest.approx(2 / 3, abs=1e-12)
        assert run == {
            "compressor_calls": 4,
            "reread_compressor_calls": 0,
            "macro": 0.0,
            "count_errors": 0,
            "budget_violations": 0,
            "compressor_exposures": 0,
        }
    listed = cli("runs", "--db", "a.db", "--json").json["runs"]
    assert all(
        run["diagnostic_only"] and run["identity"] == {"declared": False, "verified": False} for run in listed
    )
    assert [(run["goals"], run["questions"], run["answers"]) for run in listed] == [(4, 12, 12)] * 3
    checks = cli("verify", "fixture-43", "--db", "a.db", "--json").json["checks"]
    assert all(check["ok"] is True and check["checked"] for check in checks)
    (cell,) = cli("metrics", "fixture-44", "--db", "a.db", "--json").json["cells"]
    assert cell["causes"] == {"correct": 8, "truncation": 4}
    # a second time: the same runs are already there
    again = cli("run", "fixture", "--seeds", "43", "--json", "--db", "a.db").json["runs"]
    assert again[0]["compressor_calls"] == 4
    assert len(cli("runs", "--db", "a.db", "--json").json["runs"]) == 3


@pytest.mark.slow
def test_the_diagnostic_as_files(cli: CommandLine) -> None:
    arguments = ("run", "fixture", "--seeds", "7,8", "--db", "a.db", "--json", "--output")
    told = cli(*arguments, "report.json")
    assert json.loads((cli.folder / "report.json").read_text(encoding="utf-8")) == told.json
    cli(*arguments, "runs.jsonl")
    cli("import", "runs.jsonl", "--db", "b.db")
    found = [cli("runs", "--db", name, "--json").json for name in ("a.db", "b.db")]
    assert found[0] == found[1]
    assert (
        "not comparable"
        in cli(
            *arguments[:-2],
        ).out
    )


@pytest.mark.slow
def test_the_demonstration(cli: CommandLine) -> None:
    found = cli("demo", "--no-window", "--json").json
    database = Path(found["db"])
    assert database.parent == cli.folder / "data"
    assert [path.name for path in database.parent.glob("*.db*")] == [database.name]  # one file is the whole
    (run,) = found["runs"]
    (listed,) = cli("runs", "--db", database, "--json").json["runs"]
    assert listed["goals"] >= 12 and listed["questions"] >= 60
    assert listed["diagnostic_only"] and listed["identity"]["verified"]
    rows = cli("questions", run, "--db", database, "--json").json["questions"]
    assert {row["cause"] for row in rows} == {
        "correct",
        "truncation",
        "compressor",
        "reader",
        "judge",
        "item",
        "unlocated",
        "no-verdict",
    }
    assert {row["fate"] for row in rows} == {"retained", "cut", "tail", "omitted", "absent", "unlocated"}
    cells = cli("metrics", run, "--db", database, "--json").json["cells"]
    own = {(cell["compressor"], cell["ratio"]) for cell in cells if cell["condition"] == "own-goal"}
    assert len({name for name, _ in own}) >= 3 and len({ratio for _, ratio in own}) >= 3
    cli("verify", run, "--db", database)

    second = cli("demo", "--no-window", "--json").json["db"]
    assert second != str(database)  # somebody may be looking at the first
    told = cli("demo", "--no-window", "--json", "--db", database, expect=2)
    assert told.out == "" and "exists" in told.err


def test_events_for_the_window(
    cli: CommandLine, run_document: Document, run_file: Callable[..., Path]
) -> None:
    told = cli("import", run_file(run_document), "--db", "a.db", "--json", "--events")
    events = [json.loads(line) for line in told.err.splitlines()]
    names = [event["event"] for event in events]
    assert names.index("rows_ready") < names.index("done") == len(names) - 1
    assert events[-1]["exit"] == 0
    steps = [event for event in events if event["event"] == "progress"]
    assert steps and all({"phase", "done", "total"} <= step.keys() for step in steps)


@pytest.mark.parametrize("suffix", ["jsonl", "json", "jsonl.gz"])
@pytest.mark.slow
def test_a_run_leaves_and_comes_back(
    suffix: str, cli: CommandLine, run_document: Document, run_file: Callable[..., Path]
) -> None:
    run_document["laboratory"] = {"room": 7}
    run_document["run"]["operator"] = "Zoë"
    run_document["memories"][0]["ledger"]["cached_tokens"] = 3
    run_document["memories"][0]["compressor"]["temperature"] = 0.10
    run_document["answers"][1]["latency"] = [1, 2.5, None, {"deep": True}]
    del run_document["answers"][2]["error"]
    run_document["questions"][0]["references"].append("I. Okafor \u2028 \U0001f9e0 \x00")
    cli("import", run_file(run_document), "--db", "a.db")
    cli("export", "small", "--to", f"first.{suffix}", "--db", "a.db")
    cli("import", f"first.{suffix}", "--db", "b.db")
    cli("export", "small", "--to", f"second.{suffix}", "--db", "b.db")
    first, second = (cli.folder / f"{name}.{suffix}" for name in ("first", "second"))
    assert first.read_bytes() == second.read_bytes()
    if suffix == "json":
        assert json.loads(first.read_text(encoding="utf-8")) == run_document


def test_exports_for_people(cli: CommandLine, run_document: Document, run_file: Callable[..., Path]) -> None:
    cli("import", run_file(run_document), "--db", "a.db")
    for suffix in ("csv", "parquet", "md"):
        assert cli("export", "small", "--to", f"x.{suffix}", "--db", "a.db").out == ""
        assert (cli.folder / f"x.{suffix}").stat().st_size > 100
    assert "CC0-1.0" in (cli.folder / "x.csv").read_text(encoding="utf-8-sig")
    told = cli("export", "small", "--to", "x.docx", "--db", "a.db", expect=2)
    assert ".parquet" in told.err
    assert "nowhere" in cli("export", "small", "--to", "nowhere/x.csv", "--db", "a.db", expect=2).err
