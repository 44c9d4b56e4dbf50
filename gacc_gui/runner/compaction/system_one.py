"""A service that speaks the System One API, asked through TypeSafe's SDK, with every attempt recorded.

Owns when an attempt is made, waiting, trying again, and what a call leaves behind. There is one layer of
retries, and it is this one: the SDK's own is off, because it neither shows its waiting nor says what failed.
Not here: what is asked (`decisions`), how a reply is read (`decision_replies`). How long is waited is
`runner.limits`': the same as for a chat completions service.

A client belongs to one event loop and is closed in it (`aclose`).
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import random
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.core.records import Json
from gacc_gui.runner.compaction.decision_replies import Exchange, Outcome, read_decisions
from gacc_gui.runner.completions import Completion
from gacc_gui.runner.config_model import EndpointConfig
from gacc_gui.runner.credentials import Credentials
from gacc_gui.runner.events import Waiting
from gacc_gui.runner.failures import (
    AUTHENTICATION,
    BAD_REQUEST,
    BAD_RESPONSE,
    CONNECTION,
    TIMEOUT,
    UNREACHABLE,
    Failure,
    repaired,
)
from gacc_gui.runner.limits import backoff, retry_after
from gacc_gui.runner.parts import Attempt, RunStopped, Usage
from gacc_gui.runner.servers import is_here
from gacc_gui.runner.tries import FREE, Tries
from gacc_gui.runner.workers import NotBegunError

if TYPE_CHECKING:
    from typesafe_sdk import AsyncTypeSafeClient

_LONGEST_REPLY: Final = 1_000_000
"""Characters of a body that are kept."""
_WORTH_TELLING: Final = 1.0
"""Seconds of waiting from which on it is told."""
_UNREACHABLE_CALLS: Final = 10
"""Calls in a row, none of which got a connection, after which no more are made."""
_LOGGERS: Final = ("typesafe_sdk", "httpx2", "httpcore2")

_SEEN: ContextVar[list[Exchange]] = ContextVar("exchanges")


class SystemOneClient:
    """Asks one service for `noul` answers. Many tasks may use it at once.

    `tries` is asked before each try: what a run may use, and whether it goes on, is not known here.
    """

    def __init__(
        self,
        config: EndpointConfig,
        credentials: Credentials,
        *,
        on_waiting: Callable[[Waiting], None] | None = None,
        tries: Tries = FREE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.config = config
        self._credentials = credentials
        self._on_waiting = on_waiting
        self._tries = tries
        self._clock = clock
        self._slots = asyncio.Semaphore(config.concurrency)
        self._client: AsyncTypeSafeClient | None = None
        self._resume_at = 0.0
        self._reason = ""
        self._told_until = 0.0
        self._unreachable = 0

    def __repr__(self) -> str:
        return f"SystemOneClient({self.config.name!r}, {self.config.model!r})"

    async def aclose(self) -> None:
        """Close all connections. A closed client is not used again; closing twice is harmless."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def ask(self, state: Json, questions: Mapping[str, str]) -> Completion:
        """Ask yes/no questions about a state, by name; whatever fails is a status, never an exception.

        The text of the completion is a JSON object: each question's probability of yes, by name, in the order
        in which they were asked. Raises RunStopped and NotBegunError as `ModelClient.complete` does.
        """
        body = {
            "state": state,
            "model": self.config.model,
            "questions": {name: {"type": "noul", "instructions": text} for name, text in questions.items()},
        }
        outcome: Outcome | None = None
        attempts: list[Attempt] = []
        usages: list[Usage] = []
        waited = 0.0
        async with self._slots:
            while True:
                held = await self._next_turn()
                if not self._tries.may_begin():
                    if outcome is None:
                        raise NotBegunError
                    return self._completion(body, outcome, attempts, usages)
                started = datetime.now(UTC).isoformat(timespec="milliseconds")
                begun = time.perf_counter()
                outcome = await self._attempt(body)
                seconds = time.perf_counter() - begun
                error = None if outcome.failure is None else self._said(outcome.failure.message)
                status = None if outcome.exchange is None else outcome.exchange.status
                attempts.append(Attempt(started, seconds, waited + held, status, error))
                if outcome.usage is not None:
                    usages.append(outcome.usage)
                delay = self._delay(outcome, len(attempts))
                if delay is None or not self._tries.may_try_again():
                    return self._completion(body, outcome, attempts, usages)
                waited = await self._wait(delay, error or "") if delay else 0.0

    async def _next_turn(self) -> float:
        held = 0.0
        while (left := self._resume_at - self._clock()) > 0 and self._tries.may_begin():
            held += await self._wait(left, self._reason)
        return held

    def _delay(self, outcome: Outcome, made: int) -> float | None:
        """Return the seconds until another attempt, or None where there is none to make.

        What the service asks to wait holds for every call to it.
        """
        failure, exchange = outcome.failure, outcome.exchange
        if failure is None or not failure.retry:
            return None
        pause = None if exchange is None else retry_after(exchange.headers)
        if pause is not None and pause < math.inf:
            self._resume_at = max(self._resume_at, self._clock() + pause)
            self._reason = self._said(failure.message)
        if made > self.config.max_retries or pause == math.inf:
            return None
        return backoff(made, random.random()) if pause is None else 0.0

    async def _wait(self, seconds: float, reason: str) -> float:
        until = self._clock() + seconds
        if self._on_waiting is not None and seconds >= _WORTH_TELLING and until > self._told_until + 0.5:
            self._told_until = until
            self._on_waiting(Waiting(self.config.name, seconds, reason))
        await self._tries.sleep(seconds)
        return seconds

    async def _attempt(self, body: Mapping[str, Any]) -> Outcome:
        import httpx2
        from typesafe_sdk import TypeSafeAPIConnectionError, TypeSafeAPIError, TypeSafeError

        exchanges: list[Exchange] = []
        _SEEN.set(exchanges)
        names = tuple(body["questions"])
        try:
            client = self._client = self._client or self._new_client()
            async with asyncio.timeout(self.config.timeout_seconds):
                await client.system_one(**body)
        except (TypeSafeAPIConnectionError, TimeoutError) as error:
            return self._unconnected(error, httpx2.ConnectError)
        except TypeSafeAPIError:
            pass  # whatever it says of the reply, the reply itself is read below
        except (TypeSafeError, httpx2.HTTPError, ValueError, UnicodeError) as error:
            kind = BAD_RESPONSE if exchanges else BAD_REQUEST
            told = f"{kind}: {type(error).__name__}: {error}"
            return Outcome(failure=Failure(kind, told, retry=False), exchange=_last(exchanges))
        exchange = _last(exchanges)
        if exchange is None:
            return Outcome(failure=Failure(BAD_RESPONSE, "the SDK gave no reply", retry=False))
        return read_decisions(exchange, names)

    def _unconnected(self, error: BaseException, unreachable: type[BaseException]) -> Outcome:
        if isinstance(error, TimeoutError):
            told = f"no reply within {self.config.timeout_seconds:g} s"
            return Outcome(failure=Failure(TIMEOUT, told, retry=True))
        cause = error.__cause__ or error
        kind = UNREACHABLE if isinstance(cause, unreachable) else CONNECTION
        told = f"no connection to {self.config.base_urls[0]}: {type(cause).__name__}: {cause}"
        return Outcome(failure=Failure(kind, told, retry=True))

    def _new_client(self) -> AsyncTypeSafeClient:
        import httpx2
        from typesafe_sdk import AsyncTypeSafeClient, RetryPolicy

        for name in _LOGGERS:  # On demand their lines hold whole bodies.
            logging.getLogger(name).setLevel(logging.WARNING)

        async def noted(response: httpx2.Response) -> None:
            content = await response.aread()
            said = {name.lower(): value for name, value in response.headers.items()}
            _SEEN.get().append(Exchange(response.request.content, response.status_code, said, content))

        address = self.config.base_urls[0]
        http = httpx2.AsyncClient(
            timeout=self.config.timeout_seconds,
            trust_env=not is_here(address),
            event_hooks={"response": [noted]},
        )
        return AsyncTypeSafeClient(
            api_key=self._credentials.key,
            model=self.config.model,
            base_url=address,
            retry=RetryPolicy(max_retries=0, timeout=None),
            http_client=http,
            compression=False,  # what was sent is kept as it was sent
        )

    def _completion(
        self,
        body: Mapping[str, Json],
        outcome: Outcome,
        attempts: list[Attempt],
        usages: list[Usage],
    ) -> Completion:
        clean, failure, exchange = self._credentials.removed_from, outcome.failure, outcome.exchange
        if exchange is None:
            sent, reply = json.dumps(body, ensure_ascii=False, separators=(",", ":")), None
        else:
            sent = exchange.sent.decode("utf-8", "replace")
            reply = clean(repaired(exchange.content.decode("utf-8", "replace"))[:_LONGEST_REPLY])
        details: dict[str, Json] = {
            "endpoint": self.config.name,
            "model": self.config.model,
            "questions": len(body["questions"]),
        }
        if outcome.model is not None and outcome.model != self.config.model:
            details["served_model"] = clean(outcome.model)
        error = None
        if failure is not None:
            error = self._said(failure.message)
            if len(attempts) > 1:
                error = f"{error} (after {len(attempts)} attempts)"
        text = None
        if outcome.scores is not None:
            text = json.dumps(dict(outcome.scores), ensure_ascii=False, separators=(",", ":"))
        completion = Completion(
            text=text,
            status="ok" if failure is None else "error",
            finish_reason=None,
            usage=_sum(usages),
            attempts=tuple(attempts),
            latency_seconds=attempts[-1].seconds,
            sent=clean(sent),
            reply=reply,
            error=error,
            kind=None if failure is None else failure.kind,
            details=details,
        )
        if (stopped := self._why_stopped(failure)) is not None:
            raise RunStopped(f"endpoint {self.config.name!r}: {stopped}", completion.call())
        return completion

    def _why_stopped(self, failure: Failure | None) -> str | None:
        """Return why no further call of the run can succeed, or None."""
        lost = failure is not None and failure.kind == UNREACHABLE
        self._unreachable = self._unreachable + 1 if lost else 0
        if failure is None:
            return None
        said = self._said(failure.message)
        if self._unreachable >= _UNREACHABLE_CALLS:
            return f"{self._unreachable} calls in a row found {said}"
        if not failure.stops_run:
            return None
        if failure.kind == AUTHENTICATION:
            return f"the key in {self.config.api_key_env} was refused: {said}"
        return f"the quota is used up: {said}"

    def _said(self, text: str) -> str:
        return self._credentials.message(text)


def _last(exchanges: list[Exchange]) -> Exchange | None:
    return exchanges[-1] if exchanges else None


def _sum(usages: list[Usage]) -> Usage | None:
    if len(usages) <= 1:
        return usages[0] if usages else None

    def of(name: str) -> int | None:
        told = [n for usage in usages if (n := getattr(usage, name)) is not None]
        return sum(told) if told else None

    return Usage(of("input_tokens"), of("output_tokens"))
