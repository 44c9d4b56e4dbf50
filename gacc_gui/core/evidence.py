"""Evidence: which pieces a question needs, where they are, and what the cut did to them.

Owns FORMATS.md's “Pieces”, “Found” and “Fate”. Causes and flags of rows are `core.causes`, whole memories
`core.analysis`. Spans are half-open, in code points of the stored text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from gacc_gui.core.boundary import boundary_place
from gacc_gui.core.causes import ABSENT, CUT, FATES, OMITTED, RETAINED, TAIL, UNLOCATED, normal_answer
from gacc_gui.core.folding import Folded, fold
from gacc_gui.core.records import Json, Question
from gacc_gui.core.words import is_word_boundary, next_word_boundary

_SHORTEST_REFERENCE: Final = 3
_NO_REFERENCE: Final = frozenset({"yes", "no"})
_RANK: Final = {fate: rank for rank, fate in enumerate(FATES)}


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Half-open, in code points."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A text to look for, with its folded form."""

    text: str
    folded: str
    in_source: bool
    source_span: Span | None = None
    """Where given evidence says it is; None for quotes and references."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """What a question needs: every piece (given evidence), or any one (references)."""

    kind: Literal["evidence", "references"]
    pieces: tuple[Piece, ...]

    @property
    def all_needed(self) -> bool:
        """Whether all pieces are needed; else each is an alternative."""
        return self.kind == "evidence"


class Haystack:
    """A text that is searched exactly and folded. Folding is done at most once, when first needed."""

    __slots__ = ("_folded", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._folded: Folded | None = None

    @property
    def folded(self) -> Folded:
        """The folded text with its map back."""
        if self._folded is None:
            self._folded = Folded(self.text)
        return self._folded

    def contains(self, text: str, folded: str) -> bool:
        """Whether a piece occurs, exactly or folded. The empty piece occurs nowhere."""
        return bool(text) and (text in self.text or folded in self.folded.folded)

    def first_exact(self, text: str) -> int:
        """Return where `text` first occurs exactly, or -1."""
        return self.text.find(text) if text else -1

    def first_folded(self, folded: str) -> tuple[int, int] | None:
        """Return the first folded occurrence as (start, end) of the original text, or None."""
        if not folded:
            return None
        found = self.folded
        at = found.folded.find(folded)
        return None if at < 0 else found.span(at, at + len(folded))

    def occurrences(self, text: str, folded: str) -> Iterator[tuple[int, int]]:
        """Yield every exact occurrence, then every folded one that is no exact one; overlapping too."""
        if not text:
            return
        seen = set()
        at = self.text.find(text)
        while at >= 0:
            seen.add((at, at + len(text)))
            yield at, at + len(text)
            at = self.text.find(text, at + 1)
        whole = self.folded
        at = whole.folded.find(folded)
        while at >= 0:
            span = whole.span(at, at + len(folded))
            if span not in seen:
                seen.add(span)
                yield span
            at = whole.folded.find(folded, at + 1)

    def at_words(self, text: str, folded: str) -> Iterator[tuple[int, int]]:
        """Yield the occurrences between word boundaries: exact ones, then folded ones that are no exact ones.

        What is looked for may stand at every place of one long word: the search goes on at the next
        boundary, where the next of these can begin.
        """
        if not text:
            return
        source = self.text
        seen = set()
        at = source.find(text)
        while at >= 0:
            end = at + len(text)
            if is_word_boundary(source, at) and is_word_boundary(source, end):
                seen.add((at, end))
                yield at, end
            at = source.find(text, next_word_boundary(source, at + 1))
        whole = self.folded
        at = whole.folded.find(folded)
        while at >= 0:
            start, end = span = whole.span(at, at + len(folded))
            if is_word_boundary(source, start) and is_word_boundary(source, end) and span not in seen:
                seen.add(span)
                yield span
            if not is_word_boundary(source, start):
                at = whole.place(next_word_boundary(source, start), at + 1) - 1
            at = whole.folded.find(folded, at + 1)

    def find_all(self, text: str, folded: str | None = None, limit: int | None = None) -> list[Span]:
        """Return all occurrences of `text`, exact or folded, by position; at most `limit` are looked for."""
        spans: list[Span] = []
        for start, end in self.occurrences(text, fold(text) if folded is None else folded):
            spans.append(Span(start, end))
            if limit is not None and len(spans) >= limit:
                break
        return sorted(spans)


def pieces_of(question: Question, source: Haystack) -> Pieces:
    """Return the pieces a question needs, as FORMATS.md's “Pieces” says."""
    if question.evidence:
        found = tuple(_given_piece(item, source) for item in question.evidence)
        return Pieces("evidence", found)
    usable = (_reference_piece(reference, source) for reference in question.references or ())
    return Pieces("references", tuple(piece for piece in usable if piece is not None))


def _given_piece(item: Json, source: Haystack) -> Piece:
    """Return the piece of a span or a quote. What is neither, or points outside the source, is absent."""
    if not isinstance(item, dict) and not hasattr(item, "get"):
        return Piece("", "", in_source=False)
    start, end, quote = item.get("start"), item.get("end"), item.get("quote")
    if start is not None or end is not None:
        if type(start) is int and type(end) is int and 0 <= start < end <= len(source.text):
            text = source.text[start:end]
            return Piece(text, fold(text), in_source=True, source_span=Span(start, end))
        if not isinstance(quote, str):
            return Piece("", "", in_source=False)
    if not isinstance(quote, str) or not quote:
        return Piece("", "", in_source=False)
    folded = fold(quote)
    return Piece(quote, folded, in_source=source.contains(quote, folded))


def _reference_piece(reference: str, source: Haystack) -> Piece | None:
    """Return the piece of a reference, or None where it may not serve as one."""
    if len(reference) < _SHORTEST_REFERENCE or normal_answer(reference) in _NO_REFERENCE:
        return None
    folded = fold(reference)
    if not source.contains(reference, folded):
        return None
    is_there = any(True for _ in source.at_words(reference, folded))
    return Piece(reference, folded, in_source=True) if is_there else None


class MemoryTexts:
    """The stored texts of a memory, ready for looking up fates. A missing text counts as empty.

    `boundary_known` is False when the retained text is no prefix of the proposal; only then is
    `stored_retained` there to be searched.
    """

    __slots__ = ("_b", "_split", "boundary_known", "proposal", "stored_retained")

    def __init__(self, proposed: str | None, retained: str | None, proposal: Haystack | None = None) -> None:
        """`proposal` is the proposed text as a haystack, where there is one."""
        self.proposal = Haystack(proposed or "") if proposal is None else proposal
        at = None
        if retained is not None or proposed is None:
            at = boundary_place(self.proposal.text, retained or "")
        self.boundary_known = at is not None
        self._b, self._split = at or (0, False)
        self.stored_retained: Haystack | None = None if at else Haystack(retained or "")

    def fate(self, piece: Piece) -> str:
        """Return what became of a piece: the best of its occurrences."""
        if not piece.in_source:
            return ABSENT
        if self.stored_retained is not None:
            if self.stored_retained.contains(piece.text, piece.folded):
                return RETAINED
            return TAIL if self.proposal.contains(piece.text, piece.folded) else OMITTED
        if self.proposal.text.isascii() and piece.folded not in self.proposal.folded.folded:
            return OMITTED  # in ASCII, what stands there exactly stands there folded
        # Occurrences of one kind all have their starts and ends in one order: the first is the best.
        at = self.proposal.text.find(piece.text)
        exact = OMITTED if at < 0 else self.place(at, at + len(piece.text))
        if exact == RETAINED:
            return exact
        span = self.proposal.first_folded(piece.folded)
        if span is None:
            return exact
        folded = self.place(*span)
        return better(exact, folded)

    def place(self, start: int, end: int) -> str:
        """Return on which side of the boundary [start, end) of the proposal lies."""
        return place(start, end, self._b, self._split)


def place(start: int, end: int, boundary: int, split: bool) -> str:
    """Return `retained`, `cut` or `tail` for [start, end); `split`: the boundary's character is split."""
    if end <= boundary:
        return RETAINED
    if start < boundary + split:
        return CUT
    return TAIL


def better(*fates: str) -> str:
    """Return the best of some fates."""
    return min(fates, key=_RANK.__getitem__)


def question_fate(pieces: Pieces, fates: Iterable[str]) -> str:
    """Return the fate of a question from its pieces': the worst of evidence, the best of alternatives."""
    ranked = sorted(fates, key=_RANK.__getitem__)
    if not ranked:
        return UNLOCATED
    return ranked[-1] if pieces.all_needed else ranked[0]
