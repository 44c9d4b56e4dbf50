"""What the lines and entries of a compaction run's folder must agree in, beyond each one's own shape.

Owns which context, answer or request stands twice, and whether what the files repeat of one another (the
method of a context, the type of a question, the count of an input) says the same. The audit of what the
records say is `app.compaction_checks`'; a fault here costs the line or the entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gacc_gui.core.compaction_aggregate import PlannedRun
from gacc_gui.core.compaction_values import context_from, result_from
from gacc_gui.core.records import Memory, Request, Verdict
from gacc_gui.formats.record_reading import BadRecord, plain

Place = tuple[str, str, int]
"""Case, method, generation."""


@dataclass(slots=True)
class Agreement:
    """What was read of a folder so far. `kinds` are the types of the corpus's questions, by case.

    Its methods raise BadRecord or ValueError, in words; what is of the wrong shape raises as it may.
    """

    planned: PlannedRun
    kinds: Mapping[str, str]
    _contexts: dict[str, tuple[Place, int]] = field(default_factory=dict)
    """By the memory's id: its place, and the local count of its input."""
    _places: set[Place] = field(default_factory=set)
    _results: set[tuple[str, int]] = field(default_factory=set)
    _requests: set[str] = field(default_factory=set)

    def context(self, line: Mapping[str, Any], memory: Memory) -> None:
        """Look at a line of contexts.jsonl."""
        if line["messages"] is None:
            raise BadRecord("messages is null: it does not say what was sent")
        sent = context_from(plain(memory.extra.get("compaction")))
        place = (memory.goal_id, memory.cell.compressor, memory.generation)
        if sent.method != place[1]:
            raise BadRecord("its method and that of what was sent are not the same")
        if place[0] not in self.planned.cases:
            raise BadRecord(f"the run has no case {place[0]!r:.120}")
        if place[1] not in self.planned.methods:
            raise BadRecord(f"the run has no method {place[1]!r:.60}")
        _within("generation", place[2], self.planned.generations)
        if memory.id in self._contexts:
            raise BadRecord(f"an earlier line has the memory {memory.id!r:.120} too")
        if place in self._places:
            raise BadRecord("an earlier line has the same case, method and generation")
        self._contexts[memory.id] = place, sent.tokens.local
        self._places.add(place)

    def result(self, entry: Mapping[str, Any], verdict: Verdict) -> None:
        """Look at an entry of results.json."""
        result_from(verdict.extra)
        _within("repeat", verdict.repeat, self.planned.repeats)
        key = (verdict.memory_id, verdict.repeat)
        if key in self._results:
            raise BadRecord("an earlier entry has the same memory and repeat")
        case, kind = verdict.question_id, entry["type"]
        if case in self.kinds and kind != self.kinds[case]:
            raise BadRecord(f"type is {kind!r:.40}, and that of the question is {self.kinds[case]}")
        if (known := self._contexts.get(verdict.memory_id)) is not None:
            (place, local) = known
            for name, wanted in zip(("case", "method", "generation"), place, strict=True):
                _same(name, entry[name], wanted)
            _same("local_input_tokens", entry["local_input_tokens"], local)
        self._results.add(key)

    def request(self, line: Mapping[str, Any], request: Request) -> None:
        """Look at a line of requests.jsonl."""
        if request.id in self._requests:
            raise BadRecord(f"an earlier line has the id {request.id!r:.120} too")
        known = self._contexts.get(request.memory_id or "")
        if known is not None:
            for name, wanted in zip(("case", "method", "generation"), known[0], strict=True):
                _same(f"of.{name}", line["of"][name], wanted)
        self._requests.add(request.id)


def _within(name: str, value: int, planned: int) -> None:
    if not 0 <= value < planned:
        raise BadRecord(f"{name} is {value}, and the run has {planned}")


def _same(name: str, found: object, wanted: object) -> None:
    if type(found) is not type(wanted) or found != wanted:
        raise BadRecord(f"{name} is {found!r:.60}, and that of its context is {wanted!r:.120}")
