from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.core.errors import BadInput
from gacc_gui.formats.dataset import read_item_records
from gacc_gui.formats.items import Bad, Parsed

ITEMS = [
    ("context", {"id": "c", "text": "t"}),
    ("goal", {"id": "g", "context_id": "c", "text": "t"}),
    ("question", {"id": "q", "goal_id": "g", "text": "t"}),
]


def kinds(path: Path) -> list[str]:
    return [
        type(item.record).__name__ if isinstance(item, Parsed) else "Bad" for item in read_item_records(path)
    ]


def test_items_of_datasets_and_of_runs(tmp_path: Path, run_document: dict[str, Any]) -> None:
    document = {"format": "gacc-dataset", "format_version": 1, "lab": 1}
    document |= {f"{kind}s": [value] for kind, value in ITEMS}
    path = tmp_path / "dataset.json"
    path.write_text(json.dumps(document))
    assert kinds(path) == ["Context", "Goal", "Question"]
    lines = [{"record": "dataset", "format": "gacc-dataset", "format_version": 1}]
    lines += [{"record": kind, **value} for kind, value in ITEMS]
    path = tmp_path / "dataset.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"record": "goal"}\n')
    assert kinds(path) == ["Context", "Goal", "Question", "Bad"]
    assert list(read_item_records(path))[3] == Bad(5, "id is missing")
    path = tmp_path / "run.json"
    path.write_text(json.dumps(run_document))
    assert kinds(path) == ["Context", "Goal", "Question", "Question", "Question"]


def test_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"format": "other"}')
    with pytest.raises(BadInput, match="format is 'other'"):
        list(read_item_records(path))
