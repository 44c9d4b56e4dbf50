from __future__ import annotations

from pathlib import Path

import pytest

from gacc_gui.core.records import Answer, Question, Verdict
from gacc_gui.store import analysts, findings, results
from gacc_gui.store.reads import Reader

from .conftest import Store, memory, small_run
from .test_queries import varied_run


def units(store: Store) -> dict[tuple[str, int], tuple[int, str]]:
    """Unit key and strip by memory and repeat."""
    with Reader(store.path) as reader:
        return {
            (row.memory_id, row.repeat): (row.unit, row.strip)
            for row in reader.goal_rows(reader.goal_units("r1"))
        }


def test_units_and_their_strips(small: Store) -> None:
    assert {key: strip for key, (_, strip) in units(small).items()} == {
        ("m1", 0): "✓T",
        ("m2", 0): "J",
        ("m3", 0): "✓–",
        ("m3", 1): "––",
    }


def test_a_late_question_changes_every_unit_of_its_goal_and_no_key(small: Store) -> None:
    before = units(small)
    small.write([Question("q4", "g1", "Anything else?"), Verdict("m1", "q4", 0, "correct", "judged")])
    after = units(small)
    assert {key: strip for key, (_, strip) in after.items()} == {
        ("m1", 0): "✓T–",
        ("m2", 0): "J",
        ("m3", 0): "✓––",
        ("m3", 1): "–––",
    }
    assert {key: unit for key, (unit, _) in after.items()} == {key: unit for key, (unit, _) in before.items()}


def test_a_memory_without_answers_has_repeat_0_until_it_has_others(store: Store) -> None:
    store.write(small_run()[:11])
    assert set(units(store)) == {("m1", 0), ("m2", 0), ("m3", 0)}
    store.write([Answer("m1", "q1", 2, "noon", "ok")])
    assert set(units(store)) == {("m1", 2), ("m2", 0), ("m3", 0)}
    assert {repeat for memory, _, repeat in store.rows() if memory == "m1"} == {2}


def test_the_first_question_of_a_goal_makes_its_units(store: Store) -> None:
    store.write([*small_run()[:5], memory("m1", "g1", 26)])
    assert units(store) == {}
    store.write(small_run())
    assert set(units(store)) == {("m1", 0), ("m2", 0), ("m3", 0), ("m3", 1)}


def test_other_processes_find_the_same(store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    store.write(varied_run())
    other = Store(tmp_path / "parallel.db")
    monkeypatch.setattr(findings, "LARGE", 1)
    monkeypatch.setattr(findings, "_TASK_CHARACTERS", 300)
    monkeypatch.setattr(analysts.os, "cpu_count", lambda: 2)
    other.write(varied_run())
    assert units(other) == units(store)
    assert other.rows() == store.rows()


def test_processes_that_fail_cost_no_row(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    store.write(varied_run())
    monkeypatch.setattr(findings, "LARGE", 1)
    monkeypatch.setattr(analysts.os, "cpu_count", lambda: 2)
    for number, program in enumerate(
        ("raise SystemExit(1)", "print('no pickle', flush=True)", "import no_such")
    ):
        monkeypatch.setattr(analysts, "_PROGRAM", program)
        other = Store(tmp_path / f"{number}.db")
        other.write(varied_run())
        assert other.rows() == store.rows()


def test_many_kinds_of_rows_keep_their_letters_apart(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """More combinations than the alphabet has letters."""
    monkeypatch.setattr(results, "_ALPHABET", "01")
    store.write(varied_run())
    letters = [str(letter) for (letter,) in store.sql("SELECT letter FROM outcomes")]
    assert len(letters) == len(set(letters)) > 20
    assert all(len(letter) == 1 for letter in letters)
    assert store.sql("SELECT count(*) FROM units WHERE length(outcomes) <> questions") == [(0,)]
    with Reader(store.path) as reader:
        from gacc_gui.core.filters import parse

        wanted = {
            (row.memory_id, row.repeat) for row in reader.question_results("r1") if row.cause == "truncation"
        }
        found = reader.goal_rows(reader.goal_units("r1", query=parse("cause:truncation")))
    assert {(row.memory_id, row.repeat) for row in found} == wanted
