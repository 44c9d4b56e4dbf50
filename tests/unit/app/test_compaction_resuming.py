"""A compaction run that is gone on with: after caps, full disks and kills; and what is refused by then."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app import compaction_reporting
from gacc_gui.app.compaction_running import resume_compaction
from gacc_gui.core.errors import BadInput, BadUsage, CodecUnavailable, GaccError, StoreError
from gacc_gui.runner.compaction import planning
from gacc_gui.runner.config_model import LimitsConfig
from gacc_gui.runner.run_lock import only_one
from gacc_gui.store.appending import RunAppender
from tests.compaction_service import CEILING, Inputs, Models, facts, requests_of
from tests.unit.app.small_compaction import (
    ALL_FILES,
    INPUT_FILES,
    begin,
    change_protocol,
    names,
    protocol_of,
    settings,
    stopped,
)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run over the same inputs."""
    folder = tmp_path_factory.mktemp("undisturbed")
    begin(Inputs(folder, cases=1), folder / "run")
    return folder / "run"


def test_a_cap_stops_and_a_higher_one_goes_on(inputs: Inputs, output: Path, undisturbed: Path) -> None:
    outcome = stopped(inputs, output)
    assert outcome.session.state == "stopped" and "limit of 5 calls" in (outcome.session.reason or "")
    assert names(output) == INPUT_FILES | {"work.db", "work.json"}
    again = resume_compaction(output)
    assert "limit of 5 calls" in (again.session.reason or "") and sum(again.session.calls.values()) == 0
    steps = [resume_compaction(output, limits=LimitsConfig(calls=calls)) for calls in (6, 7, 1_000)]
    assert [sum(step.session.calls.values()) for step in steps] == [1, 1, 1]
    assert steps[-1].session.state == "finished" and names(output) == ALL_FILES
    assert facts(output) == facts(undisturbed)
    assert protocol_of(output)["settings"]["limits"] == {"calls": 5}


@pytest.mark.parametrize("failing", ["results.json", "validation.json"])
def test_a_disk_that_is_full_at_the_end_costs_no_call(
    inputs: Inputs, output: Path, undisturbed: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    write = compaction_reporting.write_new

    def full(target: Path, text: str) -> None:
        if target.name == failing:
            raise GaccError(f"{target} cannot be written: no space left on device")
        write(target, text)

    with monkeypatch.context() as patch:
        patch.setattr(compaction_reporting, "write_new", full)
        with pytest.raises(GaccError, match=rf"{failing} cannot be written: no space left .*--resume .*run"):
            begin(inputs, output)
    assert "validation.json" not in names(output) and "work.db" in names(output)
    outcome = resume_compaction(output)
    assert (outcome.session.state, sum(outcome.session.calls.values())) == ("finished", 0)
    assert names(output) == ALL_FILES and facts(output) == facts(undisturbed)


def test_a_disk_that_is_full_on_the_way_keeps_what_was_committed(
    inputs: Inputs, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, commits = RunAppender.append, 0

    def full(self: RunAppender, *given: Any) -> None:
        nonlocal commits
        commits += 1
        if commits > 8:
            raise StoreError("the disk is full")
        append(self, *given)

    with monkeypatch.context() as patch:
        patch.setattr(RunAppender, "append", full)
        with pytest.raises(StoreError, match=r"the disk is full; what was committed is kept, and .*--resume"):
            begin(inputs, output)
    made = resume_compaction(output)
    assert made.session.state == "finished"
    assert sum(made.session.calls.values()) < len(requests_of(output))


def test_a_killed_finish_leaves_a_finished_folder(inputs: Inputs, output: Path) -> None:
    """Killed after `validation.json` was written: what is left of the database is no part of the folder."""
    begin(inputs, output)
    for left in ("work.db", "work.db-wal", ".validation.json-abcdefgh.part"):
        (output / left).write_bytes(b"")
    with pytest.raises(BadUsage, match="finished"):
        resume_compaction(output)
    assert names(output) == ALL_FILES


def test_the_tokenizer_is_found_where_it_was_or_has_to_be_given(
    inputs: Inputs, output: Path, tmp_path: Path
) -> None:
    stopped(inputs, output)
    moved = tmp_path / "elsewhere.json"
    inputs.tokenizer.rename(moved)
    with pytest.raises(CodecUnavailable, match=r"tokenizer\.json cannot be read"):
        resume_compaction(output)
    other = tmp_path / "other.json"
    other.write_bytes(moved.read_bytes() + b"\n")
    with pytest.raises(BadInput, match=r"the tokenizer's SHA-256 was [0-9a-f]{64}, is [0-9a-f]{64}"):
        resume_compaction(output, tokenizer=other)
    assert resume_compaction(output, tokenizer=moved, limits=LimitsConfig()).session.state == "finished"


def test_a_folder_that_was_hardly_begun_needs_its_tokenizer(inputs: Inputs, output: Path) -> None:
    stopped(inputs, output)
    (output / "work.db").unlink()
    begun = (output / "work.json").read_bytes()
    for unsound in (b"", b"[]", b'{"tokenizer": 3}'):
        (output / "work.json").write_bytes(unsound)
        with pytest.raises(BadUsage, match="--tokenizer says where"):
            resume_compaction(output)
    (output / "work.json").write_bytes(begun)
    assert resume_compaction(output).session.state == "stopped"
    (output / "work.db").unlink()
    (output / "work.json").unlink()
    outcome = resume_compaction(output, tokenizer=inputs.tokenizer, limits=LimitsConfig())
    assert outcome.session.state == "finished"


@pytest.mark.parametrize("name", ["corpus.json", "collection.jsonl"])
def test_a_changed_input_is_refused(inputs: Inputs, output: Path, name: str) -> None:
    inputs.corpus.with_name("collection.jsonl").write_bytes(b"{}\n")
    stopped(inputs, output)
    with (output / name).open("ab") as file:
        file.write(b"\n")
    with pytest.raises(BadInput, match=rf"{name}: it is not the file that the run began with: its SHA-256"):
        resume_compaction(output)


def test_another_part_is_refused_by_name(
    inputs: Inputs, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped(inputs, output)
    monkeypatch.setattr(planning, "LexicalDecider", partial(planning.LexicalDecider, revision="2"))
    with pytest.raises(BadInput, match=r'parts\.decider\.revision was "1", is "2"'):
        resume_compaction(output)


@pytest.mark.parametrize("begun", [True, False])
def test_an_edited_protocol_is_refused_by_file_and_setting(inputs: Inputs, output: Path, begun: bool) -> None:
    stopped(inputs, output)
    if not begun:
        (output / "work.db").unlink()

    def change(protocol: dict[str, Any]) -> None:
        protocol["prompts"]["compaction-answer"]["sha256"] = "0" * 64
        protocol["settings"]["ceiling"] = CEILING + 1

    change_protocol(output, change)
    with pytest.raises(
        BadInput, match=r"protocol\.json: it is not the one that the run began with"
    ) as caught:
        resume_compaction(output)
    if begun:
        assert f"settings.ceiling was {CEILING}, is {CEILING + 1}" in str(caught.value)
        assert f'is "{"0" * 64}"' in str(caught.value)


@pytest.mark.parametrize("name", ["corpus.json", "collection.jsonl"])
def test_a_missing_input_is_told_in_words(inputs: Inputs, output: Path, name: str) -> None:
    inputs.corpus.with_name("collection.jsonl").write_bytes(b"{}\n")
    stopped(inputs, output)
    (output / name).unlink()
    with pytest.raises(BadInput, match=rf"{name}: it is missing; the run began with one whose SHA-256 was"):
        resume_compaction(output)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(inputs: Inputs, output: Path) -> None:
    stopped(inputs, output)
    output.chmod(0o500)
    try:
        with pytest.raises(StoreError, match="permission denied"):
            resume_compaction(output)
    finally:
        output.chmod(0o755)


def test_only_an_unfinished_run_is_resumed(inputs: Inputs, output: Path, tmp_path: Path) -> None:
    begin(inputs, output)
    before = {path.name: path.read_bytes() for path in output.iterdir()}
    with pytest.raises(BadUsage, match="run is finished"):
        resume_compaction(output)
    assert {path.name: path.read_bytes() for path in output.iterdir()} == before
    for foreign in (tmp_path / "nowhere", inputs.corpus):
        with pytest.raises(BadUsage, match="no folder of a compaction run"):
            resume_compaction(foreign)
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "protocol.json").write_text('{"format": "something else"}')
    with pytest.raises(BadInput, match="gacc-compaction"):
        resume_compaction(tmp_path / "foreign")


@pytest.mark.parametrize("field", ["settings", "hashes", "parts", "id"])
def test_a_protocol_that_lacks_something_is_told(inputs: Inputs, output: Path, field: str) -> None:
    stopped(inputs, output)
    change_protocol(output, lambda protocol: protocol.pop(field))
    with pytest.raises(BadInput, match=f"there is no sound {field}"):
        resume_compaction(output)


def test_two_processes_cannot_run_one_folder(inputs: Inputs, output: Path) -> None:
    stopped(inputs, output)
    with (
        only_one(output / "work.db", protocol_of(output)["id"]),
        pytest.raises(BadUsage, match="by another process"),
    ):
        resume_compaction(output, limits=LimitsConfig())


def test_live_and_fixture_are_not_mixed(inputs: Inputs, output: Path) -> None:
    stopped(inputs, output)
    with pytest.raises(BadUsage, match="leave --live out"):
        resume_compaction(output, live=True)
    change_protocol(output, lambda protocol: protocol.update(mode="live"))
    with pytest.raises(BadUsage, match="--live says that it may"):
        resume_compaction(output)
    with pytest.raises(BadUsage, match="none of the fixture"):
        resume_compaction(output, live=True, fixture=True)


def test_a_service_that_moved_is_named(
    inputs: Inputs, output: Path, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(inputs, output, live=True, settings=settings(limits=LimitsConfig(calls=3)))
    monkeypatch.setenv("LLM_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(BadInput, match=r"parts\.answerer\.endpoint was .*127\.0\.0\.1"):
        resume_compaction(output, live=True, limits=LimitsConfig())
    assert models.asked.total() == 3
