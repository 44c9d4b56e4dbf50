"""Who does what next: some workers, rows before memories, nothing new once the run is to stop.

Owns the queue and the workers' lives. Not here: what a job is and does (`engine`), and who stops (`control`).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from gacc_gui.runner.control import Control

First = TypeVar("First")
Then = TypeVar("Then")


class NotBegunError(Exception):
    """A job found that the run is stopping: nothing is kept of what it would have begun."""


@dataclass(slots=True)
class Workers(Generic[First, Then]):
    """Does jobs of two kinds: those given at first, and those that these bring, which take precedence.

    `do_first` may call `bring`; where either raises anything but NotBegunError, all work ends with that.
    """

    control: Control
    do_first: Callable[[First], Awaitable[None]]
    do_then: Callable[[Then], Awaitable[None]]
    _waiting: Iterator[First] = field(default_factory=lambda: iter(()))
    _brought: deque[Then] = field(default_factory=deque)
    _bringing: int = 0
    """First jobs under way, which may bring others."""
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def bring(self, job: Then) -> None:
        """Add a job."""
        self._brought.append(job)

    async def work_through(self, jobs: Iterable[First], count: int) -> None:
        """Have `count` workers do everything, or what may still finish once the run is to stop."""
        self._waiting = iter(jobs)
        self.control.when_changed(self._wake)
        patience = asyncio.create_task(self.control.patience_ends())
        workers = {asyncio.create_task(self._work()) for _ in range(count)}
        pending: set[asyncio.Task[None]] = set(workers)
        try:
            while pending and not patience.done():
                finished, _ = await asyncio.wait({*pending, patience}, return_when=asyncio.FIRST_COMPLETED)
                for task in finished:
                    task.result()
                pending -= finished
        finally:
            for task in (*workers, patience):
                task.cancel()
            await asyncio.gather(*workers, patience, return_exceptions=True)

    async def _work(self) -> None:
        while (job := await self._next()) is not None:
            with suppress(NotBegunError):
                await job
            # Jobs that never yield must not keep signals and others from their turn.
            await asyncio.sleep(0)

    async def _next(self) -> Awaitable[None] | None:
        """Return the next thing to do; None when there is none, or never will be."""
        while await self.control.allowed():
            if self._brought:
                return self.do_then(self._brought.popleft())
            for job in self._waiting:
                self._bringing += 1
                return self._first(job)
            if self._bringing == 0:
                return None
            await self._changed.wait()
        return None

    async def _first(self, job: First) -> None:
        try:
            await self.do_first(job)
        finally:
            self._bringing -= 1
            self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
