"""The sections of a run's report as Markdown: what was run, figures, causes, near misses, limits, origins.

Owns their words and tables and the escaping of data. `formats.report_writing` puts them together with what
people added (`formats.report_people`); `formats.html_report` shows the same with charts and excerpts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from gacc_gui.core.causes import CAUSES
from gacc_gui.core.metrics import CellMetrics
from gacc_gui.core.records import Cell
from gacc_gui.formats.report_shapes import Report

_MARKUP: Final = re.compile(r"([\\`*_{}\[\]<>#|~$])")
_JOINERS: Final = "\u200c\u200d"
EXCERPT: Final = 160
"""Characters of a text that a table shows."""
NAME: Final = 300
"""Characters of a name that a report shows: longer ones are no names."""

LIMITS: Final = (
    "Where the evidence went is found by text: exactly, or after folding case, width and white space. A"
    " paraphrase may carry what this misses; how many correct answers are “unsupported” says how often.",
    "A cause names where a wrong row's evidence was, which is no experiment. Probes are one: they confirm or"
    " refute it.",
    "Questions about one memory stand or fall together: intervals are over contexts, and no figure here"
    " treats questions as independent.",
    "What would survive another budget is evidence survival, not accuracy: the compressor knew its budget.",
    "Labels are the judge's, who errs; what reviewers decided stands beside them, and never in their place.",
)


def escaped(text: str) -> str:
    """Return data as one line of Markdown that shows exactly it: no markup, no HTML, no hidden characters."""
    shown = "".join(_visible(character) for character in " ".join(text.split()))
    return _MARKUP.sub(r"\\\1", shown.replace("&", "&amp;"))


def _visible(character: str) -> str:
    if unicodedata.category(character) in ("Cc", "Cf") and character not in _JOINERS:
        return f"U+{ord(character):04X}"
    return character


def heading(report: Report) -> Iterator[str]:
    """Yield the run's name, and that it is a diagnostic one where it is: before anything else."""
    yield f"# {short(report.run.name or report.run.id, NAME)}"
    yield ""
    if report.run.diagnostic_only:
        yield "> **Diagnostic run.** Its figures check the contract; no benchmark's compare with them."
        yield ""


def facts(report: Report) -> Iterator[str]:
    """Yield what was run, with the identities as declared and as verified."""
    yield from table(("", ""), _facts(report), right=())


def figures(report: Report) -> Iterator[str]:
    """Yield Micro and Macro of every cell, under both policies, with their denominators."""
    yield "## Micro and Macro"
    yield ""
    yield "Micro is the share of questions answered right, Macro the share of goals whose every question is."
    yield "“Wrong” counts a row without a verdict as wrong; “excluded” leaves it out: a goal with such a row"
    yield "is then in no Macro. Intervals are 95 % over contexts, of the first policy."
    yield ""
    if not report.cells:
        yield "Nothing was evaluated."
        return
    if report.reviews:
        count = report.reviews.row_count
        decided = "1 row" if count == 1 else f"{count:,} rows"
        yield f"Reviewers decided on {decided}. Where that changes a figure, the"
        yield "row “as reviewed” stands under the one “as judged”; “both” is a cell with the same figures."
        yield ""
    rows = ((*names, *_figures(cell)) for names, cell in _cells(report))
    headings = (*_cell_headings(report), *_FIGURES)
    yield from table(headings, rows, right=range(len(headings) - len(_FIGURES), len(headings)))


def causes(report: Report) -> Iterator[str]:
    """Yield the rows of every cell by cause."""
    yield "## Why questions failed"
    yield ""
    yield "Rows per cause; they add up to the cell's questions. “Unsupported” are correct answers that"
    yield "nothing in the memory supports: an estimate of how often the lookup misses what is there."
    yield ""
    if not report.cells:
        yield "Nothing was evaluated."
        return
    counted = (*CAUSES, "unsupported")
    headings = (*_cell_headings(report), *counted)
    rows = ((*names, *_causes(cell)) for names, cell in _cells(report))
    yield from table(headings, rows, right=range(len(headings) - len(counted), len(headings)))


def near_misses(report: Report) -> Iterator[str]:
    """Yield the goals that fail by a single question."""
    yield "## Goals one question away"
    yield ""
    if not report.near_misses:
        yield "None."
        return
    shown, count = len(report.near_misses), report.near_miss_count
    yield f"{count:,} in all." if shown == count else f"The first {shown:,} of {count:,}."
    yield ""
    rows = (
        (
            short(item.goal_id),
            short(item.goal),
            *cell_names(item.cell),
            str(item.repeat),
            short(item.strip),
        )
        for item in report.near_misses
    )
    headings = ("goal", "text", "compressor", "revision", "condition", "ratio", "repeat", "questions")
    yield from table(headings, rows, right=())


def limits(report: Report) -> Iterator[str]:
    """Yield what the figures do not show."""
    yield "## What this does not show"
    yield ""
    if report.run.diagnostic_only:
        yield "- This is a diagnostic run: its figures show that the machinery works, and nothing else."
    if not report.identity_verified:
        yield "- The tokenizer could not be verified here: budgets and token counts are as the run declares."
    yield from (f"- {limit}" for limit in LIMITS)


def origins(report: Report) -> Iterator[str]:
    """Yield where the texts come from, and under which licences."""
    yield "## Origins and licences of the contexts"
    yield ""
    if not report.provenance:
        yield "There is no context."
        return
    rows = [(_or(item.origin), _or(item.license), f"{item.contexts:,}") for item in report.provenance]
    yield from table(("origin", "licence", "contexts"), rows, right=(2,))


def notes(report: Report) -> Iterator[str]:
    """Yield what a reader of the figures must know; nothing where there is nothing."""
    warnings = [*report.warnings, *(report.reviews.warnings if report.reviews else ())]
    if warnings:
        yield "## Notes"
        yield ""
        yield from (f"- {escaped(warning)}" for warning in warnings)


def _facts(report: Report) -> list[tuple[str, str]]:
    run = report.run
    verified = "verified by us" if report.identity_verified else "not verified by us"
    claim = (run.tokenizer or {}).get("identity_verified")
    declared = "nothing declared"
    if isinstance(claim, bool):
        declared = "declared verified" if claim else "declared not verified"
    return [
        ("run", short(run.id, NAME)),
        ("protocol", _or(run.protocol)),
        ("created", _or(run.created_at)),
        ("tokenizer", f"{_identity(run.tokenizer)} ({declared}; {verified})"),
        ("reader", _identity(run.reader)),
        ("judge", _identity(run.judge)),
        (
            "size",
            ", ".join(
                f"{count:,} {kind}{'' if count == 1 else 's'}"
                for kind, count in (
                    ("context", report.contexts),
                    ("goal", report.goals),
                    ("question", report.questions),
                    ("answer", report.answers),
                )
            ),
        ),
    ]


def _identity(value: Any) -> str:
    if not value:
        return "–"
    return " ".join(short(str(value[name]), NAME) for name in ("name", "revision") if value.get(name)) or "–"


_CELL: Final = ("compressor", "revision", "condition", "ratio")
_FIGURES: Final = (
    "right",
    "judged",
    "no verdict",
    "planned",
    "Micro (wrong)",
    "Micro (excluded)",
    "95 %",
    "goals right",
    "goals",
    "incomplete",
    "missing",
    "Macro (wrong)",
    "Macro (excluded)",
    "95 % ",
)


def _cells(report: Report) -> Iterator[tuple[tuple[str, ...], CellMetrics]]:
    """Yield every cell with its names; where reviews change it, as judged and then as reviewed."""
    if report.reviews is None:
        yield from ((cell_names(cell.cell), cell) for cell in report.cells)
        return
    for judged, reviewed in zip(report.cells, report.reviews.cells, strict=True):
        names = cell_names(judged.cell)
        if judged == reviewed:
            yield (*names, "both"), judged
        else:
            yield (*names, "as judged"), judged
            yield (*names, "as reviewed"), reviewed


def _cell_headings(report: Report) -> tuple[str, ...]:
    return _CELL if report.reviews is None else (*_CELL, "labels")


def cell_names(cell: Cell) -> tuple[str, ...]:
    """Return a cell as the first columns of a table."""
    return tuple(short(name) for name in (cell.compressor, cell.revision, cell.condition, cell.ratio))


def _figures(cell: CellMetrics) -> tuple[str, ...]:
    wilson = " (Wilson)" if cell.macro_ci95_method == "wilson" else ""
    return (
        f"{cell.correct:,}",
        f"{cell.judged:,}",
        f"{cell.questions - cell.judged:,}",
        f"{cell.questions:,}",
        share(cell.micro.errors_as_wrong),
        share(cell.micro.errors_excluded),
        interval(cell.micro_ci95),
        f"{cell.right_goals:,}",
        f"{cell.goals:,}",
        f"{cell.incomplete_goals:,}",
        f"{cell.missing_goals:,}",
        share(cell.macro.errors_as_wrong),
        share(cell.macro.errors_excluded),
        interval(cell.macro_ci95) + (wilson if cell.macro_ci95 else ""),
    )


def _causes(cell: CellMetrics) -> tuple[str, ...]:
    counts = (f"{cell.causes.get(cause, 0):,}" for cause in CAUSES)
    unsupported = f" ({share(cell.unsupported_share)})" if cell.unsupported else ""
    return (*counts, f"{cell.unsupported:,}{unsupported}")


def short(text: str, most: int = EXCERPT) -> str:
    """Return the beginning of a text, escaped."""
    return escaped(text if len(text) <= most else text[:most] + "…")


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int]) -> Iterable[str]:
    """Yield the lines of a table of escaped cells; `right` are the columns set to the right."""
    aligned = set(right)
    yield f"| {' | '.join(headings)} |"
    yield f"|{'|'.join(' ---: ' if at in aligned else ' --- ' for at in range(len(headings)))}|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _or(text: Any) -> str:
    return "–" if text is None or text == "" else short(str(text), NAME)


def share(value: float | None) -> str:
    """Return a share with three places, a dash where there is none."""
    return "–" if value is None else f"{value:.3f}"


def interval(value: Any) -> str:
    """Return an interval of shares, a dash where there is none."""
    return "–" if value is None else f"{value[0]:.3f}–{value[1]:.3f}"
