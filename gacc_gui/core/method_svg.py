"""A chart of a compaction run's methods as one SVG document, in the manner of `core.chart_svg`.

Owns where things stand: groups under each other, a bar for each method, its figure written beside it.
"""

from __future__ import annotations

from typing import Final

from gacc_gui.core.chart_svg import WIDTH
from gacc_gui.core.charts import Bar, MethodChart
from gacc_gui.core.svg_parts import Drawing, Theme, number_text, shortened, ticks, width_of, wrapped

_EDGE: Final = 16.0
_SMALL: Final = 11.0
_ROW: Final = 20.0
_BETWEEN: Final = 12.0
_LONGEST_NAME: Final = 24


def method_svg(chart: MethodChart, theme: Theme = "auto") -> str:
    """Return a chart as an SVG document, with all text escaped. `theme`: see `chart_svg.svg_of`."""
    drawing = Drawing(theme, f"methods{chart.key}")
    drawing.text(_EDGE, 24, chart.title, size=15, bold=True)
    _legend(drawing, chart)
    bars = [bar for group in chart.groups for bar in group.bars]
    left = _EDGE + max((width_of(_name(bar)) for bar in bars), default=0.0) + 8
    right = WIDTH - _EDGE - max((width_of(bar.words, _SMALL) for bar in bars), default=0.0) - 8
    top = 66.0 if chart.limit is None else 80.0
    heights = [_ROW * (len(group.bars) + 1) for group in chart.groups]
    bottom = top + sum(heights) + _BETWEEN * max(0, len(heights) - 1)
    scale = (right - left) / chart.highest
    marks = ticks(0, chart.highest, 6)
    y = top
    for group, height in zip(chart.groups, heights, strict=True):
        drawing.text(_EDGE, y + 14, group.title, size=_SMALL, bold=True)
        for value in marks:
            x = left + scale * value
            drawing.line(x, y + _ROW, x, y + height, drawing.ground("edge" if value == 0 else "grid"))
        for number, bar in enumerate(group.bars, 1):
            _bar(drawing, bar, (left, y + number * _ROW, scale, right))
        y += height + _BETWEEN
    for value in marks:
        x = left + scale * value
        drawing.text(x, bottom + 15, number_text(value), anchor="middle", size=_SMALL, role="muted")
    if chart.limit is not None:
        value, words = chart.limit
        x = left + scale * value
        drawing.line(x, top - 6, x, bottom, drawing.ground("text"), 1.5, "5 3")
        drawing.text(x, top - 11, words, anchor="middle", size=_SMALL)
    drawing.text((left + right) / 2, bottom + 33, chart.size_title, anchor="middle", size=_SMALL)
    bottom += 40
    for line in wrapped(chart.caption, WIDTH - 2 * _EDGE, _SMALL):
        bottom += 16
        drawing.text(_EDGE, bottom, line, size=_SMALL, role="muted")
    return drawing.document(WIDTH, bottom + _EDGE, f"{chart.title}. {chart.caption}")


def _name(bar: Bar) -> str:
    return shortened(bar.name, _LONGEST_NAME)


def _bar(drawing: Drawing, bar: Bar, place: tuple[float, float, float, float]) -> None:
    left, y, scale, right = place
    drawing.text(left - 6, y + _ROW / 2 + 4, _name(bar), anchor="end")
    words = f"{bar.name}: {bar.words}"
    base = drawing.ground("base")
    long = scale * (bar.size or 0.0)
    if long:
        drawing.rect(left, y + 2, long, _ROW - 4, drawing.hatch_fill("kept"), base, words)
    if bar.rest:
        fill, edge = drawing.hatch_fill("unused"), drawing.ground("edge")
        drawing.rect(left + long, y + 2, scale * bar.rest, _ROW - 4, fill, edge, words)
    drawing.text(right + 8, y + _ROW / 2 + 4, bar.words, size=_SMALL)


def _legend(drawing: Drawing, chart: MethodChart) -> None:
    x, y = _EDGE, 48.0
    for role, name in (("kept", chart.bar_name), ("unused", chart.rest_name)):
        drawing.rect(x, y - 9, 16, 12, drawing.hatch_fill(role), drawing.ground("edge"))
        drawing.text(x + 22, y + 1, name, size=_SMALL)
        x += 22 + width_of(name, _SMALL) + 18
