"""Where the tokens of a text begin, and every other one of them to be shaded near the view. No Qt here."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from typing import Final

from gacc_gui.core.tokens import Codec
from gacc_gui.gui.panes.spans import TOKEN, Span

_CONTINUATION: Final = bytes(range(0x80, 0xC0))

LONGEST: Final = 20_000_000
"""Code points of the longest text whose tokens are found."""


def token_starts(codec: Codec, text: str) -> array[int]:
    """The code point at which each token begins, ascending, then the text's length.

    A token that begins inside a character begins at the next one, as far as can be drawn.
    """
    starts = array("q")
    at = 0
    for token in codec.token_bytes(codec.encode(text)):
        starts.append(at)
        at += len(token.translate(None, _CONTINUATION))
    starts.append(len(text))
    return starts


def shaded(starts: array[int], start: int, end: int, shift: int = 0) -> list[Span]:
    """Every other token that touches code points [start, end) of a pane; it begins at `shift` of the text."""
    low = max(0, bisect_right(starts, start + shift) - 2)
    high = min(len(starts) - 1, bisect_left(starts, end + shift) + 1)
    return [
        Span(max(starts[at] - shift, 0), starts[at + 1] - shift, TOKEN, f"token {at + 1:,}")
        for at in range(low | 1, high, 2)
        if starts[at + 1] > max(starts[at], shift)
    ]
