"""Whether an evaluation goes on: paused, stopping, or ended at once. Owns the signals that say so.

SIGINT and SIGTERM: once, no new call is begun and those under way get `PATIENCE_SECONDS` to finish; twice,
they are given up. SIGUSR1 pauses, SIGUSR2 lets go on (not on Windows). Not here: what stops for which reason
(`engine`).
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

PATIENCE_SECONDS: Final = 20.0
"""How long calls that are under way may take to finish after somebody asked to stop."""


class Control:
    """Told by signals, limits and failures; asked by the engine. For one event loop.

    `interrupted`: somebody asked to stop, as opposed to a limit or a failure.
    """

    def __init__(self, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self.patience_seconds = patience_seconds
        self.reason: str | None = None
        self.interrupted = False
        self._going = asyncio.Event()
        self._going.set()
        self._stopping = asyncio.Event()
        self._at_once = asyncio.Event()
        self._changed: list[Callable[[], None]] = []

    @property
    def stopping(self) -> bool:
        """Whether no new call is to be begun, ever."""
        return self._stopping.is_set()

    @property
    def paused(self) -> bool:
        """Whether no new call is to be begun for now."""
        return not self._going.is_set() and not self.stopping

    def stop(self, reason: str) -> None:
        """Begin no new call; what is under way may finish. The first reason counts."""
        if self.stopping:
            return
        self.reason = reason
        self._stopping.set()
        self._going.set()
        self._tell()

    def interrupt(self) -> None:
        """Stop because somebody asks; asked again, give up what is under way."""
        if self.interrupted:
            self._at_once.set()
            return
        self.interrupted = True
        self.stop("stopped by request")

    def pause(self) -> None:
        """Begin no new call until `go_on`."""
        if not self.stopping and self._going.is_set():
            self._going.clear()
            self._tell()

    def go_on(self) -> None:
        """End a pause."""
        if not self._going.is_set():
            self._going.set()
            self._tell()

    async def allowed(self) -> bool:
        """Wait while paused; return whether a new call may begin."""
        if not self._going.is_set():
            await self._going.wait()
        return not self.stopping

    async def sleep(self, seconds: float) -> None:
        """Wait; no longer than until the run is stopping."""
        try:
            await asyncio.wait_for(self._stopping.wait(), seconds)
        except TimeoutError:
            pass

    async def patience_ends(self) -> None:
        """Return when what is under way is to be given up."""
        await self._stopping.wait()
        try:
            await asyncio.wait_for(self._at_once.wait(), self.patience_seconds)
        except TimeoutError:
            pass

    def when_changed(self, callback: Callable[[], None]) -> None:
        """Have `callback` called whenever the run is paused, goes on, or is to stop."""
        self._changed.append(callback)

    def _tell(self) -> None:
        for callback in self._changed:
            callback()

    @contextmanager
    def signals(self) -> Iterator[None]:
        """Obey signals while the block runs, inside the running loop of the main thread."""
        loop = asyncio.get_running_loop()
        meanings = {signal.SIGINT: self.interrupt, signal.SIGTERM: self.interrupt}
        if hasattr(signal, "SIGUSR1"):
            meanings |= {signal.SIGUSR1: self.pause, signal.SIGUSR2: self.go_on}
        before = {number: signal.getsignal(number) for number in meanings}
        for number, meaning in meanings.items():
            try:
                loop.add_signal_handler(number, meaning)
            except NotImplementedError:  # Windows: its loop knows no signals

                def obey(_number: int, _frame: object, meaning: Callable[[], None] = meaning) -> None:
                    loop.call_soon_threadsafe(meaning)

                signal.signal(number, obey)
        try:
            yield
        finally:
            for number, handler in before.items():
                try:
                    loop.remove_signal_handler(number)
                except NotImplementedError:
                    pass
                signal.signal(number, handler)
