"""Memories of several calls: each is kept at once, found again, counted once, and not made twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.core.records import Answer, Memory, Request, Verdict
from gacc_gui.core.tokens import CodepointCodec
from gacc_gui.runner.accounting import Account
from gacc_gui.runner.call_records import request_of
from gacc_gui.runner.config_model import LimitsConfig
from gacc_gui.runner.engine import Options, Tally, evaluate
from gacc_gui.runner.parts import CompressorInput, CompressorOutput
from gacc_gui.runner.plan import Plan, PlannedMemory
from gacc_gui.runner.protocol import Calls, Made, Row
from gacc_gui.runner.resume import interrupted_calls, known_of
from gacc_gui.runner.sink import DurableSink
from gacc_gui.store import evaluations, record_reads
from gacc_gui.store.appending import RunAppender
from gacc_gui.store.database import open_database
from gacc_gui.store.evaluations import UnderWay
from gacc_gui.store.reads import Reader

MakePlan = Callable[..., Plan]

STEPS = ("draft", "shorter", "final")


@dataclass
class Stepwise:
    """Makes a memory in three calls, each told what the one before said."""

    does: Callable[[str, str], str] = lambda step, memory: f"{step} of {memory}"
    codec: CodepointCodec = field(default_factory=CodepointCodec)
    asked: list[tuple[str, str]] = field(default_factory=list)

    async def make_memory(self, planned: PlannedMemory, calls: Calls) -> Made[Memory]:
        there = {
            request.extra["details"]["step"]: str(request.extra["reply"])  # type: ignore[index, call-overload]
            for request in calls.kept(planned.id)
            if "reply" in request.extra
        }
        text, output = "", CompressorOutput("")
        for step in STEPS:
            if step in there:
                text = there[step]
                continue

            def part(given: CompressorInput, step: str = step) -> CompressorOutput:
                self.asked.append((planned.id, step))
                said = self.does(step, planned.id)
                return CompressorOutput(said, reply=said, details={"step": step})

            given = CompressorInput(text, None, 1)
            request_id = calls.new_id("compressor", planned.id, step=step)
            place = (planned.id, None, None)
            output = await calls.make(request_id, "compressor", place, part, given, CompressorOutput)
            await calls.keep(request_of(request_id, planned.id, given, output))
            if output.text is None:
                break
            text = output.text
        memory = Memory(
            planned.id,
            planned.goal.id,
            None,
            planned.setting.cell,
            1,
            planned.generation,
            output.text,
            output.text,
            None,
            output.status,
            output.error,
        )
        return Made(memory, (), output)

    async def read(self, row: Row, calls: Calls) -> Made[Answer]:
        return Made(Answer(*row.place, text="alpha", status="ok"))

    async def judge(self, row: Row, answer: Answer, calls: Calls) -> Made[Verdict]:
        return Made(Verdict(*row.place, label="correct", status="judged"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


def session(path: Path, plan: Plan, account: Account | None = None, concurrency: int = 1) -> Tally:
    """Go on with a run, as `app.evaluation_session` does."""
    account = Account() if account is None else account
    with open_database(path) as database:
        appender = RunAppender(database)
        appender.begin(plan.run, False, "")
        known = known_of(database.connection, plan.run.id)
        account.remember(record_reads.requests(database.connection, "1", ()))
        account.remember(evaluations.kept(database.connection, plan.run.id))
        account.remember(interrupted_calls(database.connection, plan.run.id))
        sink = DurableSink(appender, database, lambda event: None)
        options = Options(concurrency=concurrency, account=account)
        return evaluate(plan, sink, known=known, options=options)


def stored(path: Path, kind: type) -> list[Any]:
    with Reader(path) as reader:
        return [record for record in reader.records("r1") if isinstance(record, kind)]


def kept_of(path: Path) -> list[str]:
    with open_database(path) as database:
        return [request.id for request in evaluations.kept(database.connection, "r1")]


def under_way(path: Path) -> list[str]:
    with open_database(path) as database:
        return [call.request_id for call in evaluations.under_way(database.connection, "r1")]


def test_each_call_has_an_id_of_its_step(path: Path, make_plan: MakePlan) -> None:
    plan = replace(make_plan(), protocol=Stepwise())
    tally = session(path, plan)
    assert (tally.calls, tally.stopped) == ({"compressor": 9}, None)
    assert [request.id for request in stored(path, Request)][:3] == [
        f"g1/compressor/0.5/compressor/{step}" for step in STEPS
    ]
    assert kept_of(path) == under_way(path) == []


@pytest.mark.parametrize("stop", range(9))
def test_a_kept_call_is_never_made_again(path: Path, make_plan: MakePlan, stop: int) -> None:
    """Stopped by a cap after each of nine calls: what was kept is found, placed with its memory, once."""
    first, second = Stepwise(), Stepwise()
    tally = session(path, replace(make_plan(), protocol=first), Account(LimitsConfig(calls=stop)))
    assert tally.calls.total() == stop and (tally.stopped or "").startswith("the limit" if stop else "limits")
    left = stop % 3
    assert kept_of(path) == [request_id_of(*call) for call in first.asked[stop - left :]]
    assert under_way(path) == []

    account = Account()
    tally = session(path, replace(make_plan(), protocol=second), account)
    assert tally.stopped is None
    assert [*first.asked, *second.asked] == [
        (f"{goal}/compressor/0.5", step) for goal in ("g1", "g2", "g3") for step in STEPS
    ]
    requests = stored(path, Request)
    assert len(requests) == len({request.id for request in requests}) == 9 == account.calls["compressor"]
    assert [memory.proposed_text for memory in stored(path, Memory)] == [
        f"final of {goal}/compressor/0.5" for goal in ("g1", "g2", "g3")
    ]
    assert kept_of(path) == []


def request_id_of(memory: str, step: str) -> str:
    return f"{memory}/compressor/{step}"


def test_a_call_under_way_is_made_again_under_another_id(path: Path, make_plan: MakePlan) -> None:
    plan = replace(make_plan(), protocol=Stepwise())
    session(path, plan, Account(LimitsConfig(calls=4)))
    with open_database(path) as database:  # the program was killed in its fifth call
        appender = RunAppender(database)
        appender.begin(plan.run, False, "")
        fifth = UnderWay("g2/compressor/0.5/compressor/shorter", "compressor", "g2/compressor/0.5")
        appender.append([], [fifth])
    again, account = Stepwise(), Account()
    session(path, replace(make_plan(), protocol=again), account)
    assert again.asked[:2] == [("g2/compressor/0.5", "shorter"), ("g2/compressor/0.5", "final")]
    requests = [request for request in stored(path, Request) if request.memory_id == "g2/compressor/0.5"]
    assert sorted(request.id.removeprefix("g2/compressor/0.5/compressor/") for request in requests) == [
        "draft",
        "final",
        "shorter",
        "shorter/2",
    ]
    assert account.calls["compressor"] == 10
    assert under_way(path) == kept_of(path) == []


def test_what_a_failed_memory_cost_is_not_paid_twice(path: Path, make_plan: MakePlan) -> None:
    def fails(step: str, memory: str) -> str:
        if step == "final":
            raise ConnectionError("the network is down")
        return f"{step} of {memory}"

    session(path, replace(make_plan(), protocol=Stepwise(fails)))
    assert {memory.status for memory in stored(path, Memory)} == {"error"}
    again = Stepwise()
    account = Account()
    session(path, replace(make_plan(), protocol=again), account)
    assert {step for _, step in again.asked} == {"final"}
    assert {memory.status for memory in stored(path, Memory)} == {"ok"}
    assert account.calls["compressor"] == 12 == len(stored(path, Request))


def test_kept_calls_of_many_at_once(path: Path, make_plan: MakePlan) -> None:
    session(path, replace(make_plan(), protocol=Stepwise()), Account(LimitsConfig(calls=5)), concurrency=3)
    again = Stepwise()
    session(path, replace(make_plan(), protocol=again), concurrency=3)
    assert len(again.asked) == 4
    assert len({request.id for request in stored(path, Request)}) == 9
