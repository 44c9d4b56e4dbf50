"""Sentences, found with a ruler and no grammar: good enough to count and to mark, never to decide a fate.

A sentence ends at a line break, at `.`, `!`, `?`, `…` or `;` before white space or the end, and at the
full-width marks wherever they stand. White space around it is not part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_END: Final = re.compile(
    r"[.!?…;][.!?…]*[\"'”’»)\]]*(?=\s|\Z)|[。！？；｡．][。！？；｡．”’」』）]*|[\r\n\u2028\u2029]+"
)
_END_MARKS: Final = ".!?…;。！？；｡． "
_REACH: Final = 2_000
"""How far around a cut its sentence is looked for."""


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each sentence with a letter or a digit, in order, without outer white space."""
    start = 0
    for match in _END.finditer(text):
        span = _trim(text, start, match.end())
        if span is not None:
            yield span
        start = match.end()
    span = _trim(text, start, len(text))
    if span is not None:
        yield span


def bare_sentence(sentence: str) -> str:
    """Return a sentence without its end marks: a compressor that joins extracts may change them."""
    return sentence.rstrip(_END_MARKS)


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    bare = piece.strip()
    if not bare or not (bare.isalnum() or any(map(str.isalnum, bare))):
        return None
    start += len(piece) - len(piece.lstrip())
    return start, start + len(bare)


def splits_sentence(text: str, position: int) -> bool:
    """Whether a cut at `position` falls inside a sentence, one that goes on behind it."""
    if not 0 < position < len(text):
        return False
    offset = max(0, position - _REACH)
    window = text[offset : position + _REACH]
    inside = position - offset
    return any(start < inside < end for start, end in sentence_spans(window))
