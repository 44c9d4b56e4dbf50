"""Charts as SVG: well-formed, text as text, the legend beside the plot, both themes."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from gacc_gui.core.causes import CAUSES
from gacc_gui.core.chart_figures import causes_chart, ratio_chart
from gacc_gui.core.chart_style import DASHES, FILLS, HEAT, LOOKS, MARKER_FILLS, heat_colour
from gacc_gui.core.chart_svg import svg_of, x_range
from gacc_gui.core.charts import Chart, LineChart, NoChart, Target
from gacc_gui.core.evidence_charts import PlaceCount, place_chart, survival_chart
from gacc_gui.core.heat_figures import heat_chart
from gacc_gui.core.metrics import GoalFacts, UnitCounts, cell_metrics
from gacc_gui.core.records import Cell
from gacc_gui.core.svg_parts import GROUND, Drawing, plain, ticks, wrapped
from tests.memory_needs import needing

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '</text><script>alert("1")</script>&amp;\u202egnp.exe\x00\ud83d'


def charts(compressor: str = "lead", goal: str = "g1") -> list[Chart]:
    cells = [
        Cell(name, "1", "own-goal", ratio) for name in (compressor, "other") for ratio in ("0.1", "0.25")
    ]
    facts = [GoalFacts(goal, "c1", None, 8), GoalFacts("g2", "c2", None, 8)]
    units = [
        UnitCounts(cell, fact.goal_id, fact.context_id, 8, 7, 1, 0, (1,) * 8)
        for cell in cells
        for fact in facts
    ]
    metrics = cell_metrics(units, facts).cells
    needs = [needing(cell, 10, 100, (4, None, 90), 0) for cell in cells]
    counts = [PlaceCount(2, cells[0], "retained", 2), PlaceCount(2, cells[0], "omitted", 2)]
    return [
        ratio_chart(metrics),
        causes_chart(metrics),
        survival_chart(needs, metrics),
        heat_chart(units, cells, {goal: "a goal"}),
        heat_chart(units, cells, {}, shows_away=True),
        place_chart(counts, [[], [], ["q"], *[[] for _ in range(7)]], Target(), 0),
        NoChart("sizes", "Nothing", f"because {goal}"),
    ]


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
@pytest.mark.parametrize("number", range(7))
def test_every_chart_is_well_formed_and_says_its_denominators(number: int, theme: str) -> None:
    chart = charts()[number]
    root = ElementTree.fromstring(svg_of(chart, theme))  # type: ignore[arg-type]
    words = " ".join("".join(element.itertext()) for element in root.iter(f"{SVG}text"))
    assert chart.title in words
    said = chart.reason if isinstance(chart, NoChart) else chart.caption
    assert said.split()[0] in words and said.split()[-1] in words
    assert root.get("role") == "img" and chart.title in (root.get("aria-label") or "")
    assert svg_of(chart, theme) == svg_of(charts()[number], theme)  # type: ignore[arg-type]
    if theme == "auto":
        assert "prefers-color-scheme:dark" in svg_of(chart)
    else:
        assert "var(" not in svg_of(chart, theme) and "<style" not in svg_of(chart, theme)  # type: ignore[arg-type]


@pytest.mark.parametrize("number", range(7))
def test_hostile_names_are_text(number: int) -> None:
    svg = svg_of(charts(HOSTILE, HOSTILE)[number])
    root = ElementTree.fromstring(svg)
    assert not list(root.iter(f"{SVG}script"))
    assert "<script" not in svg and "\u202e" not in svg and "\x00" not in svg
    svg.encode("utf-8")


def test_what_is_hidden_is_shown() -> None:
    assert plain("a\u202eb\x00<&\"'>") == "a⟨U+202E⟩b⟨U+0000⟩&lt;&amp;&quot;&#39;&gt;"
    assert plain("x\ud800\ufffe\ufdd0 \n y") == "x\ufffd\ufffd\ufffd y"
    assert plain("e\u200dm") == "e\u200dm"


def test_the_legend_is_not_on_the_plot() -> None:
    chart = charts()[0]
    assert isinstance(chart, LineChart)
    root = ElementTree.fromstring(svg_of(chart, "light"))
    names = {line.name for line in chart.panels[0].lines}
    legend = [float(text.get("x") or 0) for text in root.iter(f"{SVG}text") if text.text in names]
    guides = [
        float(line.get("x2") or 0) for line in root.iter(f"{SVG}line") if line.get("y1") == line.get("y2")
    ]
    assert len(legend) == len(names) and min(legend) > max(guides)


def test_marks_stand_where_their_figures_are() -> None:
    chart = charts()[0]
    assert isinstance(chart, LineChart)
    root = ElementTree.fromstring(svg_of(chart, "light"))
    circles = [circle for circle in root.iter(f"{SVG}circle") if circle.find(f"{SVG}title") is not None]
    titles = {circle.find(f"{SVG}title").text for circle in circles}  # type: ignore[union-attr]
    assert titles == {
        mark.words for panel in chart.panels for line in panel.lines if line.look == 0 for mark in line.marks
    }
    assert {round(float(circle.get("cy") or 0), 1) for circle in circles} == {
        round(44 + 12 + 300 * (1 - share), 1) for share in (1 / 8, 0.0)
    }


def test_ticks_and_lines_of_text() -> None:
    assert ticks(0, 1, 5) == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert ticks(0, 2571, 8) == [0, 500, 1000, 1500, 2000, 2500]
    assert ticks(3, 3) == [3]
    assert wrapped("a b " + "x" * 50, 12 * 0.56 * 20) == ["a b", "x" * 20, "x" * 20, "x" * 10]
    assert wrapped("", 100) == []


def test_the_axis_shows_every_mark() -> None:
    chart = charts()[2]
    assert isinstance(chart, LineChart)
    low, high = x_range(chart)
    assert all(low < mark.x < high for panel in chart.panels for line in panel.lines for mark in line.marks)


def luminance(colour: str) -> float:
    channels = []
    for at in (1, 3, 5):
        share = int(colour[at : at + 2], 16) / 255
        channels.append(share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4)
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_looks_are_told_apart_without_colour_and_can_be_seen() -> None:
    assert len({look.marker for look in LOOKS}) == len(LOOKS)
    assert len(set(DASHES)) == len(DASHES)
    for look in LOOKS:
        assert contrast(look.light, GROUND["base"][0]) >= 3
        assert contrast(look.dark, GROUND["base"][1]) >= 3
    for role in ("text", "muted"):
        assert all(contrast(GROUND[role][dark], GROUND["base"][dark]) >= 4.5 for dark in (0, 1))
    assert set(CAUSES) <= set(FILLS)
    hatches = [FILLS[cause].hatch for cause in CAUSES]
    assert len(set(hatches)) == len(hatches)


def test_the_heat_scale_is_ordered_by_lightness_alone() -> None:
    for dark in (False, True):
        steps = [luminance(heat_colour(step / 20, dark=dark)) for step in range(21)]
        assert steps == sorted(steps, reverse=not dark)
        assert re.fullmatch("#[0-9a-f]{6}", heat_colour(0.5, dark=dark))
        assert heat_colour(-1, dark=dark) == HEAT[dark][0] and heat_colour(2, dark=dark) == HEAT[dark][1]
        # Even the low end is not taken for an empty place.
        assert contrast(HEAT[dark][0], GROUND["base"][dark]) > 1.15


@pytest.mark.parametrize("marker", sorted({look.marker for look in LOOKS}))
def test_markers_are_filled_in_four_ways(marker: str) -> None:
    written = set()
    for fill in MARKER_FILLS:
        drawing = Drawing("light", "x")
        drawing.marker(10, 10, marker, "#123456", "words", fill=fill)
        document = drawing.document(20, 20, "x")
        assert ElementTree.fromstring(document) is not None and document.count("<title>") == 1
        written.add(document)
    assert len(written) == len(MARKER_FILLS)


def test_a_letter_leaves_its_part_to_be_seen() -> None:
    root = ElementTree.fromstring(svg_of(charts()[1], "light"))
    rects = [
        [float(rect.get(name) or 0) for name in ("x", "y", "width", "height")]
        for rect in root.iter(f"{SVG}rect")
    ]
    spots = [rect for rect in rects if rect[2] == 10]
    assert spots
    for x, y, wide, tall in spots:
        around = [r for r in rects if r[0] < x and r[1] < y and r[0] + r[2] > x + wide and r[2] < 800]
        assert any(r[2] >= 2.4 * wide and r[1] + r[3] > y + tall and r[3] <= 20 for r in around)
