"""The hash of what a step was told, made again of what is stored: each that was changed is told."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from gacc_gui.app.check_results import Check
from gacc_gui.app.compaction_checks import CompactionAudit
from gacc_gui.app.importing import import_paths
from gacc_gui.core.records import Memory, Record, Request
from gacc_gui.core.tokens import Codec
from gacc_gui.formats.hf_tokenizer import load_tokenizer
from gacc_gui.store.reads import Reader
from tests.compaction_service import Inputs, Models
from tests.unit.app.small_compaction import begin, settings


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Record], Codec]:
    """A run that asked models, some of whose summaries were too long at first, and its tokenizer."""
    folder, models = tmp_path_factory.mktemp("inputs"), Models(delay=0.0)
    inputs = Inputs(folder, cases=1)
    with models.serving(), pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, value in models.environment.items():
            patch.setenv(name, value)
        begin(inputs, folder / "run", live=True, settings=settings(generations=4))
    import_paths(folder / "a.db", [folder / "run"])
    with Reader(folder / "a.db") as reader:
        (run,) = reader.runs()
        return list(reader.records(run.run.id)), load_tokenizer(inputs.tokenizer)


def steps(records: Iterable[Record], codec: Codec | None) -> Check:
    return next(check for check in CompactionAudit(list(records), codec).checks() if check.name == "steps")


def is_step(record: Record) -> bool:
    return isinstance(record, Request) and "input_sha256" in record.extra


def changed(records: list[Record], id: str, **fields: Any) -> list[Record]:
    return [
        replace(one, extra={**one.extra, **fields}) if getattr(one, "id", None) == id else one
        for one in records
    ]


def test_every_changed_hash_is_told(whole: tuple[list[Record], Codec]) -> None:
    records, codec = whole
    assert steps(records, codec).ok and steps(records, None).ok
    kept = {one.id: one.extra["compaction"]["kept"] for one in records if isinstance(one, Memory)}
    # One of each step of each method, and of them with and without kept groups.
    asked = {
        (one.extra["step"], (one.memory_id or "").split("/")[1], bool(kept[one.memory_id or ""])): one
        for one in records
        if isinstance(one, Request) and is_step(one)
    }
    assert {step for step, _, _ in asked} >= {"decide-1", "summary-1", "summary-2"}
    for one in asked.values():
        tampered = changed(records, one.id, input_sha256="0" * 64)
        told = steps(tampered, codec)
        assert (told.ok, told.failures) == (False, 1), one.id
        (example,) = told.examples
        assert (example.memory_id, example.field) == (one.memory_id, "input_sha256")
        assert (example.declared, example.recomputed) == ("0" * 64, one.extra["input_sha256"])
        assert one.id in (example.detail or "")
        # Without a tokenizer nobody knows the space beside kept groups, or how much a summary was too long.
        needs_none = one.extra["step"].startswith("decide") or (
            one.extra["step"] == "summary-1" and not kept[one.memory_id or ""]
        )
        assert (steps(tampered, None).ok is False) == needs_none, one.id


def test_what_was_asked_of_somebody_else_is_another_input(whole: tuple[list[Record], Codec]) -> None:
    records, codec = whole
    run = records[0]
    configuration = json.loads(json.dumps(run.extra["configuration"]))
    configuration["parts"]["decider"]["revision"] = "another"
    other = steps([replace(run, extra={"configuration": configuration}), *records[1:]], codec)
    methods = {(example.memory_id or "").split("/")[1] for example in other.examples}
    assert other.ok is False and methods == {"jev", "jev+summary"}


def test_a_request_without_a_hash_is_not_at_fault(whole: tuple[list[Record], Codec]) -> None:
    records, codec = whole
    bare = [
        replace(one, extra={name: value for name, value in one.extra.items() if name != "input_sha256"})
        if is_step(one)
        else one
        for one in records
    ]
    assert steps(bare, codec).ok
