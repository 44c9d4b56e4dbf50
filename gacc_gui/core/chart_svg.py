"""A chart as one SVG document without Qt: for reports, and for what the window exports.

    svg_of(chart) -> str

Owns where things stand. The legend stands beside the plot, never on it; the caption with denominators and
policy below. Colours are CSS variables for light and dark (`svg_parts`); `theme` writes one of them out.
"""

from __future__ import annotations

from typing import Final

from gacc_gui.core.causes import VEIL
from gacc_gui.core.chart_style import dash, heat_colour, look, marker_fill
from gacc_gui.core.charts import BarChart, Chart, HeatChart, Line, LineChart, MethodChart, NoChart, Panel
from gacc_gui.core.svg_parts import (
    SIZE,
    Drawing,
    Theme,
    number_text,
    shortened,
    ticks,
    width_of,
    wrapped,
)

WIDTH: Final = 920.0
_EDGE: Final = 16.0
_TOP: Final = 44.0
_LINE: Final = 16.0
_SMALL: Final = 11.0
_PLOT_HEIGHT: Final = 300.0
_LEGEND_ROW: Final = 18.0
_LONGEST_LABEL: Final = 34
_TITLED: Final = 3_000
"""Parts of a heat map that have words of their own; with more the file would be several megabytes."""


_Box = tuple[float, float, float, float]
"""Left, top, width, height."""


def svg_of(chart: Chart, theme: Theme = "auto") -> str:
    """Return a chart as an SVG document, with all text escaped.

    `auto` follows the reader's light or dark theme by CSS variables; `light` and `dark` are fixed, for
    programs that know no variables.
    """
    if isinstance(chart, MethodChart):
        from gacc_gui.core.method_svg import method_svg

        return method_svg(chart, theme)
    drawing = Drawing(theme, chart.key)
    drawing.text(_EDGE, 24, chart.title, size=15, bold=True)
    match chart:
        case LineChart():
            bottom = _lines(drawing, chart)
        case BarChart():
            bottom = _bars_across(drawing, chart) if chart.across else _bars_upright(drawing, chart)
        case HeatChart():
            bottom = _heat(drawing, chart)
        case NoChart():
            bottom = _TOP
    words = chart.reason if isinstance(chart, NoChart) else chart.caption
    for line in wrapped(words, WIDTH - 2 * _EDGE, _SMALL):
        bottom += _LINE
        drawing.text(_EDGE, bottom, line, size=_SMALL, role="muted")
    return drawing.document(WIDTH, bottom + _EDGE, f"{chart.title}. {words}")


# --- lines -------------------------------------------------------------------------------------------


def _lines(drawing: Drawing, chart: LineChart) -> float:
    legend = chart.panels[0].lines
    legend_width = min(260.0, max([width_of(line.name, _SMALL) for line in legend] or [0]) + 44)
    left = _EDGE + 48
    space = WIDTH - _EDGE - legend_width - left - 16
    gap = 28.0
    width = (space - gap * (len(chart.panels) - 1)) / len(chart.panels)
    height = max(_PLOT_HEIGHT, len(legend) * _LEGEND_ROW - 20)
    low, high = x_range(chart)
    for number, panel in enumerate(chart.panels):
        box = (left + number * (width + gap), _TOP + 12, width, height)
        _axes(drawing, chart, panel, box, (low, high), labelled=number == 0)
        for line in panel.lines:
            _line(drawing, line, box, (low, high))
    drawing.text(left + space / 2, _TOP + height + 46, chart.x_title, anchor="middle")
    drawing.text(_EDGE + 8, _TOP + 12 + height / 2, chart.y_title, anchor="middle", turned=True)
    x = left + space + 16
    for number, line in enumerate(legend):
        y = _TOP + 18 + number * _LEGEND_ROW
        _sample(drawing, line, x, y)
        name = shortened(line.name, int((legend_width - 44) / (_SMALL * 0.56)) + 1)
        drawing.text(x + 36, y + 4, name, size=_SMALL)
    return _TOP + height + 54


def x_range(chart: LineChart) -> tuple[float, float]:
    """Return the part of the axis that shows every mark, with a little room at its ends."""
    xs = [
        mark.x
        for panel in chart.panels
        for line in panel.lines
        if line.shape != "level"
        for mark in line.marks
    ]
    low, high = min(xs, default=0.0), max(xs, default=1.0)
    room = 0.05 * (high - low) or 0.5
    return low - room, high + room


def _axes(
    drawing: Drawing,
    chart: LineChart,
    panel: Panel,
    box: _Box,
    x_of: tuple[float, float],
    *,
    labelled: bool,
) -> None:
    left, top, width, height = box
    for value in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        y = top + height * (1 - value)
        drawing.line(left, y, left + width, y, drawing.ground("grid"))
        if labelled:
            drawing.text(left - 6, y + 4, number_text(value), anchor="end", size=_SMALL, role="muted")
    low, high = x_of
    taken = -1e9
    for value in chart.x_ticks or ticks(low, high, 6):
        x = left + width * (value - low) / (high - low)
        drawing.line(x, top + height, x, top + height + 4, drawing.ground("edge"))
        label = number_text(value)
        if x - width_of(label, _SMALL) / 2 > taken + 4 and left - 1 <= x <= left + width + 1:
            drawing.text(x, top + height + 17, label, anchor="middle", size=_SMALL, role="muted")
            taken = x + width_of(label, _SMALL) / 2
    drawing.line(left, top + height, left + width, top + height, drawing.ground("edge"))
    if panel.title:
        drawing.text(left + width / 2, top - 8, panel.title, anchor="middle", bold=True)


def _line(drawing: Drawing, line: Line, box: _Box, x_of: tuple[float, float]) -> None:
    left, top, width, height = box
    low, high = x_of
    style = look(line.look)
    colour = drawing.look_colour(style)
    if line.shape == "level":
        for mark in line.marks:
            y = top + height * (1 - mark.y)
            drawing.path([(left, y), (left + width, y)], colour, dash(line.dash))
        return
    points = [
        (left + width * ((mark.x - low) / (high - low) + line.shift), top + height * (1 - mark.y))
        for mark in line.marks
    ]
    if line.shape == "step":
        steps = [
            point
            for i, (x, y) in enumerate(points)
            for point in ([(x, points[i - 1][1])] if i else []) + [(x, y)]
        ]
        drawing.path(steps, colour, dash(line.dash), 1.4)
        return
    if line.shape == "line":
        drawing.path(points, colour, dash(line.dash))
    filled = marker_fill(line.dash)
    for (x, y), mark in zip(points, line.marks, strict=True):
        if mark.low is not None and mark.high is not None:
            y1, y2 = (top + height * (1 - value) for value in (mark.low, mark.high))
            drawing.line(x, y1, x, y2, colour)
            for end in (y1, y2):
                drawing.line(x - 3, end, x + 3, end, colour)
        drawing.marker(x, y, style.marker, colour, mark.words, fill=filled)


def _sample(drawing: Drawing, line: Line, x: float, y: float) -> None:
    style = look(line.look)
    colour = drawing.look_colour(style)
    if line.shape != "points":
        drawing.path([(x, y), (x + 30, y)], colour, dash(line.dash))
    if line.shape in ("line", "points"):
        drawing.marker(x + 15, y, style.marker, colour, fill=marker_fill(line.dash))


# --- bars --------------------------------------------------------------------------------------------


def _bars_across(drawing: Drawing, chart: BarChart) -> float:
    labels = [shortened(label, _LONGEST_LABEL) for label in chart.labels]
    left = _EDGE + max(map(width_of, labels)) + 8
    width = WIDTH - _EDGE - left - 8
    top = _legend_above(drawing, chart)
    row = 20.0 if len(labels) <= 60 else 12.0
    height = row * len(labels)
    longest = max((chart.total(bar) for bar in range(len(labels))), default=1.0) or 1.0
    for value in ticks(0, longest, 8):
        x = left + width * value / longest
        drawing.line(x, top, x, top + height, drawing.ground("grid"))
        drawing.text(x, top + height + 15, number_text(value), anchor="middle", size=_SMALL, role="muted")
    for bar, label in enumerate(labels):
        y = top + bar * row
        drawing.text(left - 6, y + row / 2 + 4, label, anchor="end", size=SIZE if row > 14 else 9)
        x = left
        for layer in chart.layers:
            size = layer.sizes[bar]
            if not size:
                continue
            long = width * size / longest
            drawing.rect(x, y + 2, long, row - 4, drawing.hatch_fill(layer.role), drawing.ground("base"),
                         layer.words[bar])  # fmt: skip
            _letter(drawing, layer.letter, (x + long / 2, y + row / 2), long, row - 4)
            x += long
    drawing.text(left + width / 2, top + height + 34, chart.size_title, anchor="middle")
    return top + height + 42


def _bars_upright(drawing: Drawing, chart: BarChart) -> float:
    left = _EDGE + 52
    width = WIDTH - _EDGE - left
    top = _legend_above(drawing, chart)
    height = _PLOT_HEIGHT
    highest = 1.0 if chart.is_share else max(map(chart.total, range(len(chart.labels))), default=1.0) or 1.0
    for value in ticks(0, highest, 6):
        y = top + height * (1 - value / highest)
        drawing.line(left, y, left + width, y, drawing.ground("grid"))
        drawing.text(left - 6, y + 4, number_text(value), anchor="end", size=_SMALL, role="muted")
    step = width / max(1, len(chart.labels))
    for bar, label in enumerate(chart.labels):
        y = top + height
        x = left + step * (bar + 0.12)
        for layer in chart.layers:
            size = layer.sizes[bar]
            if not size:
                continue
            tall = height * size / highest
            y -= tall
            drawing.rect(x, y, step * 0.76, tall, drawing.hatch_fill(layer.role), drawing.ground("base"),
                         layer.words[bar])  # fmt: skip
        for number, part in enumerate(label.split("\n")):
            drawing.text(left + step * (bar + 0.5), top + height + 16 + number * 14, part, anchor="middle",
                         size=_SMALL, role="text" if number == 0 else "muted")  # fmt: skip
    drawing.line(left, top + height, left + width, top + height, drawing.ground("edge"))
    drawing.text(left + width / 2, top + height + 52, chart.bar_title, anchor="middle")
    drawing.text(_EDGE + 8, top + height / 2, chart.size_title, anchor="middle", turned=True)
    return top + height + 60


def _legend_above(drawing: Drawing, chart: BarChart) -> float:
    """Write the legend in rows above the bars; return where they may begin."""
    x, y = _EDGE, _TOP + 4
    for layer in chart.layers:
        name = f"{layer.letter} {layer.name}".strip()
        wide = 22 + width_of(name, _SMALL) + 18
        if x + wide > WIDTH - _EDGE and x > _EDGE:
            x, y = _EDGE, y + _LEGEND_ROW
        drawing.rect(x, y - 9, 16, 12, drawing.hatch_fill(layer.role), drawing.ground("edge"))
        drawing.text(x + 22, y + 1, name, size=_SMALL)
        x += wide
    return y + 18


def _letter(drawing: Drawing, letter: str, middle: tuple[float, float], long: float, thick: float) -> None:
    """Write a part's letter on a spot of the ground, where its colour and hatch are seen all around it."""
    if not letter or long < 24 or thick < 14:
        return
    x, y = middle
    drawing.rect(x - 5, y - thick / 2 + 2, 10, thick - 4, drawing.ground("base"))
    drawing.text(x, y + 4, letter, anchor="middle", size=_SMALL - 0.5, bold=True)


# --- heat map ----------------------------------------------------------------------------------------


def _heat(drawing: Drawing, chart: HeatChart) -> float:
    rows, columns = len(chart.cells), len(chart.goals)
    labels = [shortened(label, _LONGEST_LABEL) for label in chart.labels]
    size = SIZE if rows <= 40 else 8.5
    left = _EDGE + max(width_of(label, size) for label in labels) + 8
    step_x = min(40.0, (WIDTH - _EDGE - left) / columns)
    step_y = 20.0 if rows <= 40 else 10.0
    top = _scale(drawing, chart)
    if columns <= 60:
        names = [shortened(goal, 18) for goal in chart.goals]
        top += max(width_of(name, 10) for name in names) + 8
        for column, name in enumerate(names):
            drawing.text(left + step_x * (column + 0.5) + 3.5, top - 5, name, size=10, turned=True)
    else:
        drawing.text(left, top + 10, f"{chart.goal_title} ({columns:,})", size=_SMALL, role="muted")
        top += 18
    highest = chart.highest
    for row, label in enumerate(labels):
        y = top + row * step_y
        drawing.text(left - 6, y + step_y / 2 + size / 3, label, anchor="end", size=size)
        if rows * columns <= _TITLED:
            _heat_places(drawing, chart, row, (left, y, step_x, step_y), highest)
        else:
            _heat_runs(drawing, chart, row, (left, y, step_x, step_y), highest)
    return top + rows * step_y + 8


def _heat_places(drawing: Drawing, chart: HeatChart, row: int, box: _Box, highest: float) -> None:
    left, y, step_x, step_y = box
    for goal in range(len(chart.goals)):
        value = heat_value(chart, row, goal, highest)
        x = left + goal * step_x
        if value is None:
            text = heat_text(chart, row, goal)
            drawing.text(
                x + step_x / 2 - 0.5, y + step_y / 2 + 3, text, anchor="middle", size=9, role="muted"
            )
            continue
        fill = _heat_fill(drawing, value)
        drawing.rect(x, y, step_x - 1, step_y - 1, fill, None, chart.words(row, goal))
        text = heat_text(chart, row, goal)
        if step_x >= width_of(text, 9) and step_y >= 14:
            high = value > 0.5
            light, dark = ("#ffffff", "#111111") if high else ("#1d1f21", "#dcdddf")
            ink = drawing.colour(f"ink-{'high' if high else 'low'}", light, dark)
            drawing.text(x + step_x / 2 - 0.5, y + step_y / 2 + 3, text, anchor="middle", size=9, colour=ink)


def _heat_runs(drawing: Drawing, chart: HeatChart, row: int, box: _Box, highest: float) -> None:
    """Draw a row with equal neighbours in one: else a full-size run would be some 10 MB."""
    left, y, step_x, step_y = box
    values = [heat_value(chart, row, goal, highest) for goal in range(len(chart.goals))]
    begin = 0
    for end in range(1, len(values) + 1):
        if end < len(values) and values[end] == values[begin]:
            continue
        value = values[begin]
        if value is not None:
            x = left + begin * step_x
            drawing.rect(x, y, (end - begin) * step_x, step_y - 0.5, _heat_fill(drawing, value))
        begin = end


def heat_value(chart: HeatChart, cell: int, goal: int, highest: float) -> float | None:
    """Return what a place's colour stands for, 0 to 1: the share right, or how few are away of `highest`."""
    if not chart.shows_away:
        return chart.share(cell, goal)
    away = chart.away(cell, goal)
    return None if away is None else 1 - away / highest


def heat_text(chart: HeatChart, cell: int, goal: int) -> str:
    """Return what is written in a place that has room: “3/5”, how many are away, or “?” for a hidden one."""
    if (cell, goal) in chart.hidden:
        return VEIL
    if chart.shows_away:
        away = chart.away(cell, goal)
        return "" if away is None else number_text(round(away, 1))
    whole = chart.whole[cell][goal]
    return f"{chart.right[cell][goal]}/{whole}" if whole else ""


def _heat_fill(drawing: Drawing, value: float) -> str:
    step = round(value * 100)
    light, dark = heat_colour(step / 100, dark=False), heat_colour(step / 100, dark=True)
    return drawing.colour(f"heat{step}", light, dark)


def _scale(drawing: Drawing, chart: HeatChart) -> float:
    y = _TOP + 4
    ends = (f"{number_text(chart.highest)} away", "0 away") if chart.shows_away else ("0", "1 right")
    drawing.text(_EDGE, y + 1, ends[0], size=_SMALL)
    x = _EDGE + width_of(ends[0], _SMALL) + 6
    for step in range(11):
        drawing.rect(x + step * 14, y - 9, 14, 12, _heat_fill(drawing, step / 10))
    drawing.text(x + 11 * 14 + 6, y + 1, ends[1], size=_SMALL)
    return y + 12
