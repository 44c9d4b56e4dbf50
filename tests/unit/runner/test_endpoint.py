"""A client against a service on loopback with every oddity: statuses, attempts, waiting, limits, the key."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from gacc_gui.runner.completions import Completion
from gacc_gui.runner.config_model import EndpointConfig, PriceConfig
from gacc_gui.runner.credentials import Credentials
from gacc_gui.runner.endpoint import ModelClient
from gacc_gui.runner.parts import RunStopped, Usage
from tests.servers.odd_server import Answer, OddServer, Received, completion, document, error, in_turn, page
from tests.unit.runner.asked_client import KEY, MESSAGES, ask, one


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
