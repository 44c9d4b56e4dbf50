"""A whole collection by our own loop: the folder's files, what is refused, what fails, who is asked live."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app.compaction_collecting import Collection, Live, collect_corpus
from gacc_gui.app.compaction_selecting import select_questions
from gacc_gui.core.errors import BadInput, BadUsage, GaccError
from gacc_gui.formats.corpus import read_corpus
from gacc_gui.runner.collection import agents
from gacc_gui.runner.collection.scripted import LAST_WORDS, Scripted
from tests.collection_drivers import faulty_agent
from tests.compaction_cases import hotpot_rows
from tests.hotpot_files import write_json, write_parquet
from tests.servers.odd_server import Answer, OddServer, Received

NOWHERE = {"PATH": ""}
"""An environment in which there is no Hermes."""
KEY = "k-0123456789-secret"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    dataset = write_json(tmp_path / "d.json", hotpot_rows(4))
    select_questions(dataset, tmp_path / "s.json", {"bridge": 1, "comparison": 1}, 1)
    return tmp_path


def collect(folder: Path, **given: Any) -> Collection:
    return collect_corpus(
        given.pop("dataset", folder / "d.json"),
        folder / "s.json",
        given.pop("output", folder / "out"),
        hermes_python=None,
        environment=NOWHERE,
        seconds=30,
        **given,
    )


def leftovers(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"d.json", "s.json", "d.parquet", "faulty_driver.py"}


def test_the_folder(folder: Path) -> None:
    told: list[Any] = []
    collection = collect(
        folder, progress=lambda done, total, case: told.append((done, total, case and case.id))
    )
    selection = json.loads((folder / "s.json").read_text())
    assert told == [(0, 2, None), (1, 2, selection["ids"][0]), (2, 2, selection["ids"][1])]
    assert collection.requests == (2, 2)
    assert leftovers(folder) == {"out"}
    assert {path.name for path in (folder / "out").iterdir()} == {
        "corpus.json",
        "collection.jsonl",
        "cases.jsonl",
    }
    corpus = read_corpus(folder / "out" / "corpus.json")
    assert corpus == collection.corpus
    assert [case.id for case in corpus.sound_cases] == selection["ids"]
    assert corpus.altered() == ()
    assert corpus.provenance.agent == "own read_file loop"
    assert corpus.provenance.dataset_sha256 == selection["dataset"]["content_sha256"]
    assert (corpus.provenance.selection_seed, corpus.provenance.mode, corpus.provenance.model) == (
        1,
        "scripted",
        None,
    )
    assert (corpus.origin, corpus.license) == ("hotpotqa", "CC BY-SA 4.0")
    lines = [json.loads(line) for line in (folder / "out" / "collection.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == selection["ids"]
    assert {line["agent"] for line in lines} == {"own read_file loop"}
    assert LAST_WORDS in lines[0]["wire"][-1]["response"]
    cases = [json.loads(line) for line in (folder / "out" / "cases.jsonl").read_text().splitlines()]
    assert cases == selection["cases"]


def test_the_same_bytes_from_either_form(folder: Path) -> None:
    collect(folder)
    collect(folder, dataset=write_parquet(folder / "d.parquet", hotpot_rows(4)), output=folder / "again")
    for name in ("corpus.json", "collection.jsonl", "cases.jsonl"):
        assert (folder / "out" / name).read_bytes() == (folder / "again" / name).read_bytes()


def test_nothing_is_overwritten(folder: Path) -> None:
    (folder / "out").mkdir()
    with pytest.raises(BadUsage, match="already there"):
        collect(folder)
    with pytest.raises(GaccError, match="is no folder that can be written to"):
        collect(folder, output=folder / "no" / "out")
    assert not any((folder / "out").iterdir())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda rows: rows.pop(0), r"d\.json: selected, and not in this set: case-1"),
        (lambda rows: rows.clear(), r"selected, and not in this set: case-., case-."),
        (
            lambda rows: rows[0].update(answer="other"),
            r"d\.json: case-1: its content is not what was selected",
        ),
    ],
)
def test_a_set_that_is_not_what_was_selected(
    folder: Path, change: Callable[[list[Any]], Any], reason: str
) -> None:
    rows = hotpot_rows(2)
    select_questions(
        write_json(folder / "d.json", rows), folder / "s2.json", {"bridge": 1, "comparison": 1}, 1
    )
    (folder / "s2.json").replace(folder / "s.json")
    change(rows)
    write_json(folder / "d.json", rows)
    with pytest.raises(BadInput, match=reason):
        collect(folder)
    assert leftovers(folder) == set()


def _edited(*keys: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(selection: dict[str, Any]) -> None:
        value: Any = selection
        for key in keys[:-1]:
            value = value[key]
        value[keys[-1]] = to

    return change


def _reversed(selection: dict[str, Any]) -> None:
    for name in ("ids", "cases"):
        selection[name] = selection[name][::-1]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_edited("seed", to=2), r"case 1 \(case-\d\): its order is not what the seed 2 gives it"),
        (_reversed, "its cases are not in their order"),
        (_edited("counts", "bridge", to=7), "it counts 7 of type bridge, and has 1"),
        (_edited("filters", to={}), "its filters are not the frozen ones"),
        (_edited("cases", 1, "checks", 2, "ok", to=False), "case 2: it does not pass the filter evidence"),
        (_edited("cases", 0, "checks", to=[]), "case 1: its checks are not those of the filters"),
        (_edited("dataset", "content_sha256", to="0" * 64), "it is not the set that was selected from"),
        (_edited("dataset", "rows", to=5), "it is not the set that was selected from: 4 rows"),
    ],
)
def test_a_selection_that_was_edited_is_refused(
    folder: Path, change: Callable[[dict[str, Any]], None], reason: str
) -> None:
    selection = json.loads((folder / "s.json").read_text())
    change(selection)
    (folder / "s.json").write_text(json.dumps(selection))
    with pytest.raises(BadInput, match=reason):
        collect(folder)
    assert leftovers(folder) == set()


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), 0.0, -1.0])
def test_seconds_are_a_number(folder: Path, seconds: float) -> None:
    with pytest.raises(BadUsage, match="--timeout"):
        collect_corpus(
            folder / "d.json",
            folder / "s.json",
            folder / "out",
            hermes_python=None,
            environment=NOWHERE,
            seconds=seconds,
        )


def test_a_case_that_fails_is_recorded_and_the_others_go_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = json.loads((folder / "s.json").read_text())["ids"][0]
    question = next(row["question"] for row in hotpot_rows(4) if row["_id"] == first)
    fault = f"""
    work = own.collect
    def collect(job):
        if {question!r} in job["task"]:
            sys.exit("a bad day")
        return work(job)
    own.collect = collect
    """
    faulty = faulty_agent(folder, fault)
    monkeypatch.setattr(agents, "own_agent", lambda: faulty)
    collection = collect(folder)
    assert [case.is_sound for case in collection.corpus.cases] == [False, True]
    corpus = read_corpus(folder / "out" / "corpus.json")
    (check,) = [check for check in corpus.cases[0].checks if not check.ok]
    assert (check.name, check.found) == (
        "agent finished",
        "the agent's process ended with exit code 1: a bad day",
    )
    assert corpus.cases[0].trajectory == ()
    assert corpus.cases[0].files


def test_whoever_interrupts_leaves_nothing(folder: Path) -> None:
    def interrupt(done: int, total: int, case: Any) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        collect(folder, progress=interrupt)
    assert leftovers(folder) == set()


def test_live_needs_hermes_and_a_key(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadUsage, match="a live collection needs Hermes"):
        collect(folder, live=Live("m", {"LLM_API_KEY": KEY, "LLM_BASE_URL": "http://127.0.0.1:9/v1"}))
    monkeypatch.setattr(agents, "find_hermes", lambda *_: agents.own_agent())
    with pytest.raises(BadUsage, match="LLM_API_KEY is not set"):
        collect(folder, live=Live("m", {}))
    with pytest.raises(BadUsage, match="LLM_BASE_URL is not set"):
        collect(folder, live=Live("m", {"LLM_API_KEY": KEY}))
    with pytest.raises(BadUsage, match="no http or https address") as caught:
        collect(folder, live=Live("m", {"LLM_API_KEY": KEY, "LLM_BASE_URL": f"ftp://{KEY}@x"}))
    assert KEY not in str(caught.value)
    assert leftovers(folder) == set()


def test_live_asks_the_service(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "find_hermes", lambda *_: agents.own_agent())
    script = Scripted([f"evidence-{number:02}.txt" for number in range(1, 11)])

    def rule(received: Received) -> Answer:
        return Answer(b"".join(script.respond(received.json).body))

    with OddServer(rule) as server:
        environment = {"LLM_API_KEY": KEY, "LLM_BASE_URL": server.url}
        collection = collect(folder, live=Live("some-model", environment))
    assert [case.is_sound for case in collection.corpus.cases] == [True, True]
    assert (collection.corpus.provenance.mode, collection.corpus.provenance.model) == ("live", "some-model")
    assert {one.headers["authorization"] for one in server.received} == {f"Bearer {KEY}"}
    assert {one.json["model"] for one in server.received} == {"some-model"}
    assert not any(KEY.encode() in path.read_bytes() for path in (folder / "out").iterdir())


def test_live_with_a_service_that_refuses(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "find_hermes", lambda *_: agents.own_agent())
    with OddServer(Answer(f'{{"error": "no such key {KEY}"}}'.encode(), 401)) as server:
        environment = {"LLM_API_KEY": KEY, "LLM_BASE_URL": server.url}
        collection = collect(folder, live=Live("m", environment))
    failed = [check for case in collection.corpus.cases for check in case.checks if not check.ok]
    assert [check.name for check in failed] == ["agent finished"] * 2
    assert "HTTP Error 401" in failed[0].found
    kept = (folder / "out" / "collection.jsonl").read_text()
    assert KEY not in kept
    assert "no such key [removed]" in kept
