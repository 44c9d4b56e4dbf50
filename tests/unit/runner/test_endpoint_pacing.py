"""When a client asks, and whom: what it waits for, its limits, several servers, one that is gone."""

from __future__ import annotations

import asyncio
import dataclasses
import time

import pytest

from gacc_gui.runner.completions import Completion
from gacc_gui.runner.config_model import EndpointConfig
from gacc_gui.runner.credentials import Credentials
from gacc_gui.runner.endpoint import ModelClient
from gacc_gui.runner.parts import RunStopped
from gacc_gui.runner.tries import Tries
from tests.servers.odd_server import Answer, OddServer, completion, error
from tests.unit.runner.asked_client import MESSAGES, ask
from tests.unit.runner.still_clock import StillClock


@pytest.mark.parametrize(
    ("said", "slept"),
    [("1", 1.0), ("2.5", 2.5), ("65", 65.0), ("120", 120.0)],
)
def test_the_delay_a_service_asks_for_is_kept_to(said: str, slept: float) -> None:
    asked = ask([error(429, retry_after=said), completion()])
    assert asked.completions[0].status == "ok"
    assert asked.time.slept == [slept, 0.0] or asked.time.slept == [0.0, slept]
    assert asked.completions[0].attempts[1].waited == slept
    assert [(w.endpoint, w.seconds, w.reason) for w in asked.waitings] == [("main", slept, "HTTP 429: no")]


@pytest.mark.parametrize("said", ["130", "1e9"])
def test_a_delay_too_long_is_not_waited_for(said: str) -> None:
    asked = ask([error(429, retry_after=said), completion()])
    assert asked.completions[0].status == "error" and asked.completions[0].kind == "rate limited"
    assert (len(asked.received), asked.time.slept) == (1, [])


@pytest.mark.parametrize("said", ["0", "-3", "nan", "soon"])
def test_no_delay_at_all_is_half_a_second(said: str) -> None:
    asked = ask([error(429, retry_after=said), completion()])
    assert asked.completions[0].status == "ok"
    assert 0.375 <= asked.time.slept[0] <= 0.5


def test_attempts_are_bounded_and_not_multiplied() -> None:
    asked = ask(error(429, retry_after="1"), max_retries=4)
    assert len(asked.received) == 5
    assert asked.completions[0].error == "HTTP 429: no (after 5 attempts)"
    assert len(ask(error(500), max_retries=0).received) == 1


def test_waiting_ends_when_the_call_is_given_up() -> None:
    async def main(url: str) -> None:
        told = asyncio.Event()
        config = EndpointConfig("main", (url,), "small")
        async with ModelClient(config, Credentials(None), on_waiting=lambda _: told.set()) as client:
            call = asyncio.create_task(client.complete(MESSAGES, max_tokens=5))
            await told.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call

    begun = time.perf_counter()
    with OddServer(error(429, retry_after="65")) as server:
        asyncio.run(main(server.url))
    assert time.perf_counter() - begun < 5


def test_no_more_calls_at_once_than_allowed() -> None:
    with OddServer(dataclasses.replace(completion(), delay=0.01)) as server:

        async def main() -> None:
            config = EndpointConfig("main", (server.url,), "small", concurrency=3)
            async with ModelClient(config, Credentials(None)) as client:
                await asyncio.gather(*(client.complete(MESSAGES, max_tokens=5) for _ in range(12)))

        asyncio.run(main())
    assert len(server.received) == 12
    assert 2 <= server.most_at_once <= 3


def test_no_more_requests_a_minute_than_allowed() -> None:
    asked = ask(completion(), calls=5, requests_per_minute=2)
    assert asked.time.now == 1000 + 120
    assert {w.reason for w in asked.waitings} == {"the endpoint's limit per minute"}


def test_no_more_tokens_a_minute_than_allowed() -> None:
    # About 60 tokens are expected of a call, 10 are reported: the second need not wait, but all at once must.
    asked = ask(completion(), calls=3, tokens_per_minute=100, concurrency=1)
    assert asked.time.now == 1000
    asked = ask(
        completion(usage={"prompt_tokens": 90, "completion_tokens": 10}), calls=3, tokens_per_minute=100
    )
    assert asked.time.now == 1000 + 120


def test_several_servers_share_the_work_and_a_dead_one_gets_none() -> None:
    with OddServer(completion()) as gone:
        dead = gone.url
    with OddServer(completion("a")) as a, OddServer(completion("b")) as b:

        async def main(*urls: str) -> list[Completion]:
            config = EndpointConfig("main", urls, "small", concurrency=2)
            async with ModelClient(config, Credentials(None)) as client:
                return [await client.complete(MESSAGES, max_tokens=5) for _ in range(20)]

        shared = asyncio.run(main(a.url, b.url))
        assert len(a.received) == len(b.received) == 10
        assert all(len(said.attempts) == 1 for said in shared)
        mended = asyncio.run(main(dead, b.url))
        assert {said.text for said in mended} == {"b"}
        assert sum(len(said.attempts) for said in mended) <= 23


def test_a_server_that_asks_to_wait_is_left_alone_while_another_is_free() -> None:
    busy = iter([error(429, retry_after="60")])
    with OddServer(lambda _: next(busy)) as slow, OddServer(completion("b")) as free:
        passing = StillClock()

        async def main() -> list[Completion]:
            config = EndpointConfig("main", (slow.url, free.url), "small")
            client = ModelClient(config, Credentials(None), clock=passing, tries=Tries(sleep=passing.sleep))
            async with client:
                return [await client.complete(MESSAGES, max_tokens=5) for _ in range(6)]

        assert {said.text for said in asyncio.run(main())} == {"b"}
    assert (len(slow.received), passing.now) == (1, 1000)


def test_a_service_that_is_gone_stops_the_run() -> None:
    with OddServer(completion()) as gone:
        dead = gone.url

    async def main(url: str, calls: int, *more: str) -> list[str]:
        passing = StillClock()
        config = EndpointConfig("main", (url, *more), "small", max_retries=1)
        async with ModelClient(
            config, Credentials(None), clock=passing, tries=Tries(sleep=passing.sleep)
        ) as client:
            return [(await client.complete(MESSAGES, max_tokens=5)).status for _ in range(calls)]

    assert asyncio.run(main(dead, 9)) == ["error"] * 9
    with pytest.raises(RunStopped, match="endpoint 'main': 10 calls in a row found no connection to http"):
        asyncio.run(main(dead, 10))
    with OddServer(Answer(hang_up=True)) as rude:  # that is no lost network
        assert asyncio.run(main(rude.url, 12)) == ["error"] * 12
    with OddServer(completion()) as alive:
        assert asyncio.run(main(dead, 30, alive.url)) == ["ok"] * 30
