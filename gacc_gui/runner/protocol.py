"""What a benchmark's protocol decides, and what it is given to make calls with: the engine's other half.

Owns the two borders: `BenchmarkProtocol` (how a memory, an answer and a verdict are made) and `Calls` (how
anything is asked: noted, capped, counted, kept). Not here: the order of work, what is known already, commits
(`engine`); the two protocols (`gacc_protocol`, `compaction.protocol`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from gacc_gui.core.records import Answer, Memory, Question, Request, Verdict
from gacc_gui.core.tokens import Codec
from gacc_gui.runner.call_records import Place
from gacc_gui.runner.calling import Out
from gacc_gui.runner.parts import Call
from gacc_gui.runner.plan import PlannedMemory

Item = TypeVar("Item", Memory, Answer, Verdict)


@dataclass(frozen=True, slots=True)
class Made(Generic[Item]):
    """An item, finished or failed. `requests` are committed with it: those not kept before.

    `call` says why it failed, where it did; `from_cache`: it would have cost a call, had it not been there.
    """

    item: Item
    requests: Sequence[Request] = ()
    call: Call = field(default_factory=Call)
    from_cache: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One question to ask of a finished memory, for one repeat."""

    planned: PlannedMemory
    memory: Memory
    question: Question
    repeat: int

    @property
    def place(self) -> Place:
        """The row's memory, question and repeat."""
        return (self.planned.id, self.question.id, self.repeat)


class Calls(Protocol):
    """How a protocol asks anything of anybody. Raises NotBegunError where the run is stopping."""

    async def make(
        self,
        request_id: str,
        role: str,
        place: tuple[str, str | None, int | None],
        part: Callable[..., Out | Awaitable[Out]],
        given: object,
        kind: type[Out],
    ) -> Out:
        """Call a part, with a note that outlives a crash; what fails is a status of the output."""
        ...

    def new_id(
        self,
        role: str,
        memory_id: str,
        question: Question | None = None,
        repeat: int = 0,
        step: str | None = None,
    ) -> str:
        """Return the id of the next try of an item's call; `step` names one of several calls of an item."""
        ...

    async def keep(self, request: Request) -> None:
        """Commit a call before its memory is made, so that it need never be made again."""
        ...

    def kept(self, memory_id: str) -> Sequence[Request]:
        """Return the calls that are stored of a memory, from this and earlier sessions, in order."""
        ...


class BenchmarkProtocol(Protocol):
    """How the items of a benchmark are made. Whatever a part does wrong becomes an item's status."""

    @property
    def codec(self) -> Codec:
        """What tokens are counted with."""
        ...

    async def make_memory(self, planned: PlannedMemory, calls: Calls) -> Made[Memory]:
        """Make one memory."""
        ...

    async def read(self, row: Row, calls: Calls) -> Made[Answer]:
        """Have a row's question answered."""
        ...

    async def judge(self, row: Row, answer: Answer, calls: Calls) -> Made[Verdict]:
        """Judge a finished answer."""
        ...
