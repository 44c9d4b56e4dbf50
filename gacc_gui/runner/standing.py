"""How far an evaluation is: what is planned, settled and failed, per stage, told as it changes.

Owns the counts and the events about them. Not here: what settles an item (`engine`), and what calls used
(`accounting`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from gacc_gui.core.records import Answer, Json, Memory, Verdict
from gacc_gui.formats.redaction import redacted
from gacc_gui.runner.call_records import Place
from gacc_gui.runner.events import STAGES, Failure, Planned, Progress, Report
from gacc_gui.runner.known import Known
from gacc_gui.runner.parts import Call
from gacc_gui.runner.plan import Plan, PlannedMemory

MEMORIES, ANSWERS, VERDICTS = STAGES
_EXAMPLE: Final = 300
"""Characters of what is told of a failure; the whole of it is stored."""
_ROLES: Final = {Memory: "compressor", Answer: "reader", Verdict: "judge"}


@dataclass(slots=True)
class Standing:
    """Counts of one evaluation. `survey` comes first."""

    report: Report
    planned: Counter[str] = field(default_factory=Counter)
    settled: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    _failures: Counter[str] = field(default_factory=Counter)

    @property
    def complete(self) -> bool:
        """Whether everything was tried."""
        return all(self.settled[stage] >= self.planned[stage] for stage in STAGES)

    def survey(self, plan: Plan, known: Known, estimate: Mapping[str, Json] | None) -> list[PlannedMemory]:
        """Count what is planned and what is there; return the memories that want anything done."""
        todo = []
        for planned in plan.memories():
            there = known.memories.get(planned.id, False)
            missing = not there
            self.planned[MEMORIES] += 1
            self.settled[MEMORIES] += there
            for place in _places(plan, planned):
                answered = known.answers.get(place, False)
                judged = known.verdicts.get(place, False)
                self.planned.update((ANSWERS, VERDICTS))
                self.settled[ANSWERS] += answered
                self.settled[VERDICTS] += judged
                missing |= not (answered and judged)
            if missing:
                todo.append(planned)
        self.report(
            Planned(
                plan.run.id,
                {stage: self.planned[stage] for stage in STAGES},
                {stage: self.settled[stage] for stage in STAGES},
                estimate,
            )
        )
        return todo

    def advance(self, stage: str, failed: bool) -> None:
        """Count an item as settled."""
        self.settled[stage] += 1
        self.failed[stage] += failed
        self.report(Progress(stage, self.settled[stage], self.planned[stage], self.failed[stage]))

    def tell_failure(self, item: Memory | Answer | Verdict, call: Call) -> None:
        """Tell of an item without a result, grouped by what failed."""
        kind = f"{_ROLES[type(item)]}: {call.details.get('kind') or item.status}"
        self._failures[kind] += 1
        example = redacted(call.error or call.reply or item.status)[:_EXAMPLE]
        self.report(Failure(kind, self._failures[kind], example))


def _places(plan: Plan, planned: PlannedMemory) -> Iterator[Place]:
    for repeat in range(plan.repeats):
        for question in planned.questions:
            yield planned.id, question.id, repeat
