"""Which rows of a run are asked again, and what is known of them.

Owns the choice: one question under a memory, all questions of a goal, or the failures that a filter leaves,
up to a cap. Only reads. Not here: asking (`probing`), what a filter means (`core.filters`, `store.queries`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from gacc_gui.core.errors import BadUsage
from gacc_gui.core.filters import REVIEW_KEYS, Match, Query, parse
from gacc_gui.core.probe_findings import AskedRow, Finding, asked_row, find
from gacc_gui.core.records import Memory, Probe, Question
from gacc_gui.store.outcome_rows import OutcomeRow, meets
from gacc_gui.store.rows import Decided

if TYPE_CHECKING:
    from gacc_gui.core.reviewing import ReviewedRow
    from gacc_gui.store.reads import Reader
    from gacc_gui.store.rows import QuestionRow, UnitView

DEFAULT_MOST: Final = 100
"""How many rows of a goal or a filter are asked again unless somebody says otherwise."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which rows: `question` under `memory`, all of `goal`, or the failures that `filter` leaves.

    A goal's are those under `memory`, where it is named. `repeat` None is every one; of a single question it
    is the first. `as_reviewed`: to the filter, and to what the probes are said to show, reviewers' labels
    and causes count where they decided.
    """

    memory: str | None = None
    question: str | None = None
    goal: str | None = None
    filter: str | None = None
    repeat: int | None = None
    most: int = DEFAULT_MOST
    as_reviewed: bool = False


@dataclass(frozen=True, slots=True)
class ChosenRow:
    """A row to be asked again, with all that its goal's memory is."""

    view: UnitView
    row: QuestionRow

    @property
    def place(self) -> tuple[str, str, int]:
        """Its memory, question and repeat."""
        return self.view.memory.id, self.row.question.id, self.view.repeat


@dataclass(frozen=True, slots=True)
class Chosen:
    """The rows, in file order; `capped`: there are more, which the cap left out."""

    rows: tuple[ChosenRow, ...]
    capped: bool = False


def choose(
    reader: Reader, run_id: str, selection: Selection, wanted: Callable[[ChosenRow], bool] | None = None
) -> Chosen:
    """Return the chosen rows; of those, where it is asked, the wanted ones, which may be none.

    Raises BadUsage where the selection makes no sense or names nothing.
    """
    _check(selection)
    query = _query(selection)
    decided = _decided(reader, run_id, selection, query)
    by_row = {row.judged.row: row for row in decided.rows}
    units = sorted(reader.goal_units(run_id, query=query, decided=decided))
    rows: list[ChosenRow] = []
    found = False
    for unit in units:
        view = reader.unit_view(unit)
        for row in view.rows:
            one = _chosen_row(selection, view, row, by_row)
            if not _is_wanted(selection, query, one, by_row.get(one.place)):
                continue
            found = True
            if wanted is not None and not wanted(one):
                continue
            if len(rows) == selection.most:
                return Chosen(tuple(rows), capped=True)
            rows.append(one)
    if not found:
        raise BadUsage(_nothing(run_id, selection))
    return Chosen(tuple(rows))


def _check(selection: Selection) -> None:
    ways = [selection.question is not None, selection.goal is not None, selection.filter is not None]
    if sum(ways) != 1:
        raise BadUsage("one of --question (with --memory), --goal and --filter says what is asked again")
    if selection.question is not None and selection.memory is None:
        raise BadUsage("--question needs --memory: the memory that it was asked under")
    if selection.filter is not None and selection.memory is not None:
        raise BadUsage("a filter names a memory itself: memory-id:…")
    if selection.filter is None and selection.as_reviewed:
        raise BadUsage("--as reviewed is about what a filter leaves: --filter")
    if selection.most < 1:
        raise BadUsage(f"--most is a whole number from 1 on, not {selection.most}")


def _query(selection: Selection) -> Query:
    terms = list(parse(selection.filter).terms) if selection.filter is not None else []
    if selection.goal is not None:
        terms.append(Match("goal-id", (selection.goal,)))
    if selection.memory is not None:
        terms.append(Match("memory-id", (selection.memory,)))
    repeat = selection.repeat
    if repeat is None and selection.question is not None:
        repeat = 0
    if repeat is not None:
        terms.append(Match("repeat", (str(repeat),)))
    if selection.filter is not None:
        terms.append(Match("goal", ("failed",)))
    return Query(tuple(terms))


def _decided(reader: Reader, run_id: str, selection: Selection, query: Query) -> Decided:
    """Return the rows with a decision, where they count or the filter asks for decisions."""
    if not selection.as_reviewed and not any(term.key in REVIEW_KEYS for term in query.row_terms):
        return Decided((), False)
    from gacc_gui.store.reviewed_units import decided_of

    return replace(reader.on_run(run_id, decided_of), counts=selection.as_reviewed)


def _chosen_row(
    selection: Selection,
    view: UnitView,
    row: QuestionRow,
    decided: Mapping[tuple[str, str, int], ReviewedRow],
) -> ChosenRow:
    """Return a row with the label, cause and flags that count."""
    one = ChosenRow(view, row)
    reviewed = decided.get(one.place)
    if reviewed is None or not selection.as_reviewed:
        return one
    said = _outcome(one, reviewed, counts=True)
    return replace(one, row=replace(row, label=said.label, cause=said.cause, flags=said.flags))


def _is_wanted(selection: Selection, query: Query, one: ChosenRow, decided: ReviewedRow | None) -> bool:
    row = one.row
    if selection.question is not None:
        return row.question.id == selection.question
    if selection.goal is not None:
        return True
    outcome = _outcome(one, decided, selection.as_reviewed)
    if outcome.label == "correct":
        return False
    # A goal of which a row meets a negated term is left out as a whole.
    terms = [term for term in query.row_terms if isinstance(term, Match) and not term.negated]
    return all(
        row.question.id in term.values if term.key == "question-id" else meets(outcome, term)
        for term in terms
    )


def _outcome(one: ChosenRow, decided: ReviewedRow | None, counts: bool) -> OutcomeRow:
    row = one.row
    outcome = OutcomeRow(
        "",
        row.fate,
        row.cause,
        row.flags,
        row.label,
        row.status,
        row.answer.status if row.answer is not None else None,
        one.view.memory.status,
    )
    if decided is None:
        return outcome
    from gacc_gui.store.reviewed_units import outcome_with

    return outcome_with(outcome, decided, counts)


def _nothing(run_id: str, selection: Selection) -> str:
    if selection.filter is not None:
        return f"the run {run_id!r} has no failure that the filter leaves"
    repeat = f", repeat {selection.repeat}" if selection.repeat is not None else ""
    under = f" under memory {selection.memory!r}" if selection.memory is not None else ""
    what = (
        f"question {selection.question!r}"
        if selection.goal is None
        else f"question of goal {selection.goal!r}"
    )
    return f"the run {run_id!r} has no {what}{under}{repeat}"


def row_for_rules(row: QuestionRow, memory: Memory) -> AskedRow:
    """Return a row of a memory as the rules of `core.probe_findings` need it."""
    return asked_row(
        row.cause, row.label, row.question, memory.proposed_text, memory.retained_text, memory.budget
    )


def probes_by_row(probes: Iterable[Probe]) -> Mapping[tuple[str, str, int], list[Probe]]:
    """Return probes by memory, question and repeat, in their order."""
    found: dict[tuple[str, str, int], list[Probe]] = defaultdict(list)
    for probe in probes:
        found[probe.memory_id, probe.question_id, probe.repeat].append(probe)
    return found


@dataclass(frozen=True, slots=True)
class ProbedQuestion:
    """The stored probes of a row, in the order they came, and what they say; None without probes."""

    question: Question
    probes: tuple[Probe, ...]
    finding: Finding | None


def probed_questions(reader: Reader, view: UnitView) -> dict[str, ProbedQuestion]:
    """Return what the stored probes say of each question of a unit, by id; those without are left out."""
    stored = probes_by_row(reader.probes(view.run.id, view.memory.id))
    found = {}
    for row in view.rows:
        probes = stored.get((view.memory.id, row.question.id, view.repeat))
        if probes:
            finding = find(row_for_rules(row, view.memory), probes)
            found[row.question.id] = ProbedQuestion(row.question, tuple(probes), finding)
    return found
