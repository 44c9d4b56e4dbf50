"""GACC-Bench's protocol: a proposal within a budget, cut by tokens; a reader of the memory; a judge.

Owns the budget, the cut and the ledger, whether a proposal is there already, and what each of the three parts
is told. Not here: the order of work and commits (`engine`), the parts, the arithmetic (`core.budget`,
`core.boundary`), the cache (`cache`). No text reaches a part but through its typed input.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import cast

from gacc_gui.core.boundary import cut
from gacc_gui.core.budget import budget_for
from gacc_gui.core.records import (
    ANSWER_STATUSES,
    MEMORY_STATUSES,
    Answer,
    Ledger,
    Memory,
    Request,
    Verdict,
)
from gacc_gui.core.tokens import Codec
from gacc_gui.runner.cache import ProposalCache, ProposalKey, content_hash
from gacc_gui.runner.call_records import request_of
from gacc_gui.runner.calling import sound_text, sound_verdict
from gacc_gui.runner.parts import (
    Compressor,
    CompressorInput,
    CompressorOutput,
    Judge,
    JudgeInput,
    JudgeOutput,
    Reader,
    ReaderInput,
    ReaderOutput,
)
from gacc_gui.runner.plan import Plan, PlannedMemory
from gacc_gui.runner.protocol import Calls, Made, Row

StoredProposal = Callable[[ProposalKey, str | None], CompressorOutput | None]
"""Finds what earlier sessions and other runs made, by the key and the shown goal's text."""


@dataclass(slots=True)
class GaccProtocol:
    """The protocol, with its parts but the compressors, which are the plan's settings.

    Every evaluation with one `cache` shares its proposals.
    """

    codec: Codec
    reader_part: Reader
    judge_part: Judge
    cache: ProposalCache = field(default_factory=ProposalCache)
    stored_proposal: StoredProposal | None = None
    _source_tokens: dict[str, int] = field(init=False, default_factory=dict)
    """By context."""

    async def make_memory(self, planned: PlannedMemory, calls: Calls) -> Made[Memory]:
        """Make and cut one memory; a part's failure becomes its status."""
        source = planned.context.text
        if planned.context.id not in self._source_tokens:
            self._source_tokens[planned.context.id] = self.codec.count(source)
        source_tokens = self._source_tokens[planned.context.id]
        budget = budget_for(planned.setting.ratio, source_tokens)
        proposal, requests, from_cache = await self._propose(planned, budget, calls)
        text = proposal.text
        ledger = None
        retained = None
        if text is not None:
            made = cut(self.codec, text, budget)
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
        return Made(memory, requests, proposal, from_cache)

    async def _propose(
        self, planned: PlannedMemory, budget: int, calls: Calls
    ) -> tuple[CompressorOutput, list[Request], bool]:
        """Return a proposal, the request that was made for it, if one was, and whether the cache had it."""
        if budget == 0:
            return CompressorOutput(""), [], False
        if planned.setting.condition == "full-context":
            return CompressorOutput(planned.context.text), [], False  # by definition: nobody is asked
        compressor = cast(Compressor, planned.setting.compressor)
        given = CompressorInput(
            planned.context.text, planned.shown_goal.text if planned.shown_goal else None, budget
        )
        key = ProposalKey(
            content_hash(given.context),
            None if given.goal is None else content_hash(given.goal),
            self.codec.revision,
            (compressor.name, compressor.revision),
            budget,
            planned.generation,
        )
        made_by: list[Request] = []

        async def make() -> CompressorOutput:
            request_id = calls.new_id("compressor", planned.id)
            place = (planned.id, None, None)
            output = sound_text(
                await calls.make(request_id, "compressor", place, compressor, given, CompressorOutput),
                MEMORY_STATUSES,
            )
            made_by.append(request_of(request_id, planned.id, given, output))
            return output

        stored = self.stored_proposal
        look_up = None if stored is None else partial(stored, key, given.goal)
        proposal, hit = await self.cache.get(key, make, look_up)
        return proposal, made_by, hit

    async def read(self, row: Row, calls: Calls) -> Made[Answer]:
        """Have a question answered from the memory alone."""
        given = ReaderInput(row.memory.retained_text or "", row.question.text)
        request_id = calls.new_id("reader", row.planned.id, row.question, row.repeat)
        read = sound_text(
            await calls.make(request_id, "reader", row.place, self.reader_part, given, ReaderOutput),
            ANSWER_STATUSES,
        )
        answer = Answer(*row.place, text=read.text, status=read.status, error=read.error)
        request = request_of(request_id, row.planned.id, given, read, row.question, row.repeat)
        return Made(answer, [request], read)

    async def judge(self, row: Row, answer: Answer, calls: Calls) -> Made[Verdict]:
        """Have an answer judged by the source and the references."""
        references = row.question.references or ()
        given = JudgeInput(row.planned.context.text, row.question.text, references, answer.text or "")
        request_id = calls.new_id("judge", row.planned.id, row.question, row.repeat)
        judged = sound_verdict(
            await calls.make(request_id, "judge", row.place, self.judge_part, given, JudgeOutput)
        )
        verdict = Verdict(
            *row.place,
            label=judged.label,
            status=judged.status,
            rationale=judged.rationale if judged.error is None else judged.error,
            raw_reply=judged.reply if judged.raw_reply is None else judged.raw_reply,
        )
        request = request_of(request_id, row.planned.id, given, judged, row.question, row.repeat)
        return Made(verdict, [request], judged)


def gacc_protocol_of(plan: Plan) -> GaccProtocol:
    """Return the protocol of a plan of GACC-Bench. Raises TypeError for another benchmark's."""
    if not isinstance(plan.protocol, GaccProtocol):
        raise TypeError(f"a plan of {type(plan.protocol).__name__} is none of GACC-Bench")
    return plan.protocol


def with_stored_proposals(plan: Plan, stored: StoredProposal) -> Plan:
    """Return the plan with a protocol that looks proposals up before it asks for one."""
    return replace(plan, protocol=replace(gacc_protocol_of(plan), stored_proposal=stored))
