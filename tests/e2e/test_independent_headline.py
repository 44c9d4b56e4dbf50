"""Anybody can recompute the headline from the JSON Lines export, without a line of this program."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, CommandLine

SCRIPT = ROOT / "tests" / "independent_headline.py"


def test_the_script_needs_nothing_of_ours() -> None:
    tree = ast.parse(SCRIPT.read_text(encoding="utf-8"))
    imported = {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module])
    }
    assert imported == {"json", "sys", "collections"}


@pytest.mark.parametrize(
    ("name", "run"), [("demo", "demo"), ("hotpot-rules", "hotpot-rules-5"), ("mixed", "mixed-3")]
)
def test_it_comes_to_what_metrics_says(
    cli: CommandLine, request: pytest.FixtureRequest, name: str, run: str
) -> None:
    if name == "demo":
        cli("demo", "--no-window", "--db", "a.db")
    else:
        shared_data: Path = request.getfixturevalue("shared_data")
        cli.holds(shared_data / "runs" / f"{name}.gacc-run.json", "a.db")
    cli("export", run, "--to", "run.jsonl", "--db", "a.db")
    child = subprocess.run(
        [sys.executable, "-I", str(SCRIPT), "run.jsonl"],
        cwd=cli.folder, capture_output=True, check=True, timeout=60,
    )  # fmt: skip
    alone = json.loads(child.stdout)
    cells = cli("metrics", run, "--json", "--db", "a.db").json["cells"]
    assert alone.keys() == {_key(cell) for cell in cells if cell["questions"]}
    for cell in cells:
        for share in ("micro", "macro"):
            assert alone[_key(cell)][share] == pytest.approx(cell[share], abs=1e-12), (_key(cell), share)


def _key(cell: dict[str, str]) -> str:
    return "|".join(cell[name] for name in ("compressor", "revision", "condition", "ratio"))
