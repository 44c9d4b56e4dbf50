"""The report of a compaction run, or of one of its cases, as one HTML page.

Owns the order of its sections and how cases look. Words and tables are those of its REPORT.md, section by
section; charts, causes, cases and failures stand between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gacc_gui.core import compaction_causes as causes
from gacc_gui.core.charts import MethodChart
from gacc_gui.core.compaction_aggregate import MISSING
from gacc_gui.core.method_svg import method_svg
from gacc_gui.core.terms import CASES
from gacc_gui.formats import report_people
from gacc_gui.formats.compaction_shapes import AnswerTold, CaseTold, CauseTold, CompactionPage, ContextTold
from gacc_gui.formats.html_charts import figure
from gacc_gui.formats.html_page import Section, page_text
from gacc_gui.formats.html_text import inline
from gacc_gui.formats.html_units import excerpt
from gacc_gui.formats.markdown_html import html_of
from gacc_gui.formats.report import escaped, short, table

_NAMES: Final = {
    causes.CORRECT: "correct",
    causes.EVIDENCE_DROPPED: "evidence dropped",
    causes.SUMMARY_LOST: "lost in the summary",
    causes.ANSWERER_MISSED: "answerer missed it",
    causes.FORM: "form only",
    causes.FAILED: "condition failed",
    MISSING: "not there",
}
_BEFORE: Final = "The predeclared hypothesis"
"""Sections of ours stand before this one of REPORT.md, or at its end."""
_OF_ALL: Final = ("What was run", "What this does not show", "Where the data comes from")
"""What the page of a case takes over of the run's report."""


def compaction_page_text(page: CompactionPage) -> str:
    """Return the page of a run or of a case."""
    opening, sections = _split(page.report)
    ours = [
        Section("Charts", "\n".join(("<h2>Charts</h2>", *map(_chart, page.charts)))),
        Section("Causes of the answers", "\n".join(html_of(_causes(page)))),
        Section("Cases", "\n".join(html_of(_cases(page)))),
    ]
    people = [
        Section("Reviews", "\n".join(html_of(report_people.reviews_section(page.reviews, CASES)))),
        Section("Probes", "\n".join(html_of(report_people.probes_section(page.probes, CASES)))),
    ]
    if page.case is not None:
        case = page.case
        told = Section("The case", "\n".join(("<h2>The case</h2>", *_case(case))))
        kept = [section for section in sections if section.title in _OF_ALL]
        first = [line for line in html_of(opening) if line.startswith('<p class="notice">')]
        heading = f"<h1>{inline(case.question)}</h1>"
        about = f'<p class="muted">Case {inline(case.case_id)} of the run {inline(page.title)}.</p>'
        return page_text(f"{case.case_id}: {page.title}", [*first, heading, about], [told, *people, *kept])
    at = next((n for n, section in enumerate(sections) if section.title == _BEFORE), len(sections))
    detail = Section("Failures in detail", "\n".join(_telling(page)))
    limits = next((n for n, section in enumerate(sections) if section.title == _OF_ALL[1]), len(sections))
    ordered = [*sections[:at], *ours, *sections[at:limits], detail, *people, *sections[limits:]]
    return page_text(page.title, html_of(opening), ordered)


def _split(report: str) -> tuple[list[str], list[Section]]:
    """Return what stands before the first section of a report, and its sections as HTML."""
    opening: list[str] = []
    sections: list[list[str]] = []
    for line in report.split("\n"):
        if line.startswith("## "):
            sections.append([line])
        elif sections:
            sections[-1].append(line)
        else:
            opening.append(line)
    return opening, [Section(lines[0][3:], "\n".join(html_of(lines))) for lines in sections]


def _chart(chart: MethodChart) -> str:
    return figure(method_svg(chart))


def _causes(page: CompactionPage) -> Iterator[str]:
    yield "## Causes of the answers"
    yield ""
    yield "Answers by cause; a row's add up to what was planned. That something was lost in a summary is"
    yield "uncertain: the summary may say it in other words."
    yield ""
    names = [*causes.CAUSES, *([MISSING] if any(MISSING in found for found in page.causes.values()) else [])]
    rows = (
        (escaped(method), *(f"{page.causes[method].get(name, 0):,}" for name in names))
        for method in page.methods
    )
    yield from table(("method", *(_NAMES[name] for name in names)), rows, right=range(1, len(names) + 1))


def _cases(page: CompactionPage) -> Iterator[str]:
    yield "## Cases"
    yield ""
    yield f"Answers with an EM of 1, of {page.answers:,} planned by each method."
    if len(page.cases) < page.case_count:
        yield f"The first {len(page.cases):,} of {page.case_count:,} cases."
    yield ""
    rows = (
        (
            f"{case.number:,}",
            short(case.question),
            escaped(case.kind or "–"),
            *(f"{case.right[method]:,}" for method in page.methods),
        )
        for case in page.cases
    )
    headings = ("case", "question", "type", *map(escaped, page.methods))
    yield from table(headings, rows, right=(0, *range(3, len(headings))))


def _telling(page: CompactionPage) -> Iterator[str]:
    yield "<h2>Failures in detail</h2>"
    for found in page.telling:
        yield from _cause_told(found)
    if not page.telling:
        yield "<p>Every answer has an EM of 1.</p>"


def _cause_told(found: CauseTold) -> Iterator[str]:
    yield f"<h3>{_NAMES[found.cause]}</h3>"
    answers = "1 answer" if found.answer_count == 1 else f"{found.answer_count:,} answers"
    shown = "it" if found.answer_count == 1 else f"{len(found.cases):,} of them"
    yield f"<p>{answers}; {shown} in detail.</p>"
    for case in found.cases:
        yield '<article class="unit">'
        yield f"<h4>Case {case.number:,}: {inline(case.question)}</h4>"
        yield from _case(case)
        yield "</article>"


def _case(case: CaseTold) -> Iterator[str]:
    references = " · ".join(map(inline, case.references)) or "–"
    kind = f" · {inline(case.kind)}" if case.kind else ""
    yield f"<p>Gold: {references}{kind}</p>"
    yield from excerpt(f"Source, {case.source_characters:,} characters", case.source)
    for context in case.contexts:
        yield from _context(context)


def _context(context: ContextTold) -> Iterator[str]:
    tokens = "" if context.tokens is None else f", {context.tokens:,} tokens"
    title = f"{context.method}, generation {context.generation:,}: as sent{tokens}"
    yield from excerpt(f"{title}, {context.evidence_characters:,} characters of evidence", context.evidence)
    if context.error:
        yield f"<p>The context could not be made: {inline(context.error)}</p>"
    if context.fates:
        fates = ", ".join(
            f"fact {number}: {fate.fate.replace('-', ' ')}" for number, fate in enumerate(context.fates, 1)
        )
        yield f"<p>Supporting facts: {inline(fates)}.</p>"
    yield from html_of(_answers(context))


def _answers(context: ContextTold) -> Iterator[str]:
    if context.answers:
        headings = ("answer", "said", "status", "cause", "EM", "F1")
        yield from table(headings, map(_answer, context.answers), right=(0, 4, 5))


def _answer(answer: AnswerTold) -> tuple[str, ...]:
    said = answer.said if answer.said is not None else answer.told or answer.reply or "–"
    cause = MISSING if answer.cause is None else answer.cause.name
    uncertain = " (uncertain)" if answer.cause is not None and answer.cause.is_uncertain else ""
    return (
        f"{answer.repeat:,}",
        escaped(said),
        escaped(answer.status),
        f"{_NAMES.get(cause, escaped(cause))}{uncertain}",
        f"{answer.em:.0f}",
        f"{answer.f1:.2f}",
    )
