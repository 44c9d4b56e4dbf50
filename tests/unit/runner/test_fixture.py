"""The contract diagnostic's texts and rules, for any seed; figures counted here from the records alone."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st

from gacc_gui.core.records import Answer, Memory, Request, Verdict
from gacc_gui.runner.engine import evaluate
from gacc_gui.runner.fixture import fixture_plan

from .conftest import Kept


@settings(max_examples=60, deadline=None)
@given(st.integers())
def test_every_seed_keeps_the_contract(seed: int) -> None:
    plan, sink = fixture_plan(seed), Kept()
    assert (len(plan.contexts), len(plan.goals), len(plan.questions)) == (2, 4, 12)
    assert len({goal.text for goal in plan.goals}) == 4
    first = evaluate(plan, sink)
    again = evaluate(plan, Kept())
    assert (first.compressor_calls, again.compressor_calls, again.cache_hits) == (4, 0, 4)

    source = {goal.id: c.text for goal in plan.goals for c in plan.contexts if c.id == goal.context_id}
    for memory in sink.of(Memory):
        n = len(source[memory.goal_id])
        assert memory.budget == n * 19 // 100
        assert memory.retained_text == memory.proposed_text[: memory.budget]
        assert memory.proposed_text in source[memory.goal_id].split("\n")
        assert memory.ledger.source_tokens == n
        assert memory.ledger.proposed_tokens == len(memory.proposed_text)
        assert memory.ledger.retained_tokens == memory.budget == memory.ledger.reencoded_tokens
        assert (memory.ledger.unused_budget, memory.ledger.padding_tokens) == (0, 0)

    right: dict[str, list[bool]] = defaultdict(list)
    goal_of = {question.id: question.goal_id for question in plan.questions}
    for verdict in sink.of(Verdict):
        right[goal_of[verdict.question_id]].append(verdict.label == "correct")
    assert sorted(map(sum, right.values())) == [2, 2, 2, 2]
    assert not any(map(all, right.values()))
    last = {a.question_id: a.text for a in sink.of(Answer) if a.question_id.endswith("seal")}
    assert set(last.values()) == {"not in memory"}


@given(st.integers(), st.integers())
@settings(max_examples=30, deadline=None)
def test_a_seed_means_the_same_texts_always_and_others_mean_others(one: int, other: int) -> None:
    assert fixture_plan(one).contexts == fixture_plan(one).contexts
    assert (fixture_plan(one).contexts == fixture_plan(other).contexts) == (one == other)


def test_evidence_points_at_the_reference() -> None:
    plan = fixture_plan(42)
    source = {goal.id: c.text for goal in plan.goals for c in plan.contexts if c.id == goal.context_id}
    for question in plan.questions:
        (span,) = question.evidence or ()
        assert source[question.goal_id][span["start"] : span["end"]] == (question.references or ())[0]


def test_no_question_and_no_reference_is_in_a_compressor_request() -> None:
    plan, sink = fixture_plan(42), Kept()
    evaluate(plan, sink)
    for request in sink.of(Request):
        if request.role == "compressor":
            assert not any(question.text in request.content for question in plan.questions)
            context, goal = request.content.split("\n\n")
            assert context in {c.text for c in plan.contexts}
            assert goal in {g.text for g in plan.goals}


def test_it_openly_is_not_cl100k() -> None:
    run = fixture_plan(42).run
    assert run.tokenizer == {"name": "codepoint", "revision": "1", "identity_verified": False}
    assert run.diagnostic_only is True
