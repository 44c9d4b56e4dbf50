"""A damaged folder of a compaction run: whatever stands in it, everything that reads it says so in words.

One value somewhere in one of its files is replaced by another; import, report, verify and the views of the
window must take the result, or refuse it with an error of ours.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from gacc_gui.app.compaction_reporting import finish_folder, rebuild_report
from gacc_gui.app.compaction_viewing import case_view, overview
from gacc_gui.app.importing import import_paths
from gacc_gui.app.verifying_compaction import verify_compaction
from gacc_gui.core.errors import GaccError
from gacc_gui.store.reads import Reader
from tests.compaction_cases import small_corpus
from tests.compaction_run import small_folder, small_run_records

FILES = (
    "contexts.jsonl",
    "results.json",
    "requests.jsonl",
    "aggregate.json",
    "protocol.json",
    "validation.json",
    "corpus.json",
)
VALUES: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        7,
        10**30,
        -(10**30),
        1.5,
        1e308,
        "",
        "x",
        "jev",
        "0:0-2",
        "99:0-9",
        "a:b-c",
    ),
    *(
        [],
        {},
        [1],
        [None],
        ["x", None],
        [["0:0-2"]],
        [["x", True]],
        {"x": 1},
        {"role": "user", "content": None},
    ),
    *([{"name": "x"}], {"text": 3, "status": "ok"}, {"em": "x"}, "2/0", "1e999999", "\u0000", "live"),
]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    corpus = small_corpus(1)
    records = small_run_records(corpus=corpus, as_engine=True)
    folder = small_folder(tmp_path_factory.mktemp("sound") / "run", records, corpus)
    finish_folder(folder, records)
    return folder


def documents(path: Path) -> list[Any]:
    text = path.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else [json.loads(text)]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path to every value inside, the whole first."""
    yield path
    if not isinstance(value, dict | list):
        return
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(item, dict | list):
            yield from places(item, (*path, key))
        else:
            yield (*path, key)


def damaged(folder: Path, name: str, random: Random) -> None:
    """Put another value somewhere into a file, or take one out."""
    path = folder / name
    some = documents(path)
    row = random.randrange(len(some))
    where = random.choice(list(places(some[row])))
    what = random.choice([*VALUES, ...])
    if not where:
        some[row] = {} if what is ... else what
    else:
        inner = some[row]
        for key in where[:-1]:
            inner = inner[key]
        if what is ...:
            del inner[where[-1]]
        else:
            inner[where[-1]] = what
    path.write_text("\n".join(map(json.dumps, some)) + "\n", encoding="utf-8")


def read_everywhere(folder: Path, database: Path) -> None:
    """Have everything read the folder that reads one. Raises nothing, unless something is wrong with us."""
    try:
        rebuild_report(folder)
    except GaccError as error:
        assert "\n" not in str(error)
    report = import_paths(database, [folder])
    for file in report.files:
        told = [
            file.error or "",
            *(item.reason for item in file.quarantined),
            *(one for _, one in file.changed),
        ]
        assert not [text for text in told if "\n" in text]
    with Reader(database) as reader:
        for run_id in report.run_ids:
            verify_compaction(run_id, reader.records(run_id), None, lambda *_: None, lambda: False)
            run = next(one.run for one in reader.runs() if one.run.id == run_id)
            view = overview(reader, run)
            for case in view.cases:
                case_view(reader, run, case.id)


def check(sound: Path, place: Path, seed: int) -> None:
    random = Random(seed)
    folder = shutil.copytree(sound, place / "run")
    for _ in range(random.randint(1, 2)):
        damaged(folder, random.choice(FILES), random)
    read_everywhere(folder, place / "a.db")


@pytest.mark.parametrize("seed", range(6))
def test_a_damaged_folder_raises_nothing(sound: Path, tmp_path: Path, seed: int) -> None:
    check(sound, tmp_path, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1_000, 1_200))
def test_damaged_folders_raise_nothing(sound: Path, tmp_path: Path, seed: int) -> None:
    check(sound, tmp_path, seed)
