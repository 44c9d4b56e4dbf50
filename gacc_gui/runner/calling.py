"""Calls parts so that one that raises, hangs, exits or returns nonsense costs its own item, not the run.

Owns the threads of synchronous parts, time limits and what becomes of failures. Parts are trusted code in our
process all the same: one that ends the process (`os._exit`, a crash in C) ends the run, which can be resumed,
and a thread that hangs cannot be killed, only left behind. Not here: when a part is called (`engine`).
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from queue import SimpleQueue
from typing import Any, Final, TypeVar

from gacc_gui.core.records import LABELS, VERDICT_STATUSES
from gacc_gui.runner.parts import Call, CompressorOutput, JudgeOutput, ReaderOutput, RunStopped
from gacc_gui.runner.workers import NotBegunError

Out = TypeVar("Out", CompressorOutput, ReaderOutput, JudgeOutput)
TextOutput = TypeVar("TextOutput", CompressorOutput, ReaderOutput)

MOST_HANGING: Final = 50
"""Threads left behind in hanging calls, before the run is stopped: each keeps its memory."""


class Hanging(Exception):
    """A part did not return in time."""


@dataclass(slots=True)
class _Worker:
    work: SimpleQueue[tuple[Callable[[], Any], Callable[[Any, BaseException | None], None]] | None] = field(
        default_factory=SimpleQueue
    )

    def serve(self) -> None:
        while (job := self.work.get()) is not None:
            call, done = job
            try:
                result = call()
            except BaseException as error:  # SystemExit too: it is the part's, and ends its call only
                done(None, error)
            else:
                done(result, None)
            del job, call, done


@dataclass(slots=True)
class PartThreads:
    """Daemon threads for synchronous parts: one that hangs keeps neither the loop nor the program's end."""

    hanging: int = 0
    _idle: list[_Worker] = field(default_factory=list)

    async def run(self, call: Callable[[], Any], timeout_seconds: float | None) -> Any:
        """Return what `call` returns, or raise what it raises; Hanging after `timeout_seconds`."""
        loop = asyncio.get_running_loop()
        finished: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()
        worker = self._idle.pop() if self._idle else self._new()

        def settle(result: Any, error: BaseException | None) -> None:
            if not finished.done():
                finished.set_result((result, error))

        def done(result: Any, error: BaseException | None) -> None:
            try:
                loop.call_soon_threadsafe(settle, result, error)
            except RuntimeError:
                pass  # the loop has ended; nobody waits any more

        worker.work.put((call, done))
        try:
            async with asyncio.timeout(timeout_seconds):
                result, error = await finished
        except TimeoutError:
            self._leave(worker)
            raise Hanging from None
        except asyncio.CancelledError:
            self._leave(worker)
            raise
        self._idle.append(worker)
        if error is not None:
            raise error
        return result

    def close(self) -> None:
        """Let idle threads end."""
        while self._idle:
            self._idle.pop().work.put(None)

    def _new(self) -> _Worker:
        worker = _Worker()
        threading.Thread(target=worker.serve, name="part", daemon=True).start()
        return worker

    def _leave(self, worker: _Worker) -> None:
        self.hanging += 1
        worker.work.put(None)  # should it ever return


async def called(
    part: Callable[..., Out | Awaitable[Out]], given: object, kind: type[Out], threads: PartThreads
) -> Out:
    """Call a part; where it raises, hangs or returns no sound `kind`, the output's status says so.

    A part's attribute `timeout_seconds`, where it has one, bounds the call. Raises RunStopped where the part
    does, or where too many calls hang, and NotBegunError where the part does: it sent nothing.
    """
    limit: float | None = getattr(part, "timeout_seconds", None)
    try:
        if _is_async(part):
            output = await _awaited(part(given), limit)  # type: ignore[arg-type]
        else:
            output = await threads.run(lambda: part(given), limit)
            if inspect.isawaitable(output):
                output = await _awaited(output, limit)
    except Hanging:
        if threads.hanging > MOST_HANGING:
            raise RunStopped(
                f"{threads.hanging} calls of parts hang; the last one of {_name(part)}"
            ) from None
        return kind(None, "error", error=f"{_name(part)} did not return within {limit:g} s")
    except (RunStopped, NotBegunError):
        raise
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        return kind(None, "error", error="CancelledError")
    except GeneratorExit:
        raise
    except BaseException as error:  # sys.exit() in a part is the part's failure
        return kind(None, "error", error=told_of(error))
    if not isinstance(output, kind):
        return kind(None, "error", error=f"the part returned {type(output).__name__}, not {kind.__name__}")
    return output


def sound_text(output: TextOutput, statuses: Sequence[str]) -> TextOutput:
    """Return the output, or a failure in its place where its text and status are not possible together."""
    if output.status not in statuses:
        return replace(output, text=None, status="error", error=f"unknown status {output.status!r}")
    if output.text is not None and not isinstance(output.text, str):
        kind = type(output.text).__name__
        return replace(output, text=None, status="error", error=f"the part's text is a {kind}")
    if output.text is None and output.status in ("ok", "truncated"):
        return replace(output, status="no_answer")
    if output.text is not None and output.status not in ("ok", "truncated"):
        # Kept in the request's reply, where there is one; a failed item has no text to score.
        return replace(output, text=None)
    return output


def sound_verdict(output: JudgeOutput) -> JudgeOutput:
    """Return the output, or a failure in its place where its label and status are not possible together."""
    if output.status not in VERDICT_STATUSES:
        return replace(output, label=None, status="error", error=f"unknown status {output.status!r}")
    if output.status == "judged" and output.label not in LABELS:
        return replace(output, label=None, status="unparsed", error=f"unknown label {output.label!r}")
    return output if output.status == "judged" else replace(output, label=None)


async def _awaited(output: Awaitable[Any], limit: float | None) -> Any:
    try:
        async with asyncio.timeout(limit) as scope:
            return await output
    except TimeoutError:
        if scope.expired():
            raise Hanging from None
        raise


def _is_async(part: object) -> bool:
    return inspect.iscoroutinefunction(part) or inspect.iscoroutinefunction(getattr(part, "__call__", None))  # noqa: B004


def stopped_by(error: RunStopped, kind: type[Out]) -> Out:
    """Return the output of a call after which no other can succeed, with all that is known of it."""
    told = str(error) if type(error) is RunStopped else told_of(error)
    kept = {} if error.call is None else {f.name: getattr(error.call, f.name) for f in fields(Call)}
    return replace(kind(None, "error"), **{**kept, "error": told})


def told_of(error: BaseException) -> str:
    """Return an exception's name, and what it says where that can be had."""
    name = type(error).__name__
    try:
        said = str(error)
    except BaseException:  # whatever its own __str__ does, it is still only the part's failure
        return name
    return f"{name}: {said}" if said else name


def _name(part: object) -> str:
    return str(getattr(part, "name", None) or type(part).__name__)
