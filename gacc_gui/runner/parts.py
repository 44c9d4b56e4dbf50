"""What compressors, readers and judges are: typed callables with a name and a revision.

Owns the inputs, outputs and protocols of the three parts. The inputs are the whole of what a part is told,
so the types keep the benchmark's promise: a compressor has no place for a question or a reference, a reader
none for the source, and only the judge sees references. Not here: any actual part, and when parts are called
(`engine`).

A part may be synchronous or asynchronous (`async def`). It reports a failure as a status, or raises: an
exception costs its own item (status `error`), never the run; `RunStopped` alone ends the run.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Protocol

from gacc_gui.core.errors import GaccError
from gacc_gui.core.records import NOTHING, Json


@dataclass(frozen=True, slots=True)
class CompressorInput:
    """All a compressor is told. `goal` None means it is shown no goal; `budget` in tokens, above 0."""

    context: str
    goal: str | None
    budget: int


@dataclass(frozen=True, slots=True)
class ReaderInput:
    """All a reader is told: the retained memory and one question."""

    memory: str
    question: str


@dataclass(frozen=True, slots=True)
class JudgeInput:
    """All a judge is told. The only input with references."""

    source: str
    question: str
    references: tuple[str, ...]
    answer: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens a provider says it used; each None where it does not say, which is not 0."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of a call at a service. `seconds` until its reply or failure, after `waited` seconds.

    `started_at` an ISO 8601 text; `status` the HTTP status, None where there was no reply; `error` what was
    wrong with it, without credentials, None for the try that succeeded.
    """

    started_at: str
    seconds: float
    waited: float = 0.0
    status: int | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What every part may report beside its result.

    `sent` is the exact text that left for a model (None: the part had its typed input and nothing more),
    without credentials; `reply` the raw text that came back; `error` a sentence where the status is a
    failure. `latency_seconds` of the last attempt; `cost` in the endpoint's currency, None unknown;
    `details` is whatever else is worth keeping of the call (the endpoint's name, sampling parameters).
    """

    error: str | None = None
    usage: Usage | None = None
    sent: str | None = None
    reply: str | None = None
    finish_reason: str | None = None
    latency_seconds: float | None = None
    cost: float | None = None
    attempts: tuple[Attempt, ...] = ()
    details: Mapping[str, Json] = NOTHING


class RunStopped(GaccError):
    """No further call can succeed (the key is refused, the quota is used up): the run ends with the sentence.

    `call` is what was sent and came back, so that it is kept; the item counts as failed.
    """

    def __init__(self, reason: str, call: Call | None = None) -> None:
        self.call = call
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class CompressorOutput(Call):
    """The proposed memory, however long. `status`: a memory's, see `core.records.MEMORY_STATUSES`."""

    text: str | None
    status: str = "ok"


@dataclass(frozen=True, slots=True)
class ReaderOutput(Call):
    """The answer; None is no answer, "" an empty one. `status`: see `core.records.ANSWER_STATUSES`."""

    text: str | None
    status: str = "ok"


@dataclass(frozen=True, slots=True)
class JudgeOutput(Call):
    """The verdict. `label` is None unless `status` is `judged`; see `core.records.VERDICT_STATUSES`.

    `raw_reply` is what the judge said, word for word, where `reply` is more than that.
    """

    label: str | None
    status: str = "judged"
    rationale: str | None = None
    raw_reply: str | None = None


class Named(Protocol):
    """Whatever stands in a run's record by its name and revision."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def revision(self) -> str:
        """Which of those it is."""
        ...


class Compressor(Named, Protocol):
    """Turns a source into a memory; whatever exceeds the budget is cut off afterwards, by tokens."""

    def __call__(self, given: CompressorInput, /) -> CompressorOutput | Awaitable[CompressorOutput]:
        """Return a proposed memory for a source."""
        ...


class Reader(Named, Protocol):
    """Answers a question from a memory alone."""

    def __call__(self, given: ReaderInput, /) -> ReaderOutput | Awaitable[ReaderOutput]:
        """Return an answer."""
        ...


class Judge(Named, Protocol):
    """Says whether an answer is right."""

    def __call__(self, given: JudgeInput, /) -> JudgeOutput | Awaitable[JudgeOutput]:
        """Return a verdict."""
        ...
