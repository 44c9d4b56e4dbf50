"""Which HotpotQA questions the compaction benchmark asks: frozen filters, then a seeded order.

Owns the filters' rules and their order, the seeded SHA-256 order, and the rule that no two selected questions
share an article. Nothing here may change for a given question and seed: runs are compared across machines.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from gacc_gui.core.hotpot_records import HotpotQuestion, names_sentence
from gacc_gui.core.records import Json

KINDS: Final = ("bridge", "comparison")
"""Selected in this order."""
ARTICLES: Final = 10
LEAST_CHARACTERS: Final = 6_000
MOST_CHARACTERS: Final = 32_000
DEFAULT_COUNT: Final = 15
DEFAULT_SEED: Final = 20261016

FILTERS: Final[Mapping[str, str]] = {
    "type": "a bridge or a comparison question",
    "articles": f"exactly {ARTICLES} articles, each with a title of its own",
    "evidence": f"{LEAST_CHARACTERS:,} to {MOST_CHARACTERS:,} characters in the articles' sentences",
    "references": "supporting facts, each a sentence of one of the articles",
}
"""The structural filters by name, in the order they are applied."""


@dataclass(frozen=True, slots=True)
class Check:
    """A filter's outcome for one question; `found` is what was looked at (a kind, a number, a sentence)."""

    filter: str
    ok: bool
    found: str | int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question without its texts: what selecting needs to know of it."""

    id: str
    kind: str
    titles: frozenset[str]
    checks: tuple[Check, ...]
    content_sha256: str

    @property
    def dropped_by(self) -> str | None:
        """The first filter that it does not pass; None where it passes all."""
        return next((check.filter for check in self.checks if not check.ok), None)


@dataclass(frozen=True, slots=True)
class Taken:
    """A selected question with its place in the order: the hexadecimal SHA-256 that it was sorted by."""

    candidate: Candidate
    order: str


@dataclass(frozen=True, slots=True)
class Choice:
    """What was taken, in order, and by kind what there was: candidates, and those passed over.

    `shared` counts the questions that came up but share an article with one taken before; `available` how
    many of a kind could be taken, whatever was asked for, after what was taken of the kinds before it.
    """

    taken: tuple[Taken, ...]
    candidates: Mapping[str, int]
    shared: Mapping[str, int]
    available: Mapping[str, int]

    def count(self, kind: str) -> int:
        """Return how many of a kind were taken."""
        return sum(taken.candidate.kind == kind for taken in self.taken)


def candidate_from(question: HotpotQuestion) -> Candidate:
    """Put a question through every filter."""
    return Candidate(
        question.id,
        question.kind,
        frozenset(article.title for article in question.articles),
        structural_checks(question),
        question.content_sha256(),
    )


def structural_checks(question: HotpotQuestion) -> tuple[Check, ...]:
    """Return the outcome of every filter, in order, whatever the earlier ones say."""
    titles = [article.title for article in question.articles]
    distinct = len(set(titles))
    characters = sum(article.characters for article in question.articles)
    fault = _reference_fault(question)
    return (
        Check("type", question.kind in KINDS, question.kind),
        Check(
            "articles",
            len(titles) == distinct == ARTICLES,
            distinct if distinct == len(titles) else f"{len(titles)}, of which {distinct} are distinct",
        ),
        Check("evidence", LEAST_CHARACTERS <= characters <= MOST_CHARACTERS, characters),
        Check("references", fault is None, len(question.facts) if fault is None else fault),
    )


def _reference_fault(question: HotpotQuestion) -> str | None:
    if not question.facts:
        return "there is none"
    lengths = {article.title: len(article.sentences) for article in question.articles}
    return next((fault for fact in question.facts if (fault := _fact_fault(fact, lengths))), None)


def _fact_fault(fact: Json, lengths: Mapping[str, int]) -> str | None:
    if not names_sentence(fact):
        return f"{fact!r:.80} is no title with a whole number"
    title, sentence = fact
    if title not in lengths:
        return f"there is no article {title!r:.80}"
    if not 0 <= sentence < lengths[title]:
        return f"{title!r:.80} has {lengths[title]} sentences, and no sentence {sentence!r:.40}"
    return None


def order_of(seed: int, id: str) -> str:
    """Return what a question is sorted by: the hexadecimal SHA-256 of `seed:id` in UTF-8."""
    return hashlib.sha256(f"{seed}:{id}".encode()).hexdigest()


def choose(candidates: Iterable[Candidate], seed: int, counts: Mapping[str, int]) -> Choice:
    """Take so many of each kind, bridge first, in the seeded order, passing over shared articles.

    Questions that a filter drops are left out. The order they come in does not matter. Takes what there is
    where it is fewer than asked for: `Choice.count` tells.
    """
    by_kind: dict[str, list[Candidate]] = {kind: [] for kind in KINDS}
    for candidate in candidates:
        if candidate.dropped_by is None:
            by_kind[candidate.kind].append(candidate)
    taken: list[Taken] = []
    titles: set[str] = set()
    shared: Counter[str] = Counter()
    available: Counter[str] = Counter()
    for kind, some in by_kind.items():
        wanted = len(taken) + counts[kind]
        reach = set(titles)
        for order, candidate in sorted(
            ((order_of(seed, one.id), one) for one in some), key=lambda pair: pair[0]
        ):
            free = not reach & candidate.titles
            if free:
                reach |= candidate.titles
                available[kind] += 1
            if len(taken) == wanted:
                continue
            if not free:
                shared[kind] += 1
                continue
            titles |= candidate.titles
            taken.append(Taken(candidate, order))
    return Choice(tuple(taken), {kind: len(some) for kind, some in by_kind.items()}, shared, available)
