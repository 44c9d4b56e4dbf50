"""The order in which people expect names: run1, run9, run10."""

from __future__ import annotations

import re
from typing import Final

_DIGITS: Final = re.compile(r"([0-9]+)")


def natural_key(name: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key: runs of digits count as numbers, letters regardless of case.

    Digits are compared by length and then as text, so that a number of any size is allowed.
    """
    key: list[tuple[int, int, str]] = []
    for part in _DIGITS.split(name.casefold()):
        if not part:
            continue
        if part[0] in "0123456789":
            digits = part.lstrip("0")
            key.append((0, len(digits), digits))
        else:
            key.append((1, 0, part))
    return (*key, (-1, 0, name))
