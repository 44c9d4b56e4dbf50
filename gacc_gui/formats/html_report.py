"""The report of a run, or of one goal of it, as one HTML page.

Owns the order of its sections. Their words and tables are the Markdown report's (`formats.report`), charts
are `core.chart_svg`'s, failures in detail `formats.html_units`'.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from gacc_gui.core.chart_svg import svg_of
from gacc_gui.core.charts import NoChart
from gacc_gui.formats import report, report_people
from gacc_gui.formats.html_charts import figure
from gacc_gui.formats.html_page import Section, page_text
from gacc_gui.formats.html_text import NAME, inline
from gacc_gui.formats.html_units import excerpt, strip, unit_html
from gacc_gui.formats.markdown_html import html_of
from gacc_gui.formats.report_shapes import GoalPage, Report, RunPage, Telling


def run_page_text(page: RunPage) -> str:
    """Return the page of a run."""
    told = page.report
    sections = [
        _section("What was run", told, report.facts, heading="What was run"),
        _section("Micro and Macro", told, report.figures),
        Section("Charts", "\n".join(_charts(page))),
        _section("Why questions failed", told, report.causes),
        _section("Goals one question away", told, report.near_misses),
        Section("Failures in detail", "\n".join(_telling(page.telling))),
        *_endings(told),
    ]
    return page_text(told.run.name or told.run.id, html_of(report.heading(told)), sections)


def goal_page_text(page: GoalPage) -> str:
    """Return the page of one goal."""
    told = page.report
    name = told.run.name or told.run.id
    opening = [
        *(line for line in html_of(report.heading(told)) if not line.startswith("<h1>")),
        f"<h1>{inline(page.goal)}</h1>",
        f'<p class="muted">Goal {inline(page.goal_id, NAME)} of the run {inline(name, NAME)}, over the'
        f" context “{inline(page.context_title or page.context_id, NAME)}”.</p>",
    ]
    sections = [
        _section("What was run", told, report.facts, heading="What was run"),
        Section("Questions over all memories", "\n".join(_matrix(page))),
        _section("Micro and Macro of this goal", told, report.figures),
        _section("Why questions failed", told, report.causes),
        Section("The source", "\n".join(_source(page))),
        Section("Failing memories in detail", "\n".join(_units(page))),
        *_endings(told),
    ]
    return page_text(f"{page.goal_id}: {name}", opening, sections)


def _endings(told: Report) -> list[Section]:
    return [
        _section("Reviews", told, report_people.reviews),
        _section("Probes", told, report_people.probes),
        _section("What this does not show", told, report.limits),
        _section("Origins and licences", told, report.origins),
        _section("Notes", told, report.notes),
    ]


def _section(
    title: str, told: Report, lines: Callable[[Report], Iterable[str]], heading: str | None = None
) -> Section:
    first = [f"<h2>{inline(heading)}</h2>"] if heading else []
    return Section(title, "\n".join([*first, *html_of(lines(told))]))


def _charts(page: RunPage) -> Iterator[str]:
    yield "<h2>Charts</h2>"
    for chart, note in zip(page.charts, page.chart_notes, strict=True):
        if isinstance(chart, NoChart):
            yield f'<p class="muted">{inline(chart.title)}: {inline(chart.reason)}</p>'
            continue
        yield figure(svg_of(chart), note)


def _telling(found: Iterable[Telling]) -> Iterator[str]:
    yield "<h2>Failures in detail</h2>"
    yield f"<p>{_LEGEND}</p>"
    any_there = False
    for telling in found:
        any_there = True
        shown, count = len(telling.units), telling.unit_count
        goals = "1 goal under a memory" if count == 1 else f"{count:,} goals under a memory"
        yield f"<h3>{strip_of(telling.cause)} {telling.cause.replace('-', ' ')}</h3>"
        of_them = f"; {shown:,} of them, as unlike as there are" if shown < count else ""
        yield f"<p>{goals} with a question that failed so{of_them}.</p>"
        for unit in telling.units:
            yield from unit_html(unit, "h4")
    if not any_there:
        yield "<p>No question failed.</p>"


_LEGEND: Final = (
    "Evidence of the failing questions is marked with its fate: <mark class='retained'>retained</mark>,"
    " <mark class='tail'>cut or behind the cut</mark>,"
    " <mark class='omitted'>omitted by the compressor</mark>,"
    " <mark class='absent'>absent from the source</mark>."
)


def strip_of(cause: str) -> str:
    """Return the letter of a cause, coloured."""
    from gacc_gui.core.causes import LETTERS

    return strip(LETTERS[cause])


def _matrix(page: GoalPage) -> Iterator[str]:
    yield "<h2>Questions over all memories</h2>"
    if not page.columns:
        yield "<p>This goal was not evaluated.</p>"
        return
    if len(page.columns) < page.column_count:
        yield f"<p>The first {len(page.columns):,} of {page.column_count:,} memories and repeats.</p>"
    yield '<div class="wide"><table class="matrix"><thead><tr><th>question</th>'
    yield "".join(f'<th><div class="up">{inline(name, NAME)}</div></th>' for name in page.columns)
    yield "</tr></thead><tbody>"
    for text, letters in page.questions:
        cells = "".join(f"<td>{strip(letter)}</td>" for letter in letters)
        yield f"<tr><td>{inline(text)}</td>{cells}</tr>"
    yield "</tbody></table></div>"


def _source(page: GoalPage) -> Iterator[str]:
    yield "<h2>The source</h2>"
    yield "<p>The questions' evidence is marked with the question's number.</p>"
    yield from excerpt(f"{page.source_characters:,} characters", page.source)


def _units(page: GoalPage) -> Iterator[str]:
    yield "<h2>Failing memories in detail</h2>"
    if not page.units:
        yield "<p>Every question is right under every memory.</p>"
        return
    shown, count = len(page.units), page.unit_count
    yield f"<p>{count:,} in all.</p>" if shown == count else f"<p>The first {shown:,} of {count:,}.</p>"
    yield f"<p>{_LEGEND}</p>"
    for unit in page.units:
        yield from unit_html(unit, goal_is_known=True)
