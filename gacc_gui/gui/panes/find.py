"""Finding a text in the panes: case, forms and white space folded, in the stored text, not the widget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gacc_gui.core.folding import Folded, fold

CAP: Final = 10_000
"""Hits that are marked in one text; more are not looked for."""


@dataclass(frozen=True, slots=True)
class Hits:
    """Where a needle stands, as code points [start, end) in order. `capped`: there are more."""

    spans: tuple[tuple[int, int], ...] = ()
    capped: bool = False

    @property
    def count(self) -> str:
        """The number of hits in words: `12`, or `10,000+`."""
        return f"{len(self.spans):,}{'+' if self.capped else ''}"


def find_hits(haystack: Folded, needle: str, cap: int = CAP) -> Hits:
    """All places of `needle`, apart from each other, at most `cap`. An empty needle is nowhere."""
    folded = fold(needle)
    if not folded:
        return Hits()
    spans: list[tuple[int, int]] = []
    at = haystack.folded.find(folded)
    while at >= 0:
        if len(spans) >= cap:
            return Hits(tuple(spans), capped=True)
        span = haystack.span(at, at + len(folded))
        # Two places of the folded text can lie within one character: ﬁ holds an f and an i.
        if not spans or span[0] >= spans[-1][1]:
            spans.append(span)
        at = haystack.folded.find(folded, at + len(folded))
    return Hits(tuple(spans))
