from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from gacc_gui.core.errors import BadInput, BadUsage, StoreError
from gacc_gui.core.records import Probe, ProbeAnswer, Request, Review
from gacc_gui.store.added_rows import append_added
from gacc_gui.store.database import delete_run, open_database
from gacc_gui.store.migrations import SCHEMA_VERSION
from gacc_gui.store.reads import Reader

from .conftest import Store, probe, review, small_run

ADDED = [
    review("v1"),
    review("v2", "clear", cause="reader", note="n", tags=("a", "b"), blind=True, sample={"queue": "x"}),
    review("v3", "unclear", "m3", "q1", repeat=1, extra={"mood": [1]}, unusual=("tags",)),
    probe("p1"),
    replace(probe("p2", "empty"), verdict=None, answer=ProbeAnswer(None, "error", "no reply"), cost=None),
]


def test_reviews_and_probes_come_back_in_the_order_they_came(small: Store) -> None:
    landing = small.write(ADDED)
    assert landing.added == {"review": 3, "probe": 2}
    assert small.records() == [*small_run(), *ADDED]
    with Reader(small.path) as reader:
        assert reader.reviews("r1") == ADDED[:3]
        assert reader.probes("r1") == ADDED[3:]
        assert reader.reviews("r1", "m3") == ADDED[2:3]
        assert reader.probes("r1", "m3") == []
        with pytest.raises(BadUsage):
            reader.reviews("nowhere")


def test_they_change_no_row(small: Store) -> None:
    before = small.rows(), small.sql("SELECT * FROM units"), small.sql("SELECT * FROM verdicts")
    small.write(ADDED)
    assert (small.rows(), small.sql("SELECT * FROM units"), small.sql("SELECT * FROM verdicts")) == before


def test_the_same_ones_again_are_there_and_others_under_their_id_are_conflicts(small: Store) -> None:
    small.write(ADDED)
    landing = small.write(ADDED)
    assert landing.already == {"run": 1, "review": 3, "probe": 2} and not landing.added
    other = replace(ADDED[0], decision="incorrect")
    landing = small.write([other, replace(ADDED[3], answer=ProbeAnswer("no", "ok"))])
    assert [(conflict.kind, conflict.key) for conflict in landing.conflicts] == [
        ("review", ("v1",)),
        ("probe", ("p1",)),
    ]
    assert small.records() == [*small_run(), *ADDED]


def test_those_of_memories_and_questions_that_are_not_there_wait(store: Store) -> None:
    records = small_run()
    landing = store.write([*ADDED, *records[:8]])  # no memory yet
    assert [(waiting.kind, waiting.key[0], waiting.parent_kind) for waiting in landing.waiting] == [
        ("review", "v1", "memory"),
        ("review", "v2", "memory"),
        ("review", "v3", "memory"),
        ("probe", "p1", "memory"),
        ("probe", "p2", "memory"),
    ]
    landing = store.write(records[8:])
    assert landing.added["review"] == 3 and landing.added["probe"] == 2
    assert store.records() == [*records, *ADDED]


def test_a_question_of_another_goal_is_refused(small: Store) -> None:
    landing = small.write([review("v1", question="q3"), replace(probe("p1"), question_id="q3")])
    assert [refused.reason for refused in landing.refused] == [
        "question 'q3' does not belong to the goal of memory 'm1'"
    ] * 2


def test_a_run_goes_with_all_that_was_added_to_it(small: Store) -> None:
    small.write(ADDED)
    with open_database(small.path) as database:
        delete_run(database, "r1")
    assert small.sql("SELECT (SELECT count(*) FROM reviews), (SELECT count(*) FROM probes)") == [(0, 0)]


def test_appending_beside_a_reader(small: Store) -> None:
    request = Request("p1/reader", "reader", "What?", "m1", {"probe": "p1"})
    with Reader(small.path) as reader, open_database(small.path) as database:
        version = reader.data_version()
        append_added(database, "r1", [review("v1")])
        assert reader.data_version() != version
        append_added(database, "r1", [request, probe("p1"), probe("p2", "source")])
        assert reader.reviews("r1") == [review("v1")]
        assert reader.probes("r1", "m1") == [probe("p1"), probe("p2", "source")]
        assert reader.requests("r1", "m1")[-1] == request


@pytest.mark.parametrize(
    ("bad", "error", "reason"),
    [
        (review("v1"), BadInput, "the review 'v1' is there already"),
        (review("v9", memory="m9"), BadUsage, "there is no memory 'm9'"),
        (review("v9", question="q3"), BadUsage, "memory 'm1' was not asked a question 'q3'"),
    ],
)
def test_appending_is_all_or_none(small: Store, bad: Review, error: type[Exception], reason: str) -> None:
    small.write([review("v1")])
    with open_database(small.path) as database:
        with pytest.raises(error, match=reason):
            append_added(database, "r1", [review("v2"), bad])
        with pytest.raises(BadUsage, match="there is no run 'r2'"):
            append_added(database, "r2", [review("v2")])
    with Reader(small.path) as reader:
        assert reader.reviews("r1") == [review("v1")]


def test_an_attempt_that_is_taken_becomes_the_next_free_one(small: Store) -> None:
    with open_database(small.path) as one, open_database(small.path) as other:
        for number, database in enumerate((one, other, one, other)):
            (stored,) = append_added(database, "r1", [replace(probe(f"p{number}"), attempt=number // 2)])
            assert isinstance(stored, Probe) and stored.attempt == number
        (apart,) = append_added(other, "r1", [replace(probe("p9", "empty"), attempt=7)])
        assert apart == replace(probe("p9", "empty"), attempt=7)
    with Reader(small.path) as reader:
        assert [stored.attempt for stored in reader.probes("r1")] == [0, 1, 2, 3, 7]


def test_an_older_database_has_none_and_gets_the_tables_when_it_is_written_to(small: Store) -> None:
    connection = sqlite3.connect(small.path)
    connection.executescript(
        "DROP TABLE reviews; DROP TABLE probes; PRAGMA user_version = 2;"
        " DELETE FROM _sqlite_migrations WHERE name LIKE '0003%'"
    ).connection.close()
    with Reader(small.path) as reader:
        assert reader.reviews("r1") == [] and reader.probes("r1") == []
        assert list(reader.records("r1"))[1:] == small_run()
    landing = small.write(ADDED)
    assert landing.added["review"] == 3
    assert small.sql("PRAGMA user_version") == [(SCHEMA_VERSION,)]
    assert small.records() == [*small_run(), *ADDED]


def test_a_locked_database_says_so(small: Store) -> None:
    with (
        open_database(small.path) as holder,
        open_database(small.path, busy_seconds=0.01) as database,
        holder.transaction(),
        pytest.raises(StoreError, match="locked"),
    ):
        append_added(database, "r1", [review("v1")])
