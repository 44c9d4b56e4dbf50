"""`compaction report`, `import`, `verify` and `metrics` on a finished compaction run, as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gacc_gui.app.compaction_reporting import finish_folder
from tests.compaction_cases import small_corpus
from tests.compaction_run import TOKENIZER, small_folder, small_run_records
from tests.conftest import CommandLine


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    corpus = small_corpus(2)
    records = small_run_records(corpus=corpus)
    made = small_folder(tmp_path / "run", records, corpus)
    finish_folder(made, records)
    return made


def test_report_compares_and_writes_what_is_missing(cli: CommandLine, folder: Path) -> None:
    assert "as it stands" in cli("compaction", "report", folder).out
    (folder / "aggregate.json").unlink()
    told = cli("compaction", "report", folder, "--json").json
    assert told["files"] == [
        {"file": "aggregate.json", "outcome": "written"},
        {"file": "REPORT.md", "outcome": "equal"},
    ]
    assert told["aggregate"] == json.loads((folder / "aggregate.json").read_text(encoding="utf-8"))
    (folder / "REPORT.md").write_text("mine", encoding="utf-8")
    assert "REPORT.md: DIFFERENT" in cli("compaction", "report", folder, expect=1).out
    assert (folder / "REPORT.md").read_text(encoding="utf-8") == "mine"
    assert "written" in cli("compaction", "report", folder, "--output", "other").out
    assert cli("compaction", "report", folder, "--output", "other").out.count("as it stands") == 2


def test_report_refuses_an_unfinished_folder(cli: CommandLine, folder: Path) -> None:
    (folder / "validation.json").unlink()
    refused = cli("compaction", "report", folder, "--json", expect=2)
    assert refused.out == ""
    assert "is not finished" in refused.err and "--resume" in refused.err
    assert "there is no such folder" in cli("compaction", "report", "nowhere", expect=2).err


@pytest.mark.slow
def test_a_run_in_the_database_is_verified_and_measured(cli: CommandLine, folder: Path) -> None:
    (cli.folder / "tokenizer.json").write_text(TOKENIZER, encoding="utf-8")
    file = cli("import", folder, "--json").json["files"][0]
    assert (file["runs"], file["quarantined"], file["error"]) == (["small"], [], None)
    assert cli("import", folder, "--json").json["files"][0]["added"] == {}
    checks = {check["name"]: check for check in cli("verify", "small", "--json").json["checks"]}
    assert checks["token_counts"]["ok"] is None and "--tokenizer" in checks["token_counts"]["why"]
    counted = cli("verify", "small", "--tokenizer", "tokenizer.json", "--json").json["checks"]
    assert all(check["ok"] for check in counted)
    cells = {cell["compressor"]: cell for cell in cli("metrics", "small", "--json").json["cells"]}
    aggregate = json.loads((folder / "aggregate.json").read_text(encoding="utf-8"))
    for method, figures in aggregate["methods"].items():
        assert cells[method]["micro"]["errors_as_wrong"] == figures["metrics"]["em"]
        assert cells[method]["questions"] == figures["planned"]


def test_a_fault_is_named_and_exit_is_1(cli: CommandLine, folder: Path) -> None:
    path = folder / "results.json"
    changed = path.read_text(encoding="utf-8").replace('"sp_f1":1.0', '"sp_f1":0.75', 1)
    path.write_text(changed, encoding="utf-8")
    told = cli("import", folder, "--json", expect=3)
    assert told.json["files"][0]["changed"] == [
        {"file": "results.json", "reason": "it changed since the run was finished: it has another SHA-256"}
    ]
    assert [line for line in told.err.splitlines() if "results.json: it changed" in line]
    found = cli("verify", "small", "--json", expect=1).json["checks"]
    assert [check["name"] for check in found if check["ok"] is False] == ["scores"]
