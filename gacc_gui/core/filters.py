"""The filter language of the goals list: text ⇄ a tree of frozen terms.

Owns the keys, their values, the syntax and its mistakes; completion is `core.completion`, SQL the store's.

    word "two words"  cause:truncation,judge  ratio<=0.25  -flag:uncertain  goal-id:"c1 / g2"

Terms are joined by “and”; a leading `-` negates one; commas separate alternatives. A term of scope `unit`
is about a goal under a memory and repeat, one of scope `row` about its question rows. A unit passes when
one single row meets all positive row terms together, no row meets a negated row term, and all unit terms
and words hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Final, Literal

from gacc_gui.core.budget import canonical_ratio
from gacc_gui.core.causes import CAUSES, FATES, FLAGS
from gacc_gui.core.errors import BadInput, BadUsage
from gacc_gui.core.flips import FLIPS
from gacc_gui.core.records import ANSWER_STATUSES, CONDITIONS, LABELS, MEMORY_STATUSES, VERDICT_STATUSES
from gacc_gui.core.reviewing import REVIEW_STATES

Scope = Literal["unit", "row"]
Operator = Literal["=", "<", "<=", ">", ">="]

GOAL_STATES: Final = ("right", "failed", "incomplete")
"""`right`: every row labelled correct; `failed`: not; `incomplete`: a row is unlabelled (and so failed)."""


@dataclass(frozen=True, slots=True)
class Key:
    """A word before the colon. `values` lists all it can have; empty where any text or number will do."""

    name: str
    scope: Scope
    kind: Literal["choice", "text", "number", "ratio"]
    values: tuple[str, ...] = ()


_KEYS: Final = (
    Key("goal", "unit", "choice", GOAL_STATES),
    Key("away", "unit", "number"),
    Key("cause", "row", "choice", CAUSES),
    Key("fate", "row", "choice", FATES),
    Key("flag", "row", "choice", FLAGS),
    Key("label", "row", "choice", (*LABELS, "none")),
    Key("status", "row", "choice", VERDICT_STATUSES),
    Key("answer-status", "row", "choice", (*ANSWER_STATUSES, "none")),
    Key("memory-status", "unit", "choice", MEMORY_STATUSES),
    Key("compressor", "unit", "text"),
    Key("revision", "unit", "text"),
    Key("condition", "unit", "choice", CONDITIONS),
    Key("ratio", "unit", "ratio"),
    Key("budget", "unit", "number"),
    Key("tail", "unit", "number"),
    Key("questions", "unit", "number"),
    Key("correct", "unit", "number"),
    Key("flip", "unit", "choice", FLIPS),
    Key("generation", "unit", "number"),
    Key("repeat", "unit", "number"),
    Key("origin", "unit", "text"),
    Key("context-id", "unit", "text"),
    Key("goal-id", "unit", "text"),
    Key("memory-id", "unit", "text"),
    Key("question-id", "row", "text"),
    Key("review", "row", "choice", REVIEW_STATES),
    Key("reviewer", "row", "text"),
    Key("tag", "row", "text"),
)
KEYS: Final[Mapping[str, Key]] = MappingProxyType({key.name: key for key in _KEYS})
"""Key by name. `tail` is in code points, `budget` in tokens; `none`: there is no label, no answer.

`flip` is about the goal's questions over the ratios of the unit's own compressor and condition: see
`core.flips`. `review` is about the decision that counts, `reviewer` and `tag` about all that stand: see
`core.reviewing`.
"""
MOST_TERMS: Final = 500
"""Terms of a filter: each is a level of one SQL condition, of which SQLite takes a thousand."""
REVIEW_KEYS: Final = frozenset(("review", "reviewer", "tag"))
"""Keys about reviewers' decisions."""


@dataclass(frozen=True, slots=True)
class Match:
    """`key:value,value`: equal to one of them, exactly. An empty value means: not given."""

    key: str
    values: tuple[str, ...]
    negated: bool = False

    @property
    def scope(self) -> Scope:
        """Whether it is about the unit or about a row."""
        return KEYS[self.key].scope


@dataclass(frozen=True, slots=True)
class Compare:
    """`key<=number`: what is unknown (no budget, no boundary) never compares, negated or not.

    `value` is exact; `str(value)` of a ratio is canonical.
    """

    key: str
    operator: Operator
    value: Decimal
    negated: bool = False

    @property
    def scope(self) -> Scope:
        """Whether it is about the unit or about a row."""
        return KEYS[self.key].scope


@dataclass(frozen=True, slots=True)
class Words:
    """A bare word, or quoted words that stand together, in goal, question, references, answer, rationale."""

    text: str
    phrase: bool = False
    negated: bool = False


Term = Match | Compare | Words


@dataclass(frozen=True, slots=True)
class Query:
    """What was asked for; without terms, everything."""

    terms: tuple[Term, ...] = ()
    text: str = ""

    @property
    def unit_terms(self) -> tuple[Match | Compare, ...]:
        """The terms about a unit."""
        return tuple(t for t in self.terms if not isinstance(t, Words) and t.scope == "unit")

    @property
    def row_terms(self) -> tuple[Match | Compare, ...]:
        """The terms about a question row."""
        return tuple(t for t in self.terms if not isinstance(t, Words) and t.scope == "row")

    @property
    def words(self) -> tuple[Words, ...]:
        """The words to be searched."""
        return tuple(t for t in self.terms if isinstance(t, Words))


class FilterError(BadUsage):
    """A mistake in a filter: where it is (code points) and one sentence about it."""

    def __init__(self, position: int, length: int, message: str) -> None:
        self.position = position
        self.length = length
        self.message = message
        super().__init__(message)


KEYED: Final = re.compile(r"(?P<key>[A-Za-z][A-Za-z-]*)(?P<operator><=|>=|<|>|=|:)")
_OPERATORS: Final[Mapping[str, Operator]] = {":": "=", "=": "=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_VALUE: Final = re.compile(r'[^\s",]*')


def parse(text: str) -> Query:
    """Return the terms of a filter. Raises FilterError at the first mistake."""
    terms: list[Term] = []
    at = 0
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text):
            return Query(tuple(terms), text)
        start = at
        if len(terms) == MOST_TERMS:
            raise FilterError(start, len(text) - start, f"a filter has at most {MOST_TERMS} terms")
        negated = text[at] == "-"
        at += negated
        if at == len(text) or text[at].isspace():
            raise FilterError(
                start, 1, "“-” needs what it is to exclude; put a dash in quotes to search for it"
            )
        match = KEYED.match(text, at)
        if match is None:
            term, at = _words(text, at, negated)
            if term is not None:
                terms.append(term)
            continue
        values, at = _values(text, match.end())
        key = _key(match["key"], match.start())
        terms.append(_term(key, match["operator"], values, negated, (match.end(), at), start))


def _words(text: str, at: int, negated: bool) -> tuple[Words | None, int]:
    if text[at] == '"':
        value, end = _quoted(text, at)
        return (Words(value.strip(), True, negated) if value.strip() else None), end
    end = at
    while end < len(text) and not text[end].isspace() and text[end] != '"':
        end += 1
    return Words(text[at:end], False, negated), end


def _values(text: str, at: int) -> tuple[list[tuple[str, int, int]], int]:
    """Return the values (text, start, end) that stand after an operator, and where the term ends."""
    values = []
    while True:
        start = at
        if at < len(text) and text[at] == '"':
            value, at = _quoted(text, at)
        else:
            match = _VALUE.match(text, at)
            assert match is not None  # it matches the empty string too
            value, at = match.group(), match.end()
        values.append((value, start, at))
        if at == len(text) or text[at] != ",":
            break
        at += 1
    if at < len(text) and not text[at].isspace():
        raise FilterError(at, 1, "a space is missing here")
    return values, at


def _quoted(text: str, at: int) -> tuple[str, int]:
    """Return a quoted value and where it ends; a doubled quote inside stands for one."""
    parts = []
    start = at + 1
    while True:
        end = text.find('"', start)
        if end < 0:
            raise FilterError(at, len(text) - at, "the closing quote is missing")
        parts.append(text[start:end])
        if text.startswith('""', end):
            parts.append('"')
            start = end + 2
            continue
        return "".join(parts), end + 1


def _near(word: str, words: Iterable[str], count: int, least: float) -> list[str]:
    # Only a mistake needs it.
    from difflib import get_close_matches

    return get_close_matches(word, list(words), count, least)


def _key(written: str, position: int) -> Key:
    key = KEYS.get(written.lower())
    if key is not None:
        return key
    near = _near(written.lower(), KEYS, 1, 0.6)
    hint = f"did you mean “{near[0]}”?" if near else "put words with a colon in quotes"
    raise FilterError(position, len(written), f"there is no key “{written}”; {hint}")


def _term(
    key: Key,
    operator: str,
    values: list[tuple[str, int, int]],
    negated: bool,
    place: tuple[int, int],
    start: int,
) -> Term:
    if values[0][1] == values[-1][2]:
        example = f"{key.name}:{key.values[0]}" if key.values else f"{key.name}:…"
        raise FilterError(start, place[1] - start, f"“{key.name}” needs a value, such as {example}")
    if operator not in (":", "=") and key.kind in ("choice", "text"):
        raise FilterError(
            place[0] - len(operator), len(operator), f"“{key.name}” has no order; write {key.name}:…"
        )
    if key.kind == "choice":
        chosen = dict.fromkeys(_choice(key, *value) for value in values)
        return Match(key.name, tuple(chosen), negated)
    if key.kind == "text":
        return Match(key.name, tuple(value for value, _, _ in values), negated)
    if len(values) > 1:
        if operator not in (":", "="):
            raise FilterError(place[0], place[1] - place[0], "compare with one number")
        return Match(key.name, tuple(str(_number(key, *value)) for value in values), negated)
    return Compare(key.name, _OPERATORS[operator], _number(key, *values[0]), negated)


def _choice(key: Key, value: str, start: int, end: int) -> str:
    lowered = value.lower()
    if lowered in key.values:
        return lowered
    near = _near(lowered, key.values, 1, 0.5)
    hint = f"did you mean “{near[0]}”?" if near else f"there are {', '.join(key.values)}"
    raise FilterError(start, max(1, end - start), f"“{value}” is no {key.name}; {hint}")


def _number(key: Key, value: str, start: int, end: int) -> Decimal:
    length = max(1, end - start)
    if key.kind == "ratio":
        try:
            return Decimal(canonical_ratio(value))
        except BadInput:
            raise FilterError(start, length, f"“{value}” is no ratio; write a decimal such as 0.25") from None
    if re.fullmatch(r"[0-9]{1,18}", value) is None:
        raise FilterError(start, length, f"“{value}” is no whole number")
    return Decimal(int(value))
