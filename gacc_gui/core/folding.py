"""Folded texts, and the way back to the code points they came from.

Folding is NFKC, then `str.casefold`, then each run of white space to one space; in this order, each once.
Lengths change on the way (`ﬁ` → `fi`, `ß` → `ss`, e + ◌́ → é, three blanks → one): every step records only
the places where they do, and looks only at characters that can do it, so that an ordinary text of any script
costs next to nothing to map. Searching is `core.evidence`.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, NamedTuple

_SPACES: Final = re.compile(" {2,}")
_OTHER_SPACES_ASCII: Final = "\n\t\r\v\f\x1c\x1d\x1e\x1f"
_OTHER_SPACES: Final = _OTHER_SPACES_ASCII + "\x85\u1680\u2028\u2029"
"""All white space (`str.isspace`) but the blank that NFKC leaves as it is; a test compares with Unicode."""
_COMMON_IN_CJK: Final = {c: unicodedata.normalize("NFKC", c) for c in "，！？：；（）～…　"}
_BEHIND_TABLES: Final = re.compile("[\u2e80-\U0010ffff]")
"""For these `unicodedata.normalize` walks the whole of its composition tables: 90 ns each (measured), if
anything is to be done in a text at all."""
_NORMALISED: Final = (
    (0x80, 0x3400),
    (0xA000, 0xAC00),
    (0xD7A4, 0xD800),
    (0xE000, 0x20000),
    (0x2F800, 0x2FA20),
)
"""Where the characters are that normalisation has to do with; a test compares with Unicode."""
_LENGTHENED: Final = ((0x80, 0x2000), (0xFB00, 0xFB18))
"""Where the characters are that case folding makes longer; a test compares with Unicode."""
_PARTS: Final = (0x10000, 0x1F300, 0x20000)
"""Where emoji begin within the second plane, and where the other planes begin."""
_STRETCH: Final = 100_000
"""Characters that are tested at a time whether they are normalised: where only composing them can tell, that
takes as long as normalising, and nothing else runs meanwhile."""


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
        blank = _blanked(_normalized(text).casefold(), _OTHER_SPACES)
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

    def place(self, position: int, least: int) -> int:
        """Return the first place of the folded form, from `least` on, that came from `position` or behind."""

        def origin(at: int) -> int:
            return self.span(at, at + 1)[0]

        whole = len(self.folded)
        return bisect_left(range(whole), position, lo=min(least, whole), key=origin)


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
        if not _is_normalized(text):
            steps.append(_OffsetMap(_normalization_edits(text)))
            text = _normalized(text)
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


def _case_edits(text: str) -> Iterator[tuple[int, int, int]]:
    for match in _lengthened_by_case().finditer(text):
        for at, character in enumerate(match[0], match.start()):
            yield at, at + 1, len(character.casefold())


def _normalized(text: str) -> str:
    """Return the NFKC of `text`."""
    for character, normal in _COMMON_IN_CJK.items():
        if character in text:
            text = text.replace(character, normal)
    if _BEHIND_TABLES.search(text) is None:
        return unicodedata.normalize("NFKC", text)
    if _is_normalized(text):
        return text
    normal_pieces: list[str] = []
    at = 0
    for start, end in _runs(_kinds().changing, text):
        normal_pieces += (text[at:start], unicodedata.normalize("NFKC", text[start:end]))
        at = end
    return "".join((*normal_pieces, text[at:])) if at else text


def _is_normalized(text: str) -> bool:
    starts = range(0, len(text), _STRETCH)
    return all(unicodedata.is_normalized("NFKC", text[at : at + _STRETCH]) for at in starts) and not any(
        text[at] in _kinds().joining for at in starts[1:]
    )


def _normalization_edits(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield the clusters of characters whose number NFKC changes.

    A cluster ends where the next character can neither be reordered before, nor composed with, the one
    before it; the normal form of the text is then the clusters' normal forms one after another.
    """
    normalize, joining = unicodedata.normalize, _kinds().joining
    for start, end in _runs(_kinds().counting, text):
        while start < end:
            stop = start + 1
            while stop < end and text[stop] in joining:
                stop += 1
            cluster = text[start:stop]
            normal = normalize("NFKC", cluster)
            if normal != cluster and not stop - start == len(normal) == 1:
                yield start, stop, len(normal)
            start = stop


def _runs(characters: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Yield runs of `characters` as whole clusters: with the character before, where the first joins it."""
    joining = _kinds().joining
    for match in characters.finditer(text):
        start, end = match.span()
        yield start - (start > 0 and text[start] in joining), end


class _Kinds(NamedTuple):
    """The characters that normalisation has to do with. The patterns match runs."""

    joining: frozenset[str]
    """Those that it can move or compose into what stands before them."""
    changing: re.Pattern[str]
    """Those, and all that have another normal form."""
    counting: re.Pattern[str]
    """Those, and all whose normal form is not one character."""


@cache
def _kinds() -> _Kinds:
    normalize, combining, seconds = unicodedata.normalize, unicodedata.combining, _composing_seconds()
    joining, changing, counting = set(), set(), set()
    for low, high in _NORMALISED:
        for character in map(chr, range(low, high)):
            apart = normalize("NFKD", character)
            if combining(apart[0]) or apart[0] in seconds:
                joining.add(character)
            if apart != character:
                normal = normalize("NFKC", character)
                if normal != character:
                    changing.add(character)
                if len(normal) != 1:
                    counting.add(character)
    return _Kinds(frozenset(joining), _any_of(joining | changing), _any_of(joining | counting))


@cache
def _lengthened_by_case() -> re.Pattern[str]:
    characters = (chr(c) for low, high in _LENGTHENED for c in range(low, high))
    return _any_of({c for c in characters if len(c.casefold()) != 1})


def _any_of(characters: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern for runs of `characters`; beyond the first plane, of others between them, too.

    There it is one range where 83 would make it eight times slower (measured): each is tried for every
    character that is in none. But emoji are in no range, as there may be many.
    """
    ranges: list[list[int]] = []
    for code in sorted(map(ord, characters)):
        apart = bisect_right(_PARTS, code)
        if ranges and (ranges[-1][1] == code - 1 or (apart and bisect_right(_PARTS, ranges[-1][1]) == apart)):
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return re.compile("[" + "".join(f"{chr(low)}-{chr(high)}" for low, high in ranges) + "]+")


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
