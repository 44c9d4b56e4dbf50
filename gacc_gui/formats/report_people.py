"""What people added to a run, for its report: reviewers' decisions and probes, as Markdown.

Owns these sections' words and tables. What a decision changes is `core.reviewing`, what a probe says
`core.probe_findings`.
"""

from __future__ import annotations

from collections.abc import Iterator

from gacc_gui.core.records import Probe, Review
from gacc_gui.formats.report import NAME, cell_names, escaped, short, table
from gacc_gui.formats.report_shapes import ProbedTold, Probes, Report, ReviewedTold, Reviews

_ROW = ("goal", "question", "compressor", "revision", "condition", "ratio", "repeat")


def reviews(report: Report) -> Iterator[str]:
    """Yield what reviewers decided; nothing where nobody did."""
    yield from reviews_section(report.reviews)


def reviews_section(found: Reviews | None) -> Iterator[str]:
    """Yield the same of the reviews alone."""
    if found is None:
        return
    yield "## Reviews"
    yield ""
    conflicts = (
        f" Reviewers disagree on {found.conflicts:,}; the latest decision counts." if found.conflicts else ""
    )
    yield f"{_counted(len(found.rows), found.row_count)} with a decision.{conflicts}"
    yield f"{escaped(found.agreement)} {escaped(found.corrected)}"
    yield ""
    headings = (*_ROW, "as judged", "as reviewed", "decisions")
    yield from table(headings, map(_reviewed, found.rows), right=(6,))


def _reviewed(told: ReviewedTold) -> tuple[str, ...]:
    return (
        *_row(told),
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


def probes_section(found: Probes | None) -> Iterator[str]:
    """Yield the same of the probes alone."""
    if found is None:
        return
    yield "## Probes"
    yield ""
    yield "The run's own reader was asked again with something else in the memory's place, and its own judge"
    probes = "1 probe" if found.probe_count == 1 else f"{found.probe_count:,} probes"
    yield f"decided. Probes count in no figure. {_counted(len(found.rows), found.row_count)} with {probes}."
    yield ""
    headings = (*_ROW, "as judged", "asked with", "what that says")
    yield from table(headings, map(_probed, found.rows), right=(6,))


def _probed(told: ProbedTold) -> tuple[str, ...]:
    asked = zip(told.probes, told.results, strict=True)
    return (
        *_row(told),
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


def _row(told: ReviewedTold | ProbedTold) -> tuple[str, ...]:
    row = told.row
    return short(row.goal_id), short(row.question), *cell_names(row.cell), str(row.repeat)


def _counted(shown: int, count: int) -> str:
    rows = "1 row" if count == 1 else f"{count:,} rows"
    return rows if shown == count else f"The first {shown:,} of {rows}"
