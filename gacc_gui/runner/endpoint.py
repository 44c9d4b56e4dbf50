"""A chat completions service: one client for all its addresses, with its limits, and every attempt recorded.

Owns when an attempt is made, waiting, trying again, and what a call leaves behind. There is one layer of
retries, and it is this one: the SDK's own is off, because it neither shows its waiting nor says what failed.
The delays are the SDK's (`limits.retry_after`). Not here: what replies mean (`replies`, `failures`), which
address is asked (`servers`), and what is asked (`llm_parts`).

A client belongs to one event loop and is closed in it (`async with`).
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Self

from gacc_gui.core.records import Json
from gacc_gui.formats.redaction import redacted_value
from gacc_gui.runner.completions import Completion
from gacc_gui.runner.config_model import EndpointConfig
from gacc_gui.runner.credentials import Credentials, credentials_of
from gacc_gui.runner.events import Waiting
from gacc_gui.runner.failures import (
    AUTHENTICATION,
    BAD_RESPONSE,
    CONNECTION,
    SERVER,
    TIMEOUT,
    UNREACHABLE,
    Failure,
    read_failure,
    repaired,
)
from gacc_gui.runner.limits import Window, backoff, retry_after
from gacc_gui.runner.parts import Attempt, RunStopped, Usage
from gacc_gui.runner.pricing import cost_of
from gacc_gui.runner.replies import Reply, failed, read_reply
from gacc_gui.runner.servers import Server, Servers
from gacc_gui.runner.tries import FREE, Tries
from gacc_gui.runner.workers import NotBegunError

Message = Mapping[str, str]
"""`role` and `content`."""

_LONGEST_REPLY: Final = 1_000_000
"""Characters of a body that are kept."""
_WORTH_TELLING: Final = 1.0
"""Seconds of waiting from which on it is told."""
_UNREACHABLE_CALLS: Final = 10
"""Calls in a row, none of which got a connection in any attempt, after which no more are made."""
_LIMITED: Final = "the endpoint's limit per minute"


@dataclass(slots=True)
class _Outcome:
    """What one attempt gave. `status`: HTTP's, None where there was no reply."""

    reply: Reply
    status: int | None = None
    body: str | None = None
    pause: float | None = None
    """Seconds the service asks to wait; `inf` where that is too long."""


class ModelClient:
    """Asks one endpoint. Many tasks may use it at once; no more than `concurrency` calls are under way.

    `tries` is asked before each try: what a run may use, and whether it goes on, is not known here.
    """

    def __init__(
        self,
        config: EndpointConfig,
        credentials: Credentials | None = None,
        *,
        on_waiting: Callable[[Waiting], None] | None = None,
        tries: Tries = FREE,
        count_tokens: Callable[[str], int] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.config = config
        self._credentials = credentials_of(config, os.environ) if credentials is None else credentials
        self._on_waiting = on_waiting
        self._tries = tries
        self._count_tokens = count_tokens or _about
        self._clock = clock
        self._slots = asyncio.Semaphore(config.concurrency)
        self._window = Window(config.requests_per_minute, config.tokens_per_minute)
        self._servers: Servers | None = None
        self._told_until = 0.0
        self._unreachable = 0

    def __repr__(self) -> str:
        return f"ModelClient({self.config.name!r}, {self.config.model!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close all connections. A closed client is not used again; closing twice is harmless."""
        servers, self._servers = self._servers, None
        if servers is not None:
            await servers.aclose()

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int | None,
        temperature: float = 0.0,
        seed: int | None = None,
        response_format: Mapping[str, Json] | None = None,
    ) -> Completion:
        """Ask, and try again where that may help; whatever fails is a status, never an exception.

        Raises RunStopped where the key is refused or the quota is used up, and where call after call finds
        nobody to connect to, with what was sent and came back; NotBegunError where the run is stopping before
        anything was sent.
        """
        body = self._body(messages, max_tokens, temperature, seed, response_format)
        tokens = 0 if self._window.unlimited else self._tokens_of(messages, max_tokens)
        if self._servers is None:
            self._servers = Servers(self.config, self._credentials)
        servers, avoided = self._servers, None
        outcome: _Outcome | None = None
        attempts: list[Attempt] = []
        usages: list[Usage] = []
        waited = 0.0
        async with self._slots:
            while True:
                server, held = await self._next_turn(servers, tokens, avoided)
                if not self._tries.may_begin():
                    if outcome is None:
                        raise NotBegunError
                    return self._completion(body, outcome, attempts, _sum(usages))
                entry = self._window.send(self._clock(), tokens)
                started = datetime.now(UTC).isoformat(timespec="milliseconds")
                begun = time.perf_counter()
                outcome = await self._attempt(server, body)
                seconds = time.perf_counter() - begun
                usage, failure = outcome.reply.usage, outcome.reply.failure
                error = None if failure is None else self._credentials.message(failure.message)
                attempts.append(Attempt(started, seconds, waited + held, outcome.status, error))
                if usage is not None:
                    usages.append(usage)
                    self._window.correct(entry, _all_tokens(usage, tokens))
                delay = self._delay(servers, server, outcome, len(attempts))
                if delay is None or not self._tries.may_try_again():
                    return self._completion(body, outcome, attempts, _sum(usages))
                waited = await self._wait(delay, error or "")
                avoided = server

    def _body(
        self,
        messages: Sequence[Message],
        max_tokens: int | None,
        temperature: float,
        seed: int | None,
        response_format: Mapping[str, Json] | None,
    ) -> dict[str, Json]:
        config = self.config
        body: dict[str, Json] = {
            "model": config.model,
            "messages": [{name: repaired(text) for name, text in message.items()} for message in messages],
        }
        if max_tokens is not None:
            body[config.max_tokens_field] = max_tokens
        if not config.omit_temperature:
            body["temperature"] = temperature
        if seed is not None:
            body["seed"] = seed
        if response_format is not None:
            body["response_format"] = dict(response_format)
        return {**body, **config.extra_body}

    def _tokens_of(self, messages: Sequence[Message], max_tokens: int | None) -> int:
        return sum(self._count_tokens(message["content"]) for message in messages) + (max_tokens or 0)

    async def _next_turn(self, servers: Servers, tokens: int, avoided: Server | None) -> tuple[Server, float]:
        """Return the server to ask, once the limits allow it or none may be asked any more, and the seconds
        that were waited.
        """
        held = 0.0
        while True:
            now = self._clock()
            server = servers.choose(now, avoided)
            paused, limited = server.resume_at - now, self._window.wait(now, tokens)
            if max(paused, limited) <= 0 or not self._tries.may_begin():
                return server, held
            reason = self._credentials.message(server.reason) if paused >= limited else _LIMITED
            held += await self._wait(max(paused, limited), reason)

    def _delay(self, servers: Servers, server: Server, outcome: _Outcome, made: int) -> float | None:
        """Return the seconds until another attempt, or None where there is none to make.

        What a service asks to wait holds for every call to it, so it is waited for in turn (`_next_turn`).
        """
        failure = outcome.reply.failure
        now, elsewhere = self._clock(), False
        if failure is not None and failure.kind in (CONNECTION, UNREACHABLE, SERVER, TIMEOUT):
            elsewhere = servers.failed(server, now, failure.message)
        else:
            server.failures = 0
        if failure is None:
            return None
        if outcome.pause is not None and failure.retry and outcome.pause < math.inf:
            server.pause(now + outcome.pause, failure.message)
            elsewhere = True
        if not failure.retry or made > self.config.max_retries or outcome.pause == math.inf:
            return None
        return 0.0 if elsewhere else backoff(made, random.random())

    async def _wait(self, seconds: float, reason: str) -> float:
        until = self._clock() + seconds
        if self._on_waiting is not None and seconds >= _WORTH_TELLING and until > self._told_until + 0.5:
            self._told_until = until
            self._on_waiting(Waiting(self.config.name, seconds, reason))
        await self._tries.sleep(seconds)
        return seconds

    async def _attempt(self, server: Server, body: Mapping[str, Json]) -> _Outcome:
        import httpx2
        import openai

        # Not `chat.completions.create`: it walks through every body with the types of its arguments, for a
        # fifth of the whole time (openai 3.57, measured), and reads replies less closely than we do.
        options: Any = {} if self._credentials.key else {"headers": {"Authorization": openai.Omit()}}
        try:
            with server.in_use() as client:
                async with asyncio.timeout(self.config.timeout_seconds):
                    raw = await client.post(
                        "/chat/completions", body=body, cast_to=httpx2.Response, options=options
                    )
            return self._read(raw.status_code, raw.headers, raw.content)
        except (TimeoutError, openai.APITimeoutError):
            told = f"no reply within {self.config.timeout_seconds:g} s"
            return _failed(Failure(TIMEOUT, told, retry=True))
        except openai.APIStatusError as error:
            return self._read(error.status_code, error.response.headers, error.response.content)
        except openai.APIConnectionError as error:
            told = self._credentials.message(_innermost(error))
            kind = UNREACHABLE if isinstance(error.__cause__, httpx2.ConnectError) else CONNECTION
            return _failed(Failure(kind, f"no connection to {server.address}: {told}", retry=True))
        except Exception as error:  # other people's bytes, whatever they make a library do
            told = self._credentials.message(f"{type(error).__name__}: {error}")
            return _failed(Failure(BAD_RESPONSE, f"bad response: {told}", retry=False))

    def _read(self, status: int, headers: Mapping[str, str], content: bytes) -> _Outcome:
        content = self._credentials.removed_from_bytes(content)
        said = {name.lower(): value for name, value in headers.items()}
        text = repaired(content.decode("utf-8", "replace"))[:_LONGEST_REPLY]
        if 200 <= status < 300:
            return _Outcome(read_reply(content, said.get("content-type", "")), status, text)
        return _Outcome(failed(read_failure(status, said, content)), status, text, retry_after(said))

    def _completion(
        self, body: Mapping[str, Json], outcome: _Outcome, attempts: Sequence[Attempt], usage: Usage | None
    ) -> Completion:
        reply, clean = outcome.reply, self._credentials.removed_from
        shown = {**body, **redacted_value(dict(self.config.extra_body))}
        details: dict[str, Json] = {"endpoint": self.config.name}
        details |= {
            name: value for name, value in shown.items() if name not in ("messages", "response_format")
        }
        if reply.model is not None and reply.model != self.config.model:
            details["served_model"] = reply.model
        if reply.reasoning is not None:
            details["reasoning"] = clean(reply.reasoning)
        cost = cost_of(usage, self.config.price)
        completion = Completion(
            text=None if reply.text is None else clean(reply.text),
            status=reply.status,
            finish_reason=reply.finish_reason,
            usage=usage,
            attempts=tuple(attempts),
            latency_seconds=attempts[-1].seconds,
            sent=clean(json.dumps(shown, ensure_ascii=False, separators=(",", ":"))),
            reply=outcome.body,
            error=None if reply.error is None else self._told(reply.error, len(attempts)),
            kind=None if reply.failure is None else reply.failure.kind,
            reasoning=None if reply.reasoning is None else clean(reply.reasoning),
            cost=None if cost is None else float(cost),
            details=details,
            input_tokens=None if reply.usage is None else reply.usage.input_tokens,
        )
        stopped = self._why_stopped(reply.failure)
        if stopped is not None:
            raise RunStopped(f"endpoint {self.config.name!r}: {stopped}", completion.call())
        return completion

    def _told(self, error: str, attempts: int) -> str:
        error = self._credentials.message(error)
        return error if attempts == 1 else f"{error} (after {attempts} attempts)"

    def _why_stopped(self, failure: Failure | None) -> str | None:
        """Return why no further call of the run can succeed, or None."""
        lost = failure is not None and failure.kind == UNREACHABLE
        self._unreachable = self._unreachable + 1 if lost else 0
        if failure is None:
            return None
        said = self._credentials.message(failure.message)
        if self._unreachable >= _UNREACHABLE_CALLS:
            return f"{self._unreachable} calls in a row found {said}"
        if not failure.stops_run:
            return None
        if failure.kind != AUTHENTICATION:
            return f"the quota is used up: {said}"
        variable = self.config.api_key_env
        if variable is None:
            return f"a key is needed, and api_key_env names none: {said}"
        return f"the key in {variable} was refused: {said}"


def _failed(failure: Failure) -> _Outcome:
    return _Outcome(failed(failure))


def _innermost(error: BaseException) -> str:
    """Return what the first of a chain of errors says: the SDK's own is “Connection error.”"""
    while error.__cause__ is not None:
        error = error.__cause__
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _about(text: str) -> int:
    """Return about how many tokens a text has, for a limit per minute only; told counts replace it."""
    return len(text.encode("utf-8", "replace")) // 4 + 1


def _all_tokens(usage: Usage, otherwise: int) -> int:
    if usage.input_tokens is None or usage.output_tokens is None:
        return otherwise
    return usage.input_tokens + usage.output_tokens


def _sum(usages: Sequence[Usage]) -> Usage | None:
    if len(usages) <= 1:
        return usages[0] if usages else None

    def of(name: str) -> int | None:
        told = [n for usage in usages if (n := getattr(usage, name)) is not None]
        return sum(told) if told else None

    return Usage(of("input_tokens"), of("output_tokens"), of("cached_tokens"))
