"""What tests of `run gacc` share: a small evaluation with readers of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import CommandLine
from tests.e2e.small_evaluation import PLUGIN, SMALL


@pytest.fixture
def small(cli: CommandLine) -> Callable[..., Path]:
    """A configuration over 16 questions whose reader is a plugin; returns its file."""
    questions = [
        {"id": f"q{n}", "goal_id": f"g{n // 4}", "text": f"Question {n}", "references": ["right"]}
        for n in range(16)
    ]
    document = {
        "format": "gacc-dataset",
        "format_version": 1,
        "contexts": [{"id": "c", "text": "All of it is right. None of it is wrong. That is all there is."}],
        "goals": [{"id": f"g{n}", "context_id": "c", "text": f"Goal {n}"} for n in range(4)],
        "questions": questions,
    }
    (cli.folder / "items.json").write_text(json.dumps(document), "utf-8")
    (cli.folder / "readers.py").write_text(PLUGIN, "utf-8")

    def write(reader: str, more: str = 'revision = "1"', limits: str = "") -> Path:
        path = cli.folder / "small.toml"
        path.write_text(SMALL.format(reader=f"readers:{reader}", more=more, limits=limits), "utf-8")
        return path

    return write
