from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gacc_gui.core.errors import BadInput
from gacc_gui.core.records import (
    Answer,
    Cell,
    Context,
    Goal,
    Ledger,
    Memory,
    Question,
    Record,
    Request,
    Run,
    Verdict,
)
from gacc_gui.store.appending import RunAppender
from gacc_gui.store.database import open_database
from gacc_gui.store.reads import Reader
from gacc_gui.store.writes import RunWriter

from .conftest import RUN, SOURCE, Store, memory, small_run


def test_records_come_back_equal_and_in_order(store: Store) -> None:
    landing = store.write(small_run())
    assert landing.new_run
    assert not landing.conflicts and not landing.waiting and not landing.refused
    assert store.records() == small_run()
    with Reader(store.path) as reader:
        assert next(reader.records("r1")) == RUN


def test_the_same_again_adds_nothing(small: Store) -> None:
    again = small.write(small_run())
    assert not again.new_run
    assert again.added.total() == 0
    assert again.already.total() == len(small_run()) + 1
    assert small.records() == small_run()


def test_what_differs_is_a_conflict_and_the_stored_one_stays(small: Store) -> None:
    changed: list[Record] = [
        replace(small_run()[0], text="another text"),
        replace(small_run()[3], text="another goal"),
        replace(memory("m1", "g1", 26), budget=27),
        Answer("m1", "q1", 0, "at one", "ok"),
        Verdict("m1", "q1", 0, "incorrect", "judged", "the same hour"),
        Request("x2", "judge", "Is it wrong?"),
    ]
    landing = small.write(changed)
    assert {conflict.kind for conflict in landing.conflicts} == {
        "context",
        "goal",
        "memory",
        "request",
        "answer",
        "verdict",
    }
    answer = next(conflict for conflict in landing.conflicts if conflict.kind == "answer")
    assert (answer.key, answer.line) == (("m1", "q1", 0), 5)
    assert (answer.stored, answer.incoming) == (small_run()[11], changed[3])
    assert small.records() == small_run()


def test_only_a_failed_item_is_superseded_by_a_finished_one(small: Store) -> None:
    key = ("m3", "q1", 1)
    assert small.rows()[key] == ("retained", "no-verdict", None, "not_judged")
    failed = small.write([Answer("m3", "q1", 1, None, "error", "timeout")])
    assert len(failed.conflicts) == 1
    finished = small.write([Answer("m3", "q1", 1, "noon", "ok"), Verdict("m3", "q1", 1, "correct", "judged")])
    assert finished.superseded == {"answer": 1}
    assert finished.added == {"verdict": 1}
    assert small.rows()[key] == ("retained", "correct", "correct", "judged")
    back = small.write([Answer("m3", "q1", 1, None, "no_answer", "empty reply")])
    assert len(back.conflicts) == 1 and not back.superseded
    assert small.rows()[key] == ("retained", "correct", "correct", "judged")


def test_a_failed_memory_is_superseded_in_its_own_place_only(store: Store) -> None:
    failed = replace(
        memory("m1", "g1", 26), proposed_text=None, retained_text=None, status="error", error="timeout"
    )
    store.write([failed if record == memory("m1", "g1", 26) else record for record in small_run()])
    assert store.rows()["m1", "q1", 0][:2] == ("omitted", "no-verdict")
    elsewhere = store.write([replace(memory("m1", "g1", 26), cell=Cell("lead", "2", "own-goal", "0.5"))])
    assert len(elsewhere.conflicts) == 1
    landing = store.write([memory("m1", "g1", 26)])
    assert landing.superseded == {"memory": 1}
    assert store.records() == small_run()
    assert store.rows()["m1", "q1", 0][:2] == ("retained", "correct")


@pytest.mark.parametrize("status", ["error", "no_answer"])
@pytest.mark.parametrize("text", [None, ""])
def test_a_superseding_memory_may_bring_texts_nobody_had(store: Store, status: str, text: str | None) -> None:
    failed = replace(
        memory("m1", "g1", 26), proposed_text=text, retained_text=text, ledger=None, status=status
    )
    finished = replace(memory("m1", "g1", 26), proposed_text="Noon, it says.", retained_text="Not like it")
    with open_database(store.path) as database:
        appender = RunAppender(database)  # where the database itself looks each parent up
        appender.begin(RUN, False, "")
        appender.append([failed if record == memory("m1", "g1", 26) else record for record in small_run()])
        appender.append([finished])
        assert database.connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert store.records()[8] == finished
    landing = store.write([finished])
    assert landing.already["memory"] == 1


def test_duplicates_in_one_file_follow_the_same_rules(store: Store) -> None:
    records = small_run()
    same = Answer("m1", "q1", 0, "at noon", "ok")
    other = Answer("m1", "q1", 0, "at one", "ok")
    finished = Answer("m3", "q1", 1, "noon", "ok")
    landing = store.write([*records, same, other, finished])
    assert landing.already == {"answer": 1}
    assert landing.superseded == {"answer": 1}
    assert [(conflict.line, conflict.incoming) for conflict in landing.conflicts] == [(25, other)]
    assert landing.added["answer"] == 5
    assert store.records()[:11] == records[:11]


def test_absent_and_null_say_the_same_but_a_value_and_its_text_do_not(small: Store) -> None:
    written = small.write([replace(Answer("m1", "q1", 0, "at noon", "ok"), unusual=("error",))])
    assert written.already == {"run": 1, "answer": 1}
    number = small.write([Answer("m2", "q3", 1, "42", "ok", unusual=("text",))])
    assert number.added == {"answer": 1}
    string = small.write([Answer("m2", "q3", 1, "42", "ok")])
    assert len(string.conflicts) == 1


def test_another_run_under_the_same_id_is_refused(small: Store) -> None:
    with pytest.raises(BadInput, match=r"'r1' is here already; they differ in reader, extra"):
        small.write([], replace(RUN, reader={"name": "other"}, extra={"seed": 1}))
    assert small.records() == small_run()


def test_shards_arrive_in_any_order(store: Store, tmp_path: Path) -> None:
    whole = Store(tmp_path / "whole.db")
    whole.write(small_run())
    rng = random.Random(5)
    for number in range(12):
        shuffled = small_run()
        rng.shuffle(shuffled)
        cut, second = sorted(rng.sample(range(len(shuffled)), 2))
        shards = Store(tmp_path / f"{number}.db")
        for part in (shuffled[:cut], shuffled[cut:second], shuffled[second:]):
            landing = shards.write(part)
            assert not landing.conflicts and not landing.refused
        assert not landing.waiting
        assert shards.rows() == whole.rows()
        key = repr
        assert sorted(shards.records(), key=key) == sorted(whole.records(), key=key)
        assert shards.sql("SELECT count(*) FROM waiting") == [(0,)]
        with Reader(shards.path) as reader, Reader(whole.path) as other:
            assert reader.runs()[0].answers == other.runs()[0].answers
            assert sorted(reader.unit_counts("r1"), key=key) == sorted(other.unit_counts("r1"), key=key)


def test_what_waits_is_told_and_lands_with_its_parent(store: Store) -> None:
    records = small_run()
    without = [record for record in records if not (isinstance(record, Memory) and record.id == "m1")]
    landing = store.write(without)
    assert {(item.kind, item.key, item.reason) for item in landing.waiting} == {
        ("answer", ("m1", "q1", 0), "memory 'm1' is not there"),
        ("answer", ("m1", "q2", 0), "memory 'm1' is not there"),
        ("verdict", ("m1", "q1", 0), "memory 'm1' is not there"),
        ("verdict", ("m1", "q2", 0), "memory 'm1' is not there"),
        ("request", ("x1",), "memory 'm1' is not there"),
    }
    assert [item.line for item in landing.waiting if item.kind == "answer"] == [12, 13]
    again = store.write(without)
    assert len(again.waiting) == 5
    later = store.write([memory("m1", "g1", 26)])
    assert not later.waiting
    assert later.added == {"memory": 1, "answer": 2, "verdict": 2, "request": 1}
    assert store.rows()["m1", "q2", 0] == ("tail", "truncation", "incorrect", "judged")


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (Answer("m1", "q3", 0, "Ada", "ok"), "question 'q3' does not belong to the goal of memory 'm1'"),
        (Verdict("m2", "q1", 0, None, "error"), "question 'q1' does not belong to the goal of memory 'm2'"),
        (memory("m9", "g1", 3, shown="g3"), "the shown goal 'g3' belongs to another context"),
        (Run("r2"), "a second run 'r2' in the records of 'r1'"),
    ],
)
def test_contradictions_are_refused(small: Store, record: Record, reason: str) -> None:
    landing = small.write([record])
    assert [(item.line, item.reason) for item in landing.refused] == [(2, reason)]
    assert small.records() == small_run()


def test_a_number_beyond_64_bits_is_bad_input(store: Store) -> None:
    with pytest.raises(BadInput, match="beyond 64 bits"):
        store.write([*small_run()[:8], replace(memory("m1", "g1", 3), budget=2**63)])
    with pytest.raises(BadInput, match="beyond 64 bits"):
        store.write([*small_run(), Answer("m1", "q1", 10**30, "x", "ok")])


def test_an_exception_leaves_the_database_as_it_was(small: Store) -> None:
    """SQL-3: a failed import leaves nothing behind."""
    before = small.records()
    with (
        pytest.raises(UnicodeEncodeError),
        open_database(small.path) as database,
        RunWriter(database) as writer,
    ):
        writer.begin_run(RUN)
        writer.add(Answer("m1", "q1", 7, "good", "ok"))
        writer.add(Answer("m1", "q2", 7, "cut emoji \ud83d", "ok"))
        writer.finish()
    assert small.records() == before


def test_texts_are_stored_once_and_a_prefix_by_its_end(small: Store) -> None:
    assert small.sql("SELECT count(*) FROM texts WHERE text = ?", (SOURCE,)) == [(1,)]
    assert small.sql("SELECT count(*) FROM texts") == [(2,)]
    ends = small.sql("SELECT id, retained_end, retained_splits, retained_text FROM memories ORDER BY id")
    assert ends == [("m1", 26, 0, None), ("m2", 10, 0, None), ("m3", len(SOURCE), 0, None)]


@pytest.mark.parametrize(
    ("proposed", "retained"),
    [
        ("hello 🧠", "hello \ufffd"),
        ("a \ufffd b", "a \ufffd"),
        ("abc", "abc\ufffd"),
        ("abc", "xyz"),
        ("", ""),
        (None, None),
        ("abc", None),
        (None, "abc"),
        (None, ""),
        ("a\x00b", "a\x00"),
        ("\ufeffa\r\nb\u2028c\x85", "\ufeffa\r"),
    ],
)
def test_any_pair_of_proposal_and_retained_text_comes_back(
    store: Store, proposed: str | None, retained: str | None
) -> None:
    record = replace(memory("m1", "g1", 3), proposed_text=proposed, retained_text=retained)
    store.write([*small_run()[:8], record])
    assert store.records()[-1] == record


def test_unknown_fields_of_any_name_and_type_come_back(store: Store) -> None:
    """SQL-9, SQL-11, SQL-14: late, odd and twin names; JSON that looks like text and text like JSON."""
    extra = {
        "Score": 1,
        "score": 2.5,
        "": None,
        "a]b": True,
        'q"x': "[1]",
        "rowid": [1],
        "select": {"f1": float("nan"), "$number": "NaN"},
        "late": {"$number": "NaN"},
        "infinite": [float("inf"), float("-inf")],
    }
    store.write([replace(small_run()[0], extra=extra)])
    (record,) = store.records()
    assert repr(record.extra) == repr(extra)
    assert store.write([replace(small_run()[0], extra=extra)]).already["context"] == 1
    assert store.sql("SELECT json_valid(extra) FROM contexts") == [(1,)]
    assert store.write([replace(small_run()[0], extra={**extra, "rowid": [True]})]).conflicts


def test_a_renamed_run_is_known_by_its_old_name_and_its_new_one(small: Store) -> None:
    from gacc_gui.store.database import rename_run

    with open_database(small.path) as database:
        rename_run(database, "r1", "better")
    assert small.write(small_run()).added.total() == 0
    assert small.write(small_run(), replace(RUN, name="better")).added.total() == 0
    with pytest.raises(BadInput, match="differ in name"):
        small.write([], replace(RUN, name="third"))


# Everything a file can say comes back equal.

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
ids = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=4)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
extras = st.dictionaries(texts, values, max_size=3)
maybe = st.none() | texts
names = st.lists(st.sampled_from(["text", "error", "title", "label", "name"]), unique=True).map(tuple)
numbers = st.none() | st.integers(-(2**40), 2**40)
statuses = st.sampled_from(["ok", "truncated", "no_answer", "error"])


@st.composite
def whole_runs(draw: st.DrawFn) -> tuple[Run, list[Record]]:
    objects = st.none() | extras
    run = Run(
        draw(ids),
        *(draw(maybe) for _ in range(3)),
        draw(st.none() | st.booleans()),
        *(draw(objects) for _ in range(3)),
        draw(extras),
        draw(extras),
        draw(names),
    )
    contexts = [
        Context(id, draw(texts), draw(maybe), draw(maybe), draw(maybe), draw(extras), draw(names))
        for id in draw(st.lists(ids, min_size=1, max_size=2, unique=True))
    ]
    goals = [
        Goal(id, draw(st.sampled_from(contexts)).id, draw(texts), draw(extras), draw(names))
        for id in draw(st.lists(ids, min_size=1, max_size=3, unique=True))
    ]
    questions = [
        Question(
            id,
            draw(st.sampled_from(goals)).id,
            draw(texts),
            draw(st.none() | st.lists(texts, max_size=2).map(tuple)),
            draw(st.none() | st.lists(st.fixed_dictionaries({"quote": texts}), max_size=2).map(tuple)),
            draw(extras),
            draw(names),
        )
        for id in draw(st.lists(ids, max_size=4, unique=True))
    ]
    memories = []
    for id in draw(st.lists(ids, max_size=3, unique=True)):
        goal = draw(st.sampled_from(goals))
        siblings = [other.id for other in goals if other.context_id == goal.context_id]
        memories.append(
            Memory(
                id,
                goal.id,
                draw(st.none() | st.sampled_from(siblings)),
                Cell(draw(texts), draw(texts), draw(ids), draw(st.sampled_from(["0", "0.1", "1"]))),
                draw(st.none() | st.integers(0, 2**40)),
                draw(st.integers(0, 3)),
                draw(maybe),
                draw(maybe),
                draw(st.none() | st.builds(Ledger, *[numbers] * 6)),
                draw(statuses),
                draw(maybe),
                draw(extras),
                draw(names),
            )
        )
    pairs = [(m.id, q.id) for m in memories for q in questions if q.goal_id == m.goal_id]
    keys = [(*pair, repeat) for pair in pairs for repeat in (0, 2)]
    some = st.lists(st.sampled_from(keys), unique=True, max_size=5) if keys else st.just([])
    answers = [
        Answer(*key, draw(maybe), draw(statuses), draw(maybe), draw(extras), draw(names))
        for key in draw(some)
    ]
    verdicts = [
        Verdict(
            *key,
            draw(maybe | st.sampled_from(["correct", "incorrect"])),
            draw(st.sampled_from(["judged", "unparsed", "error"])),
            draw(maybe),
            draw(maybe),
            draw(extras),
            draw(names),
        )
        for key in draw(some)
    ]
    owners = st.none() | st.sampled_from([m.id for m in memories]) if memories else st.none()
    requests = [
        Request(id, draw(texts), draw(texts), draw(owners), draw(extras), draw(names))
        for id in draw(st.lists(ids, max_size=2, unique=True))
    ]
    return run, [*contexts, *goals, *questions, *memories, *answers, *verdicts, *requests]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(whole_runs(), st.randoms(use_true_random=False))
def test_everything_in_a_record_comes_back(whole: tuple[Run, list[Record]], rng: random.Random) -> None:
    run, records = whole
    with TemporaryDirectory() as folder:
        store = Store(Path(folder) / "gacc.db")
        landing = store.write(records, run)
        assert not landing.refused and not landing.waiting and not landing.conflicts
        with Reader(store.path) as reader:
            assert list(reader.records(run.id)) == [run, *records]
        again = store.write(records, run)
        assert again.added.total() == 0 and not again.conflicts
        shuffled = Store(Path(folder) / "shuffled.db")
        mixed = rng.sample(records, len(records))
        shuffled.write(mixed[::2], run)
        landing = shuffled.write(mixed[1::2], run)
        assert not landing.refused and not landing.waiting and not landing.conflicts
        assert sorted(map(repr, shuffled.records(run.id))) == sorted(map(repr, records))
        assert shuffled.rows(run.id) == store.rows(run.id)
        for written in (store, shuffled):
            assert written.sql("PRAGMA foreign_key_check") == []


def test_keys_are_checked_again_after_the_writing(store: Store) -> None:
    """`RunWriter` knows its own keys; whatever else is done on the connection is checked."""
    with open_database(store.path) as database:
        with RunWriter(database) as writer:
            writer.begin_run(RUN)
            writer.finish()
        assert database.connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
        with pytest.raises(ZeroDivisionError), RunWriter(database):
            _ = 1 / 0
        assert database.connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
