"""Rules over real texts, from the command line: planned, run, opened by every reading command, audited."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import CommandLine
from tests.hotpot_dataset import write_hotpot_dataset

CONFIG = """
[run]
id = "hotpot"
[dataset]
path = "hotpot.jsonl"
[evaluation]
ratios = ["0.1", "0.25", "0.5"]
conditions = ["own-goal", "no-goal", "cross-goal"]
[[compressors]]
part = "lead"
[[compressors]]
part = "bm25"
options = { fill = 1.2 }
[[compressors]]
part = "parts:initials"
[reader]
part = "rule"
[judge]
part = "exact"
"""
pytestmark = pytest.mark.slow

PLUGIN = """
from gacc_gui.runner.parts import CompressorOutput

print("loaded")

def initials(given):
    print("called")
    if "Silene" in given.context:
        raise ValueError("no flowers, please")
    return CompressorOutput(" ".join(word[0] for word in given.context.split()))
"""


def test_three_compressors_three_ratios_three_conditions(cli: CommandLine, shared_data: Path) -> None:
    source = shared_data / "hotpotqa" / "hotpot_dev_distractor_60.json"
    write_hotpot_dataset(source, cli.folder / "hotpot.jsonl", contexts=3)
    (cli.folder / "run.toml").write_text(CONFIG)
    (cli.folder / "parts.py").write_text(PLUGIN)
    db = ("--db", cli.folder / "a.db")
    planned = cli(*db, "run", "gacc", "run.toml", "--dry-run", "--json").json
    assert planned["planned"] == {"memories": 243, "answers": 891, "verdicts": 891}
    assert not (cli.folder / "a.db").exists()
    # A plugin fails for one context of three: its own 27 memories and what hangs on them, and nothing else.
    finished = cli(*db, "run", "gacc", "run.toml", "--json", expect=3).json
    assert finished["state"] == "finished"
    # Three goals and none, at three ratios, for each context and compressor; what failed is no cache hit.
    assert finished["calls"]["compressor"] == 4 * 3 * (3 * 3 - 1) + 27
    cells = cli(*db, "metrics", "hotpot", "--json").json["cells"]
    assert len(cells) == 27
    assert {cell["goals"] for cell in cells} == {9}
    assert {cell["questions"] for cell in cells} == {33}
    for cell in cells:
        failed = cell["compressor"] == "initials"
        assert cell["judged"] == (22 if failed else 33)
    checks = cli(*db, "verify", "hotpot", "--json").json["checks"]
    assert {check["name"]: check["failures"] for check in checks if check["failures"]} == {}
    assert all(check["ok"] for check in checks)
    own = {
        (cell["compressor"], cell["ratio"]): cell["micro"]["errors_as_wrong"]
        for cell in cells
        if cell["condition"] == "own-goal"
    }
    assert own["bm25", "0.5"] > own["lead", "0.5"] > own["initials", "0.5"] == 0
    (cli.folder / "parts.py").write_text(PLUGIN.replace("no flowers", "no plants"))
    again = cli(*db, "run", "gacc", "run.toml", "--resume", "hotpot", expect=2)
    assert "compressors.initials.revision" in again.err  # the plugin is another one now
