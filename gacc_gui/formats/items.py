"""What a file yields while it is read: records, bad records, and the place where the file breaks off.

Owns nothing but these types; `formats.gacc_run` yields them, `app.importing` consumes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from gacc_gui.core.records import Json, Record


@dataclass(frozen=True, slots=True)
class DatasetHead:
    """What stands where a run's record would, in a dataset: its unknown top-level fields."""

    top_level: Mapping[str, Json]


class Parsed(NamedTuple):
    """A good record. A named tuple, since a run of 300,000 answers makes 600,000 of them."""

    record: Record | DatasetHead
    line: int | None
    """1-based line of a JSON Lines file; None in a JSON document."""
    repaired: tuple[str, ...] = ()
    """One sentence per repair, for example of half a surrogate pair."""
    warnings: tuple[str, ...] = ()
    """One sentence per value that is kept but not understood, for example an unknown label."""


@dataclass(frozen=True, slots=True)
class Bad:
    """A line that holds no usable record; the lines after it are read on."""

    line: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Broken:
    """The file breaks off here: nothing behind `line` could be read."""

    line: int | None
    reason: str


Item = Parsed | Bad | Broken
