"""Export of a run by the target's suffix: without loss as gacc-run, as a table, or as a report for people.

Owns the choice of the form and what goes into the table; reports are `app.reporting`'s. Whatever leaves is
looked through for credentials first (`formats.leaving`). Writing is in `formats`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from gacc_gui.core.errors import BadUsage
from gacc_gui.core.records import Answer, Context, Goal, Ledger, Memory, Question, Run, Verdict

if TYPE_CHECKING:
    from gacc_gui.core.reviewing import ReviewedRow, Row
    from gacc_gui.formats.leaving import Scan
    from gacc_gui.formats.result_table import ResultRow
    from gacc_gui.store.reads import Reader
    from gacc_gui.store.rows import QuestionResult

RUN_SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
SUFFIXES: Final = (*RUN_SUFFIXES, ".csv", ".parquet", ".md", ".html")

_NO_LEDGER: Final = Ledger()
_STEP: Final = 500
"""Records or rows between two words on how far it is."""

Progress = Callable[[int, int, str], None]
_Item = TypeVar("_Item")


def _unheard(_done: int, _total: int, _phase: str) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: the run's id, and what to tell of credentials that were found in it."""

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

    `.json` and `.jsonl` (also `.gz`) import back without loss; `.csv` and `.parquet` hold the rows, `.md` and
    `.html` are reports; of one goal alone there is a `.html`. The file appears whole or not at all.
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
    with Reader(database_path) as reader:
        run_id = reader.resolve_run(run)
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
    return Exported(run_id, scan.notices)


def _records(reader: Reader, run_id: str) -> int:
    from gacc_gui.store import report_reads

    return reader.on_run(run_id, report_reads.record_count)


def _counted(
    items: Iterable[_Item], total: int, progress: Progress, phase: str = "records", before: int = 0
) -> Iterator[_Item]:
    """Yield items and tell now and then how many of all were taken, `before` of them elsewhere."""
    done = before
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
    """Yield every row of a run with the texts that belong to it; the long texts are left out."""
    from gacc_gui.app.reviewing import reviewed_of
    from gacc_gui.store import report_reads

    parts = _Parts({row.judged.row: row for row in reviewed_of(reader, run_id).rows})
    rows = reader.on_run(run_id, report_reads.row_count)
    records = _records(reader, run_id)
    for record in _counted(reader.records(run_id), records + rows, progress):
        parts.take(record)
    for result in _counted(reader.question_results(run_id), records + rows, progress, "rows", records):
        yield parts.row(result)


class _Parts:
    """What a row is joined from. Holds answers and rationales, not sources and memories."""

    def __init__(self, reviewed: Mapping[Row, ReviewedRow]) -> None:
        self._reviewed = reviewed
        self._run: Run | None = None
        self._contexts: dict[str, Context] = {}
        self._goals: dict[str, Goal] = {}
        self._questions: dict[str, Question] = {}
        self._memories: dict[str, tuple[str | None, int | None, str, Ledger]] = {}
        self._answers: dict[tuple[str, str, int], tuple[str | None, str]] = {}
        self._verdicts: dict[tuple[str, str, int], tuple[str | None, str | None]] = {}

    def take(self, record: object) -> None:
        """Keep what a row needs of a record."""
        match record:
            case Run():
                self._run = record
            case Context():
                self._contexts[record.id] = Context(
                    record.id, "", record.title, record.origin, record.license
                )
            case Goal():
                self._goals[record.id] = record
            case Question():
                self._questions[record.id] = record
            case Memory():
                ledger = record.ledger or _NO_LEDGER
                self._memories[record.id] = (record.shown_goal_id, record.budget, record.status, ledger)
            case Answer():
                key = (record.memory_id, record.question_id, record.repeat)
                self._answers[key] = (record.text, record.status)
            case Verdict():
                key = (record.memory_id, record.question_id, record.repeat)
                self._verdicts[key] = (record.label, record.rationale)

    def row(self, result: QuestionResult) -> ResultRow:
        """Join one row."""
        from gacc_gui.formats.result_table import ResultRow

        assert self._run is not None
        key = (result.memory_id, result.question_id, result.repeat)
        goal, question = self._goals[result.goal_id], self._questions[result.question_id]
        context = self._contexts[goal.context_id]
        shown, budget, memory_status, ledger = self._memories[result.memory_id]
        answer, answer_status = self._answers.get(key, (None, None))
        judge_label, rationale = self._verdicts.get(key, (None, None))
        reviewed = self._reviewed.get(key)
        decides = reviewed.standing.decides if reviewed else None
        return ResultRow(
            run_id=self._run.id,
            run_name=self._run.name,
            diagnostic_only=self._run.diagnostic_only,
            context_id=context.id,
            context_title=context.title,
            origin=context.origin,
            license=context.license,
            goal_id=goal.id,
            goal=goal.text,
            question_id=question.id,
            question=question.text,
            references=question.references,
            memory_id=result.memory_id,
            memory_status=memory_status,
            condition=result.condition,
            shown_goal_id=shown,
            compressor=result.compressor,
            revision=result.revision,
            ratio=result.ratio,
            budget=budget,
            generation=result.generation,
            repeat=result.repeat,
            source_tokens=ledger.source_tokens,
            proposed_tokens=ledger.proposed_tokens,
            retained_tokens=ledger.retained_tokens,
            fate=result.fate,
            cause=result.cause,
            flags=result.flags,
            label=result.label,
            status=result.status,
            judge_label=judge_label,
            has_answer=answer is not None,
            answer=answer,
            answer_status=answer_status,
            rationale=rationale,
            reviewed_label=reviewed.label if reviewed else result.label,
            reviewed_cause=reviewed.cause if reviewed else result.cause,
            review_decision=decides.decision if decides else None,
            reviewer=decides.reviewer if decides else None,
            reviews=len(reviewed.standing.reviews) if reviewed else 0,
            review_conflict=reviewed is not None and reviewed.standing.conflict,
        )
