from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.core.errors import BadInput
from gacc_gui.formats.dataset import read_dataset, read_item_records
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


def dataset_file(path: Path, **lists: list[dict[str, Any]]) -> Path:
    document: dict[str, Any] = {"format": "gacc-dataset", "format_version": 1}
    document |= {f"{kind}s": [value] for kind, value in ITEMS}
    path.write_text(json.dumps(document | lists))
    return path


def test_a_sound_dataset_is_the_same_in_every_form(tmp_path: Path) -> None:
    whole = read_dataset(dataset_file(tmp_path / "d.json"))
    assert [len(whole.contexts), len(whole.goals), len(whole.questions)] == [1, 1, 1]
    lines = [{"record": "dataset", "format": "gacc-dataset", "format_version": 1}]
    lines += [{"record": kind, **value} for kind, value in ITEMS]
    path = tmp_path / "d.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert read_dataset(path) == whole
    assert read_dataset(path).sha256 == whole.sha256
    other = dataset_file(tmp_path / "e.json", contexts=[{"id": "c", "text": "u"}])
    assert read_dataset(other).sha256 != whole.sha256


def test_only_the_first_contexts(tmp_path: Path) -> None:
    contexts = [{"id": name, "text": name} for name in "cde"]
    goals = [{"id": f"g{name}", "context_id": name, "text": "t"} for name in "dce"]
    questions = [{"id": f"q{name}", "goal_id": f"g{name}", "text": "t"} for name in "dce"]
    path = dataset_file(tmp_path / "d.json", contexts=contexts, goals=goals, questions=questions)
    some = read_dataset(path, contexts=2)
    assert [record.id for record in (*some.contexts, *some.goals, *some.questions)] == [
        *("c", "d"),
        *("gd", "gc"),
        *("qd", "qc"),
    ]


@pytest.mark.parametrize(
    ("lists", "said"),
    [
        ({"contexts": [{"id": "c", "text": "t"}] * 2}, "context c: the id stands twice"),
        ({"contexts": []}, "goal g: there is no context 'c'"),
        ({"goals": [{"id": "h", "context_id": "c", "text": "t"}]}, "question q: there is no goal 'g'"),
        ({"goals": [], "questions": []}, "there is no goal in it"),
        ({"goals": [{"id": "g", "context_id": "c"}]}, "text is missing"),
    ],
)
def test_an_unsound_dataset_is_refused(tmp_path: Path, lists: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read_dataset(dataset_file(tmp_path / "d.json", **lists))


def test_a_bad_line_refuses_a_dataset(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    lines = [{"record": "dataset", "format": "gacc-dataset", "format_version": 1}]
    lines += [{"record": kind, **value} for kind, value in ITEMS]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"record": "goal"')
    with pytest.raises(BadInput, match="line 5"):
        read_dataset(path)
