"""A client against a service on loopback with every oddity: statuses, attempts, waiting, limits, the key."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import pickle
import time
from collections.abc import Sequence
from typing import Any

import pytest

from gacc_gui.core.errors import BadUsage
from gacc_gui.runner.completions import Completion
from gacc_gui.runner.config_model import EndpointConfig, PriceConfig
from gacc_gui.runner.credentials import Credentials, credentials_of
from gacc_gui.runner.endpoint import ModelClient
from gacc_gui.runner.events import Waiting
from gacc_gui.runner.parts import RunStopped, Usage
from gacc_gui.runner.tries import Tries
from tests.servers.odd_server import (
    Answer,
    OddServer,
    Received,
    Rule,
    completion,
    document,
    error,
    in_turn,
    page,
)

KEY = "sk-TESTSECRET123"
MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where? \U0001f9e0"}]


class Time:
    """A clock that only moves when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


@dataclasses.dataclass
class Asked:
    """What calls came to."""

    completions: list[Completion]
    received: list[Received]
    waitings: list[Waiting]
    time: Time


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
    passing, waitings = Time(), []

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


def test_a_call_and_what_is_kept_of_it() -> None:
    asked = ask(
        completion("Paris", usage={"prompt_tokens": 12, "completion_tokens": 1}), price=PriceConfig(1, 2)
    )
    said, received = asked.completions[0], asked.received[0]
    assert (said.text, said.status, said.finish_reason, said.error) == ("Paris", "ok", "stop", None)
    assert said.usage == Usage(12, 1, None)
    assert said.cost == pytest.approx(14e-6)
    assert received.path == "/v1/chat/completions"
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert said.sent == received.body.decode()
    assert received.json == {
        "model": "small",
        "messages": MESSAGES,
        "max_tokens": 50,
        "temperature": 0.0,
    }
    assert said.reply is not None and '"content": "Paris"' in said.reply
    (attempt,) = said.attempts
    assert (attempt.status, attempt.error, attempt.waited) == (200, None, 0)
    assert 0 < said.latency_seconds == attempt.seconds < 5
    assert said.details == {
        "endpoint": "main",
        "model": "small",
        "max_tokens": 50,
        "temperature": 0.0,
        "served_model": "odd",
    }


def test_what_services_differ_in() -> None:
    asked = ask(
        completion(),
        max_tokens_field="max_completion_tokens",
        omit_temperature=True,
        extra_body={"top_k": 1, "chat_template_kwargs": {"enable_thinking": False}},
        arguments={"seed": 7, "response_format": {"type": "json_object"}},
    )
    sent = asked.received[0].json
    del sent["messages"]
    assert sent == {
        "model": "small",
        "max_completion_tokens": 50,
        "seed": 7,
        "response_format": {"type": "json_object"},
        "top_k": 1,
        "chat_template_kwargs": {"enable_thinking": False},
    }
    assert "temperature" not in asked.completions[0].details
    assert asked.completions[0].sent == asked.received[0].body.decode()


@pytest.mark.parametrize(
    ("answer", "status", "requests", "told"),
    [
        (page(), "error", 1, "does the base URL end in /v1?"),
        (document({"error": {"message": "overloaded", "code": 503}}), "error", 3, "overloaded"),
        (document({"choices": None}), "error", 1, "holds no choices"),
        (document({"choices": []}), "error", 1, "holds no choices"),
        (Answer(b""), "error", 3, "the body is empty"),
        (Answer(b'{"choices": [{"mess'), "error", 3, "the body is no JSON"),
        (Answer(b'{"a": "caf\xe9"}', content_type="text/html; charset=iso-8859-1"), "error", 1, "not UTF-8"),
        (Answer(b'{"choices": [{"message": {"content": "yes"}}]}', cut=20), "error", 3, "no connection to http://"),
        (Answer(hang_up=True), "error", 3, "no connection to http://"),
        (completion(None, "length", reasoning_content="long"), "no_answer", 1, "reasoning used"),
        (completion("", "stop", reasoning="long"), "no_answer", 1, "reasoning used"),
        (completion("yes", "length"), "truncated", 1, None),
        (completion([{"type": "text", "text": "yes"}]), "ok", 1, None),
        (completion(None, refusal="I will not."), "refused", 1, "the model refused: I will not."),
        (completion({"a": 1}), "error", 1, "of no known form"),
        (error(400, "x", "context_length_exceeded"), "error", 1, "HTTP 400: x"),
        (error(404, "no such model"), "error", 1, "HTTP 404: no such model"),
        (page(404), "error", 1, "does the base URL end in /v1?"),
        (page(502), "error", 3, "HTTP 502 (text/html"),
        (error(500), "error", 3, "HTTP 500: no"),
        (Answer(b"\x1f\x8bnot gzip", headers={"content-encoding": "gzip"}), "error", None, "rror"),
        (Answer(b"x" * 100, 200, {"content-length": "nonsense"}), "error", None, "rror"),
    ],
)  # fmt: skip
def test_oddities_and_how_often_they_are_asked(
    answer: Answer, status: str, requests: int | None, told: str | None
) -> None:
    asked = ask(answer, max_retries=2)
    said = asked.completions[0]
    assert said.status == status
    assert said.text == ("yes" if status in ("ok", "truncated") else None)
    assert requests is None or len(asked.received) == len(said.attempts) == requests
    if told is None:
        assert said.error is None
    else:
        assert said.error is not None and told in said.error
        assert "\n" not in said.error and len(said.error) < 500
        assert (len(said.attempts) > 1) == (f"(after {len(said.attempts)} attempts)" in said.error)


@pytest.mark.parametrize("odd", [Answer(b'{"a', stall=2), Answer(b"", drip=True), Answer(stall=0, delay=9)])
def test_a_service_that_stalls_is_given_up(odd: Answer) -> None:
    begun = time.perf_counter()
    said = one(odd, timeout_seconds=0.3, max_retries=1)
    assert (said.status, said.kind) == ("error", "timeout")
    assert said.error == "no reply within 0.3 s (after 2 attempts)"
    assert time.perf_counter() - begun < 5


def test_what_helps_on_another_try() -> None:
    asked = ask([error(503), Answer(hang_up=True), page(502), completion("Paris")])
    said = asked.completions[0]
    assert (said.text, said.status, said.error) == ("Paris", "ok", None)
    assert [attempt.status for attempt in said.attempts] == [503, None, 502, 200]
    assert [attempt.error is None for attempt in said.attempts] == [False, False, False, True]
    assert all(0.375 <= n <= 2 for n in asked.time.slept) and len(asked.time.slept) == 3
    assert [a.waited for a in said.attempts] == [0, *asked.time.slept]


def test_tokens_of_every_try_are_paid_for() -> None:
    said = one(
        [completion("Pa", "insufficient_system_resource"), completion("Paris")], price=PriceConfig(1, 1)
    )
    assert (said.text, said.usage, said.cost) == ("Paris", Usage(14, 6, None), pytest.approx(20e-6))


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


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (error(401, f"Incorrect API key: {KEY}."), "endpoint 'main': the key in A_KEY was refused: HTTP 401"),
        (error(403, "not for you"), "endpoint 'main': the key in A_KEY was refused: HTTP 403: not for you"),
        (error(429, "pay", "insufficient_quota"), "endpoint 'main': the quota is used up: HTTP 429: pay"),
        (error(402, "Insufficient Balance"), "the quota is used up: HTTP 402: Insufficient Balance"),
        (document({"error": {"message": "pay", "code": "insufficient_quota"}}), "the quota is used up: pay"),
    ],
)  # fmt: skip
def test_what_stops_a_run_is_asked_once(answer: Answer, told: str) -> None:
    with OddServer(answer) as server:

        async def main() -> None:
            config = EndpointConfig("main", (server.url,), "small", api_key_env="A_KEY")
            async with ModelClient(config, Credentials(KEY)) as client:
                await client.complete(MESSAGES, max_tokens=5)

        with pytest.raises(RunStopped) as stopped:
            asyncio.run(main())
    assert told in str(stopped.value)
    assert len(server.received) == 1
    call = stopped.value.call
    assert call is not None and len(call.attempts) == 1 and call.reply is not None
    assert KEY not in repr(call) + str(stopped.value)


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": "12"}])
def test_usage_that_is_not_reported(usage: Any) -> None:
    said = one(completion("yes", usage=usage), price=PriceConfig(1, 1))
    assert (said.status, said.usage, said.cost) == ("ok", None, None)


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
        passing = Time()

        async def main() -> list[Completion]:
            config = EndpointConfig("main", (slow.url, free.url), "small")
            client = ModelClient(config, Credentials(None), clock=passing, tries=Tries(sleep=passing.sleep))
            async with client:
                return [await client.complete(MESSAGES, max_tokens=5) for _ in range(6)]

        assert {said.text for said in asyncio.run(main())} == {"b"}
    assert (len(slow.received), passing.now) == (1, 1000)


def test_the_key_is_found_nowhere(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    def echo(received: Received) -> Answer:
        told = f"{received.headers} {received.path} Bearer {KEY}"
        return completion(told, reasoning_content=told, refusal=None, usage=None)

    def complain(received: Received) -> Answer:
        return error(500, f"{received.headers} {received.path}")

    for rule in (echo, complain, page(200, f"<html>{KEY}</html>"), page(500, "x" * 195 + KEY)):
        with OddServer(rule) as server:

            async def main(url: str) -> tuple[Completion, str]:
                config = EndpointConfig(
                    "main",
                    (f"{url}?api_key=in-the-query-77&v=2",),
                    "small",
                    api_key_env="A_KEY",
                    max_retries=0,
                    extra_body={"metadata": {"api_key": "in-the-body-7777"}},
                )
                monkeypatch.setenv("A_KEY", f" {KEY}\n")
                async with ModelClient(config) as client:
                    return await client.complete(MESSAGES, max_tokens=5), repr(client)

            said, shown = asyncio.run(main(server.url))
        assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
        assert server.received[0].path == "/v1/chat/completions?api_key=in-the-query-77&v=2"
        kept = repr(said) + shown + pickle.dumps(dataclasses.astuple(said)).decode("latin-1") + caplog.text
        for secret in (KEY, KEY[:-3], "in-the-query-77", "in-the-body-7777"):
            assert secret not in kept


def test_an_address_that_cannot_be_reached_does_not_show_its_key() -> None:
    async def main() -> Completion:
        url = "http://user:a-password-1@127.0.0.1:9/v1?key=in-the-query-77"
        config = EndpointConfig("main", (url,), "small", max_retries=0)
        async with ModelClient(config, credentials_of(config, {})) as client:
            return await client.complete(MESSAGES, max_tokens=5)

    said = asyncio.run(main())
    assert said.error is not None and said.error.startswith("no connection to http://127.0.0.1:9/v1: ")
    assert "a-password-1" not in repr(said) and "in-the-query" not in repr(said)


def test_a_service_that_is_gone_stops_the_run() -> None:
    with OddServer(completion()) as gone:
        dead = gone.url

    async def main(url: str, calls: int, *more: str) -> list[str]:
        passing = Time()
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


def test_without_a_key_none_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else-1")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "sk-of-somebody-else-2")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-1")
    asked = ask(completion(), key=None)
    sent = repr(asked.received[0].headers)
    assert "authorization" not in asked.received[0].headers
    assert "somebody" not in sent and "org-1" not in sent and "proj-1" not in sent


@pytest.mark.parametrize("value", [None, "", "  ", "sk-…", "a\nb"])
def test_a_key_that_is_not_there_or_cannot_be_sent(value: str | None) -> None:
    config = EndpointConfig("main", ("http://127.0.0.1:9/v1",), "small", api_key_env="A_KEY")
    with pytest.raises(BadUsage, match="A_KEY") as refused:
        credentials_of(config, {} if value is None else {"A_KEY": value})
    assert value is None or not value.strip() or value not in str(refused.value)


def test_a_stand_in_for_a_key_may_stand_in_texts() -> None:
    assert one(completion("EMPTY"), key="EMPTY").text == "EMPTY"


def test_lone_surrogates_neither_break_the_request_nor_stay() -> None:
    with OddServer(
        Answer(b'{"choices":[{"message":{"content":"hi \\ud83d"},"finish_reason":"stop"}]}')
    ) as server:

        async def main() -> Completion:
            config = EndpointConfig("main", (server.url,), "small")
            async with ModelClient(config, Credentials(None)) as client:
                return await client.complete([{"role": "user", "content": "cut \ud83d"}], max_tokens=None)

        said = asyncio.run(main())
    assert said.text == "hi \ufffd"
    assert server.received[0].prompt == "cut \ufffd"
    assert "max_tokens" not in server.received[0].json
    said.sent.encode()


def test_in_turn_is_fair() -> None:
    rule = in_turn(page(), completion())
    received = Received("/", {}, b"")
    assert [rule(received).status for _ in range(3)] == [200, 200, 200]
