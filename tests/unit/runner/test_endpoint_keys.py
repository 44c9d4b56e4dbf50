"""A client's key: sent where one is wanted, found nowhere, refused where it cannot be sent."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import pickle

import pytest

from gacc_gui.core.errors import BadUsage
from gacc_gui.runner.completions import Completion
from gacc_gui.runner.config_model import EndpointConfig
from gacc_gui.runner.credentials import credentials_of
from gacc_gui.runner.endpoint import ModelClient
from tests.servers.odd_server import Answer, OddServer, Received, completion, error, page
from tests.unit.runner.asked_client import KEY, MESSAGES, ask, one


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
