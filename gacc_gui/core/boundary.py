"""The cut: what a budget retains of a proposal, and where the stored texts say it fell.

Owns `cut` (tokens → retained text) and `stored_boundary` (stored texts → place of the cut). Which evidence
the cut costs is `core.evidence`; which budget would have saved it `core.survival`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from gacc_gui.core.budget import whole_number
from gacc_gui.core.sentences import splits_sentence
from gacc_gui.core.tokens import Codec
from gacc_gui.core.words import same_word

REPLACEMENT: Final = "\ufffd"
_WORD_REACH: Final = 40
"""Code points shown of a split word on either side of the cut."""


@dataclass(frozen=True)
class Cut:
    """A proposal under a budget. Counts are of the proposal's own ids, never recounted from the text."""

    retained_text: str
    retained_tokens: int
    proposed_tokens: int
    unused_budget: int
    codec: Codec = field(repr=False, compare=False)

    @cached_property
    def reencoded_tokens(self) -> int:
        """Tokens of the retained text when it is encoded anew: can be more than were retained."""
        return self.codec.count(self.retained_text)


def cut(codec: Codec, text: str, budget: int) -> Cut:
    """Return the first `budget` tokens of `text`: M = decode(encode(text)[:L]), nothing appended.

    Raises BadUsage, naming the value, unless the budget is an int of at least 0.
    """
    limit = whole_number(budget, "a budget")
    ids = codec.encode(text)
    kept = ids[:limit]
    return Cut(
        retained_text=codec.decode(kept) if kept else "",
        retained_tokens=len(kept),
        proposed_tokens=len(ids),
        unused_budget=limit - len(kept),
        codec=codec,
    )


@dataclass(frozen=True, slots=True)
class Boundary:
    """Where the retained text ends in the proposal."""

    characters: int
    """Whole code points before it (b)."""
    bytes: int
    """UTF-8 bytes of those."""
    splits_character: bool
    """The code point at `characters` is split; the retained text ends in U+FFFD instead of it."""
    splits_word: bool
    splits_sentence: bool
    word: tuple[str, str] | None
    """The two halves of a split word, the split character in the second; None where no word is split."""

    @property
    def solid_from(self) -> int:
        """The first code point that is wholly behind the cut."""
        return self.characters + self.splits_character


def boundary_place(proposed: str, retained: str) -> tuple[int, bool] | None:
    """Return (b, whether the character at b is split), or None when `retained` is no such prefix.

    A U+FFFD that the proposal itself has at that place is an ordinary character of an ordinary prefix.
    """
    if proposed.startswith(retained):
        return len(retained), False
    b = len(retained) - 1
    if retained.endswith(REPLACEMENT) and b < len(proposed) and proposed.startswith(retained[:-1]):
        return b, True
    return None


def stored_boundary(proposed: str, retained: str) -> Boundary | None:
    """Return where the stored retained text ends in the stored proposal; None when it is no such prefix."""
    place = boundary_place(proposed, retained)
    return None if place is None else boundary_at(proposed, *place)


def boundary_at(proposed: str, characters: int, splits_character: bool) -> Boundary:
    """Describe a cut at a place that is already known (of the stored texts, or of another budget)."""
    word = _split_word(proposed, characters, splits_character)
    inside = characters + splits_character > 0 and characters < len(proposed)
    return Boundary(
        characters=characters,
        bytes=len(proposed[:characters].encode("utf-8", "surrogatepass")),
        splits_character=splits_character,
        splits_word=word is not None,
        splits_sentence=inside and (splits_character or splits_sentence(proposed, characters)),
        word=word,
    )


def _split_word(text: str, b: int, splits_character: bool) -> tuple[str, str] | None:
    """Return the halves of the word that a cut at `b` splits, at most `_WORD_REACH` code points each."""
    if not 0 < b < len(text):
        return None
    if not same_word(text, b) and not (splits_character and same_word(text, b + 1)):
        return None
    start = b
    while start > 0 and b - start < _WORD_REACH and same_word(text, start):
        start -= 1
    end = b + 1
    while end < len(text) and end - b < _WORD_REACH and same_word(text, end):
        end += 1
    return (text[start:b], text[b:end])
