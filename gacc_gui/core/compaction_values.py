"""Contexts and results of the compaction benchmark, read from JSON that may have been anybody's.

Owns what makes such a value unusable, in words: every field is looked at, whatever it holds, so that nobody
who gets a `SentContext` or an `AnswerResult` needs to. Pure. Writing them is `core.compaction`'s.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from gacc_gui.core.compaction import (
    METHODS,
    RESULT_STATUSES,
    SCORES,
    AnswerResult,
    SentContext,
    TokenCounts,
)
from gacc_gui.core.records import Json

_MOST: Final = 10**12
"""A count above it is no count of tokens."""
_GROUP_ID: Final = re.compile(r"(0|[1-9]\d{0,8}):(0|[1-9]\d{0,8})-(0|[1-9]\d{0,8})", re.ASCII)


def context_from(value: object) -> SentContext:
    """Read what `SentContext.as_json` wrote. Raises ValueError, in words, for anything else."""
    read = _Object(value, "the context")
    tokens = _Object(read.take("tokens"), "its tokens")
    ceiling, reserve, fixed, local = (
        _whole(tokens.take(name), name) for name in ("ceiling", "reserve", "fixed", "local")
    )
    counts = TokenCounts(
        ceiling,
        reserve,
        fixed,
        _whole_or_none(tokens.take("space"), "space", least=-_MOST),
        local,
        _whole_or_none(tokens.take("provider"), "provider"),
    )
    tokens.close()
    sent = SentContext(
        method=_one_of(read.take("method"), "method", METHODS),
        messages=tuple(_message(message) for message in _list(read.take("messages"), "messages")),
        kept=_groups_named(read.take("kept"), "kept"),
        dropped=_groups_named(read.take("dropped"), "dropped"),
        summary=_text_or_none(read.take("summary"), "summary"),
        ranking=tuple(_ranked(pair) for pair in _list(read.take("ranking"), "ranking")),
        tokens=counts,
        retries=_whole(read.take("retries"), "retries"),
    )
    read.close()
    return sent


def result_from(value: object) -> AnswerResult:
    """Read what `AnswerResult.as_json` wrote, among whatever else is there. Raises ValueError, in words."""
    read = _Object(value, "the result")
    status = _one_of(read.take("result"), "status", RESULT_STATUSES)
    scores = _Object(read.take("scores"), "its scores")
    predicted = _Object(read.take("predicted"), "what was predicted")
    answer = _text_or_none(predicted.take("answer"), "answer")
    facts = predicted.take("supporting_facts")
    if answer is None and facts is not None:
        raise ValueError("supporting facts are predicted, and no answer")
    said: dict[str, Json] | None = None
    if answer is not None:
        said = {"answer": answer, "supporting_facts": [_fact(fact) for fact in _list(facts, "facts")]}
    if status == "ok" and said is None:
        raise ValueError("the status is ok, and nothing was predicted")
    if type(read.take("valid")) is not bool:
        raise ValueError("valid is no boolean")
    return AnswerResult(
        status,
        {name: _share(scores.take(name), name) for name in SCORES},
        said,
        _whole_or_none(read.take("provider_input_tokens"), "provider_input_tokens"),
    )


class _Object:
    """The fields of a JSON object, taken one by one."""

    def __init__(self, value: object, what: str) -> None:
        if not isinstance(value, Mapping):
            raise ValueError(f"{what} {'are' if what.endswith('s') else 'is'} no object")
        self._value, self._what, self._left = value, what, set(value)

    def take(self, name: str) -> Any:
        if name not in self._value:
            raise ValueError(f"there is no {name} in {self._what}")
        self._left.discard(name)
        return self._value[name]

    def close(self) -> None:
        """Raise ValueError where something is left."""
        if self._left:
            raise ValueError(f"{self._what}: {min(map(str, self._left))!r:.60} is not known")


def _list(value: object, name: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"{name} is no list")
    return value


def _one_of(value: object, name: str, known: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name} is {value!r:.60}, and none of {', '.join(known)}")
    return value


def _text_or_none(value: object, name: str) -> str | None:
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{name} is no text")
    return value


def _whole(value: object, name: str, least: int = 0) -> int:
    if type(value) is not int or not least <= value <= _MOST:
        raise ValueError(f"{name} is no whole number from {least:,} to {_MOST:,}")
    return value


def _whole_or_none(value: object, name: str, least: int = 0) -> int | None:
    return None if value is None else _whole(value, name, least)


def _share(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"{name} is no number from 0 to 1")
    return float(value)


def _message(value: object) -> dict[str, str]:
    if not isinstance(value, Mapping) or value.keys() != {"role", "content"}:
        raise ValueError("a message is no object of role and content")
    role, content = value["role"], value["content"]
    if not isinstance(role, str) or not isinstance(content, str):
        raise ValueError("role or content of a message is no text")
    return {"role": role, "content": content}


def _groups_named(value: object, name: str) -> tuple[str, ...]:
    return tuple(_group_id(group) for group in _list(value, name))


def _group_id(value: object) -> str:
    if not isinstance(value, str) or _GROUP_ID.fullmatch(value) is None:
        raise ValueError(f"{value!r:.60} is no group, such as 3:0-2")
    return value


def _ranked(value: object) -> tuple[str, float]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError("a rank is no group with a score")
    return _group_id(value[0]), _share(value[1], "a score")


def _fact(value: object) -> list[Json]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError("a predicted fact is no pair of a title and an id")
    title, sentence = value
    if not isinstance(title, str) or not isinstance(sentence, int | float | str):
        raise ValueError("a predicted fact is no pair of a title and an id")
    if isinstance(sentence, float) and not math.isfinite(sentence):
        raise ValueError("the sentence id of a predicted fact is no number")
    return [title, sentence]
