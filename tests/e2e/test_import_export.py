"""`import` and `export` as a person types them."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CommandLine

Document = dict[str, Any]
FILE_KEYS = {"path", "runs", "added", "already", "repaired", "quarantined", "conflicts", "error"}


def test_import_again_adds_nothing(cli: CommandLine, shared_data: Path) -> None:
    paths = sorted((shared_data / "runs").glob("*.gacc-run.json"))
    first = cli("--db", "x.sqlite", "import", *paths, "--json").json["files"]
    assert [file["runs"] for file in first] == [["hotpot-rules-5"], ["mixed-3"]]
    assert first[0]["added"] == {
        "run": 1,
        "context": 24,
        "goal": 48,
        "question": 240,
        "memory": 432,
        "answer": 2160,
        "verdict": 2160,
    }
    assert all(file.keys() >= FILE_KEYS for file in first)
    again = cli("import", *paths, "--db", "x.sqlite", "--json").json["files"]
    assert [file["added"] for file in again] == [{}, {}]
    assert [file["already"] for file in again] == [file["added"] for file in first]


@pytest.mark.slow
def test_export_import_export_is_equal(cli: CommandLine, shared_data: Path) -> None:
    cli("--db", "a.sqlite", "import", shared_data / "runs" / "mixed.gacc-run.json")
    cli("--db", "a.sqlite", "export", "mixed 3", "--to", "y.jsonl")
    cli("--db", "b.sqlite", "import", "y.jsonl")
    cli("--db", "b.sqlite", "export", "mixed-3", "--to", "z.jsonl")
    assert (cli.folder / "y.jsonl").read_bytes() == (cli.folder / "z.jsonl").read_bytes()
    for ending in ("json", "jsonl.gz", "csv", "parquet", "md"):
        cli("--db", "b.sqlite", "export", "mixed-3", "--to", f"z.{ending}")
        assert (cli.folder / f"z.{ending}").stat().st_size > 1000


def test_export_keeps_what_is_empty_absent_or_oddly_named(
    cli: CommandLine, run_document: Document, run_file: Callable[..., Path]
) -> None:
    run_document["requests"] = []
    del run_document["verdicts"]
    run_document |= {"record": "mine", "document_lists": 3, "lab": {"record": 1}}
    run_document["run"] |= {"format": "ours", "record": "run"}
    run_document["goals"][0] |= {"record": "goal", "record_fields": {"record": 2}}
    cli("--db", "a.sqlite", "import", run_file(run_document))
    cli("--db", "a.sqlite", "export", "small", "--to", "direct.json")
    cli("--db", "a.sqlite", "export", "small", "--to", "y.jsonl")
    cli("--db", "b.sqlite", "import", "y.jsonl")
    cli("--db", "b.sqlite", "export", "small", "--to", "lines.json")
    for name in ("direct.json", "lines.json"):
        assert json.loads((cli.folder / name).read_text(encoding="utf-8")) == run_document


def test_refusals_say_why_in_one_line(cli: CommandLine, run_document: Document) -> None:
    run_document["memories"][0]["budget"] = -1
    (cli.folder / "bad.json").write_text(json.dumps(run_document))
    refused = cli("--db", "x.sqlite", "import", "bad.json", "--json", expect=2)
    assert refused.out == ""
    assert (
        refused.err.strip()
        .splitlines()[-1]
        .endswith('bad.json: memories[0] "m1": budget is out of range: -1')
    )
    (cli.folder / "d.json").write_text('{"format": "gacc-dataset", "format_version": 1}')
    refused = cli("--db", "x.sqlite", "import", "d.json", expect=2)
    assert "gacc-dataset" in refused.err
    assert "lint" in refused.err
    for target in ("x.html", "nowhere/x.json"):
        refused = cli("--db", "x.sqlite", "export", "small", "--to", target, expect=2)
        assert len(refused.err.strip().splitlines()) == 1


def test_quarantine_and_conflict_exit_3(cli: CommandLine, run_document: Document) -> None:
    run = {"record": "run", "format": "gacc-run", "format_version": 1, **run_document["run"]}
    context = {"record": "context", **run_document["contexts"][0]}
    goal = {"record": "goal", **run_document["goals"][0]}
    lines = [json.dumps(line, ensure_ascii=False) for line in (run, context, goal)]
    packed = gzip.compress(("\n".join([*lines, '{"record":"goal","id":7}', lines[2][:-9]])).encode())
    (cli.folder / "a.jsonl.gz").write_bytes(packed)
    report = cli("--db", "x.sqlite", "import", "a.jsonl.gz", "--json", expect=3).json["files"][0]
    assert report["added"] == {"run": 1, "context": 1, "goal": 1}
    assert [item["line"] for item in report["quarantined"]] == [4, 5]
    goal["text"] = "another text"
    (cli.folder / "b.jsonl").write_text(f"{lines[0]}\n{json.dumps(goal)}\n")
    report = cli("--db", "x.sqlite", "import", "b.jsonl", "--json", expect=3).json["files"][0]
    (conflict,) = report["conflicts"]
    assert (conflict["kind"], conflict["key"], conflict["incoming"]["text"]) == (
        "goal",
        ["g1"],
        "another text",
    )
    cli("--db", "x.sqlite", "import", "b.jsonl", "--as", "again", expect=3)
    with sqlite3.connect(cli.folder / "x.sqlite") as connection:
        assert connection.execute("SELECT id FROM runs ORDER BY id").fetchall() == [("again",), ("small",)]
    connection.close()


def test_a_failed_memory_is_superseded_by_the_finished_one(
    cli: CommandLine, run_document: Document, run_file: Callable[..., Path]
) -> None:
    whole = run_file(run_document)
    for number, status in enumerate(("error", "no_answer")):
        for text in (None, ""):
            memory = run_document["memories"][0]
            memory |= {"status": status, "proposed_text": text, "retained_text": text}
            run = f"r{number}{text}"
            cli("--db", "x.sqlite", "import", run_file(run_document, "failed.json"), "--as", run)
            told = cli("--db", "x.sqlite", "import", whole, "--as", run, "--json").json["files"][0]
            assert told["added"] == {"memory": 1} and not told["conflicts"]
            rows = cli("--db", "x.sqlite", "questions", run, "--json").json["questions"]
            assert [row["fate"] for row in rows] == ["retained", "tail", "tail"]


def test_no_credential_in_database_or_export(
    cli: CommandLine, run_document: Document, run_file: Callable[..., Path]
) -> None:
    secret = "sk-TESTSECRET123"
    run_document["requests"][0]["content"] += f"\nAuthorization: Bearer {secret} ?api_key={secret}"
    run_document["answers"][0] |= {"status": "error", "text": None, "error": f"401 with {secret}"}
    path = run_file(run_document, "with-key.json")
    told = cli("--db", "x.sqlite", "import", path, "--json")
    assert len(told.json["files"][0]["repaired"]) == 2
    assert secret not in told.out + told.err
    path.unlink()
    for ending in ("json", "jsonl", "csv", "parquet", "md"):
        cli("--db", "x.sqlite", "export", "small", "--to", f"y.{ending}")
    for file in cli.folder.rglob("*"):
        assert file.is_dir() or secret.encode() not in file.read_bytes(), file
