"""In what two texts differ: stretches of words that only one of them has, found quickly in long ones too.

Owns the division into words and pieces, and which stretches are aligned with which. The alignment itself is
rapidfuzz's `Indel.opcodes` (a longest common subsequence; bit-parallel, Hyyrö 2004).

Lines and sentences are aligned first, and what is left between two of them word by word: else a text that
has another's sentences in another order seems to share some words here and there, and no sentence. The
library takes time with the product of the lengths and keeps the interpreter's lock, so no call gets more than
about 20 ms of work (7,000 words a side; measured 2026-11): a longer stretch without common sentences is
divided after words with certain hash values, wherever these stand. Where nothing aligns, it is told as
replaced whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from gacc_gui.core.errors import Interrupted
from gacc_gui.core.words import CJK

_WORK: Final = 50_000_000
"""Product of the lengths that one call of the library may be given."""
_PIECES: Final = 5_000
"""Into about how many pieces a longer stretch is divided."""
_CHUNK: Final = 30_000
"""Characters that are divided into words in one go: `re` keeps the interpreter's lock."""
_CHANCE: Final = 40
"""Code points: something common that is no longer, between two longer changes, is taken for chance."""
_FEW: Final = 4
"""Words: a piece in common that has fewer is no reason to align what is around it."""
_SENTENCES_FROM: Final = 900
"""Product of the lengths from which sentences are aligned before words."""

_CJK_SET: Final = CJK.pattern
_WORD: Final = re.compile(rf"{_CJK_SET}|(?:(?!{_CJK_SET})\w)+ ?|\s|[^\w\s] ?")
_ENDS: Final = "\n\r\u2028\u2029.!?…;。！？；｡．"


_Region = tuple[int, int, int, int]


class Change(NamedTuple):
    """Code points [a_start, a_end) of A stand where [b_start, b_end) stand in B; one may be empty."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int


@dataclass(frozen=True, slots=True)
class TextDiff:
    """The changes in order; everything between them is the same. `coarse`: some are not told word by word."""

    changes: tuple[Change, ...]
    coarse: bool


def diff_texts(a: str, b: str, stop: Callable[[], bool] = lambda: False) -> TextDiff:
    """Compare two texts word by word.

    Asks `stop` now and then and raises Interrupted when it says so.
    """
    ids: dict[str, int] = {}
    first, second = _Words(a, ids, stop), _Words(b, ids, stop)
    ends = {number for word, number in ids.items() if word.rstrip(" ")[-1:] in _ENDS}
    differ = _Differ(first.ids, second.ids, ends, stop)
    found = list(differ.region(0, len(first.ids), 0, len(second.ids)))
    changes = [
        Change(first.starts[a_low], first.starts[a_high], second.starts[b_low], second.starts[b_high])
        for a_low, a_high, b_low, b_high in found
    ]
    return TextDiff(tuple(_joined(changes)), differ.coarse)


class _Words:
    """A text as the numbers of its words, the same in both texts, and where each starts."""

    def __init__(self, text: str, ids: dict[str, int], stop: Callable[[], bool]) -> None:
        self.ids: list[int] = []
        self.starts: list[int] = []
        at = 0
        while at < len(text):
            _give_up_if(stop)
            end = _chunk_end(text, at)
            for word in _WORD.findall(text, at, end):
                self.ids.append(ids.setdefault(word, len(ids)))
                self.starts.append(at)
                at += len(word)
        self.starts.append(len(text))


def _chunk_end(text: str, at: int) -> int:
    end = at + _CHUNK
    if end >= len(text):
        return len(text)
    blank = max(text.rfind(" ", at, end), text.rfind("\n", at, end))
    return blank + 1 if blank > at else end


class _Differ:
    """Aligns two lists of numbers, region by region."""

    def __init__(self, a: Sequence[int], b: Sequence[int], ends: set[int], stop: Callable[[], bool]) -> None:
        self._a, self._b, self._ends, self._stop = a, b, ends, stop
        self.coarse = False
        self._lone = 0

    def region(self, a_low: int, a_high: int, b_low: int, b_high: int, level: int = 0) -> Iterator[_Region]:
        """Yield what differs in a region: places of A's numbers and of B's."""
        if not level and (a_high - a_low) * (b_high - b_low) >= _SENTENCES_FROM:
            # Before common words at the ends are set aside, which may begin a common sentence elsewhere.
            yield from self._by_pieces(a_low, a_high, b_low, b_high, level)
            return
        a, b = self._a, self._b
        while a_low < a_high and b_low < b_high and a[a_low] == b[b_low]:
            a_low, b_low = a_low + 1, b_low + 1
        while a_low < a_high and b_low < b_high and a[a_high - 1] == b[b_high - 1]:
            a_high, b_high = a_high - 1, b_high - 1
        if a_low == a_high and b_low == b_high:
            return
        if a_low == a_high or b_low == b_high:
            yield a_low, a_high, b_low, b_high
        elif (a_high - a_low) * (b_high - b_low) <= _WORK:
            for low, high, other_low, other_high in self._differing(a[a_low:a_high], b[b_low:b_high]):
                yield a_low + low, a_low + high, b_low + other_low, b_low + other_high
        elif level < len(_LEVELS):
            yield from self._by_pieces(a_low, a_high, b_low, b_high, level)
        else:
            self.coarse = True
            yield a_low, a_high, b_low, b_high

    def _by_pieces(self, a_low: int, a_high: int, b_low: int, b_high: int, level: int) -> Iterator[_Region]:
        length = max(a_high - a_low, b_high - b_low)
        ends_piece = _LEVELS[level](self._ends, length)
        edges_a = _edges(self._a, a_low, a_high, ends_piece)
        edges_b = _edges(self._b, b_low, b_high, ends_piece)
        if (len(edges_a) - 1) * (len(edges_b) - 1) > _WORK:
            yield from self.region(a_low, a_high, b_low, b_high, level + 1)
            return
        ids: dict[tuple[int, ...], int] = {}
        pieces_a = [self._piece(self._a, ids, edges) for edges in pairwise(edges_a)]
        pieces_b = [self._piece(self._b, ids, edges) for edges in pairwise(edges_b)]
        for low, high, other_low, other_high in self._differing(pieces_a, pieces_b):
            region = edges_a[low], edges_a[high], edges_b[other_low], edges_b[other_high]
            yield from self.region(*region, level + 1)

    def _piece(self, words: Sequence[int], ids: dict[tuple[int, ...], int], edges: tuple[int, int]) -> int:
        """Return the number of a piece; one of few words has its own, so that nothing is aligned by it."""
        low, high = edges
        if high - low >= _FEW:
            return ids.setdefault(tuple(words[low:high]), len(ids))
        self._lone -= 1
        return self._lone

    def _differing(self, a: Sequence[int], b: Sequence[int]) -> Iterator[_Region]:
        from rapidfuzz.distance import Indel

        _give_up_if(self._stop)
        since: _Region | None = None
        for block in Indel.opcodes(a, b):
            low, high, other_low, other_high = (
                block.src_start,
                block.src_end,
                block.dest_start,
                block.dest_end,
            )
            if block.tag == "equal":
                if since is not None:
                    yield since
                since = None
            elif since is None:
                since = low, high, other_low, other_high
            else:  # a deletion and an insertion at one place are one change
                since = since[0], high, since[2], other_high
        if since is not None:
            yield since


def _at_sentences(ends: set[int], _length: int) -> Callable[[int, int], bool]:
    return lambda word, _before: word in ends


def _at_hashes(length: int, pieces: int) -> Callable[[int, int], bool]:
    share = max(2, length // pieces)

    def ends_piece(word: int, before: int) -> bool:
        # Fibonacci hashing (Knuth) of two neighbours: the same words end a piece wherever they stand.
        return ((word * 31 + before) * 2654435769 & 0xFFFFFFFF) >> 8 & 0xFFFF < 0x10000 // share

    return ends_piece


_LEVELS: Final[tuple[Callable[[set[int], int], Callable[[int, int], bool]], ...]] = (
    _at_sentences,
    lambda _ends, length: _at_hashes(length, _PIECES),
    lambda _ends, length: _at_hashes(length, _PIECES),
)
"""How a stretch that is too long is divided, one way after the other."""


def _edges(ids: Sequence[int], low: int, high: int, ends_piece: Callable[[int, int], bool]) -> list[int]:
    """Return where pieces begin, and where the last one ends."""
    edges = [low]
    before = 0
    for at in range(low, high - 1):
        word = ids[at]
        if ends_piece(word, before):
            edges.append(at + 1)
        before = word
    return [*edges, high]


def _joined(changes: Sequence[Change]) -> list[Change]:
    """Join changes with something short between them that both have by chance."""
    joined: list[Change] = []
    for change in changes:
        while joined and _by_chance(joined[-1], change):
            before = joined.pop()
            change = Change(before.a_start, change.a_end, before.b_start, change.b_end)
        joined.append(change)
    return joined


def _by_chance(before: Change, after: Change) -> bool:
    common = after.a_start - before.a_end
    return common <= _CHANCE and common < min(_size(before), _size(after))


def _size(change: Change) -> int:
    return max(change.a_end - change.a_start, change.b_end - change.b_start)


def _give_up_if(stop: Callable[[], bool]) -> None:
    if stop():
        raise Interrupted("the comparison of the texts was stopped")
