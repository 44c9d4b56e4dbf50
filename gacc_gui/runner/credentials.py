"""The key of an endpoint: where it comes from, and that it goes nowhere but into the request's header.

Owns taking it from the environment and removing it, word for word, from whatever else is kept. Not here: the
patterns that find credentials nobody told us of (`formats.redaction`).
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl, quote, urlsplit, urlunsplit

from gacc_gui.core.errors import BadUsage
from gacc_gui.formats.redaction import REMOVED, redacted
from gacc_gui.runner.config_model import EndpointConfig

_SHORTEST: int = 8
"""Characters. A shorter key is a local server's stand-in (`EMPTY`), whose letters may stand in any text."""


class Credentials:
    """A key and what else is secret of an endpoint. Shows nothing of it in `repr`, equality or errors."""

    __slots__ = ("_forms", "_key")

    def __init__(self, key: str | None, secrets: tuple[str, ...] = ()) -> None:
        self._key = key
        found = [key, *secrets] if key is not None else list(secrets)
        forms = {form for secret in found if len(secret) >= _SHORTEST for form in (secret, quote(secret, ""))}
        self._forms = tuple(sorted(forms, key=len, reverse=True))

    def __repr__(self) -> str:
        return f"Credentials({'a key' if self._key else 'no key'})"

    @property
    def key(self) -> str | None:
        """The key, for the request's header only."""
        return self._key

    def removed_from(self, text: str) -> str:
        """Return a text without the key."""
        for form in self._forms:
            text = text.replace(form, REMOVED)
        return text

    def removed_from_bytes(self, body: bytes) -> bytes:
        """Return a body without the key."""
        for form in self._forms:
            body = body.replace(form.encode(), REMOVED.encode())
        return body

    def message(self, text: str) -> str:
        """Return an error's text in one line, without the key and without what looks like one."""
        return redacted(self.removed_from(" ".join(text.split())))


def credentials_of(config: EndpointConfig, environment: Mapping[str, str]) -> Credentials:
    """Return the credentials of an endpoint, its key taken from the environment.

    Raises BadUsage, naming the variable, where it is not set or holds what cannot be sent.
    """
    secrets = tuple(secret for url in config.base_urls for secret in _secrets_in(url))
    name = config.api_key_env
    if name is None:
        return Credentials(None, secrets)
    key = environment.get(name, "").strip()
    if not key:
        raise BadUsage(
            f"endpoint {config.name!r}: the environment variable {name}, which holds its key, is not set"
        )
    if not key.isascii() or not key.isprintable():
        raise BadUsage(
            f"endpoint {config.name!r}: the value of {name} cannot be a key: a character is not ASCII"
        )
    return Credentials(key, secrets)


def shown_address(url: str) -> str:
    """Return an address without user, password, query and fragment."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _secrets_in(url: str) -> list[str]:
    parts = urlsplit(url)
    values = [value for _, value in parse_qsl(parts.query)]
    return [value for value in (*values, parts.password, parts.username) if value]
