"""Who answers when there is no model: asks for every file once, then says that it is done.

Owns the script. It knows the files' names and nothing of a question.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from gacc_gui.core.records import Json
from gacc_gui.formats.json_values import dumps
from gacc_gui.runner.collection.wire import Reply

MODEL: Final = "scripted"
LAST_WORDS: Final = "Every file was read. A script wrote this, no model: it answers no question."


class Scripted:
    """A responder for one case. Streams where the request says so."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = tuple(paths)

    def respond(self, request: Mapping[str, Json]) -> Reply:
        """Ask for the files whose reading was not asked for yet, or end."""
        asked = self._asked_for(request)
        missing = [path for path in self._paths if path not in asked]
        calls = [self._call(path) for path in missing]
        message: dict[str, Json] = {"role": "assistant", "content": None if calls else LAST_WORDS}
        reason = "tool_calls" if calls else "stop"
        if request.get("stream") is True:
            if calls:
                message["tool_calls"] = [{"index": at, **call} for at, call in enumerate(calls)]
            return Reply(_stream(message, reason), content_type="text/event-stream")
        if calls:
            message["tool_calls"] = calls
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return Reply([dumps(_envelope("chat.completion", choice) | {"usage": _USAGE}).encode()])

    def _asked_for(self, request: Mapping[str, Json]) -> set[str]:
        asked: set[str] = set()
        for message in request.get("messages") or ():
            for call in (message.get("tool_calls") if isinstance(message, dict) else None) or ():
                asked |= {path for path in self._paths if self._call(path)["id"] == call.get("id")}
        return asked

    def _call(self, path: str) -> dict[str, Json]:
        number = self._paths.index(path) + 1
        return {
            "id": f"call_{number:02}",
            "type": "function",
            "function": {"name": "read_file", "arguments": json.dumps({"path": path}, ensure_ascii=False)},
        }


_USAGE: Final = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}


def _envelope(kind: str, choice: Mapping[str, Json]) -> dict[str, Json]:
    return {"id": "scripted", "object": kind, "created": 0, "model": MODEL, "choices": [choice]}


def _stream(message: Mapping[str, Json], reason: str) -> Iterator[bytes]:
    kind = "chat.completion.chunk"
    for choice in (
        {"index": 0, "delta": message, "finish_reason": None},
        {"index": 0, "delta": {}, "finish_reason": reason},
    ):
        yield _event(dumps(_envelope(kind, choice)))
    yield _event(dumps({**_envelope(kind, {}), "choices": [], "usage": _USAGE}))
    yield _event("[DONE]")


def _event(data: str) -> bytes:
    return f"data: {data}\n\n".encode()
