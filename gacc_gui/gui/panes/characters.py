"""Which characters of a text would mislead on screen, and what is shown in their place.

Each is replaced by one visible character, so that code points still map one to one: controls, zero-width
and bidirectional characters always (the order on screen is then the order in the data), spaces and joiners
on demand. Not owned: where display lines break (`display`), colours (`painting`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

_HIDDEN: Final = "\u200b"
"""Of no width: what stands for the carriage return of an ordinary CRLF."""

_NAMES: Final = {
    0x00: "NULL",
    0x07: "BELL",
    0x08: "BACKSPACE",
    0x0B: "LINE TABULATION",
    0x0C: "FORM FEED",
    0x0D: "CARRIAGE RETURN",
    0x1B: "ESCAPE",
    0x7F: "DELETE",
    0x85: "NEXT LINE",
}


def _always() -> dict[str, str]:
    shown = {}
    for code in [*range(0x20), *range(0x7F, 0xA0)]:
        if code not in (0x09, 0x0A):
            shown[chr(code)] = "▯"
    shown.update({"\x00": "∅", "\r": "⏎", "\x85": "↵", "\u2028": "↵", "\u2029": "¶"})
    for code in (0x00AD, 0x034F, 0x180E, 0x200B, *range(0x2060, 0x2066), *range(0x206A, 0x2070), 0xFEFF):
        shown[chr(code)] = "◦"
    for code in (0x200E, 0x202A, 0x202D, 0x2066):
        shown[chr(code)] = "▸"
    for code in (0x061C, 0x200F, 0x202B, 0x202E, 0x2067):
        shown[chr(code)] = "◂"
    for code in (0x202C, 0x2068, 0x2069):
        shown[chr(code)] = "▪"
    for plane in range(17):
        shown[chr(plane << 16 | 0xFFFE)] = shown[chr(plane << 16 | 0xFFFF)] = "▯"
    for code in (
        *range(0xFDD0, 0xFDF0),
        *range(0xD800, 0xE000),
        *range(0xFFF9, 0xFFFC),
        *range(0xE0000, 0xE0080),
    ):
        shown[chr(code)] = "▯"
    return shown


def _on_demand() -> dict[str, str]:
    shown = {chr(code): "␣" for code in (0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)}
    for code in (0x200C, 0x200D, 0x115F, 0x1160, 0x3164, 0xFFA0, *range(0xFE00, 0xFE10)):
        shown[chr(code)] = "◦"
    return shown


def _any_of(characters: Iterable[str]) -> re.Pattern[str]:
    # As ranges, and without the planes beyond the first: both made the scan ten times slower (measured).
    ranges: list[list[int]] = []
    for code in sorted(map(ord, characters)):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    parts = (f"{re.escape(chr(low))}-{re.escape(chr(high))}" for low, high in ranges)
    return re.compile(f"[{''.join(parts)}]")


_ALWAYS: Final = _always()
_EVERY: Final = {**_on_demand(), **_ALWAYS}
_ALWAYS_PATTERN: Final = _any_of(c for c in _ALWAYS if c <= "\uffff")
_EVERY_PATTERN: Final = _any_of(c for c in _EVERY if c <= "\uffff")
_HARMLESS: Final = bytes([0x09, 0x0A, *range(0x20, 0x7F)])
_REPLACED_PATTERN: Final = _any_of(c for c in _ALWAYS if c <= "\uffff" and c != "\r")
_EVERY_REPLACED_PATTERN: Final = _any_of(c for c in _EVERY if c <= "\uffff" and c != "\r")
"""Carriage returns are replaced apart: there is one in every line, or none."""
_ASTRAL: Final = re.compile("[\U0001fffe-\U0010ffff]")
"""All of those beyond the first plane, and no emoji; one range, as each costs every character 2 ns."""
_ASTRAL_PATTERN: Final = _any_of(c for c in _EVERY if c > "\uffff")


def shown_text(text: str, invisibles: bool = False) -> str:
    """Return `text` with each misleading character replaced by one visible one: as many code points.

    A carriage return before a line feed shows only with `invisibles`. The result has line feeds as its only
    line breaks, and no surrogates.
    """
    if text.isascii() and not text.encode("ascii").translate(None, _HARMLESS):
        return text

    shown = (_EVERY_REPLACED_PATTERN if invisibles else _REPLACED_PATTERN).sub(_stand_in, text)
    if "\r" in shown:
        if not invisibles:
            shown = shown.replace("\r\n", f"{_HIDDEN}\n")
        shown = shown.replace("\r", _EVERY["\r"])
    return _ASTRAL_PATTERN.sub(_stand_in, shown) if _ASTRAL.search(shown) else shown


def _stand_in(match: re.Match[str]) -> str:
    return _EVERY[match[0]]


def marks(text: str, invisibles: bool = False) -> list[int]:
    """The offsets in `text` of the characters that `shown_text` replaces visibly."""
    pattern = _EVERY_PATTERN if invisibles else _ALWAYS_PATTERN
    found = [match.start() for match in pattern.finditer(text)]
    if not invisibles:
        found = [at for at in found if not (text[at] == "\r" and text.startswith("\n", at + 1))]
    if _ASTRAL.search(text):
        found = sorted(found + [match.start() for match in _ASTRAL_PATTERN.finditer(text)])
    return found


def describe(character: str) -> str | None:
    """The name, `U+202E RIGHT-TO-LEFT OVERRIDE`, of a character that is shown by a stand-in; else None."""
    if character not in _EVERY:
        return None
    code = ord(character)
    name = _NAMES.get(code) or unicodedata.name(character, "control" if code < 0xA0 else "no character")
    return f"U+{code:04X} {name}"
