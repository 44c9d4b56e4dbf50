"""What of a recorded request was sent, and in which ways it may be read.

Owns which fields came back or only name something, and how escaped JSON is told; what is looked for in the
texts is `app.exposure`'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from gacc_gui.core.records import Json, Request

_CAME_BACK: Final = frozenset(
    {"reply", "response", "output", "completion", "error", "usage", "attempts", "details", "finish_reason"}
)
_NAMING: Final = frozenset({"id", "model", "name", "revision", "role", "budget", "ratio", "repeat"})
_ESCAPE: Final = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')
_SURROGATES: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def sent_texts(request: Request) -> Iterator[tuple[str, str]]:
    """Yield what was sent: the content, and each text of the fields that we do not know, with their names.

    What came back, and what only names something, was not sent.
    """
    yield "content", request.content
    for name, value in request.extra.items():
        if name not in _CAME_BACK and name not in _NAMING and not name.endswith("_id"):
            text = "\n".join(_texts(value))
            if text:
                yield name, text


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield name
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def readings(content: str) -> Iterator[str]:
    """Yield the content as it stands and, where it seems escaped as JSON, unescaped: at most twice."""
    yield content
    for _ in range(2):
        if "\\" not in content:
            return
        plain = _SURROGATES.sub(_joined, _ESCAPE.sub(_unescaped, content))
        if plain == content:
            return
        content = plain
        yield content


_CONTROLS: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def _unescaped(match: re.Match[str]) -> str:
    code, letter = match.groups()
    return chr(int(code, 16)) if code else _CONTROLS.get(letter, letter)


def _joined(match: re.Match[str]) -> str:
    return match.group().encode("utf-16", "surrogatepass").decode("utf-16")
