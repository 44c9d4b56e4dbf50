"""Whether sentences stand verbatim in a text: is a proposal an extract, or does it paraphrase?

Owns the flag `uncertain`'s question (“less than half of the proposal's sentences are found in the source”).
Never decides a fate of evidence: that is `core.evidence`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from gacc_gui.core.evidence import Haystack
from gacc_gui.core.folding import fold
from gacc_gui.core.sentences import bare_sentences

_FEW: Final = 16
"""Places of a word up to which no rarer word is looked for."""


class SentenceIndex:
    """A text, ready for being asked whether sentences are in it.

    Most are answered by a set of the text's own sentences. For the rest the text is not searched: it is
    compared, word by word, at the places of one of the sentence's rarer words.
    """

    __slots__ = ("_haystack", "_known", "_places", "_words")

    def __init__(self, haystack: Haystack) -> None:
        self._haystack = haystack
        self._known = frozenset(bare_sentences(haystack.text))
        self._words: list[str] = []
        """The words of the folded text, which are parted by one blank each."""
        self._places: dict[str, list[int]] = {}
        """Where in `_words` each word is."""

    def contains(self, sentence: str) -> bool:
        """Whether a bare sentence is in the text, exactly or folded."""
        if sentence in self._known:
            return True
        if not self._words:
            self._index()
        # Where a sentence stands, exactly or folded, its inner words stand folded, whole and in a row;
        # only its ends can be joined to what is around. Normal forms do not reach across a blank.
        if sentence.isascii():
            words = sentence.lower().split()
            inner = words[1:-1]
        else:
            inner = fold(" ".join(sentence.split()[1:-1])).split()
        if not inner:
            return self._haystack.contains(sentence, fold(sentence))
        word, places = self._rare(inner)
        first, count, text = inner.index(word), len(inner), self._words
        begin = inner[0]  # compared first: most places are found out by one word
        starts = [
            at - first
            for at in places
            if at >= first and text[at - first] == begin and text[at - first : at - first + count] == inner
        ]
        if not starts:
            return False
        if sentence.isascii() and self._haystack.text.isascii() and sentence == sentence.strip():
            return any(
                0 < start < len(text) - count
                and text[start - 1].endswith(words[0])
                and text[start + count].startswith(words[-1])
                for start in starts
            )
        return self._haystack.contains(sentence, fold(sentence))

    def _rare(self, words: list[str]) -> tuple[str, Sequence[int]]:
        """Return one of the words that is rare in the text, with its places there."""
        word = max(words, key=len)
        places: Sequence[int] = self._places.get(word, ())
        if len(places) > _FEW:
            word = min(words, key=self._count)
            places = self._places.get(word, ())
        return word, places

    def _count(self, word: str) -> int:
        return len(self._places.get(word, ()))

    def _index(self) -> None:
        self._words = self._haystack.folded.folded.split(" ")
        places = defaultdict(list)
        for at, word in enumerate(self._words):
            places[word].append(at)
        self._places = dict(places)

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
