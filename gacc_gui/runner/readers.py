"""The rule reader of configured evaluations. It asks no model: results made with it are diagnostic.

Not here: the reader that asks a model (`llm_parts`), and those of the demonstration and the fixture (`rules`,
`fixture`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gacc_gui.core.folding import fold
from gacc_gui.core.sentences import sentence_spans
from gacc_gui.runner.parts import ReaderInput, ReaderOutput
from gacc_gui.runner.rules import NOT_IN_MEMORY, is_heading, terms

_QUOTED: Final = re.compile('[“"„«]([^“”"„«»]{2,})[”"“»]')


@dataclass(frozen=True, slots=True)
class QuotingReader:
    """Answers with a sentence of the memory, word for word.

    Where the question names something in quotation marks, it is the first sentence that names it, or stands
    under a Markdown heading that does; else the one that shares the rarest words with the question, the first
    of equals. A heading is no answer. Where there is no such sentence, the answer is `NOT_IN_MEMORY`.
    """

    name: str = "rule"
    revision: str = "1"

    def __call__(self, given: ReaderInput) -> ReaderOutput:
        """Return the sentence."""
        sentences = list(_under_headings(given.memory))
        if named := [fold(words) for words in _QUOTED.findall(given.question)]:
            found = (
                sentence
                for heading, sentence in sentences
                if all(words in fold(f"{heading} {sentence}") for words in named)
            )
            return ReaderOutput(next(found, NOT_IN_MEMORY))
        return ReaderOutput(_closest([sentence for _, sentence in sentences], given.question))


def _closest(sentences: list[str], question: str) -> str:
    asked = set(terms(question))
    shared = [set(terms(sentence)) & asked for sentence in sentences]
    frequency = Counter(term for words in shared for term in words)

    def worth(i: int) -> float:
        return math.fsum(math.log1p(len(sentences) / frequency[term]) for term in shared[i])

    best = max(range(len(sentences)), key=lambda i: (worth(i), -i), default=None)
    return sentences[best] if best is not None and shared[best] else NOT_IN_MEMORY


def _under_headings(memory: str) -> Iterator[tuple[str, str]]:
    """Yield each sentence that is no heading, with the heading it stands under."""
    heading = ""
    for start, stop in sentence_spans(memory):
        sentence = memory[start:stop]
        if is_heading(sentence):
            heading = sentence
        else:
            yield heading, sentence
