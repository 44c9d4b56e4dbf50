"""A small corpus, a codec that counts words, parts that a test can replace, and calls without an engine."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from gacc_gui.core.compaction import METHODS, Case
from gacc_gui.core.records import Question, Request
from gacc_gui.core.tokens import CodepointCodec
from gacc_gui.formats.compaction_records import items_of
from gacc_gui.formats.corpus import Corpus
from gacc_gui.runner.call_records import RequestIds
from gacc_gui.runner.calling import PartThreads, called
from gacc_gui.runner.compaction.contexts import ContextMaker
from gacc_gui.runner.compaction.parts import Answerer, Decider, Summarizer
from gacc_gui.runner.compaction.protocol import CompactionProtocol
from gacc_gui.runner.compaction.settings import Settings
from gacc_gui.runner.parts import CompressorOutput, ReaderOutput
from gacc_gui.runner.plan import PlannedMemory, Setting
from gacc_gui.runner.prompts import Prompt, load_prompt
from tests.compaction_cases import small_corpus


class WordCodec(CodepointCodec):
    """Counts words, punctuation marks and JSON's escapes, so that counts do add up; it only ever counts."""

    def count(self, text: str) -> int:
        return len(re.findall(r"\\.|\w+|[^\w\s]", text))


@dataclass
class Part:
    """A decider, summarizer or answerer that keeps what it was told and does what the test wants."""

    does: Callable[[Any], Any]
    name: str = "part"
    revision: str = "1"
    batch_tokens: int | None = None
    given: list[Any] = field(default_factory=list)

    def __call__(self, given: Any) -> Any:
        self.given.append(given)
        return self.does(given)


def in_order(given: Any) -> CompressorOutput:
    """Score passages by their place: the first is best."""
    places = {passage.id: place for place, passage in enumerate(given.passages)}
    return CompressorOutput(json.dumps({id: 1 / (1 + places[id]) for id in given.asked}))


def short(given: Any) -> CompressorOutput:
    """A summary that always fits."""
    return CompressorOutput("# Velm\n[0] A short summary.")


def gold_like(given: Any) -> ReaderOutput:
    """An answer in the right form."""
    return ReaderOutput('{"answer": "Luc Ferrand II", "supporting_facts": [["Tirrin Orchard 1", 0]]}')


@dataclass
class FakeCalls:
    """Calls without an engine: no caps, no notes; what is kept is remembered."""

    stored: dict[str, list[Request]] = field(default_factory=dict)
    ids: RequestIds = field(default_factory=RequestIds)
    made: list[str] = field(default_factory=list)
    threads: PartThreads = field(default_factory=PartThreads)

    async def make(self, request_id: str, role: str, place: Any, part: Any, given: object, kind: Any) -> Any:
        self.made.append(request_id)
        return await called(part, given, kind, self.threads)

    def new_id(
        self,
        role: str,
        memory_id: str,
        question: Question | None = None,
        repeat: int = 0,
        step: str | None = None,
    ) -> str:
        return self.ids.new(role, memory_id, question, repeat, step)

    async def keep(self, request: Request) -> None:
        self.stored.setdefault(str(request.memory_id), []).append(request)

    def kept(self, memory_id: str) -> Sequence[Request]:
        return tuple(self.stored.get(memory_id, ()))


@dataclass(frozen=True)
class _Method:
    name: str
    revision: str = "1"


def planned(corpus: Corpus, method: str, generation: int = 0, place: int = 0) -> PlannedMemory:
    """A memory to make."""
    items = items_of(corpus)
    condition = "full-context" if method == METHODS[0] else "own-goal"
    goal = items.goals[place]
    return PlannedMemory(
        f"{goal.id}/{method}/{generation}",
        items.contexts[place],
        goal,
        goal,
        Setting(_Method(method), condition, "1"),
        generation,
        (items.questions[place],),
    )


@pytest.fixture(scope="session")
def corpus() -> Corpus:
    """Two cases."""
    return small_corpus(2)


@pytest.fixture(scope="session")
def case(corpus: Corpus) -> Case:
    """The first of them."""
    return corpus.cases[0]


@pytest.fixture(scope="session")
def prompt() -> Prompt:
    """The answer's."""
    return load_prompt("compaction-answer")


@pytest.fixture
def codec() -> WordCodec:
    """Words."""
    return WordCodec()


@pytest.fixture
def protocol_with(corpus: Corpus, prompt: Prompt, codec: WordCodec) -> Callable[..., CompactionProtocol]:
    """Make a protocol with some parts and settings replaced."""

    def make(
        decider: Decider | None = None,
        summarizer: Summarizer | None = None,
        answerer: Answerer | None = None,
        **settings: Any,
    ) -> CompactionProtocol:
        chosen = Settings(**{"ceiling": 1400, **settings})
        maker = ContextMaker(
            chosen,
            codec,
            prompt,
            decider if decider is not None else Part(in_order),
            summarizer if summarizer is not None else Part(short),
        )
        cases = {case.id: case for case in corpus.cases}
        answers = answerer if answerer is not None else Part(gold_like)
        return CompactionProtocol(cases, chosen, codec, prompt, answers, maker)

    return make
