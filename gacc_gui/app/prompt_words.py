"""Which words a prompt may hold by chance, and which are known for themselves wherever they stand.

Owns these two judgements, which are heuristics; the search for exposures that uses them is `app.exposure`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_TELLING: Final = 16
"""From this length on, no prompt holds a question or a reference by chance."""
_GLUED: Final = 8
"""Shorter words stand inside longer ones by chance."""
_NAME: Final = 5
"""Shorter names do."""
_NUMBER: Final = 4
"""Digits of a number that an instruction may hold."""
_CHINESE: Final = 3
"""Characters of a word in a script without letters."""
_ASKING: Final = 3
"""Words that make a question of its own."""
_BEGINNING: Final = re.compile(r"(?:\A|[.!?\n])[\s\"'“‘(*#>-]*\Z")


def is_distinct(needle: str, written: str, text: str) -> bool:
    """Whether a text is known for itself even where it is glued to other letters.

    `needle` is folded; `written` is how question or reference have it, of which names keep their capitals in
    `text`.
    """
    if len(needle) >= _GLUED or any(map(str.isdecimal, needle)) != needle.isdecimal():
        return True
    return len(needle) >= _NAME and written != written.lower() and written in text


def is_ordinary(needle: str, kind: str, texts: Sequence[str]) -> bool:
    """Whether a prompt may hold the folded text by chance, as it is written in these texts.

    Ordinary are a few small words and numbers. Names, with a capital inside a sentence, and codes are not,
    nor is a question of several words.
    """
    words = needle.split()
    if len(needle) >= _TELLING or (kind == "question" and len(words) >= _ASKING):
        return False
    if all(word.isdecimal() for word in words):
        return len(needle) <= _NUMBER
    if not all(word.replace("'", "").replace("’", "").isalpha() for word in words):
        return False
    if needle.upper() == needle:  # no capitals in this script
        return len(needle) <= _CHINESE
    pattern = re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE)
    written = [(text, match) for text in texts for match in pattern.finditer(text)]
    return not written or any(_is_plain(text, match) for text, match in written)


def _is_plain(text: str, match: re.Match[str]) -> bool:
    words = match.group()
    if words == words.lower():
        return True
    if text == text.upper():  # nothing in it has small letters
        return True
    first, rest = words[:1], words[1:]
    return (
        rest == rest.lower()
        and first != first.lower()
        and bool(_BEGINNING.search(text[: match.start()][-40:]))
    )
