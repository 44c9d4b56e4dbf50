"""Who answers when a model does: the real service, to which the agent's bodies are passed on.

Owns the way there and back: the key, which the agent never sees, and what a failure on the way looks like to
the agent. It tries nothing twice: agents do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import urlsplit, urlunsplit

from gacc_gui.core.errors import BadUsage
from gacc_gui.core.records import Json
from gacc_gui.formats.json_values import dumps
from gacc_gui.formats.redaction import redacted
from gacc_gui.runner.collection.wire import Reply
from gacc_gui.runner.credentials import Credentials

if TYPE_CHECKING:
    import httpx2

_CONNECT_SECONDS: Final = 30.0
_SILENCE_SECONDS: Final = 300.0
"""How long a service may say nothing before it counts as failed."""
_PASSED_ON: Final = ("retry-after", "retry-after-ms")


class Forwarding:
    """A responder that asks a service. A context manager: it holds connections."""

    def __init__(self, base_url: str, credentials: Credentials) -> None:
        import httpx2

        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadUsage("the model's base URL is no http or https address")
        path = parts.path.rstrip("/") + "/chat/completions"
        self._url = urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))
        self._credentials = credentials
        timeout = httpx2.Timeout(_SILENCE_SECONDS, connect=_CONNECT_SECONDS)
        self._client: httpx2.Client = httpx2.Client(timeout=timeout, follow_redirects=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def respond(self, request: Mapping[str, Json]) -> Reply:
        """Pass a request on. Whatever goes wrong becomes a reply that says so, without credentials."""
        import httpx2

        headers = {"content-type": "application/json", "accept-encoding": "identity"}
        if self._credentials.key is not None:
            headers["authorization"] = f"Bearer {self._credentials.key}"
        try:
            built = self._client.build_request("POST", self._url, content=_body(request), headers=headers)
            response = self._client.send(built, stream=True)
        except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError, RuntimeError) as error:
            return self._failed(502, f"the model's service cannot be asked: {error or type(error).__name__}")
        kind = response.headers.get("content-type", "application/json")
        passed = {name: response.headers[name] for name in _PASSED_ON if name in response.headers}
        if response.status_code != 200:
            return self._error(response, kind, passed)
        return Reply(self._pieces(response), 200, kind, passed)

    def _error(self, response: httpx2.Response, kind: str, headers: Mapping[str, str]) -> Reply:
        import httpx2

        try:
            body = response.read()
        except httpx2.HTTPError:
            body = b""
        finally:
            response.close()
        if 300 <= response.status_code < 400:
            return self._failed(502, f"the model's service sends elsewhere (status {response.status_code})")
        clean = self._credentials.removed_from_bytes(body).decode("utf-8", "replace")
        return Reply([redacted(clean).encode()], response.status_code, kind, headers)

    def _pieces(self, response: httpx2.Response) -> Iterator[bytes]:
        try:
            yield from response.iter_bytes()  # an error cuts the agent's connection as well
        finally:
            response.close()

    def _failed(self, status: int, message: str) -> Reply:
        told = {"error": {"message": self._credentials.message(message), "type": "collection"}}
        return Reply([dumps(told).encode()], status)


def _body(request: Mapping[str, Json]) -> bytes:
    return dumps(request).encode("utf-8", "surrogatepass")
