"""Calls of parts that raise, hang, exit or return nonsense, in threads and in the loop."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from gacc_gui.runner import calling
from gacc_gui.runner.calling import PartThreads, called, sound_text
from gacc_gui.runner.parts import ReaderInput, ReaderOutput, RunStopped

from .conftest import Part

GIVEN = ReaderInput("memory", "question")


def call(part: Any, threads: PartThreads | None = None) -> ReaderOutput:
    async def run() -> ReaderOutput:
        mine = threads or PartThreads()
        try:
            return await called(part, GIVEN, ReaderOutput, mine)
        finally:
            mine.close()

    return asyncio.run(run())


def timed(does: Callable[[Any], Any], seconds: float) -> Any:
    part = Part(does, "sluggish")
    part.timeout_seconds = seconds  # type: ignore[attr-defined]
    return part


def test_a_synchronous_part_runs_in_a_thread_that_is_used_again() -> None:
    seen = []

    def part(given: ReaderInput) -> ReaderOutput:
        seen.append(threading.current_thread())
        return ReaderOutput("yes")

    async def run() -> None:
        threads = PartThreads()
        for _ in range(3):
            assert (await called(part, GIVEN, ReaderOutput, threads)).text == "yes"
        threads.close()

    asyncio.run(run())
    assert len(set(seen)) == 1
    assert seen[0] is not threading.main_thread() and seen[0].daemon


def test_a_blocking_part_does_not_keep_others_from_their_turn() -> None:
    released = threading.Event()

    def blocks(given: ReaderInput) -> ReaderOutput:
        assert released.wait(20)
        return ReaderOutput("late")

    async def run() -> tuple[ReaderOutput, ReaderOutput]:
        threads = PartThreads()
        slow = asyncio.create_task(called(blocks, GIVEN, ReaderOutput, threads))
        quick = await called(lambda given: ReaderOutput("early"), GIVEN, ReaderOutput, threads)
        released.set()
        late = await slow
        threads.close()
        return quick, late

    quick, late = asyncio.run(run())
    assert (quick.text, late.text) == ("early", "late")


@pytest.mark.parametrize("is_async", [False, True])
def test_a_part_that_hangs_is_left_behind(is_async: bool) -> None:
    forever = threading.Event()

    async def hangs(given: ReaderInput) -> ReaderOutput:
        await asyncio.Event().wait()
        raise AssertionError

    part = timed(hangs if is_async else lambda given: forever.wait(), 0.05)
    begun = time.monotonic()
    output = call(part)
    assert time.monotonic() - begun < 5
    assert (output.status, output.error) == ("error", "sluggish did not return within 0.05 s")
    forever.set()


def test_too_many_hanging_threads_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calling, "MOST_HANGING", 1)
    forever = threading.Event()
    threads = PartThreads()
    part = timed(lambda given: forever.wait(), 0.02)
    assert call(part, threads).status == "error"
    with pytest.raises(RunStopped, match="2 calls of parts hang; the last one of sluggish"):
        call(part, threads)
    forever.set()


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (SystemExit(3), "SystemExit: 3"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (asyncio.CancelledError(), "CancelledError"),
        (TimeoutError("no reply"), "TimeoutError: no reply"),
        (RecursionError("deep"), "RecursionError: deep"),
    ],
)
@pytest.mark.parametrize("is_async", [False, True])
def test_whatever_a_part_raises_is_its_own_failure(error: BaseException, told: str, is_async: bool) -> None:
    def raises(given: ReaderInput) -> ReaderOutput:
        raise error

    async def raises_later(given: ReaderInput) -> ReaderOutput:
        raise error

    output = call(raises_later if is_async else raises)
    assert (output.status, output.text, output.error) == ("error", None, told)


def test_exiting_ends_its_call_only() -> None:
    assert call(lambda given: sys.exit("enough")).error == "SystemExit: enough"


def test_what_stops_the_run_passes() -> None:
    def refused(given: ReaderInput) -> ReaderOutput:
        raise RunStopped("the key is refused")

    with pytest.raises(RunStopped, match="the key is refused"):
        call(refused)


def test_a_part_may_return_an_awaitable() -> None:
    async def later() -> ReaderOutput:
        return ReaderOutput("later")

    assert call(lambda given: later()).text == "later"


def test_being_cancelled_is_no_failure_of_the_part() -> None:
    async def run() -> None:
        threads = PartThreads()
        never = threading.Event()
        task = asyncio.create_task(called(lambda given: never.wait(), GIVEN, ReaderOutput, threads))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert threads.hanging == 1
        never.set()

    asyncio.run(run())


def test_a_failed_item_has_no_text_to_score() -> None:
    partly = ReaderOutput("The answer is", "error", error="the service broke off")
    assert sound_text(partly, ("ok", "error")).text is None


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise SystemExit("and what it says ends the program")


def test_an_exception_that_cannot_be_told_is_named() -> None:
    def part(_given: ReaderInput) -> ReaderOutput:
        raise Unspeakable

    output = call(part)
    assert (output.status, output.error) == ("error", "Unspeakable")
