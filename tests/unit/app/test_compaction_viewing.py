"""A compaction run as it is looked at, out of a real database: rows, causes, contexts, what is not there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gacc_gui.app.compaction_viewing import case_view, is_compaction, overview, planned_answers
from gacc_gui.core import compaction_causes as causes
from gacc_gui.core.compaction import FULL, FUSION, JEV, METHODS, SUMMARY
from gacc_gui.core.compaction_aggregate import MISSING
from gacc_gui.core.records import Answer, Context, Memory, Question, Record, Run, Verdict
from gacc_gui.formats.compaction_folder import aggregate_of, gathered
from gacc_gui.store.reads import Reader
from tests.compaction_run import FAULTS, small_run_records, stored


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    path = stored(tmp_path_factory.mktemp("view") / "run.db", small_run_records(3))
    with Reader(path) as opened:
        yield opened


def run_of(reader: Reader) -> Run:
    return reader.runs()[0].run


def letters(reader: Reader, case: int, method: str) -> str:
    row = overview(reader, run_of(reader)).cases[case]
    return "".join(
        "?" if cell.cause is None else causes.LETTERS[cell.cause.name] for cell in row.cells[method]
    )


def test_cases_stand_in_the_runs_order_with_all_that_was_planned(reader: Reader) -> None:
    found = overview(reader, run_of(reader))
    assert [(case.number, case.kind) for case in found.cases] == [
        (1, "bridge"),
        (2, "comparison"),
        (3, "bridge"),
    ]
    for case in found.cases:
        assert tuple(case.cells) == METHODS
        for method, cells in case.cells.items():
            places = [(cell.method, cell.generation, cell.repeat) for cell in cells]
            assert places == [(method, 0, 0), (method, 0, 1), (method, 1, 0), (method, 1, 1)]
    assert found.is_diagnostic
    assert is_compaction(found.run)


def test_every_planted_fault_has_its_cause(reader: Reader) -> None:
    assert letters(reader, 0, FULL) == "✓✓–✓"
    assert letters(reader, 0, JEV) == "D––✓"
    assert letters(reader, 0, SUMMARY) == "F✓––"
    assert letters(reader, 0, FUSION) == "✓✓✓✓"
    assert letters(reader, 1, FULL) == "✓–✓✓"
    assert letters(reader, 1, JEV) == "––✓✓"
    assert letters(reader, 1, SUMMARY) == "✓✓✓✓"
    assert letters(reader, 1, FUSION) == "✓✓––"
    assert set("".join(letters(reader, 2, method) for method in METHODS)) == {"✓"}


def test_statuses_are_those_of_context_answer_or_verdict(reader: Reader) -> None:
    found = overview(reader, run_of(reader))
    by_place = {
        (cell.method, number, cell.generation, cell.repeat): cell.status
        for number, case in enumerate(found.cases)
        for cells in case.cells.values()
        for cell in cells
    }
    for (method, number, generation, repeat), fault in FAULTS.items():
        if repeat is None:
            if fault == "failed":
                assert by_place[method, number, generation, 0] == "no_context"
                assert by_place[method, number, generation, 1] == "no_context"
        elif fault in ("unparsed", "refused", "truncated", "no_answer", "error", "invalid"):
            assert by_place[method, number, generation, repeat] == fault
        else:
            assert by_place[method, number, generation, repeat] == "ok"


def test_causes_of_a_method_add_up_to_what_was_planned(reader: Reader) -> None:
    found = overview(reader, run_of(reader))
    for method in found.planned.methods:
        assert sum(found.causes[method].values()) == 3 * 2 * 2
        right = sum(case.right(method) for case in found.cases)
        assert found.causes[method][causes.CORRECT] == right
    figures = {one.method: one for one in found.aggregate.methods}
    assert (
        figures[JEV].all.scores["em"]
        == overview(reader, run_of(reader)).aggregate.methods[1].all.scores["em"]
    )
    assert figures[JEV].all.valid == 8


def test_figures_are_those_of_the_run_folder(reader: Reader) -> None:
    found = overview(reader, run_of(reader))
    assert found.aggregate == aggregate_of(gathered(small_run_records(3)))


def test_a_failed_context_has_no_input_tokens(tmp_path: Path) -> None:
    faults = {(SUMMARY, 0, generation, None): "failed" for generation in (0, 1)}
    with Reader(stored(tmp_path / "run.db", small_run_records(1, faults=faults))) as reader:
        found = overview(reader, run_of(reader))
    figures = {one.method: one for one in found.aggregate.methods}
    assert (figures[SUMMARY].local.inputs, figures[SUMMARY].provider.inputs) == (0, 0)
    assert figures[FUSION].local.inputs == 4


def test_units_are_the_stores(reader: Reader) -> None:
    found = overview(reader, run_of(reader))
    case = found.cases[0]
    cell = case.cells[JEV][0]
    assert cell.unit is not None
    view = reader.unit_view(cell.unit)
    assert (view.goal.id, view.memory.id, view.repeat) == (case.id, cell.memory_id, 0)
    every = [cell.unit for one in found.cases for cells in one.cells.values() for cell in cells]
    assert None not in every


def test_a_case_in_full(reader: Reader) -> None:
    run = run_of(reader)
    row = overview(reader, run).cases[0]
    case = case_view(reader, run, row.id)
    assert case is not None
    assert case.question == row.question
    assert case.source == "\n".join(file.text for file in case.files)
    assert len(case.files) == 10
    assert [(one.method, one.generation) for one in case.contexts] == [
        (m, g) for m in METHODS for g in (0, 1)
    ]
    jev = case.context(JEV, 0)
    assert jev is not None and jev.sent is not None
    assert [one.fate for one in jev.fates] == [causes.DROPPED, causes.KEPT, causes.KEPT]
    assert jev.evidence and jev.evidence in jev.sent.messages[1]["content"]
    summary = case.context(SUMMARY, 1)
    assert summary is not None and summary.has_failed
    assert summary.fates == ()
    assert summary.error is not None and "too long" in summary.error
    assert [one.cell for one in case.answers_of(JEV)] == list(row.cells[JEV])


def test_answers_with_what_was_said_and_why_they_failed(reader: Reader) -> None:
    run = run_of(reader)
    case = case_view(reader, run, overview(reader, run).cases[0].id)
    assert case is not None
    wrong, unparsed, refused, right = case.answers_of(JEV)
    assert wrong.answer == "nobody"
    assert wrong.facts is not None and len(wrong.facts) == 1
    assert unparsed.answer is None and unparsed.facts is None
    assert unparsed.text is not None and unparsed.text.startswith("I believe")
    assert refused.text == "I cannot help with that."
    assert right.cell.em == 1 and right.provider_tokens is not None
    (_, _, failed, _) = case.answers_of(SUMMARY)
    assert failed.text is None
    assert failed.told is not None and "too long" in failed.told
    assert case.answers_of(FUSION)[1].provider_tokens is None


def test_a_case_that_is_not_there(reader: Reader) -> None:
    assert case_view(reader, run_of(reader), "nobody") is None


def test_planned_answers(reader: Reader) -> None:
    run = run_of(reader)
    assert planned_answers(run) == 3 * 4 * 2 * 2
    assert planned_answers(run, JEV) == 3 * 2 * 2
    assert planned_answers(run, "nobody") == 0
    assert planned_answers(replace(run, extra={})) is None


def test_a_run_that_is_not_finished_has_answers_that_are_not_there(tmp_path: Path) -> None:
    records = small_run_records(2, faults={})
    kept = [
        record
        for record in records
        if not (isinstance(record, Answer | Verdict) and "/summary/" in record.memory_id)
        and not (isinstance(record, Memory) and record.cell.compressor == FUSION)
        and not (isinstance(record, Answer | Verdict) and "/jev+summary/" in record.memory_id)
    ]
    with Reader(stored(tmp_path / "part.db", kept)) as reader:
        found = overview(reader, run_of(reader))
        case = found.cases[0]
        assert [cell.cause for cell in case.cells[SUMMARY]] == [None] * 4
        assert [cell.status for cell in case.cells[FUSION]] == [MISSING] * 4
        assert [cell.unit for cell in case.cells[FUSION]] == [None] * 4
        assert found.causes[FUSION] == {MISSING: 8}
        assert found.aggregate.methods[3].all.statuses == {MISSING: 8}
        assert found.aggregate.hypothesis.held is False
        detail = case_view(reader, found.run, case.id)
        assert detail is not None
        assert detail.context(FUSION, 0) is None
        assert [one.text for one in detail.answers_of(SUMMARY)] == [None] * 4


def test_a_run_without_our_further_fields_is_shown_as_far_as_it_goes(tmp_path: Path) -> None:
    def bare(record: Record) -> Record:
        return (
            replace(record, extra={})
            if isinstance(record, Run | Context | Question | Memory | Verdict)
            else record
        )

    with Reader(stored(tmp_path / "bare.db", list(map(bare, small_run_records(2))))) as reader:
        found = overview(reader, run_of(reader))
        assert found.planned.methods == METHODS
        assert (found.planned.generations, found.planned.repeats) == (2, 2)
        case = case_view(reader, found.run, found.cases[0].id)
        assert case is not None
        assert case.facts == () and case.files == ()
        context = case.context(FULL, 0)
        assert context is not None and context.sent is None and context.evidence == case.source
        assert {cell.status for cell in found.cases[1].cells[SUMMARY]} == {"error"}
