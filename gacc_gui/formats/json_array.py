"""One JSON list of any length, element by element, without ever holding the whole of it.

Owns where an element begins and ends. Not here: what is in it (`json_values`), files (`lines`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from gacc_gui.formats.json_values import BadJson

# Strings are matched whole, so that what stands inside them is not seen; a quotation mark by itself begins a
# string that goes on in the next piece.
_STRING: Final = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_BETWEEN: Final = re.compile(_STRING + rb'|["\[\]{},]', re.DOTALL)
_INSIDE: Final = re.compile(_STRING + rb'|["\[\]{}]', re.DOTALL)


def elements(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the JSON text of each element of a list that arrives in pieces of UTF-8.

    Only brackets and commas are looked at: an element may be no JSON, or empty where a comma is too many.
    Raises BadJson (`breaks_off` where the text ends too early) for a text that is no list.
    """
    chunks = iter(chunks)
    buffer = b""
    at = start = depth = 0
    found = 0
    for chunk in chunks:
        buffer, at, start = buffer[start:] + chunk, at - start, 0
        if depth == 0:
            buffer = buffer.lstrip()
            if not buffer:
                continue
            if not buffer.startswith(b"["):
                raise BadJson("it is no JSON list")
            depth = at = start = 1
        while True:
            match = (_BETWEEN if depth == 1 else _INSIDE).search(buffer, at)
            if match is None:
                at = len(buffer)
                break
            token = match[0]
            if token == b'"':
                at = match.start()
                break
            at = match.end()
            if token in b"[{":
                depth += 1
            elif token in b"]}":
                depth -= 1
                if depth == 0:
                    element = buffer[start : match.start()].strip()
                    if element or found:
                        yield element
                    _refuse_more(buffer[at:], chunks)
                    return
            elif token == b",":
                found += 1
                yield buffer[start : match.start()].strip()
                start = at
    raise BadJson("it breaks off" if depth else "the file is empty", breaks_off=True)


def _refuse_more(rest: bytes, chunks: Iterator[bytes]) -> None:
    for chunk in chain((rest,), chunks):
        if chunk.strip():
            raise BadJson("there is more behind the end of the list")
