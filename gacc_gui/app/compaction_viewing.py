"""A compaction run as it is looked at: its cases with the cause of every answer, and one case in full.

Owns how stored rows become views (`app.compaction_views`), and which status a row without a verdict has.
Reads only. Not here: the SELECTs (`store.compaction_reads`), the rules of fates and causes
(`core.compaction_causes`), the arithmetic (`core.compaction_aggregate`), anything a widget needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.app.compaction_views import (
    AnswerCell,
    AnswerView,
    CaseRow,
    CaseView,
    ContextView,
    LeftOut,
    Overview,
)
from gacc_gui.core.causes import FAILED as FAILED_STATUSES
from gacc_gui.core.compaction import (
    METHODS,
    NO_SCORES,
    PROTOCOL,
    AnswerResult,
    EvidenceFile,
    SentContext,
)
from gacc_gui.core.compaction_aggregate import MISSING, PlannedRun, ScoredAnswer, aggregate
from gacc_gui.core.compaction_causes import (
    SUMMARY_LOST,
    Fact,
    FactFate,
    cause_of,
    facts_of,
    fates_of,
)
from gacc_gui.core.compaction_values import context_from, result_from
from gacc_gui.core.records import Json, Run

if TYPE_CHECKING:
    from gacc_gui.core.records import Context, Question
    from gacc_gui.store.compaction_reads import StoredAnswer, StoredCase, StoredContext, StoredRun
    from gacc_gui.store.reads import Reader

NO_CONTEXT: Final = "no_context"


def is_compaction(run: Run) -> bool:
    """Whether a run is one of the compaction benchmark."""
    return run.protocol == PROTOCOL


def planned_answers(run: Run, method: str | None = None) -> int | None:
    """Return how many answers a run plans, by one method or by all; None where it does not say."""
    planned = _plan_of(run)
    if planned is None:
        return None
    methods = len(planned.methods) if method is None else planned.methods.count(method)
    return len(planned.cases) * methods * planned.answers_per_question


def overview(reader: Reader, run: Run) -> Overview:
    """Return a run with the cause of every answer. Raises StoreError, BadUsage where it is gone."""
    from gacc_gui.store.compaction_reads import stored_run

    stored = reader.on_run(run.id, stored_run)
    planned = _planned(run, stored)
    facts = {case.goal.id: _facts(case.question, _files(case.context)) for case in stored.cases}
    references = {case.goal.id: case.question.references or () for case in stored.cases}
    cells: dict[tuple[str, str, int, int], AnswerCell] = {}
    scored: list[ScoredAnswer] = []
    kinds = {case.goal.id: _text(case.question, "type") or "" for case in stored.cases}
    answers = _by_memory(stored.answers)
    for context in stored.contexts:
        if context.case not in facts:
            continue
        sent = _sent(context)
        fates = _lazy_fates(facts[context.case], sent)
        for answer in _answers(context, answers, planned):
            cell = _cell(context, answer, references[context.case], fates)
            cells[cell.case, cell.method, cell.generation, cell.repeat] = cell
            if cell.status != MISSING:
                scored.append(_scored(cell, kinds[context.case], answer.result, sent))
    rows = tuple(_row(number, case, planned, cells) for number, case in enumerate(stored.cases, start=1))
    return Overview(
        run,
        planned,
        rows,
        aggregate(scored, planned, kinds),
        {method: _causes(rows, method) for method in planned.methods},
        tuple(_left_out(run)),
    )


def case_view(reader: Reader, run: Run, case_id: str) -> CaseView | None:
    """Return one case in full; None where the run has none of this id."""
    from gacc_gui.store.compaction_reads import stored_case

    stored = reader.on_run(run.id, partial(stored_case, case_id=case_id))
    if not stored.cases:
        return None
    case = stored.cases[0]
    files = _files(case.context)
    facts = _facts(case.question, files)
    references = tuple(case.question.references or ())
    planned = _planned(run, stored)
    by_memory = _by_memory(stored.answers)
    contexts: list[ContextView] = []
    answers: list[AnswerView] = []
    for context in stored.contexts:
        sent = _sent(context)
        was_sent = sent is not None and context.status not in FAILED_STATUSES
        fates = fates_of(facts, sent) if sent is not None and was_sent else ()
        contexts.append(
            ContextView(
                context.method,
                context.generation,
                context.memory_id,
                context.status,
                context.error,
                sent,
                context.evidence or "",
                fates,
            )
        )
        known = _known(fates)
        for answer in _answers(context, by_memory, planned):
            answers.append(_answer_view(_cell(context, answer, references, known), answer, context))
    return CaseView(
        case_id,
        case.question.text,
        case.goal.text,
        _text(case.question, "type") or "",
        _text(case.question, "level"),
        references,
        facts,
        case.context.text,
        files,
        tuple(contexts),
        tuple(answers),
    )


# --- rows ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer as planned; `stored` None: it is not there."""

    repeat: int
    unit: int | None
    stored: StoredAnswer | None
    result: AnswerResult


_Fates = Callable[[bool], frozenset[str]]
"""The fates of a context's facts; True: with hints, which take their time."""


def _answers(
    context: StoredContext, by_memory: Mapping[str, Sequence[StoredAnswer]], planned: PlannedRun
) -> Iterable[_Answer]:
    there = {answer.repeat: answer for answer in by_memory.get(context.memory_id, ())}
    # A context that failed has one place for all that was planned.
    first = next(iter(there.values()), None)
    for repeat in range(max(planned.repeats, max(there, default=-1) + 1)):
        stored = there.get(repeat)
        unit = stored.unit if stored is not None else first.unit if first is not None else None
        yield _Answer(repeat, unit, stored, _result(context, stored))


def _result(context: StoredContext, answer: StoredAnswer | None) -> AnswerResult:
    if context.status in FAILED_STATUSES:
        return AnswerResult(NO_CONTEXT)
    if answer is None or (answer.status is None and answer.verdict_status is None):
        return AnswerResult(MISSING)
    try:
        return result_from(answer.verdict)
    except ValueError:
        pass
    if answer.status not in ("ok", None):
        return AnswerResult(answer.status or MISSING)
    return AnswerResult(MISSING if answer.verdict_status is None else "error")


def _cell(
    context: StoredContext, answer: _Answer, references: Sequence[str], fates_of_facts: _Fates
) -> AnswerCell:
    result = answer.result
    cause = None
    if result.status != MISSING:
        said = _predicted(result, "answer")
        given = (result.status, result.scores["em"], result.scores["f1"])
        text = said if isinstance(said, str) else None
        cause = cause_of(*given, text, references, fates_of_facts(False))
        if cause.name == SUMMARY_LOST:
            cause = cause_of(*given, text, references, fates_of_facts(True))
    return AnswerCell(
        context.case,
        context.method,
        context.generation,
        answer.repeat,
        result.status,
        cause,
        result.scores,
        context.memory_id,
        answer.unit,
    )


def _lazy_fates(facts: Sequence[Fact], sent: SentContext | None) -> _Fates:
    """Look for what is only like a fact no sooner than a cause hangs on it: most answers' do not."""
    known: dict[bool, frozenset[str]] = {}

    def fates(hints: bool) -> frozenset[str]:
        if hints not in known:
            found = fates_of(facts, sent, hints=hints) if sent is not None else ()
            known[hints] = frozenset(one.fate for one in found)
        return known[hints]

    return fates


def _known(fates: Sequence[FactFate]) -> _Fates:
    names = frozenset(one.fate for one in fates)
    return lambda _hints: names


def _row(
    number: int,
    case: StoredCase,
    planned: PlannedRun,
    cells: Mapping[tuple[str, str, int, int], AnswerCell],
) -> CaseRow:
    def cell(method: str, generation: int, repeat: int) -> AnswerCell:
        found = cells.get((case.goal.id, method, generation, repeat))
        return found or AnswerCell(
            case.goal.id, method, generation, repeat, MISSING, None, NO_SCORES, None, None
        )

    return CaseRow(
        case.goal.id,
        number,
        case.question.text,
        _text(case.question, "type") or "",
        _text(case.question, "level"),
        tuple(case.question.references or ()),
        {
            method: tuple(
                cell(method, generation, repeat)
                for generation in range(planned.generations)
                for repeat in range(planned.repeats)
            )
            for method in planned.methods
        },
    )


def _answer_view(cell: AnswerCell, answer: _Answer, context: StoredContext) -> AnswerView:
    stored = answer.stored
    facts = _predicted(answer.result, "supporting_facts")
    told = (stored.rationale or stored.error) if stored is not None else None
    if answer.result.status == NO_CONTEXT:
        told = context.error
    said = _predicted(answer.result, "answer")
    return AnswerView(
        cell,
        stored.text if stored is not None else None,
        told,
        said if isinstance(said, str) else None,
        tuple(facts) if isinstance(facts, list | tuple) else None,
        answer.result.provider_input_tokens,
    )


def _predicted(result: AnswerResult, name: str) -> Json:
    return result.predicted.get(name) if isinstance(result.predicted, Mapping) else None


def _causes(rows: Sequence[CaseRow], method: str) -> Mapping[str, int]:
    return Counter(
        MISSING if cell.cause is None else cell.cause.name for row in rows for cell in row.cells[method]
    )


def _scored(cell: AnswerCell, kind: str, result: AnswerResult, sent: SentContext | None) -> ScoredAnswer:
    return ScoredAnswer(
        cell.case,
        kind,
        cell.method,
        cell.generation,
        cell.repeat,
        cell.status,
        cell.scores,
        result.provider_input_tokens,
        # Nothing was asked from a context that failed: what it would have taken is no input.
        sent.tokens.local if sent is not None and cell.status != NO_CONTEXT else None,
    )


def _by_memory(answers: Iterable[StoredAnswer]) -> Mapping[str, list[StoredAnswer]]:
    found: dict[str, list[StoredAnswer]] = {}
    for answer in answers:
        found.setdefault(answer.memory_id, []).append(answer)
    return found


# --- what records keep in their further fields ------------------------------------------------------


def _sent(context: StoredContext) -> SentContext | None:
    from gacc_gui.formats.compaction_records import compaction_of

    try:
        return context_from(compaction_of(context.extra))
    except ValueError:
        return None


def _files(context: Context) -> tuple[EvidenceFile, ...]:
    given = context.extra.get("files")
    files = []
    for place, value in enumerate(given if isinstance(given, list) else ()):
        try:
            sentences = tuple(map(str, value["sentences"]))
            files.append(EvidenceFile(str(value["path"]), str(value["title"]), sentences))
        except (KeyError, TypeError):
            # Its place must be kept: groups name files by their places.
            files.append(EvidenceFile(f"evidence {place + 1}", "", ()))
    return tuple(files)


def _facts(question: Question, files: Sequence[EvidenceFile]) -> tuple[Fact, ...]:
    gold = question.extra.get("gold")
    facts = gold.get("supporting_facts") if isinstance(gold, Mapping) else None
    return facts_of(facts if isinstance(facts, list) else (), files)


def _text(question: Question, name: str) -> str | None:
    value = question.extra.get(name)
    return value if isinstance(value, str) else None


def _plan_of(run: Run) -> PlannedRun | None:
    from gacc_gui.formats.compaction_records import planned_of, protocol_of

    try:
        return planned_of(protocol_of(run))
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _planned(run: Run, stored: StoredRun) -> PlannedRun:
    """What the run's protocol plans; where it keeps none, what is there."""
    planned = _plan_of(run)
    if planned is not None:
        return planned
    there = {context.method for context in stored.contexts}
    others = tuple(sorted(there - set(METHODS)))
    return PlannedRun(
        tuple(case.goal.id for case in stored.cases),
        tuple(method for method in METHODS if method in there) + others,
        max((context.generation for context in stored.contexts), default=-1) + 1,
        max((answer.repeat for answer in stored.answers), default=-1) + 1,
    )


def _left_out(run: Run) -> Iterable[LeftOut]:
    from gacc_gui.formats.compaction_records import CONFIGURATION

    kept: Any = run.extra.get(CONFIGURATION)
    named = kept.get("left_out") if isinstance(kept, Mapping) else None
    for one in named if isinstance(named, list) else ():
        if isinstance(one, Mapping):
            yield LeftOut(*(str(one.get(name, "")) for name in ("id", "check", "reason")))
