"""Parts of a long text around the places that matter, with these places in the part. No Qt here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

WHOLE: Final = 1_600
"""Code points up to which a text is shown whole."""
AROUND: Final = 220
"""Code points before and behind a place."""
MOST: Final = 12
"""Places that are shown."""
GAP: Final = "\n ⋯ \n"


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """Code points [start, end) of a text that are evidence of this fate."""

    start: int
    end: int
    fate: str


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What is shown of a text, with the marks in it, and whether it is all of the text."""

    text: str
    marks: tuple[Mark, ...] = ()
    whole: bool = True


def excerpt(text: str, marks: Sequence[Mark]) -> Excerpt:
    """Return the text around its marks, or its beginning where there are none."""
    kept = sorted(mark for mark in marks if 0 <= mark.start < mark.end <= len(text))
    if len(text) <= WHOLE:
        return Excerpt(text, tuple(kept))
    if not kept:
        end = _edge(text, WHOLE)
        return Excerpt(text[:end] + GAP.rstrip("\n"), (), False)
    kept = kept[:MOST]
    stretches: list[tuple[int, int]] = []
    for mark in kept:
        start, end = _edge(text, mark.start - AROUND), _edge(text, mark.end + AROUND)
        if stretches and start <= stretches[-1][1] + len(GAP):
            stretches[-1] = (stretches[-1][0], max(stretches[-1][1], end))
        else:
            stretches.append((start, end))
    parts = [GAP.lstrip("\n")] if stretches[0][0] else []
    placed = []
    for place, (start, end) in enumerate(stretches):
        if place:
            parts.append(GAP)
        before = sum(map(len, parts))
        placed += [
            Mark(mark.start - start + before, mark.end - start + before, mark.fate)
            for mark in kept
            if start <= mark.start and mark.end <= end
        ]
        parts.append(text[start:end])
    if stretches[-1][1] < len(text):
        parts.append(GAP.rstrip("\n"))
    return Excerpt("".join(parts), tuple(placed), False)


def _edge(text: str, place: int) -> int:
    """Return a place near this one that splits no word, or this one where there is no space near."""
    if place <= 0:
        return 0
    if place >= len(text):
        return len(text)
    space = text.rfind(" ", max(0, place - 24), place)
    return place if space < 0 else space + 1
