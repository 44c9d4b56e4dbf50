"""What a System One service replied: a score for each question that was asked, or why the reply is of no use.

Owns reading a body strictly: every question answered exactly once, nothing answered that was not asked, each
score a finite number from 0 to 1. What statuses of failure mean is `runner.failures`', as for any service.
Pure. Not here: sending (`system_one`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gacc_gui.core.records import Json
from gacc_gui.runner.failures import BAD_RESPONSE, TOO_LONG, Failure, error_of, excerpt, read_failure
from gacc_gui.runner.parts import Usage

_TOO_MANY_TOKENS: Final = b"max_tokens_exceeded"
"""All that the service says where state and questions are too long."""
_MOST_TOKENS: Final = 10**12
"""A call that reports more reports nonsense."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What went over the wire in one attempt; `headers` of the reply with lower-case names."""

    sent: bytes
    status: int
    headers: Mapping[str, str]
    content: bytes


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one attempt gave: scores by question in the order they were asked, or a failure."""

    scores: Mapping[str, float] | None = None
    failure: Failure | None = None
    exchange: Exchange | None = None
    usage: Usage | None = None
    model: str | None = None


def read_decisions(exchange: Exchange, names: tuple[str, ...]) -> Outcome:
    """Return what a reply says: a score for every name, or why it is of no use."""
    if not 200 <= exchange.status < 300:
        failure = read_failure(exchange.status, exchange.headers, exchange.content)
        if _TOO_MANY_TOKENS in exchange.content:
            told = f"{failure.message}: too many tokens at once; ask about fewer groups (--decision-batch)"
            failure = Failure(TOO_LONG, told, retry=False)
        return Outcome(failure=failure, exchange=exchange)
    try:
        value = json.loads(exchange.content, object_pairs_hook=_object, parse_constant=_constant)
        if not isinstance(value, dict) or not isinstance(value.get("answers"), dict):
            raise ValueError(_no_answers(value, exchange))
        scores = {name: _score(value["answers"], name) for name in names}
        if more := sorted(set(value["answers"]) - set(names)):
            raise ValueError(f"it answers {more[0]!r:.60}, which was not asked")
    except (ValueError, RecursionError) as error:
        is_text = isinstance(error, json.JSONDecodeError | UnicodeDecodeError | RecursionError)
        told = _no_json(exchange) if is_text else str(error)
        failure = Failure(BAD_RESPONSE, f"bad response: {told}", retry=False)
        return Outcome(failure=failure, exchange=exchange)
    model = value.get("model")
    return Outcome(
        scores=scores,
        exchange=exchange,
        usage=_usage(value.get("usage")),
        model=model if isinstance(model, str) else None,
    )


def _score(answers: Mapping[str, Json], name: str) -> float:
    if name not in answers:
        raise ValueError(f"the question {name!r:.60} is not answered")
    answer = answers[name]
    if not isinstance(answer, dict) or answer.get("type") != "noul" or "noul" not in answer:
        raise ValueError(f"the answer to {name!r:.60} is no noul")
    score = answer["noul"]
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise ValueError(f"the score of {name!r:.60} is {score!r:.40}, not a number")
    if not 0 <= score <= 1:
        raise ValueError(f"the score of {name!r:.60} is {score!r:.40}, not from 0 to 1")
    return float(score)


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"{next(key for key in keys if keys.count(key) > 1)!r:.60} stands twice")
    return value


def _constant(name: str) -> Json:
    raise ValueError(f"{name} is not a number in JSON")


def _no_answers(value: Json, exchange: Exchange) -> str:
    _, message, _ = error_of(value)
    return message or f"it has no answers: {excerpt(exchange.content)}"


def _no_json(exchange: Exchange) -> str:
    kind = exchange.headers.get("content-type", "no content type")
    hint = "; is DECISION_MODEL_BASE_URL right?" if "html" in kind.lower() else ""
    return f"no JSON ({kind}): {excerpt(exchange.content)}{hint}"


def _usage(value: Json) -> Usage | None:
    if not isinstance(value, dict):
        return None
    told = [value.get(name) for name in ("input_tokens", "output_tokens")]
    counts = [n if type(n) is int and 0 <= n <= _MOST_TOKENS else None for n in told]
    return None if counts == [None, None] else Usage(*counts)
