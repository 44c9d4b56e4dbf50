"""How charts are told apart without colour: markers, dashes, hatches; and their colours on either theme.

Owns the tables that the window and the SVG share. Colours of lines are quieter than those of causes, stand at
3:1 or better on their ground, and never say anything that marker or dash does not say too.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Look:
    """Colour (light, dark) and marker of a series. Markers are pyqtgraph's names for them."""

    light: str
    dark: str
    marker: str


LOOKS: Final = (
    Look("#1f5fa8", "#6aa9f0", "o"),
    Look("#882255", "#d987b4", "s"),
    Look("#117733", "#6cc28a", "t"),
    Look("#a05a00", "#e0a458", "d"),
    Look("#5b3fa0", "#a996e6", "t1"),
    Look("#00707a", "#5cc3cc", "+"),
    Look("#b0413e", "#ef9a94", "x"),
    Look("#5f6b1e", "#b4c266", "p"),
    Look("#4a4f55", "#c3c8ce", "h"),
    Look("#8a4b9a", "#cf9ade", "star"),
)
"""Cycled by the number of a series."""

DASHES: Final[tuple[tuple[float, ...], ...]] = ((), (6, 3), (2, 2), (8, 3, 2, 3), (12, 3), (1, 3))
"""Lengths of dash and gap in units of the line's width; empty is solid."""


MARKER_FILLS: Final = ("full", "hollow", "dotted", "half")
"""How the markers of one look are told apart: `dotted` is hollow with a dot, `half` full on its left."""


@dataclass(frozen=True, slots=True)
class Fill:
    """Colours (light, dark) and hatch of a part of a bar; `none` is plain."""

    light: str
    dark: str
    hatch: str


FILLS: Final = MappingProxyType(
    {
        "correct": Fill("#009E73", "#12A57C", "none"),
        "truncation": Fill("#D55E00", "#E06A10", "up"),
        "compressor": Fill("#CC79A7", "#CC79A7", "down"),
        "reader": Fill("#E69F00", "#E69F00", "cross"),
        "judge": Fill("#56B4E9", "#56B4E9", "across"),
        "item": Fill("#8A8A8A", "#8A8A8A", "dots"),
        "unlocated": Fill("#8C8C2B", "#8C8C2B", "upright"),
        "no-verdict": Fill("#ffffff", "#17181a", "sparse"),
        "kept": Fill("#5b86b8", "#6f9fd8", "none"),
        "tail": Fill("#D55E00", "#E06A10", "up"),
        "unused": Fill("#e3e3df", "#33373c", "sparse"),
        "retained": Fill("#009E73", "#12A57C", "none"),
        "cut": Fill("#D55E00", "#E06A10", "cross"),
        "omitted": Fill("#CC79A7", "#CC79A7", "down"),
    }
)
"""Look of each cause, of each fate, and of the parts of a token ledger."""

PLAIN_ROLES: Final = ("kept", "tail", "unused", "retained", "cut", "omitted")


def look(number: int) -> Look:
    """Return the look of a series."""
    return LOOKS[number % len(LOOKS)]


def dash(number: int) -> tuple[float, ...]:
    """Return the dashes of a line."""
    return DASHES[number % len(DASHES)]


def marker_fill(number: int) -> str:
    """Return how the markers of a line with these dashes are filled: a single mark shows no dash."""
    return MARKER_FILLS[number % len(MARKER_FILLS)]


HEAT: Final = (("#e6ecf3", "#0f2f57"), ("#2b3038", "#d5e6fb"))
"""Ends of the heat map's scale, light theme and dark: lightness alone orders it."""


def heat_colour(value: float, *, dark: bool) -> str:
    """Return the colour of a share (0 to 1) on the scale, as #rrggbb."""
    low, high = HEAT[dark]
    share = min(1.0, max(0.0, value))
    channels = (
        round(int(low[at : at + 2], 16) + share * (int(high[at : at + 2], 16) - int(low[at : at + 2], 16)))
        for at in (1, 3, 5)
    )
    return "#" + "".join(f"{channel:02x}" for channel in channels)
