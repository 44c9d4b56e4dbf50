"""What a question's evidence needs: the least budget of a stored proposal, and its place in the source.

The same law as `survival`, for thousands of memories at a time: no step of a slider is prepared, only the
least budgets are found. Owns nothing of charts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from gacc_gui.core.boundary import REPLACEMENT
from gacc_gui.core.errors import CodecUnavailable
from gacc_gui.core.evidence import Haystack, Piece, Pieces
from gacc_gui.core.records import Cell
from gacc_gui.core.survival import SurvivalCurve
from gacc_gui.core.tokens import Codec

DECILES: Final = 10


@dataclass(frozen=True, slots=True)
class MemoryNeeds:
    """A memory, and per question that has evidence to look for the least budget that keeps it.

    `needs` in tokens, None where no budget of this proposal does; `unlocated` questions have none to look
    for and stand in no figure.
    """

    cell: Cell
    budget: int | None
    source_tokens: int
    needs: tuple[int | None, ...]
    unlocated: int
    memory: str
    """The memory's id."""
    questions: tuple[str, ...]
    """The id of each question that `needs` tells of."""

    @property
    def all_need(self) -> int | None:
        """The least budget that keeps all of it; None where none does. Only with something to look for."""
        highest = 0
        for need in self.needs:
            if need is None:
                return None
            highest = max(highest, need)
        return highest


def least_budgets(
    codec: Codec, proposed: str, questions: Sequence[Pieces], proposal: Haystack | None = None
) -> tuple[int | None, ...]:
    """Return, per question, the least budget in tokens at which its evidence survives; None where none does.

    Equal to `SurvivalCurve(codec, proposed, questions).smallest_budgets()`. Raises CodecUnavailable for a
    codec whose tokens do not add up to the text.
    """
    if REPLACEMENT in proposed:
        # Whether a token ends inside a character then depends on what the text itself says.
        return SurvivalCurve(codec, proposed, questions).smallest_budgets()
    haystack = Haystack(proposed) if proposal is None else proposal
    ends = [_needed_end(haystack, pieces) for pieces in questions]
    if not any(ends):
        return (None,) * len(ends)
    data = proposed.encode("utf-8", "surrogatepass")
    is_ascii = len(data) == len(proposed)
    reached = list(accumulate(map(len, codec.token_bytes(codec.encode(proposed)))))
    if not reached or reached[-1] != len(data):
        raise CodecUnavailable(f"{codec.name} does not give back the text that it was given")

    def budget(end: int) -> int:
        at = end if is_ascii else len(proposed[:end].encode("utf-8", "surrogatepass"))
        return bisect_left(reached, at) + 1

    return tuple(None if end is None else budget(end) for end in ends)


def _needed_end(haystack: Haystack, pieces: Pieces) -> int | None:
    """Return how many code points of the proposal a question needs; None where no number is enough."""
    found = [_first_end(haystack, piece) for piece in pieces.pieces]
    reachable = [end for end in found if end is not None]
    if not reachable or (pieces.all_needed and len(reachable) < len(found)):
        return None
    return max(reachable) if pieces.all_needed else min(reachable)


def _first_end(haystack: Haystack, piece: Piece) -> int | None:
    if not piece.in_source:
        return None
    at = haystack.first_exact(piece.text)
    folded = haystack.first_folded(piece.folded)
    ends = [end for end in (at + len(piece.text) if at >= 0 else None, folded and folded[1]) if end]
    return min(ends, default=None)


def place_in_source(pieces: Pieces, source: Haystack) -> float | None:
    """Return where a question's evidence lies in its source, from 0 (beginning) to 1; None if it does not.

    The middle of a piece; of several that are all needed their mean, of alternatives the first one.
    Given spans count where they are, other pieces where they first occur, references at word boundaries.
    """
    length = len(source.text)
    spans = [span for piece in pieces.pieces if (span := _span(pieces, piece, source)) is not None]
    if not spans or not length or (pieces.all_needed and len(spans) < len(pieces.pieces)):
        return None
    middles = [(start + end) / 2 / length for start, end in spans]
    return sum(middles) / len(middles) if pieces.all_needed else min(middles)


def _span(pieces: Pieces, piece: Piece, source: Haystack) -> tuple[int, int] | None:
    if piece.source_span is not None:
        return piece.source_span.start, piece.source_span.end
    if not piece.in_source:
        return None
    if pieces.all_needed:
        at = source.first_exact(piece.text)
        return (at, at + len(piece.text)) if at >= 0 else source.first_folded(piece.folded)
    return next(source.at_words(piece.text, piece.folded), None)


def decile(place: float) -> int:
    """Return which tenth of the source a place is in, 0 to 9."""
    return min(DECILES - 1, int(place * DECILES))


@dataclass(frozen=True, slots=True)
class Places:
    """Questions of some contexts by the tenth of the source that their evidence lies in."""

    deciles: Mapping[int, int]
    """Tenth by the key of the question."""
    ids: Sequence[tuple[int, str]]
    """Tenth and id of each question that has a place."""
    not_placed: int
