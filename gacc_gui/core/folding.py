"""Folded texts, and the way back to the code points they came from.

Folding is NFKC, then `str.casefold`, then each run of white space to one space; in this order, each once.
Lengths change on the way (`ﬁ` → `fi`, `ß` → `ss`, e + ◌́ → é, three blanks → one): every step records only
the places where they do, so that an ordinary text costs nothing to map. Searching is `core.evidence`.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache
from typing import Final

_STEADY: Final = (
    "\u00c0-\u00de\u00e0-\u012f\u0391-\u03af\u03b1-\u03c9\u0410-\u044f\u2013\u2014\u2018\u2019\u201c\u201d"
    "\u3001-\u3003\u3008-\u3011\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
    "\U0001f300-\U0001faff"
)
"""Characters of common scripts that keep their length, whatever stands before them: each is its own NFKC,
joins nothing before it and folds to one character. They are passed over as fast as ASCII ones."""
_UNSTEADY: Final = re.compile(f"[^\x00-\x7f{_STEADY}]+")
_SPACES: Final = re.compile(" {2,}")
_OTHER_SPACES_ASCII: Final = "\n\t\r\v\f\x1c\x1d\x1e\x1f"
_OTHER_SPACES: Final = _OTHER_SPACES_ASCII + "\x85\u1680\u2028\u2029"
"""All white space (`str.isspace`) but the blank that NFKC leaves as it is; a test compares with Unicode."""


def fold(text: str) -> str:
    """Return `text` folded, when the way back is not needed."""
    if "\n" in text:  # empty lines first: a rare character is found faster than two blanks
        if "\r" in text:
            text = text.replace("\r\n", "\n")
        while "\n\n" in text:
            text = text.replace("\n\n", "\n")
    if text.isascii():
        blank = _blanked(text.lower(), _OTHER_SPACES_ASCII)
    else:
        blank = _blanked(unicodedata.normalize("NFKC", text).casefold(), _OTHER_SPACES)
    while "  " in blank:  # measured: ten times faster than a regular expression
        blank = blank.replace("  ", " ")
    return blank


class Folded:
    """A text with its folded form; `span` maps a range of the folded form back.

    A range that begins or ends inside what one character became maps to the whole of that character.
    The map is made when it is first asked for.
    """

    __slots__ = ("_maps", "folded", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = fold(text)
        self._maps: tuple[_OffsetMap, ...] | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the half-open range of the original text that `folded[start:end]` came from; start < end."""
        maps = self._maps
        if maps is None:
            maps = self._maps = _maps_of(self.text)
        for step in maps:
            start, end = step.start(start), step.end(end)
        return start, end


class _OffsetMap:
    """From offsets of a changed text to those of the text before; identity between the edits."""

    __slots__ = ("_new_ends", "_new_starts", "_old_ends", "_old_starts")

    def __init__(self, edits: Iterable[tuple[int, int, int]]) -> None:
        """Take edits (old start, old end, new length > 0), ascending and apart."""
        self._old_starts: list[int] = []
        self._old_ends: list[int] = []
        self._new_starts: list[int] = []
        self._new_ends: list[int] = []
        shift = 0
        for old_start, old_end, new_length in edits:
            new_start = old_start + shift
            self._old_starts.append(old_start)
            self._old_ends.append(old_end)
            self._new_starts.append(new_start)
            self._new_ends.append(new_start + new_length)
            shift = new_start + new_length - old_end

    def __bool__(self) -> bool:
        return bool(self._new_starts)

    def start(self, position: int) -> int:
        """Return where the character at `position` of the changed text begins in the old one."""
        k = bisect_right(self._new_starts, position) - 1
        if k < 0:
            return position
        if position < self._new_ends[k]:
            return self._old_starts[k]
        return position - self._new_ends[k] + self._old_ends[k]

    def end(self, position: int) -> int:
        """Return where the character before `position` of the changed text ends in the old one."""
        k = bisect_right(self._new_starts, position - 1) - 1
        if k < 0:
            return position
        if position <= self._new_ends[k]:
            return self._old_ends[k]
        return position - self._new_ends[k] + self._old_ends[k]


def _maps_of(text: str) -> tuple[_OffsetMap, ...]:
    """Return the steps back from the folded text, last step first, without those that change no length."""
    steps: list[_OffsetMap] = []
    if not text.isascii():
        if not unicodedata.is_normalized("NFKC", text):
            steps.append(_OffsetMap(_normalization_edits(text)))
            text = unicodedata.normalize("NFKC", text)
        folded = text.casefold()
        if len(folded) != len(text):  # case folding lengthens or keeps, it never shortens
            steps.append(_OffsetMap(_case_edits(text)))
        text = folded
    else:
        text = text.lower()
    blank = _blanked(text, _OTHER_SPACES)
    if "  " in blank:
        steps.append(_OffsetMap((m.start(), m.end(), 1) for m in _SPACES.finditer(blank)))
    return tuple(step for step in reversed(steps) if step)


def _blanked(text: str, spaces: str) -> str:
    for space in spaces:
        if space in text:
            text = text.replace(space, " ")
    return text


def _case_edits(text: str) -> Iterable[tuple[int, int, int]]:
    for match in _UNSTEADY.finditer(text):
        for i, character in enumerate(match.group(), match.start()):
            length = len(character.casefold())
            if length != 1:
                yield i, i + 1, length


def _normalization_edits(text: str) -> Iterable[tuple[int, int, int]]:
    """Yield the clusters of characters that NFKC changes.

    A cluster ends where the next character can neither be reordered before, nor composed with, the one
    before it; the normal form of the text is then the clusters' normal forms one after another.
    """
    normalize, joins = unicodedata.normalize, _joins_previous
    for match in _UNSTEADY.finditer(text):
        start, end = match.span()
        if start and joins(text[start]):
            start -= 1
        while start < end:
            stop = start + 1
            while stop < end and joins(text[stop]):
                stop += 1
            cluster = text[start:stop]
            normal = normalize("NFKC", cluster)
            if normal != cluster and not stop - start == len(normal) == 1:
                yield start, stop, len(normal)
            start = stop


@cache
def _joins_previous(character: str) -> bool:
    """Whether normalisation can move or compose a character into what stands before it."""
    if character < "\u0300":
        return False
    first = unicodedata.normalize("NFKD", character)[0]
    return unicodedata.combining(first) != 0 or first in _composing_seconds()


@cache
def _composing_seconds() -> frozenset[str]:
    """Return the characters that are the second half of a canonical composition, Hangul's included."""
    seconds = {chr(c) for c in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    for low, high in ((0xC0, 0xFB50), (0x10000, 0x1E000)):  # nothing composes outside these
        for c in range(low, high):
            parts = unicodedata.decomposition(chr(c)).split()
            if len(parts) == 2 and not parts[0].startswith("<"):
                seconds.add(chr(int(parts[1], 16)))
    return frozenset(seconds)
