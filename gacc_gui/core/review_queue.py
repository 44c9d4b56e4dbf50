"""Which rows a reviewer is asked to look at, and in which order: a function of the seed and the data alone.

A row's rank is a hash of seed and ids, so that neither the order of records nor another row that is left out
changes it. Of every stratum the lowest ranks are drawn; the strata are interleaved, so that a queue that was
reviewed half-way is half of each stratum. Owns kinds, allocation and order; which rows belong to a kind is
the store's, and what a sample says of its population `core.sample_estimates`'.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from heapq import nsmallest
from math import sqrt
from typing import Final

from gacc_gui.core.records import Json
from gacc_gui.core.reviewing import Row

RANDOM: Final = "random"
BY_CAUSE: Final = "by-cause"
ONE_AWAY: Final = "one-away"
EXACT_MATCH: Final = "exact-match"
UNSUPPORTED: Final = "unsupported"
UNSTABLE: Final = "unstable"
KINDS: Final = (RANDOM, BY_CAUSE, ONE_AWAY, EXACT_MATCH, UNSUPPORTED, UNSTABLE)
"""Random; the same number of rows or nearly so of each cause; goals one question away; where the judge and
an exact match differ; right without support in the memory; repeats that came out differently."""

WHOLE: Final = frozenset({RANDOM, BY_CAUSE})
"""Kinds that draw from all rows with an answer, and so speak for all of them."""

ALL: Final = "all"
"""The stratum of a kind that has but one."""


@dataclass(frozen=True, slots=True)
class QueueKey:
    """What a queue is: which rows are meant, how many are drawn of them, and the seed.

    `cells` are the chosen cells' fields by name (compressor, revision, condition, ratio); none: all cells.
    """

    kind: str
    seed: int
    size: int
    cells: tuple[tuple[str, str], ...] = ()

    @property
    def id(self) -> str:
        """Its name in the records."""
        parts = [self.kind, str(self.seed), str(self.size)]
        return "/".join([*parts, *(f"{name}={value}" for name, value in self.cells)])


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of a queue. `position` counts within its stratum, from 0."""

    row: Row
    stratum: str
    stratum_size: int
    stratum_sampled: int
    position: int

    def sample(self, queue: QueueKey) -> dict[str, Json]:
        """Return what a review of this row says of how the row came to be looked at."""
        return {
            "queue": queue.id,
            "method": queue.kind,
            "seed": queue.seed,
            "size": queue.size,
            "cells": dict(queue.cells),
            "stratum": self.stratum,
            "stratum_size": self.stratum_size,
            "stratum_sampled": self.stratum_sampled,
            "stratum_position": self.position,
        }


def rank(seed: int, row: Row) -> bytes:
    """Return the place of a row in the random order of a seed."""
    memory, question, repeat = row
    # The length tells where one id ends and the next begins.
    return sha256(f"{seed} {repeat} {len(memory)} {memory}{question}".encode()).digest()


def draw(candidates: Iterable[tuple[str, Row]], seed: int, size: int) -> list[Entry]:
    """Return the rows of a queue in its order: at most `size` of the candidates, each with its stratum."""
    sizes: dict[str, int] = defaultdict(int)
    lowest: dict[str, list[tuple[bytes, Row]]] = defaultdict(list)
    for stratum, row in candidates:
        sizes[stratum] += 1
        ranked = lowest[stratum]
        ranked.append((rank(seed, row), row))
        if len(ranked) >= 4 * size + 64:  # of hundreds of thousands, few are kept
            ranked[:] = nsmallest(size, ranked)
    shares = allocation(sizes, size)
    placed = []
    for stratum, ranked in lowest.items():
        n = shares[stratum]
        for position, (digest, row) in enumerate(nsmallest(n, ranked)):
            entry = Entry(row, stratum, sizes[stratum], n, position)
            placed.append(((position + 0.5) / n, digest, entry))
    return [entry for _, _, entry in sorted(placed, key=lambda item: item[:2])]


def allocation(sizes: Mapping[str, int], size: int) -> dict[str, int]:
    """Return how many rows are drawn of each stratum: in proportion to the root of its size, two at least.

    Power allocation (Bankier 1988, Am. Stat. 42:174): rare strata are seen, large ones are not neglected. No
    more than a stratum has, and `size` in all where there are as many.
    """
    left = min(size, sum(sizes.values()))
    found = dict.fromkeys(sizes, 0)
    for least in (1, 2):
        for stratum in sorted(sizes, key=lambda stratum: (-sizes[stratum], stratum)):
            if left and found[stratum] < min(least, sizes[stratum]):
                found[stratum] += 1
                left -= 1
    while left:
        # One by one to whoever is furthest below its share; sizes are small, and ties are settled by name.
        open_ones = [stratum for stratum in sizes if found[stratum] < sizes[stratum]]
        next_one = min(
            open_ones, key=lambda stratum: ((found[stratum] + 0.5) / sqrt(sizes[stratum]), stratum)
        )
        found[next_one] += 1
        left -= 1
    return found
