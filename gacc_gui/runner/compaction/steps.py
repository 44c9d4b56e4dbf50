"""The calls of one memory, step by step: each kept at once, and never made again for the same input.

Owns a step's input hash and what a kept request says of its output. Not here: which steps there are
(`contexts`), and how calls are made and kept (`runner.protocol.Calls`).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Final, Protocol

from gacc_gui.core.records import MEMORY_STATUSES, Json, Request
from gacc_gui.runner.call_records import reported
from gacc_gui.runner.calling import sound_text
from gacc_gui.runner.compaction.parts import Decider, Summarizer
from gacc_gui.runner.parts import CompressorOutput, Named
from gacc_gui.runner.protocol import Calls

STEP: Final = "step"
INPUT: Final = "input_sha256"
OUTPUT: Final = "output"
"""Where a request keeps its step, what it was asked with, and what came of it: `{"text", "status"}`."""


class StepInput(Protocol):
    """What a step's part is told."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Its texts, in order."""
        ...

    def as_json(self) -> dict[str, Json]:
        """Return it as JSON, for its hash."""
        ...


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps of one memory."""

    calls: Calls
    memory_id: str

    async def take(
        self,
        step: str,
        part: Decider | Summarizer,
        given: StepInput,
    ) -> CompressorOutput:
        """Return a step's output: what is kept of the same step and input, or else what `part` makes of it.

        Whatever it comes to is kept, so that only a step that succeeded is never made again. Raises
        NotBegunError where the run is stopping.
        """
        asked = input_sha256(step, part, given)
        if (kept := self._kept(step, asked)) is not None:
            return kept
        request_id = self.calls.new_id("compressor", self.memory_id, step=step)
        place = (self.memory_id, None, None)
        made = await self.calls.make(request_id, "compressor", place, part, given, CompressorOutput)
        output = sound_text(made, MEMORY_STATUSES)
        extra: dict[str, Json] = {
            STEP: step,
            INPUT: asked,
            OUTPUT: {"text": output.text, "status": output.status},
            **reported(output),
        }
        if output.error is not None:
            extra["error"] = output.error
        sent = output.sent if output.sent is not None else "\n\n".join(given.texts)
        await self.calls.keep(Request(request_id, "compressor", sent, self.memory_id, extra=extra))
        return output

    def _kept(self, step: str, asked: str) -> CompressorOutput | None:
        for request in reversed(self.calls.kept(self.memory_id)):
            extra = request.extra
            if extra.get(STEP) != step or extra.get(INPUT) != asked:
                continue
            output = extra.get(OUTPUT)
            if not isinstance(output, dict) or output.get("status") not in ("ok", "truncated"):
                continue
            if isinstance(text := output.get("text"), str):
                return CompressorOutput(text, output["status"])
        return None


def input_sha256(step: str, part: Named, given: StepInput) -> str:
    """Return the hash of all that a step's output depends on: the part with its revision, and its input."""
    value = [step, part.name, part.revision, given.as_json()]
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
