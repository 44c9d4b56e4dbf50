"""What the reports of a run tell: its figures, what people added, and, for a page, charts and failures.

Owns what goes into a report and how much of it. Words and layout are `formats`'; a unit in detail is
`app.report_units`, reviews and probes `app.report_people`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from gacc_gui.app.metrics import run_metrics
from gacc_gui.core.causes import CAUSES, CORRECT, LETTERS
from gacc_gui.core.filters import Match, Query, parse
from gacc_gui.formats.report_shapes import (
    GoalPage,
    NearMiss,
    Provenance,
    Report,
    RunPage,
    Telling,
)
from gacc_gui.store.rows import CellChoice, GoalRow, RunSummary

if TYPE_CHECKING:
    from gacc_gui.core.records import Cell, Run
    from gacc_gui.formats.leaving import Scan
    from gacc_gui.store.reads import Reader

NEAR_MISSES: Final = 50
"""Failing goals that a report lists; of more it says how many."""
TELLING: Final = 3
"""Failures of each cause that a page shows in detail."""
_LOOKED_AT: Final = 400
COLUMNS: Final = 60
"""Memories and repeats that a goal's page has a column for."""
GOAL_UNITS: Final = 12
"""Failing memories and repeats that a goal's page shows in detail."""

ALL_CELLS: Final = CellChoice()
Step = Callable[[int, int], None]


def _unheard(_done: int, _total: int) -> None:
    pass


def markdown_of(reader: Reader, run_id: str, scan: Scan) -> str:
    """Return the report of a run as Markdown, without credentials; of a compaction run, its REPORT.md.

    Raises BadUsage for an unknown run, StoreError.
    """
    from gacc_gui.formats.report_writing import report_text

    summary = _summary(reader, run_id)
    if _has_protocol(summary.run):
        from gacc_gui.app.compaction_page import report_markdown

        return report_markdown(reader, summary.run, scan)
    return report_text(scan.item(report_of(reader, run_id)))


def page_of(reader: Reader, run_id: str, goal_id: str | None, scan: Scan, step: Step = _unheard) -> str:
    """Return the report of a run, or of one goal of it, as a page, without credentials.

    `step(done, total)` is told, of a run's page, how many of its parts are made. Raises BadUsage for an
    unknown run or goal, StoreError.
    """
    from gacc_gui.formats import html_report

    summary = _summary(reader, run_id)
    if _has_protocol(summary.run):
        from gacc_gui.app.compaction_page import compaction_page
        from gacc_gui.formats.html_compaction import compaction_page_text

        page = compaction_page(reader, summary.run, scan, goal_id)
        told = (*(case for found in page.telling for case in found.cases), page.case)
        scan.removed(sum(case.credentials for case in told if case is not None))
        return compaction_page_text(scan.item(page))
    if goal_id is None:
        run = run_page(reader, run_id, step)
        scan.removed(sum(unit.credentials for found in run.telling for unit in found.units))
        return html_report.run_page_text(scan.item(run))
    goal = goal_page(reader, run_id, goal_id)
    scan.removed(sum(unit.credentials for unit in goal.units))
    return html_report.goal_page_text(scan.item(goal))


def _has_protocol(run: Run) -> bool:
    """Whether a run is of the compaction benchmark and says so as we do: another's is told like any run."""
    from gacc_gui.app.compaction_viewing import is_compaction, planned_answers

    return is_compaction(run) and planned_answers(run) is not None


def report_of(reader: Reader, run_id: str) -> Report:
    """Return what the report of a run tells. Raises BadUsage for an unknown run, StoreError."""
    from gacc_gui.app.report_people import probes_told, reviews_told
    from gacc_gui.store import report_reads

    summary = _summary(reader, run_id)
    metrics = run_metrics(reader, run_id)
    near = reader.goal_units(run_id, ALL_CELLS, parse("away:1"))
    provenance = [Provenance(*row) for row in reader.on_run(run_id, report_reads.provenance)]
    return Report(
        run=summary.run,
        identity_verified=summary.identity_verified,
        contexts=sum(item.contexts for item in provenance),
        goals=summary.goals,
        questions=summary.questions,
        answers=summary.answers,
        cells=metrics.cells,
        warnings=metrics.warnings,
        provenance=provenance,
        near_misses=tuple(map(_near_miss, reader.goal_rows(near[:NEAR_MISSES]))),
        near_miss_count=len(near),
        reviews=reviews_told(reader, run_id),
        probes=probes_told(reader, run_id),
    )


def run_page(reader: Reader, run_id: str, step: Step = _unheard) -> RunPage:
    """Return what the page of a run tells. `step`: see `page_of`. Raises as `report_of` does."""
    from gacc_gui.app.charting import TITLES, run_charts

    parts = len(TITLES) + 2
    report = report_of(reader, run_id)
    step(1, parts)
    charts = []
    for chart in run_charts(reader, run_id):
        charts.append(chart)
        step(1 + len(charts), parts)
    notes = tuple(_chart_note(chart.key, [figures.cell for figures in report.cells]) for chart in charts)
    telling = _telling(reader, run_id)
    step(parts, parts)
    return RunPage(report, charts, notes, telling)


def _chart_note(key: str, cells: Sequence[Cell]) -> str:
    """Say which cells a chart shows, where not all."""
    from gacc_gui.app.charting import first_choice, is_chosen

    choice = first_choice(key, cells)
    shown = sum(is_chosen(cell, choice) for cell in cells)
    if shown == len(cells):
        return ""
    told = [
        f"{field} {value}"
        for field in ("compressor", "revision", "condition", "ratio")
        if (value := getattr(choice, field)) is not None
    ]
    return f"{shown:,} of {len(cells):,} cells: {', '.join(told)}."


def _telling(reader: Reader, run_id: str) -> tuple[Telling, ...]:
    """Return some failures of each cause: nearest to all-right, of that cause alone, and of many places."""
    from gacc_gui.app.report_units import UnitTeller

    teller = UnitTeller(reader, run_id)
    found = []
    for cause in CAUSES:
        if cause == CORRECT:
            continue
        units = reader.goal_units(run_id, ALL_CELLS, Query((Match("cause", (cause,)),)))
        if units:
            chosen = _most_telling(reader.goal_rows(units[:_LOOKED_AT]), cause)
            told = tuple(teller.told(row.unit, cause) for row in chosen)
            found.append(Telling(cause, told, len(units)))
    return tuple(found)


def _most_telling(rows: Sequence[GoalRow], cause: str) -> list[GoalRow]:
    letter = LETTERS[cause]
    # Those of this cause alone tell most of it; the order among equals is the list's, nearest first.
    left = sorted(rows, key=lambda row: len(set(row.strip) - {LETTERS[CORRECT], letter}))
    chosen: list[GoalRow] = []
    while left and len(chosen) < TELLING:
        best = min(left, key=lambda row: _likeness(row, chosen))
        chosen.append(best)
        left.remove(best)
    return chosen


def _likeness(row: GoalRow, chosen: Sequence[GoalRow]) -> int:
    """How much of a failure others show already."""
    return sum(
        4 * (row.goal_id == other.goal_id)
        + 2 * (row.context_id == other.context_id)
        + (row.cell.compressor == other.cell.compressor)
        for other in chosen
    )


def goal_page(reader: Reader, run_id: str, goal_id: str) -> GoalPage:
    """Return what the page of one goal tells. Raises BadUsage for an unknown run or goal, StoreError."""
    from gacc_gui.app.matrix import matrix_of
    from gacc_gui.app.report_people import goal_figures, probes_told, reviews_told
    from gacc_gui.app.report_units import UnitTeller
    from gacc_gui.core.terms import GOALS
    from gacc_gui.store import report_reads

    summary = _summary(reader, run_id)
    matrix = matrix_of(reader, run_id, goal_id)
    goal, context = reader.on_run(run_id, partial(report_reads.goal_with_context, goal_id=goal_id))
    units = [unit.unit for column in matrix.columns for unit in column.units]
    failing = sorted((row for row in reader.goal_rows(units) if row.away), key=lambda row: row.away)
    near = [row for row in failing if row.away == 1]
    teller = UnitTeller(reader, run_id, whole=True)
    columns = matrix.columns[:COLUMNS]
    questions = reader.on_run(run_id, partial(report_reads.questions_of_goal, goal_id=goal_id))
    report = Report(
        run=summary.run,
        identity_verified=summary.identity_verified,
        contexts=1,
        goals=1,
        questions=len(matrix.questions),
        answers=reader.on_run(run_id, partial(report_reads.answers_of_goal, goal_id=goal_id)),
        cells=goal_figures(reader, run_id, goal_id),
        warnings=(),
        provenance=(Provenance(context.origin, context.license, 1),),
        near_misses=tuple(map(_near_miss, near[:NEAR_MISSES])),
        near_miss_count=len(near),
        reviews=reviews_told(reader, run_id, goal_id),
        probes=probes_told(reader, run_id, goal_id),
    )
    return GoalPage(
        report=report,
        goal_id=goal_id,
        goal=goal.text,
        context_id=context.id,
        context_title=context.title,
        columns=tuple(
            GOALS.cell_name(column.cell, with_revision=True)
            + (f" · {unit.generation}/{unit.repeat}" if matrix.has_repeats else "")
            for column in columns
            for unit in column.units[:1]
        ),
        questions=tuple(
            (question.text, tuple(place.letters for place in places[:COLUMNS]))
            for question, places in zip(matrix.questions, matrix.places, strict=True)
        ),
        column_count=len(matrix.columns),
        source=teller.source_of(context, questions),
        source_characters=len(context.text),
        units=tuple(teller.told(row.unit) for row in failing[:GOAL_UNITS]),
        unit_count=len(failing),
    )


def _near_miss(row: GoalRow) -> NearMiss:
    return NearMiss(row.goal_id, row.goal_text, row.cell, row.repeat, row.strip)


def _summary(reader: Reader, run_id: str) -> RunSummary:
    from gacc_gui.core.errors import BadUsage

    for summary in reader.runs():
        if summary.run.id == run_id:
            return summary
    raise BadUsage(f"there is no run {run_id!r}")
