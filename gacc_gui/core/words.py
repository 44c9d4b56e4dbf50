"""Letters, digits, CJK characters and the word boundaries between them.

Two notions, kept apart: `is_word_boundary` is FORMATS.md's (for references in a source), `same_word` the
reader's (for telling that a cut splits a word; combining marks belong to their letter).
"""

from __future__ import annotations

import re
from typing import Final

CJK: Final = re.compile(
    "["
    "\u1100-\u11ff"  # Hangul jamo
    "\u2e80-\u2fdf"  # CJK and Kangxi radicals
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c"  # iteration marks, numerals
    "\u3040-\u30ff\u31f0-\u31ff"  # Hiragana, Katakana
    "\u3100-\u312f\u31a0-\u31bf"  # Bopomofo
    "\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # ideographs
    "\uff66-\uffdc"  # half-width Katakana and Hangul
    "\U0001aff0-\U0001b16f"  # Kana supplements
    "\U00020000-\U0003ffff"  # ideographs of the supplementary planes
    "]"
)
_APART: Final = re.compile(rf"[\W_]|{CJK.pattern}")
"""Characters with a word boundary on either side: all that are no letters or digits, and CJK."""


def is_cjk(character: str) -> bool:
    """Whether a character is Han, Kana, Bopomofo or Hangul."""
    return character > "\u10ff" and CJK.match(character) is not None


def is_word_boundary(text: str, position: int) -> bool:
    """Whether a word boundary lies before `text[position]`.

    It lies wherever the two neighbours are not both letters or digits, or one is a CJK character.
    """
    if position <= 0 or position >= len(text):
        return True
    before, after = text[position - 1], text[position]
    return not (before.isalnum() and after.isalnum()) or is_cjk(before) or is_cjk(after)


def next_word_boundary(text: str, position: int) -> int:
    """Return the first word boundary at or behind `position`, at the latest the end of the text."""
    if position <= 0:
        return 0
    apart = _APART.search(text, position - 1)
    return len(text) if apart is None else max(position, apart.start())


def same_word(text: str, position: int) -> bool:
    """Whether the characters on both sides of `position` belong to one word, as a reader sees it.

    Unlike `is_word_boundary`, a combining mark or a joiner continues the word before it.
    """
    if position <= 0 or position >= len(text):
        return False
    before, after = text[position - 1], text[position]
    if is_cjk(before) or is_cjk(after):
        return False
    return _in_word(before) and _in_word(after)


def _in_word(character: str) -> bool:
    if character.isalnum():
        return True
    if character < "\u0300":
        return False
    from unicodedata import category

    return category(character) in ("Mn", "Mc", "Me") or character in "\u200c\u200d"
