"""Runs a plan: memories, then answers, then verdicts, each handed to the sink as soon as it is done.

Owns the order of work, what is known already, commits and failed items, and when a run ends before its time.
Not here: how an item of a benchmark is made (its `BenchmarkProtocol`), how anything is asked (`asking`), and
where records go (`Sink`).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Protocol

from gacc_gui.core.records import Answer, Json, Memory, Record, Request, Verdict, is_finished
from gacc_gui.runner.accounting import Account
from gacc_gui.runner.asking import Asking
from gacc_gui.runner.call_records import RequestIds
from gacc_gui.runner.control import Control
from gacc_gui.runner.events import Event, GoneOn, Paused, Stopping
from gacc_gui.runner.known import Known
from gacc_gui.runner.parts import Call
from gacc_gui.runner.plan import Plan, PlannedMemory
from gacc_gui.runner.protocol import Row
from gacc_gui.runner.standing import ANSWERS, MEMORIES, VERDICTS, Standing
from gacc_gui.runner.workers import Workers
from gacc_gui.store.evaluations import UnderWay


class Sink(Protocol):
    """Where calls and finished records go."""

    async def begin(self, call: UnderWay) -> None:
        """Note a call that is about to be made; when this returns, a crash cannot lose the note."""

    async def withdraw(self, request_id: str) -> None:
        """Forget the note of a call that was not made after all."""

    async def add(self, records: Sequence[Record]) -> None:
        """Take records that belong together; when it returns, they are safe and never made again.

        A request among them ends the call that was noted under its id.
        """


@dataclass(slots=True)
class Tally:
    """What a session did. A failed item is a memory, answer or verdict that did not finish.

    `stopped` is why it ended before all was tried, None where all was; `interrupted`: because somebody asked;
    `refused`: because a service lets no further call succeed.
    """

    calls: Counter[str] = field(default_factory=Counter)
    """By role; each try of a call is one."""
    cache_hits: int = 0
    failed_items: int = 0
    stopped: str | None = None
    interrupted: bool = False
    refused: bool = False

    @property
    def compressor_calls(self) -> int:
        """Calls of compressors."""
        return self.calls["compressor"]


@dataclass(frozen=True, slots=True)
class Options:
    """How a plan is run, beside what it is. `concurrency` calls are under way at a time.

    `obey_signals`: see `control.Control`; for the main thread only. `closing` is awaited at the end, in the
    loop of the calls. `estimate` goes into the event that tells the plan.
    """

    concurrency: int = 4
    account: Account | None = None
    control: Control | None = None
    obey_signals: bool = False
    closing: Sequence[Callable[[], Awaitable[None]]] = ()
    estimate: Mapping[str, Json] | None = None


def evaluate(
    plan: Plan,
    sink: Sink,
    *,
    known: Known | None = None,
    report: Callable[[Event], None] | None = None,
    options: Options | None = None,
) -> Tally:
    """Run `plan` to its end, or until it is stopped, and return what was done.

    What is `known` is not made again. With a concurrency of 1, the order of the records depends on nothing
    but the plan. Raises what the sink raises.
    """
    options = options if options is not None else Options()
    known = known if known is not None else Known()
    report = report if report is not None else _tell_nobody
    run = _Evaluation(
        plan,
        sink,
        known,
        report,
        options,
        account=options.account if options.account is not None else Account(),
        control=options.control if options.control is not None else Control(),
        standing=Standing(report),
    )
    return asyncio.run(run.run())


def _tell_nobody(_event: Event) -> None:
    pass


@dataclass(slots=True)
class _Evaluation:
    plan: Plan
    sink: Sink
    known: Known
    report: Callable[[Event], None]
    options: Options
    account: Account
    control: Control
    standing: Standing
    calls: Asking = field(init=False)
    workers: Workers[PlannedMemory, Row] = field(init=False)
    tally: Tally = field(default_factory=Tally)
    sink_error: BaseException | None = None

    def __post_init__(self) -> None:
        self.calls = Asking(
            self.account,
            self.control,
            RequestIds(self.known.request_ids),
            self._begin,
            self._withdraw,
            self._hand_over,
            self.known,
        )
        self.workers = Workers(self.control, self._settle_memory, self._settle_row)

    async def run(self) -> Tally:
        plan, control = self.plan, self.control
        with ExitStack() as stack:
            if self.options.obey_signals:
                stack.enter_context(control.signals())
            control.when_changed(self._on_control)
            try:
                await self._hand_over([plan.run, *plan.contexts, *plan.goals, *plan.questions])
                todo = self.standing.survey(plan, self.known, self.options.estimate)
                rows = sum(len(planned.questions) * plan.repeats for planned in todo)
                await self.workers.work_through(todo, min(self.options.concurrency, len(todo) + rows))
            finally:
                self.calls.close()
                for close in self.options.closing:
                    await close()
        self.tally.calls, self.tally.refused = self.calls.made, self.calls.refused
        if self.tally.refused or self.account.cut_short or not self.standing.complete:
            self.tally.stopped = control.reason or self.account.refusal()
            self.tally.interrupted = control.interrupted
        return self.tally

    def _on_control(self) -> None:
        control = self.control
        if control.stopping:
            self.report(Stopping(control.reason or "", self.account.under_way))
        else:
            self.report(Paused() if control.paused else GoneOn())

    # Memories.

    async def _settle_memory(self, planned: PlannedMemory) -> None:
        if self.known.memories.get(planned.id, False):
            memory = self.known.memory(planned.id)
        else:
            memory = await self._make_memory(planned)
        for repeat in range(self.plan.repeats):
            for question in planned.questions:
                self._queue(Row(planned, memory, question, repeat))

    def _queue(self, row: Row) -> None:
        answered = self.known.answers.get(row.place, False)
        judged = self.known.verdicts.get(row.place, False)
        if is_finished(row.memory):
            if not (answered and judged):
                self.workers.bring(row)
            return
        # Nothing to read: these rows stay without an answer and a verdict.
        if not answered:
            self.standing.advance(ANSWERS, failed=True)
        if not judged:
            self.standing.advance(VERDICTS, failed=True)

    async def _make_memory(self, planned: PlannedMemory) -> Memory:
        made = await self.plan.protocol.make_memory(planned, self.calls)
        if made.from_cache:
            self.tally.cache_hits += 1
            self.account.hits += 1
        requests = [*self.known.interrupted.get(planned.id, ()), *made.requests]
        await self._commit(made.item, requests, planned.id in self.known.memories, made.call)
        self.calls.forget(planned.id)
        self.standing.advance(MEMORIES, failed=not is_finished(made.item))
        return made.item

    # Rows.

    async def _settle_row(self, row: Row) -> None:
        if self.known.answers.get(row.place, False):
            answer = self.known.answer(row.place)
        else:
            answer = await self._read(row)
        if is_finished(answer) and answer.text is not None:
            await self._judge(row, answer)
        else:
            # There is nothing to judge: the row stays without a verdict.
            self.standing.advance(VERDICTS, failed=True)

    async def _read(self, row: Row) -> Answer:
        made = await self.plan.protocol.read(row, self.calls)
        await self._commit(made.item, made.requests, row.place in self.known.answers, made.call)
        self.standing.advance(ANSWERS, failed=not is_finished(made.item))
        return made.item

    async def _judge(self, row: Row, answer: Answer) -> None:
        made = await self.plan.protocol.judge(row, answer, self.calls)
        await self._commit(made.item, made.requests, row.place in self.known.verdicts, made.call)
        self.standing.advance(VERDICTS, failed=not is_finished(made.item))

    # Commits.

    async def _commit(
        self, item: Memory | Answer | Verdict, requests: Sequence[Request], tried: bool, call: Call
    ) -> None:
        """Hand over an item with its calls. A failure that repeats leaves the item that is there as it is."""
        if not is_finished(item):
            self.tally.failed_items += 1
            self.standing.tell_failure(item, call)
        repeated = tried and not is_finished(item)
        await self._hand_over([*requests] if repeated else [item, *requests])

    async def _begin(self, call: UnderWay) -> None:
        await self._guarded(lambda: self.sink.begin(call))

    async def _withdraw(self, request_id: str) -> None:
        await self._guarded(lambda: self.sink.withdraw(request_id))

    async def _hand_over(self, records: Sequence[Record]) -> None:
        if records:
            await self._guarded(lambda: self.sink.add(records))

    async def _guarded(self, send: Callable[[], Awaitable[None]]) -> None:
        """Have the sink take something. After it failed once it is given nothing more, by no worker."""
        if self.sink_error is None:
            try:
                await send()
            except Exception as error:
                self.sink_error = self.sink_error or error
        if self.sink_error is not None:
            raise self.sink_error
