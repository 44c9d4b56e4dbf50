"""Landing a run in the database: whole, once, or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.core.errors import BadInput, Interrupted, StoreError
from gacc_gui.core.records import Answer, Memory, Run, Verdict
from gacc_gui.runner import sink
from gacc_gui.runner.engine import Options, Tally, evaluate
from gacc_gui.runner.events import Event, Waiting
from gacc_gui.runner.gacc_protocol import gacc_protocol_of
from gacc_gui.runner.parts import CompressorInput, CompressorOutput, JudgeOutput, ReaderOutput
from gacc_gui.runner.plan import Plan
from gacc_gui.runner.sink import DurableSink, whole_run
from gacc_gui.runner.workers import NotBegunError
from gacc_gui.store import evaluations
from gacc_gui.store.appending import RunAppender
from gacc_gui.store.database import open_database
from gacc_gui.store.reads import Reader

from .conftest import Kept, Part

MakePlan = Callable[..., Plan]


def land(path: Path, plan: Plan) -> None:
    with open_database(path) as database, whole_run(database, False) as sink:
        evaluate(plan, sink)


def test_what_the_engine_made_is_what_is_stored(tmp_path: Path, make_plan: MakePlan) -> None:
    settings, kept = [("own-goal", "0.5"), ("no-goal", "0.2")], Kept()
    evaluate(make_plan(settings=settings), kept)
    land(tmp_path / "runs.db", make_plan(settings=settings))
    with Reader(tmp_path / "runs.db") as reader:
        stored = list(reader.records("r1"))
    made = [record for commit in kept.commits for record in commit]
    assert sorted(map(repr, stored)) == sorted(map(repr, made))


def test_the_same_run_again_changes_nothing(tmp_path: Path, make_plan: MakePlan) -> None:
    path = tmp_path / "runs.db"
    land(path, make_plan())
    with Reader(path) as reader:
        before = list(map(repr, reader.records("r1")))
    land(path, make_plan())
    with Reader(path) as reader:
        assert list(map(repr, reader.records("r1"))) == before


def test_another_run_of_that_name_is_refused(tmp_path: Path, make_plan: MakePlan) -> None:
    path = tmp_path / "runs.db"
    land(path, make_plan())
    with pytest.raises(BadInput, match="name"):
        land(path, replace(make_plan(), run=Run("r1", name="another")))


def test_a_run_that_comes_out_otherwise_is_refused_and_leaves_the_stored_one(
    tmp_path: Path, make_plan: MakePlan
) -> None:
    path = tmp_path / "runs.db"
    land(path, make_plan())
    with pytest.raises(StoreError, match="differs from the one just made"):
        land(path, make_plan(lambda given: CompressorOutput("something else")))
    with Reader(path) as reader:
        memories = [record for record in reader.records("r1") if isinstance(record, Memory)]
    assert memories[0].proposed_text == "alpha beta gamma delta"


def test_an_exception_leaves_no_run(tmp_path: Path, make_plan: MakePlan) -> None:
    path = tmp_path / "runs.db"

    def stop(step: object) -> None:
        raise Interrupted("stopped")

    with (
        pytest.raises(Interrupted),
        open_database(path) as database,
        whole_run(database, False) as sink,
    ):
        evaluate(make_plan(), sink, report=stop)
    with Reader(path) as reader:
        assert reader.runs() == []


# Runs that land piece by piece.


def durable(path: Path, plan: Plan, events: list[Event] | None = None, **more: Any) -> Tally:
    """Evaluate into a database as `run gacc` does."""
    told = events if events is not None else []
    with open_database(path) as database:
        appender = RunAppender(database)
        appender.begin(plan.run, False, "")
        return evaluate(plan, DurableSink(appender, database, told.append), report=told.append, **more)


def test_piece_by_piece_holds_what_the_engine_made(tmp_path: Path, make_plan: MakePlan) -> None:
    settings, kept = [("own-goal", "0.5"), ("no-goal", "0.2")], Kept()
    evaluate(make_plan(settings=settings), kept, options=Options(concurrency=1))
    durable(tmp_path / "runs.db", make_plan(settings=settings), options=Options(concurrency=3))
    with Reader(tmp_path / "runs.db") as reader:
        stored = list(reader.records("r1"))
    made = [record for commit in kept.commits for record in commit]
    assert sorted(map(repr, stored)) == sorted(map(repr, made))


def test_what_was_made_is_there_when_the_next_call_begins(tmp_path: Path, make_plan: MakePlan) -> None:
    path, seen = tmp_path / "runs.db", []

    def look(given: Any) -> ReaderOutput:
        with closing(sqlite3.connect(path)) as connection:
            one = lambda table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: E731
            seen.append((one("memories"), one("answers"), one("verdicts"), one("calls_under_way")))
        return ReaderOutput("alpha")

    durable(path, make_plan(read=look), options=Options(concurrency=1))
    assert seen == [(1, 0, 0, 1), (1, 1, 1, 1), (2, 2, 2, 1), (3, 3, 3, 1)]


def test_a_database_that_another_program_holds_is_waited_for(
    tmp_path: Path, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sink, "_AGAIN_SECONDS", 0.01)
    monkeypatch.setattr(sink, "TELL_SECONDS", 0.05)
    monkeypatch.setattr(sink, "_BUSY_MILLISECONDS", 1)
    path, events = tmp_path / "runs.db", []
    with open_database(path):
        pass
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)

    def compress(given: CompressorInput) -> CompressorOutput:
        if not other.in_transaction and not any(isinstance(event, Waiting) for event in events):
            other.execute("BEGIN IMMEDIATE")
        return CompressorOutput(given.context)

    def tell(event: Event) -> None:
        events.append(event)
        if isinstance(event, Waiting):
            other.execute("ROLLBACK")

    with open_database(path) as database:
        plan, appender = make_plan(compress), RunAppender(database)
        appender.begin(plan.run, False, "")
        # One call at a time: two threads would both try to begin the other program's transaction.
        one = Options(concurrency=1)
        tally = evaluate(plan, DurableSink(appender, database, tell), report=tell, options=one)
    other.close()
    assert tally.failed_items == 0
    assert [event.endpoint for event in events if isinstance(event, Waiting)] == ["database"]
    with Reader(path) as reader:
        assert reader.runs()[0].answers == 4


def test_a_database_that_stays_locked_ends_the_run_with_a_sentence(
    tmp_path: Path, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sink, "LOCKED_SECONDS", 0.02)
    monkeypatch.setattr(sink, "_AGAIN_SECONDS", 0.01)
    monkeypatch.setattr(sink, "_BUSY_MILLISECONDS", 1)
    path = tmp_path / "runs.db"
    with open_database(path):
        pass
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)

    def compress(given: CompressorInput) -> CompressorOutput:
        if not other.in_transaction:
            other.execute("BEGIN IMMEDIATE")
        return CompressorOutput(given.context)

    with pytest.raises(StoreError, match="locked by another program"):
        durable(path, make_plan(compress))
    other.execute("ROLLBACK")
    other.close()


def test_a_full_disk_ends_the_run_and_leaves_what_was_committed(tmp_path: Path, make_plan: MakePlan) -> None:
    path = tmp_path / "runs.db"
    with open_database(path) as database:
        plan, appender = make_plan(), RunAppender(database)
        appender.begin(plan.run, False, "")
        judged = 0

        def judge(given: Any) -> JudgeOutput:
            nonlocal judged
            judged += 1
            if judged == 3:
                return JudgeOutput("correct", rationale="because " * 40_000)
            return JudgeOutput("correct")

        (pages,) = database.connection.execute("PRAGMA page_count").fetchone()
        database.connection.execute(f"PRAGMA max_page_count = {pages + 10}")
        full = replace(plan, protocol=replace(gacc_protocol_of(plan), judge_part=Part(judge, "judge")))
        sink = DurableSink(appender, database, lambda event: None)
        with pytest.raises(StoreError, match="the disk is full"):
            evaluate(full, sink, options=Options(concurrency=1))
    with Reader(path) as reader:
        records = list(reader.records("r1"))
    assert len([record for record in records if isinstance(record, Verdict)]) == 2
    assert len([record for record in records if isinstance(record, Answer)]) == 3


def test_credentials_are_not_stored(tmp_path: Path, make_plan: MakePlan) -> None:
    path = tmp_path / "runs.db"
    secret = "sk-TESTSECRET123"

    def read(given: Any) -> ReaderOutput:
        return ReaderOutput(
            None,
            "error",
            error=f"401 for Authorization: Bearer {secret}",
            sent=f"GET /v1?api_key={secret}",
            reply=f"the key {secret} is refused",
        )

    durable(path, make_plan(read=read))
    for file in tmp_path.iterdir():
        assert secret.encode() not in file.read_bytes()


def test_a_call_that_was_never_sent_is_no_interrupted_one(tmp_path: Path, make_plan: MakePlan) -> None:
    def stopped(_given: object) -> ReaderOutput:
        raise NotBegunError

    path = tmp_path / "runs.db"
    durable(path, make_plan(read=stopped))
    with open_database(path) as database:
        assert evaluations.under_way(database.connection, "r1") == []
