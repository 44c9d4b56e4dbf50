from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gacc_gui.core.errors import BadUsage, StoreError
from gacc_gui.core.metrics import GoalFacts, cell_metrics
from gacc_gui.core.records import Cell, Context, Goal, Question, Request, Run
from gacc_gui.store.database import open_database
from gacc_gui.store.reads import Reader
from gacc_gui.store.rows import CellChoice, FilterVocabulary
from tests.counting import count_unit

from .conftest import RUN, SOURCE, Store, memory, small_run
from .test_queries import varied_run


def test_runs_with_their_sizes(store: Store, another: Callable[[str], Run]) -> None:
    store.write(small_run(), verified=True)
    store.write([], replace(another("r2"), tokenizer=None))
    store.index("r1")
    with Reader(store.path) as reader:
        first, second = reader.runs()
    assert (first.run, first.goals, first.questions, first.answers) == (RUN, 3, 3, 5)
    assert (first.identity_declared, first.identity_verified, first.search_ready) == (False, True, True)
    assert (second.goals, second.answers, second.identity_declared) == (0, 0, None)
    assert (second.identity_verified, second.search_ready) == (False, False)
    store.write(small_run())
    with Reader(store.path) as reader:
        assert reader.runs()[0].identity_verified


def test_a_run_by_its_id_or_its_unique_name(small: Store, another: Callable[[str], Run]) -> None:
    small.write([], replace(another("a small run"), name="r1"))
    small.write([], replace(another("r3"), name="twice"))
    small.write([], replace(another("r4"), name="twice"))
    with Reader(small.path) as reader:
        assert reader.resolve_run("r1") == "r1"
        assert reader.resolve_run("a small run") == "a small run"
        with pytest.raises(BadUsage, match="several runs are named 'twice'; say which by its id: r3, r4"):
            reader.resolve_run("twice")
        with pytest.raises(BadUsage, match="there is no run 'r9'"):
            reader.resolve_run("r9")
        for read in (reader.cells, reader.goal_units, reader.vocabulary, reader.goal_facts):
            with pytest.raises(BadUsage, match="there is no run 'r9'"):
                read("r9")


def test_cells_and_vocabulary(store: Store) -> None:
    ratios = ("1", "0.25", "0.1", "0.05")
    store.write(
        [
            *small_run()[:8],
            *(memory(f"m{ratio}", "g1", 9, ratio, compressor="b") for ratio in ratios),
            memory("m", "g2", 3, "0.5", compressor="a", shown="g1", condition="cross-goal"),
        ]
    )
    with Reader(store.path) as reader:
        assert reader.cells("r1") == [
            Cell("a", "1", "cross-goal", "0.5"),
            *(Cell("b", "1", "own-goal", ratio) for ratio in reversed(ratios)),
        ]
        assert reader.vocabulary("r1") == FilterVocabulary(
            ("a", "b"),
            ("cross-goal", "own-goal"),
            ("0.05", "0.1", "0.25", "0.5", "1"),
            ("not_judged",),
            ("ours", "theirs"),
        )


def test_goal_rows_in_the_order_asked_for(small: Store) -> None:
    with Reader(small.path) as reader:
        units = reader.goal_units("r1")
        rows = reader.goal_rows([*units, 999, *reversed(units)])
        assert [row.unit for row in rows] == [*units, *reversed(units)]
        row = next(row for row in rows if row.memory_id == "m1")
        assert (row.goal_id, row.goal_text, row.context_id, row.context_title) == (
            "g1",
            "Keep what happened to the pump",
            "c1",
            "Pump",
        )
        assert (row.cell, row.budget, row.generation, row.repeat) == (
            Cell("lead", "1", "own-goal", "0.5"),
            26,
            0,
            0,
        )
        assert (row.tail_characters, row.tail_tokens) == (len(SOURCE) - 26, len(SOURCE) - 26)
        assert (row.strip, row.correct, row.questions, row.away) == ("✓T", 1, 2, 1)
        assert reader.goal_rows([]) == []


def test_long_texts_of_a_row_are_cut_and_a_nul_cuts_nothing(store: Store) -> None:
    """SQL-8: SQL's own substr would stop at the NUL."""
    text = "a\x00" + "漢🧠" * 400
    store.write([Context("c", "s", text), Goal("g", "c", text), Question("q", "g", "?"), memory("m", "g", 1)])
    with Reader(store.path) as reader:
        (row,) = reader.goal_rows(reader.goal_units("r1"))
        assert row.goal_text == row.context_title == text[:400]
        assert reader.unit_view(row.unit).goal.text == text


def test_where_the_boundary_is_unknown_there_is_no_tail(store: Store) -> None:
    odd = replace(memory("m1", "g1", 26), retained_text="made up", ledger=None, budget=None)
    store.write([*small_run()[:8], odd])
    with Reader(store.path) as reader:
        (row,) = reader.goal_rows(reader.goal_units("r1"))
    assert (row.tail_characters, row.tail_tokens, row.budget) == (None, None, None)


def test_a_whole_unit(small: Store) -> None:
    records = small_run()
    with Reader(small.path) as reader:
        units = {(row.memory_id, row.repeat): row.unit for row in reader.goal_rows(reader.goal_units("r1"))}
        view = reader.unit_view(units["m1", 0])
        assert (view.run, view.context, view.goal, view.shown_goal) == (
            RUN,
            records[0],
            records[2],
            records[2],
        )
        assert (view.memory, view.repeat, view.identity_verified) == (records[8], 0, False)
        assert [row.question for row in view.rows] == records[5:7]
        assert [row.answer for row in view.rows] == records[11:13]
        assert [row.verdict for row in view.rows] == records[16:18]
        assert [(row.fate, row.cause, row.flags, row.label, row.status) for row in view.rows] == [
            ("retained", "correct", (), "correct", "judged"),
            ("tail", "truncation", (), "incorrect", "judged"),
        ]
        second = reader.unit_view(units["m3", 1])
        assert [(row.answer, row.verdict, row.status) for row in second.rows] == [
            (records[15], None, "not_judged"),
            (None, None, "not_judged"),
        ]
        with pytest.raises(BadUsage, match="no longer in the database"):
            reader.unit_view(999)


def test_finding_a_unit(small: Store) -> None:
    with Reader(small.path) as reader:
        memories = {row.unit: row.memory_id for row in reader.goal_rows(reader.goal_units("r1"))}
        of = lambda **asked: memories.get(reader.find_unit("r1", **asked))  # noqa: E731
        assert of() == "m1"
        assert of(goal_id="g2") == "m2"
        assert of(question_id="q3") == "m2"
        assert of(goal_id="g1", choice=CellChoice(ratio="1")) == "m3"
        assert of(goal_id="g1", question_id="q3") is None
        assert of(goal_id="g3") is None
        assert of(goal_id="nobody") is None


def test_requests_of_a_run_and_of_a_memory(small: Store) -> None:
    with Reader(small.path) as reader:
        assert reader.requests("r1") == small_run()[-2:]
        assert reader.requests("r1", "m1") == [Request("x1", "compressor", "Keep what matters", "m1")]
        assert reader.requests("r1", "m2") == []


def test_counts_are_those_of_the_rows(store: Store) -> None:
    store.write(varied_run())
    with Reader(store.path) as reader:
        by_unit: dict[tuple[str, int], list[tuple[str, str | None, tuple[str, ...]]]] = {}
        for row in reader.question_results("r1"):
            by_unit.setdefault((row.memory_id, row.repeat), []).append((row.cause, row.label, row.flags))
        expected = []
        for unit in sorted(reader.goal_units("r1")):
            view = reader.unit_view(unit)
            rows = by_unit.pop((view.memory.id, view.repeat))
            expected.append(count_unit(view.memory.cell, view.goal.id, view.context.id, rows))
        assert not by_unit
        assert list(reader.unit_counts("r1")) == expected
        goals = reader.goal_facts("r1")
        assert sum(goal.questions for goal in goals) == reader.runs()[0].questions
        metrics = cell_metrics(expected, goals)
        for cell in metrics.cells:
            names = (cell.cell.compressor, cell.cell.revision, cell.cell.condition, cell.cell.ratio)
            assert reader.mended("r1", CellChoice(*names)) == cell.mended
            totals = reader.totals("r1", CellChoice(*names))
            assert (totals.goals, totals.questions, totals.judged, totals.correct, totals.missing_goals) == (
                cell.goals,
                cell.questions,
                cell.judged,
                cell.correct,
                cell.missing_goals,
            )
            assert totals.mended | cell.mended == totals.mended
        right = sum(unit.questions == unit.correct for unit in expected)
        totals = reader.totals("r1")
        assert totals.right_goals == right
        assert totals.complete_goals == sum(unit.questions == unit.judged for unit in expected)
        assert totals.missing_goals == sum(cell.missing_goals for cell in metrics.cells)
        mended = reader.mended("r1")
        assert mended and all(count >= right for count in mended.values())
        assert set(mended) == {row.cause for row in reader.question_results("r1")} - {"correct"}


def test_a_goal_without_questions_is_a_fact_but_no_unit(small: Store) -> None:
    small.write([memory("m9", "g3", 5)])
    with Reader(small.path) as reader:
        assert GoalFacts("g3", "c2", "theirs", 0) in reader.goal_facts("r1")
        assert reader.find_unit("r1", "g3") is None
        assert "m9" not in {row.memory_id for row in reader.question_results("r1")}


def test_the_version_changes_when_somebody_else_commits(small: Store) -> None:
    with Reader(small.path) as reader:
        before = reader.data_version()
        assert reader.data_version() == before
        small.write([memory("m4", "g2", 5)])
        assert reader.data_version() != before
        assert len(reader.goal_units("r1")) == 5


def test_a_reader_sees_one_state_while_a_writer_works(small: Store) -> None:
    with Reader(small.path) as reader, open_database(small.path) as database:
        with database.transaction() as connection:
            connection.execute("DELETE FROM runs")
            assert len(reader.runs()) == 1
        assert reader.runs() == []


def test_a_reader_changes_nothing_and_leaves_nothing(small: Store) -> None:
    before = small.path.read_bytes()
    reader = Reader(small.path)
    with pytest.raises(Exception, match="readonly"):
        reader._connection.execute("DELETE FROM runs")
    list(reader.records("r1"))
    reader.close()
    assert [path.name for path in small.path.parent.iterdir()] == ["gacc.db"]
    assert small.path.read_bytes() == before


def test_a_missing_file_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no database at"):
        Reader(tmp_path / "no" / "gacc.db")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a b.db", "a#b.db", "a?b.db", "a%20b.db", "ü漢🧠.db", "'a'.db"])
def test_any_file_name_will_do(tmp_path: Path, name: str) -> None:
    store = Store(tmp_path / name)
    store.write(small_run())
    assert store.records() == small_run()
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_another_thread_can_close_a_reader(small: Store) -> None:
    reader = Reader(small.path)
    thread = threading.Thread(target=reader.close)
    thread.start()
    thread.join()


@pytest.mark.parametrize(("name", "key"), [("hotpot-rules", "questions"), ("mixed", "rows")])
def test_the_shared_runs_come_to_what_is_expected(
    store: Store, shared_data: Path, name: str, key: str
) -> None:
    from gacc_gui.formats.gacc_run import read_run_file
    from gacc_gui.formats.items import Parsed

    with read_run_file(shared_data / "runs" / f"{name}.gacc-run.json") as file:
        run, *records = [item.record for item in file if isinstance(item, Parsed)]
    assert isinstance(run, Run)
    store.write(records, run)
    expected = json.loads((shared_data / "runs" / f"{name}.expected.json").read_text(encoding="utf-8"))
    with Reader(store.path) as reader:
        rows = {
            (row.memory_id, row.question_id, *([row.repeat] if key == "rows" else [])): row
            for row in reader.question_results(run.id)
        }
        metrics = cell_metrics(reader.unit_counts(run.id), reader.goal_facts(run.id))
    assert len(rows) == len(expected[key])
    for row in expected[key]:
        *ids, fate, cause = row if key == "questions" else row[:5]
        found = rows[tuple(ids)]
        assert (found.fate, found.cause) == (fate, cause)
        if key == "rows":
            flags = [flag for flag in found.flags if flag != "uncertain"]
            assert (flags, found.label, found.status) == (row[5], row[6], row[7])
    counts = Counter(row.cause for row in rows.values())
    assert sum(sum(cell.causes.values()) for cell in metrics.cells) == counts.total()
