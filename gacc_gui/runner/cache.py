"""One proposal per source, goal, tokenizer, compressor, budget and generation: the content-hash cache.

Owns the keys, the proposals kept under them, and the counts of calls and hits. It is in memory: whoever
resumes a run fills it from what is stored. Not here: cutting a proposal, and what to ask for (`engine`).
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from gacc_gui.runner.parts import CompressorOutput


def content_hash(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8 form; lone surrogates, which UTF-8 lacks, hash too."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class ProposalKey:
    """What a proposal depends on. `source` and `goal` are content hashes; `goal` None is no goal at all."""

    source: str
    goal: str | None
    tokenizer: str
    compressor: tuple[str, str]
    budget: int
    generation: int = 0


@dataclass(slots=True)
class ProposalCache:
    """Finished proposals by key. `calls` and `hits` count since construction; a failed call is not kept."""

    calls: int = 0
    hits: int = 0
    _finished: dict[ProposalKey, CompressorOutput] = field(default_factory=dict)
    _under_way: dict[ProposalKey, asyncio.Event] = field(default_factory=dict)

    def put(self, key: ProposalKey, proposal: CompressorOutput) -> None:
        """Keep a proposal made earlier, by a run that is resumed for instance. Counts neither way."""
        self._finished[key] = proposal

    async def get(
        self, key: ProposalKey, make: Callable[[], Awaitable[CompressorOutput]]
    ) -> tuple[CompressorOutput, bool]:
        """Return the proposal for `key` and whether it cost no call; `make` makes it where it is missing.

        Whoever asks while the same proposal is being made waits for it, and tries itself if that failed.
        """
        while (made := self._under_way.get(key)) is not None:
            await made.wait()
        if (kept := self._finished.get(key)) is not None:
            self.hits += 1
            return kept, True
        self.calls += 1
        made = self._under_way[key] = asyncio.Event()
        try:
            proposal = await make()
            if proposal.status in ("ok", "truncated"):
                self._finished[key] = proposal
        finally:
            del self._under_way[key]
            made.set()
        return proposal, False
