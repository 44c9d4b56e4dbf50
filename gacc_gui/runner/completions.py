"""What a call of a model came to, after all its attempts. Not here: making it (`endpoint`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gacc_gui.core.records import NOTHING, Json
from gacc_gui.runner.parts import Attempt, Call, Usage


@dataclass(frozen=True, slots=True)
class Completion:
    """The outcome of one call.

    `status`: `ok`, `truncated`, `no_answer`, `refused` or `error`; `text` is the answer with the first two,
    and with `error` at most the part before a service broke off. `error` is a sentence for the other three,
    `kind` the failure's (`failures`) with `error`. `usage` sums what all attempts reported; `latency_seconds`
    is the last attempt's, and so is `input_tokens`, what its reply says of the input; `sent` the JSON body
    that left, `reply` the beginning of the body that came, both without credentials; `reasoning` never is an
    answer. `cost` in the price's currency, None unknown.
    """

    text: str | None
    status: str
    finish_reason: str | None
    usage: Usage | None
    attempts: tuple[Attempt, ...]
    latency_seconds: float
    sent: str
    reply: str | None
    error: str | None = None
    kind: str | None = None
    reasoning: str | None = None
    cost: float | None = None
    details: Mapping[str, Json] = NOTHING
    input_tokens: int | None = None

    def call(self) -> Call:
        """Return what every part reports of a call."""
        return Call(
            error=self.error,
            usage=self.usage,
            sent=self.sent,
            reply=self.reply,
            finish_reason=self.finish_reason,
            latency_seconds=self.latency_seconds,
            cost=self.cost,
            attempts=self.attempts,
            details=self.details,
        )
