"""What a request to ask again comes to: the probes to make, those that make no sense, and the cost.

Owns kinds, attempts and the plan; makes no call and writes nothing. Not here: the rows (`probe_rows`), the
run's parts (`probe_parts`), what a material is (`core.probing`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import uuid4

from gacc_gui.app.probe_estimate import ProbeEstimate, estimate_of
from gacc_gui.app.probe_parts import COMPACTION_KINDS, Connecting, ProbeParts, probe_parts
from gacc_gui.app.probe_rows import Chosen, ChosenRow, Selection, choose
from gacc_gui.core.analysis import Source
from gacc_gui.core.compaction import PROTOCOL as COMPACTION
from gacc_gui.core.errors import BadUsage
from gacc_gui.core.probing import Material, material
from gacc_gui.core.records import MATERIALS, Probe, Run
from gacc_gui.runner.probing import Ask, failed

if TYPE_CHECKING:
    from gacc_gui.store.reads import Reader

MOST_TIMES: Final = 1_000


class NothingMissing(BadUsage):
    """Of what is missing only, there is nothing to ask: all that makes sense was asked already.

    `head` is that of the document about it.
    """

    def __init__(self, run_id: str, as_reviewed: bool) -> None:
        super().__init__("nothing is missing: all that makes sense was asked already")
        self.head = _head(run_id, as_reviewed, False, (), False, estimate_of((), (), None))


@dataclass(frozen=True, slots=True)
class ProbeRequest:
    """What to ask again, with what (`kinds` of MATERIALS; empty: whatever makes sense), how often each.

    `config` is the file of the run's configuration, where the database has none that can be used. `missing`:
    only what a row lacks of `times` probes of a kind that came to a label, so that what was stopped, capped
    or failed goes on.
    """

    selection: Selection
    kinds: tuple[str, ...] = ()
    times: int = 1
    config: Path | None = None
    missing: bool = False


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
    as_reviewed: bool
    chosen: Chosen
    parts: ProbeParts
    asks: tuple[Ask, ...]
    skipped: tuple[Skipped, ...]
    estimate: ProbeEstimate

    def head(self) -> dict[str, Any]:
        """Return what the documents of a look ahead and of an outcome have in common."""
        return _head(
            self.run.id,
            self.as_reviewed,
            self.parts.live,
            self.skipped,
            self.chosen.capped,
            self.estimate,
        )


def _head(
    run_id: str,
    as_reviewed: bool,
    live: bool,
    skipped: Sequence[Skipped],
    capped: bool,
    estimate: ProbeEstimate,
) -> dict[str, Any]:
    return {
        "run": run_id,
        **({"as": "reviewed"} if as_reviewed else {}),
        "live": live,
        "skipped": [one.as_json() for one in skipped],
        "capped": capped,
        "estimate": estimate.as_json(),
    }


def planned(reader: Reader, run_id: str, request: ProbeRequest, connecting: Connecting | None) -> ProbePlan:
    """Return what a request comes to.

    Raises BadUsage or BadInput where that is nothing, in one sentence: NothingMissing where nothing is left.
    """
    if not 1 <= request.times <= MOST_TIMES:
        raise BadUsage(f"--times is a whole number from 1 to {MOST_TIMES:,}, not {request.times}")
    run = next(summary.run for summary in reader.runs() if summary.run.id == run_id)
    kinds = COMPACTION_KINDS if run.protocol == COMPACTION else MATERIALS
    for kind in request.kinds:
        if kind not in kinds:
            raise BadUsage(
                f"{kind!r} makes no sense for the compaction run {run_id!r}: its contexts were never cut, so"
                f" that it is asked again with {', '.join(kinds)} only"
            )
    asking = _Asking(reader, run_id, request, [kind for kind in kinds if kind in (request.kinds or kinds)])
    chosen = choose(reader, run_id, request.selection, asking.is_missing if request.missing else None)
    if not chosen.rows:
        raise NothingMissing(run_id, request.selection.as_reviewed)
    stored = next((one for one in reader.evaluations() if one.run_id == run_id), None)
    configuration = None if stored is None else stored.configuration
    parts = probe_parts(run, configuration, chosen.rows, config_path=request.config, connecting=connecting)
    for one in chosen.rows:
        asking.add(one)
    if not asking.asks:
        raise BadUsage(f"there is nothing to ask again with: {asking.skipped[0].reason}")
    estimate = estimate_of(asking.asks, parts.services, parts.tokenizer)
    as_reviewed = request.selection.as_reviewed
    return ProbePlan(run, as_reviewed, chosen, parts, tuple(asking.asks), tuple(asking.skipped), estimate)


@dataclass(slots=True)
class _Asking:
    """Makes asks of rows, in their order; sources are prepared and attempts counted once."""

    reader: Reader
    run_id: str
    request: ProbeRequest
    kinds: Sequence[str]
    asks: list[Ask] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    _sources: dict[str, Source] = field(default_factory=dict)
    _asked: dict[str, Mapping[tuple[str, int, str], _Asked]] = field(default_factory=dict)

    def is_missing(self, one: ChosenRow) -> bool:
        """Whether a row has yet to be asked with something that makes sense."""
        return any(
            self._attempts(one, kind) and self._material(one, kind).text is not None for kind in self.kinds
        )

    def add(self, one: ChosenRow) -> None:
        """Add the asks of a row."""
        view = one.view
        for kind in self.kinds:
            given = self._material(one, kind)
            if given.text is None:
                self.skipped.append(Skipped(*one.place, kind, given.why_not or ""))
            else:
                self.asks += (
                    Ask(
                        id=f"probe-{uuid4().hex}",
                        context=view.context,
                        goal=view.goal,
                        question=one.row.question,
                        memory=view.memory,
                        repeat=view.repeat,
                        given=kind,
                        attempt=attempt,
                        text=given.text,
                    )
                    for attempt in self._attempts(one, kind)
                )

    def _material(self, one: ChosenRow, kind: str) -> Material:
        context = one.view.context
        if context.id not in self._sources:
            self._sources[context.id] = Source(context.text)
        return material(kind, one.view.memory, one.row.question, self._sources[context.id])

    def _attempts(self, one: ChosenRow, kind: str) -> range:
        """Return the attempts that a row is asked with a kind: free ones, as many as are wanted or lack."""
        memory_id = one.view.memory.id
        if memory_id not in self._asked:
            self._asked[memory_id] = _asked(self.reader.probes(self.run_id, memory_id))
        asked = self._asked[memory_id].get((one.row.question.id, one.view.repeat, kind), _NOT_ASKED)
        lacking = self.request.times - (asked.labelled if self.request.missing else 0)
        return range(asked.next, asked.next + lacking)


class _Asked(NamedTuple):
    """What is stored of a row and a kind: the first attempt that is not taken, and how many have a label."""

    next: int
    labelled: int


_NOT_ASKED: Final = _Asked(0, 0)


def _asked(probes: Sequence[Probe]) -> Mapping[tuple[str, int, str], _Asked]:
    """Return, by question, repeat and kind, what is stored."""
    found: dict[tuple[str, int, str], _Asked] = defaultdict(lambda: _NOT_ASKED)
    for probe in probes:
        key = probe.question_id, probe.repeat, probe.given
        before = found[key]
        found[key] = _Asked(max(before.next, probe.attempt + 1), before.labelled + (not failed(probe)))
    return found
