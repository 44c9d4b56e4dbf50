"""Fuzzy hints: where something like a piece of evidence stands, for people to look at. Never changes a fate.

A score says little about sense: “1991” against “1997”, or an added “not”, scores above 95. A hint is
therefore withheld where the numbers or the negations of the two differ.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

from gacc_gui.core.evidence import Haystack, Span
from gacc_gui.core.folding import fold
from gacc_gui.core.words import same_word

LEAST_SCORE: Final = 80.0
_LONGEST_TEXT: Final = 400_000
"""Folded code points that are searched: a hint is not worth a second of waiting."""
_LONGEST_PIECE: Final = 2_000


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_DIGITS: Final = re.compile(r"\d+(?:[.,:/]\d+)*")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NUMBER_WORDS: Final = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand "
    "million billion trillion dozen half third quarter first second fourth fifth sixth seventh eighth ninth "
    "tenth once twice thrice"
)
_NEGATIONS: Final = _words(
    "no not never none nobody nothing nowhere neither nor without cannot hardly barely scarcely unless "
    "except nicht nie kein keine keinen keiner keines ohne pas jamais sans nunca nessuno senza"
)
_CJK_NUMBERS: Final = frozenset("〇零一二三四五六七八九十百千万億亿兩两")
_CJK_NEGATIONS: Final = frozenset("不没沒無无非未別别莫ない")


@dataclass(frozen=True, slots=True)
class Hint:
    """Something like the piece: where it is in the searched text (code points), and how alike, 0 to 100."""

    span: Span
    score: float


def hint_for(piece: str, haystack: Haystack, least_score: float = LEAST_SCORE) -> Hint | None:
    """Return the likest window of a text, or None: nothing like it, or numbers or negations differ."""
    from rapidfuzz import fuzz

    wanted = fold(piece).strip()
    text = haystack.folded.folded[:_LONGEST_TEXT]
    if not wanted or len(wanted) > min(len(text), _LONGEST_PIECE):
        return None
    found = fuzz.partial_ratio_alignment(wanted, text, score_cutoff=least_score)
    if found is None:
        return None
    start, end = _whole_words(text, found.dest_start, found.dest_end)
    window = text[start:end]
    score = fuzz.ratio(wanted, window.strip())
    if score < least_score or not window or differs_in_sense(wanted, window):
        return None
    return Hint(Span(*haystack.folded.span(start, end)), score)


def differs_in_sense(one: str, other: str) -> bool:
    """Whether two texts differ in their numbers or their negations, in whatever order these stand."""
    one, other = fold(one), fold(other)
    return numbers_of(one) != numbers_of(other) or negations_of(one) != negations_of(other)


def numbers_of(folded: str) -> Counter[str]:
    """Return the numbers of a folded text: digits, English number words, CJK numerals."""
    digits = (match.group().replace(",", "") for match in _DIGITS.finditer(folded))
    words = (word for word in _WORD.findall(folded) if word in _NUMBER_WORDS)
    return Counter(digits) + Counter(words) + Counter(c for c in folded if c in _CJK_NUMBERS)


def negations_of(folded: str) -> int:
    """Return how many negations a folded text has: words of some languages, `n't`, CJK characters."""
    words = sum(
        word in _NEGATIONS or word.endswith(("n't", "n’t")) or word == "dont"
        for word in _WORD.findall(folded)
    )
    return words + sum(character in _CJK_NEGATIONS for character in folded)


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a range widened to whole words, so that no number is compared in part, without outer blanks."""
    while same_word(text, start):
        start -= 1
    while same_word(text, end):
        end += 1
    while start < end and text[start] == " ":
        start += 1
    while start < end and text[end - 1] == " ":
        end -= 1
    return start, end
