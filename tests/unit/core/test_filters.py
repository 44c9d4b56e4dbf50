from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gacc_gui.core.filters import KEYS, MOST_TERMS, Compare, FilterError, Match, Query, Words, parse


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", ()),
        ("   ", ()),
        ("pump", (Words("pump"),)),
        ('"the pump"', (Words("the pump", phrase=True),)),
        ('-"the pump" -valve', (Words("the pump", True, True), Words("valve", False, True))),
        ("cause:truncation fate:tail", (Match("cause", ("truncation",)), Match("fate", ("tail",)))),
        ("goal:failed away:1", (Match("goal", ("failed",)), Compare("away", "=", Decimal(1)))),
        ("ratio<=0.25", (Compare("ratio", "<=", Decimal("0.25")),)),
        ("ratio:0.10", (Compare("ratio", "=", Decimal("0.1")),)),
        (
            "away<2 tail>0 budget>=100",
            tuple(
                Compare(key, op, Decimal(n))
                for key, op, n in (("away", "<", 2), ("tail", ">", 0), ("budget", ">=", 100))
            ),
        ),
        ("-cause:judge,item", (Match("cause", ("judge", "item"), True),)),
        ("CAUSE:Truncation", (Match("cause", ("truncation",)),)),
        (
            "compressor:lead condition:own-goal",
            (Match("compressor", ("lead",)), Match("condition", ("own-goal",))),
        ),
        ('goal-id:"c1 / ""g"" 2",x', (Match("goal-id", ('c1 / "g" 2', "x")),)),
        ('origin:""', (Match("origin", ("",)),)),
        ("ratio:0.1,0.20", (Match("ratio", ("0.1", "0.2")),)),
        ("label:none answer-status:none", (Match("label", ("none",)), Match("answer-status", ("none",)))),
        (
            '10:30 a-b "-" -- 漢字',
            (Words("10:30"), Words("a-b"), Words("-", phrase=True), Words("-", negated=True), Words("漢字")),
        ),
        ("away=1", (Compare("away", "=", Decimal(1)),)),
        ("context-id:http://x/y?a=b", (Match("context-id", ("http://x/y?a=b",)),)),
    ],
)
def test_what_is_understood(text: str, terms: tuple[object, ...]) -> None:
    assert parse(text) == Query(terms, text)


@pytest.mark.parametrize(
    ("text", "position", "length", "words"),
    [
        ("away:1 cuase:judge", 7, 5, "did you mean “cause”"),
        ("w " * MOST_TERMS + "away:1 x", 2 * MOST_TERMS, 8, f"at most {MOST_TERMS} terms"),
        ("https://example.org", 0, 5, "quotes"),
        ("cause:truncatoin", 6, 10, "did you mean “truncation”"),
        ("cause:judge,xyzzy", 12, 5, "there are correct"),
        ("-fate:", 0, 6, "needs a value, such as fate:retained"),
        ("goal-id:", 0, 8, "needs a value"),
        ("away:one", 5, 3, "whole number"),
        ("away:-1", 5, 2, "whole number"),
        ("budget>=1.5", 8, 3, "whole number"),
        ("ratio<=x", 7, 1, "0.25"),
        ("cause<=judge", 5, 2, "no order"),
        ("away<=1,2", 6, 3, "one number"),
        ('a "b c', 2, 4, "closing quote"),
        ('goal-id:"x', 8, 2, "closing quote"),
        ('goal-id:"x"y', 11, 1, "space"),
        ("away:99999999999999999999", 5, 20, "whole number"),
        ("-", 0, 1, "quotes"),
        ("a - b", 2, 1, "quotes"),
    ],
)
def test_a_mistake_is_marked_at_its_place(text: str, position: int, length: int, words: str) -> None:
    with pytest.raises(FilterError) as caught:
        parse(text)
    assert (caught.value.position, caught.value.length) == (position, length)
    assert words in caught.value.message
    assert str(caught.value) == caught.value.message
    assert "\n" not in caught.value.message


def test_terms_are_sorted_by_what_they_are_about() -> None:
    query = parse('pump cause:judge away:1 -flag:uncertain "x y" question-id:q1')
    assert [t.key for t in query.unit_terms] == ["away"]
    assert [t.key for t in query.row_terms] == ["cause", "flag", "question-id"]
    assert [t.text for t in query.words] == ["pump", "x y"]


def test_every_value_of_every_key_parses() -> None:
    for key in KEYS.values():
        for value in key.values:
            assert parse(f"{key.name}:{value}").terms == (Match(key.name, (value,)),)


@given(st.text(st.sampled_from('aw yc:u<=>s-",0.1e \n漢'), max_size=30))
@settings(deadline=None, max_examples=500)
def test_any_text_is_a_query_or_a_mistake_within_it(text: str) -> None:
    try:
        query = parse(text)
    except FilterError as mistake:
        assert 0 <= mistake.position < len(text)
        assert 0 < mistake.length <= len(text) - mistake.position
        assert mistake.message
    else:
        assert query.text == text
