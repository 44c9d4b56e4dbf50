"""Which evidence survives at another budget L', from the stored proposal alone: no call, no accuracy.

The compressor knew its budget; another one might have made it write something else. Owns the curve that the
budget slider moves along. Everything is found once, so that a step of the slider is a few comparisons.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from gacc_gui.core.boundary import REPLACEMENT
from gacc_gui.core.budget import whole_number
from gacc_gui.core.causes import ABSENT, OMITTED, RETAINED, UNLOCATED
from gacc_gui.core.errors import CodecUnavailable
from gacc_gui.core.evidence import Haystack, Piece, Pieces, better, place, question_fate
from gacc_gui.core.tokens import Codec

_CONTINUATION: Final = bytes(range(0x80, 0xC0))


class TokenOffsets:
    """Where each token of a text ends, in code points.

    Raises CodecUnavailable for a codec whose tokens do not add up to the text.
    """

    __slots__ = ("_characters", "_split", "tokens")

    def __init__(self, codec: Codec, text: str) -> None:
        data = text.encode("utf-8", "surrogatepass")
        pieces = codec.token_bytes(codec.encode(text))
        self.tokens = len(pieces)
        self._characters = array("q", [0])
        self._split = bytearray(1)
        at = begun = 0
        for piece in pieces:
            at += len(piece)
            begun += len(piece.translate(None, _CONTINUATION))
            inside = at < len(data) and 0x80 <= data[at] < 0xC0
            if inside and text[begun - 1] == REPLACEMENT:
                inside = False  # decoding gives U+FFFD for its first bytes, which is what the text has there
            self._characters.append(begun - inside)
            self._split.append(inside)
        if at != len(data):
            raise CodecUnavailable(f"{codec.name} does not give back the text that it was given")

    def boundary(self, budget: int) -> tuple[int, bool]:
        """Return (b, whether the character at b is split) for a budget in tokens."""
        at = min(budget, self.tokens)
        return self._characters[at], bool(self._split[at])

    def smallest_budget(self, end: int) -> int | None:
        """Return the least budget that retains the first `end` code points, or None."""
        at = bisect_left(self._characters, end)
        return at if at <= self.tokens else None


@dataclass(frozen=True, slots=True)
class Survival:
    """What a budget retains of a goal's evidence."""

    budget: int
    characters: int
    splits_character: bool
    fates: tuple[str, ...]
    """Per question, in the order given."""

    @property
    def retained(self) -> int:
        """Questions whose evidence survives."""
        return self.fates.count(RETAINED)

    @property
    def all_retained(self) -> bool | None:
        """Whether all evidence that there is survives; None where there is none to look for."""
        located = [fate for fate in self.fates if fate != UNLOCATED]
        return all(fate == RETAINED for fate in located) if located else None


class SurvivalCurve:
    """A proposal's evidence over all budgets.

    `questions` are the pieces of each question (see `core.evidence.pieces_of`), in an order that the answers
    keep. Budgets are tokens of `codec`.
    """

    def __init__(self, codec: Codec, proposed: str, questions: Sequence[Pieces]) -> None:
        haystack = Haystack(proposed)
        self.offsets = TokenOffsets(codec, proposed)
        self._questions = tuple(questions)
        self._spans = [[_first_spans(haystack, piece) for piece in pieces.pieces] for pieces in questions]
        self._absent = [[not piece.in_source for piece in pieces.pieces] for pieces in questions]

    @property
    def tokens(self) -> int:
        """Tokens of the proposal: no larger budget retains more."""
        return self.offsets.tokens

    def at(self, budget: int) -> Survival:
        """Return what a budget retains. Raises BadUsage unless it is an int of at least 0."""
        whole_number(budget, "a budget")
        b, split = self.offsets.boundary(budget)
        fates = tuple(
            question_fate(
                pieces,
                (
                    ABSENT if gone else better(OMITTED, *(place(*span, b, split) for span in spans))
                    for spans, gone in zip(places, absent, strict=True)
                ),
            )
            for pieces, places, absent in zip(self._questions, self._spans, self._absent, strict=True)
        )
        return Survival(budget, b, split, fates)

    def smallest_budgets(self) -> tuple[int | None, ...]:
        """Return, per question, the least budget at which its evidence survives; None where none does."""
        return tuple(
            self._smallest(pieces, places, absent)
            for pieces, places, absent in zip(self._questions, self._spans, self._absent, strict=True)
        )

    def smallest_budget_for_all(self) -> int | None:
        """Return the least budget at which all evidence survives; None where none does or there is none."""
        located = [
            smallest
            for smallest, pieces in zip(self.smallest_budgets(), self._questions, strict=True)
            if pieces.pieces
        ]
        if not located or None in located:
            return None
        return max(smallest for smallest in located if smallest is not None)

    def _smallest(
        self, pieces: Pieces, places: Iterable[Sequence[tuple[int, int]]], absent: Iterable[bool]
    ) -> int | None:
        found: list[int | None] = []
        for spans, gone in zip(places, absent, strict=True):
            ends = [end for _, end in spans]
            found.append(self.offsets.smallest_budget(min(ends)) if ends and not gone else None)
        reachable = [budget for budget in found if budget is not None]
        if not reachable or (pieces.all_needed and len(reachable) < len(found)):
            return None
        return max(reachable) if pieces.all_needed else min(reachable)


def _first_spans(haystack: Haystack, piece: Piece) -> list[tuple[int, int]]:
    """Return a piece's first exact and first folded occurrence: of each kind, no other fares better."""
    spans = []
    at = haystack.first_exact(piece.text)
    if at >= 0:
        spans.append((at, at + len(piece.text)))
    folded = haystack.first_folded(piece.folded)
    if folded is not None and folded not in spans:
        spans.append(folded)
    return spans
