"""A loopback service that speaks the System One API (`POST /v1/systemone`), on good days and on bad ones.

`SystemOneServer()` scores a `noul` question by the words it shares with the state's task: the same scores for
the same request. A rule, or answers in turn, decide otherwise, as in `odd_server`: `scores(0.9, …)`,
`without("1:0-2")`, `odd_score("NaN")`, `rate_limited(2)`, `OVERLOADED`, `page()`. What it got is in
`received`; the questions of all requests in `asked`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from tests.servers.odd_server import Answer, OddServer, Received, Rule, document, error, in_turn, page

__all__ = [
    "OVERLOADED",
    "Answer",
    "SystemOneServer",
    "decisions",
    "in_turn",
    "odd_score",
    "page",
    "rate_limited",
    "refused_key",
    "scored",
    "scores",
    "without",
]

MODEL: Final = "jev-test-1"
OVERLOADED: Final = error(503, "overloaded")


class SystemOneServer(OddServer):
    """Serves decisions from a thread of its own while the block lasts."""

    def __init__(self, rule: Rule | Sequence[Answer] | Answer | None = None) -> None:
        super().__init__(scored if rule is None else rule)

    @property
    def url(self) -> str:
        """The base URL, as `DECISION_MODEL_BASE_URL` names it."""
        return super().url.removesuffix("/v1")

    @property
    def asked(self) -> list[str]:
        """The names of all questions, in the order in which they came."""
        return [name for received in self.received for name in received.json["questions"]]


def scored(received: Received) -> Answer:
    """Answer every question, by the words that it shares with the task."""
    if (fault := _fault(received)) is not None:
        return fault
    body = received.json
    task = _words(body["state"])
    named = {
        name: round(len(task & _words(question)) / (1 + len(_words(question))), 6)
        for name, question in body["questions"].items()
    }
    return decisions(named)


def scores(*given: Any) -> Rule:
    """A rule: these scores, in the order of the questions; the last one for all that follow."""

    def rule(received: Received) -> Answer:
        names = list(received.json["questions"])
        return decisions({name: given[min(at, len(given) - 1)] for at, name in enumerate(names)})

    return rule


def without(*names: str, more: Sequence[str] = ()) -> Rule:
    """A rule: every question is answered but these, and some that nobody asked."""

    def rule(received: Received) -> Answer:
        asked = [name for name in received.json["questions"] if name not in names]
        return decisions(dict.fromkeys([*asked, *more], 0.5))

    return rule


def odd_score(written: str) -> Rule:
    """A rule: the first score is this text of the reply's JSON (`NaN`, `"0.5"`, `1.5`, `null`)."""

    def rule(received: Received) -> Answer:
        text = decisions({name: 0.25 for name in received.json["questions"]}).body.decode()
        return Answer(text.replace("0.25", written, 1).encode())

    return rule


def rate_limited(seconds: float | str) -> Answer:
    """Too many requests, with the time to come again."""
    return error(429, "rate limit exceeded", retry_after=str(seconds))


def refused_key() -> Answer:
    """The key is none of theirs."""
    return document({"detail": "invalid API key"}, 401)


def decisions(scores: dict[str, Any], usage: Any = ...) -> Answer:
    """A reply with these scores."""
    answers = {name: {"type": "noul", "noul": score} for name, score in scores.items()}
    told = {"input_tokens": 40 * len(scores), "output_tokens": len(scores)} if usage is ... else usage
    return document({"model": MODEL, "answers": answers, "usage": told}, x_typesafe_request_id="req-1")


def _fault(received: Received) -> Answer | None:
    if received.path != "/v1/systemone":
        return document({"detail": "Not Found"}, 404)
    try:
        body = received.json
    except ValueError:
        return document({"detail": "no JSON"}, 400)
    questions = body.get("questions")
    if not isinstance(questions, dict) or not questions or not body.get("state") or not body.get("model"):
        return document({"detail": [{"loc": ["body"], "msg": "state, model and questions are needed"}]}, 422)
    if any(question.get("type") != "noul" for question in questions.values()):
        return document({"detail": "only noul is answered here"}, 422)
    return None


def _words(value: Any) -> set[str]:
    return set(re.findall(r"\w{3,}", json.dumps(value, ensure_ascii=False).lower()))
