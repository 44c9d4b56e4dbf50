"""How fast an endpoint may be called, and how long to wait after a failure.

Owns the window of a minute that requests and tokens are counted in, and the delay before another attempt.
Not here: who waits (`endpoint`), and what a whole run may use (the engine's caps).
"""

from __future__ import annotations

import email.utils
import math
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

LONGEST_RETRY_AFTER: Final = 120.0
"""Seconds. A service that asks for more is not waited for: the attempt was the last."""
_FIRST_BACKOFF: Final = 0.5
_LONGEST_BACKOFF: Final = 8.0
_MINUTE: Final = 60.0


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds a service asks to wait, in `headers` with lower-case names.

    `inf` is too long to wait for; None that it does not say, or says what is no delay (0, the past, a word).
    The same values as in the OpenAI SDK: seconds with or without a fraction, milliseconds, an HTTP date.
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        said = headers.get(name)
        if said is None:
            continue
        try:
            seconds = float(said) / unit
        except ValueError:
            continue
        if math.isinf(seconds) and "inf" not in said.lower():
            return math.inf  # A number too large for a float is a delay, the word is none.
        return _bounded(seconds)
    said = headers.get("retry-after")
    moment = email.utils.parsedate_tz(said) if said else None
    if moment is None:
        return None
    try:
        return _bounded(email.utils.mktime_tz(moment) - time.time())
    except (ValueError, OverflowError, OSError):
        return None


def backoff(failures: int, chance: float) -> float:
    """Return the seconds to wait after so many failures (at least 1) where a service does not say.

    `chance` in [0, 1) takes up to a quarter off, so that calls that failed together do not return together.
    """
    longest = min(_FIRST_BACKOFF * 2.0 ** min(failures - 1, 10), _LONGEST_BACKOFF)
    return longest * (1 - 0.25 * chance)


def _bounded(seconds: float) -> float | None:
    if math.isnan(seconds) or math.isinf(seconds) or seconds <= 0:
        return None
    return seconds if seconds <= LONGEST_RETRY_AFTER else math.inf


@dataclass(slots=True)
class Window:
    """What was sent in the last minute, against what may be. Times in seconds of any steady clock.

    At no moment have the last 60 seconds seen more than allowed. A request of more tokens than a whole minute
    allows waits for an empty window, and then goes.
    """

    requests: int | None = None
    tokens: int | None = None
    _sent: deque[list[float]] = field(default_factory=deque)
    _tokens: float = 0.0

    @property
    def unlimited(self) -> bool:
        """Whether there is nothing to wait for, ever."""
        return self.requests is None and self.tokens is None

    def wait(self, now: float, tokens: int) -> float:
        """Return the seconds until a request of so many tokens may go; 0 where it may go now."""
        self._forget(now)
        until = now
        if self.requests is not None and len(self._sent) >= self.requests:
            until = self._sent[len(self._sent) - self.requests][0] + _MINUTE
        if self.tokens is not None and self._sent:
            left = self._tokens
            for moment, sent in self._sent:
                if left + tokens <= self.tokens:
                    break
                left -= sent
                until = max(until, moment + _MINUTE)
        return until - now

    def send(self, now: float, tokens: int) -> list[float]:
        """Count a request that goes now; returns its entry, for `correct`."""
        entry = [now, float(tokens)]
        if self.unlimited:
            return entry
        self._sent.append(entry)
        self._tokens += tokens
        return entry

    def correct(self, entry: list[float], tokens: int) -> None:
        """Count what a request really took, once that is known."""
        if any(entry is kept for kept in self._sent):
            self._tokens += tokens - entry[1]
            entry[1] = float(tokens)

    def _forget(self, now: float) -> None:
        while self._sent and self._sent[0][0] + _MINUTE <= now:
            self._tokens -= self._sent.popleft()[1]
