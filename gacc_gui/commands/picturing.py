"""`shot`: the window as a picture."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from gacc_gui import terminal
from gacc_gui.core.errors import BadUsage

_SIZE: Final = re.compile(r"([1-9][0-9]{1,4})[x×]([1-9][0-9]{1,4})", re.IGNORECASE)
_LARGEST: Final = 8192


def size_of(text: str) -> tuple[int, int]:
    """Return width and height in pixels of `1280x800`. Raises BadUsage for anything else."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise BadUsage(f"a size is written as 1280x800, not {text!r:.40}")
    width, height = int(match.group(1)), int(match.group(2))
    if max(width, height) > _LARGEST:
        raise BadUsage(f"a picture is at most {_LARGEST} pixels wide and high, not {text}")
    return width, height
