"""A chat completions service on loopback that answers as services do on their bad days.

Raw sockets, so that it can lie about lengths, stop in the middle and hang up. One rule decides each reply:
`OddServer(rule)`, where a rule takes what was received and returns an `Answer`; `in_turn(...)` makes a rule
of a list. Everything received is kept in `received`, for tests of what left and how often.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True)
class Answer:
    """What is sent back. `cut`: close after so many bytes of the body; `stall`: send so many, then nothing.

    `drip` sends a space a tenth of a second, for ever: a body that never ends but never pauses.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str | None = "application/json"
    cut: int | None = None
    stall: int | None = None
    drip: bool = False
    hang_up: bool = False
    delay: float = 0.0


@dataclass(frozen=True)
class Received:
    """One request."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body's value."""
        return json.loads(self.body)

    @property
    def prompt(self) -> str:
        """The last message."""
        return str(self.json["messages"][-1]["content"])


Rule = Callable[[Received], Answer]


def document(value: Any, status: int = 200, **headers: str) -> Answer:
    """A JSON body; `retry_after="1"` becomes the header `retry-after`."""
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Answer(json.dumps(value).encode(), status, named)


def completion(
    content: Any = "yes",
    finish_reason: str | None = "stop",
    usage: Any = ...,
    **message: Any,
) -> Answer:
    """An ordinary completion, or one that is odd only in what is given."""
    value: dict[str, Any] = {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "odd",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, **message},
                "finish_reason": finish_reason,
            }
        ],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10} if usage is ... else usage,
    }
    if usage is None:
        value["usage"] = None
    return document(value)


def error(status: int, message: str = "no", code: str | None = None, **headers: str) -> Answer:
    """An error in the usual wrapping."""
    return document({"error": {"message": message, "code": code}}, status, **headers)


def page(status: int = 200, text: str = "<html><title>Welcome</title><body>Paris</body></html>") -> Answer:
    """A web page."""
    return Answer(text.encode(), status, content_type="text/html; charset=utf-8")


def in_turn(*answers: Answer) -> Rule:
    """The answers one after another; the last one again and again."""
    left = list(answers)

    def rule(_: Received) -> Answer:
        return left.pop(0) if len(left) > 1 else left[0]

    return rule


class OddServer:
    """Serves from a thread of its own while the block lasts."""

    def __init__(self, rule: Rule | Sequence[Answer] | Answer) -> None:
        if isinstance(rule, Answer):
            rule = in_turn(rule)
        elif not callable(rule):
            rule = in_turn(*rule)
        self.rule: Rule = rule
        self.received: list[Received] = []
        self.most_at_once = 0
        self._at_once = 0
        self._port = 0
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="odd server")

    @property
    def url(self) -> str:
        """The base URL, as a configuration names it."""
        return f"http://127.0.0.1:{self._port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    async def _serve(self) -> None:
        tasks: set[asyncio.Task[None]] = set()

        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.ensure_future(self._talk(reader, writer))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        server = await asyncio.start_server(connected, "127.0.0.1", 0, limit=2**24)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                headers = {
                    name.lower(): value.strip()
                    for name, _, value in (line.partition(":") for line in head[1:] if line)
                }
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                received = Received(head[0].split(" ")[1], headers, body)
                self.received.append(received)
                self._at_once += 1
                self.most_at_once = max(self.most_at_once, self._at_once)
                try:
                    if not await self._answer(writer, self.rule(received)):
                        return
                finally:
                    self._at_once -= 1
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, writer: asyncio.StreamWriter, answer: Answer) -> bool:
        """Send an answer; returns whether the connection lives on."""
        await asyncio.sleep(answer.delay)
        if answer.hang_up:
            return False
        headers = {
            "content-length": str(len(answer.body) + (1_000_000 if answer.drip else 0)),
            **answer.headers,
        }
        if answer.content_type is not None:
            headers["content-type"] = answer.content_type
        lines = [f"HTTP/1.1 {answer.status} Odd", *(f"{name}: {value}" for name, value in headers.items())]
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        end = next((n for n in (answer.cut, answer.stall) if n is not None), len(answer.body))
        writer.write(answer.body[:end])
        await writer.drain()
        if answer.cut is not None:
            return False
        if answer.stall is not None:
            await asyncio.Event().wait()
        while answer.drip:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.1)
        return True
