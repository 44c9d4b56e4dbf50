"""The frozen filters at their edges, the seeded order, and articles that are shared."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from gacc_gui.core.hotpot_records import Article, HotpotQuestion
from gacc_gui.core.hotpot_selection import Candidate, candidate_from, choose, order_of, structural_checks


def question(**changes: Any) -> HotpotQuestion:
    articles = tuple(Article(f"T{number}", ("x" * 599, "é")) for number in range(10))
    base = HotpotQuestion("q", "Who?", "She", "bridge", "hard", (("T0", 0), ("T9", 1)), articles)
    return replace(base, **changes)


def failing(asked: HotpotQuestion) -> list[str]:
    return [check.filter for check in structural_checks(asked) if not check.ok]


def with_characters(count: int) -> HotpotQuestion:
    articles = question().articles
    last = Article("T9", ("x" * (count - 5_400 - 1), "é"))
    return question(articles=(*articles[:9], last))


def test_a_question_that_passes() -> None:
    assert [(check.filter, check.ok, check.found) for check in structural_checks(question())] == [
        ("type", True, "bridge"),
        ("articles", True, 10),
        ("evidence", True, 6_000),
        ("references", True, 2),
    ]


@pytest.mark.parametrize(
    ("count", "passes"), [(5_999, False), (6_000, True), (32_000, True), (32_001, False)]
)
def test_evidence_is_counted_in_characters_both_ends_included(count: int, passes: bool) -> None:
    assert failing(with_characters(count)) == ([] if passes else ["evidence"])


def test_ten_distinct_articles() -> None:
    articles = question().articles
    assert failing(question(articles=(*articles[:9], Article("T0", ("x" * 599, "é"))))) == [
        "articles",
        "references",
    ]
    assert "articles" in failing(question(articles=articles[:9]))
    assert "articles" in failing(question(articles=(*articles, Article("T10", ()))))


def test_other_types_are_dropped() -> None:
    assert failing(question(kind="Bridge")) == ["type"]


@pytest.mark.parametrize(
    "facts",
    [
        (),
        (("T0", 2),),
        (("T0", -1),),
        (("t0", 0),),
        (("T0", True),),
        (("T0", 0.0),),
        (("T0", "0"),),
        (("T0", None),),
        (("T0",),),
        ("T0",),
        (("T0", 0), ("T11", 0)),
    ],
)
def test_references_must_name_a_sentence(facts: tuple[Any, ...]) -> None:
    assert failing(question(facts=facts)) == ["references"]


def test_the_first_filter_that_fails_drops() -> None:
    dropped = candidate_from(question(kind="other", facts=()))
    assert dropped.dropped_by == "type"
    assert candidate_from(question()).dropped_by is None


def test_the_order_is_the_hash_of_seed_and_id() -> None:
    wanted = hashlib.sha256(b"20261016:5a8b57f25542995d1e6f1371").hexdigest()
    assert order_of(20261016, "5a8b57f25542995d1e6f1371") == wanted
    assert order_of(1, "é") == hashlib.sha256(b"1:\xc3\xa9").hexdigest()


def made(id: str, kind: str = "bridge", titles: Sequence[str] = ()) -> Candidate:
    return Candidate(id, kind, frozenset(titles or [id]), (), "")


def ids(choice: Any) -> list[str]:
    return [taken.candidate.id for taken in choice.taken]


def test_each_kind_in_its_order_bridge_first_whatever_order_they_come_in() -> None:
    some = [made(f"q{number}", "comparison" if number % 2 else "bridge") for number in range(20)]
    wanted = [
        candidate.id
        for kind, count in (("bridge", 3), ("comparison", 4))
        for candidate in sorted(
            (one for one in some if one.kind == kind), key=lambda one: order_of(7, one.id)
        )[:count]
    ]
    counts = {"bridge": 3, "comparison": 4}
    assert ids(choose(some, 7, counts)) == ids(choose(reversed(some), 7, counts)) == wanted
    assert ids(choose(some, 8, counts)) != wanted


def test_a_shared_article_is_passed_over_across_kinds_too() -> None:
    first, second, third = sorted(("a", "b", "c"), key=lambda id: order_of(1, id))
    some = [
        made(first, titles=["X", "Y"]),
        made(second, titles=["Y", "Z"]),  # passed over, so Z stays free
        made(third, titles=["Z"]),
        made("d", "comparison", titles=["X"]),
    ]
    choice = choose(some, 1, {"bridge": 2, "comparison": 1})
    assert ids(choice) == [first, third]
    assert (choice.shared["bridge"], choice.shared["comparison"]) == (1, 1)
    assert choice.candidates == {"bridge": 3, "comparison": 1}
    assert (choice.count("bridge"), choice.count("comparison")) == (2, 0)


def test_the_content_hash_tells_questions_apart() -> None:
    assert question().content_sha256() == question().content_sha256()
    assert question().content_sha256() != question(facts=(("T0", 0),)).content_sha256()
