"""What can be typed next in a filter: keys, and the values that a run has.

Owns completion alone; the language is `core.filters`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from gacc_gui.core.filters import KEYED, KEYS, Key


class Vocabulary(Protocol):
    """What occurs in a run (the store's `FilterVocabulary` is one)."""

    @property
    def compressors(self) -> Sequence[str]:
        """Compressor names."""
        ...

    @property
    def conditions(self) -> Sequence[str]:
        """Conditions."""
        ...

    @property
    def ratios(self) -> Sequence[str]:
        """Canonical ratios."""
        ...

    @property
    def statuses(self) -> Sequence[str]:
        """Statuses of verdicts."""
        ...

    @property
    def origins(self) -> Sequence[str]:
        """Origins of contexts."""
        ...

    @property
    def reviewers(self) -> Sequence[str]:
        """Names of reviewers."""
        ...

    @property
    def tags(self) -> Sequence[str]:
        """Tags of reviews."""
        ...


@dataclass(frozen=True, slots=True)
class Completion:
    """Replace `length` code points at `start` by `text`; `complete` is False while a value is to follow."""

    start: int
    length: int
    text: str
    complete: bool


def complete(text: str, cursor: int, vocabulary: Vocabulary | None = None) -> list[Completion]:
    """Return what may stand at the cursor, best first; nothing inside quoted words."""
    cursor = max(0, min(cursor, len(text)))
    start = _term_start(text, cursor)
    if start is None:
        return []
    if text.startswith("-", start):
        start += 1
    match = KEYED.match(text, start)
    if match is None or match.end() > cursor:
        return _keys(text, start, cursor)
    key = KEYS.get(match["key"].lower())
    if key is None:
        return []
    value_start = _value_start(text, match.end(), cursor)
    return _values(text, key, value_start, cursor, vocabulary)


def _term_start(text: str, cursor: int) -> int | None:
    """Return where the term under the cursor begins; None inside quoted words."""
    start, quoted, quoted_words = 0, False, False
    for i, character in enumerate(text[:cursor]):
        if character == '"':
            quoted_words = not quoted and i == start + text.startswith("-", start)
            quoted = not quoted
        elif character.isspace() and not quoted:
            start = i + 1
    return None if quoted and quoted_words else start


def _value_start(text: str, at: int, cursor: int) -> int:
    """Return where the value under the cursor begins, behind the last comma outside quotes."""
    start, quoted = at, False
    for i in range(at, cursor):
        if text[i] == '"':
            quoted = not quoted
        elif text[i] == "," and not quoted:
            start = i + 1
    return start


def _word_end(text: str, cursor: int, stops: str) -> int:
    """Return the end of the word under the cursor, so that a completion replaces all of it."""
    end = cursor
    while end < len(text) and not text[end].isspace() and text[end] not in stops:
        end += 1
    return end


def _keys(text: str, start: int, cursor: int) -> list[Completion]:
    written = text[start:cursor].lower()
    end = _word_end(text, cursor, ':<>="')
    if text[end : end + 1] == ":":
        end += 1
    names = sorted((name for name in KEYS if written in name), key=lambda name: not name.startswith(written))
    return [Completion(start, end - start, f"{name}:", False) for name in names]


def _values(text: str, key: Key, start: int, cursor: int, vocabulary: Vocabulary | None) -> list[Completion]:
    written = text[start:cursor].replace('"', "").lower()
    end = _word_end(text, cursor, ",")
    if text[start : start + 1] == '"':
        closing = text.find('"', max(cursor, start + 1))
        end = closing + 1 if closing >= 0 else len(text)
    known = [value for value in _known(key, vocabulary) if written in value.lower()]
    known.sort(key=lambda value: not value.lower().startswith(written))
    return [Completion(start, end - start, quote(value), True) for value in known]


def _known(key: Key, vocabulary: Vocabulary | None) -> Sequence[str]:
    if vocabulary is None:
        return key.values
    present: dict[str, Sequence[str]] = {
        "compressor": vocabulary.compressors,
        "condition": vocabulary.conditions,
        "ratio": vocabulary.ratios,
        "status": vocabulary.statuses,
        "origin": vocabulary.origins,
        "reviewer": vocabulary.reviewers,
        "tag": vocabulary.tags,
    }
    return present.get(key.name) or key.values


def quote(value: str) -> str:
    """Return a value as it is written in a filter: in quotes where it needs them."""
    if value and not any(character.isspace() or character in '",' for character in value):
        return value
    return '"' + value.replace('"', '""') + '"'
