"""How a question's verdict goes as the budget grows: the same throughout, turned right once, or lost again.

Owns the law. A series is one goal under one compressor, revision, condition, generation and repeat, ordered
by ratio; rows without a verdict, or with a hidden one, say nothing. Which units are in a series is the
store's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from gacc_gui.core.causes import CORRECT, LETTERS, NO_VERDICT, VEIL

STEADY: Final = "none"
MONOTONE: Final = "monotone"
NONMONOTONE: Final = "nonmonotone"
FLIPS: Final = (STEADY, MONOTONE, NONMONOTONE)
"""`none`: no question changes; `monotone`: some turn from wrong to right, none back; `nonmonotone`: some
question is right at a smaller budget and wrong at a larger one."""

_RIGHT: Final = LETTERS[CORRECT]
_SILENT: Final = (LETTERS[NO_VERDICT], VEIL)

Masks = tuple[int, int]
"""Bit sets of the questions that are right, and of those that are wrong."""


def masks(strip: str) -> Masks:
    """Return which questions of a strip are right and which are wrong, as bits; bit 0 is the first."""
    right = wrong = 0
    for place, letter in enumerate(strip):
        if letter == _RIGHT:
            right |= 1 << place
        elif letter not in _SILENT:
            wrong |= 1 << place
    return right, wrong


def turned(
    steps: Iterable[Sequence[tuple[int, str]]], before: Mapping[str, int], after: Mapping[str, int]
) -> set[int]:
    """Return the series in which a question that is in `before` at a budget is in `after` at a larger one.

    `steps` are the series and strips of each ratio, ascending; those of one ratio are not compared with each
    other. `before` and `after` are bit sets of questions by strip: right then wrong is lost, wrong then right
    gained. All series side by side, as a run has ten thousand of them.
    """
    found: set[int] = set()
    so_far: dict[int, int] = {}
    for step in steps:
        if so_far:
            found.update(series for series, strip in step if so_far.get(series, 0) & after[strip])
        for series, strip in step:
            so_far[series] = so_far.get(series, 0) | before[strip]
    return found
