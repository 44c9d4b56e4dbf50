"""A small evaluation whose parts a test can replace, and a sink that remembers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from gacc_gui.core.records import Context, Goal, Question, Record, Run
from gacc_gui.core.tokens import CodepointCodec
from gacc_gui.runner.cache import ProposalCache
from gacc_gui.runner.gacc_protocol import GaccProtocol
from gacc_gui.runner.parts import (
    CompressorInput,
    CompressorOutput,
    JudgeInput,
    JudgeOutput,
    ReaderInput,
    ReaderOutput,
)
from gacc_gui.runner.plan import Plan, Setting
from gacc_gui.store.evaluations import UnderWay

CONTEXTS = (Context("c1", "alpha beta gamma delta"), Context("c2", "épsilon 漢字 zeta"))
GOALS = (Goal("g1", "c1", "greek letters"), Goal("g2", "c1", "other letters"), Goal("g3", "c2", "scripts"))
QUESTIONS = (
    Question("q1", "g1", "Which comes first?", ("alpha",)),
    Question("q2", "g1", "Which comes last?", ("delta",)),
    Question("q3", "g2", "Is there an omega?", ("no",)),
    Question("q4", "g3", "Which signs?", ("漢字",)),
)


@dataclass
class Part:
    """A part that keeps what it was given and does what the test wants."""

    does: Callable[[Any], Any]
    name: str = "part"
    revision: str = "1"
    given: list[Any] = field(default_factory=list)

    def __call__(self, given: Any) -> Any:
        self.given.append(given)
        return self.does(given)


@dataclass
class Kept:
    """A sink that remembers what was committed together."""

    commits: list[list[Record]] = field(default_factory=list)
    begun: list[UnderWay] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)

    async def begin(self, call: UnderWay) -> None:
        self.begun.append(call)

    async def withdraw(self, request_id: str) -> None:
        self.withdrawn.append(request_id)

    async def add(self, records: Sequence[Record]) -> None:
        self.commits.append(list(records))

    def of(self, kind: type) -> list[Any]:
        """The records of a kind, in order."""
        return [record for commit in self.commits for record in commit if isinstance(record, kind)]


def whole(given: CompressorInput) -> CompressorOutput:
    """Propose the whole source."""
    return CompressorOutput(given.context)


def quotes(given: ReaderInput) -> ReaderOutput:
    """Answer with the memory's first word."""
    return ReaderOutput(given.memory.split(" ", 1)[0])


def exact(given: JudgeInput) -> JudgeOutput:
    """Compare letter by letter."""
    return JudgeOutput("correct" if given.answer in given.references else "incorrect", reply="done")


@pytest.fixture
def make_plan() -> Callable[..., Plan]:
    """Make a plan over the small items; any field can be given."""

    def make(
        compress: Callable[[Any], Any] = whole,
        read: Callable[[Any], Any] = quotes,
        judge: Callable[[Any], Any] = exact,
        settings: Sequence[tuple[str, str]] = (("own-goal", "0.5"),),
        cache: ProposalCache | None = None,
        **more: Any,
    ) -> Plan:
        compressor = Part(compress, "compressor")
        return Plan(
            run=Run("r1"),
            contexts=CONTEXTS,
            goals=GOALS,
            questions=QUESTIONS,
            settings=[Setting(compressor, condition, ratio) for condition, ratio in settings],
            protocol=GaccProtocol(
                CodepointCodec(), Part(read, "reader"), Part(judge, "judge"), cache or ProposalCache()
            ),
            **more,
        )

    return make
