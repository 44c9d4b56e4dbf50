"""How the engine lets a benchmark's protocol ask: each call noted before it is made, capped, counted, kept.

Owns the calls of one session: their ids, their threads, what the account and the caps say of them, and which
calls of an unfinished memory are there. Not here: what is asked (`protocol`), how a part's failure becomes a
status (`calling`), and where notes and records go (`engine`, by the two functions it gives).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from gacc_gui.core.records import Question, Record, Request
from gacc_gui.runner.accounting import Account
from gacc_gui.runner.call_records import RequestIds
from gacc_gui.runner.calling import Out, PartThreads, called, stopped_by
from gacc_gui.runner.control import Control
from gacc_gui.runner.known import Known
from gacc_gui.runner.parts import RunStopped
from gacc_gui.runner.workers import NotBegunError
from gacc_gui.store.evaluations import UnderWay


@dataclass(slots=True)
class Asking:
    """The engine's `protocol.Calls`. `begin` and `hand_over` return once a crash can lose nothing of it;
    `withdraw` takes back the note of a call, by its id.

    `made` are the tries by role, in this session; `refused`: a service lets no further call succeed.
    """

    account: Account
    control: Control
    ids: RequestIds
    begin: Callable[[UnderWay], Awaitable[None]]
    withdraw: Callable[[str], Awaitable[None]]
    hand_over: Callable[[Sequence[Record]], Awaitable[None]]
    known: Known
    made: Counter[str] = field(default_factory=Counter)
    refused: bool = False
    _threads: PartThreads = field(default_factory=PartThreads)
    _kept: dict[str, list[Request]] = field(default_factory=dict)
    """By memory that is being made."""

    async def make(
        self,
        request_id: str,
        role: str,
        place: tuple[str, str | None, int | None],
        part: Callable[..., Out | Awaitable[Out]],
        given: object,
        kind: type[Out],
    ) -> Out:
        """Call a part, with a note that outlives a crash. Raises NotBegunError where the run is stopping."""
        if not await self.control.allowed():
            raise NotBegunError
        if (reason := self.account.refusal()) is not None:
            self.control.stop(reason)
            raise NotBegunError
        self.account.begin()
        output: Out | None = None
        is_begun = True
        try:
            await self.begin(UnderWay(request_id, role, *place))
            self.made[role] += 1
            output = await called(part, given, kind, self._threads)
        except NotBegunError:
            is_begun = False
            self.made[role] -= 1
            await self.withdraw(request_id)
            raise
        except RunStopped as error:
            self.refused = True
            output = stopped_by(error, kind)
        finally:
            if output is not None:
                self.made[role] += max(0, len(output.attempts) - 1)
            if is_begun:
                self.account.end(role, output)
            else:
                self.account.withdraw()
        if self.refused:
            self.control.stop(output.error or "")
        return output

    def new_id(
        self,
        role: str,
        memory_id: str,
        question: Question | None = None,
        repeat: int = 0,
        step: str | None = None,
    ) -> str:
        """Return the id of the next try of an item's call."""
        return self.ids.new(role, memory_id, question, repeat, step)

    async def keep(self, request: Request) -> None:
        """Commit a call before its memory is made."""
        assert request.memory_id is not None, "only a memory has calls that are kept before it is made"
        there = self._kept_of(request.memory_id)
        await self.hand_over([request])
        there.append(request)

    def kept(self, memory_id: str) -> Sequence[Request]:
        """Return the calls that are stored of a memory, from this and earlier sessions, in order."""
        return tuple(self._kept_of(memory_id))

    def forget(self, memory_id: str) -> None:
        """Let go of the kept calls of a memory that is made."""
        self._kept.pop(memory_id, None)

    def close(self) -> None:
        """Let idle threads end."""
        self._threads.close()

    def _kept_of(self, memory_id: str) -> list[Request]:
        if memory_id not in self._kept:
            self._kept[memory_id] = list(self.known.kept(memory_id))
        return self._kept[memory_id]
