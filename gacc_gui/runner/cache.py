"""One proposal per source, goal, tokenizer, compressor, budget and generation: the content-hash cache.

Owns the keys, the proposals kept under them, and the counts of calls and hits. It is in memory; what earlier
sessions and other runs stored is looked up where it is asked for. Not here: cutting a proposal, and what to
ask for (`engine`).
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from gacc_gui.runner.parts import CompressorOutput

KEPT_CHARACTERS: Final = 50_000_000
"""What is kept in memory of proposals that are stored as well."""


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
    _characters: int = 0

    async def get(
        self,
        key: ProposalKey,
        make: Callable[[], Awaitable[CompressorOutput]],
        look_up: Callable[[], CompressorOutput | None] | None = None,
    ) -> tuple[CompressorOutput, bool]:
        """Return the proposal for `key` and whether it cost no call; `make` makes it where it is missing.

        `look_up` finds what is stored, so that not all need be kept here. Whoever asks while the same
        proposal is being made waits for it, and tries itself if that failed.
        """
        while (made := self._under_way.get(key)) is not None:
            await made.wait()
        kept = self._finished.get(key)
        if kept is None and look_up is not None:
            kept = look_up()
        if kept is not None:
            self.hits += 1
            return kept, True
        self.calls += 1
        made = self._under_way[key] = asyncio.Event()
        try:
            proposal = await make()
            if proposal.status in ("ok", "truncated"):
                self._keep(key, proposal, look_up is not None)
        finally:
            del self._under_way[key]
            made.set()
        return proposal, False

    def _keep(self, key: ProposalKey, proposal: CompressorOutput, is_stored: bool) -> None:
        self._finished[key] = proposal
        self._characters += len(proposal.text or "")
        while is_stored and self._characters > KEPT_CHARACTERS and len(self._finished) > 1:
            oldest = self._finished.pop(next(iter(self._finished)))
            self._characters -= len(oldest.text or "")
