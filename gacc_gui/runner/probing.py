"""Making probes: a question asked once more of the run's own parts, with something else for a memory.

Owns how one probe becomes a row of the run's own protocol, so that it is asked and judged exactly as the run
was, and the records that it leaves. Not here: which probes are made and where they go (`app.probing`), which
parts a run has (`app.probe_parts`), the materials and what results mean (`core`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from gacc_gui.core.compaction import FULL
from gacc_gui.core.compaction_values import context_from
from gacc_gui.core.probing import RETAINED_AGAIN, SOURCE
from gacc_gui.core.records import (
    NOTHING,
    Cell,
    Context,
    Goal,
    Json,
    Memory,
    Probe,
    ProbeAnswer,
    ProbeVerdict,
    Question,
    Record,
    Request,
    Run,
    Verdict,
    is_finished,
)
from gacc_gui.core.reviewing import written
from gacc_gui.runner.compaction.messages import Asked, messages_of
from gacc_gui.runner.compaction.protocol import CONTEXT
from gacc_gui.runner.plan import PlannedMemory, Setting
from gacc_gui.runner.prompts import Prompt
from gacc_gui.runner.protocol import BenchmarkProtocol, Calls, Made, Row
from gacc_gui.runner.workers import NotBegunError

PROBE: Final = "probe"
"""In a request's `extra`: the id of the probe that it was made for."""
_TOKENS: Final = ("input_tokens", "output_tokens", "cached_tokens")


@dataclass(frozen=True, slots=True)
class Ask:
    """One probe to make. `text` takes the memory's place; `attempt` counts a row's of one kind from 0."""

    id: str
    context: Context
    goal: Goal
    question: Question
    memory: Memory
    repeat: int
    given: str
    """One of MATERIALS."""
    attempt: int
    text: str


@dataclass(frozen=True, slots=True)
class Asker:
    """Who answers and judges the probes of a run. `row_of` makes a row of the run's protocol of a probe."""

    run: Run
    protocol: BenchmarkProtocol
    row_of: Callable[[Ask], Row]
    live: bool


@dataclass(frozen=True, slots=True)
class _Named:
    name: str
    revision: str


def gacc_row(ask: Ask) -> Row:
    """Return the row of GACC-Bench whose memory is the probe's text."""
    return _row(ask, replace(ask.memory, retained_text=ask.text), ask.memory.cell)


@dataclass(frozen=True, slots=True)
class CompactionRows:
    """Makes rows of the compaction benchmark: the complete answer input, with other evidence in its place.

    `prompt` is the wording of the run's answer inputs. Asked again, a seed counts on from the row's own.
    """

    prompt: Prompt

    def __call__(self, ask: Ask) -> Row:
        """Return the row."""
        memory, cell, own = ask.memory, ask.memory.cell, ask.memory.extra[CONTEXT]
        if ask.given != RETAINED_AGAIN:
            sent = context_from(own)
            system = next((one["content"] for one in sent.messages if one["role"] == "system"), "")
            asked = Asked(system, ask.goal.text, ask.question.text)
            messages = messages_of(self.prompt, asked, ask.text)
            own = replace(sent, messages=messages).as_json()
        if ask.given == SOURCE:
            cell = replace(cell, compressor=FULL)  # which has no ceiling
        changed = replace(memory, retained_text=ask.text, extra={**memory.extra, CONTEXT: own})
        return replace(_row(ask, changed, cell), repeat=ask.repeat + ask.attempt)


def _row(ask: Ask, memory: Memory, cell: Cell) -> Row:
    setting = Setting(_Named(cell.compressor, cell.revision), cell.condition, cell.ratio)
    planned = PlannedMemory(
        memory.id, ask.context, ask.goal, None, setting, memory.generation, (ask.question,)
    )
    return Row(planned, memory, ask.question, ask.repeat)


async def make_probe(ask: Ask, asker: Asker, calls: Calls) -> list[Record]:
    """Ask and judge one probe; return its requests and its record, without credentials taken out.

    What fails is a status. An answer that nobody judged any more, because the work is being stopped, is kept
    without a verdict. Raises NotBegunError where nothing was asked.
    """
    begun = time.perf_counter()
    created_at = written(datetime.now(UTC))
    row = asker.row_of(ask)
    read = await asker.protocol.read(row, calls)
    judged: Made[Verdict] | None = None
    if is_finished(read.item) and read.item.text is not None:
        try:
            judged = await asker.protocol.judge(row, read.item, calls)
        except NotBegunError:
            pass
    requests = [
        replace(
            request,
            id=f"{ask.id}/{request.role}",
            extra={**request.extra, "repeat": ask.repeat, PROBE: ask.id},
        )
        for made in (read, judged)
        if made is not None
        for request in made.requests
    ]
    verdict = None if judged is None else judged.item
    extra: dict[str, Json] = {} if verdict is None or not verdict.extra else {"verdict": dict(verdict.extra)}
    probe = Probe(
        id=ask.id,
        memory_id=ask.memory.id,
        question_id=ask.question.id,
        repeat=ask.repeat,
        given=ask.given,
        attempt=ask.attempt,
        answer=ProbeAnswer(read.item.text, read.item.status, read.item.error),
        verdict=None
        if verdict is None
        else ProbeVerdict(verdict.label, verdict.status, verdict.rationale, verdict.raw_reply),
        created_at=created_at,
        reader=asker.run.reader,
        judge=asker.run.judge,
        live=asker.live,
        usage=_usage(requests),
        cost=_cost(requests),
        seconds=time.perf_counter() - begun,
        requests=tuple(request.id for request in requests),
        extra=extra or NOTHING,
    )
    return [*requests, probe]


def failed(probe: Probe) -> bool:
    """Whether a probe came to no label."""
    return probe.verdict is None or probe.verdict.status != "judged"


def _usage(requests: Iterable[Request]) -> Mapping[str, Json] | None:
    """Return the tokens that services reported, summed up; None where none did."""
    told = [used for request in requests if isinstance(used := request.extra.get("usage"), Mapping)]
    sums = {name: [used[name] for used in told if name in used] for name in _TOKENS}
    return {name: sum(values) for name, values in sums.items() if values} or None


def _cost(requests: Iterable[Request]) -> float | None:
    """Return what the calls of models cost; None where any of theirs is unknown, or no model was asked."""
    asked = [request.extra for request in requests if request.extra.get("attempts")]
    costs = [extra.get("cost") for extra in asked]
    known = [cost for cost in costs if isinstance(cost, int | float)]
    return sum(known) if known and len(known) == len(costs) else None
