"""The audit of a run: what can be recounted is recounted, and compared with what the file declares.

Owns the list of checks, the recount of a memory and how failures are told apart. A figure is recomputed from
the source, the proposal and the ratio alone, never from another declared figure, so that one wrong number is
one failure. What compressors were shown is looked into by `app.exposure`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.app.check_results import Check, Example, Tally, Verification
from gacc_gui.app.exposure import ExposureSearch, Shown
from gacc_gui.core.budget import budget_for
from gacc_gui.core.compaction import PROTOCOL
from gacc_gui.core.conditions import shown_goal_fault
from gacc_gui.core.errors import BadUsage, GaccError, Interrupted
from gacc_gui.core.records import Context, Goal, Memory, Question, Request, Run

if TYPE_CHECKING:
    from gacc_gui.core.tokens import Codec
    from gacc_gui.store.reads import Reader

Progress = Callable[[int, int | None, str], None]

_BATCH: Final = 128
_EXCERPT: Final = 40
_HASH: Final = re.compile(r"sha256:|[0-9a-f]{64}\Z", re.IGNORECASE)
_FAILED: Final = ("no_answer", "error")

FIGURE_CHECKS: Final[dict[str, str]] = {
    "budget": "budgets",
    "source_tokens": "source_tokens",
    "proposed_tokens": "proposed_tokens",
    "retained_tokens": "retained_tokens",
    "unused_budget": "unused_budget",
    "reencoded_tokens": "reencoded_tokens",
    "padding_tokens": "padding_tokens",
    "retained_text": "retained_texts",
}
"""Field of a memory → name of the check that compares it."""

CHECKS: Final = (
    "tokenizer_identity",
    *FIGURE_CHECKS.values(),
    "budget_violations",
    "shown_goals",
    "compressor_exposures",
)
"""Every check's name, in the order of the report."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a memory: declared (None: the file does not say) and recomputed (None: it cannot be)."""

    field: str
    declared: int | str | None
    recomputed: int | str | None

    @property
    def agrees(self) -> bool | None:
        """Whether both are the same; None where one of them is missing."""
        if self.declared is None or self.recomputed is None:
            return None
        return self.declared == self.recomputed


@dataclass(frozen=True, slots=True)
class Recount:
    """A memory recounted. `over_budget`: how many tokens more than the budget it retains; 0 is none."""

    memory_id: str
    figures: tuple[Figure, ...]
    over_budget: int


def recompute_memory(codec: Codec, memory: Memory, source: str, source_tokens: int | None = None) -> Recount:
    """Recount a memory from its source, its proposal and its ratio.

    `source_tokens` is the source's count where the caller has it already. A failed memory has no proposal
    to recount.
    """
    if source_tokens is None:
        source_tokens = codec.count(source)
    whole = memory.cell.condition == "full-context"
    budget = source_tokens if whole else budget_for(memory.cell.ratio, source_tokens)
    ledger = memory.ledger
    declared: dict[str, int | str | None] = {
        name: getattr(ledger, name, None) for name in FIGURE_CHECKS if name not in ("budget", "retained_text")
    }
    declared |= {"budget": memory.budget, "retained_text": memory.retained_text}
    recomputed: dict[str, int | str | None] = dict.fromkeys(FIGURE_CHECKS)
    recomputed |= {"budget": budget, "source_tokens": source_tokens, "padding_tokens": 0}
    over = 0
    # The uncompressed baseline is its source, whatever it says it proposed.
    proposal = source if whole and memory.proposed_text is None else memory.proposed_text
    if proposal is not None and memory.status not in _FAILED:
        ids = codec.encode(proposal)
        kept = ids[:budget]
        retained = source if whole else proposal if len(kept) == len(ids) else codec.decode(kept)
        recomputed |= {
            "proposed_tokens": len(ids),
            "retained_tokens": len(kept),
            "unused_budget": budget - len(kept),
            "retained_text": retained,
        }
        stored = memory.retained_text
        if declared["reencoded_tokens"] is not None:
            counted = codec.count(retained)
            # It is the count of the stored text. Where that is wrong, it may be a left-over of the right one:
            # one changed text is one failure.
            if stored is not None and stored != retained and counted != declared["reencoded_tokens"]:
                counted = codec.count(stored)
            recomputed["reencoded_tokens"] = counted
        # A right text has the tokens of its cut; recounted it may have more (a split character).
        tokens = len(kept) if stored is None or stored == retained else codec.count(stored)
        claimed = ledger.retained_tokens if ledger else None
        over = max(0, tokens - budget, (claimed or 0) - budget)
    figures = tuple(Figure(name, declared[name], recomputed[name]) for name in FIGURE_CHECKS)
    return Recount(memory.id, figures, over)


def verify_run(
    reader: Reader,
    run_id: str,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    tokenizer: Path | None = None,
) -> Verification:
    """Run every check on a run, of either benchmark.

    `progress(done, total, phase)` counts memories, then requests; where `cancelled()` turns true, Interrupted
    is raised. StoreError and BadUsage as the reader raises them. `tokenizer` is the file that a compaction
    run's tokens are recounted with; CodecUnavailable where it cannot be used.
    """
    progress = progress or (lambda _done, _total, _phase: None)
    cancelled = cancelled or (lambda: False)
    reader.check_whole()
    records = iter(reader.records(run_id))
    run = next(records)
    if isinstance(run, Run) and run.protocol == PROTOCOL:
        from gacc_gui.app.verifying_compaction import verify_compaction

        return verify_compaction(run_id, chain([run], records), tokenizer, progress, cancelled)
    if tokenizer is not None:
        raise BadUsage("--tokenizer is for runs of the compaction benchmark; this run's tokenizer is ours")
    return _Audit(progress, cancelled).of(run_id, chain([run], records))


class _Audit:
    """One pass over a run's records, in the order in which files and stores give them."""

    def __init__(self, progress: Progress, cancelled: Callable[[], bool]) -> None:
        self._progress = progress
        self._cancelled = cancelled
        self._tallies = {name: Tally() for name in CHECKS}
        self._contexts: dict[str, Context] = {}
        self._goals: dict[str, Goal] = {}
        self._context_of: dict[str, str] = {}
        self._questions: list[Question] = []
        self._shown: dict[str, Shown] = {}
        self._source_tokens: dict[str, int] = {}
        self._memories = 0

    def of(self, run_id: str, records: Iterator[Any]) -> Verification:
        codec: Codec | None = None
        with ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as pool:
            for kind, group in groupby(records, type):
                if kind is Run:
                    codec = self._codec_of(next(iter(group)))
                elif kind is Context:
                    self._contexts |= {context.id: context for context in group}
                elif kind is Goal:
                    self._goals |= {goal.id: goal for goal in group}
                    self._context_of = {goal.id: goal.context_id for goal in self._goals.values()}
                elif kind is Question:
                    self._questions += group
                elif kind is Memory:
                    self._recount_all(codec, group, pool)
                elif kind is Request:
                    self._look_into(group)
        return Verification(run_id, tuple(self._outcome(name) for name in CHECKS))

    def _step(self, done: int, phase: str) -> None:
        if self._cancelled():
            raise Interrupted("the audit was stopped")
        self._progress(done, None, phase)

    def _outcome(self, name: str) -> Check:
        nothing = {
            "tokenizer_identity": "the run declares no tokenizer",
            "compressor_exposures": "the run keeps no requests to compressors",
            "shown_goals": "the run has no memory",
        }
        return self._tallies[name].outcome(name, nothing.get(name, "the run declares nothing to compare"))

    def _codec_of(self, run: Run) -> Codec | None:
        tally = self._tallies["tokenizer_identity"]
        declared = run.tokenizer or {}
        name = declared.get("name")
        if not isinstance(name, str) or not name:
            self._no_recount("the run declares no tokenizer")
            return None
        from gacc_gui.formats.vocabulary import load_codec

        try:
            codec = load_codec(name)
        except GaccError as error:
            self._no_recount(str(error))
            return None
        revision, claim = declared.get("revision"), declared.get("identity_verified")
        if isinstance(revision, str) and _contradicts(revision, codec.revision):
            tally.count(Example(None, "tokenizer.revision", revision, codec.revision))
        elif claim is True and not codec.identity_verified:
            tally.count(Example(None, "tokenizer.identity_verified", True, False))
        elif not isinstance(revision, str) or not revision:
            # A name alone may stand for any vocabulary: there is nothing to compare.
            tally.why = "the run declares no revision of its tokenizer that could be compared"
        elif not _is_hash(revision) and revision != codec.revision:
            # The recounts show whether it is the same.
            tally.why = f"the declared revision {revision!r:.80} is no hash that could be compared"
        else:
            tally.count(None)
        return codec

    def _no_recount(self, why: str) -> None:
        for name in ("tokenizer_identity", *FIGURE_CHECKS.values()):
            if name != "padding_tokens":  # must be 0, whatever a token is
                self._tallies[name].why = why

    def _recount_all(self, codec: Codec | None, memories: Iterator[Memory], pool: ThreadPoolExecutor) -> None:
        while batch := list(islice(memories, _BATCH)):
            for memory in batch:
                self._shown[memory.id] = Shown(
                    self._context_of[memory.goal_id], memory.shown_goal_id, memory.budget
                )
                fault = shown_goal_fault(memory, self._context_of)
                failure = Example(memory.id, "shown_goal_id", memory.shown_goal_id, detail=fault)
                self._tallies["shown_goals"].count(failure if fault else None)
            if codec is None:
                for memory in batch:
                    self._compare_declared(memory)
            else:
                # tiktoken counts outside Python's lock, so that threads do help.
                self._count_sources(codec, batch, pool)
                jobs = [(memory, self._shown[memory.id].context_id) for memory in batch]
                for memory, recount in zip(
                    batch, pool.map(lambda job: self._recount(codec, *job), jobs), strict=True
                ):
                    self._compare(memory, recount)
            self._memories += len(batch)
            self._step(self._memories, "memories")

    def _count_sources(self, codec: Codec, batch: list[Memory], pool: ThreadPoolExecutor) -> None:
        new = sorted({self._shown[memory.id].context_id for memory in batch} - self._source_tokens.keys())
        counts = pool.map(lambda name: codec.count(self._contexts[name].text), new)
        self._source_tokens |= dict(zip(new, counts, strict=True))

    def _recount(self, codec: Codec, memory: Memory, context_id: str) -> Recount:
        source = self._contexts[context_id].text
        return recompute_memory(codec, memory, source, self._source_tokens[context_id])

    def _compare(self, memory: Memory, recount: Recount) -> None:
        for figure in recount.figures:
            if figure.agrees is not None:
                failure = None if figure.agrees else _example(memory.id, figure)
                self._tallies[FIGURE_CHECKS[figure.field]].count(failure)
        if memory.status not in _FAILED:
            budget = recount.figures[0].recomputed
            kept = memory.ledger.retained_tokens if memory.ledger else None
            detail = f"{recount.over_budget} tokens over the budget"
            failure = Example(memory.id, "retained_tokens", kept, budget, detail=detail)
            self._tallies["budget_violations"].count(failure if recount.over_budget else None)

    def _compare_declared(self, memory: Memory) -> None:
        """Compare what needs no tokenizer: padding, and whether the declared figures exceed the budget."""
        ledger = memory.ledger
        if ledger is None:
            return
        if ledger.padding_tokens is not None:
            figure = Figure("padding_tokens", ledger.padding_tokens, 0)
            self._tallies["padding_tokens"].count(None if figure.agrees else _example(memory.id, figure))
        if ledger.retained_tokens is not None and memory.budget is not None and memory.status not in _FAILED:
            over = ledger.retained_tokens > memory.budget
            failure = Example(memory.id, "retained_tokens", ledger.retained_tokens, memory.budget)
            self._tallies["budget_violations"].count(failure if over else None)

    def _look_into(self, requests: Iterator[Request]) -> None:
        search = ExposureSearch(self._contexts, self._goals, self._questions)
        tally = self._tallies["compressor_exposures"]
        for request in requests:
            if request.role != "compressor":
                continue
            shown = None if request.memory_id is None else self._shown.get(request.memory_id)
            search.look_into(request, shown)
            tally.checked += 1
            self._step(tally.checked, "requests")
        for found in search.exposures():
            tally.fail(
                Example(
                    found.memory_id,
                    found.field,
                    recomputed=excerpt(found.text),
                    request_id=found.request_id,
                    question_id=found.question_id,
                    detail=f"the compressor was shown the text of a {found.kind}",
                )
            )


def _is_hash(revision: str) -> bool:
    return _HASH.match(revision) is not None


def _contradicts(declared: str, ours: str) -> bool:
    """Whether a declared hash is not that of our vocabulary, be it another one or none at all."""
    if not _is_hash(declared) or not _is_hash(ours):
        return False
    return declared.lower().removeprefix("sha256:") != ours.removeprefix("sha256:")


def excerpt(text: str, around: int = 0) -> str:
    """Return a piece of a long text around a place, with dots where something was left out."""
    start, end = max(0, around - _EXCERPT), min(len(text), around + 2 * _EXCERPT)
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")


def _example(memory_id: str, figure: Figure) -> Example:
    declared, recomputed = figure.declared, figure.recomputed
    if not isinstance(declared, str) or not isinstance(recomputed, str):
        return Example(memory_id, figure.field, declared, recomputed)
    # Where two long texts part is what one wants to see of them.
    limit = min(len(declared), len(recomputed))
    place = next((i for i in range(limit) if declared[i] != recomputed[i]), limit)
    return Example(
        memory_id,
        figure.field,
        excerpt(declared, place),
        excerpt(recomputed, place),
        detail=f"they differ from character {place} on",
    )
