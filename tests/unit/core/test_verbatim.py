from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.core.evidence import Haystack
from gacc_gui.core.folding import fold
from gacc_gui.core.sentences import bare_sentences
from gacc_gui.core.verbatim import SentenceIndex

TEXT = "The pump is off. Ines closed  valve K-7 at noon.\n\nThe tank\tnever held 812 litres."


def found(sentence: str, text: str = TEXT) -> bool:
    return SentenceIndex(Haystack(text)).contains(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The pump is off",  # a sentence of the text
        "ines CLOSED valve k-7 at",  # part of one, folded
        "closed valve",  # too short to have inner words
        "ed valve K-7 at no",  # its ends are parts of words
        "off. Ines closed",  # over the end of a sentence
        "tank never held",
    ],
)
def test_found(sentence: str) -> None:
    assert found(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The pump is on",
        "Ines valve closed K-7 at noon",
        "Ines closed K-7 at noon",
        "xed valve K-7 at noon",
        "closed valve K-7 at nooo",
        "noon closed",
        "The pump is off and Ines closed valve K-7",
    ],
)
def test_not_found(sentence: str) -> None:
    assert not found(sentence)


def test_places_before_the_beginning_and_behind_the_end_are_none() -> None:
    assert not found("zero one two three", "one two three")
    assert not found("one two three four", "one two three")
    assert found("one two three", "one two three")
    assert not found("\tone two three", "one two three")  # the blank before it is part of the piece


def test_an_exact_occurrence_counts_where_folding_joins_it_to_what_follows() -> None:
    text = "we went to the cafe\u0301 again"
    assert "went to the cafe" not in fold(text)
    assert found("went to the cafe", text)


def test_common_words_alone_are_compared_everywhere() -> None:
    text = " ".join(["the of and to"] * 30 + ["in the of a"])
    assert found("to in the of a", text)
    assert not found("to a the of in", text)


WORDS = st.sampled_from(["a", "b", "B", "aa", "é", "e\u0301", "ﬁ", "\u0301x", "ﷺ", "¨", "漢字", "K-7", "ß"])
SPACES = st.sampled_from([" ", " ", "  ", "\t", "\u3000"])


@st.composite
def texts(draw: st.DrawFn) -> str:
    return "".join(draw(WORDS) + draw(SPACES) for _ in range(draw(st.integers(1, 12))))


def test_a_sentence_longer_than_the_text_is_not_in_it() -> None:
    assert not found("one two three four five pump six", "pump ")
    assert not found("eins zwei drei fünf Pumpe sechs", "Pumpe ist")


@given(texts(), texts(), st.integers(0, 20), st.integers(1, 20))
def test_the_index_says_what_a_search_says(text: str, other: str, start: int, length: int) -> None:
    index = SentenceIndex(Haystack(text))
    for sentence in (text[start : start + length], other, *bare_sentences(other), *bare_sentences(text)):
        bare = sentence.strip(" ")
        if bare:
            assert index.contains(bare) == (bare in text or fold(bare) in fold(text)), bare


def test_mostly_missing_is_less_than_half() -> None:
    index = SentenceIndex(Haystack(TEXT))
    for text, missing in (
        ("The pump is off. Nobody knew.", False),
        ("The pump is off. Nobody knew. Nobody asked.", True),
        ("Nobody knew. The PUMP is off; the tank never held 812 litres? Somebody. Else.", True),
        ("Nobody knew. The PUMP is off; the tank never held 812 litres? Somebody.", False),
        (TEXT[:30], False),
        ("", False),
        ("…", False),
    ):
        assert index.mostly_missing(Haystack(text)) == missing, text
