"""A clock for tests that would otherwise wait."""

from __future__ import annotations

import asyncio


class StillClock:
    """A clock that only moves when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Move on at once; whoever else is ready has a turn."""
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)
