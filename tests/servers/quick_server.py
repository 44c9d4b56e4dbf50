"""A chat completions service that answers at once, for measuring clients. It prints its port.

python tests/servers/quick_server.py
"""

from __future__ import annotations

import asyncio
import json
import sys

_ANSWER = json.dumps(
    {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "quick",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "correct"}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 1, "total_tokens": 101},
    }
).encode()
_REPLY = (
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: "
    + str(len(_ANSWER)).encode()
    + b"\r\n\r\n"
    + _ANSWER
)


class Quick(asyncio.Protocol):
    """One connection: whatever is asked, the same answer."""

    def __init__(self) -> None:
        self._kept = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the connection."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer every request that is complete."""
        self._kept += data
        while (end := self._kept.find(b"\r\n\r\n")) >= 0:
            head = self._kept[:end].lower()
            at = head.find(b"content-length:")
            length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(self._kept) < end + 4 + length:
                return
            self._kept = self._kept[end + 4 + length :]
            self._transport.write(_REPLY)  # type: ignore[attr-defined]


async def main() -> None:
    """Serve until stdin ends."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Quick, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
