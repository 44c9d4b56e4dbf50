"""What people added to a run, for its report: reviewers' decisions and probes, as Markdown.

Owns these sections' words and tables. What a decision changes is `core.reviewing`, what a probe says
`core.probe_findings`.
"""

from __future__ import annotations

from collections.abc import Iterator

from gacc_gui.core.records import Probe, Review
from gacc_gui.core.terms import GOALS, Terms
from gacc_gui.formats.report import NAME, cell_names, escaped, short, table
from gacc_gui.formats.report_shapes import ProbedTold, Probes, Report, ReviewedTold, Reviews


def _row_titles(terms: Terms) -> tuple[str, ...]:
    cell = ("condition", "ratio") if terms.by_budget else ()
    return (terms.goal, "question", terms.compressor, "revision", *cell, terms.repeat)


def reviews(report: Report) -> Iterator[str]:
    """Yield what reviewers decided; nothing where nobody did."""
    yield from reviews_section(report.reviews)


def reviews_section(found: Reviews | None, terms: Terms = GOALS) -> Iterator[str]:
    """Yield the same of the reviews alone, in the words of a benchmark."""
    if found is None:
        return
    yield "## Reviews"
    yield ""
    conflicts = (
        f" Reviewers disagree on {found.conflicts:,}; the latest decision counts." if found.conflicts else ""
    )
    yield f"{_counted(len(found.rows), found.row_count, terms)} with a decision.{conflicts}"
    yield f"{escaped(found.agreement)} {escaped(found.corrected)}"
    yield ""
    titles = _row_titles(terms)
    headings = (*titles, f"as {terms.judged}", "as reviewed", "decisions")
    rows = (_reviewed(told, terms) for told in found.rows)
    yield from table(headings, rows, right=(len(titles) - 1,))


def _reviewed(told: ReviewedTold, terms: Terms) -> tuple[str, ...]:
    return (
        *_row(told, terms),
        escaped(f"{told.judged_label or 'no label'} ({told.judged_cause})"),
        escaped(f"{told.label or 'no label'} ({told.cause})"),
        "; ".join(escaped(decision(review)) for review in told.decisions),
    )


def decision(review: Review) -> str:
    """Return what a reviewer says in one line: who, what, why, when, and whether blind."""
    said = review.decision + (f" ({review.cause})" if review.cause else "")
    parts = [f"{_beginning(review.reviewer)}: {said}"]
    if review.note:
        parts.append(f"“{_beginning(review.note)}”")
    parts += [f"#{_beginning(tag)}" for tag in review.tags]
    if review.blind:
        parts.append("blind")
    parts.append(review.created_at)
    return ", ".join(parts)


def _beginning(text: str) -> str:
    return text if len(text) <= NAME else text[:NAME] + "…"


def probes(report: Report) -> Iterator[str]:
    """Yield what was asked again and what it says of the causes; nothing where nothing was."""
    yield from probes_section(report.probes)


def probes_section(found: Probes | None, terms: Terms = GOALS) -> Iterator[str]:
    """Yield the same of the probes alone, in the words of a benchmark."""
    if found is None:
        return
    yield "## Probes"
    yield ""
    yield (
        f"The run's own {terms.reader} was asked again with something else in the memory's place, and its own"
        f" {terms.judge}"
    )
    probes = "1 probe" if found.probe_count == 1 else f"{found.probe_count:,} probes"
    rows_told = _counted(len(found.rows), found.row_count, terms)
    yield f"decided. Probes count in no figure. {rows_told} with {probes}."
    yield ""
    titles = _row_titles(terms)
    headings = (*titles, f"as {terms.judged}", "asked with", "what that says")
    rows = (_probed(told, terms) for told in found.rows)
    yield from table(headings, rows, right=(len(titles) - 1,))


def _probed(told: ProbedTold, terms: Terms) -> tuple[str, ...]:
    asked = zip(told.probes, told.results, strict=True)
    return (
        *_row(told, terms),
        escaped(f"{told.label or 'no label'} ({told.cause})"),
        escaped("; ".join(probe_words(probe, result) for probe, result in asked)),
        escaped(" ".join((sentence(told.finding), *told.notes))),
    )


def probe_words(probe: Probe, result: str) -> str:
    """Return what was asked with and what came of it, such as “proposal: right (0.2 s)”."""
    about = []
    if probe.attempt:
        about.append(f"attempt {probe.attempt + 1}")
    if probe.answer.error:
        about.append(_beginning(probe.answer.error))
    if probe.live:
        about.append("live")
    if probe.seconds is not None:
        about.append(f"{probe.seconds:.1f} s")
    if probe.cost is not None:
        about.append(f"cost {probe.cost:.6g}")
    return f"{probe.given}: {result}" + (f" ({', '.join(about)})" if about else "")


def sentence(clause: str) -> str:
    """Return a clause as a sentence."""
    return clause[:1].upper() + clause[1:] + "."


def _row(told: ReviewedTold | ProbedTold, terms: Terms) -> tuple[str, ...]:
    row = told.row
    cell = cell_names(row.cell)[: None if terms.by_budget else 2]
    return short(row.goal_id), short(row.question), *cell, str(row.repeat)


def _counted(shown: int, count: int, terms: Terms) -> str:
    rows = f"1 {terms.row}" if count == 1 else f"{count:,} {terms.row}s"
    return rows if shown == count else f"The first {shown:,} of {rows}"
