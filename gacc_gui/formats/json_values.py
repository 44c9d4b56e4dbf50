"""One JSON text into a value, quickly, or carefully with a reason a person understands.

Owns what is refused in any JSON we read (NaN, infinite numbers, huge integers, deep nesting, a key twice,
bytes that are no UTF-8) and the repair of half surrogate pairs. Knows nothing of records.
"""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any, Final

from pydantic_core import from_json

from gacc_gui.core.records import Json

MAX_DEPTH: Final = 200
MAX_DIGITS: Final = 4300
_TAILS: Final = ("true", "false", "null", "-")


class BadJson(ValueError):
    """A text that is no JSON we take. `breaks_off` when it merely ends too early."""

    def __init__(self, reason: str, *, breaks_off: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.breaks_off = breaks_off


def quick(data: bytes) -> Json | None:
    """Return the value, or None where the careful way must be taken.

    Does not see a key that stands twice (`may_repeat_a_key` does) nor an infinite float (`is_finite` does).
    """
    try:
        return from_json(data, allow_inf_nan=False)
    except ValueError:
        return None


def may_repeat_a_key(data: bytes, keys: int) -> bool:
    """Whether an object may hold a key twice, given how many keys came out of the whole text.

    A key ends in `":`, and so does an escaped quotation in a text before a colon: `\\":`, which is taken off.
    With white space before its colons a text only takes the careful way.
    """
    ends = data.count(b'":')
    return ends != keys and ends - data.count(b'\\":') != keys


def is_finite(value: Json) -> bool:
    """Whether no float inside the value is infinite or NaN."""
    if type(value) is float:
        return math.isfinite(value)
    if type(value) is dict:
        return all(map(is_finite, value.values()))
    if type(value) is list:
        return all(map(is_finite, value))
    return True


def count_keys(value: Json) -> int:
    """Return the number of keys of all objects inside the value."""
    if type(value) is dict:
        return len(value) + sum(map(count_keys, value.values()))
    if type(value) is list:
        return sum(map(count_keys, value))
    return 0


class Literal(float):
    """A float that remembers how it was written, so that a ratio is read in exact decimal arithmetic."""

    written: str

    def __new__(cls, written: str) -> Literal:
        """Make the float of a JSON number."""
        self = super().__new__(cls, written)
        self.written = written
        return self

    def decimal(self) -> Decimal:
        """Return the number exactly as written."""
        return Decimal(self.written)


def careful(data: bytes) -> tuple[Json, tuple[str, ...]]:
    """Return the value and one sentence per repair; floats come as `Literal`.

    Raises BadJson.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        at_end = error.reason == "unexpected end of data"
        raise BadJson(f"byte {error.start + 1} is not UTF-8", breaks_off=at_end) from error
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        message = error.msg.removesuffix(" at")
        raise BadJson(
            f"not JSON: {message} at column {error.colno}", breaks_off=_ends(text, error)
        ) from error
    except RecursionError as error:
        raise BadJson(f"nested deeper than {MAX_DEPTH} levels") from error
    repaired: list[str] = []
    value = _checked(value, "", MAX_DEPTH, repaired)
    return value, tuple(repaired)


def _ends(text: str, error: json.JSONDecodeError) -> bool:
    """Whether the parser failed for want of more text: the mark of a torn line."""
    rest = text[error.pos :].rstrip()
    if not rest or error.msg.startswith("Unterminated string"):
        return True
    return any(tail.startswith(rest) for tail in _TAILS) or (
        len(rest) < 6 and error.msg.startswith("Invalid \\u")
    )


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise BadJson(f"the key {json.dumps(key)} stands twice in one object")
            seen.add(key)
    return result


def _float(written: str) -> Literal:
    value = Literal(written)
    if not math.isfinite(value):
        raise BadJson(f"the number {written[:40]} is too large")
    return value


def _int(written: str) -> int:
    if len(written.lstrip("-")) > MAX_DIGITS:
        raise BadJson(f"an integer of {len(written.lstrip('-')):,} digits")
    return int(written)


def _constant(name: str) -> Any:
    raise BadJson(f"{name} is not a number in JSON")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_float, parse_int=_int, parse_constant=_constant
)


def mended(text: str) -> str:
    """Return the text with every half of a surrogate pair replaced by U+FFFD, proper pairs joined."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _checked(value: Json, path: str, depth: int, repaired: list[str]) -> Json:
    if isinstance(value, str):
        if value.isascii() or _encodes(value):
            return value
        repaired.append(f"{path or 'the value'}: half a surrogate pair became U+FFFD")
        return mended(value)
    if isinstance(value, (dict, list)) and depth == 0:
        raise BadJson(f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, dict):
        result: dict[str, Json] = {}
        for key, item in value.items():
            name = _checked(key, f"{path} key".strip(), depth, repaired)
            if name in result:
                raise BadJson(f"the key {json.dumps(name)} stands twice in one object")
            result[name] = _checked(item, f"{path}.{name}" if path else name, depth - 1, repaired)
        return result
    if isinstance(value, list):
        return [_checked(item, f"{path}[{i}]", depth - 1, repaired) for i, item in enumerate(value)]
    return value


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def dumps(value: Json) -> str:
    """Return the value as strict, compact JSON with its characters as they are."""
    return _ENCODER.encode(value)


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
