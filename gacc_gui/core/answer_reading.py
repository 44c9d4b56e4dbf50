"""The answer in a model's reply, read strictly: what is not exactly the asked-for object is unparsed.

What counts is a reply that is one JSON object and nothing else, with exactly two keys:
`{"answer": text, "supporting_facts": [[title, sentence id], …]}`. White space around it is allowed, and one
code fence around all of it, with or without `json`. Nothing is searched for in prose, and nothing is mended.

Unparsed, each with its reason: prose, several objects, missing or further keys, a key that stands twice, an
answer that is no text (a number, a list, null), a fact that is no pair of a title and an id, NaN, infinite or
absurdly large numbers, half a surrogate pair. A sentence id that is a boolean, a decimal or a text is kept as
it was read: by the benchmark's rule it is a wrong fact like any other (`core.hotpot_scores`). An empty answer
and an empty list are answers.

Pure. Not here: what an answer scores, and reasoning, which is no part of a reply (`runner.replies`).
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Final

from gacc_gui.core.records import Json

_KEYS: Final = ("answer", "supporting_facts")
_FENCE: Final = re.compile(r"```(?:json)?[^\S\n]*\n(.*?)\n?[^\S\n]*```", re.DOTALL | re.IGNORECASE)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_MOST_DIGITS: Final = 100


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """What a reply says: an answer with its facts, or neither and the `reason` why not, in a sentence.

    A fact is a list of a title and an id: whole number, boolean, decimal or text.
    """

    answer: str | None = None
    facts: tuple[Json, ...] | None = None
    reason: str | None = None

    @property
    def is_read(self) -> bool:
        """Whether there is an answer."""
        return self.answer is not None

    def as_json(self) -> dict[str, Json]:
        """Return what was predicted, in the form it was asked for; null where nothing was read."""
        return {"answer": self.answer, "supporting_facts": None if self.facts is None else list(self.facts)}


class _Unparsed(ValueError):
    pass


def read_answer(reply: str | None) -> ReadAnswer:
    """Return the answer in a complete reply; None is no reply. Never raises."""
    try:
        return _read(reply or "")
    except _Unparsed as error:
        return ReadAnswer(reason=str(error))


def _read(reply: str) -> ReadAnswer:
    text = reply.strip()
    if not text:
        raise _Unparsed("the reply is empty")
    fenced = _FENCE.fullmatch(text)
    value = _value(text if fenced is None else fenced.group(1).strip())
    if not isinstance(value, dict):
        raise _Unparsed(f"the reply is {_kind(value)}, not an object")
    for key in _KEYS:
        if key not in value:
            raise _Unparsed(f"{key} is missing")
    if more := [key for key in value if key not in _KEYS]:
        raise _Unparsed(f"there is a further key {more[0]!r:.60}")
    answer, facts = value["answer"], value["supporting_facts"]
    if not isinstance(answer, str):
        raise _Unparsed(f"answer is {_kind(answer)}, not a text")
    if not isinstance(facts, list):
        raise _Unparsed(f"supporting_facts is {_kind(facts)}, not a list")
    for number, fact in enumerate(facts, start=1):
        _check_fact(fact, number)
    return ReadAnswer(answer, tuple(facts))


def _check_fact(fact: Json, number: int) -> None:
    if not isinstance(fact, list) or len(fact) != 2:
        raise _Unparsed(f"supporting fact {number} is no pair of a title and a sentence id")
    title, sentence = fact
    if not isinstance(title, str):
        raise _Unparsed(f"the title of supporting fact {number} is {_kind(title)}, not a text")
    if not isinstance(sentence, int | float | str):
        raise _Unparsed(f"the sentence id of supporting fact {number} is {_kind(sentence)}")


def _value(text: str) -> Json:
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            raise _Unparsed("there is more than one JSON object in the reply") from error
        where = f"line {error.lineno}, column {error.colno}"
        raise _Unparsed(f"the reply is no JSON: {error.msg.removesuffix(' at')} ({where})") from error
    except RecursionError as error:
        raise _Unparsed("the reply is nested too deep") from error
    if not text.isascii() or "\\u" in text:
        _check_text(value)
    return value


def _check_text(value: Json) -> None:
    if isinstance(value, str) and _SURROGATE.search(value):
        raise _Unparsed("a text holds half a surrogate pair")
    if isinstance(value, dict):
        for key, item in value.items():
            _check_text(key)
            _check_text(item)
    elif isinstance(value, list):
        for item in value:
            _check_text(item)


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _Unparsed(f"the key {twice!r:.60} stands twice")
    return value


def _int(written: str) -> int:
    if len(written) > _MOST_DIGITS:
        raise _Unparsed(f"a number of {len(written):,} digits")
    return int(written)


def _float(written: str) -> float:
    value = float(written)
    if not math.isfinite(value):
        raise _Unparsed(f"the number {written[:40]} is too large")
    return value


def _constant(name: str) -> Json:
    raise _Unparsed(f"{name} is not a number in JSON")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_int, parse_float=_float, parse_constant=_constant
)


def _kind(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list():
            return "a list"
        case _:
            return "an object"
