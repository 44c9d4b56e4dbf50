"""Whether sentences stand verbatim in a text: is a proposal an extract, or does it paraphrase?

Owns the flag `uncertain`'s question (“less than half of the proposal's sentences are found in the source”).
Never decides a fate of evidence: that is `core.evidence`.
"""

from __future__ import annotations

from itertools import pairwise

from gacc_gui.core.evidence import Haystack
from gacc_gui.core.folding import fold
from gacc_gui.core.sentences import bare_sentences


class SentenceIndex:
    """A text, ready for being asked whether sentences are in it.

    Most are answered by a set of the text's own sentences; of the rest, most are turned away by their word
    pairs; only then is the text searched.
    """

    __slots__ = ("_haystack", "_known", "_pairs")

    def __init__(self, haystack: Haystack) -> None:
        self._haystack = haystack
        self._known = frozenset(bare_sentences(haystack.text))
        self._pairs: set[tuple[str, str]] | None = None

    def contains(self, sentence: str) -> bool:
        """Whether a bare sentence is in the text, exactly or folded."""
        if sentence in self._known:
            return True
        if self._lacks_words_of(sentence):
            # Exact occurrences can lack a folded one only where normalisation joins their ends.
            return not sentence.isascii() and sentence in self._haystack.text
        return self._haystack.contains(sentence, fold(sentence))

    def _lacks_words_of(self, sentence: str) -> bool:
        """Whether two neighbouring words of a sentence are no neighbours in the text.

        Where the sentence stands in the folded text, its inner words stand whole, one after another.
        """
        if self._pairs is None:
            self._pairs = set(pairwise(self._haystack.folded.folded.split()))
        folded = sentence.lower() if sentence.isascii() else fold(sentence)
        first = folded.split(None, 3)  # most paraphrases are found out here
        if len(first) == 4 and (first[1], first[2]) not in self._pairs:
            return True
        return any(pair not in self._pairs for pair in pairwise(folded.split()[1:-1]))

    def mostly_missing(self, other: Haystack) -> bool:
        """Whether less than half of another text's sentences are in this one; False if it has none."""
        if self._haystack.text.startswith(other.text):
            return False
        sentences = bare_sentences(other.text)
        known = self._known
        unknown = [sentence for sentence in sentences if sentence not in known]
        needed = (len(sentences) + 1) // 2 - (len(sentences) - len(unknown))
        for left, sentence in zip(range(len(unknown), 0, -1), unknown, strict=True):
            if needed <= 0 or needed > left:
                break
            needed -= self.contains(sentence)
        return needed > 0
