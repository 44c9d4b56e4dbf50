from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gacc_gui.core.errors import BadUsage, Interrupted
from gacc_gui.core.filters import Query, Words, parse
from gacc_gui.core.records import Answer, Question, Record, Run, Verdict
from gacc_gui.store import search
from gacc_gui.store.database import delete_run, open_database
from gacc_gui.store.reads import Reader

from .conftest import Store, memory, small_run


def found(store: Store, text: str | Query, run: str = "r1") -> set[tuple[str, int]]:
    query = parse(text) if isinstance(text, str) else text
    with Reader(store.path) as reader:
        return {(row.memory_id, row.repeat) for row in reader.goal_rows(reader.goal_units(run, query=query))}


def ready(store: Store, run: str = "r1") -> bool:
    with Reader(store.path) as reader:
        return next(summary for summary in reader.runs() if summary.run.id == run).search_ready


@pytest.fixture(params=["scan", "index"])
def searched(small: Store, request: pytest.FixtureRequest) -> Store:
    if request.param == "index":
        small.index()
    assert ready(small) is (request.param == "index")
    return small


G1 = {("m1", 0), ("m3", 0), ("m3", 1)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pump", G1),
        ("PUM", G1),
        ('"pum"', set()),
        ("812", G1),
        ("ada", {("m2", 0)}),
        ('"the tank"', G1),
        ('"tank the"', set()),
        ("tank the", G1),
        ("don't", {("m1", 0)}),
        ("hour", {("m1", 0)}),
        ("涡轮", {("m1", 0)}),
        ("轮机", {("m1", 0)}),
        ("轮涡", set()),
        ("机", {("m1", 0)}),
        ("水泵", set()),
        ("-hour", {("m2", 0), ("m3", 0), ("m3", 1)}),
        ("valve", {("m2", 0)}),
        ("noon cause:judge", set()),
        ("x2", set()),
    ],
)
def test_words_in_goals_questions_references_answers_and_rationales(
    searched: Store, text: str, expected: set[tuple[str, int]]
) -> None:
    assert found(searched, text) == expected


def test_no_phrase_reaches_from_one_answer_into_the_next(store: Store) -> None:
    store.write(
        [*small_run()[:11], Answer("m1", "q1", 0, "one two", "ok"), Answer("m1", "q2", 0, "three", "ok")]
    )
    for _ in range(2):
        assert found(store, '"one two"') == {("m1", 0)}
        assert found(store, '"two three"') == set()
        store.index()


@pytest.mark.parametrize(
    "text",
    [
        '"',
        "a OR b",
        "NEAR(a b)",
        "answers:x",
        "*",
        "(",
        "^a",
        "a-b",
        "a+b",
        "{a} : b",
        "\x00",
        "'",
        "NOT",
        "✓",
        "—",
    ],
)
def test_what_is_typed_is_never_syntax(searched: Store, text: str) -> None:
    for phrase in (False, True):
        assert found(searched, Query((Words(text, phrase),))) <= {*G1, ("m2", 0)}


def test_characters_that_are_no_word_are_looked_for_as_they_stand(store: Store) -> None:
    store.write([*small_run()[:11], Answer("m1", "q1", 0, "A → b ✓", "ok")])
    for _ in range(2):
        assert found(store, "→") == {("m1", 0)}
        assert found(store, "✗") == set()
        store.index()


def test_text_behind_a_nul_is_found(store: Store) -> None:
    """SQL-8."""
    store.write([*small_run()[:11], Answer("m1", "q1", 0, "a\x00behind", "ok")])
    for _ in range(2):
        assert found(store, "behind") == {("m1", 0)}
        store.index()
    assert store.records()[-1] == Answer("m1", "q1", 0, "a\x00behind", "ok")


words = st.sampled_from(
    ["noon", "Évora", "evora", "K-7", "漢字", "漢", "ab", "abc", "naïve", "x_y", "812", "ß", "İ"]
)
phrases = st.lists(words, min_size=1, max_size=4).map(" ".join)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(phrases, min_size=4, max_size=4),
    st.lists(st.builds(Words, words | phrases, st.booleans()), min_size=1, max_size=6),
)
def test_scan_and_index_find_the_same(texts: list[str], asked: list[Words]) -> None:
    question, answer, rationale, other = texts
    records: list[Record] = [
        *small_run()[:5],
        Question("q1", "g1", question),
        Question("q2", "g2", other),
        memory("m1", "g1", 9),
        memory("m2", "g2", 9),
        Answer("m1", "q1", 0, answer, "ok"),
        Verdict("m2", "q2", 0, "correct", "judged", rationale),
    ]
    with TemporaryDirectory() as folder:
        store = Store(Path(folder) / "gacc.db")
        store.write(records)
        scanned = [found(store, Query((word,))) for word in asked]
        store.index()
        assert [found(store, Query((word,))) for word in asked] == scanned


def test_an_interrupted_index_goes_on_where_it_stood(small: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_CHUNK", 1)
    seen: list[tuple[int, int]] = []

    def stop_at_two(done: int, total: int) -> None:
        seen.append((done, total))
        if done == 2:
            raise Interrupted("enough")

    with open_database(small.path) as database:
        with pytest.raises(Interrupted):
            search.build(database, "r1", stop_at_two)
        assert not ready(small)
        assert found(small, "hour") == {("m1", 0)}
        search.build(database, "r1", lambda done, total: seen.append((done, total)))
        assert [done for done, _ in seen[:4]] == [1, 2, 3, 4]
        assert {total for _, total in seen} == {4}
    assert ready(small)
    assert found(small, "hour") == {("m1", 0)}
    with open_database(small.path) as database, pytest.raises(BadUsage, match="there is no run 'r9'"):
        search.build(database, "r9")


def test_what_is_added_or_replaced_is_found_again(small: Store) -> None:
    small.index()
    small.write([memory("m4", "g2", 5), Answer("m4", "q3", 0, "Grace", "ok")])
    assert not ready(small)
    assert found(small, "grace") == {("m4", 0)}
    small.index()
    assert ready(small)
    assert found(small, "grace") == {("m4", 0)} and found(small, "hour") == {("m1", 0)}
    small.write([Answer("m3", "q1", 1, "twilight", "ok"), Question("q9", "g2", "Was it Lovelace?")])
    small.index()
    assert found(small, "twilight") == {("m3", 1)}
    assert found(small, "lovelace") == {("m2", 0), ("m4", 0)}
    small.write(small_run())
    assert ready(small)


def test_runs_are_searched_apart_and_deleted_apart(small: Store, another: Callable[[str], Run]) -> None:
    changed = [
        replace(record, text="midnight") if isinstance(record, Answer) and record.text else record
        for record in small_run()
    ]
    small.write(changed, another("r2"))
    small.index("r1")
    small.index("r2")
    assert found(small, "midnight") == set()
    assert found(small, "midnight", "r2") == {("m1", 0), ("m2", 0), ("m3", 0)}
    with open_database(small.path) as database:
        delete_run(database, "r1")
    assert found(small, "midnight", "r2") == {("m1", 0), ("m2", 0), ("m3", 0)}
    small.write(small_run())
    small.index("r1")
    assert found(small, "midnight") == set() and found(small, "hour") == {("m1", 0)}


def test_the_index_holds_no_text_of_its_own(small: Store) -> None:
    small.index()
    shadows = small.sql("SELECT name FROM sqlite_master WHERE name LIKE 'search_1_%' ORDER BY name")
    assert shadows == [("search_1_config",), ("search_1_data",), ("search_1_idx",)]
