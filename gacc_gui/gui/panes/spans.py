"""Marked stretches of a text, by role and layer: what is to be painted where, without saying how.

A span is half-open, in code points of the pane's text. Roles are names that `painting` has a style for;
a memory of kept and dropped groups marks itself with the same means. No Qt here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

LAYERS: Final = ("survival", "other", "evidence", "token", "hint", "find", "find-current", "cut", "tried")
"""From the bottom to the top."""

GONE: Final = "gone"
TAIL_ONLY: Final = "tail-only"
KEPT_GROUP: Final = "kept-group"
DROPPED_GROUP: Final = "dropped-group"
TOKEN: Final = "token"
FIND: Final = "find"
FIND_CURRENT: Final = "find-current"
HINT: Final = "hint"
CUT_HERE: Final = "cut-here"
CUT_TRIED: Final = "cut-tried"
MARK: Final = "mark"
ONLY_HERE: Final = "only-here"
ONLY_THERE: Final = "only-there"
"""Of a text that is compared with another: what the other lacks, and where the other has more."""


def evidence_role(fate: str) -> str:
    """The role of a chosen question's evidence with this fate."""
    return f"evidence:{fate}"


def other_role(fate: str) -> str:
    """The role of another question's evidence with this fate."""
    return f"other:{fate}"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Code points [start, end) of a text, and what they are. `note` is told under a resting pointer."""

    start: int
    end: int
    role: str
    note: str = ""


def joined(spans: Iterable[Span]) -> list[Span]:
    """Spans in order, those of one role that touch as one without a note: they are painted alike."""
    whole: list[Span] = []
    for span in spans:
        last = whole[-1] if whole else None
        if last and last.role == span.role and last.start < last.end and last.start <= span.start <= last.end:
            if last.end < span.end:
                whole[-1] = Span(last.start, span.end, span.role)
        else:
            whole.append(span)
    return whole


def _place(span: Span) -> tuple[int, int]:
    return span.start, span.end


class Layer:
    """Spans in order, to be asked for those near the view. They may overlap."""

    def __init__(self, spans: Iterable[Span] = ()) -> None:
        # By a key: the comparisons of a dataclass take ten times as long.
        self.spans = sorted(spans, key=_place)
        self._starts = [span.start for span in self.spans]
        self._reach = list(accumulate((span.end for span in self.spans), max))

    def within(self, start: int, end: int) -> list[Span]:
        """The spans that touch code points [start, end), in order; an empty span touches where it stands."""
        at = bisect_left(self._starts, max(end, start + 1))
        found = []
        while at > 0 and self._reach[at - 1] >= start:
            at -= 1
            span = self.spans[at]
            if span.end > start or (span.start == span.end == start):
                found.append(span)
        found.reverse()
        return found


def notes_at(layers: Mapping[str, Layer], offset: int) -> list[str]:
    """What is told of the code point at `offset`, the topmost layer's first."""
    return [
        span.note
        for name in reversed(LAYERS)
        if name in layers
        for span in layers[name].within(offset, offset + 1)
        if span.note
    ]
