"""`run fixture`: the figures of each seed, recomputed here from the stored rows without the audit's code."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from gacc_gui.app.fixture import run_fixture, run_seed, seeds_of
from gacc_gui.core.errors import BadInput, BadUsage, StoreError
from gacc_gui.core.records import Memory, Question, Record, Request, Verdict
from gacc_gui.store.reads import Reader


def records(path: Path, run_id: str) -> list[Record]:
    with Reader(path) as reader:
        return list(reader.records(run_id))


def test_three_seeds_give_the_document_of_the_contract(tmp_path: Path) -> None:
    done: list[tuple[int, int]] = []
    document = run_fixture(tmp_path / "f.db", [42, 43, 44], lambda *step: done.append(step))
    assert document == {
        "runs": [
            {
                "id": f"fixture-{seed}",
                "seed": seed,
                "compressor_calls": 4,
                "reread_compressor_calls": 0,
                "micro": pytest.approx(2 / 3),
                "macro": 0.0,
                "count_errors": 0,
                "budget_violations": 0,
                "compressor_exposures": 0,
            }
            for seed in (42, 43, 44)
        ]
    }
    assert done == [(1, 3), (2, 3), (3, 3)]
    with Reader(tmp_path / "f.db") as reader:
        assert [summary.run.id for summary in reader.runs()] == ["fixture-42", "fixture-43", "fixture-44"]
        assert not any(summary.identity_verified for summary in reader.runs())
        assert all(summary.run.diagnostic_only and summary.search_ready for summary in reader.runs())


@pytest.mark.parametrize("seed", [0, -1, 7, 2**70])
def test_the_stored_rows_say_the_same(tmp_path: Path, seed: int) -> None:
    outcome = run_seed(tmp_path / "f.db", seed)
    stored = records(tmp_path / "f.db", f"fixture-{seed}")
    goal_of = {record.id: record.goal_id for record in stored if isinstance(record, Question)}
    verdicts = [record for record in stored if isinstance(record, Verdict)]
    right = {goal_of[v.question_id]: [] for v in verdicts}
    for verdict in verdicts:
        right[goal_of[verdict.question_id]].append(verdict.label == "correct")
    assert outcome.micro == sum(map(sum, right.values())) / 12
    assert outcome.macro == sum(map(all, right.values())) / 4
    memories = [record for record in stored if isinstance(record, Memory)]
    assert len(memories) == 4
    assert all(len(memory.retained_text or "") <= (memory.budget or 0) for memory in memories)
    sent = [r.content for r in stored if isinstance(r, Request) and r.role == "compressor"]
    assert len(sent) == outcome.compressor_calls == 4


def test_every_failure_is_the_cut_of_the_last_field(tmp_path: Path) -> None:
    run_seed(tmp_path / "f.db", 42)
    with Reader(tmp_path / "f.db") as reader:
        rows = list(reader.question_results("fixture-42"))
    assert len(rows) == 12
    for row in rows:
        if row.question_id.endswith("seal"):
            assert (row.fate, row.cause) == ("cut", "truncation")
        else:
            assert (row.fate, row.cause) == ("retained", "correct")


def test_the_same_seed_again_is_the_same_run(tmp_path: Path) -> None:
    first = run_fixture(tmp_path / "f.db", [42])
    before = records(tmp_path / "f.db", "fixture-42")
    assert run_fixture(tmp_path / "f.db", [42]) == first
    assert records(tmp_path / "f.db", "fixture-42") == before
    run_fixture(tmp_path / "g.db", [42])
    assert records(tmp_path / "g.db", "fixture-42") == before


def test_a_changed_stored_run_is_told_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "f.db"
    run_fixture(path, [42])
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE verdicts SET label = 'correct' WHERE label = 'incorrect'")
    connection.close()
    with pytest.raises(StoreError, match=r"fixture-42.*differs from the one just made: verdict"):
        run_fixture(path, [42])


def test_another_run_of_that_name_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "f.db"
    run_fixture(path, [42])
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE runs SET protocol = 'mine'")
    connection.close()
    with pytest.raises(BadInput, match="protocol"):
        run_fixture(path, [42])


def test_seeds_are_whole_numbers_each_once() -> None:
    assert seeds_of("42,43, 44,42") == [42, 43, 44]
    assert seeds_of("-3") == [-3]
    for text in ("", "42,", "4.5", "x", "42;43"):
        with pytest.raises(BadUsage, match="a seed is a whole number"):
            seeds_of(text)
