"""Stops, pauses and patience, and the workers that obey them."""

from __future__ import annotations

import asyncio
import signal

import pytest

from gacc_gui.runner.control import Control
from gacc_gui.runner.workers import NotBegunError, Workers


def test_the_first_reason_counts() -> None:
    control = Control()
    control.stop("the cap is reached")
    control.interrupt()
    assert (control.stopping, control.reason, control.interrupted) == (True, "the cap is reached", True)


def test_a_stop_is_told_once() -> None:
    control, told = Control(), []
    control.when_changed(lambda: told.append(control.reason))
    for reason in ("the cap is reached", "the cap is still reached"):
        control.stop(reason)
    control.interrupt()
    assert told == ["the cap is reached"]


def test_a_stop_ends_a_pause() -> None:
    async def run() -> bool:
        control = Control()
        control.pause()
        assert control.paused
        waiting = asyncio.create_task(control.allowed())
        await asyncio.sleep(0)
        assert not waiting.done()
        control.stop("enough")
        return await waiting

    assert asyncio.run(run()) is False


def test_a_pause_ends_when_somebody_says_so() -> None:
    async def run() -> bool:
        control = Control()
        told: list[bool] = []
        control.when_changed(lambda: told.append(control.paused))
        control.pause()
        control.pause()
        waiting = asyncio.create_task(control.allowed())
        control.go_on()
        assert told == [True, False]
        return await waiting

    assert asyncio.run(run()) is True


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_are_obeyed_while_the_block_runs(number: signal.Signals) -> None:
    before = signal.getsignal(number)

    async def run() -> Control:
        control = Control(patience_seconds=60)
        with control.signals():
            signal.raise_signal(number)
            signal.raise_signal(number)
            await control.patience_ends()
        return control

    control = asyncio.run(run())
    assert control.interrupted and control.reason == "stopped by request"
    assert signal.getsignal(number) == before


def test_patience_ends_by_itself() -> None:
    async def run() -> None:
        control = Control(patience_seconds=0.01)
        control.stop("enough")
        await control.patience_ends()

    asyncio.run(run())


def work(control: Control, jobs: list[int], count: int, bring: int = 2) -> list[str]:
    """Each first job brings some others; returns what was done, in order."""
    done: list[str] = []

    async def first(job: int) -> None:
        done.append(f"memory {job}")
        for number in range(bring):
            workers.bring((job, number))

    async def then(job: tuple[int, int]) -> None:
        done.append(f"row {job[0]}.{job[1]}")

    workers: Workers[int, tuple[int, int]] = Workers(control, first, then)
    asyncio.run(workers.work_through(jobs, count))
    return done


def test_what_a_job_brings_is_done_before_the_next() -> None:
    assert work(Control(), [1, 2], 1) == ["memory 1", "row 1.0", "row 1.1", "memory 2", "row 2.0", "row 2.1"]


def test_every_worker_has_its_share_and_nothing_is_left() -> None:
    done = work(Control(), list(range(5)), 3)
    assert len(done) == len(set(done)) == 5 + 10


def test_an_error_ends_all_work() -> None:
    async def run() -> None:
        async def first(job: int) -> None:
            if job == 3:
                raise ValueError("broken")
            await asyncio.Event().wait()

        async def then(job: int) -> None:
            raise AssertionError

        await Workers(Control(), first, then).work_through(range(9), 4)

    with pytest.raises(ValueError, match="broken"):
        asyncio.run(run())


def test_once_it_stops_nothing_is_begun_and_what_hangs_is_given_up() -> None:
    begun: list[int] = []

    async def run() -> None:
        control = Control(patience_seconds=0.01)

        async def first(job: int) -> None:
            begun.append(job)
            if job == 1:
                control.stop("enough")
                raise NotBegunError
            await asyncio.Event().wait()

        async def then(job: int) -> None:
            raise AssertionError

        await Workers(control, first, then).work_through(range(9), 2)

    asyncio.run(run())
    assert begun == [0, 1]
