"""Whether a proposal speaks in the source's own sentences, and which of them survive.

Owns the flag `uncertain`'s question (“less than half of the proposal's sentences are found in the source”).
Most proposals answer it by exact lookups in a set; the rest are searched, with a quick reject by word pairs.
"""

from __future__ import annotations

from itertools import pairwise

from gacc_gui.core.evidence import Haystack
from gacc_gui.core.folding import fold
from gacc_gui.core.sentences import sentence_spans


class SourceSentences:
    """A source, ready for being asked about sentences."""

    __slots__ = ("_haystack", "_known", "_pairs")

    def __init__(self, haystack: Haystack) -> None:
        self._haystack = haystack
        text = haystack.text
        self._known = {text[start:end] for start, end in sentence_spans(text)}
        self._pairs: set[tuple[str, str]] | None = None

    def mostly_missing(self, proposal: Haystack) -> bool:
        """Whether less than half of the proposal's sentences are found in the source; False without any."""
        text = proposal.text
        sentences = [text[start:end] for start, end in sentence_spans(text)]
        unknown = [sentence for sentence in sentences if sentence not in self._known]
        needed = (len(sentences) + 1) // 2 - (len(sentences) - len(unknown))
        for left, sentence in zip(range(len(unknown), 0, -1), unknown, strict=True):
            if needed <= 0 or needed > left:
                break
            needed -= self.contains(sentence)
        return needed > 0

    def contains(self, sentence: str) -> bool:
        """Whether a sentence is in the source, exactly or folded."""
        if sentence in self._known:
            return True
        folded = fold(sentence)
        words = folded.split(" ")
        if len(words) > 3:
            # Where the sentence stands in the folded source, its inner words stand whole, one after another.
            if self._pairs is None:
                whole = self._haystack.folded.folded.split(" ")
                self._pairs = set(pairwise(whole))
            pairs = self._pairs
            if any(pair not in pairs for pair in pairwise(words[1:-1])):
                return not sentence.isascii() and sentence in self._haystack.text
        return self._haystack.contains(sentence, folded)
