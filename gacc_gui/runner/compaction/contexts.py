"""The four methods: what each makes of a case's history, below the ceiling or not at all.

Owns the methods' steps, the retries of a summary that is too long, and why a context could not be made. No
method is told anything but the task and the evidence. Not here: the arithmetic of what fits (`fitting`), the
parts, and what is stored (`protocol`).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Final

from gacc_gui.core.compaction import (
    FULL,
    FUSION,
    JEV,
    SUMMARY,
    Case,
    Group,
    SentContext,
    TokenCounts,
    groups_of,
)
from gacc_gui.core.tokens import Codec
from gacc_gui.runner.compaction.decisions import BadScoresError, batches, passages_of, scores_in
from gacc_gui.runner.compaction.fitting import Room, chosen, ranked
from gacc_gui.runner.compaction.messages import (
    Messages,
    asked_of,
    history_text,
    joined,
    kept_text,
    messages_of,
)
from gacc_gui.runner.compaction.parts import Decider, Summarizer, SummaryInput, TooLong
from gacc_gui.runner.compaction.settings import Settings
from gacc_gui.runner.compaction.steps import Steps
from gacc_gui.runner.failures import repaired
from gacc_gui.runner.parts import Call, CompressorOutput
from gacc_gui.runner.prompts import Prompt

_NO_MESSAGES: Final[Messages] = ()


@dataclass(frozen=True, slots=True)
class MadeContext:
    """A context as sent, with its evidence: the text that the memory holds."""

    sent: SentContext
    evidence: str


@dataclass(frozen=True, slots=True)
class FailedContext:
    """Why a context could not be made, and what is known of it: nothing was sent.

    `status`: a memory's, `error` or `no_answer`; `call`: what failed.
    """

    sent: SentContext
    status: str
    error: str
    call: Call = field(default_factory=Call)


class _FailedError(Exception):
    def __init__(self, status: str, error: str, call: Call | None = None) -> None:
        self.status, self.error, self.call = status, error, call if call is not None else Call(error=error)
        super().__init__(error)


@dataclass(slots=True)
class _Progress:
    """What a method has done so far: all that is known of it should it fail."""

    generation: int = 0
    ranking: tuple[tuple[str, float], ...] = ()
    kept: tuple[str, ...] = ()
    retries: int = 0
    local: int | None = None


@dataclass(frozen=True, slots=True)
class ContextMaker:
    """Makes contexts of cases, by the run's settings and parts."""

    settings: Settings
    codec: Codec
    prompt: Prompt
    decider: Decider | None
    summarizer: Summarizer | None

    async def make(
        self, method: str, case: Case, room: Room, steps: Steps, generation: int = 0
    ) -> MadeContext | FailedContext:
        """Make one context. Raises NotBegunError where the run is stopping."""
        groups = groups_of(case.files, self.settings.group_sentences)
        if method == FULL:
            return await self._full(case, groups, room)
        progress = _Progress(generation)
        try:
            if room.space < 0:
                raise _FailedError(
                    "error",
                    f"the answer input has {room.fixed:,} tokens without any evidence, of the"
                    f" {room.most:,} that the ceiling leaves beside the reserve",
                )
            return await self._compressed(method, case, groups, room, steps, progress)
        except _FailedError as failure:
            sent = self._sent(
                method,
                _NO_MESSAGES,
                groups,
                progress,
                None,
                room.counts(room.fixed if progress.local is None else progress.local),
            )
            return FailedContext(sent, failure.status, failure.error, failure.call)

    async def _full(self, case: Case, groups: tuple[Group, ...], room: Room) -> MadeContext:
        history = history_text(case.trajectory)
        local = await asyncio.to_thread(room.count, history)
        everything = _Progress(kept=tuple(group.id for group in groups))
        messages = messages_of(self.prompt, asked_of(case), history)
        counts = room.counts(local, is_full=True)
        return MadeContext(
            self._sent(FULL, messages, groups, everything, None, counts), repaired(case.source)
        )

    async def _compressed(
        self,
        method: str,
        case: Case,
        groups: tuple[Group, ...],
        room: Room,
        steps: Steps,
        progress: _Progress,
    ) -> MadeContext:
        if method in (JEV, FUSION):
            progress.ranking = await self._ranking(case, groups, steps)
            most = room.most
            if method == FUSION:
                most = room.fixed + room.share(self.settings.fusion_share)
            progress.kept = await asyncio.to_thread(
                chosen, room.count, case.files, groups, progress.ranking, most
            )
        kept = kept_text(case.files, groups, progress.kept)
        rest = [group.id for group in groups if group.id not in progress.kept]
        summary: str | None = None
        evidence = kept
        if method in (SUMMARY, FUSION) and rest:
            text = kept_text(case.files, groups, rest)
            summary = await self._summary(case.task, kept, text, room, steps, progress)
            evidence = joined(kept, summary)
        local = await asyncio.to_thread(room.count, evidence)
        if (
            local > room.most
        ):  # never, by what was counted before; but the promise is checked where it is made
            progress.local = local
            raise _FailedError("error", f"the context is {local - room.most:,} tokens too long")
        messages = messages_of(self.prompt, asked_of(case), evidence)
        return MadeContext(
            self._sent(method, messages, groups, progress, summary, room.counts(local)), evidence
        )

    async def _ranking(
        self, case: Case, groups: tuple[Group, ...], steps: Steps
    ) -> tuple[tuple[str, float], ...]:
        decider = self.decider
        if decider is None:
            raise _FailedError("error", "there is no decision model")
        scores: dict[str, float] = {}
        parts = batches(
            case.task,
            passages_of(case.files, groups),
            self.settings.decision_batch,
            decider.batch_tokens,
            self.codec.count,
        )
        for number, given in enumerate(parts, start=1):
            step = f"decide-{number}"
            output = await steps.take(step, decider, given)
            if output.status != "ok":
                raise _failure(step, output, "the decision model gave no scores")
            try:
                scores |= scores_in(output.text, given.asked)
            except BadScoresError as error:
                raise _FailedError("error", f"{step}: {error}") from error
        return ranked(groups, scores)

    async def _summary(
        self, task: str, kept: str, text: str, room: Room, steps: Steps, progress: _Progress
    ) -> str:
        """Return a summary that fits; too long a one is asked for again, told by how many tokens."""
        summarizer = self.summarizer
        if summarizer is None:
            raise _FailedError("error", "there is no summarizer")
        space = room.most - await asyncio.to_thread(room.count, joined(kept, "") if kept else "")
        if space < 1:
            raise _FailedError("error", "there is no space left for a summary")
        last: TooLong | None = None
        for retry in range(self.settings.summary_retries + 1):
            progress.retries = retry
            step = f"summary-{retry + 1}"
            given = SummaryInput(task, kept, text, space, last, progress.generation)
            output = await steps.take(step, summarizer, given)
            if output.status not in ("ok", "truncated"):
                raise _failure(step, output, "the summarizer wrote nothing")
            summary = repaired(output.text or "").strip()
            if not summary:
                raise _failure(step, output, "the summarizer wrote nothing", status="no_answer")
            progress.local = await asyncio.to_thread(room.count, joined(kept, summary))
            over = progress.local - room.most
            if output.status == "ok" and over <= 0:
                return summary
            # What a service cut off is too long whatever is left of it: its end is missing.
            last = TooLong(max(over, 1))
        tries = self.settings.summary_retries
        how = "was still cut off" if over <= 0 else f"was still {over:,} tokens too long"
        raise _FailedError("error", f"the summary {how} after {tries} {'retry' if tries == 1 else 'retries'}")

    def _sent(
        self,
        method: str,
        messages: Messages,
        groups: tuple[Group, ...],
        progress: _Progress,
        summary: str | None,
        tokens: TokenCounts,
    ) -> SentContext:
        kept = set(progress.kept)
        return SentContext(
            method=method,
            messages=messages,
            kept=progress.kept,
            dropped=tuple(group.id for group in groups if group.id not in kept),
            summary=summary,
            ranking=progress.ranking,
            tokens=tokens,
            retries=progress.retries,
        )


def _failure(step: str, output: CompressorOutput, otherwise: str, status: str | None = None) -> _FailedError:
    status = status or ("no_answer" if output.status == "no_answer" else "error")
    return _FailedError(status, f"{step}: {output.error or otherwise}", output)
