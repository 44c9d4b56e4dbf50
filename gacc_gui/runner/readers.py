"""The rule reader of configured evaluations. It asks no model: results made with it are diagnostic.

Not here: the reader that asks a model (`llm_parts`), and those of the demonstration and the fixture (`rules`,
`fixture`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

from gacc_gui.core.folding import fold
from gacc_gui.core.sentences import sentence_spans
from gacc_gui.runner.parts import ReaderInput, ReaderOutput
from gacc_gui.runner.rules import NOT_IN_MEMORY, terms

_QUOTED: Final = re.compile('[“"„«]([^“”"„«»]{2,})[”"“»]')


@dataclass(frozen=True, slots=True)
class QuotingReader:
    """Answers with a sentence of the memory: the one that shares the rarest words with the question.

    What the question names in quotation marks must stand in the sentence. Of equal sentences the first is
    taken; where none shares a word, the answer is `NOT_IN_MEMORY`.
    """

    name: str = "rule"
    revision: str = "1"

    def __call__(self, given: ReaderInput) -> ReaderOutput:
        """Return the sentence."""
        sentences = [given.memory[start:stop] for start, stop in sentence_spans(given.memory)]
        named = [fold(words) for words in _QUOTED.findall(given.question)]
        held = [set(terms(sentence)) for sentence in sentences]
        frequency = Counter(term for words in held for term in words)
        asked = set(terms(given.question))

        def worth(i: int) -> float:
            return sum(math.log1p(len(sentences) / frequency[term]) for term in sorted(held[i] & asked))

        allowed = [i for i, text in enumerate(sentences) if all(words in fold(text) for words in named)]
        best = max(allowed, key=lambda i: (worth(i), -i), default=None)
        if best is None or not held[best] & asked:
            return ReaderOutput(NOT_IN_MEMORY)
        return ReaderOutput(sentences[best])
