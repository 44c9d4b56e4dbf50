"""A database that somebody changed by hand: what is read of it is right, or one sentence names the damage."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from gacc_gui.app.agreement import agreement_of
from gacc_gui.app.metrics import run_metrics
from gacc_gui.app.reviewing import reviewed_of
from gacc_gui.app.verifying import verify_run
from gacc_gui.core.errors import GaccError, StoreError
from gacc_gui.core.filters import parse
from gacc_gui.store.database import open_database
from gacc_gui.store.reads import Reader

from .conftest import Store, probe, review, small_run

DAMAGES = [
    ("UPDATE reviews SET created_at = 'yesterday'", "reviews, id 'rv1': created_at is no time"),
    ("UPDATE reviews SET tags = 'not json'", "reviews, id 'rv1': tags is no JSON array"),
    ("UPDATE reviews SET decision = 'maybe'", "reviews, id 'rv1': decision is none of correct"),
    ("UPDATE questions SET reference_answers = '{bad'", "questions, id 'q1': reference_answers is no JSON"),
    ("UPDATE questions SET reference_answers = '{}'", "questions, id 'q1': reference_answers is no JSON"),
    ("UPDATE outcomes SET cause = 'bogus'", "outcomes, outcome_key 1: cause is none of correct"),
    ("UPDATE runs SET tokenizer = '['", "runs, id 'r1': tokenizer is no JSON object"),
    (
        "UPDATE answers SET extra = '1' WHERE repeat = 1",
        "answers, memory_key 3, question_key 1, repeat 1: ex",
    ),
    ("UPDATE probes SET requests = '{}'", "probes, id 'p1': requests is no JSON array"),
    ("UPDATE memories SET status = 'fine' WHERE id = 'm2'", "memories, id 'm2': status is none of ok"),
    ("DROP TABLE reviews", "the table reviews is gone"),
    ("DROP TABLE evaluations", "the table evaluations is gone"),
    ("DELETE FROM questions WHERE id = 'q1'", "its question_key is that of no row of questions"),
    ("DELETE FROM outcomes WHERE outcome_key = 1", "its outcome_key is that of no row of outcomes"),
    ("DELETE FROM texts WHERE text_key = 1", "contexts, row 1: it refers to a row of texts that is gone"),
    ("DELETE FROM contexts WHERE id = 'c1'", "goals, row 1: it refers to a row of contexts that is gone"),
    ("DELETE FROM memories WHERE id = 'm1'", "it refers to a row of memories that is gone"),
    ("DELETE FROM results WHERE memory_key = 1", "units, unit 1: results of its questions are gone"),
    ("DELETE FROM units WHERE unit = 1", "memories, id 'm1': its units are gone"),
]


def everything(reader: Reader) -> None:
    """What commands and window read of a run."""
    reader.runs()
    reader.evaluations()
    units = reader.goal_units("r1")
    reader.goal_rows(units)
    reader.goal_units("r1", query=parse("review:any pump"))
    for unit in units:
        reader.unit_view(unit)
    list(reader.question_results("r1"))
    run_metrics(reader, "r1", reviewed=reviewed_of(reader, "r1"))
    agreement_of(reader, "r1")
    list(reader.records("r1"))


READS: list[Callable[[Reader], object]] = [
    everything,
    *(
        lambda reader: [reader.unit_view(unit) for unit in reader.goal_units("r1")],
        lambda reader: run_metrics(reader, "r1", reviewed=reviewed_of(reader, "r1")),
        lambda reader: list(reader.records("r1")),
    ),
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = Store(tmp_path_factory.mktemp("whole") / "whole.db")
    store.write([*small_run(), review("rv1", tags=("odd",)), probe("p1")])
    return store.path


@pytest.mark.parametrize(("statement", "named"), DAMAGES, ids=[named for _, named in DAMAGES])
def test_damage_is_one_sentence(whole: Path, tmp_path: Path, statement: str, named: str) -> None:
    path = tmp_path / "damaged.db"
    shutil.copy(whole, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()
    with pytest.raises(StoreError) as told, Reader(path) as reader:
        verify_run(reader, "r1")
    assert str(told.value).startswith(f"the database {path} is damaged: ") and named in str(told.value)
    for read in READS:  # what needs the row says so, and nothing else does
        try:
            with Reader(path) as reader:
                read(reader)
        except GaccError as error:  # or that the goal has gone, which it has
            assert str(error) in (str(told.value), "this goal is no longer in the database")


def test_what_writes_says_so_too(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "damaged.db"
    shutil.copy(whole, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE answers")
        connection.commit()
    with (
        pytest.raises(StoreError, match="the table answers is gone"),
        open_database(path) as database,
        database.transaction() as connection,
    ):
        connection.execute("DELETE FROM answers")


def test_a_whole_database_has_none_and_a_bug_stays_one(whole: Path) -> None:
    with Reader(whole) as reader:
        everything(reader)
        reader.check_whole()
    for error in (KeyError("x"), StopIteration(), sqlite3.OperationalError("near 'SELCT': syntax error")):
        with pytest.raises(type(error)) as told, Reader(whole):
            raise error
        assert told.value is error
