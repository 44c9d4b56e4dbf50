"""Rule compressors of configured evaluations: baselines that ask no model, and an upper bound.

Owns `tail`, `sentences`, `bm25`, `oracle` and `empty`; `lead` is `rules.Lead`. All are deterministic. They
fill the budget with whole sentences and leave out what does not fit, so that little is cut off afterwards;
`fill` above 1 makes `sentences` and `bm25` write that share of the budget, like a model that counts badly.
Not here: parts that ask a model (`llm_parts`), and which name means which part (`registry`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from gacc_gui.core.evidence import Haystack, pieces_of
from gacc_gui.core.records import Context, Goal, Question
from gacc_gui.core.sentences import sentence_spans
from gacc_gui.core.tokens import Codec
from gacc_gui.runner.cache import content_hash
from gacc_gui.runner.parts import CompressorInput, CompressorOutput
from gacc_gui.runner.rules import is_heading, terms

_SOURCES_KEPT: Final = 64
"""Sources whose sentences are remembered: one is compressed many times in a row."""

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Tail:
    """The end of the source: as many of its last tokens as the budget holds. Looks at no goal."""

    codec: Codec
    name: str = "tail"
    revision: str = "1"

    def __call__(self, given: CompressorInput) -> CompressorOutput:
        """Return the end."""
        tokens = self.codec.token_bytes(self.codec.encode(given.context))
        for held in range(min(given.budget, len(tokens)), 0, -1):
            end = b"".join(tokens[len(tokens) - held :])
            while end and end[0] & 0xC0 == 0x80:  # the token began inside a character
                end = end[1:]
            text = given.context[len(given.context) - len(end.decode("utf-8", "surrogatepass")) :]
            # Read by itself, an end can be split into more tokens than it was in its place.
            if self.codec.count(text) <= given.budget:
                return CompressorOutput(text)
        return CompressorOutput("")


@dataclass(frozen=True, slots=True)
class RandomSentences:
    """A sample of the source's sentences, in their order. Looks at no goal."""

    codec: Codec
    seed: int = 0
    fill: float = 1.0
    name: str = "sentences"
    revision: str = "1"

    def __call__(self, given: CompressorInput) -> CompressorOutput:
        """Return the sample; it depends on the seed and the source, and grows with the budget."""
        spans, sizes = _sentences(self.codec, given.context)  # type: ignore[arg-type]
        salt = f"{self.seed}/{content_hash(given.context)}/"
        order = sorted(range(len(spans)), key=lambda i: hashlib.sha256(f"{salt}{i}".encode()).digest())
        return _joined(given.context, spans, _fitting(order, sizes, self.fill * given.budget))


@dataclass(frozen=True, slots=True)
class Bm25:
    """The sentences that Okapi BM25 ranks highest for the goal, in the order of the source.

    Shown no goal, it takes the whole source as the query: sentences that are like the others come first.
    """

    codec: Codec
    k1: float = 1.5
    b: float = 0.75
    fill: float = 1.0
    name: str = "bm25"
    revision: str = "1"

    def __call__(self, given: CompressorInput) -> CompressorOutput:
        """Return the sentences; one that shares no word with the query stays out."""
        spans, sizes = _sentences(self.codec, given.context)  # type: ignore[arg-type]
        scores = self._scores(given, spans)
        order = sorted((i for i in range(len(spans)) if scores[i] > 0), key=lambda i: (-scores[i], i))
        return _joined(given.context, spans, _fitting(order, sizes, self.fill * given.budget))

    def _scores(self, given: CompressorInput, spans: Spans) -> list[float]:
        import bm25s

        corpus = [list(terms(given.context[start:stop])) for start, stop in spans]
        known = {term for words in corpus for term in words}
        query = sorted(known if given.goal is None else known & set(terms(given.goal)))
        if not query:
            return [0.0] * len(spans)
        ranking = bm25s.BM25(k1=self.k1, b=self.b)
        ranking.index(corpus, show_progress=False)
        # As double precision of few digits: equal scores must stay equal on every machine.
        return [round(float(score), 5) for score in ranking.get_scores(query)]


@dataclass(frozen=True, slots=True)
class Oracle:
    """An upper bound, not a compressor: the evidence of the goal's questions, which it knows beforehand.

    It is told no more than any other; `evidence` was taken from the dataset when it was made. Shown no goal,
    it proposes the evidence of every goal of the source.
    """

    evidence: Mapping[tuple[str, str | None], Spans]
    """By content hash of the source and by goal text (None: all goals): spans of the source, in order."""
    name: str = "oracle"
    revision: str = "1, upper bound"

    def __call__(self, given: CompressorInput) -> CompressorOutput:
        """Return the evidence, a line each; nothing where none is known."""
        spans = self.evidence.get((content_hash(given.context), given.goal), ())
        return _joined(given.context, spans, range(len(spans)))


@dataclass(frozen=True, slots=True)
class Empty:
    """Proposes nothing: what the reader knows without a memory."""

    name: str = "empty"
    revision: str = "1"

    def __call__(self, given: CompressorInput) -> CompressorOutput:
        """Return the empty text."""
        return CompressorOutput("")


def oracle_evidence(
    contexts: Iterable[Context], goals: Iterable[Goal], questions: Iterable[Question]
) -> dict[tuple[str, str | None], Spans]:
    """Return where the evidence of every goal is, for `Oracle`.

    Given evidence is taken whole; of references the first that is found in the source, at its first place.
    Spans that touch or overlap become one.
    """
    sources = {context.id: context for context in contexts}
    by_goal = {goal.id: goal for goal in goals}
    haystacks: dict[str, Haystack] = {}
    found: dict[tuple[str, str | None], set[tuple[int, int]]] = {}
    for question in questions:
        goal = by_goal.get(question.goal_id)
        context = sources.get(goal.context_id) if goal is not None else None
        if goal is None or context is None:
            continue
        if context.id not in haystacks:
            haystacks[context.id] = Haystack(context.text)
        key = content_hash(context.text)
        for shown in (goal.text, None):
            found.setdefault((key, shown), set()).update(_places(question, haystacks[context.id]))
    return {key: _merged(spans) for key, spans in found.items()}


def _places(question: Question, source: Haystack) -> list[tuple[int, int]]:
    pieces = pieces_of(question, source)
    places = []
    for piece in pieces.pieces:
        if piece.source_span is not None:
            places.append((piece.source_span.start, piece.source_span.end))
        elif piece.in_source and (first := next(source.occurrences(piece.text, piece.folded), None)):
            places.append(first)
        if places and not pieces.all_needed:
            break
    return places


def _merged(spans: Iterable[tuple[int, int]]) -> Spans:
    merged: list[tuple[int, int]] = []
    for start, stop in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
        else:
            merged.append((start, stop))
    return tuple(merged)


@lru_cache(maxsize=_SOURCES_KEPT)
def _sentences(codec: Codec, text: str) -> tuple[Spans, tuple[int, ...]]:
    """Return the spans of a text's sentences, and the tokens of each with the line break behind it.

    A Markdown heading goes with the sentence under it: alone it says nothing.
    """
    spans: list[tuple[int, int]] = []
    heading: int | None = None
    for start, stop in sentence_spans(text):
        if is_heading(text[start:stop]):
            heading = start if heading is None else heading
            continue
        spans.append((start if heading is None else heading, stop))
        heading = None
    return tuple(spans), tuple(codec.count(text[start:stop] + "\n") for start, stop in spans)


def _fitting(order: Iterable[int], sizes: tuple[int, ...], room: float) -> list[int]:
    """Return those of `order` that fit into `room` tokens, each taken if it still fits, in source order.

    Where not even one fits, the first, to be cut.
    """
    order = list(order)
    chosen = []
    for i in order:
        if sizes[i] <= room:
            chosen.append(i)
            room -= sizes[i]
    return sorted(chosen) or order[:1]


def _joined(text: str, spans: Spans, chosen: Iterable[int]) -> CompressorOutput:
    return CompressorOutput("\n".join(text[slice(*spans[i])] for i in chosen))
