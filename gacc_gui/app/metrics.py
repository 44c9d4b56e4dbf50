"""The figures of a run, cell by cell, with the warnings that belong beside them.

Owns where the counts come from and the words of the warnings. The arithmetic is `core.metrics`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gacc_gui.core.metrics import CellMetrics, RunMetrics, cell_metrics
from gacc_gui.core.terms import Terms, terms_of

if TYPE_CHECKING:
    from gacc_gui.app.reviewing import Reviewed
    from gacc_gui.store.reads import Reader

_NAMED: Final = 20
"""Goals named in a warning; of more, their number."""


@dataclass(frozen=True, slots=True)
class Metrics:
    """A run's cells and what a reader of the figures must know."""

    run_id: str
    cells: tuple[CellMetrics, ...]
    warnings: tuple[str, ...]


def run_metrics(
    reader: Reader, run_id: str, by_origin: bool = False, reviewed: Reviewed | None = None
) -> Metrics:
    """Return the figures of every cell; with `by_origin`, each cell split by the contexts' origin.

    As judged; with what `app.reviewing.reviewed_of` found, as reviewed.
    Raises BadUsage for an unknown run, StoreError where the database cannot be read.
    """
    figures = cell_metrics(
        reader.unit_counts(run_id, changes=reviewed.changes) if reviewed else reader.unit_counts(run_id),
        reader.goal_facts(run_id),
        cells=reader.cells(run_id),
        by_origin=by_origin,
    )
    runs = [summary.run for summary in reader.runs() if summary.run.id == run_id]
    diagnostic = any(run.diagnostic_only for run in runs)
    terms = terms_of(runs[0].protocol if runs else None)
    warnings = _warnings(figures, diagnostic, terms)
    if reviewed is not None:
        warnings += reviewed.warnings
    return Metrics(run_id, figures.cells, tuple(warnings))


def _warnings(figures: RunMetrics, diagnostic: bool, terms: Terms) -> list[str]:
    warnings = []
    if diagnostic:
        warnings.append("a diagnostic run: its figures are not comparable with the benchmark's tables")
    empty = figures.goals_without_questions
    if empty:
        more = f" and {len(empty) - _NAMED} more" if len(empty) > _NAMED else ""
        names = ", ".join(empty[:_NAMED]) + more
        warnings.append(f"{terms.goal}s without a question are in no figure: {names}")
    single = sum(0 < cell.contexts < 2 for cell in figures.cells)
    if single:
        warnings.append(
            f"{terms.cell}s with one {terms.context} have no interval: {single} of {len(figures.cells)}"
        )
    wilson = sum(cell.macro_ci95_method == "wilson" for cell in figures.cells)
    if wilson and not terms.one_question:
        warnings.append(
            "where Macro is exactly 0 or 1, its interval is Wilson's over contexts and no bootstrap:"
            f" {wilson} of {len(figures.cells)} cells"
        )
    unknown = sum(cell.questions > 0 and cell.judged < cell.questions for cell in figures.cells)
    if unknown:
        warnings.append(
            f"{terms.cell}s with {terms.row}s without a {terms.verdict}: {unknown} of {len(figures.cells)};"
            " see both error policies"
        )
    return warnings
