"""What the page of a compaction run tells: its REPORT.md, charts, causes, cases, failures in detail.

Owns which answers are told and how much of their texts. Words and layout are `formats.html_compaction`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from gacc_gui.app.compaction_viewing import case_view, overview
from gacc_gui.app.method_charting import charts_of
from gacc_gui.core.compaction_causes import CAUSES, CORRECT, Fact
from gacc_gui.core.errors import BadUsage
from gacc_gui.core.evidence import Haystack
from gacc_gui.core.excerpts import Mark, Part, capped, parts, windows
from gacc_gui.core.records import Run
from gacc_gui.core.terms import terms_of
from gacc_gui.formats.compaction_folder import gathered
from gacc_gui.formats.compaction_report import report_text
from gacc_gui.formats.compaction_shapes import (
    AnswerTold,
    CaseLine,
    CaseTold,
    CauseTold,
    CompactionPage,
    ContextTold,
)
from gacc_gui.formats.redaction import credential_places

if TYPE_CHECKING:
    from gacc_gui.app.compaction_views import AnswerCell, AnswerView, CaseRow, CaseView, ContextView, Overview
    from gacc_gui.formats.leaving import Scan
    from gacc_gui.store.reads import Reader

CASES: Final = 500
TELLING: Final = 2
"""Cases that are told in detail for each cause."""
_REACH: Final = 200
_WINDOWS: Final = 12
_WHOLE: Final = 60_000
_REPLY: Final = 2_000


def report_markdown(reader: Reader, run: Run, scan: Scan) -> str:
    """Return a run's REPORT.md, without credentials.

    Raises KeyError or ValueError where the run keeps no protocol of ours.
    """
    # Before it is written: escaped as Markdown, a credential would not be known for one.
    return report_text(gathered(scan.items(reader.records(run.id))))


def compaction_page(reader: Reader, run: Run, scan: Scan, case_id: str | None = None) -> CompactionPage:
    """Return what the page of a run, or of one of its cases, tells.

    Raises BadUsage for an unknown case, StoreError, and as `report_markdown` does.
    """
    from gacc_gui.app.report_people import probes_told, reviews_told

    whole = overview(reader, run)
    row = None
    if case_id is not None and (row := whole.case(case_id)) is None:
        raise BadUsage(f"there is no goal {case_id!r} in this run")
    return CompactionPage(
        title=run.name or run.id,
        report=report_markdown(reader, run, scan),
        methods=whole.planned.methods,
        answers=whole.planned.answers_per_question,
        charts=charts_of(run, whole),
        causes=whole.causes,
        cases=tuple(_line(one, whole) for one in whole.cases[:CASES]),
        case_count=len(whole.cases),
        telling=() if row is not None else tuple(_telling(reader, run, whole)),
        case=_told(reader, run, row, None) if row is not None else None,
        reviews=reviews_told(reader, run.id, case_id, terms_of(run.protocol)),
        probes=probes_told(reader, run.id, case_id),
    )


def _line(row: CaseRow, whole: Overview) -> CaseLine:
    right = {method: row.right(method) for method in whole.planned.methods}
    return CaseLine(row.number, row.id, row.question, row.kind, right)


def _telling(reader: Reader, run: Run, whole: Overview) -> list[CauseTold]:
    found = []
    for cause in CAUSES:
        if cause == CORRECT:
            continue
        cells = [
            (row, cell)
            for row in whole.cases
            for method in whole.planned.methods
            for cell in row.cells[method]
            if cell.cause is not None and cell.cause.name == cause
        ]
        if cells:
            told = tuple(_told(reader, run, row, cell) for row, cell in _chosen(cells))
            found.append(CauseTold(cause, told, len(cells)))
    return found


def _chosen(cells: Sequence[tuple[CaseRow, AnswerCell]]) -> list[tuple[CaseRow, AnswerCell]]:
    """Return some answers, of as many methods and cases as there are."""
    left = list(cells)
    chosen: list[tuple[CaseRow, AnswerCell]] = []
    while left and len(chosen) < TELLING:
        best = min(
            left,
            key=lambda one: sum(
                2 * (one[0].id == row.id) + (one[1].method == cell.method) for row, cell in chosen
            ),
        )
        chosen.append(best)
        left.remove(best)
    return chosen


def _told(reader: Reader, run: Run, row: CaseRow, cell: AnswerCell | None) -> CaseTold:
    """Return a case in detail: with all its contexts, or with the one of an answer."""
    view = case_view(reader, run, row.id)
    assert view is not None  # it is in the overview of the same run
    contexts = [one for one in view.contexts if cell is None or one.memory_id == cell.memory_id]
    whole = cell is None
    source, hidden = _excerpt(view.source, view.facts, whole=whole)
    told = []
    for context in contexts:
        context_told, more = _context(view, context, whole=whole)
        told.append(context_told)
        hidden += more
    return CaseTold(
        row.number,
        row.id,
        view.question,
        view.kind,
        view.references,
        source,
        len(view.source),
        tuple(told),
        hidden,
    )


def _context(view: CaseView, context: ContextView, *, whole: bool) -> tuple[ContextTold, int]:
    evidence, hidden = _excerpt(context.evidence, view.facts, whole=whole)
    answers = tuple(
        _answer(answer)
        for answer in view.answers
        if answer.cell.method == context.method and answer.cell.generation == context.generation
    )
    told = ContextTold(
        context.method,
        context.generation,
        context.status,
        context.error,
        context.sent.tokens.local if context.sent is not None else None,
        context.fates,
        evidence,
        len(context.evidence),
        answers,
    )
    return told, hidden


def _answer(view: AnswerView) -> AnswerTold:
    cell = view.cell
    reply = None if view.text is None else capped(view.text, _REPLY)[0]
    scores = cell.scores
    return AnswerTold(
        cell.repeat, cell.status, cell.cause, cell.em, scores["f1"], view.answer, reply, view.told
    )


def _excerpt(text: str, facts: Sequence[Fact], *, whole: bool) -> tuple[tuple[Part, ...], int]:
    """Return what is shown of a text around the supporting facts, and how many credentials it holds."""
    haystack = Haystack(text)
    marks = [
        Mark(span.start, span.end, f"fact {number}")
        for number, fact in enumerate(facts, 1)
        if fact.is_somewhere
        for span in haystack.find_all(fact.text, limit=3)
    ]
    shown = [(0, len(text))]
    if not whole or len(text) > _WHOLE:
        places = [(mark.start, mark.end) for mark in marks] or [(0, min(len(text), _REACH))]
        shown = windows(len(text), places, _REACH, _WINDOWS)
    hidden = credential_places(text)
    return parts(text, shown, marks, hidden), len(hidden)
