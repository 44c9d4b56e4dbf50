"""The service that an agent talks to: who is let in, what is answered, what is written down."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import pytest

from gacc_gui.runner.collection.scripted import LAST_WORDS, Scripted
from gacc_gui.runner.collection.wire import Exchange, Reply, Wire

PATHS = ("a.txt", "b.txt")


def send(
    wire: Wire, body: Any, path: str = "/v1/chat/completions", method: str = "POST", token: str | None = None
) -> tuple[int, Any, bytes]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(wire.base_url).port, timeout=10)
    try:
        key = wire.token if token is None else token
        connection.request(method, path, data, {"authorization": f"Bearer {key}"})
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def test_what_is_asked_and_answered_is_kept() -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "é"}, 7]}
    with Wire(Scripted(PATHS)) as wire:
        status, headers, body = send(wire, request)
        assert (status, headers["content-type"]) == (200, "application/json")
        (exchange,) = wire.exchanges()
    assert exchange == Exchange(request, 200, body.decode())
    assert exchange.messages == [{"role": "user", "content": "é"}]
    assert exchange.response_objects() == [json.loads(body)]


@pytest.mark.parametrize("stream", [False, True])
def test_the_script(stream: bool) -> None:
    with Wire(Scripted(PATHS)) as wire:
        messages: list[Any] = [{"role": "user", "content": "Read."}]
        calls = _message(wire, messages, stream)["tool_calls"]
        assert [json.loads(call["function"]["arguments"]) for call in calls] == [
            {"path": "a.txt"},
            {"path": "b.txt"},
        ]
        asked = [{key: call[key] for key in ("id", "type", "function")} for call in calls]
        messages.append({"role": "assistant", "content": None, "tool_calls": asked[:1]})
        assert [call["id"] for call in _message(wire, messages, stream)["tool_calls"]] == ["call_02"]
        messages[-1]["tool_calls"] = asked
        last = _message(wire, messages, stream)
        assert last["content"] == LAST_WORDS
        assert "tool_calls" not in last


def _message(wire: Wire, messages: list[Any], stream: bool) -> Any:
    status, headers, body = send(wire, {"messages": messages, "stream": stream})
    assert status == 200
    if not stream:
        return json.loads(body)["choices"][0]["message"]
    assert headers["content-type"] == "text/event-stream"
    assert body.endswith(b"data: [DONE]\n\n")
    first, second, usage = wire.exchanges()[-1].response_objects()
    assert second["choices"][0]["finish_reason"] in ("stop", "tool_calls")
    assert usage["choices"] == []
    return first["choices"][0]["delta"]


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"token": "other"}, 401),
        ({"path": "/api/show"}, 404),
        ({"path": "/v1/models", "method": "GET"}, 404),
        ({"path": "/v1/chat/completions?x=1"}, 200),
        ({"body": b"{"}, 400),
        ({"body": b"[]"}, 400),
        ({"body": b'{"a": NaN}'}, 400),
        ({"body": b'{"a": 1, "a": 2}'}, 400),
    ],
)
def test_who_and_what_is_let_in(given: dict[str, Any], status: int) -> None:
    with Wire(Scripted(PATHS)) as wire:
        body = given.pop("body", {"messages": []})
        assert send(wire, body, **given)[0] == status
        assert len(wire.exchanges()) == (status == 200)


def test_a_body_without_a_length() -> None:
    with Wire(Scripted(PATHS)) as wire:
        connection = http.client.HTTPConnection("127.0.0.1", urlsplit(wire.base_url).port, timeout=10)
        connection.putrequest("POST", "/v1/chat/completions")
        connection.endheaders()
        assert connection.getresponse().status == 413
        connection.close()


def test_a_body_that_breaks_off_is_cut_for_the_agent_too() -> None:
    class Broken:
        def respond(self, request: Mapping[str, Any]) -> Reply:
            def pieces() -> Iterator[bytes]:
                yield b"data: {"
                raise ConnectionError

            return Reply(pieces(), 200, "text/event-stream")

    with Wire(Broken()) as wire:
        with pytest.raises(http.client.IncompleteRead):
            send(wire, {"messages": []})
        (exchange,) = wire.exchanges()
    assert (exchange.status, exchange.response) == (200, "data: {")
    assert exchange.response_objects() == []


def test_responses_that_are_none() -> None:
    assert Exchange({}, 500, "<html>").response_objects() == []
    assert Exchange({"messages": 3}, None).messages == []
    assert Exchange({}, 200, 'data: {"a": 1}\n\ndata: 7\n\ndata: [DONE]\n').response_objects() == [{"a": 1}]
