"""Asks a client of a model against a service on loopback, on a clock that does not wait."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence
from typing import Any

from gacc_gui.runner.completions import Completion
from gacc_gui.runner.config_model import EndpointConfig
from gacc_gui.runner.credentials import Credentials
from gacc_gui.runner.endpoint import ModelClient
from gacc_gui.runner.events import Waiting
from gacc_gui.runner.tries import Tries
from tests.servers.odd_server import Answer, OddServer, Received, Rule
from tests.unit.runner.still_clock import StillClock

KEY = "sk-TESTSECRET123"
MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where? \U0001f9e0"}]


@dataclasses.dataclass
class Asked:
    """What calls came to."""

    completions: list[Completion]
    received: list[Received]
    waitings: list[Waiting]
    time: StillClock


def ask(
    rule: Rule | Sequence[Answer] | Answer,
    *,
    calls: int = 1,
    key: str | None = KEY,
    servers: int = 1,
    arguments: dict[str, Any] | None = None,
    **settings: Any,
) -> Asked:
    """Make calls, all at once, on a clock that does not wait."""
    passing, waitings = StillClock(), []

    async def main(urls: tuple[str, ...]) -> list[Completion]:
        config = EndpointConfig("main", urls, "small", api_key_env="A_KEY", **settings)
        credentials = Credentials(key)
        client = ModelClient(
            config, credentials, on_waiting=waitings.append, clock=passing, tries=Tries(sleep=passing.sleep)
        )
        async with client:
            given = {"max_tokens": 50, **(arguments or {})}
            return list(await asyncio.gather(*(client.complete(MESSAGES, **given) for _ in range(calls))))

    with OddServer(rule) as server:
        completions = asyncio.run(main((server.url,) * servers))
    return Asked(completions, server.received, waitings, passing)


def one(rule: Rule | Sequence[Answer] | Answer, **settings: Any) -> Completion:
    return ask(rule, **settings).completions[0]
