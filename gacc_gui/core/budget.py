"""Ratios and budgets in exact decimal arithmetic; floats never take part in a product.

Owns the canonical form of a ratio and L = ⌊rN⌋. Counting tokens is `core.tokens`, cutting `core.boundary`.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Final

from gacc_gui.core.errors import BadInput, BadUsage

_DECIMAL: Final = re.compile(
    r"\+?([0-9]+)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?|\+?\.([0-9]+)(?:[eE]([+-]?[0-9]+))?"
)
_MOST_DIGITS: Final = 60
"""More digits than any ratio needs; `1e-999999999` would otherwise become a gigabyte of zeros."""


def canonical_ratio(value: str | int | float | Decimal) -> str:
    """Return the one way a ratio is written: no exponent, no trailing zeros, `0` for nothing.

    A float stands for the decimal it prints as (0.1 is one tenth). Raises BadInput for what is no
    decimal, negative, not finite or absurdly long.
    """
    digits, places = _parts(value)
    return _write(digits, places)


def budget_for(ratio: str, source_tokens: int) -> int:
    """Return L = ⌊rN⌋ tokens for a ratio and a source of N tokens, exactly (0.29 of 100 is 29).

    Raises BadInput for a ratio that is none, BadUsage for a count that is no non-negative integer.
    """
    count = whole_number(source_tokens, "source tokens")
    digits, places = _parts(ratio)
    return digits * count // 10**places


def whole_number(value: Any, what: str) -> int:
    """Return `value` if it is an int of at least 0 and no bool; else raise BadUsage naming the value."""
    if type(value) is not int or value < 0:
        raise BadUsage(f"{what} must be a whole number of at least 0, not {value!r:.80}")
    return value


def _parts(value: Any) -> tuple[int, int]:
    """Return (digits, places) with value = digits / 10**places and places ≥ 0."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float, Decimal)):
        raise BadInput(f"a ratio must be a decimal number, not {value!r:.80}")
    written = (repr(value) if isinstance(value, float) else str(value)).strip()
    if written.startswith("-") and written[1:2] != "-":
        digits, places = _parts(written[1:])
        if digits:
            raise BadInput(f"a ratio must not be negative: {written:.80}")
        return 0, 0
    match = _DECIMAL.fullmatch(written)
    if match is None or len(written) > _MOST_DIGITS:
        raise BadInput(f"a ratio must be a decimal number, not {written!r:.80}")
    whole, fraction, exponent, bare_fraction, bare_exponent = match.groups()
    if bare_fraction is not None:
        whole, fraction, exponent = "", bare_fraction, bare_exponent
    fraction = fraction or ""
    places = len(fraction) - int(exponent or 0)
    digits = int((whole or "0") + fraction)
    if digits == 0:
        return 0, 0
    if abs(places) > _MOST_DIGITS:
        raise BadInput(f"a ratio must have at most {_MOST_DIGITS} digits: {written:.80}")
    while places > 0 and digits % 10 == 0:
        digits //= 10
        places -= 1
    if places < 0:
        return digits * 10**-places, 0
    return digits, places


def _write(digits: int, places: int) -> str:
    if places == 0:
        return str(digits)
    padded = str(digits).rjust(places + 1, "0")
    return f"{padded[:-places]}.{padded[-places:]}"
