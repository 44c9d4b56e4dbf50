"""The report of a run for people, as Markdown: headline with its denominators, causes, identities, licences.

Owns the layout and the escaping of data. The figures come from `core.metrics` through `app.exporting`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gacc_gui.core.causes import CAUSES
from gacc_gui.core.metrics import CellMetrics
from gacc_gui.core.records import Cell, Run
from gacc_gui.formats.atomic import written_whole

_MARKUP: Final = re.compile(r"([\\`*_{}\[\]<>#|~$])")
_JOINERS: Final = "\u200c\u200d"
_EXCERPT: Final = 160


@dataclass(frozen=True, slots=True)
class Provenance:
    """How many contexts are of one origin under one licence; None where a context does not say."""

    origin: str | None
    license: str | None
    contexts: int


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A goal under one memory that fails by a single question."""

    goal_id: str
    goal: str
    cell: Cell
    repeat: int
    strip: str
    """One letter a question: ✓ or the cause's."""


@dataclass(frozen=True, slots=True)
class Report:
    """All that a report tells."""

    run: Run
    identity_verified: bool
    contexts: int
    goals: int
    questions: int
    answers: int
    cells: Sequence[CellMetrics]
    warnings: Sequence[str]
    provenance: Sequence[Provenance]
    near_misses: Sequence[NearMiss]
    """The first of them; `near_miss_count` says how many there are."""
    near_miss_count: int


def write_report(path: Path, report: Report) -> None:
    """Write the report as UTF-8 Markdown. Raises GaccError where the file cannot be written."""
    with written_whole(path) as part:
        part.write_text("\n".join(_lines(report)) + "\n", encoding="utf-8", newline="\n")


def escaped(text: str) -> str:
    """Return data as one line of Markdown that shows exactly it: no markup, no HTML, no hidden characters."""
    shown = "".join(_visible(character) for character in " ".join(text.split()))
    return _MARKUP.sub(r"\\\1", shown.replace("&", "&amp;"))


def _visible(character: str) -> str:
    if unicodedata.category(character) in ("Cc", "Cf") and character not in _JOINERS:
        return f"U+{ord(character):04X}"
    return character


def _lines(report: Report) -> Iterable[str]:
    run = report.run
    yield f"# {escaped(run.name or run.id)}"
    yield ""
    if run.diagnostic_only:
        yield "> **Diagnostic run.** Its figures check the contract; no benchmark's compare with them."
        yield ""
    yield from table(("", ""), _facts(report), right=())
    yield ""
    yield "## Micro and Macro"
    yield ""
    yield "Micro is the share of questions answered right, Macro the share of goals whose every question is."
    yield "“Wrong” counts a row without a verdict as wrong; “excluded” leaves it out: a goal with such a row"
    yield "is then in no Macro. Intervals are 95 % over contexts, of the first policy."
    yield ""
    yield from table(_FIGURES, (_figures(cell) for cell in report.cells), right=range(4, len(_FIGURES)))
    yield ""
    yield "## Why questions failed"
    yield ""
    yield "Rows per cause; they add up to the cell's questions. “Unsupported” are correct answers that"
    yield "nothing in the memory supports: an estimate of how often the lookup misses what is there."
    yield ""
    headings = ("compressor", "revision", "condition", "ratio", *CAUSES, "unsupported")
    yield from table(headings, (_causes(cell) for cell in report.cells), right=range(4, len(headings)))
    yield ""
    yield "## Goals one question away"
    yield ""
    yield from _near_misses(report)
    yield ""
    yield "## Origins and licences of the contexts"
    yield ""
    rows = [(_or(item.origin), _or(item.license), f"{item.contexts:,}") for item in report.provenance]
    yield from table(("origin", "licence", "contexts"), rows, right=(2,))
    if report.warnings:
        yield ""
        yield "## Notes"
        yield ""
        yield from (f"- {escaped(warning)}" for warning in report.warnings)


def _facts(report: Report) -> list[tuple[str, str]]:
    run = report.run
    verified = "verified by us" if report.identity_verified else "not verified by us"
    claim = (run.tokenizer or {}).get("identity_verified")
    declared = "nothing declared"
    if isinstance(claim, bool):
        declared = "declared verified" if claim else "declared not verified"
    return [
        ("run", escaped(run.id)),
        ("protocol", _or(run.protocol)),
        ("created", _or(run.created_at)),
        ("tokenizer", f"{_identity(run.tokenizer)} ({declared}; {verified})"),
        ("reader", _identity(run.reader)),
        ("judge", _identity(run.judge)),
        (
            "size",
            f"{report.contexts:,} contexts, {report.goals:,} goals, {report.questions:,} questions, "
            f"{report.answers:,} answers",
        ),
    ]


def _identity(value: Any) -> str:
    if not value:
        return "–"
    return " ".join(escaped(str(value[name])) for name in ("name", "revision") if value.get(name)) or "–"


_FIGURES: Final = (
    "compressor",
    "revision",
    "condition",
    "ratio",
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


def _cell_names(cell: Cell) -> tuple[str, ...]:
    return tuple(map(escaped, (cell.compressor, cell.revision, cell.condition, cell.ratio)))


def _figures(cell: CellMetrics) -> tuple[str, ...]:
    wilson = " (Wilson)" if cell.macro_ci95_method == "wilson" else ""
    return (
        *_cell_names(cell.cell),
        f"{cell.correct:,}",
        f"{cell.judged:,}",
        f"{cell.questions - cell.judged:,}",
        f"{cell.questions:,}",
        _share(cell.micro.errors_as_wrong),
        _share(cell.micro.errors_excluded),
        _interval(cell.micro_ci95),
        f"{cell.right_goals:,}",
        f"{cell.goals:,}",
        f"{cell.incomplete_goals:,}",
        f"{cell.missing_goals:,}",
        _share(cell.macro.errors_as_wrong),
        _share(cell.macro.errors_excluded),
        _interval(cell.macro_ci95) + (wilson if cell.macro_ci95 else ""),
    )


def _causes(cell: CellMetrics) -> tuple[str, ...]:
    counts = (f"{cell.causes.get(cause, 0):,}" for cause in CAUSES)
    share = f" ({_share(cell.unsupported_share)})" if cell.unsupported else ""
    return (*_cell_names(cell.cell), *counts, f"{cell.unsupported:,}{share}")


def _near_misses(report: Report) -> Iterable[str]:
    if not report.near_misses:
        yield "None."
        return
    shown, count = len(report.near_misses), report.near_miss_count
    yield f"{count:,} in all." if shown == count else f"The first {shown:,} of {count:,}."
    yield ""
    rows = (
        (
            escaped(item.goal_id),
            escaped(item.goal if len(item.goal) <= _EXCERPT else item.goal[:_EXCERPT] + "…"),
            *_cell_names(item.cell),
            str(item.repeat),
            escaped(item.strip),
        )
        for item in report.near_misses
    )
    headings = ("goal", "text", "compressor", "revision", "condition", "ratio", "repeat", "questions")
    yield from table(headings, rows, right=())


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int]) -> Iterable[str]:
    """Yield the lines of a table of escaped cells; `right` are the columns set to the right."""
    aligned = set(right)
    yield f"| {' | '.join(headings)} |"
    yield f"|{'|'.join(' ---: ' if at in aligned else ' --- ' for at in range(len(headings)))}|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _or(text: Any) -> str:
    return "–" if text is None or text == "" else escaped(str(text))


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _interval(value: Any) -> str:
    return "–" if value is None else f"{value[0]:.3f}–{value[1]:.3f}"
