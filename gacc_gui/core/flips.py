"""How a question's verdict goes as the budget grows: the same throughout, turned right once, or lost again.

Owns the law. A series is one goal under one compressor, revision, condition, generation and repeat, ordered
by ratio; rows without a verdict say nothing. Which units are in a series is the store's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from gacc_gui.core.causes import CORRECT, LETTERS, NO_VERDICT

STEADY: Final = "none"
MONOTONE: Final = "monotone"
NONMONOTONE: Final = "nonmonotone"
FLIPS: Final = (STEADY, MONOTONE, NONMONOTONE)
"""`none`: no question changes; `monotone`: some turn from wrong to right, none back; `nonmonotone`: some
question is right at a smaller budget and wrong at a larger one."""

_RIGHT: Final = LETTERS[CORRECT]
_SILENT: Final = LETTERS[NO_VERDICT]

Masks = tuple[int, int]
"""Bit sets of the questions that are right, and of those that are wrong."""


def masks(strip: str) -> Masks:
    """Return which questions of a strip are right and which are wrong, as bits; bit 0 is the first."""
    right = wrong = 0
    for place, letter in enumerate(strip):
        if letter == _RIGHT:
            right |= 1 << place
        elif letter != _SILENT:
            wrong |= 1 << place
    return right, wrong


def turned(steps: Iterable[tuple[int, Masks]]) -> Masks:
    """Return which questions are lost at a larger budget, and which are gained, as bits.

    `steps` are (rank of the ratio, masks), ascending; those of one rank are not compared with each other.
    """
    right_before = wrong_before = right_here = wrong_here = lost = gained = 0
    rank = -1
    for at, (right, wrong) in steps:
        if at != rank:
            right_before |= right_here
            wrong_before |= wrong_here
            right_here = wrong_here = 0
            rank = at
        lost |= right_before & wrong
        gained |= wrong_before & right
        right_here |= right
        wrong_here |= wrong
    return lost, gained
