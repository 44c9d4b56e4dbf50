"""The four methods: what each keeps, how a summary comes to fit, and why a context fails."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gacc_gui.core.compaction import FULL, FUSION, JEV, METHODS, SUMMARY, Case, groups_of
from gacc_gui.formats.corpus import Corpus
from gacc_gui.runner.compaction.contexts import FailedContext, MadeContext
from gacc_gui.runner.compaction.messages import joined, kept_text, serialised
from gacc_gui.runner.compaction.parts import DecisionInput, Passage, SummaryInput
from gacc_gui.runner.compaction.protocol import CompactionProtocol
from gacc_gui.runner.compaction.steps import Steps
from gacc_gui.runner.parts import CompressorOutput, RunStopped
from tests.unit.runner.compaction.conftest import FakeCalls, Part, WordCodec, in_order, short

CODEC = WordCodec()
With = Callable[..., CompactionProtocol]


def make(
    protocol: CompactionProtocol, case: Case, method: str, calls: FakeCalls | None = None
) -> MadeContext | FailedContext:
    calls = calls or FakeCalls()

    async def run() -> MadeContext | FailedContext:
        room = await protocol._room(case)
        return await protocol.maker.make(method, case, room, Steps(calls, "m"))

    return asyncio.run(run())


def made(
    protocol: CompactionProtocol, case: Case, method: str, calls: FakeCalls | None = None
) -> MadeContext:
    context = make(protocol, case, method, calls)
    assert isinstance(context, MadeContext), context
    return context


def failed(
    protocol: CompactionProtocol, case: Case, method: str, calls: FakeCalls | None = None
) -> FailedContext:
    context = make(protocol, case, method, calls)
    assert isinstance(context, FailedContext)
    assert context.sent.messages == () and "\n" not in context.error
    return context


def in_turn(*outputs: CompressorOutput) -> Callable[[Any], CompressorOutput]:
    left = list(outputs)
    return lambda given: left.pop(0)


def words(count: int) -> CompressorOutput:
    return CompressorOutput(" ".join(["word"] * count))


def test_full_has_everything_and_no_ceiling(protocol_with: With, case: Case) -> None:
    context = made(protocol_with(ceiling=600), case, FULL)
    sent = context.sent
    assert sent.kept == tuple(group.id for group in groups_of(case.files, 3)) and sent.dropped == ()
    assert sent.tokens.local > 600 and sent.tokens.space is None
    assert context.evidence == case.source
    assert sent.tokens.local == CODEC.count(serialised(sent.messages))


def test_jev_keeps_the_best_groups_that_fit(protocol_with: With, case: Case) -> None:
    decider, calls = Part(in_order), FakeCalls()
    context = made(protocol_with(decider, group_sentences=2), case, JEV, calls)
    groups = groups_of(case.files, 2)
    sent = context.sent
    assert sent.tokens.local <= 1400 - 64 and 0 < len(sent.kept) < len(groups)
    assert sent.kept[0] == groups[0].id
    assert context.evidence == kept_text(case.files, groups, sent.kept)
    assert [id for id, _ in sent.ranking] == [group.id for group in groups]
    assert sent.summary is None and calls.made == ["m/compressor/decide-1"]


def test_decisions_are_asked_in_batches(protocol_with: With, case: Case) -> None:
    decider, calls = Part(in_order), FakeCalls()
    context = made(protocol_with(decider, decision_batch=7), case, JEV, calls)
    assert [len(one.asked) for one in decider.given] == [7, 7, 7, 7, 2]
    assert calls.made == [f"m/compressor/decide-{number}" for number in range(1, 6)]
    assert context == made(protocol_with(), case, JEV)


def test_a_summary_takes_the_place_of_everything(protocol_with: With, case: Case) -> None:
    summarizer = Part(short)
    context = made(protocol_with(summarizer=summarizer), case, SUMMARY)
    sent = context.sent
    assert sent.kept == () and len(sent.dropped) == 30 and sent.ranking == ()
    assert context.evidence == sent.summary == "# Velm\n[0] A short summary."
    (told,) = summarizer.given
    assert told == SummaryInput(case.task, "", case.source.removesuffix("\n"), sent.tokens.space)


def test_fusion_keeps_within_its_share_and_summarises_the_rest(protocol_with: With, case: Case) -> None:
    summarizer = Part(short)
    protocol = protocol_with(summarizer=summarizer)
    context = made(protocol, case, FUSION)
    sent, groups = context.sent, groups_of(case.files, 3)
    assert 0 < len(sent.kept) < 30 and set(sent.kept) | set(sent.dropped) == {group.id for group in groups}
    kept = kept_text(case.files, groups, sent.kept)
    room = asyncio.run(protocol._room(case))
    assert room.count(kept) - room.fixed <= 2 * room.space // 5
    (told,) = summarizer.given
    assert told.kept == kept and told.evidence == kept_text(case.files, groups, sent.dropped)
    assert told.tokens == room.most - room.count(joined(kept, ""))
    assert context.evidence == joined(kept, "# Velm\n[0] A short summary.")


def test_fusion_that_keeps_everything_has_nothing_to_summarise(protocol_with: With, case: Case) -> None:
    summarizer = Part(short)
    context = made(protocol_with(summarizer=summarizer, ceiling=20_000), case, FUSION)
    assert context.sent.dropped == () and context.sent.summary is None and not summarizer.given


def test_a_summary_that_is_too_long_is_asked_for_again_told_how_far(protocol_with: With, case: Case) -> None:
    summarizer, calls = Part(in_turn(words(3000), words(1500), words(5))), FakeCalls()
    context = made(protocol_with(summarizer=summarizer), case, SUMMARY, calls)
    space = context.sent.tokens.space or 0
    assert [told.last and told.last.over for told in summarizer.given] == [None, 3000 - space, 1500 - space]
    assert context.sent.retries == 2 and context.sent.summary == words(5).text
    assert calls.made == [f"m/compressor/summary-{number}" for number in (1, 2, 3)]


def test_a_summary_fits_to_the_last_token(protocol_with: With, case: Case) -> None:
    protocol = protocol_with(summarizer=Part(lambda told: words(told.tokens)))
    context = made(protocol, case, SUMMARY)
    assert context.sent.tokens.local + 64 == 1400 and context.sent.retries == 0


@pytest.mark.parametrize("method", [SUMMARY, FUSION])
def test_after_three_retries_a_context_fails(protocol_with: With, case: Case, method: str) -> None:
    summarizer = Part(lambda told: words(told.tokens + 7))
    context = failed(protocol_with(summarizer=summarizer), case, method)
    assert len(summarizer.given) == 4
    assert (
        context.status == "error"
        and context.error == "the summary was still 7 tokens too long after 3 retries"
    )
    assert context.sent.retries == 3 and context.sent.tokens.local == 1400 - 64 + 7
    assert bool(context.sent.kept) == (method == FUSION)


def test_what_a_service_cut_off_is_too_long_whatever_is_left(protocol_with: With, case: Case) -> None:
    cut = CompressorOutput("half of a", "truncated")
    context = made(protocol_with(summarizer=Part(in_turn(cut, words(4)))), case, SUMMARY)
    assert context.sent.summary == words(4).text and context.sent.retries == 1
    context_without = failed(protocol_with(summarizer=Part(lambda _: cut)), case, SUMMARY)
    assert context_without.error == "the summary was still cut off after 3 retries"


@pytest.mark.parametrize(
    ("output", "status", "said"),
    [
        (CompressorOutput(None, "no_answer", error="the model refused: no"), "no_answer", "refused: no"),
        (CompressorOutput(None, "error", error="HTTP 500: broken"), "error", "summary-1: HTTP 500"),
        (CompressorOutput(None), "no_answer", "summary-1: the summarizer wrote nothing"),
        (CompressorOutput("  \n"), "no_answer", "wrote nothing"),
        (CompressorOutput("x", "best"), "error", "unknown status 'best'"),
        ("x", "error", "returned str"),
        (ValueError("boom"), "error", "ValueError: boom"),
    ],
)
def test_a_summary_that_fails_is_not_asked_for_again(
    protocol_with: With, case: Case, output: Any, status: str, said: str
) -> None:
    def give(_: Any) -> Any:
        if isinstance(output, Exception):
            raise output
        return output

    summarizer = Part(give)
    context = failed(protocol_with(summarizer=summarizer), case, SUMMARY)
    assert context.status == status and said in context.error and len(summarizer.given) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [("[]", "decide-1: the scores are no object"), ('{"0:0-2": 0.5}', "the group 0:3-5 has no score")],
)
def test_scores_of_no_use_fail_the_context(protocol_with: With, case: Case, text: str, said: str) -> None:
    calls = FakeCalls()
    context = failed(protocol_with(Part(lambda _: CompressorOutput(text))), case, JEV, calls)
    assert context.status == "error" and said in context.error
    assert len(calls.stored["m"]) == 1


def test_a_decision_model_that_fails(protocol_with: With, case: Case) -> None:
    output = CompressorOutput(None, "error", error="HTTP 500: broken")
    context = failed(protocol_with(Part(lambda _: output)), case, FUSION)
    assert context.error == "decide-1: HTTP 500: broken" and context.call.error


@pytest.mark.parametrize("method", [JEV, SUMMARY, FUSION])
def test_without_any_space_nobody_is_asked(protocol_with: With, case: Case, method: str) -> None:
    calls = FakeCalls()
    context = failed(protocol_with(ceiling=100), case, method, calls)
    assert "tokens without any evidence" in context.error and calls.made == []
    assert (context.sent.tokens.space or 0) < 0


def test_space_for_a_group_or_none(protocol_with: With, case: Case) -> None:
    protocol = protocol_with()
    fixed = asyncio.run(protocol._room(case)).fixed
    tight = protocol_with(ceiling=fixed + 64)
    assert made(tight, case, JEV).sent.kept == ()
    assert failed(tight, case, SUMMARY).error == "there is no space left for a summary"


def test_the_inputs_of_those_who_choose_have_no_place_for_gold(protocol_with: With, case: Case) -> None:
    assert [field.name for field in fields(DecisionInput)] == ["task", "passages", "asked"]
    assert [field.name for field in fields(Passage)] == ["id", "title", "text"]
    assert [field.name for field in fields(SummaryInput)] == [
        "task",
        "kept",
        "evidence",
        "tokens",
        "last",
        "variant",
    ]
    canary = replace(case, gold=replace(case.gold, answers=("CANARY",), facts=(("CANARY", 77),)))
    for method in METHODS:
        decider, summarizer, calls = Part(in_order), Part(short), FakeCalls()
        protocol = protocol_with(decider, summarizer)
        assert made(protocol, canary, method, calls) == made(protocol_with(), case, method)
        told = repr([*decider.given, *summarizer.given, *calls.stored.get("m", ())])
        assert "CANARY" not in told


def test_a_step_is_not_made_again_for_the_same_input(protocol_with: With, case: Case) -> None:
    calls = FakeCalls()
    first = made(protocol_with(), case, FUSION, calls)
    asked = list(calls.made)
    decider, summarizer = Part(in_order), Part(short)
    assert made(protocol_with(decider, summarizer), case, FUSION, calls) == first
    assert calls.made == asked and not decider.given and not summarizer.given
    for request in calls.stored["m"]:
        assert request.extra["step"] in ("decide-1", "summary-1")
        assert len(request.extra["input_sha256"]) == 64 and request.extra["output"]["status"] == "ok"


def test_a_step_is_made_again_for_another_input_or_another_part(protocol_with: With, case: Case) -> None:
    calls = FakeCalls()
    made(protocol_with(), case, SUMMARY, calls)
    made(protocol_with(summarizer=Part(short, revision="2")), case, SUMMARY, calls)
    made(protocol_with(ceiling=1500), case, SUMMARY, calls)
    made(protocol_with(group_sentences=2), case, SUMMARY, calls)  # the same evidence
    assert calls.made == ["m/compressor/summary-1", "m/compressor/summary-1/2", "m/compressor/summary-1/3"]


def test_a_step_that_failed_is_made_again(protocol_with: With, case: Case) -> None:
    calls = FakeCalls()
    broken = CompressorOutput(None, "error", error="HTTP 500")
    failed(protocol_with(summarizer=Part(lambda _: broken)), case, FUSION, calls)
    decider = Part(in_order)
    made(protocol_with(decider), case, FUSION, calls)
    assert not decider.given
    assert calls.made[-1] == "m/compressor/summary-1/2"
    assert calls.stored["m"][1].extra["error"] == "HTTP 500"


def test_retries_that_are_kept_are_gone_through_again(protocol_with: With, case: Case) -> None:
    """A crash after the second of four summaries costs none of them."""
    calls = FakeCalls()
    summarizer = Part(in_turn(words(3000), words(2000), CompressorOutput(None, "error", error="gone")))
    failed(protocol_with(summarizer=summarizer), case, SUMMARY, calls)
    again = Part(in_turn(words(9)))
    context = made(protocol_with(summarizer=again), case, SUMMARY, calls)
    assert context.sent.retries == 2 and [told.last.over for told in again.given] == [
        2000 - (context.sent.tokens.space or 0)
    ]


def test_a_run_that_is_stopped_keeps_what_was_said(protocol_with: With, case: Case) -> None:
    def stop(_: Any) -> CompressorOutput:
        raise RunStopped("the key was refused")

    with pytest.raises(RunStopped):  # these calls have no engine that makes a status of it
        make(protocol_with(Part(stop)), case, JEV)


def outputs(draw: Any, space: int) -> Sequence[CompressorOutput]:
    return draw(st.lists(st.integers(0, 2 * max(space, 1)).map(words), min_size=4, max_size=4))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_compressed_input_exceeds_what_it_may(
    protocol_with: With, corpus: Corpus, data: st.DataObject
) -> None:
    case = data.draw(st.sampled_from(corpus.cases))
    reserve = data.draw(st.integers(0, 100))
    ceiling = data.draw(st.integers(reserve + 1, 3000))
    chosen = {
        "ceiling": ceiling,
        "reserve": reserve,
        "fusion_share": data.draw(st.fractions(0, 1)),
        "group_sentences": data.draw(st.integers(1, 8)),
        "decision_batch": data.draw(st.integers(1, 40)),
    }
    seed = data.draw(st.randoms(use_true_random=False))
    drawn: dict[str, float] = {}

    def decide(given: DecisionInput) -> CompressorOutput:
        for id in given.asked:
            drawn.setdefault(id, seed.choice([0.0, 0.1, 0.5, 1.0]))
        return CompressorOutput(json.dumps({id: drawn[id] for id in given.asked}))

    lengths = outputs(data.draw, ceiling)
    for method in (JEV, SUMMARY, FUSION):
        context = make(protocol_with(Part(decide), Part(in_turn(*lengths)), **chosen), case, method)
        sent, groups = context.sent, groups_of(case.files, chosen["group_sentences"])
        order = [group.id for group in groups]
        assert sorted([*sent.kept, *sent.dropped], key=order.index) == order
        assert list(sent.kept) == sorted(sent.kept, key=order.index)
        assert list(sent.dropped) == sorted(sent.dropped, key=order.index)
        if isinstance(context, FailedContext):
            continue
        assert sent.tokens.local == CODEC.count(serialised(sent.messages))
        assert sent.tokens.local + reserve <= ceiling
        assert context.evidence in sent.messages[1]["content"]
        if method == FUSION:
            space = sent.tokens.space or 0
            empty = sent.tokens.fixed
            kept = kept_text(case.files, groups, sent.kept)
            room = asyncio.run(protocol_with(**chosen)._room(case))
            if sent.kept:
                assert room.count(kept) - empty <= chosen["fusion_share"] * space
        again = make(protocol_with(Part(decide), Part(in_turn(*lengths)), **chosen), case, method)
        assert again == context
