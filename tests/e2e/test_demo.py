"""`demo` and `run fixture` as whole programs: offline, into files of their own, told in strict JSON."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import CommandLine


def test_the_demonstration_is_made_offline_and_can_be_asked(cli: CommandLine, tmp_path: Path) -> None:
    # Neither a proxy nor a home folder to fall back on: what is needed ships with the program.
    cli.environment |= {"HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"}
    started = time.monotonic()
    made = cli("demo", "--no-window", "--json").json
    assert time.monotonic() - started < 10
    assert set(made) == {"db", "runs"}
    path = Path(made["db"])
    assert path.parent == tmp_path / "data"
    assert [file.name for file in path.parent.iterdir()] == [path.name]  # one file is the whole
    (run,) = cli("runs", "--db", path, "--json").json["runs"]
    assert [run["id"]] == made["runs"]
    assert (run["goals"], run["questions"], run["diagnostic_only"]) == (12, 60, True)
    assert run["identity"] == {"declared": True, "verified": True}
    cells = cli("metrics", made["runs"][0], "--db", path, "--json").json["cells"]
    assert len(cells) == 12
    for cell in cells:
        assert (cell["goals"], cell["questions"], cell["missing_goals"]) == (12, 60, 0)
        assert sum(cell["causes"].values()) == 60
    checks = cli("verify", made["runs"][0], "--db", path, "--json").json["checks"]
    assert all(check["ok"] is True for check in checks)


@pytest.mark.slow
def test_a_second_demonstration_leaves_the_first_alone(cli: CommandLine) -> None:
    first, second = (cli("demo", "--no-window", "--json").json["db"] for _ in range(2))
    assert first != second
    exported = []
    for number, path in enumerate((first, second)):
        target = cli.folder / f"{number}.jsonl"
        cli("export", "demo", "--to", target, "--db", path)
        exported.append(target.read_bytes())
    assert exported[0] == exported[1]
    # …and imports back without loss.
    cli("import", cli.folder / "0.jsonl", "--db", "back.db")
    cli("export", "demo", "--to", cli.folder / "back.jsonl", "--db", "back.db")
    assert (cli.folder / "back.jsonl").read_bytes() == exported[0]


def test_an_existing_file_is_refused_in_one_sentence(cli: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "mine.db").write_bytes(b"mine")
    finished = cli("demo", "--no-window", "--json", "--db", "mine.db", expect=2)
    assert finished.out == ""
    assert "mine.db" in finished.err
    assert (tmp_path / "mine.db").read_bytes() == b"mine"


def test_the_diagnostic_keeps_its_contract(cli: CommandLine) -> None:
    first = cli("run", "fixture", "--seeds", "42,43,44", "--db", "f.db", "--json").json
    assert first == {
        "runs": [
            {
                "id": f"fixture-{seed}",
                "seed": seed,
                "compressor_calls": 4,
                "reread_compressor_calls": 0,
                "micro": pytest.approx(2 / 3, abs=1e-12),
                "macro": 0,
                "count_errors": 0,
                "budget_violations": 0,
                "compressor_exposures": 0,
            }
            for seed in (42, 43, 44)
        ]
    }
    assert cli("run", "fixture", "--seeds", "42,43,44", "--db", "f.db", "--json").json == first
    runs = cli("runs", "--db", "f.db", "--json").json["runs"]
    assert [run["id"] for run in runs] == ["fixture-42", "fixture-43", "fixture-44"]
    for run in runs:
        assert run["identity"] == {"declared": False, "verified": False}
        (cell,) = cli("metrics", run["id"], "--db", "f.db", "--json").json["cells"]
        assert cell["causes"] == {"correct": 8, "truncation": 4}
        assert (cell["micro"]["errors_as_wrong"], cell["macro"]["errors_as_wrong"]) == (8 / 12, 0)
        cli("verify", run["id"], "--db", "f.db", "--json")


def test_the_report_goes_to_a_file_too(cli: CommandLine, tmp_path: Path) -> None:
    document = cli("run", "fixture", "--seeds", "7", "--db", "f.db", "--output", "report.json", "--json").json
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8")) == document


@pytest.mark.parametrize("seeds", ["", "x", "1,,2", "1.5"])
def test_seeds_that_are_none_make_no_database(cli: CommandLine, tmp_path: Path, seeds: str) -> None:
    finished = cli("run", "fixture", "--seeds", seeds, "--db", "f.db", "--json", expect=2)
    assert finished.out == ""
    assert len(finished.err.strip().splitlines()) == 1
    assert not (tmp_path / "f.db").exists()
