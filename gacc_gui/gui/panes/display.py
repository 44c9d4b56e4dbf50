"""An exact text as it is put on screen, and the table between its code points and Qt's positions.

Owns the display string: misleading characters replaced one for one (`characters`), long lines broken, labels
added as lines of their own. Neither breaks nor labels are in the data. Positions on screen are UTF-16 units,
counted as QTextDocument counts them; offsets in the text are code points. No Qt here.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Final

from gacc_gui.gui.panes.characters import shown_text

MAX_LINE: Final = 4000
"""Code points of a display line. One wrapped line of a million costs Qt 35 s, these 16 ms (measured)."""

_LOOK_BACK: Final = 200
_BREAKS: Final = re.compile("[\\n\\u2028\\u2029]|\\r(?!\\n)")
_CONTINUATION: Final = bytes(range(0x80, 0xC0))
_OF_PAIRS: Final = tuple(bytes([first]) for first in range(0xF0, 0xF5))
"""With what characters of two UTF-16 units begin in UTF-8."""
_ASTRAL: Final = re.compile("[\U00010000-\U0010ffff]")
_CLINGING: Final = re.compile("[\\u0300-\\u036f\\u200c\\u200d\\ufe00-\\ufe0f\U0001f3fb-\U0001f3ff]")


def utf16_length(text: str) -> int:
    """UTF-16 units of a text without surrogates."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


@dataclass(frozen=True, slots=True)
class Label:
    """A line of ours before the code point at `offset`, where a line ends, too. `role`: how it is painted."""

    offset: int
    text: str
    role: str = "label"


class DisplayText:
    """What one pane shows of `text`.

    `head` and `foot` are label lines before and after the text, `labels` (in order) within it: all of them
    part of `display`, not of the data.
    """

    def __init__(
        self,
        text: str,
        *,
        head: str = "",
        foot: str = "",
        labels: Sequence[Label] = (),
        invisibles: bool = False,
    ) -> None:
        self.text = text
        self.invisibles = invisibles
        self._shown = shown_text(text, invisibles)
        self._wide = not self._shown.isascii() and _ASTRAL.search(self._shown) is not None
        self._starts, self._is_plain = _line_starts(text, self._shown)
        self._labels = [replace(one, offset=max(0, min(one.offset, len(text)))) for one in labels]
        if labels:
            self._starts = array("q", sorted({*self._starts, *(one.offset for one in self._labels)}))
        self._head_lines = 1 if head else 0
        self._head, self._foot = head, foot
        self.display = (f"{head}\n" if head else "") + self._body() + (f"\n{foot}" if foot else "")

    @property
    def line_count(self) -> int:
        """Display lines of the data, labels not counted."""
        return len(self._starts)

    def to_display(self, offset: int) -> int:
        """The position on screen before the code point at `offset` (clamped to the text)."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._starts, offset) - 1
        return self._positions[line] + self.within_line(line, offset)

    def to_offset(self, position: int) -> int:
        """The code point at a position on screen: of the whole pair, in a label the text's nearest end."""
        if position >= self._end:
            return len(self.text)
        line = bisect_right(self._positions, position) - 1
        if line < 0:
            return 0
        start, end = self.line_span(line)
        units = position - self._positions[line]
        if self._wide:
            raw = self._shown[start:end].encode("utf-16-le")[: 2 * units]
            units = len(raw.decode("utf-16-le", "ignore"))
        return min(start + units, end)

    def line_at(self, offset: int) -> int:
        """The display line that holds the code point at `offset`."""
        return bisect_right(self._starts, max(0, min(offset, len(self.text)))) - 1

    def line_span(self, line: int) -> tuple[int, int]:
        """Code points [start, end) of a display line, its own line feed included."""
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self.text)
        return self._starts[line], end

    def within_line(self, line: int, offset: int) -> int:
        """UTF-16 units from the start of a display line to the code point at `offset`."""
        start = self._starts[line]
        return utf16_length(self._shown[start:offset]) if self._wide else offset - start

    def ends_in_feed(self, line: int) -> bool:
        """Whether a display line ends in a line feed of the data."""
        start, end = self.line_span(line)
        return start < end and self.text[end - 1] == "\n"

    def is_broken(self, line: int) -> bool:
        """Whether the break after this display line is not in the data."""
        return line + 1 < len(self._starts) and not _BREAKS.match(self.text, self._starts[line + 1] - 1)

    def is_labelled(self, line: int) -> bool:
        """Whether a label stands right before a display line."""
        return line < len(self._starts) and any(one.offset == self._starts[line] for one in self._labels)

    def line_of_block(self, block: int) -> int | None:
        """The display line that a block of Qt's document shows; None for a label."""
        if not self._labels:
            line = block - self._head_lines
            return line if 0 <= line < len(self._starts) else None
        line = bisect_left(range(len(self._starts)), block, key=self.block_of_line)
        return line if line < len(self._starts) and self.block_of_line(line) == block else None

    def block_of_line(self, line: int) -> int:
        """The number of the block of Qt's document that shows a display line."""
        before = bisect_right(self._labels, self._starts[line], key=_offset) if self._labels else 0
        return line + self._head_lines + before

    def label_of_block(self, block: int) -> Label | None:
        """The label that a block of Qt's document shows; None for a line of the data."""
        if self.line_of_block(block) is not None:
            return None
        if self._head and block == 0:
            return Label(0, self._head)
        # Labels are blocks like lines: before this one stand as many lines as labels do not.
        for number, label in enumerate(self._labels):
            line = bisect_left(self._starts, label.offset)
            if line + self._head_lines + number == block:
                return label
        return Label(len(self.text), self._foot) if self._foot else None

    def _body(self) -> str:
        """The text with its breaks and labels."""
        shown, starts = self._shown, self._starts
        if not self._labels and self._is_plain:
            return shown
        pieces = [shown[start:end] for start, end in pairwise([*starts, len(shown)])]
        pieces[:-1] = [piece if piece.endswith("\n") else piece + "\n" for piece in pieces[:-1]]
        if not self._labels:
            return "".join(pieces)
        above = {start: "" for start in starts}
        for label in self._labels:
            above[label.offset] += f"{label.text}\n"
        return "".join(above[start] + piece for start, piece in zip(starts, pieces, strict=True))

    @cached_property
    def _positions(self) -> array[int]:
        """The position of each display line's start: not needed for the text to be painted."""
        if not self._labels and self._is_plain and not self._wide:
            first = utf16_length(self._head) + 1 if self._head else 0
            return array("q", [start + first for start in self._starts]) if first else self._starts
        blocks = _block_starts(self.display)
        if self._labels:
            return array("q", [blocks[self.block_of_line(line)] for line in range(len(self._starts))])
        return blocks[self._head_lines : self._head_lines + len(self._starts)]

    @cached_property
    def _end(self) -> int:
        """The position behind the text."""
        return self._positions[-1] + self.within_line(len(self._starts) - 1, len(self.text))


def _offset(label: Label) -> int:
    return label.offset


def _block_starts(display: str) -> array[int]:
    """Where each line of a text without surrogates begins, in UTF-16 units.

    As UTF-8 without the bytes that continue a character, a text has one byte a unit when those are doubled
    that begin a character of two; only line feeds become the byte of a line feed.
    """
    units = display.encode().translate(None, _CONTINUATION)
    for byte in _OF_PAIRS:
        units = units.replace(byte, b"  ")
    lengths = [length + 1 for length in map(len, units.split(b"\n"))]
    return array("q", accumulate(lengths[:-1], initial=0))


def _line_starts(text: str, shown: str) -> tuple[array[int], bool]:
    """Where each display line begins, and whether all of them but the last end in a line feed of the data."""
    alone = text.count("\r") - text.count("\r\n") if "\r" in text else 0
    is_plain = not alone and "\u2028" not in text and "\u2029" not in text
    if not is_plain:
        starts = array("q", [0, *(match.end() for match in _BREAKS.finditer(text))])
        longest = max(end - start for start, end in pairwise([*starts, len(text)])) if text else 0
    else:
        lengths = [length + 1 for length in map(len, text.split("\n"))]
        starts = array("q", accumulate(lengths[:-1], initial=0))
        longest = max(lengths) - 1
    if longest <= MAX_LINE:
        return starts, is_plain
    broken = array("q")
    for start, end in pairwise([*starts, len(text)]):
        stop = end - 1 if shown.startswith("\n", end - 1) else end
        while stop - start > MAX_LINE:
            broken.append(start)
            start = _break_before(shown, start, start + MAX_LINE)
        broken.append(start)
    return broken, False


def _break_before(shown: str, start: int, limit: int) -> int:
    """Where to break a long line at or before `limit`: after a space if one is near, never before a mark."""
    space = max(shown.rfind(" ", limit - _LOOK_BACK, limit), shown.rfind("\t", limit - _LOOK_BACK, limit))
    if space > start:
        return space + 1
    at = limit
    while at > limit - _LOOK_BACK and (_CLINGING.match(shown, at) or shown[at - 1] == "\u200d"):
        at -= 1
    return at if at > limit - _LOOK_BACK else limit
