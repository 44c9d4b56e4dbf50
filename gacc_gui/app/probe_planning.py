"""What a request to ask again comes to: the probes to make, those that make no sense, and the cost.

Owns kinds, attempts and the plan; makes no call and writes nothing. Not here: the rows (`probe_rows`), the
run's parts (`probe_parts`), what a material is (`core.probing`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from gacc_gui.app.probe_estimate import ProbeEstimate, estimate_of
from gacc_gui.app.probe_parts import Connecting, ProbeParts, probe_parts
from gacc_gui.app.probe_rows import Chosen, Selection, choose
from gacc_gui.core.analysis import Source
from gacc_gui.core.errors import BadUsage
from gacc_gui.core.probing import material
from gacc_gui.core.records import MATERIALS, Probe, Run
from gacc_gui.runner.probing import Ask

if TYPE_CHECKING:
    from gacc_gui.store.reads import Reader

MOST_TIMES: Final = 1_000


@dataclass(frozen=True, slots=True)
class ProbeRequest:
    """What to ask again, with what (`kinds` of MATERIALS; empty: whatever makes sense), how often each.

    `config` is the file of the run's configuration, where the database has none that can be used.
    """

    selection: Selection
    kinds: tuple[str, ...] = ()
    times: int = 1
    config: Path | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A probe that makes no sense, and why in a clause."""

    memory_id: str
    question_id: str
    repeat: int
    given: str
    reason: str

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "memory_id": self.memory_id,
            "question_id": self.question_id,
            "repeat": self.repeat,
            "with": self.given,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class ProbePlan:
    """The probes to make, in order, with the run's own parts to make them."""

    run: Run
    chosen: Chosen
    parts: ProbeParts
    asks: tuple[Ask, ...]
    skipped: tuple[Skipped, ...]
    estimate: ProbeEstimate

    def head(self) -> dict[str, Any]:
        """Return what the documents of a look ahead and of an outcome have in common."""
        return {
            "run": self.run.id,
            "live": self.parts.live,
            "skipped": [one.as_json() for one in self.skipped],
            "capped": self.chosen.capped,
            "estimate": self.estimate.as_json(),
        }


def planned(reader: Reader, run_id: str, request: ProbeRequest, connecting: Connecting | None) -> ProbePlan:
    """Return what a request comes to. Raises BadUsage or BadInput where that is nothing, in one sentence."""
    if not 1 <= request.times <= MOST_TIMES:
        raise BadUsage(f"--times is a whole number from 1 to {MOST_TIMES:,}, not {request.times}")
    run = next(summary.run for summary in reader.runs() if summary.run.id == run_id)
    stored = next((one for one in reader.evaluations() if one.run_id == run_id), None)
    chosen = choose(reader, run_id, request.selection)
    configuration = None if stored is None else stored.configuration
    parts = probe_parts(run, configuration, chosen.rows, config_path=request.config, connecting=connecting)
    for kind in request.kinds:
        if kind not in parts.kinds:
            raise BadUsage(
                f"{kind!r} makes no sense for the compaction run {run_id!r}: its contexts were never cut, so"
                f" that it is asked again with {', '.join(parts.kinds)} only"
            )
    asks, skipped = _asks(reader, run_id, chosen, request, parts)
    if not asks:
        raise BadUsage(f"there is nothing to ask again with: {skipped[0].reason}")
    estimate = estimate_of(asks, parts.services, parts.tokenizer)
    return ProbePlan(run, chosen, parts, tuple(asks), tuple(skipped), estimate)


def _asks(
    reader: Reader, run_id: str, chosen: Chosen, request: ProbeRequest, parts: ProbeParts
) -> tuple[list[Ask], list[Skipped]]:
    asks: list[Ask] = []
    skipped: list[Skipped] = []
    sources: dict[str, Source] = {}
    attempts: dict[str, Counter[tuple[str, int, str]]] = {}
    kinds = [kind for kind in MATERIALS if kind in (request.kinds or parts.kinds)]
    for one in chosen.rows:
        view, question, place = one.view, one.row.question, one.place
        source = sources.setdefault(view.context.id, Source(view.context.text))
        if view.memory.id not in attempts:
            attempts[view.memory.id] = _attempts(reader.probes(run_id, view.memory.id))
        for kind in kinds:
            given = material(kind, view.memory, question, source)
            if given.text is None:
                skipped.append(Skipped(*place, kind, given.why_not or ""))
                continue
            first = attempts[view.memory.id][question.id, view.repeat, kind]
            asks += (
                Ask(
                    id=f"probe-{uuid4().hex}",
                    context=view.context,
                    goal=view.goal,
                    question=question,
                    memory=view.memory,
                    repeat=view.repeat,
                    given=kind,
                    attempt=attempt,
                    text=given.text,
                )
                for attempt in range(first, first + request.times)
            )
    return asks, skipped


def _attempts(probes: Sequence[Probe]) -> Counter[tuple[str, int, str]]:
    """Return, by question, repeat and kind, the first attempt that is not taken."""
    found: Counter[tuple[str, int, str]] = Counter()
    for probe in probes:
        key = probe.question_id, probe.repeat, probe.given
        found[key] = max(found[key], probe.attempt + 1)
    return found
