"""The content-hash cache: what is one proposal, and how calls and hits are counted."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from gacc_gui.runner.cache import ProposalCache, ProposalKey, content_hash
from gacc_gui.runner.parts import CompressorOutput

KEY = ProposalKey(content_hash("source"), content_hash("goal"), "sha256:v", ("lead", "1"), 10)


class Maker:
    """Makes numbered proposals, each after giving others their turn."""

    def __init__(self, *statuses: str) -> None:
        self.made = 0
        self._statuses = statuses

    async def __call__(self) -> CompressorOutput:
        self.made += 1
        number = self.made
        await asyncio.sleep(0)
        status = self._statuses[number - 1] if number <= len(self._statuses) else "ok"
        return CompressorOutput(f"proposal {number}" if status == "ok" else None, status)


def test_the_second_time_costs_no_call() -> None:
    cache, maker = ProposalCache(), Maker()

    async def twice() -> list[tuple[CompressorOutput, bool]]:
        return [await cache.get(KEY, maker), await cache.get(KEY, maker)]

    first, second = asyncio.run(twice())
    assert first == (CompressorOutput("proposal 1"), False)
    assert second == (CompressorOutput("proposal 1"), True)
    assert (cache.calls, cache.hits, maker.made) == (1, 1, 1)


@pytest.mark.parametrize(
    "other",
    [
        replace(KEY, source=content_hash("source ")),
        replace(KEY, goal=content_hash("Goal")),
        replace(KEY, goal=None),
        replace(KEY, goal=content_hash("")),
        replace(KEY, tokenizer="sha256:w"),
        replace(KEY, compressor=("lead", "2")),
        replace(KEY, compressor=("tail", "1")),
        replace(KEY, budget=11),
        replace(KEY, generation=1),
    ],
)
def test_another_input_is_another_proposal(other: ProposalKey) -> None:
    cache, maker = ProposalCache(), Maker()

    async def both() -> None:
        await cache.get(KEY, maker)
        await cache.get(other, maker)

    asyncio.run(both())
    assert (cache.calls, cache.hits) == (2, 0)


def test_who_asks_meanwhile_waits_for_the_same_call() -> None:
    cache, maker = ProposalCache(), Maker()

    async def at_once() -> list[tuple[CompressorOutput, bool]]:
        return await asyncio.gather(*(cache.get(KEY, maker) for _ in range(5)))

    results = asyncio.run(at_once())
    assert [hit for _, hit in results] == [False, True, True, True, True]
    assert {proposal.text for proposal, _ in results} == {"proposal 1"}
    assert (cache.calls, cache.hits) == (1, 4)


def test_a_failure_is_not_kept() -> None:
    cache, maker = ProposalCache(), Maker("error", "no_answer", "ok")

    async def at_once() -> list[tuple[CompressorOutput, bool]]:
        return await asyncio.gather(*(cache.get(KEY, maker) for _ in range(4)))

    statuses = [proposal.status for proposal, _ in asyncio.run(at_once())]
    assert sorted(statuses) == ["error", "no_answer", "ok", "ok"]
    assert (cache.calls, cache.hits) == (3, 1)


def test_an_exception_reaches_the_caller_and_locks_nobody_out() -> None:
    cache, maker = ProposalCache(), Maker()

    async def broken() -> CompressorOutput:
        raise RuntimeError("out of reach")

    async def one_after_the_other() -> tuple[CompressorOutput, bool]:
        with pytest.raises(RuntimeError, match="out of reach"):
            await cache.get(KEY, broken)
        return await cache.get(KEY, maker)

    assert asyncio.run(one_after_the_other()) == (CompressorOutput("proposal 1"), False)


def test_what_is_stored_costs_no_call() -> None:
    cache, maker = ProposalCache(), Maker()
    stored = CompressorOutput("from the store")
    assert asyncio.run(cache.get(KEY, maker, lambda: stored)) == (stored, True)
    assert (cache.calls, maker.made) == (0, 0)


def test_texts_that_utf8_does_not_have_are_hashed_too() -> None:
    assert content_hash("\ud83d") != content_hash("\ud83e")
