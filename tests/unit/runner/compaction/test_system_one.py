"""A System One service on good days and bad ones: what is kept, retried, refused, and what ends the run."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from gacc_gui.runner.compaction.system_one import SystemOneClient
from gacc_gui.runner.completions import Completion
from gacc_gui.runner.config_model import EndpointConfig
from gacc_gui.runner.credentials import Credentials
from gacc_gui.runner.events import Waiting
from gacc_gui.runner.parts import RunStopped
from gacc_gui.runner.tries import Tries
from tests.servers.odd_server import Answer, document, error
from tests.servers.system_one import (
    OVERLOADED,
    SystemOneServer,
    decisions,
    odd_score,
    page,
    rate_limited,
    refused_key,
    scored,
    scores,
    without,
)
from tests.unit.runner.still_clock import StillClock

KEY = "ts-0123456789-secret"
QUESTIONS = {"0:0-2": "Is the director useful?", "0:3-5": "And the weather?", "1:0-1": "Director!"}


def ask(
    server: SystemOneServer | str,
    *,
    calls: int = 1,
    clock: StillClock | None = None,
    waiting: Callable[[Waiting], None] | None = None,
    may_begin: Callable[[], bool] = lambda: True,
    may_try_again: Callable[[], bool] = lambda: True,
    questions: Mapping[str, str] = QUESTIONS,
    **config: Any,
) -> list[Completion]:
    clock = clock or StillClock()
    address = server if isinstance(server, str) else server.url
    endpoint = EndpointConfig("decisions", (address,), "jev-latest", "DECISION_MODEL_API_KEY", **config)

    async def run() -> list[Completion]:
        client = SystemOneClient(
            endpoint,
            Credentials(KEY),
            on_waiting=waiting,
            tries=Tries(may_begin, may_try_again, clock.sleep),
            clock=clock,
        )
        try:
            state = {"request": "Who was the director?", "evidence": []}
            return await asyncio.gather(*(client.ask(state, questions) for _ in range(calls)))
        finally:
            await client.aclose()

    return asyncio.run(run())


def test_scores_come_back_by_name_and_in_order() -> None:
    with SystemOneServer(scores(0.25, 1, 0)) as server:
        (completion,) = ask(server)
    assert completion.status == "ok" and completion.error is None
    assert completion.text == '{"0:0-2":0.25,"0:3-5":1.0,"1:0-1":0.0}'
    assert completion.usage is not None and completion.usage.input_tokens == 120
    assert completion.details["served_model"] == "jev-test-1"
    assert [attempt.status for attempt in completion.attempts] == [200]
    received = server.received[0]
    assert received.path == "/v1/systemone"
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(completion.sent) == received.json
    assert received.json["model"] == "jev-latest"
    assert {one["type"] for one in received.json["questions"].values()} == {"noul"}
    assert json.loads(completion.reply or "")["answers"]["0:3-5"]["noul"] == 1


def test_the_default_rule_of_the_service_is_deterministic() -> None:
    with SystemOneServer() as server:
        first, second = ask(server, calls=2)
    assert first.text == second.text
    assert server.asked == [*QUESTIONS, *QUESTIONS]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (odd_score("NaN"), "NaN is not a number"),
        (odd_score("Infinity"), "Infinity is not a number"),
        (odd_score("1e999"), "not from 0 to 1"),
        (odd_score('"0.5"'), "'0.5', not a number"),
        (odd_score("true"), "True, not a number"),
        (odd_score("null"), "None, not a number"),
        (odd_score("[0.5]"), "not a number"),
        (odd_score("1.5"), "1.5, not from 0 to 1"),
        (odd_score("-0.1"), "-0.1, not from 0 to 1"),
        (without("0:3-5"), "'0:3-5' is not answered"),
        (without(more=["9:0-2"]), "answers '9:0-2', which was not asked"),
        (page(), "no JSON (text/html; charset=utf-8)"),
        (Answer(b""), "no JSON"),
        (Answer(b'{"answers": '), "no JSON"),
        (Answer(b"\xff\xfe{}"), "no JSON"),
        (Answer(b"[" * 100_000), "no JSON"),
        (document([1]), "it has no answers"),
        (document({"model": "m", "usage": {}}), "it has no answers"),
        (document({"model": "m", "answers": None, "usage": {}}), "it has no answers"),
        (document({"error": {"message": "upstream is tired"}}), "upstream is tired"),
        (document({"answers": dict.fromkeys(QUESTIONS, 0.5)}), "is no noul"),
        (document({"answers": {key: {"type": "score", "score": 1} for key in QUESTIONS}}), "is no noul"),
        (document({"answers": {key: {"type": "noul"} for key in QUESTIONS}}), "is no noul"),
        (
            Answer(
                b'{"answers": {"0:0-2": {"type": "noul", "noul": 0.1}, "0:0-2": {"type": "noul", "noul": 1}}}'
            ),
            "'0:0-2' stands twice",
        ),
    ],
)
def test_a_reply_that_is_none_fails_in_a_sentence_and_is_kept(rule: Any, said: str) -> None:
    with SystemOneServer(rule) as server:
        (completion,) = ask(server)
    assert completion.status == "error" and completion.text is None
    assert completion.error is not None and said in completion.error and "\n" not in completion.error
    assert len(server.received) == 1  # asking again would be answered alike
    assert completion.sent and completion.reply is not None


@pytest.mark.parametrize("usage", [None, {}, {"input_tokens": "7"}, {"input_tokens": -1}, 3])
def test_usage_that_is_not_told_is_unknown(usage: Any) -> None:
    with SystemOneServer(decisions(dict.fromkeys(QUESTIONS, 0.5), usage)) as server:
        (completion,) = ask(server)
    assert completion.status == "ok" and completion.usage is None


def test_a_busy_service_is_asked_again_and_every_attempt_is_told() -> None:
    clock, told = StillClock(), []
    with SystemOneServer([OVERLOADED, rate_limited(7), decisions(dict.fromkeys(QUESTIONS, 0.5))]) as server:
        (completion,) = ask(server, clock=clock, waiting=told.append)
    assert completion.status == "ok"
    assert [attempt.status for attempt in completion.attempts] == [503, 429, 200]
    assert "overloaded" in (completion.attempts[0].error or "")
    assert 0.3 < completion.attempts[1].waited <= 0.5  # our delay
    assert completion.attempts[2].waited == 7.0  # theirs
    assert [(waiting.endpoint, waiting.seconds) for waiting in told] == [("decisions", 7.0)]
    assert len(server.received) == 3


def test_what_a_service_asks_to_wait_holds_for_every_call() -> None:
    clock = StillClock()
    left = [rate_limited(9)]
    with SystemOneServer(lambda received: left.pop() if left else scored(received)) as server:
        completions = ask(server, calls=3, clock=clock, concurrency=1)
    assert [completion.status for completion in completions] == ["ok"] * 3
    assert clock.slept == [9.0]


@pytest.mark.parametrize("header", ["130", "1e9"])
def test_a_wait_that_is_too_long_is_not_waited(header: str) -> None:
    clock = StillClock()
    with SystemOneServer(rate_limited(header)) as server:
        (completion,) = ask(server, clock=clock)
    assert completion.status == "error" and clock.slept == [] and len(server.received) == 1


def test_there_is_one_layer_of_retries() -> None:
    with SystemOneServer(OVERLOADED) as server:
        (completion,) = ask(server, max_retries=2)
    assert len(server.received) == len(completion.attempts) == 3
    assert completion.error is not None and "after 3 attempts" in completion.error


def test_no_attempt_is_made_that_the_run_may_not_make() -> None:
    with SystemOneServer(OVERLOADED) as server:
        ask(server, may_try_again=lambda: False)
    assert len(server.received) == 1


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (refused_key(), "the key in DECISION_MODEL_API_KEY was refused: HTTP 401: invalid API key"),
        (document({"detail": "forbidden"}, 403), "was refused"),
        (document({"error": {"message": "out of credits"}}, 402), "the quota is used up"),
        (error(429, "quota", "insufficient_quota"), "the quota is used up"),
    ],
)
def test_what_no_further_call_escapes_stops_the_run(answer: Answer, said: str) -> None:
    with SystemOneServer(answer) as server, pytest.raises(RunStopped, match=said) as caught:
        ask(server)
    assert len(server.received) == 1
    call = caught.value.call
    assert call is not None and call.sent and call.reply and len(call.attempts) == 1


def test_a_bad_request_is_not_retried_and_too_many_tokens_say_what_to_do() -> None:
    with SystemOneServer(document({"detail": [{"msg": "no"}]}, 422)) as server:
        (completion,) = ask(server)
    assert completion.status == "error" and "HTTP 422" in (completion.error or "")
    assert len(server.received) == 1
    with SystemOneServer(document({"error": "max_tokens_exceeded"}, 400)) as server:
        (completion,) = ask(server)
    assert "--decision-batch" in (completion.error or "") and completion.kind == "prompt too long"


def test_a_call_that_hangs_ends_at_its_time() -> None:
    with SystemOneServer(Answer(b"{}", stall=1)) as server:
        (completion,) = ask(server, timeout_seconds=0.2, max_retries=1)
    assert completion.status == "error" and "no reply within 0.2 s" in (completion.error or "")
    assert len(completion.attempts) == 2


def test_a_body_that_never_ends_ends_at_its_time() -> None:
    with SystemOneServer(Answer(b"", drip=True)) as server:
        (completion,) = ask(server, timeout_seconds=0.3, max_retries=0)
    assert completion.status == "error" and "no reply within" in (completion.error or "")


def test_a_connection_that_breaks_is_tried_again() -> None:
    left = [Answer(hang_up=True), Answer(b'{"answers": {}}', cut=4)]
    with SystemOneServer(lambda received: left.pop() if left else scored(received)) as server:
        (completion,) = ask(server)
    assert completion.status == "ok"
    assert [attempt.status for attempt in completion.attempts] == [None, None, 200]


def test_ten_calls_in_a_row_without_a_connection_stop_the_run() -> None:
    with SystemOneServer() as server:
        address = server.url
    with pytest.raises(RunStopped, match="10 calls in a row found no connection"):
        ask(address, calls=12, max_retries=0, concurrency=1)


def test_the_key_is_nowhere_in_what_is_kept() -> None:
    leaky = document({"error": {"message": f"bad key {KEY}"}}, 400, x_said=KEY)
    with SystemOneServer(leaky) as server:
        (completion,) = ask(server)
    assert KEY not in repr(completion) and "[removed]" in (completion.reply or "")
    assert KEY not in repr(SystemOneClient(EndpointConfig("d", ("http://x",), "m"), Credentials(KEY)))


def test_the_environment_of_the_sdk_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TYPESAFE_API_KEY", "another")
    monkeypatch.setenv("TYPESAFE_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("TYPESAFE_DEFAULT_MODEL", "another")
    with SystemOneServer() as server:
        (completion,) = ask(server)
    assert completion.status == "ok"
    assert server.received[0].json["model"] == "jev-latest"
