"""A chat completions service on loopback that an agent talks to, and that writes down what was said.

Owns the listening, the one token that lets a request in, and the record. Whoever answers is a `Responder`: a
script (`scripted`) or the real service (`forwarding`). So an agent never holds the key of the real service,
and every body that passes is seen as it was. Anything but a chat completion is not there (404).
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Protocol, Self

from gacc_gui.core.records import Json
from gacc_gui.formats.json_values import BadJson, careful

PATH: Final = "/v1/chat/completions"
_LONGEST_REQUEST: Final = 32 << 20
_LONGEST_RESPONSE: Final = 8 << 20
"""Bytes of a body; of a longer response the beginning is kept."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back. `body` comes in pieces, each sent as soon as it is there; where it raises, all ends."""

    body: Iterable[bytes]
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


class Responder(Protocol):
    """Who answers chat completions. Called in a thread of the request's own; must raise nothing."""

    def respond(self, request: Mapping[str, Json]) -> Reply:
        """Answer a request's body."""
        ...


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and what was answered, as they passed. `response` is the body's text, streamed or not."""

    request: Mapping[str, Json]
    status: int | None
    """None where nothing was answered before the agent, or we, gave up."""
    response: str = ""

    @property
    def messages(self) -> list[Mapping[str, Json]]:
        """The messages that were sent; those that are none are left out."""
        messages = self.request.get("messages")
        return [one for one in messages if isinstance(one, dict)] if isinstance(messages, list) else []

    def response_objects(self) -> list[Mapping[str, Json]]:
        """Return the JSON objects of the response: the chunks of a stream, or the one of a document."""
        texts = [self.response]
        if not self.response.lstrip().startswith("{"):
            texts = [
                line.removeprefix("data:") for line in self.response.split("\n") if line.startswith("data:")
            ]
        found: list[Mapping[str, Json]] = []
        for text in texts:
            try:
                value = json.loads(text)
            except ValueError:  # `[DONE]`, or a stream that broke off
                continue
            if isinstance(value, dict):
                found.append(value)
        return found


@dataclass(slots=True)
class _Recording:
    request: Mapping[str, Json]
    status: int | None = None
    response: bytearray = field(default_factory=bytearray)


class Wire:
    """Serves while the block lasts; `exchanges` has what was said so far."""

    def __init__(self, responder: Responder) -> None:
        self.token = secrets.token_urlsafe(24)
        self._responder = responder
        self._recordings: list[_Recording] = []
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.wire = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), name="collection wire"
        )

    @property
    def base_url(self) -> str:
        """The address, as an OpenAI client is given it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def exchanges(self) -> tuple[Exchange, ...]:
        """Return what was asked and answered so far, in the order of asking."""
        with self._lock:
            return tuple(
                Exchange(one.request, one.status, bytes(one.response).decode("utf-8", "replace"))
                for one in self._recordings
            )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, request: Mapping[str, Json], handler: _Handler) -> None:
        """Have a request answered, and record both."""
        recording = _Recording(request)
        with self._lock:
            self._recordings.append(recording)
        reply = self._responder.respond(request)
        with self._lock:
            recording.status = reply.status
        handler.begin(reply)
        for piece in reply.body:
            with self._lock:
                recording.response += piece[: max(0, _LONGEST_RESPONSE - len(recording.response))]
            handler.send_piece(piece)
        handler.send_piece(b"")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a service that does not answer must not keep us
    wire: Wire

    def handle_error(self, request: Any, client_address: Any) -> None:
        """An agent that hangs up is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing on stderr."""

    def do_GET(self) -> None:
        """Nothing is here to get."""
        self._refuse(404, "there is nothing but chat completions here")

    def do_POST(self) -> None:
        """Answer a chat completion."""
        try:
            length = int(self.headers.get("content-length", ""))
        except ValueError:
            length = -1
        if not 0 <= length <= _LONGEST_REQUEST:
            self.close_connection = True
            self._refuse(413, "the request's length is not known, or too great")
            return
        body = self.rfile.read(length)
        if self.path.partition("?")[0] != PATH:
            self._refuse(404, "there is nothing but chat completions here")
            return
        given = self.headers.get("authorization", "").encode("utf-8", "replace")
        if not secrets.compare_digest(given, f"Bearer {self.server.wire.token}".encode()):
            self._refuse(401, "this service is for one agent only")
            return
        try:
            request, _ = careful(body)
        except BadJson:
            request = None
        if not isinstance(request, dict):
            self._refuse(400, "the request is no JSON object")
            return
        self.server.wire.answer(request, self)

    def begin(self, reply: Reply) -> None:
        """Send the head of a reply whose body follows in pieces."""
        self.send_response(reply.status)
        self.send_header("content-type", reply.content_type)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def send_piece(self, piece: bytes) -> None:
        """Send a piece of the body; an empty one ends it."""
        self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        self.wfile.flush()

    def _refuse(self, status: int, message: str) -> None:
        body = json.dumps({"error": {"message": message}}).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
