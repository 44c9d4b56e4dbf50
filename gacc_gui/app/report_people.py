"""Reviews and probes as a run's report tells them, of the whole run or of one goal.

Owns which rows are told and how many. What stands is `core.reviewing`, what a probe says
`core.probe_findings`, how far people agree `app.agreement`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from gacc_gui.core.metrics import CellMetrics, cell_metrics
from gacc_gui.core.records import Probe, Question
from gacc_gui.core.reviewing import Change, JudgedRow, Row
from gacc_gui.core.terms import GOALS, Terms
from gacc_gui.formats.report_shapes import ProbedTold, Probes, ReviewedTold, Reviews, RowName

if TYPE_CHECKING:
    from gacc_gui.app.agreement import Agreement
    from gacc_gui.core.probe_findings import Finding
    from gacc_gui.store.reads import Reader

ROWS: Final = 100
"""Reviewed rows, and rows with probes, that a report lists; of more it says how many."""


def goal_figures(
    reader: Reader, run_id: str, goal_id: str | None, changes: dict[int, Change] | None = None
) -> tuple[CellMetrics, ...]:
    """Return the figures of every cell, of the whole run or of one goal, with what reviews change."""
    units = reader.unit_counts(run_id, changes=changes or {})
    facts = reader.goal_facts(run_id)
    if goal_id is None:
        return cell_metrics(units, facts, cells=reader.cells(run_id)).cells
    return cell_metrics(
        (unit for unit in units if unit.goal_id == goal_id),
        [fact for fact in facts if fact.goal_id == goal_id],
    ).cells


def reviews_told(
    reader: Reader, run_id: str, goal_id: str | None = None, terms: Terms = GOALS
) -> Reviews | None:
    """Return what reviewers decided of a run or of one goal; None where no decision stands."""
    from gacc_gui.app.agreement import agreement_of
    from gacc_gui.app.reviewing import reviewed_of

    found = reviewed_of(reader, run_id)
    rows = [row for row in found.rows if goal_id in (None, row.judged.goal_id)]
    if not rows:
        return None
    told = rows[:ROWS]
    questions = _questions(reader, run_id, (row.judged for row in told))
    agreement = agreement_of(reader, run_id) if goal_id is None else None
    return Reviews(
        cells=goal_figures(reader, run_id, goal_id, dict(found.changes)),
        rows=tuple(
            ReviewedTold(
                _name(row.judged, questions),
                row.judged.label,
                row.judged.cause,
                row.label,
                row.cause,
                row.standing.reviews,
            )
            for row in told
        ),
        row_count=len(rows),
        conflicts=sum(row.standing.conflict for row in rows),
        agreement="" if agreement is None else _agreement(agreement, terms),
        corrected="" if agreement is None else _corrected(agreement, terms),
        warnings=tuple(found.warnings) if goal_id is None else (),
    )


def _agreement(found: Agreement, terms: Terms) -> str:
    figures = found.pooled.figures
    if figures.agreement is None:
        return f"No {terms.row} has both a {terms.judge}'s and a reviewer's label."
    one = figures.both_labelled == 1
    rows = f"1 {terms.row}" if one else f"{figures.both_labelled:,} {terms.row}s"
    words = f"{terms.judge.capitalize()} and reviewers agree on {figures.agreement:.3f} of the {rows}"
    words += " that both labelled"
    if figures.kappa is not None:
        words += f"; Cohen's κ {figures.kappa:.3f}"
        if figures.kappa_ci95 is not None:
            words += f" (95 % {figures.kappa_ci95[0]:.3f} to {figures.kappa_ci95[1]:.3f})"
    return words + "."


def _corrected(found: Agreement, terms: Terms) -> str:
    sample = found.corrected
    if sample is None or sample.micro is None:
        return f"There is no corrected {terms.micro}: {found.corrected_reason}."
    words = f"Corrected {terms.micro} {sample.micro.value:.3f}"
    if sample.micro.ci95 is not None:
        words += f" (95 % {sample.micro.ci95[0]:.3f} to {sample.micro.ci95[1]:.3f})"
    if sample.micro_as_judged is not None:
        words += f", as {terms.judged} {sample.micro_as_judged:.3f}"
    return f"{words}: from {sample.reviewed:,} reviewed {terms.row}s of the queue {sample.queue}."


def probes_told(reader: Reader, run_id: str, goal_id: str | None = None) -> Probes | None:
    """Return what was asked again of a run or of one goal; None where nothing was."""
    from gacc_gui.store import review_reads

    by_row = probes_by_row(reader.probes(run_id))
    probed = reader.on_run(run_id, review_reads.probed) if by_row else []
    judged = [row for row in probed if goal_id in (None, row.goal_id)]
    if not judged:
        return None
    told = judged[:ROWS]
    finder = ProbeFinder(reader, run_id, told)
    rows = []
    for row in told:
        question, probes = finder.questions[row.row[1]], by_row[row.row]
        finding, results = finder.found(row, probes)
        name = _name(row, {question.id: question})
        rows.append(
            ProbedTold(name, row.label, row.cause, finding.sentence, finding.notes, tuple(probes), results)
        )
    return Probes(tuple(rows), len(judged), sum(len(by_row[row.row]) for row in judged))


def probes_by_row(probes: Iterable[Probe]) -> dict[Row, list[Probe]]:
    """Return probes by the row that they are to explain, in the order in which they came."""
    found: dict[Row, list[Probe]] = defaultdict(list)
    for probe in probes:
        found[probe.memory_id, probe.question_id, probe.repeat].append(probe)
    return found


class ProbeFinder:
    """Says what probes mean, with the questions and memories of some rows at hand."""

    def __init__(self, reader: Reader, run_id: str, rows: Sequence[JudgedRow]) -> None:
        from gacc_gui.store import report_reads

        self.questions = _questions(reader, run_id, rows)
        wanted = dict.fromkeys(row.row[0] for row in rows)
        self._memories = reader.on_run(run_id, partial(report_reads.memories_by_id, ids=wanted))

    def found(self, row: JudgedRow, probes: Sequence[Probe]) -> tuple[Finding, tuple[str, ...]]:
        """Return what a row's probes say of its cause, and the result of each."""
        from gacc_gui.core.probe_findings import asked_row, find, result_of

        memory, question = self._memories[row.row[0]], self.questions[row.row[1]]
        asked = asked_row(
            row.cause, row.label, question, memory.proposed_text, memory.retained_text, memory.budget
        )
        return find(asked, probes), tuple(result_of(probe, question.references) for probe in probes)


def _questions(reader: Reader, run_id: str, rows: Iterable[JudgedRow]) -> dict[str, Question]:
    from gacc_gui.store import report_reads

    wanted = dict.fromkeys(row.row[1] for row in rows)
    return reader.on_run(run_id, partial(report_reads.questions_by_id, ids=wanted))


def _name(row: JudgedRow, questions: dict[str, Question]) -> RowName:
    memory, question, repeat = row.row
    return RowName(row.goal_id, memory, question, repeat, row.cell, questions[question].text)
