from __future__ import annotations

import re
import sys
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gacc_gui.core.folding import (
    _OTHER_SPACES,
    _STRETCH,
    Folded,
    _kinds,
    _lengthened_by_case,
    fold,
)


def plainly(text: str) -> str:
    """The rule as FORMATS.md words it."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text).casefold())


TRICKY = (
    "aAzſsßẞSﬁﬃİIiıΣςσéeE\u0301\u0323\u0308\u0327\u0345ᾳ\u3099かが\uff76\uff9e가\u1100\u1161\u11a8½…ﷺ™"
    "漢字かな한각\u11a8éйά😀👍🏽\ufe0f，。"
    "\u0958क\u093cन\u093e\u09c7\u09be\u0344Å\u212b漢🧠ａ１\u200b\u200d"
    " \t\n\r\x0b\x1c\x85\xa0\u1680\u2003\u2028\u2029\u3000"
)
TEXT = st.text(st.one_of(st.sampled_from(TRICKY), st.characters(exclude_categories=("Cs",))), max_size=30)
SETTINGS = settings(deadline=None, max_examples=400)


@given(TEXT)
@SETTINGS
def test_folding_is_the_rule(text: str) -> None:
    assert fold(text) == plainly(text) == Folded(text).folded


@given(TEXT)
@SETTINGS
def test_the_map_is_monotone_and_covers_everything(text: str) -> None:
    folded = Folded(text)
    spans = [folded.span(i, i + 1) for i in range(len(folded.folded))]
    reached = 0
    for (start, end), (next_start, next_end) in pairwise(spans):
        assert start <= next_start
        assert end <= next_end
    for start, end in spans:
        assert 0 <= start < end <= len(text)
        assert start <= reached  # no character is left out
        reached = max(reached, end)
    assert reached == len(text)


@given(TEXT, st.data())
@SETTINGS
def test_a_match_maps_to_a_text_that_folds_to_it(text: str, data: st.DataObject) -> None:
    folded = Folded(text)
    if not folded.folded:
        return
    start = data.draw(st.integers(0, len(folded.folded) - 1))
    end = data.draw(st.integers(start + 1, len(folded.folded)))
    left, right = folded.span(start, end)
    assert folded.folded[start:end] in fold(text[left:right])
    # Neither end can be moved inwards without losing a part of the match.
    assert folded.span(start, start + 1)[0] == left
    assert folded.span(end - 1, end)[1] == right


@pytest.mark.parametrize(
    "joined", ["か\u3099", "각\u11a8", "한\u1161", "漢\u0301\u0323", "e\u0301", "\u0301\u0323"]
)
@pytest.mark.parametrize("filler", ["漢", "😀", "é"])
def test_long_texts_are_looked_at_in_stretches_that_hide_nothing(joined: str, filler: str) -> None:
    text = filler * (_STRETCH - 1) + joined + filler + "ß①"
    folded = Folded(text)
    assert folded.folded == plainly(text)
    assert folded.span(len(folded.folded) - 1, len(folded.folded)) == (len(text) - 1, len(text))
    behind = len(folded.folded) - 4
    marks = 2 if joined[0] == "\u0301" else 0
    assert folded.span(behind, behind + 1) == (len(text) - 3, len(text) - 2)
    assert folded.span(_STRETCH - 2, _STRETCH - 1) == (_STRETCH - 2, _STRETCH - 1 + marks)


@pytest.mark.parametrize(
    ("text", "needle", "span"),
    [
        ("oﬃce", "ffi", (1, 2)),
        ("oﬃce", "ff", (1, 2)),
        ("oﬃce", "ice", (1, 4)),
        ("Straße 5", "STRASSE", (0, 6)),
        ("aßßb", "sb", (2, 4)),
        ("ᾂᾬ", "ὤι", (1, 2)),
        ("漢字①②……", "①", (2, 3)),
        ("漢字㌆……", "ウ", (2, 3)),
        ("漢……字", "...字", (2, 4)),
        ("各，漢e\u0301字", "é字", (3, 6)),
        ("😀👍🏽ﬁ🧠", "i🧠", (3, 5)),
        ("\u1112\u1161\u11ab글", "한", (0, 3)),
        ("한\u1100\u1161글", "가", (1, 3)),
        ("가\u11a8글", "각글", (0, 3)),
        ("が漢か\u3099", "漢が", (1, 4)),
        ("xe\u0301y", "é", (1, 3)),
        ("xÉy", "e\u0301", (1, 2)),
        ("a\r\n\r\n b", "a b", (0, 7)),
        ("İstanbul", "i\u0307stan", (0, 5)),
        ("ＡＢＣ　１２", "abc 12", (0, 6)),
        ("ｶﾞｽ", "ガ", (0, 2)),
        ("½ cup", "1⁄2 cup", (0, 5)),
        ("ΣΑΣ", "σας", (0, 3)),
    ],
)
def test_maps_survive_changes_of_length(text: str, needle: str, span: tuple[int, int]) -> None:
    folded = Folded(text)
    at = folded.folded.find(fold(needle))
    assert at >= 0
    assert folded.span(at, at + len(fold(needle))) == span


def test_white_space_is_what_unicode_says() -> None:
    every = {chr(c) for c in range(sys.maxunicode + 1) if chr(c).isspace()}
    left = {c for c in every if unicodedata.normalize("NFKC", c) == c} - {" "}
    assert left == set(_OTHER_SPACES)
    assert all(fold(c) == " " for c in every)


def test_all_characters_are_known_that_change_or_join() -> None:
    kinds, longer = _kinds(), _lengthened_by_case()
    for character in map(chr, range(sys.maxunicode + 1)):
        normal = unicodedata.normalize("NFKC", character)
        first = unicodedata.normalize("NFKD", character)[0]
        assert character in kinds.joining or not unicodedata.combining(first)
        assert normal == character or kinds.changing.match(character)
        assert len(normal) == 1 or kinds.counting.match(character)
        assert len(character.casefold()) == 1 or longer.match(character)
    assert all(map(kinds.changing.match, kinds.joining)) and all(map(kinds.counting.match, kinds.joining))
    common = "漢字かなカ한각，。！？「」😀🧠👍🏽👩\u200d💻\ufe0féйά–"
    assert not kinds.counting.search(common)  # a text of them is passed over


def test_clusters_are_safe_for_every_character() -> None:
    """Normalising after a cut before a character that joins nothing is normalising before it."""
    joining = _kinds().joining
    befores = ("e", "\u1100\u1161", "か", "\u09c7", "\u0308")
    for c in range(sys.maxunicode + 1):
        character = chr(c)
        if unicodedata.category(character) in ("Cn", "Cs", "Co") or character in joining:
            continue
        for before in befores:
            whole = unicodedata.normalize("NFKC", before + character)
            assert whole == unicodedata.normalize("NFKC", before) + unicodedata.normalize("NFKC", character)


def test_nothing_folds_to_nothing_and_only_nothing() -> None:
    assert fold("") == ""
    assert all(fold(chr(c)) for c in range(sys.maxunicode + 1))
