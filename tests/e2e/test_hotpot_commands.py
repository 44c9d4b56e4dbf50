"""`score hotpotqa` and `compaction select` as a person runs them, on the shared questions."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.hotpot_files import hotpot_row, write_json, write_parquet

QUESTIONS = "hotpot_dev_distractor_60.json"


@pytest.fixture
def hotpot(shared_data: Path) -> Path:
    return shared_data / "hotpotqa"


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("form", ["json", "parquet"])
def test_the_official_figures(cli: Any, hotpot: Path, number: int, form: str) -> None:
    gold = hotpot / QUESTIONS
    if form == "parquet":
        gold = write_parquet(cli.folder / "gold.parquet", json.loads(gold.read_text(encoding="utf-8")))
    predictions = hotpot / f"predictions_{number}.json"
    wanted = json.loads((hotpot / f"official_metrics_{number}.json").read_text(encoding="utf-8"))
    for rule in ([], ["--official-ids"]):
        done = cli("score", "hotpotqa", "--gold", gold, "--predictions", predictions, "--json", *rule)
        assert list(done.json) == list(wanted)
        assert done.json == pytest.approx(wanted, abs=1e-12, rel=0)
        assert "missing answer, counted as zero" in done.err


def test_figures_for_people(cli: Any, hotpot: Path) -> None:
    done = cli(
        "score", "hotpotqa", "--gold", hotpot / QUESTIONS, "--predictions", hotpot / "predictions_1.json"
    )
    assert "of 60" in done.out
    assert "0.3667" in done.out


def test_no_data(cli: Any) -> None:
    gold = write_json(cli.folder / "gold.json", [])
    predictions = write_json(cli.folder / "p.json", {"answer": {}, "sp": {}})
    done = cli("score", "hotpotqa", "--gold", gold, "--predictions", predictions, "--json", expect=2)
    assert done.out == ""
    assert "no data" in done.err
    assert len(done.err.splitlines()) == 1


def test_files_that_cannot_be_scored(cli: Any) -> None:
    gold = write_json(cli.folder / "gold.json", [{"_id": "a", "answer": "x"}])
    predictions = write_json(cli.folder / "p.json", {"answer": {}, "sp": {}})
    done = cli("score", "hotpotqa", "--gold", gold, "--predictions", predictions, "--json", expect=2)
    assert "row 1 (a): there is no supporting_facts" in done.err
    done = cli("score", "hotpotqa", "--gold", gold, "--predictions", gold, "--json", expect=2)
    assert 'has an object "answer"' in done.err
    done = cli("score", "hotpotqa", "--gold", gold, expect=2)
    assert "--predictions" in done.err


def test_the_sample_is_too_small_for_the_default(cli: Any, hotpot: Path) -> None:
    done = cli("compaction", "select", "--dataset", hotpot / QUESTIONS, "--output", "s.json", expect=2)
    assert done.out == ""
    assert "bridge: 15 asked for, 12 pass" in done.err
    assert "comparison: 15 asked for, 3 pass" in done.err
    assert len(done.err.splitlines()) == 1
    assert not (cli.folder / "s.json").exists()


def test_the_same_selection_from_either_form(cli: Any, hotpot: Path) -> None:
    rows = json.loads((hotpot / QUESTIONS).read_text(encoding="utf-8"))
    parquet = write_parquet(cli.folder / "d.parquet", rows)
    counts = ("--bridge", 4, "--comparison", 1)
    first = cli(
        "compaction", "select", "--dataset", hotpot / QUESTIONS, "--output", "a.json", *counts, "--json"
    )
    second = cli("compaction", "select", "--dataset", parquet, "--output", "b.json", *counts, "--json")
    assert first.json["ids"] == second.json["ids"] == _selected_here(rows)
    assert (cli.folder / "a.json").read_bytes() == (cli.folder / "b.json").read_bytes()
    again = cli("compaction", "select", "--dataset", parquet, "--output", "b.json", *counts, expect=2)
    assert "already there" in again.err


def _selected_here(rows: list[dict[str, Any]]) -> list[str]:
    """The selection once more, as its description reads."""
    taken: list[str] = []
    titles: set[str] = set()
    for kind, count in (("bridge", 4), ("comparison", 1)):
        wanted = len(taken) + count
        for row in sorted(
            rows, key=lambda row: hashlib.sha256(f"20261016:{row['_id']}".encode()).hexdigest()
        ):
            own = {title for title, _ in row["context"]}
            characters = sum(len(sentence) for _, sentences in row["context"] for sentence in sentences)
            if row["type"] != kind or len(own) != 10 or not 6_000 <= characters <= 32_000 or own & titles:
                continue
            if len(taken) < wanted:
                taken.append(row["_id"])
                titles |= own
    return taken


def test_what_select_prints(cli: Any) -> None:
    rows = [hotpot_row("b"), hotpot_row("c", "comparison"), hotpot_row("short", characters=100)]
    dataset = write_json(cli.folder / "d.json", rows)
    arguments = ("compaction", "select", "--dataset", dataset, "--bridge", 1, "--comparison", 1, "--seed", -3)
    done = cli(*arguments, "--output", "s.json")
    evidence = next(line for line in done.out.splitlines() if line.startswith("evidence"))
    assert evidence.split()[1:4] == ["1", "1", "2"]
    assert "bridge: 1 selected of 1" in done.out
    assert json.loads((cli.folder / "s.json").read_text(encoding="utf-8"))["seed"] == -3
    assert "no such file" in cli(*arguments, "--output", "no/s.json", expect=2).err
    assert "--bridge" in cli("compaction", "select", "--bridge", "-1", expect=2).err
