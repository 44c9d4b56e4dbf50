"""The compaction benchmark's protocol: a context as a memory, an answer, its official scores as a verdict.

Owns what of each is stored: ledgers, the particulars in `extra`, and what an answer comes to. Answers are
scored here, by the official metrics with the benchmark's rule for sentence ids, without asking anybody. Not
here: how a context is made (`contexts`), how answers are read (`core.answer_reading`), order and commits
(`runner.engine`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from gacc_gui.core.answer_reading import read_answer
from gacc_gui.core.compaction import FULL, AnswerResult, Case, EvidenceFile, facts_as_written
from gacc_gui.core.compaction_values import context_from
from gacc_gui.core.hotpot_records import Gold
from gacc_gui.core.hotpot_scores import QuestionScore, SentenceIds, score_answer, score_support
from gacc_gui.core.records import ANSWER_STATUSES, Answer, Json, Ledger, Memory, Request, Verdict
from gacc_gui.core.tokens import Codec
from gacc_gui.runner.call_records import reported
from gacc_gui.runner.calling import sound_text
from gacc_gui.runner.compaction.contexts import ContextMaker, FailedContext
from gacc_gui.runner.compaction.fitting import Room, room_of
from gacc_gui.runner.compaction.messages import asked_of, serialised
from gacc_gui.runner.compaction.parts import Answerer, AnswerInput
from gacc_gui.runner.compaction.settings import Settings
from gacc_gui.runner.compaction.steps import OUTPUT, Steps
from gacc_gui.runner.compaction.summaries import PROVIDER_TOKENS
from gacc_gui.runner.parts import Call, ReaderOutput
from gacc_gui.runner.plan import PlannedMemory
from gacc_gui.runner.prompts import Prompt
from gacc_gui.runner.protocol import Calls, Made, Row

CONTEXT: Final = "compaction"
"""Where a memory keeps its context as sent."""
REFUSED: Final = "refused"
"""In an answer's `extra`: the model would not answer (its status is `no_answer`)."""


@dataclass(slots=True)
class CompactionProtocol:
    """The protocol over some cases, by their ids, which are their goals'."""

    cases: Mapping[str, Case]
    settings: Settings
    codec: Codec
    prompt: Prompt
    answerer: Answerer
    maker: ContextMaker
    _rooms: dict[str, Room] = field(init=False, default_factory=dict)
    _source_tokens: dict[str, int] = field(init=False, default_factory=dict)

    async def make_memory(self, planned: PlannedMemory, calls: Calls) -> Made[Memory]:
        """Make one context; what fails becomes its status."""
        case = self.cases[planned.goal.id]
        method = planned.setting.compressor.name
        room = await self._room(case)
        made = await self.maker.make(method, case, room, Steps(calls, planned.id), planned.generation)
        memory = Memory(
            id=planned.id,
            goal_id=planned.goal.id,
            shown_goal_id=planned.shown_goal.id if planned.shown_goal else None,
            cell=planned.setting.cell,
            budget=None if method == FULL else max(0, room.space),
            generation=planned.generation,
            proposed_text=None,
            retained_text=None,
            ledger=None,
            status="ok",
            extra={CONTEXT: made.sent.as_json()},
        )
        if isinstance(made, FailedContext):
            failed = replace(memory, status=made.status, error=made.error)
            return Made(failed, call=replace(made.call, error=made.error))
        ledger = await asyncio.to_thread(self._ledger, case, made.evidence, made.sent.tokens.space)
        return Made(replace(memory, proposed_text=made.evidence, retained_text=made.evidence, ledger=ledger))

    async def read(self, row: Row, calls: Calls) -> Made[Answer]:
        """Have a question answered from the context, as it is sent."""
        context = context_from(row.memory.extra[CONTEXT])
        variant = row.planned.generation * self.settings.answers + row.repeat
        given = AnswerInput(context.messages, row.memory.retained_text or "", row.question.text, variant)
        request_id = calls.new_id("reader", row.planned.id, row.question, row.repeat)
        read = sound_text(
            await calls.make(request_id, "reader", row.place, self.answerer, given, ReaderOutput),
            ANSWER_STATUSES,
        )
        extra: dict[str, Json] = {PROVIDER_TOKENS: _provider_tokens(read)}
        if read.details.get(REFUSED) is True:
            extra[REFUSED] = True
        answer = Answer(*row.place, text=read.text, status=read.status, error=read.error, extra=extra)
        told: dict[str, Json] = {
            "question_id": row.question.id,
            "repeat": row.repeat,
            OUTPUT: {"text": read.text, "status": read.status},
            **reported(read),
        }
        sent = read.sent if read.sent is not None else serialised(context.messages)
        return Made(answer, [Request(request_id, "reader", sent, row.planned.id, extra=told)], read)

    async def judge(self, row: Row, answer: Answer, calls: Calls) -> Made[Verdict]:
        """Score an answer by the official metrics; nobody is asked."""
        told = answer.extra.get(PROVIDER_TOKENS)
        counted = told if type(told) is int else None
        ceiling = None if row.planned.setting.compressor.name == FULL else self.settings.ceiling
        case = self.cases[row.planned.goal.id]
        result, reason = result_of(answer, case.gold, counted, ceiling, case.files)
        label = None
        if result.status == "ok":
            label = "correct" if result.scores["em"] == 1 else "incorrect"
        verdict = Verdict(
            *row.place,
            label=label,
            status=_VERDICTS.get(result.status, "error"),
            rationale=reason,
            extra=result.as_json(),
        )
        return Made(verdict, call=Call(error=None if result.status == "ok" else reason))

    async def _room(self, case: Case) -> Room:
        if case.id not in self._rooms:
            settings = self.settings
            self._rooms[case.id] = await asyncio.to_thread(
                room_of, self.codec, self.prompt, asked_of(case), settings.ceiling, settings.reserve
            )
        return self._rooms[case.id]

    def _ledger(self, case: Case, evidence: str, space: int | None) -> Ledger:
        if case.id not in self._source_tokens:
            self._source_tokens[case.id] = self.codec.count(case.source)
        tokens = self.codec.count(evidence)
        return Ledger(
            source_tokens=self._source_tokens[case.id],
            proposed_tokens=tokens,
            retained_tokens=tokens,
            # Alone the evidence has hardly ever more tokens than it takes within the input, but it may.
            unused_budget=None if space is None else max(0, space - tokens),
            reencoded_tokens=tokens,
            padding_tokens=0,
        )


_VERDICTS: Final[Mapping[str, str]] = {
    "ok": "judged",
    "unparsed": "unparsed",
    "refused": "refused",
    "truncated": "truncated",
}


def result_of(
    answer: Answer,
    gold: Gold,
    counted: int | None,
    ceiling: int | None,
    files: Sequence[EvidenceFile] = (),
) -> tuple[AnswerResult, str | None]:
    """Return what an answer comes to, and why, in a sentence; None where that needs no words.

    `counted` are the service's own input tokens (None: it told none), `ceiling` what they may be at most
    (None: no ceiling); `files` are the case's, whose titles are named as they are shown. A reply that was cut
    off is not read at all.
    """

    def nothing(status: str, reason: str) -> tuple[AnswerResult, str | None]:
        return AnswerResult(status, provider_input_tokens=counted), reason

    if counted is not None and ceiling is not None and counted > ceiling:
        predicted = read_answer(answer.text)
        reason = f"the service counted {counted:,} input tokens, more than the ceiling of {ceiling:,}"
        read = predicted.as_json() if predicted.is_read else None
        return AnswerResult("invalid", predicted=read, provider_input_tokens=counted), reason
    if answer.extra.get(REFUSED) is True:
        return nothing("refused", answer.error or "the model would not answer")
    if answer.status not in ("ok", "truncated") or answer.text is None:
        return nothing("error" if answer.status == "ok" else answer.status, answer.error or "no answer")
    if answer.status == "truncated":
        return nothing("truncated", "the reply was cut off at its greatest length")
    predicted = read_answer(answer.text)
    if predicted.answer is None or predicted.facts is None:
        return nothing("unparsed", predicted.reason or "the reply could not be read")
    facts = facts_as_written(predicted.facts, files)
    scores = official_scores(predicted.answer, facts, gold)
    return AnswerResult("ok", scores, predicted.as_json(), counted), None


def official_scores(answer: str, facts: Sequence[Json], gold: Gold) -> dict[str, float]:
    """Return the six scores, in the order of `core.compaction.SCORES`."""
    score = QuestionScore(
        score_answer(answer, gold.answers), score_support(facts, gold.facts, SentenceIds.STRICT)
    )
    parts = (("", score.answer), ("sp_", score.support), ("joint_", score.joint))
    return {
        f"{prefix}{name}": getattr(part, name) if part is not None else 0.0
        for prefix, part in parts
        for name in ("em", "f1")
    }


def _provider_tokens(output: Call) -> int | None:
    counted = output.details.get(PROVIDER_TOKENS)
    return counted if type(counted) is int else None
