"""The smallest compaction run of the tests here: begun, stopped early, its folder looked at and changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gacc_gui.app.compaction_running import CompactionOutcome, run_compaction
from gacc_gui.runner.compaction.settings import Settings
from gacc_gui.runner.config_model import LimitsConfig
from tests.compaction_service import CEILING, Inputs

INPUT_FILES = {"protocol.json", "corpus.json"}
ALL_FILES = INPUT_FILES | {
    "contexts.jsonl",
    "requests.jsonl",
    "results.json",
    "aggregate.json",
    "REPORT.md",
    "validation.json",
}


def settings(**given: Any) -> Settings:
    """One context and one answer of each method, unless a test wants more."""
    return Settings(**{"ceiling": CEILING, "generations": 1, "answers": 1, **given})


def begin(inputs: Inputs, output: Path, **more: Any) -> CompactionOutcome:
    given = more.pop("settings", settings())
    return run_compaction(inputs.corpus, inputs.tokenizer, output, given, **more)


def stopped(inputs: Inputs, output: Path, calls: int = 5) -> CompactionOutcome:
    return begin(inputs, output, settings=settings(limits=LimitsConfig(calls=calls)))


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def protocol_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "protocol.json").read_text(encoding="utf-8"))


def change_protocol(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    protocol = protocol_of(folder)
    change(protocol)
    (folder / "protocol.json").write_text(json.dumps(protocol), encoding="utf-8")
