"""Going on with a run: only what is missing or failed is made, calls that a crash cut off are recorded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.core.records import Answer, Memory, Record, Request, Run, Verdict
from gacc_gui.core.tokens import CodepointCodec
from gacc_gui.runner.accounting import Account
from gacc_gui.runner.cache import ProposalCache
from gacc_gui.runner.config_model import LimitsConfig
from gacc_gui.runner.engine import Options, Tally, evaluate
from gacc_gui.runner.events import Event, Planned, Progress
from gacc_gui.runner.gacc_protocol import gacc_protocol_of, with_stored_proposals
from gacc_gui.runner.parts import (
    Attempt,
    Call,
    CompressorInput,
    CompressorOutput,
    JudgeOutput,
    ReaderInput,
    ReaderOutput,
    RunStopped,
)
from gacc_gui.runner.plan import Plan
from gacc_gui.runner.planning import CONFIGURATION
from gacc_gui.runner.resume import differences, interrupted_calls, known_of, proposal_of
from gacc_gui.runner.sink import DurableSink
from gacc_gui.store import evaluations
from gacc_gui.store.appending import RunAppender
from gacc_gui.store.database import open_database
from gacc_gui.store.evaluations import UnderWay
from gacc_gui.store.reads import Reader

MakePlan = Callable[..., Plan]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


def session(path: Path, plan: Plan, *, events: list[Event] | None = None, **options: Any) -> Tally:
    """Go on with a run as far as it goes, as `run gacc` does."""
    told: list[Event] = events if events is not None else []
    with open_database(path) as database:
        appender = RunAppender(database)
        appender.begin(plan.run, False, "")
        known = known_of(database.connection, plan.run.id)
        lost = [
            call
            for call in interrupted_calls(database.connection, plan.run.id)
            if call.memory_id in known.memories
        ]
        if lost:
            appender.append(lost)
        options = {"concurrency": 1, **options}
        protocol = replace(gacc_protocol_of(plan), cache=ProposalCache())
        plan = with_stored_proposals(
            replace(plan, protocol=protocol), partial(proposal_of, database.connection)
        )
        sink = DurableSink(appender, database, told.append)
        return evaluate(plan, sink, known=known, report=told.append, options=Options(**options))


def stored(path: Path, kind: type[Record], run: str = "r1") -> list[Any]:
    with Reader(path) as reader:
        return [record for record in reader.records(run) if isinstance(record, kind)]


def raises(given: Any) -> Any:
    raise ConnectionError("the network is down")


def test_a_finished_run_makes_no_call(path: Path, make_plan: MakePlan) -> None:
    session(path, make_plan())
    tally = session(path, make_plan(raises, raises, raises))
    assert (tally.calls.total(), tally.cache_hits, tally.failed_items) == (0, 0, 0)


def test_ten_questions_of_which_three_failed(path: Path, make_plan: MakePlan) -> None:
    """The three are tried again, the seven are not; progress starts at seven of ten."""
    asked: list[str] = []

    def read(given: ReaderInput, fails: bool) -> ReaderOutput:
        asked.append(given.question)
        if fails and given.question == "Which comes last?":
            raise ConnectionError("the network is down")
        return ReaderOutput("alpha")

    session(path, make_plan(read=lambda given: read(given, True), repeats=3))
    before = {id(answer): answer for answer in stored(path, Answer)}
    assert sum(answer.status == "error" for answer in before.values()) == 3
    asked.clear()
    events: list[Event] = []
    tally = session(path, make_plan(read=lambda given: read(given, False), repeats=3), events=events)
    assert asked == ["Which comes last?"] * 3
    assert (tally.calls["reader"], tally.calls["judge"], tally.failed_items) == (3, 3, 0)
    (planned,) = (event for event in events if isinstance(event, Planned))
    assert (planned.already["answers"], planned.stages["answers"]) == (9, 12)
    first = next(event for event in events if isinstance(event, Progress) and event.stage == "answers")
    assert (first.done, first.planned, first.failed) == (10, 12, 0)
    assert all(answer.status == "ok" for answer in stored(path, Answer))
    assert len(stored(path, Verdict)) == 12


def test_a_failure_that_repeats_leaves_the_old_one_and_both_calls(path: Path, make_plan: MakePlan) -> None:
    session(path, make_plan(read=raises))
    before = stored(path, Answer)

    def read(given: Any) -> Any:
        raise TimeoutError("still nothing")

    tally = session(path, make_plan(read=read))
    assert tally.failed_items == 4
    assert stored(path, Answer) == before
    ids = [request.id for request in stored(path, Request) if request.role == "reader"]
    assert sorted(ids)[:2] == ["g1/compressor/0.5/q1/0/reader", "g1/compressor/0.5/q1/0/reader/2"]


def test_a_failed_memory_is_made_again_with_its_rows(path: Path, make_plan: MakePlan) -> None:
    events: list[Event] = []
    session(path, make_plan(raises), events=events)
    assert {memory.status for memory in stored(path, Memory)} == {"error"}
    last = [event for event in events if isinstance(event, Progress)][-1]
    assert (last.done, last.planned, last.failed) == (4, 4, 4)  # what needs a failed memory has failed, too
    tally = session(path, make_plan())
    assert (tally.calls["compressor"], tally.calls["judge"], tally.failed_items) == (3, 4, 0)
    assert {memory.status for memory in stored(path, Memory)} == {"ok"}


def test_only_the_verdict_is_missing(path: Path, make_plan: MakePlan) -> None:
    session(path, make_plan(judge=lambda given: JudgeOutput(None, "unparsed")))
    given: list[Any] = []

    def judge(shown: Any) -> JudgeOutput:
        given.append(shown)
        return JudgeOutput("correct")

    tally = session(path, make_plan(raises, raises, judge))
    assert dict(tally.calls) == {"judge": 4}
    assert [shown.answer for shown in given] == ["alpha", "alpha", "alpha", "épsilon"]
    assert {verdict.label for verdict in stored(path, Verdict)} == {"correct"}


def test_calls_that_a_crash_cut_off_are_recorded(path: Path, make_plan: MakePlan) -> None:
    plan = make_plan()
    session(path, replace(plan, goals=plan.goals[:1]))
    with open_database(path) as database:
        appender = RunAppender(database)
        appender.begin(plan.run, False, "")
        appender.append(
            (),
            [
                UnderWay("g1/compressor/0.5/q1/0/judge/2", "judge", "g1/compressor/0.5", "q1", 0),
                UnderWay("g2/compressor/0.5/compressor", "compressor", "g2/compressor/0.5"),
            ],
        )
    session(path, plan)
    requests = {request.id: request for request in stored(path, Request)}
    cut_off = requests["g1/compressor/0.5/q1/0/judge/2"]
    assert (cut_off.content, cut_off.extra["question_id"], cut_off.extra["repeat"]) == ("", "q1", 0)
    assert "interrupted" in cut_off.extra["error"] and cut_off.extra["started_at"].endswith("Z")
    assert requests["g2/compressor/0.5/compressor"].extra["error"].startswith("interrupted")
    assert requests["g2/compressor/0.5/compressor/2"].content.startswith("alpha beta")
    with open_database(path) as database:
        assert evaluations.under_way(database.connection, "r1") == []
    assert session(path, plan).calls.total() == 0


def test_proposals_of_other_runs_cost_no_call(path: Path, make_plan: MakePlan) -> None:
    plan = make_plan(settings=[("own-goal", "0.5"), ("no-goal", "0.5")])
    tokenizer = {"name": "codepoint", "revision": plan.protocol.codec.revision}
    session(path, replace(plan, run=Run("r1", tokenizer=tokenizer)))
    tally = session(path, replace(plan, run=Run("r2", tokenizer=tokenizer)))
    assert (tally.calls["compressor"], tally.cache_hits, tally.calls["reader"]) == (0, 6, 8)
    assert [m.proposed_text for m in stored(path, Memory)] == [
        m.proposed_text for m in stored(path, Memory, "r2")
    ]
    # Another tokenizer cuts elsewhere: nothing of it is known.
    other = Run("r3", tokenizer={**tokenizer, "revision": OtherCodec.revision})
    protocol = replace(gacc_protocol_of(plan), codec=OtherCodec())
    assert session(path, replace(plan, run=other, protocol=protocol)).calls["compressor"] == 5


class OtherCodec(CodepointCodec):
    """A tokenizer of another revision."""

    revision = "another"


def test_a_refused_key_stops_the_run_and_is_told(path: Path, make_plan: MakePlan) -> None:
    def read(given: ReaderInput) -> ReaderOutput:
        if given.question == "Which comes last?":
            attempt = Attempt("2026-11-29T12:00:00Z", 0.1, status=401, error="the key is refused")
            raise RunStopped("main: the key is refused", Call(sent="…", attempts=(attempt,)))
        return ReaderOutput("alpha")

    tally = session(path, make_plan(read=read))
    assert (tally.stopped, tally.refused, tally.interrupted) == ("main: the key is refused", True, False)
    assert tally.calls["reader"] == 2
    answers = {answer.question_id: answer for answer in stored(path, Answer)}
    assert (answers["q2"].status, answers["q2"].error) == ("error", "main: the key is refused")
    request = next(r for r in stored(path, Request) if r.extra.get("attempts"))
    assert request.extra["attempts"][0]["status"] == 401
    assert session(path, make_plan()).failed_items == 0
    assert {answer.status for answer in stored(path, Answer)} == {"ok"}


def test_a_cap_stops_cleanly_and_the_rest_follows(path: Path, make_plan: MakePlan) -> None:
    tally = session(path, make_plan(), account=Account(LimitsConfig(calls=4)))
    assert tally.calls.total() == 4
    assert "limit of 4 calls" in (tally.stopped or "")
    tally = session(path, make_plan())
    assert tally.stopped is None
    assert 4 + tally.calls.total() == 3 + 4 + 4


def test_what_was_shown_without_a_goal_is_made_once_though_the_first_failed(
    path: Path, make_plan: MakePlan
) -> None:
    tries: list[CompressorInput] = []

    def compress(given: CompressorInput) -> CompressorOutput:
        tries.append(given)
        if len(tries) == 1:
            raise ConnectionError("once")
        return CompressorOutput("alpha")

    plan = make_plan(compress, settings=[("no-goal", "0.5")])
    plan = replace(plan, run=Run("r1", tokenizer={"revision": plan.protocol.codec.revision}))
    session(path, plan)
    assert len(tries) == 3
    tally = session(path, plan)
    assert (tally.calls["compressor"], tally.cache_hits) == (0, 1)


# Whether it is the same evaluation.


def test_differences_are_named_by_key() -> None:
    before = Run(
        "r",
        extra={
            CONFIGURATION: {
                "dataset": "sha256:1",
                "ratios": ["0.1"],
                "reader": {"name": "llm", "prompt": "sha256:a", "temperature": 0.0},
                "repeats": 1,
            }
        },
    )
    now = replace(
        before,
        extra={
            CONFIGURATION: {
                "dataset": "sha256:2",
                "ratios": ["0.1", "0.2"],
                "reader": {"name": "llm", "prompt": "sha256:b", "temperature": 0.7, "seed": 3},
                "repeats": 1,
            }
        },
    )
    assert differences(before, before) == []
    assert differences(before, now) == [
        "dataset: its items have changed",
        'ratios: was ["0.1"], is ["0.1","0.2"]',
        "reader.prompt: its wording has changed",
        "reader.temperature: was 0.0, is 0.7",
        "reader.seed: was not there, is 3",
    ]
