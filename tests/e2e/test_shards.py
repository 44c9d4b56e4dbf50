"""A run in three parts, imported in any order, twice, is the undivided run."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.resources import resource
from tests.conftest import CommandLine

pytestmark = pytest.mark.slow

CONFIG = """
[run]
id = "sharded"
[dataset]
path = "{dataset}"
contexts = 4
[evaluation]
ratios = ["0.1", "0.5"]
conditions = ["no-goal", "cross-goal", "full-context"]
generations = 2
[[compressors]]
part = "sentences"
[[compressors]]
part = "oracle"
[reader]
part = "rule"
[judge]
part = "normalised"
"""


def records(cli: CommandLine, db: str, name: str) -> list[str]:
    """The records of the run as they are exported, sorted, without what depends on the clock."""
    cli("--db", db, "export", "sharded", "--to", name)
    lines = [json.loads(line) for line in (cli.folder / name).read_text(encoding="utf-8").splitlines()]
    return sorted(json.dumps(timeless(line), sort_keys=True) for line in lines)


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: timeless(inner) for key, inner in value.items() if key not in ("seconds", "started_at")}
    return [timeless(inner) for inner in value] if isinstance(value, list) else value


@pytest.fixture
def config(cli: CommandLine) -> Path:
    path = cli.folder / "run.toml"
    dataset = resource("demo/demo.gacc-dataset.json")
    path.write_text(CONFIG.format(dataset=dataset.as_posix()), encoding="utf-8")
    return path


def test_shards_imported_in_any_order_are_the_whole(cli: CommandLine, config: Path) -> None:
    cli("--db", "whole.db", "run", "gacc", config)
    whole = records(cli, "whole.db", "whole.jsonl")
    metrics = cli("--db", "whole.db", "metrics", "sharded", "--json").json
    for part in (1, 2, 3):
        cli("--db", f"{part}.db", "run", "gacc", config, "--shard", f"{part}/3")
        cli("--db", f"{part}.db", "export", "sharded", "--to", f"{part}.jsonl")
    orders = list(permutations(("1.jsonl", "2.jsonl", "3.jsonl")))
    for number, order in enumerate((orders[3], orders[5])):
        db = f"merged-{number}.db"
        for _ in range(2):
            for name in order:
                report = cli("--db", db, "import", name, "--json").json["files"][0]
                assert (report["conflicts"], report["quarantined"]) == ([], [])
        assert records(cli, db, f"merged-{number}.jsonl") == whole
        assert cli("--db", db, "metrics", "sharded", "--json").json == metrics
    cli("--db", "merged-0.db", "verify", "sharded")
