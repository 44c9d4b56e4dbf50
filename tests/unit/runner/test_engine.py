"""The engine: order, cut and ledger, failures as statuses, the cache, and what is recorded of each call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from gacc_gui.core.errors import StoreError
from gacc_gui.core.records import Answer, Context, Ledger, Memory, Request, Run, Verdict
from gacc_gui.runner.cache import ProposalCache
from gacc_gui.runner.engine import Options, evaluate
from gacc_gui.runner.events import Event, Failure, Progress
from gacc_gui.runner.parts import (
    CompressorInput,
    CompressorOutput,
    JudgeOutput,
    ReaderInput,
    ReaderOutput,
    Usage,
)
from gacc_gui.runner.plan import Plan

from .conftest import CONTEXTS, Kept, whole

MakePlan = Callable[..., Plan]

ONE = Options(concurrency=1)
"""One call at a time: the order of everything is the plan's."""


def raises(given: Any) -> Any:
    raise RuntimeError("no such model")


def test_items_come_first_then_each_memory_with_its_answers_and_verdicts(make_plan: MakePlan) -> None:
    sink = Kept()
    tally = evaluate(make_plan(), sink, options=ONE)
    assert [type(record) for record in sink.commits[0]][:2] == [Run, Context]
    assert [type(commit[0]) for commit in sink.commits[1:6]] == [Memory, Answer, Verdict, Answer, Verdict]
    assert (tally.compressor_calls, tally.calls["reader"], tally.calls["judge"], tally.failed_items) == (
        3,
        4,
        4,
        0,
    )
    assert [verdict.label for verdict in sink.of(Verdict)] == [
        "correct",
        "incorrect",
        "incorrect",
        "incorrect",
    ]


def test_the_cut_and_its_ledger(make_plan: MakePlan) -> None:
    sink = Kept()
    evaluate(make_plan(lambda given: CompressorOutput(given.context + "!!")), sink, options=ONE)
    memory = sink.of(Memory)[2]  # 15 code points, half of them is 7
    assert (memory.budget, memory.proposed_text, memory.retained_text) == (
        7,
        "épsilon 漢字 zeta!!",
        "épsilon",
    )
    assert memory.ledger == Ledger(15, 17, 7, 0, 7, 0)


def test_a_short_proposal_is_not_padded(make_plan: MakePlan) -> None:
    sink = Kept()
    evaluate(make_plan(lambda given: CompressorOutput("ab")), sink, options=ONE)
    memory = sink.of(Memory)[0]
    assert memory.retained_text == "ab"
    assert memory.ledger == Ledger(22, 2, 2, 9, 2, 0)


@pytest.mark.parametrize("ratio", ["0", "0.01"])
def test_a_zero_budget_calls_no_compressor(make_plan: MakePlan, ratio: str) -> None:
    sink = Kept()
    plan = make_plan(raises, settings=[("own-goal", ratio)])
    tally = evaluate(plan, sink, options=ONE)
    assert tally.compressor_calls == 0
    assert [(m.proposed_text, m.retained_text, m.budget, m.status) for m in sink.of(Memory)] == [
        ("", "", 0, "ok")
    ] * 3
    assert len(sink.of(Answer)) == 4


def test_the_whole_source_as_memory_is_no_call(make_plan: MakePlan) -> None:
    sink = Kept()
    tally = evaluate(make_plan(raises, settings=[("full-context", "1")]), sink, options=ONE)
    assert (tally.compressor_calls, tally.cache_hits, tally.failed_items) == (0, 0, 0)
    assert {request.role for request in sink.of(Request)} == {"reader", "judge"}
    assert [memory.retained_text for memory in sink.of(Memory)] == [
        CONTEXTS[0].text,
        CONTEXTS[0].text,
        CONTEXTS[1].text,
    ]


def test_what_each_part_is_given(make_plan: MakePlan) -> None:
    plan = make_plan(settings=[("own-goal", "0.5"), ("no-goal", "0.5")])
    evaluate(plan, Kept(), options=ONE)
    compressor = plan.settings[0].compressor
    assert compressor.given[:2] == [  # type: ignore[attr-defined]
        CompressorInput(CONTEXTS[0].text, "greek letters", 11),
        CompressorInput(CONTEXTS[0].text, None, 11),
    ]
    assert plan.protocol.reader_part.given[0] == ReaderInput("alpha beta ", "Which comes first?")  # type: ignore[attr-defined]
    judged = plan.protocol.judge_part.given[0]  # type: ignore[attr-defined]
    assert (judged.source, judged.references, judged.answer) == (CONTEXTS[0].text, ("alpha",), "alpha")


def test_one_proposal_serves_all_goals_that_show_none(make_plan: MakePlan) -> None:
    sink, cache = Kept(), ProposalCache()
    tally = evaluate(make_plan(settings=[("no-goal", "0.5")], cache=cache), sink)
    assert (tally.compressor_calls, tally.cache_hits) == (2, 1)
    assert len(sink.of(Memory)) == 3
    assert len([r for r in sink.of(Request) if r.role == "compressor"]) == 2


def test_cross_goal_uses_what_the_other_goal_has(make_plan: MakePlan) -> None:
    tally = evaluate(make_plan(settings=[("own-goal", "0.5"), ("cross-goal", "0.5")]), Kept(), options=ONE)
    assert (tally.compressor_calls, tally.cache_hits) == (3, 2)


def test_a_repeated_read_costs_no_call_and_changes_nothing(make_plan: MakePlan) -> None:
    plan, first, second = make_plan(), Kept(), Kept()
    evaluate(plan, first, options=ONE)
    tally = evaluate(plan, second, options=ONE)
    assert (tally.compressor_calls, tally.cache_hits) == (0, 3)
    for kind in (Memory, Answer, Verdict):
        assert second.of(kind) == first.of(kind)


def test_generations_are_proposals_of_their_own(make_plan: MakePlan) -> None:
    sink = Kept()
    tally = evaluate(make_plan(generations=3), sink, options=ONE)
    assert (tally.compressor_calls, tally.cache_hits) == (9, 0)
    assert [memory.generation for memory in sink.of(Memory)][:3] == [0, 1, 2]


def test_repeats_read_one_memory_again(make_plan: MakePlan) -> None:
    sink = Kept()
    tally = evaluate(make_plan(repeats=2), sink, options=ONE)
    assert (tally.compressor_calls, tally.calls["reader"]) == (3, 8)
    assert [(a.memory_id, a.question_id, a.repeat) for a in sink.of(Answer)][:4] == [
        ("g1/compressor/0.5", "q1", 0),
        ("g1/compressor/0.5", "q2", 0),
        ("g1/compressor/0.5", "q1", 1),
        ("g1/compressor/0.5", "q2", 1),
    ]


def test_a_failing_compressor_costs_its_own_memories(make_plan: MakePlan) -> None:
    sink = Kept()

    def compress(given: CompressorInput) -> CompressorOutput:
        return raises(given) if given.goal == "greek letters" else CompressorOutput("delta")

    tally = evaluate(make_plan(compress), sink, options=ONE)
    failed, *others = sink.of(Memory)
    assert (failed.status, failed.error) == ("error", "RuntimeError: no such model")
    assert (failed.proposed_text, failed.retained_text, failed.ledger) == (None, None, None)
    assert [memory.status for memory in others] == ["ok", "ok"]
    assert {answer.question_id for answer in sink.of(Answer)} == {"q3", "q4"}  # nothing to read, no call
    assert tally.failed_items == 1


@pytest.mark.parametrize(
    ("output", "status", "error"),
    [
        (CompressorOutput(None), "no_answer", None),
        (CompressorOutput(None, "error", error="quota used up"), "error", "quota used up"),
        (CompressorOutput("x", "fine"), "error", "unknown status 'fine'"),
        (CompressorOutput(7), "error", "the part's text is a int"),  # type: ignore[arg-type]
        ("just text", "error", "the part returned str, not CompressorOutput"),
        (None, "error", "the part returned NoneType, not CompressorOutput"),
        (ReaderOutput("x"), "error", "the part returned ReaderOutput, not CompressorOutput"),
    ],
)
def test_what_is_no_proposal_becomes_a_status(
    make_plan: MakePlan, output: Any, status: str, error: str | None
) -> None:
    sink = Kept()
    evaluate(make_plan(lambda given: output), sink, options=ONE)
    memory = sink.of(Memory)[0]
    assert (memory.status, memory.error, memory.proposed_text) == (status, error, None)


def test_a_truncated_proposal_is_read(make_plan: MakePlan) -> None:
    sink = Kept()
    evaluate(make_plan(lambda given: CompressorOutput("alpha", "truncated")), sink, options=ONE)
    assert [memory.status for memory in sink.of(Memory)] == ["truncated"] * 3
    assert sink.of(Memory)[0].retained_text == "alpha"
    assert len(sink.of(Answer)) == 4


@pytest.mark.parametrize(
    ("read", "status", "text", "error"),
    [
        (raises, "error", None, "RuntimeError: no such model"),
        (lambda given: ReaderOutput(None), "no_answer", None, None),
        (
            lambda given: ReaderOutput(None, "no_answer", error="only thoughts"),
            "no_answer",
            None,
            "only thoughts",
        ),
    ],
)
def test_where_there_is_no_answer_no_judge_is_asked(
    make_plan: MakePlan, read: Any, status: str, text: str | None, error: str | None
) -> None:
    sink = Kept()
    tally = evaluate(make_plan(read=read), sink, options=ONE)
    answer = sink.of(Answer)[0]
    assert (answer.status, answer.text, answer.error) == (status, text, error)
    assert sink.of(Verdict) == []
    assert (tally.calls["judge"], tally.failed_items) == (0, 4)


def test_an_empty_answer_is_an_answer(make_plan: MakePlan) -> None:
    sink = Kept()
    evaluate(make_plan(read=lambda given: ReaderOutput("")), sink, options=ONE)
    assert sink.of(Answer)[0].text == ""
    assert sink.of(Verdict)[0].label == "incorrect"


@pytest.mark.parametrize(
    ("judge", "status", "rationale"),
    [
        (raises, "error", "RuntimeError: no such model"),
        (lambda given: JudgeOutput("maybe"), "unparsed", "unknown label 'maybe'"),
        (lambda given: JudgeOutput(None), "unparsed", "unknown label None"),
        (lambda given: JudgeOutput("correct", "refused"), "refused", None),
        (lambda given: JudgeOutput("correct", "great"), "error", "unknown status 'great'"),
        (lambda given: "correct", "error", "the part returned str, not JudgeOutput"),
    ],
)
def test_a_verdict_that_is_none_has_no_label(
    make_plan: MakePlan, judge: Any, status: str, rationale: str | None
) -> None:
    sink = Kept()
    tally = evaluate(make_plan(judge=judge), sink, options=ONE)
    verdict = sink.of(Verdict)[0]
    assert (verdict.label, verdict.status, verdict.rationale) == (None, status, rationale)
    assert tally.failed_items == 4


def test_requests_say_what_was_sent_and_by_whom(make_plan: MakePlan) -> None:
    sink = Kept()
    evaluate(make_plan(), sink, options=ONE)
    compressor, reader, judge = sink.of(Request)[:3]
    assert (compressor.id, compressor.role) == ("g1/compressor/0.5/compressor", "compressor")
    assert compressor.content == "alpha beta gamma delta\n\ngreek letters"
    assert compressor.extra == {"budget": 11}
    assert (reader.id, reader.memory_id) == ("g1/compressor/0.5/q1/0/reader", "g1/compressor/0.5")
    assert reader.content == "alpha beta \n\nWhich comes first?"
    assert reader.extra == {"question_id": "q1", "repeat": 0}
    assert judge.content == "alpha beta gamma delta\n\nWhich comes first?\n\nalpha\n\nalpha"
    assert judge.extra == {"question_id": "q1", "repeat": 0, "reply": "done"}
    assert len({request.id for request in sink.of(Request)}) == len(sink.of(Request)) == 11


def test_what_a_client_really_sent_is_recorded_word_for_word(make_plan: MakePlan) -> None:
    sink = Kept()
    usage = Usage(input_tokens=9, output_tokens=0)
    sent = CompressorOutput("ok", sent="POST …", reply="ok", usage=usage)
    evaluate(make_plan(lambda given: sent), sink, options=ONE)
    request = sink.of(Request)[0]
    assert request.content == "POST …"
    assert request.extra == {
        "budget": 11,
        "reply": "ok",
        "usage": {"input_tokens": 9, "output_tokens": 0},  # what is not reported is not 0
    }


def test_parts_may_be_asynchronous_and_calls_overlap(make_plan: MakePlan) -> None:
    met: list[asyncio.Event] = []

    async def compress(given: CompressorInput) -> CompressorOutput:
        # The first two wait for each other: a second call is begun before the first has ended.
        met.append(asyncio.Event())
        if len(met) == 2:
            for event in met:
                event.set()
        await met[-1].wait() if len(met) <= 2 else None
        return CompressorOutput(given.context)

    async def read(given: ReaderInput) -> ReaderOutput:
        await asyncio.sleep(0)
        return ReaderOutput("alpha")

    one, two = Kept(), Kept()
    evaluate(make_plan(whole, read), one, options=ONE)
    evaluate(make_plan(compress, read), two, options=Options(concurrency=2))
    for kind in (Memory, Answer, Verdict):
        assert sorted(map(repr, two.of(kind))) == sorted(map(repr, one.of(kind)))


def test_progress_counts_what_is_planned(make_plan: MakePlan) -> None:
    events: list[Event] = []
    plan = make_plan(
        lambda given: CompressorOutput(None) if given.goal == "greek letters" else CompressorOutput("x"),
        repeats=2,
    )
    evaluate(plan, Kept(), report=events.append)
    steps = [event for event in events if isinstance(event, Progress)]
    assert [step.done for step in steps if step.stage == "memories"] == [1, 2, 3]
    assert [step.done for step in steps if step.stage == "answers"] == list(range(1, 9))
    assert {step.planned for step in steps if step.stage == "answers"} == {8}


def test_a_sink_that_cannot_take_more_ends_the_run(make_plan: MakePlan) -> None:
    class Full(Kept):
        async def add(self, records: Any) -> None:
            await super().add(records)
            if len(self.commits) == 3:
                raise StoreError("the disk is full")

    sink = Full()
    with pytest.raises(StoreError, match="the disk is full"):
        evaluate(make_plan(), sink, options=Options(concurrency=3))
    assert len(sink.commits) == 3


def test_a_run_without_goals_writes_its_items(make_plan: MakePlan) -> None:
    from dataclasses import replace

    sink = Kept()
    tally = evaluate(replace(make_plan(), goals=(), questions=()), sink)
    assert (tally.compressor_calls, len(sink.commits)) == (0, 1)


def test_failures_are_told_by_kind_shortly_and_without_keys(make_plan: MakePlan) -> None:
    def read(given: Any) -> Any:
        raise ConnectionError("Authorization: Bearer sk-TESTSECRET123 " + "refused " * 100)

    events: list[Event] = []
    evaluate(make_plan(read=read), Kept(), report=events.append)
    told = [event for event in events if isinstance(event, Failure)]
    assert [(event.kind, event.count) for event in told] == [("reader: error", n) for n in (1, 2, 3, 4)]
    assert all("TESTSECRET" not in event.example and len(event.example) < 320 for event in told)
    answers = [event for event in events if isinstance(event, Progress) and event.stage == "verdicts"]
    assert (answers[-1].done, answers[-1].planned, answers[-1].failed) == (4, 4, 4)
