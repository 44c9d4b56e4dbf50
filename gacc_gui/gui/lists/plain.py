"""Text from data as it may stand in a list's cell, a label or a tooltip: plain, nothing hidden.

Owns the markers for characters that would not be seen or would reorder what is seen. For showing only: what
is copied, searched or compared is always the stored text.
"""

from __future__ import annotations

import re
from typing import Final

CELL_LIMIT: Final = 400
"""Code points of a text that a cell can show; the rest is elided anyway."""
TOOLTIP_LIMIT: Final = 1500

_NAMED: Final = {
    0x00AD: "SHY",
    0x061C: "ALM",
    0x180E: "MVS",
    0x200B: "ZWSP",
    0x200E: "LRM",
    0x200F: "RLM",
    0x202A: "LRE",
    0x202B: "RLE",
    0x202C: "PDF",
    0x202D: "LRO",
    0x202E: "RLO",
    0x2060: "WJ",
    0x2066: "LRI",
    0x2067: "RLI",
    0x2068: "FSI",
    0x2069: "PDI",
    0xFEFF: "BOM",
    # Qt takes a leading U+FFFE for a byte order and makes paragraphs of U+FDD0 and U+FDD1.
    0xFFFE: "U+FFFE",
    0xFFFF: "U+FFFF",
    0xFDD0: "U+FDD0",
    0xFDD1: "U+FDD1",
}

_MARKERS: Final[dict[int, str]] = {
    # As in the panes: few fonts have Unicode's control pictures.
    **dict.fromkeys([*range(0x20), 0x7F], "▯"),
    0x00: "∅",
    **{code: f"⟨U+{code:04X}⟩" for code in range(0x80, 0xA0)},
    **{code: f"⟨{name}⟩" for code, name in _NAMED.items()},
}
_MARKERS_MULTILINE: Final = {code: mark for code, mark in _MARKERS.items() if chr(code) not in "\n\t"}

_BREAKS: Final = re.compile("\r\n|[\n\r\u2028\u2029\x85]")
_JOINERS: Final = re.compile("[\u200c\u200d]")
_LAST_LATIN: Final = 0x024F


def cell_text(text: str, limit: int = CELL_LIMIT) -> str:
    """Return `text` in one line of at most `limit` code points, with markers for what is not seen."""
    shown = text[:limit]
    if not shown.isascii() or not shown.isprintable():
        shown = _BREAKS.sub(" ⏎ ", shown).replace("\t", " ")
        shown = _mark_joiners(shown).translate(_MARKERS)
    return shown + "…" if len(text) > limit else shown


def lines_text(text: str) -> str:
    """Return `text` in the lines that it has, with markers for what is not seen."""
    if text.isascii() and text.isprintable():
        return text
    return _mark_joiners(_BREAKS.sub("\n", text)).translate(_MARKERS_MULTILINE)


def tooltip(text: str, limit: int = TOOLTIP_LIMIT) -> str:
    """Return `text` as rich text that shows it literally: Qt would guess mark-up in a plain one.

    Empty for an empty text, so that no tooltip appears.
    """
    if not text:
        return ""
    # Nobody hovers before the window is there, and its table of entities takes a moment.
    import html

    shown = lines_text(text[:limit])
    if len(text) > limit:
        shown += "…"
    return f'<p style="white-space:pre-wrap">{html.escape(shown)}</p>'


def _mark_joiners(text: str) -> str:
    """Mark joiners where they join nothing: in emoji and in non-Latin scripts they belong to the writing."""

    def mark(match: re.Match[str]) -> str:
        before, after = text[: match.start()][-1:], text[match.end() :][:1]
        if before and after and min(ord(before), ord(after)) > _LAST_LATIN:
            return match[0]
        return "⟨ZWNJ⟩" if match[0] == "\u200c" else "⟨ZWJ⟩"

    return _JOINERS.sub(mark, text) if "\u200c" in text or "\u200d" in text else text
