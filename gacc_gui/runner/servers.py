"""The addresses behind one endpoint: a client for each, and which of them is asked next.

Owns the SDK's clients, made so that nothing of the environment leaks into a request, and what is known of
each server: how busy it is, whether it fails, until when it asked to be left alone. Not here: what is sent
and what came back (`endpoint`).
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlsplit

from gacc_gui.runner.config_model import EndpointConfig
from gacc_gui.runner.credentials import Credentials, shown_address
from gacc_gui.runner.limits import backoff

if TYPE_CHECKING:
    import httpx2
    import openai

_LOGGERS: Final = ("openai", "httpx2", "httpcore2", "httpx", "httpcore")
_THIS_MACHINE: Final = ("localhost", "127.0.0.1", "::1")
_LANE: Final = 4
"""Calls that share a pool of connections: a pool looks at all of its connections for every request (httpcore2
2.16, measured: a sixth of the time of 32 calls at once)."""


@dataclass(slots=True, eq=False)
class _Lane:
    client: openai.AsyncOpenAI
    under_way: int = 0


@dataclass(slots=True, eq=False)
class Server:
    """One address. `resume_at` on the endpoint's clock; `reason` is why it is not asked before."""

    address: str
    new_client: Callable[[], openai.AsyncOpenAI]
    under_way: int = 0
    failures: int = 0
    resume_at: float = 0.0
    reason: str = ""
    _lanes: list[_Lane] = field(default_factory=list)

    @contextmanager
    def in_use(self) -> Iterator[openai.AsyncOpenAI]:
        """Give a client for one call."""
        lane = next((lane for lane in self._lanes if lane.under_way < _LANE), None)
        if lane is None:
            lane = _Lane(self.new_client())
            self._lanes.append(lane)
        lane.under_way += 1
        self.under_way += 1
        try:
            yield lane.client
        finally:
            lane.under_way -= 1
            self.under_way -= 1

    def pause(self, until: float, reason: str) -> None:
        """Leave the server alone until then, at least."""
        if until > self.resume_at:
            self.resume_at, self.reason = until, reason


def is_here(url: str) -> bool:
    """Whether an address is this machine's own."""
    return urlsplit(url).hostname in _THIS_MACHINE


class Servers:
    """All servers of an endpoint."""

    def __init__(self, config: EndpointConfig, credentials: Credentials) -> None:
        import httpx2

        for name in _LOGGERS:  # Their lines hold whole addresses, and on demand whole bodies.
            logging.getLogger(name).setLevel(logging.WARNING)
        # A proxy of the environment does not know this machine's own servers.
        here = all(map(is_here, config.base_urls))
        self._http: list[httpx2.AsyncClient] = []
        self._http_settings: dict[str, Any] = {
            "timeout": config.timeout_seconds,
            "trust_env": not here,
            "verify": httpx2.create_ssl_context(),  # the costly part of a client, shared
        }
        self._config = config
        self._key = credentials.key
        self._servers = [
            Server(shown_address(url), partial(self._new_client, url)) for url in config.base_urls
        ]
        self._turn = 0

    async def aclose(self) -> None:
        """Close all connections."""
        for client in self._http:
            await client.aclose()

    def choose(self, now: float, avoided: Server | None) -> Server:
        """Return the server that is free first, not the one that just failed, the least busy, in turn."""
        self._turn += 1
        turn, count = self._turn, len(self._servers)

        def rank(i: int) -> tuple[float, bool, int, int]:
            server = self._servers[i]
            return max(server.resume_at - now, 0.0), server is avoided, server.under_way, (i - turn) % count

        return self._servers[min(range(count), key=rank)]

    def failed(self, server: Server, now: float, reason: str) -> bool:
        """Count a server's failure; returns whether another one may be asked at once.

        A dead server has the fewest calls under way: without a pause it would draw all of them.
        """
        server.failures += 1
        if len(self._servers) == 1:
            return False
        server.pause(now + backoff(server.failures, random.random()), reason)
        return any(other.resume_at <= now for other in self._servers)

    def _new_client(self, url: str) -> openai.AsyncOpenAI:
        import openai

        http = openai.DefaultAsyncHttpxClient(**self._http_settings)
        self._http.append(http)
        parts = urlsplit(url)
        headers: dict[str, Any] = {}
        if parts.hostname != "api.openai.com":
            # The SDK takes these from the environment; they are nobody else's business.
            headers |= {"OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()}
        return openai.AsyncOpenAI(
            api_key=self._key or "",
            base_url=parts._replace(query="", fragment="").geturl(),
            timeout=self._config.timeout_seconds,
            max_retries=0,
            default_headers=headers,
            default_query=dict(parse_qsl(parts.query)),
            http_client=http,
            _enforce_credentials=False,
        )
