"""Export of a run by the target's suffix: without loss as gacc-run, as a table, or as a report for people.

Owns the choice of the form and what goes into the table; reports are `app.reporting`'s. Whatever leaves is
looked through for credentials first (`formats.leaving`). Writing is in `formats`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from gacc_gui.core.errors import BadUsage

if TYPE_CHECKING:
    from gacc_gui.core.records import Run
    from gacc_gui.core.reviewing import ReviewedRow
    from gacc_gui.formats.leaving import Scan
    from gacc_gui.formats.result_table import ResultRow
    from gacc_gui.store.reads import Reader
    from gacc_gui.store.result_reads import TableRow

RUN_SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
SUFFIXES: Final = (*RUN_SUFFIXES, ".csv", ".parquet", ".md", ".html")

_STEP: Final = 500
"""Records or rows between two words on how far it is."""

Progress = Callable[[int, int, str], None]
_Item = TypeVar("_Item")


def _unheard(_done: int, _total: int, _phase: str) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: the run's id, and what to tell of credentials in it and of records left out."""

    run_id: str
    notices: tuple[str, ...]


def export_run(
    database_path: Path | str,
    run: str,
    target: Path | str,
    goal: str | None = None,
    progress: Progress = _unheard,
) -> Exported:
    """Write a run (id or unique name) to a file; the suffix decides the form.

    `.json` and `.jsonl` (also `.gz`) import back without loss, but for records that wait for their parent:
    these are in no file, and a notice counts them. `.csv` and `.parquet` hold the rows, `.md` and `.html` are
    reports; of one goal alone there is a `.html`. The file appears whole or not at all.
    `progress(done, total, phase)` counts records, rows or parts of a page; what it raises ends the export,
    Interrupted for one, and nothing is left of it. Raises BadUsage for another suffix, an unknown run or
    goal, GaccError where the file cannot be written, StoreError where the database cannot be read.
    """
    from gacc_gui.formats.leaving import Scan
    from gacc_gui.store.reads import Reader

    target = Path(target)
    name = target.name.lower()
    suffix = next((suffix for suffix in SUFFIXES if name.endswith(suffix) and name != suffix), None)
    if suffix is None:
        raise BadUsage(
            f"{target.name}: a run is exported to {', '.join(SUFFIXES[:2])}, .csv, .parquet, .md or .html"
        )
    if goal is not None and suffix != ".html":
        raise BadUsage(f"{target.name}: a goal alone is exported to .html")
    scan = Scan()
    if suffix in RUN_SUFFIXES:
        from gacc_gui.app.adopting import adopt_where_possible

        adopt_where_possible(Path(database_path))
    with Reader(database_path) as reader, reader.snapshot():  # an evaluation may be writing
        run_id = reader.resolve_run(run)
        left_out = _waiting(reader, run_id) if suffix in RUN_SUFFIXES else ()
        if suffix in RUN_SUFFIXES:
            from gacc_gui.formats.run_writing import write_run

            write_run(
                target, scan.records(_counted(reader.records(run_id), _records(reader, run_id), progress))
            )
        elif suffix in (".csv", ".parquet"):
            _write_table(reader, run_id, target, suffix, scan, progress)
        elif suffix == ".md":
            _write_markdown(reader, run_id, target, scan)
        else:
            _write_page(reader, run_id, goal, target, scan, progress)
    return Exported(run_id, (*scan.notices, *left_out))


def _records(reader: Reader, run_id: str) -> int:
    from gacc_gui.store import report_reads

    return reader.on_run(run_id, report_reads.record_count)


def _waiting(reader: Reader, run_id: str) -> tuple[str, ...]:
    """Return what to tell of the records that wait, one line if any do."""
    from gacc_gui.formats.record_writing import LISTS
    from gacc_gui.store import report_reads

    counts = reader.on_run(run_id, report_reads.waiting_counts)
    if not counts:
        return ()
    told = [
        f"{count:,} {kind if count == 1 else plural}"
        for plural, kind in LISTS.items()
        if (count := counts.get(kind))
    ]
    return (f"left out of the file, waiting for records that are not here (yet): {', '.join(told)}",)


def _counted(
    items: Iterable[_Item], total: int, progress: Progress, phase: str = "records"
) -> Iterator[_Item]:
    """Yield items and tell now and then how many of all were taken."""
    done = 0
    for item in items:
        if done % _STEP == 0:
            progress(done, total, phase)
        yield item
        done += 1
    progress(done, total, phase)


def _write_table(
    reader: Reader, run_id: str, target: Path, suffix: str, scan: Scan, progress: Progress
) -> None:
    from gacc_gui.formats import result_table

    rows = scan.items(result_rows(reader, run_id, progress))
    if suffix == ".csv":
        result_table.write_csv(target, rows)
    else:
        record = next(summary.run for summary in reader.runs() if summary.run.id == run_id)
        result_table.write_parquet(target, scan.item(record), rows)


def _write_markdown(reader: Reader, run_id: str, target: Path, scan: Scan) -> None:
    from gacc_gui.app.reporting import markdown_of
    from gacc_gui.formats.report_writing import write_markdown

    write_markdown(target, markdown_of(reader, run_id, scan))


def _write_page(
    reader: Reader, run_id: str, goal: str | None, target: Path, scan: Scan, progress: Progress
) -> None:
    from gacc_gui.app.reporting import page_of
    from gacc_gui.formats.html_page import write_page

    write_page(target, page_of(reader, run_id, goal, scan, partial(_part, progress)))


def _part(progress: Progress, done: int, total: int) -> None:
    progress(done, total, "parts")


def result_rows(reader: Reader, run_id: str, progress: Progress = _unheard) -> Iterator[ResultRow]:
    """Yield every row of a run with the texts that belong to it; the long texts are not even read."""
    from gacc_gui.app.reviewing import reviewed_of
    from gacc_gui.store import report_reads, result_reads

    run = next(summary.run for summary in reader.runs() if summary.run.id == run_id)
    reviewed = {row.judged.row: row for row in reviewed_of(reader, run_id).rows}
    total = reader.on_run(run_id, report_reads.row_count)
    rows = reader.on_run(run_id, result_reads.table_rows)
    for row in _counted(rows, total, progress, "rows"):
        yield _result_row(run, row, reviewed.get((row.memory.id, row.question.id, row.repeat)))


def _result_row(run: Run, row: TableRow, reviewed: ReviewedRow | None) -> ResultRow:
    from gacc_gui.formats.result_table import ResultRow

    memory, question = row.memory, row.question
    context, cell = question.context, memory.cell
    decides = reviewed.standing.decides if reviewed else None
    return ResultRow(
        run_id=run.id,
        run_name=run.name,
        diagnostic_only=run.diagnostic_only,
        context_id=context.id,
        context_title=context.title,
        origin=context.origin,
        license=context.license,
        goal_id=question.goal_id,
        goal=question.goal,
        question_id=question.id,
        question=question.text,
        references=question.references,
        memory_id=memory.id,
        memory_status=memory.status,
        condition=cell.condition,
        shown_goal_id=memory.shown_goal_id,
        compressor=cell.compressor,
        revision=cell.revision,
        ratio=cell.ratio,
        budget=memory.budget,
        generation=memory.generation,
        repeat=row.repeat,
        source_tokens=memory.source_tokens,
        proposed_tokens=memory.proposed_tokens,
        retained_tokens=memory.retained_tokens,
        fate=row.fate,
        cause=row.cause,
        flags=row.flags,
        label=row.label,
        status=row.status,
        judge_label=row.judge_label,
        has_answer=row.answer is not None,
        answer=row.answer,
        answer_status=row.answer_status,
        rationale=row.rationale,
        reviewed_label=reviewed.label if reviewed else row.label,
        reviewed_cause=reviewed.cause if reviewed else row.cause,
        review_decision=decides.decision if decides else None,
        reviewer=decides.reviewer if decides else None,
        reviews=len(reviewed.standing.reviews) if reviewed else 0,
        review_conflict=reviewed is not None and reviewed.standing.conflict,
    )
