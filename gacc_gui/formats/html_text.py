"""Data as HTML text: nothing in it is markup, hidden, or changes the order of what is seen around it.

Owns escaping. One line is `core.svg_parts.plain`, which charts use too; whole texts keep their lines here.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from gacc_gui.core.svg_parts import plain, shortened

MOST: Final = 4_000
"""Characters of a text that stands in a line; texts that are longer are shown by what caps them, and told."""
NAME: Final = 300
"""Characters of an id or a name."""
_KEPT: Final = frozenset("\n\t\u200c\u200d")
_BREAKS: Final = frozenset("\u0085\u2028\u2029\x0b\x0c")
_ORDINARY: Final = re.compile(r"[ -%(-;=?-~\n\t]*\Z")
"""Printable ASCII but for the characters of HTML: most of what there is."""


def inline(text: str, most: int = MOST) -> str:
    """Return a text, or its beginning, as one line that stands by itself, whatever its direction."""
    return f"<bdi>{plain(shortened(text, most))}</bdi>"


def block(text: str) -> str:
    """Return a text with its line breaks, for an element that keeps white space.

    Control characters, NUL and whatever changes the direction of writing show as ⟨U+202E⟩.
    """
    if _ORDINARY.match(text):
        return text
    return "".join(map(_shown, text.replace("\r\n", "\n")))


def _shown(character: str) -> str:
    if character in _KEPT:
        return character
    category = unicodedata.category(character)
    if category in ("Cc", "Cf", "Zl", "Zp"):
        code = f'<span class="code">⟨U+{ord(character):04X}⟩</span>'
        return f"{code}\n" if character in _BREAKS else code
    return " " if character == " " else plain(character) if not character.isspace() else character
