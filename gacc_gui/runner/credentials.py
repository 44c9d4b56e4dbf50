"""The key of an endpoint: where it comes from, and that it goes nowhere but into the request's header.

Owns taking it from the environment and removing it, word for word, from whatever else is kept. Not here: the
patterns that find credentials nobody told us of (`formats.redaction`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl, quote, urlsplit, urlunsplit

from gacc_gui.core.errors import BadUsage
from gacc_gui.formats.redaction import REMOVED, redacted_words
from gacc_gui.runner.config_model import EndpointConfig

_SHORTEST: Final = 8
"""Characters. A shorter key is a local server's stand-in (`EMPTY`), whose letters may stand in any text."""
_DEEPEST: Final = 64
"""Backslashes before one character: JSON in JSON in JSON doubles them."""
_NAMED: Final[Mapping[str, str]] = {'"': "quot", "'": "apos", "&": "amp", "<": "lt", ">": "gt"}
"""Names of characters in HTML."""


class Credentials:
    """A key and what else is secret of an endpoint. Shows nothing of it in `repr`, equality or errors."""

    __slots__ = ("_escaped", "_forms", "_key", "_may_be_escaped")

    def __init__(self, key: str | None, secrets: tuple[str, ...] = ()) -> None:
        self._key = key
        found = [key, *secrets] if key is not None else list(secrets)
        forms = {form for secret in found if len(secret) >= _SHORTEST for form in (secret, quote(secret, ""))}
        self._forms = tuple(sorted(forms, key=len, reverse=True))
        self._escaped = re.compile("|".join(map(_in_any_writing, self._forms))) if self._forms else None
        marks = re.escape("".join(sorted({c for form in self._forms for c in form if not c.isalnum()})))
        self._may_be_escaped = re.compile(rf"\\[uxUX/{marks}]|%[0-9A-Fa-f]|&[#a-z]")

    def __repr__(self) -> str:
        return f"Credentials({'a key' if self._key else 'no key'})"

    @property
    def key(self) -> str | None:
        """The key, for the request's header only."""
        return self._key

    def removed_from(self, text: str) -> str:
        """Return a text without the key, however deep in JSON its characters are escaped."""
        if self._escaped is not None and self._may_be_escaped.search(text):
            text = self._escaped.sub(REMOVED, text)  # first: the escape goes with what is escaped
        for form in self._forms:
            text = text.replace(form, REMOVED)
        return text

    def removed_from_bytes(self, body: bytes) -> bytes:
        """Return a body without the key. One of JSON in UTF-16 or UTF-32 becomes UTF-8."""
        if b"\0" in body:
            try:
                text = body.decode(json.detect_encoding(body), "surrogatepass")
                body = text.encode("utf-8", "surrogatepass")
            except UnicodeError:
                pass  # no text, and read by nobody
        clean = self.removed_from(body.decode("utf-8", "surrogateescape"))
        return clean.encode("utf-8", "surrogateescape")

    def message(self, text: str) -> str:
        """Return an error's text in one line, without the key and without what looks like one."""
        return redacted_words(self.removed_from(" ".join(text.split())))


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
        raise BadUsage(f"{_key_of(config)}: the environment variable {name}, which holds its key, is not set")
    if (reason := _why_no_key(key)) is not None:
        raise BadUsage(f"{_key_of(config)}: the value of {name} cannot be a key: {reason}")
    return Credentials(key, secrets)


def _why_no_key(key: str) -> str | None:
    """Return why a request's header cannot hold a key, without anything of it; None where it can."""
    if len(key.splitlines()) > 1:
        return "it has a line break in it"
    if not key.isascii():
        return "a character is not ASCII"
    return None if key.isprintable() else "it has a control character in it"


def _key_of(config: EndpointConfig) -> str:
    from gacc_gui.runner.config_schema import dotted

    return dotted(("endpoints", config.name, "api_key_env"))


def shown_address(url: str) -> str:
    """Return an address without user, password, query and fragment."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _in_any_writing(secret: str) -> str:
    """Return a pattern of a secret whose characters may be escaped: by JSON (at any depth), URL, HTML."""

    def of(run: re.Match[str]) -> str:
        character = run[0][0]
        code = f"{ord(character):02x}"
        coded = (
            rf"\\{{1,{_DEEPEST}}}(?:u00|x)(?i:{code})|%(?i:{code})|&\#(?:{ord(character)}|[xX](?i:{code}));"
        )
        if character == "\\":
            # Each depth doubles them. One more than that belongs to what follows.
            counts = [len(run[0]) * 2**depth for depth in range(_DEEPEST.bit_length() - 1, -1, -1)]
            plain = "|".join(rf"\\{{{count}}}" for count in counts)
            return rf"(?:{plain}|(?:{coded}){{{len(run[0])}}})"
        plain = character if character.isalnum() else rf"\\{{0,{_DEEPEST}}}{re.escape(character)}"
        named = f"|&{_NAMED[character]};" if character in _NAMED else ""
        return rf"(?:{plain}|{coded}{named})"

    return re.sub(r"\\+|(?s:.)", of, secret)


def _secrets_in(url: str) -> list[str]:
    parts = urlsplit(url)
    values = [value for _, value in parse_qsl(parts.query)]
    return [value for value in (*values, parts.password, parts.username) if value]
