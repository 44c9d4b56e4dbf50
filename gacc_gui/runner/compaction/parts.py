"""What decision models, summarizers and answerers of the compaction benchmark are, and all that each is told.

Owns the typed inputs and the parts' protocols. Whoever ranks or summarises is told the task and the evidence:
its input has no place for a question of its own, an answer or a supporting fact. The answerer is told the
complete answer input and nothing else. Not here: any actual part, and when one is called (`protocol`).

A part may be synchronous or asynchronous, and reports failures as `runner.parts` says. Its `texts` are what
stands in the record of a request whose part sends nothing anywhere.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Protocol

from gacc_gui.core.records import Json
from gacc_gui.runner.parts import CompressorOutput, Named, ReaderOutput


@dataclass(frozen=True, slots=True)
class Passage:
    """A group of sentences as a decision model sees it. `title`: its article's; `text`: its lines."""

    id: str
    title: str
    text: str

    def as_json(self) -> dict[str, Json]:
        """Return the passage as JSON."""
        return {"id": self.id, "title": self.title, "text": self.text}


@dataclass(frozen=True, slots=True)
class DecisionInput:
    """All a decision model is told: the task, all passages in order, and which of them to score now."""

    task: str
    passages: tuple[Passage, ...]
    asked: tuple[str, ...]
    """Ids, in order."""

    def as_json(self) -> dict[str, Json]:
        """Return the input as JSON, for its hash."""
        passages = [passage.as_json() for passage in self.passages]
        return {"task": self.task, "passages": passages, "asked": list(self.asked)}

    @property
    def texts(self) -> tuple[str, ...]:
        """Its texts, in order."""
        return (self.task, *(f"# {one.title}\n{one.text}" for one in self.passages if one.id in self.asked))


@dataclass(frozen=True, slots=True)
class TooLong:
    """That the summary before was too long, and by how many tokens: not what it said."""

    over: int

    def as_json(self) -> dict[str, Json]:
        """Return it as JSON."""
        return {"over": self.over}


@dataclass(frozen=True, slots=True)
class SummaryInput:
    """All a summarizer is told: the task, what is kept beside its summary, what to summarise, the space.

    `kept` is empty where nothing is. `tokens` above 0, of the local tokenizer. `last`: how the summary before
    this one failed, where there was one. `variant` tells the generations of a context apart, for a seed.
    """

    task: str
    kept: str
    evidence: str
    tokens: int
    last: TooLong | None = None
    variant: int = 0

    def as_json(self) -> dict[str, Json]:
        """Return the input as JSON, for its hash."""
        return {
            "task": self.task,
            "kept": self.kept,
            "evidence": self.evidence,
            "tokens": self.tokens,
            "last": None if self.last is None else self.last.as_json(),
            "variant": self.variant,
        }

    @property
    def texts(self) -> tuple[str, ...]:
        """Its texts, in order."""
        return tuple(text for text in (self.task, self.kept, self.evidence) if text)


@dataclass(frozen=True, slots=True)
class AnswerInput:
    """All an answerer is told: the complete answer input.

    `variant` tells the answers to one question by one method apart, for a seed.
    """

    messages: tuple[Mapping[str, str], ...]
    evidence: str
    """The evidence in them, and the question: what a rule reads. A model gets the messages."""
    question: str
    variant: int = 0


class Decider(Named, Protocol):
    """Scores passages by how useful they are to the task."""

    @property
    def batch_tokens(self) -> int | None:
        """The most tokens of one request, with its state; None without a limit."""
        ...

    def __call__(self, given: DecisionInput, /) -> CompressorOutput | Awaitable[CompressorOutput]:
        """Return a score from 0 to 1 per asked passage, as the text of a JSON object by id."""
        ...


class Summarizer(Named, Protocol):
    """Writes a summary that ought to fit into the space."""

    def __call__(self, given: SummaryInput, /) -> CompressorOutput | Awaitable[CompressorOutput]:
        """Return a summary."""
        ...


class Answerer(Named, Protocol):
    """Answers an answer input."""

    def __call__(self, given: AnswerInput, /) -> ReaderOutput | Awaitable[ReaderOutput]:
        """Return the reply. Its details tell `provider_input_tokens`, where the service counted them."""
        ...
