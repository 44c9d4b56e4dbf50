"""The rows of a laid-out block that are in view, and where stretches of text stand on them.

Owns the geometry (right-to-left text too), not how a stretch looks (`painting`). Of a display line of
thousands of characters only the rows in view are ever looked at.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QTextBlock, QTextLine

_RTL = ("R", "AL", "AN")


class BlockInView:
    """A block painted at `origin`, as far as it lies within `clip`; positions are its UTF-16 units."""

    def __init__(self, block: QTextBlock, origin: QPointF, clip: QRectF) -> None:
        self.block, self.origin, self.clip = block, origin, clip
        self._rows: list[tuple[QTextLine, int, int]] = []
        layout = block.layout()
        for number in range(layout.lineCount()):
            line = layout.lineAt(number)
            top = origin.y() + line.y()
            if top > clip.bottom():
                break
            if top + line.height() >= clip.top():
                start = line.textStart()
                self._rows.append((line, start, start + line.textLength()))
        self._starts = [start for _, start, _ in self._rows]
        self._mixed = _has_right_to_left(block.text())

    @property
    def start(self) -> int:
        """Where the first row in view begins."""
        return self._starts[0] if self._rows else 0

    @property
    def end(self) -> int:
        """Where the last row in view ends."""
        return self._rows[-1][2] if self._rows else 0

    def rects(self, start: int, end: int) -> list[QRectF]:
        """Where units [start, end) stand on the rows in view; an empty stretch gives one of no width."""
        rects = []
        for line, row_start, row_end in self._rows[max(0, bisect_right(self._starts, start) - 1) :]:
            if row_start > end:
                break
            low, high = max(start, row_start), min(end, row_end)
            if low > high or (low == high and start < end):
                continue
            parts = _glyph_parts(line, low, high) if self._mixed else [(_x(line, low), _x(line, high))]
            left, top, height = self.origin.x(), self.origin.y() + line.y(), line.height()
            rects += [QRectF(left + one, top, other - one, height) for one, other in parts]
            if start == end:
                break
        return rects


@lru_cache(maxsize=256)
def _has_right_to_left(text: str) -> bool:
    return not text.isascii() and any(unicodedata.bidirectional(character) in _RTL for character in text)


def _x(line: QTextLine, position: int) -> float:
    return line.cursorToX(position)[0]  # type: ignore[index]  # the stub says object


def _glyph_parts(line: QTextLine, low: int, high: int) -> list[tuple[float, float]]:
    """Stretches of x that the units cover, joined where they touch: several where directions mix.

    From the glyphs: where directions change, a cursor position has two places and tells the wrong one.
    """
    parts: list[list[float]] = []
    rects = [run.boundingRect() for run in line.glyphRuns(low, high - low)] if high > low else []
    for left, right in sorted((rect.left(), rect.right()) for rect in rects):
        if parts and left <= parts[-1][1] + 0.5:
            parts[-1][1] = max(parts[-1][1], right)
        else:
            parts.append([left, right])
    return [(left, right) for left, right in parts] or [(_x(line, low), _x(line, high))]
