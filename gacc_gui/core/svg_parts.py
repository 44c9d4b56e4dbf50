"""The parts that a chart's SVG is written with: escaped text, colours of a theme, markers, hatches, ticks.

Owns how one thing is written. Where things stand is `chart_svg`. Colours are CSS variables with the light
theme's value to fall back on, so that a page can change them; of a fixed theme they are written out.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from typing import Final, Literal

from gacc_gui.core.chart_style import FILLS, LOOKS, Fill, Look

Theme = Literal["auto", "light", "dark"]

GROUND: Final = {
    "base": ("#ffffff", "#17181a"),
    "text": ("#1d1f21", "#dcdddf"),
    "muted": ("#575b60", "#a3a8af"),
    "grid": ("#e3e3df", "#2d3035"),
    "edge": ("#8b8f94", "#6d727a"),
}
FONT: Final = "Inter, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif"
SIZE: Final = 12
_CHARACTER: Final = 0.56
"""Width of a character as a share of the font's size, on average and rather too much."""
_KEPT_FORMATS: Final = frozenset("\u200c\u200d")


def plain(text: str) -> str:
    """Return text as one escaped line: nothing in it is markup, hidden or reorders what is seen."""
    parts = []
    for character in re.sub(r"\s+", " ", text):
        category = unicodedata.category(character)
        if category in ("Cc", "Cf") and character not in _KEPT_FORMATS:
            parts.append(f"⟨U+{ord(character):04X}⟩")
        elif category == "Cs" or ord(character) & 0xFFFE == 0xFFFE or 0xFDD0 <= ord(character) <= 0xFDEF:
            parts.append("\ufffd")
        else:
            parts.append(_ESCAPES.get(character, character))
    return "".join(parts)


_ESCAPES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}


def shortened(text: str, most: int) -> str:
    """Return at most `most` characters of a text, with an ellipsis where it was longer."""
    return text if len(text) <= most else text[: max(1, most - 1)] + "…"


def width_of(text: str, size: float = SIZE) -> float:
    """Return about how many pixels a line of text takes."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return (len(text) + 0.8 * wide) * size * _CHARACTER


def wrapped(text: str, width: float, size: float = SIZE) -> list[str]:
    """Return a text in lines of about `width` pixels; a word longer than a line is broken."""
    most = max(8, int(width / (size * _CHARACTER)))
    lines = [""]
    for word in text.split():
        while len(word) > most:
            lines.append(word[:most])
            word = word[most:]
        if lines[-1] and len(lines[-1]) + 1 + len(word) > most:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return [line for line in lines if line]


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers from `low` to `high`, at most about `most` of them."""
    span = high - low
    if span <= 0 or not math.isfinite(span):
        return [low]
    step = 10 ** math.floor(math.log10(span / most))
    for factor in (1, 2, 2.5, 5, 10):
        if span / (step * factor) <= most:
            step *= factor
            break
    first = math.ceil(low / step - 1e-9)
    return [round(number * step, 12) + 0.0 for number in range(first, math.floor(high / step + 1e-9) + 1)]


def number_text(value: float) -> str:
    """Return a number as an axis shows it: 0.05, 1,000."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.6g}"


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


class Drawing:
    """Collects the elements of one SVG. Lengths in pixels, y downwards."""

    def __init__(self, theme: Theme, key: str) -> None:
        self._theme = theme
        self._key = "".join(character for character in key if character.isalnum()) or "chart"
        self._parts: list[str] = []
        self._hatches: dict[str, tuple[str, Fill]] = {}
        self._variables: dict[str, tuple[str, str]] = {}

    def colour(self, name: str, light: str, dark: str) -> str:
        """Return how a colour is written: resolved in a fixed theme, else as a variable."""
        if self._theme != "auto":
            return dark if self._theme == "dark" else light
        self._variables[f"--gacc-{name}"] = (light, dark)
        return f"var(--gacc-{name},{light})"

    def ground(self, role: str) -> str:
        """Return one of the colours of `GROUND`."""
        return self.colour(role, *GROUND[role])

    def look_colour(self, look: Look) -> str:
        """Return the colour of a line."""
        return self.colour(f"line{LOOKS.index(look)}", look.light, look.dark)

    def add(self, element: str) -> None:
        """Add an element that is written already."""
        self._parts.append(element)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        anchor: Literal["start", "middle", "end"] = "start",
        size: float = SIZE,
        role: str = "text",
        bold: bool = False,
        turned: bool = False,
        colour: str | None = None,
    ) -> None:
        """Write a line; y is its baseline. `turned`: from bottom to top."""
        weight = ' font-weight="600"' if bold else ""
        turn = f' transform="rotate(-90 {_n(x)} {_n(y)})"' if turned else ""
        self.add(
            f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}" font-size="{_n(size)}"{weight}{turn}'
            f' style="fill:{colour or self.ground(role)}">{plain(text)}</text>'
        )

    def line(
        self, x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1, dash: str = ""
    ) -> None:
        """Draw a straight line."""
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.add(
            f'<line x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}"'
            f' stroke-width="{_n(width)}"{dashes} style="stroke:{colour}"/>'
        )

    def path(
        self, points: Sequence[tuple[float, float]], colour: str, dashes: Sequence[float], width: float = 1.6
    ) -> None:
        """Draw a line through points."""
        if len(points) < 2:
            return
        steps = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
        dash = f' stroke-dasharray="{" ".join(_n(d * width) for d in dashes)}"' if dashes else ""
        self.add(
            f'<polyline points="{steps}" fill="none" stroke-width="{_n(width)}"{dash}'
            f' style="stroke:{colour}"/>'
        )

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str,
        edge: str | None = None,
        words: str = "",
    ) -> None:
        """Draw a rectangle; `words` are shown by browsers when the pointer rests on it."""
        border = f";stroke:{edge}" if edge else ""
        place = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
        head = f'<rect {place} style="fill:{fill}{border}"'
        self.add(f"{head}><title>{plain(words)}</title></rect>" if words else f"{head}/>")

    def marker(
        self,
        x: float,
        y: float,
        name: str,
        colour: str,
        words: str = "",
        size: float = 4.2,
        fill: str = "full",
    ) -> None:
        """Draw the marker of a series, filled as `chart_style.MARKER_FILLS` has it."""
        r = size
        corners = _CORNERS.get(name)
        title = f"<title>{plain(words)}</title>" if words else ""
        base = self.ground("base")
        style = f'style="fill:{colour};stroke:{base}" stroke-width="0.8"'
        if fill != "full":
            style = f'style="fill:{base};stroke:{colour}" stroke-width="1.4"'
        if corners is not None:
            steps = " ".join(f"{_n(x + dx * r)},{_n(y + dy * r)}" for dx, dy in corners)
            self.add(f'<polygon points="{steps}" {style}>{title}</polygon>')
        else:
            self.add(f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(r)}" {style}>{title}</circle>')
        if fill == "dotted":
            self.add(f'<circle cx="{_n(x)}" cy="{_n(y)}" r="1.5" style="fill:{colour}"/>')
        elif fill == "half":
            half = [(min(0.0, dx), dy) for dx, dy in corners or _turned(24, 0.0)]
            steps = " ".join(f"{_n(x + dx * r)},{_n(y + dy * r)}" for dx, dy in half)
            self.add(f'<polygon points="{steps}" style="fill:{colour}"/>')

    def hatch_fill(self, role: str) -> str:
        """Return the fill of a cause or a part of a ledger: its colour under its hatch."""
        fill = FILLS[role]
        name = role.replace("-", "")
        plain_colour = self.colour(f"fill-{name}", fill.light, fill.dark)
        if fill.hatch == "none":
            return plain_colour
        id_ = f"gacc-{self._key}-{name}"
        self._hatches[id_] = (plain_colour, fill)
        return f"url(#{id_})"

    def document(self, width: float, height: float, title: str) -> str:
        """Return the whole SVG."""
        definitions = "".join(self._hatch(id_, colour, fill) for id_, (colour, fill) in self._hatches.items())
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="gacc-chart" width="{_n(width)}"'
            f' height="{_n(height)}" viewBox="0 0 {_n(width)} {_n(height)}" role="img"'
            f' aria-label="{plain(title)}" font-family="{FONT}">{self._styles()}'
            f"<defs>{definitions}</defs>"
            f'<rect width="{_n(width)}" height="{_n(height)}" style="fill:{self.ground("base")}"/>'
            f"{''.join(self._parts)}</svg>\n"
        )

    def _styles(self) -> str:
        self.ground("base")
        if self._theme != "auto":
            return ""
        light = ";".join(f"{name}:{colours[0]}" for name, colours in self._variables.items())
        dark = ";".join(f"{name}:{colours[1]}" for name, colours in self._variables.items())
        return (
            f"<style>.gacc-chart{{{light}}}@media (prefers-color-scheme:dark)"
            f"{{.gacc-chart{{{dark}}}}}@media print{{.gacc-chart{{{light}}}}}</style>"
        )

    def _hatch(self, id_: str, colour: str, fill: Fill) -> str:
        ink = f"stroke:{self.ground('text')};stroke-opacity:0.55;stroke-width:1;fill:none"
        size, path = _HATCHES[fill.hatch]
        return (
            f'<pattern id="{id_}" width="{size}" height="{size}" patternUnits="userSpaceOnUse">'
            f'<rect width="{size}" height="{size}" style="fill:{colour}"/>'
            f'<path d="{path}" style="{ink}"/></pattern>'
        )


_HATCHES: Final = {
    "up": (6, "M-1,1 L1,-1 M0,6 L6,0 M5,7 L7,5"),
    "down": (6, "M-1,5 L1,7 M0,0 L6,6 M5,-1 L7,1"),
    "cross": (6, "M0,0 L6,6 M0,6 L6,0"),
    "across": (5, "M0,2.5 L5,2.5"),
    "upright": (5, "M2.5,0 L2.5,5"),
    "dots": (5, "M2,2.5 L3,2.5"),
    "sparse": (8, "M0,8 L8,0 M-1,1 L1,-1 M7,9 L9,7"),
}


def _turned(sides: int, first: float) -> tuple[tuple[float, float], ...]:
    return tuple(
        (1.15 * math.cos(first + 2 * math.pi * k / sides), 1.15 * math.sin(first + 2 * math.pi * k / sides))
        for k in range(sides)
    )


def _star() -> tuple[tuple[float, float], ...]:
    return tuple(
        ((1.35 if k % 2 == 0 else 0.55) * math.sin(math.pi * k / 5),
         -(1.35 if k % 2 == 0 else 0.55) * math.cos(math.pi * k / 5))
        for k in range(10)
    )  # fmt: skip


_PLUS: Final = (
    (-0.4, -1.2), (0.4, -1.2), (0.4, -0.4), (1.2, -0.4), (1.2, 0.4), (0.4, 0.4),
    (0.4, 1.2), (-0.4, 1.2), (-0.4, 0.4), (-1.2, 0.4), (-1.2, -0.4), (-0.4, -0.4),
)  # fmt: skip
_CORNERS: Final = {
    "s": ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)),
    "t": ((-1.15, -0.95), (1.15, -0.95), (0.0, 1.15)),
    "t1": ((-1.15, 0.95), (1.15, 0.95), (0.0, -1.15)),
    "d": ((0.0, -1.3), (1.0, 0.0), (0.0, 1.3), (-1.0, 0.0)),
    "+": _PLUS,
    "x": tuple(((dx - dy) * 0.72, (dx + dy) * 0.72) for dx, dy in _PLUS),
    "p": _turned(5, -math.pi / 2),
    "h": _turned(6, 0.0),
    "star": _star(),
}
"""Markers as polygons of a radius of about 1; `o` is a circle."""
