"""Parts that follow rules and call no model: compressors that pick sentences, a reader of patterns, a judge.

Deterministic, offline and fast; results made with them are diagnostic. Not here: how they are made to fail
now and then (`slips`), and the demonstration's texts and patterns (`resources/demo`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from gacc_gui.core.causes import answer_equals_reference
from gacc_gui.core.records import LABELS
from gacc_gui.core.sentences import sentence_spans
from gacc_gui.core.tokens import Codec
from gacc_gui.runner.parts import (
    CompressorInput,
    CompressorOutput,
    JudgeInput,
    JudgeOutput,
    ReaderInput,
    ReaderOutput,
)

NOT_IN_MEMORY: Final = "not in memory"
"""What a rule reader answers when the memory does not say."""

_MARGIN: Final = 1.12
"""How much of its budget a rule compressor fills, like a model that counts badly: the rest is the tail."""
_TIGHT: Final = 120
"""Tokens of budget below which `Keywords` writes in telegram style."""
_STEM: Final = 5
"""Letters that two words must share to be one: `repair` and `repaired`."""

_WORD: Final = re.compile(r"[^\W\d_]+|\d+")
_HEADING: Final = re.compile(r"#{1,6}\s")
_CJK: Final = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_FILLERS: Final = (
    *("a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "for", "from", "had", "has", "have"),
    *("in", "is", "it", "its", "of", "on", "or", "our", "so", "than", "that", "the", "their", "them", "then"),
    *("there", "they", "this", "to", "was", "we", "were", "when", "where", "which", "while", "who", "will"),
    *("with", "would", "you"),
)
_FILLER: Final = re.compile(rf"\b(?:{'|'.join(_FILLERS)})\b\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FullContext:
    """The uncompressed baseline: the memory is the source."""

    name: str = "full-context"
    revision: str = "1"

    def __call__(self, given: CompressorInput) -> CompressorOutput:
        """Return the source."""
        return CompressorOutput(given.context)


@dataclass(frozen=True, slots=True)
class Lead:
    """The beginning of the source, whole sentences. Looks at no goal."""

    codec: Codec
    name: str = "lead"
    revision: str = "1"

    def __call__(self, given: CompressorInput) -> CompressorOutput:
        """Return the beginning."""
        end = 0
        for start, stop in _filled(self.codec, given, sentence_spans(given.context)):
            end = max(end, start, stop)
        return CompressorOutput(given.context[:end])


@dataclass(frozen=True, slots=True)
class Openings:
    """The first sentence of each line of the source, in order. Looks at no goal."""

    codec: Codec
    name: str = "openings"
    revision: str = "1"

    def __call__(self, given: CompressorInput) -> CompressorOutput:
        """Return the openings, a line each."""
        chosen = _filled(self.codec, given, _openings(given.context))
        return CompressorOutput("\n".join(given.context[start:stop] for start, stop in chosen))


@dataclass(frozen=True, slots=True)
class Keywords:
    """The sentences that share the rarest words with the goal, or, shown no goal, with the whole source.

    They stand in the order of the source; under a tight budget they lose their fillers, as in a telegram.
    """

    codec: Codec
    name: str = "keywords"
    revision: str = "1"

    def __call__(self, given: CompressorInput) -> CompressorOutput:
        """Return the chosen sentences, a line each."""
        spans = list(sentence_spans(given.context))
        words = [set(terms(given.context[start:stop])) for start, stop in spans]
        frequency = Counter(term for found in words for term in found)
        wanted = set(terms(given.goal)) if given.goal is not None else set(frequency)

        def worth(i: int) -> float:
            shared = words[i] & wanted
            rarity = sum(math.log(1 + len(spans) / frequency[term]) for term in shared)
            return rarity / math.sqrt(len(words[i]) or 1)

        ranked = sorted(range(len(spans)), key=lambda i: (-worth(i), i))
        write = _as_telegram if given.budget < _TIGHT else str
        chosen = _filled(self.codec, given, (spans[i] for i in ranked), write)
        return CompressorOutput("\n".join(write(given.context[start:stop]) for start, stop in sorted(chosen)))


@dataclass(frozen=True, slots=True)
class ReadingRule:
    """How one question is answered: the words around the answer, with a group in its place.

    `says` is the answer where the pattern is found, instead of a group; `misread` finds what a careless
    reader would take for the answer.
    """

    pattern: re.Pattern[str]
    misread: re.Pattern[str] | None = None
    says: str | None = None

    def answer(self, memory: str) -> str | None:
        """Return what the memory says, or None."""
        return self.says if self.says and self.pattern.search(memory) else first_group(self.pattern, memory)


@dataclass(frozen=True, slots=True)
class PatternReader:
    """Answers each question by its rule, from the memory alone."""

    rules: Mapping[str, ReadingRule]
    name: str = "patterns"
    revision: str = "1"

    def __call__(self, given: ReaderInput) -> ReaderOutput:
        """Return the answer, or `NOT_IN_MEMORY`."""
        rule = self.rules.get(given.question)
        found = rule.answer(given.memory) if rule else None
        return ReaderOutput(NOT_IN_MEMORY if found is None else found)


@dataclass(frozen=True, slots=True)
class ExactJudge:
    """Correct is what equals a reference after folding; without references nothing is judged."""

    name: str = "exact"
    revision: str = "1"

    def __call__(self, given: JudgeInput) -> JudgeOutput:
        """Return the verdict."""
        if not given.references:
            return JudgeOutput(None, "not_judged", rationale="there is no reference to compare with")
        right = answer_equals_reference(given.answer, given.references)
        label = LABELS[0] if right else LABELS[1]
        said = "equals a reference" if right else "equals no reference"
        return JudgeOutput(label, rationale=said, reply=f"{label}: {said}")


def first_group(pattern: re.Pattern[str] | None, text: str) -> str | None:
    """Return the first group that took part in the first match, or None."""
    match = pattern.search(text) if pattern else None
    return next((group for group in match.groups() if group), None) if match else None


def _filled(
    codec: Codec,
    given: CompressorInput,
    spans: Iterable[tuple[int, int]],
    write: Callable[[str], str] = str,
) -> Iterator[tuple[int, int]]:
    """Yield spans of the source until they hold somewhat more tokens than the budget, as they are written."""
    left = _MARGIN * given.budget
    for start, stop in spans:
        if left <= 0:
            return
        yield start, stop
        left -= codec.count(write(given.context[start:stop]))


def _as_telegram(sentence: str) -> str:
    return _FILLER.sub("", sentence)


def _openings(text: str) -> Iterator[tuple[int, int]]:
    line_end = -1
    for start, stop in sentence_spans(text):
        if start > line_end:
            yield start, stop
            line_end = text.find("\n", stop)
            if line_end < 0:
                return


def is_heading(sentence: str) -> bool:
    """Whether a sentence is a Markdown heading: it says what follows, and nothing by itself."""
    return _HEADING.match(sentence) is not None


def terms(text: str) -> Iterator[str]:
    """Yield the words that matter, cut to a stem; pairs of neighbours for what is written without spaces."""
    for word in _WORD.findall(text.casefold()):
        if _CJK.search(word):
            yield from (word[i : i + 2] for i in range(len(word) - 1))
        elif word not in _FILLERS:
            yield word[:_STEM]
