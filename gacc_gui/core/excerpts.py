"""Stretches of a long text that are worth showing: around what is marked in it, with the rest counted.

Owns which stretches they are and how marks divide them. How a part looks is for whoever shows it. Places are
half-open, in code points of the text. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

PLAIN: Final = "plain"
LEFT_OUT: Final = "left out"
HIDDEN: Final = "hidden"
CUT: Final = "the cut"


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a text and what is there: a fate, or what else the reader of the excerpt knows."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of an excerpt. `kind`: a mark's, or one of the names above.

    Of LEFT_OUT, `characters` says how many are missing and there is no text; CUT has neither; of HIDDEN there
    is no text, as it must not be shown.
    """

    text: str
    kind: str = PLAIN
    characters: int = 0


Place = tuple[int, int]


def windows(length: int, around: Iterable[Place], reach: int, most: int) -> list[Place]:
    """Return the stretches within `reach` of some places, joined where they touch, in order.

    Of more than `most`, the first are returned.
    """
    found: list[Place] = []
    for start, end in sorted((max(0, start - reach), min(length, end + reach)) for start, end in around):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        elif start < end:
            found.append((start, end))
    return found[:most]


def parts(
    text: str,
    shown: Sequence[Place],
    marks: Iterable[Mark] = (),
    hidden: Iterable[Place] = (),
    cut: int | None = None,
) -> tuple[Part, ...]:
    """Return what stands in some stretches of a text, and between them how much was left out.

    Of marks that overlap, the first given is seen. `hidden` is never shown, whatever else is there. `cut`
    is where a CUT part stands: it divides what it falls into.
    """
    length = len(text)
    marks, hidden = list(marks), list(hidden)
    edges = {0, length, *(edge for place in (*shown, *hidden) for edge in place)}
    edges.update(edge for mark in marks for edge in (mark.start, mark.end))
    if cut is not None:
        edges.add(cut)
    ordered = sorted(edge for edge in edges if 0 <= edge <= length)
    found: list[Part] = []
    for start, end in zip(ordered, [*ordered[1:], length], strict=True):
        if start == cut:
            found.append(Part("", CUT))
        if start == end:
            continue
        if not any(begin <= start and end <= stop for begin, stop in shown):
            part = Part("", LEFT_OUT, end - start)
        elif any(begin <= start and end <= stop for begin, stop in hidden):
            part = Part("", HIDDEN)
        else:
            kind = next((mark.kind for mark in marks if mark.start <= start and end <= mark.end), PLAIN)
            part = Part(text[start:end], kind)
        if found and found[-1].kind == part.kind:
            last = found.pop()
            part = Part(last.text + part.text, part.kind, last.characters + part.characters)
        found.append(part)
    return tuple(found)


def capped(text: str, most: int) -> tuple[str, int]:
    """Return at most `most` characters of a text, and how many were left out."""
    return text[:most], max(0, len(text) - most)
