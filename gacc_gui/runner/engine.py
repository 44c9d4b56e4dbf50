"""Runs a plan: memories, then answers, then verdicts, each handed to the sink as soon as it is done.

Owns when a part is called, what becomes of its failures, the cut and the token ledger, and when a run ends
before its time. Not here: the parts, how they are called (`calling`), what is kept of a call
(`call_records`), and where records go (`Sink`). No text reaches a part but through its typed input.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from gacc_gui.core.boundary import cut
from gacc_gui.core.budget import budget_for
from gacc_gui.core.records import (
    ANSWER_STATUSES,
    MEMORY_STATUSES,
    Answer,
    Json,
    Ledger,
    Memory,
    Question,
    Record,
    Request,
    Verdict,
    is_finished,
)
from gacc_gui.runner.accounting import Account
from gacc_gui.runner.cache import ProposalCache, ProposalKey, content_hash
from gacc_gui.runner.call_records import Place, RequestIds, request_of
from gacc_gui.runner.calling import Out, PartThreads, called, sound_text, sound_verdict, stopped_by
from gacc_gui.runner.control import Control
from gacc_gui.runner.events import Event, GoneOn, Paused, Stopping
from gacc_gui.runner.known import Known
from gacc_gui.runner.parts import (
    Call,
    CompressorInput,
    CompressorOutput,
    JudgeInput,
    JudgeOutput,
    ReaderInput,
    ReaderOutput,
    RunStopped,
)
from gacc_gui.runner.plan import Plan, PlannedMemory
from gacc_gui.runner.standing import ANSWERS, MEMORIES, VERDICTS, Standing
from gacc_gui.runner.workers import NotBegunError, Workers
from gacc_gui.store.evaluations import UnderWay


class Sink(Protocol):
    """Where calls and finished records go."""

    async def begin(self, call: UnderWay) -> None:
        """Note a call that is about to be made; when this returns, a crash cannot lose the note."""

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
    stored_proposal: Callable[[ProposalKey, str | None], CompressorOutput | None] | None = None
    """Finds what earlier sessions and other runs made, by the key and the shown goal's text."""


def evaluate(
    plan: Plan,
    sink: Sink,
    *,
    cache: ProposalCache | None = None,
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
        cache if cache is not None else ProposalCache(),
        known,
        report,
        options,
        account=options.account if options.account is not None else Account(),
        control=options.control if options.control is not None else Control(),
        ids=RequestIds(known.request_ids),
        standing=Standing(report),
    )
    return asyncio.run(run.run())


def _tell_nobody(_event: Event) -> None:
    pass


@dataclass(frozen=True, slots=True)
class _Row:
    planned: PlannedMemory
    memory: Memory
    question: Question
    repeat: int

    @property
    def place(self) -> Place:
        return (self.planned.id, self.question.id, self.repeat)


@dataclass(slots=True)
class _Evaluation:
    plan: Plan
    sink: Sink
    cache: ProposalCache
    known: Known
    report: Callable[[Event], None]
    options: Options
    account: Account
    control: Control
    ids: RequestIds
    standing: Standing
    workers: Workers[PlannedMemory, _Row] = field(init=False)
    tally: Tally = field(default_factory=Tally)
    threads: PartThreads = field(default_factory=PartThreads)
    source_tokens: dict[str, int] = field(default_factory=dict)
    sink_error: BaseException | None = None

    def __post_init__(self) -> None:
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
                self.threads.close()
                for close in self.options.closing:
                    await close()
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
                self._queue(_Row(planned, memory, question, repeat))

    def _queue(self, row: _Row) -> None:
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
        """Make, cut and commit one memory; a part's failure becomes its status."""
        source = planned.context.text
        if planned.context.id not in self.source_tokens:
            self.source_tokens[planned.context.id] = self.plan.codec.count(source)
        source_tokens = self.source_tokens[planned.context.id]
        budget = budget_for(planned.setting.ratio, source_tokens)
        proposal, request = await self._propose(planned, budget)
        text = proposal.text
        ledger = None
        retained = None
        if text is not None:
            made = cut(self.plan.codec, text, budget)
            retained = made.retained_text
            ledger = Ledger(
                source_tokens=source_tokens,
                proposed_tokens=made.proposed_tokens,
                retained_tokens=made.retained_tokens,
                unused_budget=made.unused_budget,
                reencoded_tokens=made.reencoded_tokens,
                padding_tokens=0,
            )
        memory = Memory(
            id=planned.id,
            goal_id=planned.goal.id,
            shown_goal_id=planned.shown_goal.id if planned.shown_goal else None,
            cell=planned.setting.cell,
            budget=budget,
            generation=planned.generation,
            proposed_text=text,
            retained_text=retained,
            ledger=ledger,
            status=proposal.status,
            error=proposal.error,
        )
        earlier = self.known.interrupted.get(planned.id, ())
        tried = planned.id in self.known.memories
        await self._commit(memory, [*earlier, *([request] if request is not None else [])], tried, proposal)
        self.standing.advance(MEMORIES, failed=not is_finished(memory))
        return memory

    async def _propose(self, planned: PlannedMemory, budget: int) -> tuple[CompressorOutput, Request | None]:
        """Return a proposal, and the request that was made for it, if one was."""
        if budget == 0:
            return CompressorOutput(""), None
        if planned.setting.condition == "full-context":
            return CompressorOutput(planned.context.text), None  # by definition: there is nobody to ask
        compressor = planned.setting.compressor
        given = CompressorInput(
            planned.context.text, planned.shown_goal.text if planned.shown_goal else None, budget
        )
        key = ProposalKey(
            content_hash(given.context),
            None if given.goal is None else content_hash(given.goal),
            self.plan.codec.revision,
            (compressor.name, compressor.revision),
            budget,
            planned.generation,
        )
        made_by: list[Request] = []

        async def make() -> CompressorOutput:
            request_id = self.ids.new("compressor", planned.id)
            noted = UnderWay(request_id, "compressor", planned.id)
            output = sound_text(await self._call(noted, compressor, given, CompressorOutput), MEMORY_STATUSES)
            made_by.append(request_of(request_id, planned.id, given, output))
            return output

        stored = self.options.stored_proposal
        look_up = None if stored is None else partial(stored, key, given.goal)
        proposal, hit = await self.cache.get(key, make, look_up)
        if hit:
            self.tally.cache_hits += 1
            self.account.hits += 1
            return proposal, None
        return proposal, made_by[0]

    # Rows.

    async def _settle_row(self, row: _Row) -> None:
        if self.known.answers.get(row.place, False):
            answer = self.known.answer(row.place)
        else:
            answer = await self._read(row)
        if is_finished(answer) and answer.text is not None:
            await self._judge(row, answer.text)
        else:
            # There is nothing to judge: the row stays without a verdict.
            self.standing.advance(VERDICTS, failed=True)

    async def _read(self, row: _Row) -> Answer:
        given = ReaderInput(row.memory.retained_text or "", row.question.text)
        request_id = self.ids.new("reader", row.planned.id, row.question, row.repeat)
        noted = UnderWay(request_id, "reader", *row.place)
        read = sound_text(await self._call(noted, self.plan.reader, given, ReaderOutput), ANSWER_STATUSES)
        answer = Answer(*row.place, text=read.text, status=read.status, error=read.error)
        request = request_of(request_id, row.planned.id, given, read, row.question, row.repeat)
        await self._commit(answer, [request], row.place in self.known.answers, read)
        self.standing.advance(ANSWERS, failed=not is_finished(answer))
        return answer

    async def _judge(self, row: _Row, answer: str) -> None:
        given = JudgeInput(row.planned.context.text, row.question.text, row.question.references or (), answer)
        request_id = self.ids.new("judge", row.planned.id, row.question, row.repeat)
        noted = UnderWay(request_id, "judge", *row.place)
        judged = sound_verdict(await self._call(noted, self.plan.judge, given, JudgeOutput))
        verdict = Verdict(
            *row.place,
            label=judged.label,
            status=judged.status,
            rationale=judged.rationale if judged.error is None else judged.error,
            raw_reply=judged.reply if judged.raw_reply is None else judged.raw_reply,
        )
        request = request_of(request_id, row.planned.id, given, judged, row.question, row.repeat)
        await self._commit(verdict, [request], row.place in self.known.verdicts, judged)
        self.standing.advance(VERDICTS, failed=not is_finished(verdict))

    # Calls and commits.

    async def _call(
        self, noted: UnderWay, part: Callable[..., Out | Awaitable[Out]], given: object, kind: type[Out]
    ) -> Out:
        """Call a part, with a note that outlives a crash. Raises NotBegunError where the run is stopping."""
        if not await self.control.allowed():
            raise NotBegunError
        if (reason := self.account.refusal()) is not None:
            self.control.stop(reason)
            raise NotBegunError
        self.account.begin()
        output: Out | None = None
        try:
            await self._guarded(lambda: self.sink.begin(noted))
            self.tally.calls[noted.role] += 1
            output = await called(part, given, kind, self.threads)
        except RunStopped as error:
            self.tally.refused = True
            output = stopped_by(error, kind)
        finally:
            if output is not None:
                self.tally.calls[noted.role] += max(0, len(output.attempts) - 1)
            self.account.end(noted.role, output)
        if self.tally.refused:
            self.control.stop(output.error or "")
        return output

    async def _commit(
        self, item: Memory | Answer | Verdict, requests: Sequence[Request], tried: bool, call: Call
    ) -> None:
        """Hand over an item with its calls. A failure that repeats leaves the item that is there as it is."""
        if not is_finished(item):
            self.tally.failed_items += 1
            self.standing.tell_failure(item, call)
        repeated = tried and not is_finished(item)
        await self._hand_over([*requests] if repeated else [item, *requests])

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
