"""Runs a plan: memories, then answers, then verdicts, each handed to the sink as soon as it is done.

Owns when a part is called, what becomes of its failures, the cut and the token ledger, and what is recorded
of each call. Not here: the parts, and where records go (`Sink`). No text reaches a part but through its typed
input.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Protocol, TypeVar

from gacc_gui.core.boundary import cut
from gacc_gui.core.budget import budget_for
from gacc_gui.core.records import (
    ANSWER_STATUSES,
    LABELS,
    MEMORY_STATUSES,
    VERDICT_STATUSES,
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
from gacc_gui.runner.cache import ProposalCache, ProposalKey, content_hash
from gacc_gui.runner.parts import (
    Call,
    CompressorInput,
    CompressorOutput,
    JudgeInput,
    JudgeOutput,
    ReaderInput,
    ReaderOutput,
)
from gacc_gui.runner.plan import Plan, PlannedMemory

Out = TypeVar("Out", CompressorOutput, ReaderOutput, JudgeOutput)


class Sink(Protocol):
    """Where finished records go."""

    def add(self, records: Sequence[Record]) -> None:
        """Take records that belong together; when it returns, they are safe and never made again."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: `stage` is `memories` or `answers`; an answer counts with its verdict."""

    stage: str
    done: int
    planned: int


@dataclass(slots=True)
class Tally:
    """What a run did. A failed item is a memory, answer or verdict that did not finish."""

    compressor_calls: int = 0
    cache_hits: int = 0
    reader_calls: int = 0
    judge_calls: int = 0
    failed_items: int = 0


def evaluate(
    plan: Plan,
    sink: Sink,
    *,
    cache: ProposalCache | None = None,
    progress: Callable[[Progress], None] | None = None,
    concurrency: int = 4,
) -> Tally:
    """Run `plan` to its end and return what was done; `concurrency` memories are under way at a time.

    Order and ids of the records depend on nothing but the plan when the parts are synchronous.
    """
    run = _Evaluation(plan, sink, cache if cache is not None else ProposalCache(), progress)
    return asyncio.run(run.run(concurrency))


@dataclass(slots=True)
class _Evaluation:
    plan: Plan
    sink: Sink
    cache: ProposalCache
    progress: Callable[[Progress], None] | None
    tally: Tally = field(default_factory=Tally)
    source_tokens: dict[str, int] = field(default_factory=dict)
    done: dict[str, int] = field(default_factory=lambda: {"memories": 0, "answers": 0})
    planned: dict[str, int] = field(default_factory=dict)
    sink_error: BaseException | None = None

    async def run(self, concurrency: int) -> Tally:
        plan = self.plan
        self._hand_over([plan.run, *plan.contexts, *plan.goals, *plan.questions])
        memories = list(plan.memories())
        answers = sum(len(planned.questions) for planned in memories) * plan.repeats
        self.planned = {"memories": len(memories), "answers": answers}
        waiting = iter(memories)
        await asyncio.gather(*(self._work(waiting) for _ in range(min(concurrency, len(memories)))))
        return self.tally

    async def _work(self, waiting: Iterator[PlannedMemory]) -> None:
        for planned in waiting:
            memory = await self._make_memory(planned)
            for repeat in range(self.plan.repeats):
                for question in planned.questions:
                    if is_finished(memory):
                        await self._read_and_judge(planned, memory, question, repeat)
                    self._advance("answers")
            await asyncio.sleep(0)  # Synchronous parts never yield; an interrupt must get its turn.

    async def _make_memory(self, planned: PlannedMemory) -> Memory:
        """Make, cut and commit one memory; a part's failure becomes its status."""
        source = planned.context.text
        if planned.context.id not in self.source_tokens:
            self.source_tokens[planned.context.id] = self.plan.codec.count(source)
        source_tokens = self.source_tokens[planned.context.id]
        budget = budget_for(planned.setting.ratio, source_tokens)
        proposal, call = await self._propose(planned, budget)
        text = proposal.text if proposal.status in ("ok", "truncated") else None
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
        self._commit(memory, call)
        self._advance("memories")
        return memory

    async def _propose(self, planned: PlannedMemory, budget: int) -> tuple[CompressorOutput, Request | None]:
        """Return a proposal, and the request that was made for it, if one was."""
        if budget == 0:
            return CompressorOutput(""), None
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

        async def make() -> CompressorOutput:
            output = await _called(compressor, given, CompressorOutput)
            return _sound_text(output, MEMORY_STATUSES)

        proposal, hit = await self.cache.get(key, make)
        if hit:
            self.tally.cache_hits += 1
            return proposal, None
        self.tally.compressor_calls += 1
        return proposal, _request(planned.id, given, proposal)

    async def _read_and_judge(
        self, planned: PlannedMemory, memory: Memory, question: Question, repeat: int
    ) -> None:
        place = (memory.id, question.id, repeat)
        asked = ReaderInput(memory.retained_text or "", question.text)
        self.tally.reader_calls += 1
        read = await _called(self.plan.reader, asked, ReaderOutput)
        read = _sound_text(read, ANSWER_STATUSES)
        answer = Answer(*place, text=read.text, status=read.status, error=read.error)
        self._commit(answer, _request(memory.id, asked, read, question, repeat))
        if not is_finished(answer) or answer.text is None:
            return  # There is nothing to judge: the row stays without a verdict.
        shown = JudgeInput(planned.context.text, question.text, question.references or (), answer.text)
        self.tally.judge_calls += 1
        judged = await _called(self.plan.judge, shown, JudgeOutput)
        judged = _sound_verdict(judged)
        verdict = Verdict(
            *place,
            label=judged.label,
            status=judged.status,
            rationale=judged.rationale if judged.error is None else judged.error,
            raw_reply=judged.reply,
        )
        self._commit(verdict, _request(memory.id, shown, judged, question, repeat))

    def _commit(self, item: Memory | Answer | Verdict, request: Request | None) -> None:
        if not is_finished(item):
            self.tally.failed_items += 1
        self._hand_over([item] if request is None else [item, request])

    def _hand_over(self, records: Sequence[Record]) -> None:
        """Give records to the sink. After it failed once it is given nothing more, by no worker."""
        if self.sink_error is None:
            try:
                self.sink.add(records)
            except BaseException as error:
                self.sink_error = error
        if self.sink_error is not None:
            raise self.sink_error

    def _advance(self, stage: str) -> None:
        self.done[stage] += 1
        if self.progress is not None:
            self.progress(Progress(stage, self.done[stage], self.planned[stage]))


async def _called(part: Callable[..., Out | Awaitable[Out]], given: object, kind: type[Out]) -> Out:
    """Call a part; where it raises, or returns no `kind`, the output has the status `error` and says so.

    Parts are other people's code: one that fails costs its own item.
    """
    try:
        output = part(given)
        if inspect.isawaitable(output):
            output = await output
    except Exception as error:
        return kind(None, "error", error=f"{type(error).__name__}: {error}")
    if not isinstance(output, kind):
        return kind(None, "error", error=f"the part returned {type(output).__name__}, not {kind.__name__}")
    return output


TextOutput = TypeVar("TextOutput", CompressorOutput, ReaderOutput)


def _sound_text(output: TextOutput, statuses: Sequence[str]) -> TextOutput:
    """Return the output, or a failure in its place where its text and status are not possible together."""
    if output.status not in statuses:
        return replace(output, text=None, status="error", error=f"unknown status {output.status!r}")
    if output.text is not None and not isinstance(output.text, str):
        kind = type(output.text).__name__
        return replace(output, text=None, status="error", error=f"the part's text is a {kind}")
    if output.text is None and output.status in ("ok", "truncated"):
        return replace(output, status="no_answer")
    return output


def _sound_verdict(output: JudgeOutput) -> JudgeOutput:
    if output.status not in VERDICT_STATUSES:
        return replace(output, label=None, status="error", error=f"unknown status {output.status!r}")
    if output.status == "judged" and output.label not in LABELS:
        return replace(output, label=None, status="unparsed", error=f"unknown label {output.label!r}")
    return output if output.status == "judged" else replace(output, label=None)


def _request(
    memory_id: str,
    given: CompressorInput | ReaderInput | JudgeInput,
    output: Call,
    question: Question | None = None,
    repeat: int = 0,
) -> Request:
    """Record a call: what was sent, word for word, and what came back.

    For a part that sends nothing anywhere, the sent text is its input's texts in their order, a blank line
    between; nothing else, so that whatever `verify` finds in a compressor's request was in its input.
    """
    extra: dict[str, Json] = {}
    texts: tuple[str | None, ...]
    match given:
        case CompressorInput(context, goal, budget):
            role, texts = "compressor", (context, goal)
            extra["budget"] = budget
        case ReaderInput(memory, asked):
            role, texts = "reader", (memory, asked)
        case JudgeInput(source, asked, references, answer):
            role, texts = "judge", (source, asked, *references, answer)
    place = [memory_id]
    if question is not None:
        extra["question_id"], extra["repeat"] = question.id, repeat
        place += [question.id, str(repeat)]
    if output.reply is not None:
        extra["reply"] = output.reply
    if output.usage is not None:
        extra["usage"] = {name: n for name, n in asdict(output.usage).items() if n is not None}
    sent = output.sent if output.sent is not None else "\n\n".join(text for text in texts if text is not None)
    return Request("/".join([*place, role]), role, sent, memory_id, extra=extra)
