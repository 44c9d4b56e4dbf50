"""A run that is stopping: no try is begun, waiting for one ends, what was never sent leaves nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from gacc_gui.runner.accounting import Account
from gacc_gui.runner.compaction.system_one import SystemOneClient
from gacc_gui.runner.completions import Completion
from gacc_gui.runner.config_model import EndpointConfig, LimitsConfig
from gacc_gui.runner.control import Control
from gacc_gui.runner.credentials import Credentials
from gacc_gui.runner.endpoint import ModelClient
from gacc_gui.runner.engine import Options, evaluate
from gacc_gui.runner.parts import ReaderOutput
from gacc_gui.runner.plan import Plan
from gacc_gui.runner.tries import tries_of
from gacc_gui.runner.workers import NotBegunError
from tests.servers.odd_server import Answer, OddServer, error
from tests.servers.system_one import SystemOneServer, rate_limited
from tests.unit.runner.conftest import Kept

MakePlan = Callable[..., Plan]
MESSAGES = [{"role": "user", "content": "Where?"}]


def chat(url: str, account: Account, control: Control) -> ModelClient:
    config = EndpointConfig("main", (url,), "m", max_retries=5)
    return ModelClient(
        config, Credentials(None), on_waiting=lambda _: control.interrupt(), tries=tries_of(account, control)
    )


def decisions(url: str, account: Account, control: Control) -> SystemOneClient:
    config = EndpointConfig("decisions", (url,), "m", max_retries=5)
    return SystemOneClient(
        config,
        Credentials("a-key-1"),
        on_waiting=lambda _: control.interrupt(),
        tries=tries_of(account, control),
    )


async def ask(client: Any) -> Completion:
    if isinstance(client, ModelClient):
        return await client.complete(MESSAGES, max_tokens=5)
    return await client.ask({}, {"a": "Is it?"})  # type: ignore[no-any-return]


def asked(make: Callable[[str, Account, Control], Any], url: str, calls: int, control: Control) -> list[Any]:
    """What calls come to, all at once, in a run that somebody interrupts as soon as one waits."""

    async def main() -> list[Any]:
        account = Account()
        client = make(url, account, control)
        try:
            return await asyncio.gather(*(ask(client) for _ in range(calls)), return_exceptions=True)
        finally:
            await client.aclose()
            assert account.cut_short

    return asyncio.run(main())


@pytest.mark.parametrize("make", [chat, decisions])
def test_a_run_that_stops_waits_for_no_service(make: Any) -> None:
    begun = time.monotonic()
    with (
        SystemOneServer(rate_limited("100")) if make is decisions else OddServer(rate_limited(100)) as server
    ):
        (said,) = asked(make, server.url, 1, Control())
    assert said.status == "error" and len(said.attempts) == len(server.received) == 1
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize("make", [chat, decisions])
def test_a_run_that_stopped_sends_nothing(make: Any) -> None:
    control = Control()
    control.stop("enough")
    with OddServer(error(500)) as server:
        said = asked(make, server.url, 3, control)
    assert all(isinstance(one, NotBegunError) for one in said) and not server.received


def test_what_fails_while_the_run_stops_is_not_tried_again() -> None:
    control = Control()

    def failing(_received: object) -> Answer:
        control.stop("a limit is reached")
        return error(500)

    with OddServer(failing) as server:
        (said,) = asked(chat, server.url, 1, control)
    assert (said.status, len(server.received)) == ("error", 1)


def test_a_call_that_was_never_sent_leaves_nothing(make_plan: MakePlan) -> None:
    control, account, sink = Control(), Account(LimitsConfig(calls=100)), Kept()

    def read(_given: object) -> ReaderOutput:
        control.stop("enough")
        raise NotBegunError

    tally = evaluate(
        make_plan(read=read), sink, options=Options(concurrency=1, account=account, control=control)
    )
    assert tally.stopped == "enough" and tally.failed_items == 0
    assert sink.withdrawn == [sink.begun[-1].request_id] and sink.begun[-1].role == "reader"
    assert (tally.calls.total(), account.calls.total(), account.under_way) == (1, 1, 0)


def test_a_failure_that_might_have_passed_leaves_the_run_unfinished(make_plan: MakePlan) -> None:
    """Nothing is left to begin, and yet the run is to go on later: its last call was cut short."""
    control, account = Control(), Account()
    tries = tries_of(account, control)
    left = 4

    def read(given: Any) -> ReaderOutput:
        nonlocal left
        left -= 1
        if left:
            return ReaderOutput("alpha")
        control.interrupt()
        assert not tries.may_try_again()
        return ReaderOutput(None, "error", error="busy")

    tally = evaluate(make_plan(read=read), Kept(), options=Options(1, account, control))
    assert tally.stopped == "stopped by request" and tally.interrupted and tally.failed_items == 1
