"""Whether a context's requests were made with the input whose hash they keep.

Owns what a step must have been told, made again of what is stored: task, groups, summaries that were too
long. Where the hash is wrong, `--resume` would not know the request again, or would take it for another's.
What only a tokenizer tells (the space beside kept groups, by how much a summary was too long) is made where
it is at hand, and else left out. Not here: what requests say beside it (`compaction_calls`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gacc_gui.app.check_results import Example
from gacc_gui.app.compaction_rules import CheckedCase, at, with_evidence
from gacc_gui.core.compaction import SentContext
from gacc_gui.core.records import Memory, Request
from gacc_gui.formats.redaction import REMOVED

if TYPE_CHECKING:
    from gacc_gui.core.tokens import Codec
    from gacc_gui.runner.compaction.parts import TooLong
    from gacc_gui.runner.compaction.steps import StepInput

_PARTS: Final[Mapping[str, str]] = {"decide": "decider", "summary": "summarizer"}


@dataclass(frozen=True, slots=True)
class Asked:
    """Who was asked: `parts` of the protocol; and its tokenizer, where it is at hand."""

    parts: Mapping[str, Any]
    codec: Codec | None = None


@dataclass(frozen=True, slots=True)
class _Named:
    name: str
    revision: str


def input_faults(
    place: Example,
    case: CheckedCase,
    memory: Memory,
    sent: SentContext,
    steps: Mapping[str, Mapping[int, Sequence[Request]]],
    outputs: Mapping[tuple[str, int], str | None],
    asked: Asked,
) -> Iterator[Example]:
    """Whether every request with a hash of its input was made with the input that its step has.

    `steps`: requests by `decide` or `summary` and number; `outputs`: what each step came to.
    """
    from gacc_gui.runner.compaction.steps import INPUT, input_sha256

    inputs = _Inputs(case, memory, sent, asked.codec)
    for name, numbers in steps.items():
        part = asked.parts.get(_PARTS[name], {})
        named = _Named(part.get("name", ""), part.get("revision", ""))
        for number, requests in numbers.items():
            kept = [request for request in requests if INPUT in request.extra]
            given = inputs.of(name, number, outputs) if kept else None
            if given is None or any(REMOVED in text for text in given.texts):
                continue  # credentials were in it when it was hashed
            expected = input_sha256(f"{name}-{number}", named, given)
            for request in kept:
                if (told := request.extra[INPUT]) != expected:
                    detail = f"it keeps the hash of another input: {request.id}"
                    yield at(place, INPUT, str(told)[:80], expected, detail)


@dataclass(frozen=True, slots=True)
class _Inputs:
    case: CheckedCase
    memory: Memory
    sent: SentContext
    codec: Codec | None

    def of(self, name: str, number: int, outputs: Mapping[tuple[str, int], str | None]) -> StepInput | None:
        """Return what a step was told; None where what is at hand does not tell."""
        text = outputs.get((name, number))
        if name == "decide":
            return None if text is None else self._decision(text)
        before = outputs.get((name, number - 1))
        return self._summary(number, before)

    def _decision(self, text: str) -> StepInput:
        from gacc_gui.runner.compaction.decisions import passages_of
        from gacc_gui.runner.compaction.parts import DecisionInput

        scores = json.loads(text)
        ids = tuple(group.id for group in self.case.groups if group.id in scores)
        return DecisionInput(self.case.task, passages_of(self.case.files, self.case.groups), ids)

    def _summary(self, number: int, before: str | None) -> StepInput | None:
        from gacc_gui.runner.compaction.messages import joined, kept_text
        from gacc_gui.runner.compaction.parts import SummaryInput

        case, sent = self.case, self.sent
        kept, rest = (kept_text(case.files, case.groups, some) for some in (sent.kept, sent.dropped))
        tokens = sent.tokens.space
        if kept:
            used = self._count(joined(kept, ""))
            tokens = None if used is None else sent.tokens.ceiling - sent.tokens.reserve - used
        last = None if number == 1 else self._too_long(kept, before)
        if tokens is None or (number > 1 and last is None):
            return None
        return SummaryInput(case.task, kept, rest, tokens, last, self.memory.generation)

    def _too_long(self, kept: str, before: str | None) -> TooLong | None:
        from gacc_gui.runner.compaction.messages import joined
        from gacc_gui.runner.compaction.parts import TooLong
        from gacc_gui.runner.failures import repaired

        if before is None or (count := self._count(joined(kept, repaired(before).strip()))) is None:
            return None
        most = self.sent.tokens.ceiling - self.sent.tokens.reserve
        return TooLong(max(count - most, 1))

    def _count(self, evidence: str) -> int | None:
        """Return the tokens of the complete input with this evidence; None where nobody can count them."""
        from gacc_gui.runner.compaction.messages import serialised

        retained = self.memory.retained_text
        if self.codec is None or not self.sent.messages or not retained:
            return None
        return self.codec.count(serialised(with_evidence(self.sent, retained, evidence)))
