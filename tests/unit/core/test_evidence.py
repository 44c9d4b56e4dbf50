from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gacc_gui.core.causes import FATES
from gacc_gui.core.evidence import Haystack, MemoryTexts, Piece, Span, pieces_of, place, question_fate
from gacc_gui.core.folding import Folded, fold
from gacc_gui.core.records import Question
from gacc_gui.core.words import is_word_boundary, next_word_boundary

SOURCE = "The Pump is off.\n\nInes closed K-7 at 02:14. Straße 5, oﬃce 12; 漢字を読む。 yes no Yes."


def question(references: tuple[str, ...] | None = None, evidence: list[Any] | None = None) -> Question:
    return Question("q", "g", "?", references, None if evidence is None else tuple(evidence))


def piece(text: str, in_source: bool = True) -> Piece:
    return Piece(text, fold(text), in_source)


class TestPieces:
    def test_given_evidence_is_all_needed(self) -> None:
        pieces = pieces_of(question(("pump",), [{"start": 4, "end": 8}, {"quote": "K-7"}]), Haystack(SOURCE))
        assert pieces.all_needed
        assert [(p.text, p.in_source) for p in pieces.pieces] == [("Pump", True), ("K-7", True)]
        assert pieces.pieces[0].source_span == Span(4, 8)

    def test_quotes_are_found_folded(self) -> None:
        quotes = ["the pump IS off. ines", "strasse 5", "OFFICE", "漢字を", "K-8", "nes closed"]
        pieces = pieces_of(question(None, [{"quote": quote} for quote in quotes]), Haystack(SOURCE))
        assert [p.in_source for p in pieces.pieces] == [True, True, True, True, False, True]

    @pytest.mark.parametrize(
        "item",
        [
            {"start": 4, "end": 999},
            {"start": -3, "end": 4},
            {"start": 8, "end": 8},
            {"start": 8, "end": 4},
            {"start": 4},
            {"end": 4},
            {"start": True, "end": 4},
            {"start": 4.0, "end": 8.0},
            {"start": "4", "end": "8"},
            {"quote": ""},
            {"quote": None},
            {"quote": 7},
            {},
            None,
            "Pump",
        ],
    )
    def test_a_faulty_item_is_an_absent_piece(self, item: Any) -> None:
        pieces = pieces_of(question(("Pump",), [item]), Haystack(SOURCE))
        assert [p.in_source for p in pieces.pieces] == [False]
        assert MemoryTexts(SOURCE, SOURCE).fate(pieces.pieces[0]) == "absent"

    def test_no_evidence_means_references(self) -> None:
        for evidence in (None, []):
            pieces = pieces_of(question(("pump", "nowhere"), evidence), Haystack(SOURCE))
            assert not pieces.all_needed
            assert [p.text for p in pieces.pieces] == ["pump"]

    @pytest.mark.parametrize(
        ("reference", "counts"),
        [
            ("K-7", True),
            ("7 ", False),  # two code points
            ("yes", False),
            ("Yes.", False),
            ("no.", False),
            ("ump", False),  # not at a word boundary
            ("INES", True),
            ("ine", False),
            ("02:14", True),
            ("漢字を", True),  # every place between CJK characters is a boundary
            ("字を読", True),
            ("strasse", True),
            ("ice", False),
            ("office", True),
            ("off", True),  # in “off.”, though not in “oﬃce”
            ("zzz", False),
            ("", False),
        ],
    )
    def test_which_references_count(self, reference: str, counts: bool) -> None:
        assert bool(pieces_of(question((reference,)), Haystack(SOURCE)).pieces) == counts

    def test_no_reference_at_all(self) -> None:
        assert pieces_of(question(None), Haystack(SOURCE)).pieces == ()
        assert pieces_of(question(()), Haystack(SOURCE)).pieces == ()

    def test_a_later_occurrence_can_stand_at_word_boundaries(self) -> None:
        assert pieces_of(question(("rat",)), Haystack("grate rate rat")).pieces
        assert not pieces_of(question(("rat",)), Haystack("grate rate rats")).pieces


class TestOccurrences:
    def test_all_of_them_overlapping_too(self) -> None:
        assert Haystack("aaaa").find_all("aa") == [Span(0, 2), Span(1, 3), Span(2, 4)]
        assert Haystack("Aa aA").find_all("aa") == [Span(0, 2), Span(3, 5)]
        assert Haystack("abc").find_all("") == []
        assert Haystack("ababab").find_all("ab", limit=2) == [Span(0, 2), Span(2, 4)]

    def test_exact_and_folded_are_one_list(self) -> None:
        text = "é e\u0301 É"
        assert Haystack(text).find_all("é") == [Span(0, 1), Span(2, 4), Span(5, 6)]
        assert Haystack(text).find_all("e") == [Span(2, 3)]  # only exactly


class TestFates:
    @pytest.mark.parametrize(
        ("text", "fate"),
        [("abc", "retained"), ("def", "cut"), ("ghi", "tail"), ("xyz", "omitted"), ("ABC", "retained")],
    )
    def test_a_plain_boundary(self, text: str, fate: str) -> None:
        assert MemoryTexts("abc def ghi", "abc d").fate(piece(text)) == fate

    def test_ending_at_the_boundary_is_retained_and_beginning_there_is_tail(self) -> None:
        texts = MemoryTexts("abcdef", "abc")
        assert texts.fate(piece("abc")) == "retained"
        assert texts.fate(piece("def")) == "tail"
        assert texts.fate(piece("cd")) == "cut"

    def test_touching_the_split_character_is_cut(self) -> None:
        texts = MemoryTexts("ab🧠cd", "ab\ufffd")
        assert texts.fate(piece("ab")) == "retained"
        assert texts.fate(piece("🧠cd")) == "cut"
        assert texts.fate(piece("b🧠")) == "cut"
        assert texts.fate(piece("cd")) == "tail"

    def test_the_best_occurrence_counts(self) -> None:
        texts = MemoryTexts("xx PUMP yy pump", "xx PUMP yy")
        assert texts.fate(piece("pump")) == "retained"  # folded before the cut, exactly behind it
        assert MemoryTexts("pump pump", "pu").fate(piece("pump")) == "cut"

    def test_absent_whatever_the_memory_says(self) -> None:
        assert MemoryTexts("K-8", "K-8").fate(piece("K-8", in_source=False)) == "absent"

    def test_an_unknown_boundary(self) -> None:
        texts = MemoryTexts("one two three", "One, two")
        assert not texts.boundary_known
        assert texts.fate(piece("two")) == "retained"
        assert texts.fate(piece("one")) == "retained"
        assert texts.fate(piece("three")) == "tail"
        assert texts.fate(piece("four")) == "omitted"

    def test_missing_texts(self) -> None:
        assert MemoryTexts(None, None).boundary_known
        assert MemoryTexts(None, None).fate(piece("a")) == "omitted"
        assert not MemoryTexts("abc", None).boundary_known
        assert MemoryTexts(None, "abc").fate(piece("abc")) == "retained"

    def test_a_word_boundary_is_never_asked_for_in_a_memory(self) -> None:
        assert MemoryTexts("pumpkin", "pumpkin").fate(piece("pump")) == "retained"

    def test_worst_of_evidence_and_best_of_alternatives(self) -> None:
        source = Haystack("a1b2c3 def")
        evidence = pieces_of(question(None, [{"quote": "a1b2"}, {"quote": "def"}]), source)
        references = pieces_of(question(("a1b2c3", "def")), source)
        for i, worse in enumerate(FATES[:5]):
            for better in FATES[: i + 1]:
                assert question_fate(evidence, [better, worse]) == worse
                assert question_fate(references, [worse, better]) == better
        assert question_fate(pieces_of(question(()), source), []) == "unlocated"


ALPHABET = "abAB \n\té\u0301eßﬁ漢🧠\ufffd"


def plain_occurrences(text: str, needle: str) -> list[tuple[int, int]]:
    """Every exact and every folded occurrence, without the shortcut of the first one."""
    found = [(m.start(), m.start() + len(needle)) for m in re.finditer(f"(?={re.escape(needle)})", text)]
    folded, wanted = Folded(text), fold(needle)
    for m in re.finditer(f"(?={re.escape(wanted)})", folded.folded):
        found.append(folded.span(m.start(), m.start() + len(wanted)))
    return found


@given(
    st.text(st.sampled_from(ALPHABET), max_size=25),
    st.text(st.sampled_from(ALPHABET), min_size=1, max_size=3),
    st.integers(0, 25),
    st.booleans(),
)
@settings(deadline=None, max_examples=600)
def test_the_first_occurrence_is_the_best(text: str, needle: str, b: int, split: bool) -> None:
    b = min(b, len(text))
    split = split and b < len(text) and text[b] != "\ufffd"
    texts = MemoryTexts(text, text[:b] + ("\ufffd" if split else ""))
    ranks = [FATES.index(place(*span, b, split)) for span in plain_occurrences(text, needle)]
    assert texts.fate(piece(needle)) == (FATES[min(ranks)] if ranks else "omitted")
    assert {(s.start, s.end) for s in Haystack(text).find_all(needle)} == set(plain_occurrences(text, needle))
    at_words = [
        span
        for span in Haystack(text).occurrences(needle, fold(needle))
        if is_word_boundary(text, span[0]) and is_word_boundary(text, span[1])
    ]
    assert list(Haystack(text).at_words(needle, fold(needle))) == at_words
    assert all(
        next_word_boundary(text, at)
        == next((place for place in range(at, len(text)) if is_word_boundary(text, place)), len(text))
        for at in range(len(text) + 1)
    )


def test_a_word_within_one_long_word_is_soon_missed() -> None:
    # Compared at each of a million places, these take minutes: half a million times half a million.
    for word in ("x", "Ä"):
        source = Haystack(word * 1_000_000)
        assert list(source.at_words(word * 500_000, fold(word * 500_000))) == []
        assert pieces_of(question((word * 500_000,)), source).pieces == ()
