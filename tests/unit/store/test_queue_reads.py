from __future__ import annotations

from collections import Counter
from functools import partial

import pytest

from gacc_gui.core import review_queue
from gacc_gui.core.records import Answer, Question, Verdict
from gacc_gui.core.reviewing import Row
from gacc_gui.store import queue_reads
from gacc_gui.store.reads import Reader
from gacc_gui.store.rows import CellChoice

from .conftest import Store, small_run

# Of the small run: m1/q1 right, m1/q2 wrong in the tail, m2/q3 wrong although exact, m3/q1 right and, the
# second time, without an answer, m3/q2 without any. Here m3 is asked once more.
MORE = [
    Answer("m3", "q2", 0, "the pump", "ok"),
    Answer("m3", "q2", 1, "812 litres", "ok"),
    Verdict("m3", "q2", 0, "incorrect", "judged"),
    Verdict("m3", "q2", 1, "correct", "judged"),
]


def found(store: Store, kind: str, choice: CellChoice | None = None) -> set[tuple[str, Row]]:
    with Reader(store.path) as reader:
        given = choice or CellChoice()

        def read(connection: object, run_key: int) -> list[tuple[str, Row]]:
            return list(queue_reads.candidates(connection, run_key, given, kind))  # type: ignore[arg-type]

        rows = reader.on_run("r1", read)
        sizes = reader.on_run("r1", partial(queue_reads.sizes, choice=given, kind=kind))
        assert Counter(stratum for stratum, _ in rows) == Counter(
            {stratum: sum(n for (each, _), n in sizes.items() if each == stratum) for stratum, _ in sizes}
        )
    assert len(rows) == len(set(rows))
    return set(rows)


@pytest.fixture
def asked(small: Store) -> Store:
    small.write(MORE)
    return small


def test_rows_with_an_answer(asked: Store) -> None:
    rows = {
        ("m1", "q1", 0),
        ("m1", "q2", 0),
        ("m2", "q3", 0),
        ("m3", "q1", 0),
        ("m3", "q2", 0),
        ("m3", "q2", 1),
    }
    assert found(asked, review_queue.RANDOM) == {("all", row) for row in rows}
    assert {row for _, row in found(asked, review_queue.BY_CAUSE)} == rows
    causes = {row: cause for row, (_, cause, _, _) in asked.rows().items()}
    assert all(causes[row] == stratum for stratum, row in found(asked, review_queue.BY_CAUSE))


def test_only_in_the_chosen_cells(asked: Store) -> None:
    assert {row[0] for _, row in found(asked, review_queue.RANDOM, CellChoice(compressor="full"))} == {"m3"}
    assert found(asked, review_queue.RANDOM, CellChoice(compressor="nobody's")) == set()


def test_one_question_away(asked: Store) -> None:
    assert found(asked, review_queue.ONE_AWAY) == {
        ("truncation", ("m1", "q2", 0)),
        ("judge", ("m2", "q3", 0)),
        ("reader", ("m3", "q2", 0)),
    }


def test_judge_against_exact_match(asked: Store) -> None:
    assert found(asked, review_queue.EXACT_MATCH) == {
        (queue_reads.CORRECT_WITHOUT_MATCH, ("m1", "q1", 0)),  # “at noon” is not “noon”
        (queue_reads.INCORRECT_WITH_MATCH, ("m2", "q3", 0)),
    }


def test_without_references_nothing_matches(store: Store) -> None:
    records = [
        Question("q1", "g1", "When did the pump stop?") if getattr(record, "id", None) == "q1" else record
        for record in small_run()
    ]
    store.write(records)
    assert {row for _, row in found(store, review_queue.EXACT_MATCH)} == {("m2", "q3", 0)}


def test_unsupported(asked: Store) -> None:
    with Reader(asked.path) as reader:
        rows = {
            (row.memory_id, row.question_id, row.repeat)
            for row in reader.question_results("r1")
            if "unsupported" in row.flags
        }
    assert {row for _, row in found(asked, review_queue.UNSUPPORTED)} == rows


def test_repeats_that_came_out_differently(asked: Store) -> None:
    assert found(asked, review_queue.UNSTABLE) == {("all", ("m3", "q2", 0)), ("all", ("m3", "q2", 1))}


def test_the_frame_counts_every_row(asked: Store) -> None:
    with Reader(asked.path) as reader:
        frame = reader.on_run("r1", partial(queue_reads.frame, choice=CellChoice()))
        results = list(reader.question_results("r1"))
    assert sum(row.rows for row in frame) == len(results) == 7
    assert Counter({cause: 0 for cause, *_ in frame}) + Counter(
        {
            cause: sum(row.rows for row in frame if row.cause == cause)
            for cause in {row.cause for row in frame}
        }
    ) == Counter(row.cause for row in results)
    assert sum(row.rows for row in frame if not row.answered) == 1
