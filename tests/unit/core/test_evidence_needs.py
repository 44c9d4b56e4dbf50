"""Least budgets: the fast way agrees with the slider's curve; places by hand."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gacc_gui.core.evidence import Haystack, Pieces, pieces_of
from gacc_gui.core.evidence_needs import decile, least_budgets, place_in_source
from gacc_gui.core.records import Cell, Question
from gacc_gui.core.survival import SurvivalCurve
from gacc_gui.core.tokens import CodepointCodec
from gacc_gui.formats.vocabulary import load_codec
from tests.memory_needs import needing

WORDS = st.sampled_from(
    ["noon", "NOON", "812 litres", "é", "水泵", "🧠", "\ufffd", " ", "\n", "valve K-7", "ab"]
)
TEXTS = st.lists(WORDS, max_size=12).map("".join)


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS, st.lists(st.lists(TEXTS.filter(bool), min_size=1, max_size=3), min_size=1, max_size=3))
def test_the_curves_least_budgets(source: str, proposed: str, wanted: list[list[str]]) -> None:
    haystack = Haystack(source)
    questions = [
        Question("q", "g", "?", tuple(texts), tuple({"quote": text} for text in texts) if at % 2 else None)
        for at, texts in enumerate(wanted)
    ]
    pieces = [pieces_of(question, haystack) for question in questions]
    for codec in (CodepointCodec(), load_codec("cl100k_base")):
        expected = SurvivalCurve(codec, proposed, pieces).smallest_budgets()
        assert least_budgets(codec, proposed, pieces) == expected


def pieces(source: str, references: tuple[str, ...] = (), evidence: tuple[dict, ...] = ()) -> Pieces:
    return pieces_of(Question("q", "g", "?", references, evidence or None), Haystack(source))


def test_places() -> None:
    source = "0123456789" * 10
    haystack = Haystack(source)
    assert place_in_source(pieces(source, evidence=({"start": 10, "end": 20},)), haystack) == 0.15
    both = pieces(source, evidence=({"start": 0, "end": 10}, {"start": 90, "end": 100}))
    assert place_in_source(both, haystack) == 0.5
    assert place_in_source(pieces(source, evidence=({"quote": "gone"},)), haystack) is None
    lost = pieces(source, evidence=({"start": 0, "end": 10}, {"quote": "gone"}))
    assert place_in_source(lost, haystack) is None
    assert place_in_source(pieces(source), haystack) is None


def test_an_alternative_counts_where_it_stands_as_a_word() -> None:
    source = "anoon and then, at last, Noon came; noon" + "." * 60
    haystack = Haystack(source)
    place = place_in_source(pieces(source, ("noon", "last")), haystack)
    assert place == (source.index("last") + 2) / len(source)
    assert place_in_source(pieces(source, ("noon",)), haystack) == (source.index("noon", 5) + 2) / len(source)


def test_deciles() -> None:
    assert [decile(place) for place in (0.0, 0.0999, 0.1, 0.95, 1.0)] == [0, 0, 1, 9, 9]


def test_a_goal_needs_what_its_neediest_question_does() -> None:
    cell = Cell("lead", "1", "own-goal", "0.1")
    assert needing(cell, 10, 100, (3, 9), 1).all_need == 9
    assert needing(cell, 10, 100, (3, None), 0).all_need is None
