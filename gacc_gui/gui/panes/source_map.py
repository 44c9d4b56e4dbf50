"""What of a source came through: which sentences the memory retains, which only the tail holds.

Also where the cut falls in the source, and which place of the source a place of a pane corresponds to. A
sentence counts where it stands verbatim, exactly or folded; this is for marking and scrolling and decides no
fate. Pure and without Qt: it runs beside the GUI thread.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from gacc_gui.core.boundary import Boundary
from gacc_gui.core.folding import Folded, fold
from gacc_gui.core.sentences import sentence_spans

_SHORTEST: Final = 16
"""Folded code points of a sentence that is looked for inside others; shorter ones match anywhere."""
_OCCURRENCES: Final = 20
_ENDS: Final = ".!?…;:,\"'”’»)]。！？；：，、．｡"
_WORD: Final = re.compile(r"\w")
_SCAN_LIMIT: Final = 2_000_000_000
"""Code points that are scanned at most for fragments, so that huge texts take seconds and not minutes."""

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Match:
    """The same text at two places: source [source_start, source_end) and pane or proposal [start, end)."""

    source_start: int
    source_end: int
    start: int
    end: int


class Links:
    """Corresponding places of the source and a pane; between them, the nearest one."""

    def __init__(self, matches: Iterable[Match] = ()) -> None:
        self._by_source = sorted((m.source_start, m.source_end, m.start, m.end) for m in matches)
        self._by_pane = sorted((pane, end, at, to) for at, to, pane, end in self._by_source)

    def __bool__(self) -> bool:
        return bool(self._by_source)

    def to_pane(self, offset: int) -> int | None:
        """The pane's place for a place of the source; None where nothing corresponds."""
        return _nearest(self._by_source, offset)

    def to_source(self, offset: int) -> int | None:
        """The source's place for a place of the pane; None where nothing corresponds."""
        return _nearest(self._by_pane, offset)


@dataclass(frozen=True, slots=True)
class SourceMap:
    """Stretches of the source, ordered and apart, and the ways between source and panes."""

    gone: tuple[Range, ...] = ()
    tail_only: tuple[Range, ...] = ()
    cut: int | None = None
    """Where the cut falls in the source; None where that is not to be said."""
    retained: Links = field(default_factory=Links)
    tail: Links = field(default_factory=Links)


def go_on() -> None:
    """Give way to nobody."""


def map_source(
    source: str,
    proposal: str,
    retained: str,
    boundary: Boundary | None,
    give_way: Callable[[], None] = go_on,
) -> SourceMap:
    """Compare a source with a memory. Without a boundary, retained text and proposal are looked up apart.

    `give_way` is called for every sentence, and raises where the map is wanted no more.
    """
    if boundary is None:
        kept = list(matches(source, retained, len(retained), give_way))
        proposed = list(matches(source, proposal, len(proposal), give_way))
        kept_ranges = _united(source, ((m.source_start, m.source_end) for m in kept))
        all_ranges = _united(source, ((m.source_start, m.source_end) for m in [*kept, *proposed]))
        return SourceMap(
            gone=tuple(_without([(0, len(source))], all_ranges)),
            tail_only=tuple(_without(all_ranges, kept_ranges)),
            retained=Links(kept),
            tail=Links(proposed),
        )
    b = boundary.characters
    found = list(matches(source, proposal, b, give_way))
    kept, behind = [], []
    for match in found:
        before, after = _divided(match, b)
        kept += [before] if before else []
        behind += [after] if after else []
    cut = _cut_in_source(source, found, proposal, b) if b < len(proposal) else None
    kept_ranges = _united(source, ((m.source_start, m.source_end) for m in kept), cut)
    all_ranges = _united(source, ((m.source_start, m.source_end) for m in found))
    return SourceMap(
        gone=tuple(_without([(0, len(source))], all_ranges)),
        tail_only=tuple(_without(all_ranges, kept_ranges)),
        cut=cut,
        retained=Links(kept),
        tail=Links(Match(m.source_start, m.source_end, m.start - b, m.end - b) for m in behind),
    )


def matches(source: str, text: str, settled: int, give_way: Callable[[], None] = go_on) -> Iterator[Match]:
    """Yield where sentences of `text` stand in `source`, and sentences of `source` in `text`.

    A sentence of the source that is a sentence of `text[:settled]` is not looked for further.
    """
    start = _common_prefix(source, text)
    if start >= _SHORTEST or start == len(text):
        if start:
            yield Match(0, start, 0, start)
    else:
        start = 0
    source_sentences = _sentences(source, give_way)
    unmatched = []
    matched_source: set[Range] = set()
    for span, folded in _sentences_by_span(text):
        give_way()
        if span[1] <= start:
            continue
        places = source_sentences.get(folded)
        if places is None:
            unmatched.append((span, folded))
            continue
        if span[1] <= settled:
            matched_source.update(places)
        for at, to in places[:_OCCURRENCES]:
            yield Match(at, to, *span)
    yield from _fragments(Folded(source), unmatched, give_way)
    rest = [
        (span, folded)
        for folded, places in source_sentences.items()
        for span in places
        if span not in matched_source and span[1] > min(start, settled)
    ]
    yield from (
        Match(*span, match.source_start, match.source_end)
        for match in _fragments(Folded(text), rest, give_way)
        for span in ((match.start, match.end),)
    )


def _sentences_by_span(text: str) -> Iterator[tuple[Range, str]]:
    """Sentences without the marks they end in, so that one that now ends in `;` is still the same."""
    for start, end in sentence_spans(text):
        end = start + len(text[start:end].rstrip(_ENDS + " "))
        yield (start, end), fold(text[start:end])


def _sentences(text: str, give_way: Callable[[], None]) -> dict[str, list[Range]]:
    found: dict[str, list[Range]] = {}
    for span, folded in _sentences_by_span(text):
        give_way()
        found.setdefault(folded, []).append(span)
    return found


def _fragments(
    whole: Folded, sentences: list[tuple[Range, str]], give_way: Callable[[], None]
) -> Iterator[Match]:
    """Yield where sentences stand inside others of `whole`: `whole`'s place first, the sentence's second."""
    if not sentences or not whole.folded:
        return
    within = whole.folded
    affordable = max(200, _SCAN_LIMIT // len(within))
    wanted = [pair for pair in sentences if len(pair[1]) >= _SHORTEST]
    # Wherever a sentence stands, it is made of grams of every gram-th place, from one of its first on.
    gram = _SHORTEST // 2
    grams: set[str] | None = None
    if len(wanted) * len(within) > _SCAN_LIMIT // 100:
        grams = {within[at : at + gram] for at in range(0, len(within), gram)}
    for span, folded in wanted:
        give_way()
        if grams is not None and not _made_of(folded, grams, gram):
            continue
        if affordable <= 0:
            return
        affordable -= 1
        at = within.find(folded)
        for _ in range(_OCCURRENCES):
            if at < 0:
                break
            yield Match(*whole.span(at, at + len(folded)), *span)
            at = within.find(folded, at + len(folded))


def _made_of(sentence: str, grams: set[str], gram: int) -> bool:
    last = len(sentence) - gram + 1
    return any(
        all(sentence[at : at + gram] in grams for at in range(first, last, gram)) for first in range(gram)
    )


def _divided(match: Match, b: int) -> tuple[Match | None, Match | None]:
    """A match of the proposal, parted at the boundary; in the source only where the lengths agree."""
    if match.end <= b:
        return match, None
    if match.start >= b:
        return None, match
    if match.end - match.start != match.source_end - match.source_start:
        return None, Match(match.source_start, match.source_end, b, match.end)
    at = match.source_start + b - match.start
    return Match(match.source_start, at, match.start, b), Match(at, match.source_end, b, match.end)


def _cut_in_source(source: str, found: list[Match], proposal: str, b: int) -> int | None:
    """Where the cut falls in the source: inside a match, else at the end or beginning of one beside it."""
    for match in found:
        same = match.end - match.start == match.source_end - match.source_start
        if match.start < b < match.end and same:
            return match.source_start + b - match.start
    for match in found:
        if match.end <= b and not _WORD.search(proposal, match.end, b):
            # Behind the marks that both texts have before it.
            gap = b - match.end
            return match.source_end + _common_prefix(
                source[match.source_end :][:gap], proposal[match.end : b]
            )
    for match in found:
        if match.start >= b and not _WORD.search(proposal, b, match.start):
            return match.source_start
    return None


def _common_prefix(one: str, other: str) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _united(text: str, ranges: Iterable[Range], cut: int | None = None) -> list[Range]:
    """Ranges in order, with the marks that follow, but for the one that the cut ends.

    Those are joined that have no letter or digit between them.
    """
    united: list[Range] = []
    for start, end in sorted(ranges):
        while end < len(text) and end != cut and text[end] in _ENDS:
            end += 1
        if united and (start <= united[-1][1] or not _WORD.search(text, united[-1][1], start)):
            united[-1] = (united[-1][0], max(united[-1][1], end))
        else:
            united.append((start, end))
    return united


def _without(ranges: list[Range], taken: list[Range]) -> Iterator[Range]:
    """Yield what of `ranges` is not in `taken`; both ordered and apart."""
    ends = [end for _, end in taken]
    for start, end in ranges:
        for low, high in taken[bisect_right(ends, start) :]:
            if low >= end:
                break
            if low > start:
                yield start, low
            start = max(start, high)
        if start < end:
            yield start, end


def _nearest(places: list[tuple[int, int, int, int]], offset: int) -> int | None:
    if not places:
        return None
    at = bisect_right(places, (offset, float("inf"), 0, 0)) - 1
    candidates = [places[k] for k in (at, at + 1) if 0 <= k < len(places)]
    start, end, other, other_end = min(candidates, key=lambda p: max(p[0] - offset, offset - p[1], 0))
    if offset <= start:
        return other
    return min(other + offset - start, other_end) if offset < end else other_end
