"""The way to a real service and back: the key goes there, and never comes back."""

from __future__ import annotations

import json

import pytest

from gacc_gui.core.errors import BadUsage
from gacc_gui.runner.collection.forwarding import Forwarding
from gacc_gui.runner.collection.wire import Reply
from gacc_gui.runner.credentials import Credentials
from tests.servers.odd_server import Answer, OddServer, completion, document, error

KEY = "k-0123456789-secret"
REQUEST = {"model": "m", "messages": [{"role": "user", "content": "é"}], "stream": True}


def ask(url: str) -> tuple[Reply, bytes]:
    with Forwarding(url, Credentials(KEY)) as forwarding:
        reply = forwarding.respond(REQUEST)
        return reply, b"".join(reply.body)


def test_there_and_back() -> None:
    with OddServer(completion("yes")) as server:
        reply, body = ask(server.url)
    (received,) = server.received
    assert received.path == "/v1/chat/completions"
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert received.json == REQUEST
    assert (reply.status, reply.content_type) == (200, "application/json")
    assert json.loads(body)["choices"][0]["message"]["content"] == "yes"


def test_an_error_is_passed_on_without_the_key() -> None:
    with OddServer(error(429, f"slow down, {KEY}", retry_after="7")) as server:
        reply, body = ask(server.url + "/")
    assert (reply.status, dict(reply.headers)) == (429, {"retry-after": "7"})
    assert json.loads(body)["error"]["message"] == "slow down, [removed]"
    assert server.received[0].path == "/v1/chat/completions"


def test_a_service_that_sends_elsewhere_is_not_followed() -> None:
    with OddServer(document({}, 307, location="http://127.0.0.1:1/")) as server:
        reply, body = ask(server.url)
    assert reply.status == 502
    assert b"sends elsewhere (status 307)" in body
    assert len(server.received) == 1


def test_a_service_that_is_not_there() -> None:
    reply, body = ask(f"http://user:{KEY}@127.0.0.1:9/v1")
    assert reply.status == 502
    assert b"cannot be asked" in body
    assert KEY.encode() not in body


def test_a_body_that_breaks_off() -> None:
    with (
        OddServer(Answer(b'{"a": 1}' * 100, cut=10)) as server,
        pytest.raises(Exception, match="peer closed"),
    ):
        ask(server.url)


@pytest.mark.parametrize("url", ["", "ftp://x/v1", "127.0.0.1:80", "http://"])
def test_no_address(url: str) -> None:
    with pytest.raises(BadUsage, match="no http or https address"):
        Forwarding(url, Credentials(KEY))
