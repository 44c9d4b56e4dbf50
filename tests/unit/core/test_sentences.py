from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gacc_gui.core.evidence import Haystack
from gacc_gui.core.sentences import bare_sentences, sentence_spans, splits_sentence
from gacc_gui.core.verbatim import SentenceIndex


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def test_where_sentences_end() -> None:
    assert sentences('One. Two! "Three?" Four…') == ["One.", "Two!", '"Three?"', "Four…"]
    assert sentences("Pi is 3.14 today; e is not.") == ["Pi is 3.14 today;", "e is not."]
    assert sentences("漢字を読む。「はい！」次") == ["漢字を読む。", "「はい！」", "次"]
    assert sentences("# Title\n\n- item one\n***\n- item two") == ["# Title", "- item one", "- item two"]
    assert sentences("a\u2028b\r\nc") == ["a", "b", "c"]
    assert sentences("") == sentences(" \n. !") == []


def test_bare_sentences_have_no_end_marks() -> None:
    assert bare_sentences('One. "Two!" Three?\nFour; 漢字。') == ["One", '"Two', "Three", "Four", "漢字"]
    assert bare_sentences("") == bare_sentences("...\n—\n") == []


def test_a_cut_inside_a_sentence() -> None:
    text = "One two. Three four."
    assert [i for i in range(len(text) + 1) if splits_sentence(text, i)] == [*range(1, 8), *range(10, 20)]


@given(st.text(st.sampled_from("ab .!?…;\n\"')”漢。」"), max_size=40))
@settings(deadline=None, max_examples=300)
def test_spans_are_ordered_apart_and_trimmed(text: str) -> None:
    reached = 0
    for start, end in sentence_spans(text):
        assert reached <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        reached = end


SOURCE = "The first thing happened on a Monday morning. The Second thing\nnever happened to me at all. Third."


def test_an_index_finds_what_is_there_in_any_form() -> None:
    index = SentenceIndex(Haystack(SOURCE))
    for sentence in (
        "The first thing happened on a Monday morning",
        "THE FIRST THING HAPPENED ON A MONDAY MORNING",
        "the second thing never happened to me at all",
        "irst thing happened on a Mon",
        "Third",
        "ird",
    ):
        assert index.contains(sentence), sentence
    for sentence in (
        "The first thing happened on a Tuesday morning",
        "The first second thing happened to me",
        "The second thing happened to me at all",
        "Fourth",
    ):
        assert not index.contains(sentence), sentence


@given(st.integers(0, 97), st.integers(1, 97), st.booleans())
@settings(deadline=None, max_examples=300)
def test_no_part_of_a_text_is_turned_away(start: int, length: int, upper: bool) -> None:
    part = SOURCE[start : start + length].strip()
    if part:
        assert SentenceIndex(Haystack(SOURCE)).contains(part.upper() if upper else part)


def test_mostly_missing() -> None:
    index = SentenceIndex(Haystack(SOURCE))
    assert not index.mostly_missing(Haystack(SOURCE))
    assert not index.mostly_missing(Haystack(""))
    assert not index.mostly_missing(Haystack("Third. Something else."))
    assert index.mostly_missing(Haystack("Third. Something else. Another thing."))
    assert index.mostly_missing(Haystack("In short, nothing."))
