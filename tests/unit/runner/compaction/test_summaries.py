"""What a chat model is sent for a summary and for an answer, and what becomes of its replies."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from gacc_gui.runner.compaction.parts import AnswerInput, SummaryInput, TooLong
from gacc_gui.runner.compaction.settings import Settings
from gacc_gui.runner.compaction.summaries import LlmAnswerer, LlmSummarizer, reply_tokens
from gacc_gui.runner.config_model import EndpointConfig
from gacc_gui.runner.credentials import Credentials
from gacc_gui.runner.endpoint import ModelClient
from gacc_gui.runner.parts import CompressorOutput, ReaderOutput
from gacc_gui.runner.prompts import load_prompt
from gacc_gui.runner.tries import Tries
from tests.servers.odd_server import Answer, OddServer, completion, document, error

MESSAGES = ({"role": "system", "content": "S"}, {"role": "user", "content": "U"})


def run(server: OddServer, given: Any, settings: Settings, **config: Any) -> Any:
    endpoint = EndpointConfig("model", (server.url,), "m", max_retries=1, **config)

    async def ask() -> Any:
        async with ModelClient(
            endpoint, Credentials(None), tries=Tries(sleep=lambda _: asyncio.sleep(0))
        ) as client:
            if isinstance(given, AnswerInput):
                return await LlmAnswerer(client, settings, "llm", "1")(given)
            alone, beside = load_prompt("compaction-summary"), load_prompt("compaction-fusion")
            return await LlmSummarizer(client, alone, beside, settings, "llm", "1")(given)

    return asyncio.run(ask())


def summary(server: OddServer, given: SummaryInput, settings: Settings | None = None) -> CompressorOutput:
    output = run(server, given, settings or Settings())
    assert isinstance(output, CompressorOutput)
    return output


def answer(server: OddServer, settings: Settings | None = None, **config: Any) -> ReaderOutput:
    output = run(server, AnswerInput(MESSAGES, "E", "Q"), settings or Settings(), **config)
    assert isinstance(output, ReaderOutput)
    return output


def test_a_summarizer_is_told_task_evidence_and_space() -> None:
    with OddServer(completion("  A summary.\n")) as server:
        output = summary(server, SummaryInput("THE TASK", "", "THE EVIDENCE", 400), Settings(seed=3))
    assert (output.text, output.status) == ("A summary.", "ok")
    body = server.received[0].json
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    for part in ("THE TASK", "THE EVIDENCE", "400 tokens", "about 300 words"):
        assert part in body["messages"][1]["content"]
    assert (body["max_tokens"], body["temperature"], body["seed"]) == (reply_tokens(400), 0.0, 3)
    assert "too long" not in body["messages"][1]["content"]


def test_beside_kept_groups_the_summarizer_sees_them() -> None:
    with OddServer(completion("x")) as server:
        summary(server, SummaryInput("TASK", "THE KEPT PART", "THE REST", 400))
    text = server.received[0].prompt
    assert text.index("TASK") < text.index("THE KEPT PART") < text.index("THE REST")


@pytest.mark.parametrize("kept", ["", "KEPT"])
def test_another_try_is_told_how_far_over_and_not_what_was_said(kept: str) -> None:
    given = SummaryInput("TASK", kept, "EVIDENCE", 400)
    with OddServer(completion("x")) as server:
        summary(server, given)
        summary(server, SummaryInput("TASK", kept, "EVIDENCE", 400, TooLong(123)))
    first, second = (received.prompt for received in server.received)
    assert second.startswith(first)
    assert "too long, by 123 tokens" in second and "at most 400 tokens" in second.removeprefix(first)


@pytest.mark.parametrize(
    ("reply", "text", "status"),
    [
        (completion("half of a", "length"), "half of a", "truncated"),
        (completion("", "stop"), None, "no_answer"),
        (completion("  \n", "stop"), None, "no_answer"),
        (completion(None, "length", reasoning_content="long"), None, "no_answer"),
        (completion("x", "content_filter"), "x", "error"),
        (completion(None, "content_filter"), None, "no_answer"),
        (error(400, "flagged by moderation", "content_filter"), None, "no_answer"),
        (error(500, "broken"), None, "error"),
    ],
)
def test_what_becomes_of_a_reply(reply: Answer, text: str | None, status: str) -> None:
    with OddServer(reply) as server:
        output = summary(server, SummaryInput("t", "", "e", 10))
    assert (output.text, output.status) == (text, status)
    assert (output.error is None) == (status == "truncated")


def test_an_answerer_sends_the_answer_input_as_it_is() -> None:
    settings = Settings(temperature=None, answer_max_tokens=77, extra_body={"enable_thinking": False})
    with OddServer(completion('{"answer": "x"}')) as server:
        output = answer(server, settings, omit_temperature=True, extra_body=settings.extra_body)
    assert (output.text, output.status) == ('{"answer": "x"}', "ok")
    body = server.received[0].json
    assert body["messages"] == list(MESSAGES)
    assert body["max_tokens"] == 77 and "temperature" not in body and body["enable_thinking"] is False
    assert output.details["provider_input_tokens"] == 7


def test_repeats_count_on_from_the_seed() -> None:
    with OddServer(completion("x")) as server:
        for variant in range(3):
            run(server, AnswerInput(MESSAGES, "E", "Q", variant), Settings(seed=5))
        summary(server, SummaryInput("t", "", "e", 10, variant=1), Settings(seed=5))
        summary(server, SummaryInput("t", "", "e", 10, variant=1))
    assert [received.json.get("seed") for received in server.received] == [5, 6, 7, 6, None]


def test_the_service_s_count_is_that_of_the_last_attempt() -> None:
    failed = document({"error": {"message": "busy", "code": 503}, "usage": {"prompt_tokens": 5000}}, 200)
    with OddServer(
        [failed, completion("x", usage={"prompt_tokens": 3000, "completion_tokens": 1})]
    ) as server:
        output = answer(server)
    assert output.status == "ok" and output.details["provider_input_tokens"] == 3000


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": "x"}])
def test_a_count_that_is_not_told_is_unknown(usage: Any) -> None:
    with OddServer(completion("x", usage=usage)) as server:
        output = answer(server)
    assert output.status == "ok" and "provider_input_tokens" not in output.details


def test_a_refusal_is_no_answer_and_is_told_apart() -> None:
    with OddServer(completion(None, "stop", refusal="I will not")) as server:
        output = answer(server)
    assert (output.text, output.status, output.details["refused"]) == (None, "no_answer", True)


@pytest.mark.parametrize("reply", ["x" * 1_100_000, '{"answer": "yes"}' + " " * 1_100_000])
def test_the_service_s_count_is_kept_however_long_the_reply(reply: str) -> None:
    usage = {"prompt_tokens": 99_999, "completion_tokens": 5}
    with OddServer(completion(reply, usage=usage)) as server:
        output = answer(server)
    assert output.text == reply and len(output.reply or "") == 1_000_000
    assert output.details["provider_input_tokens"] == 99_999
