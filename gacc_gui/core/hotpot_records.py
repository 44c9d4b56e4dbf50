"""HotpotQA's distractor questions as records: a question, its gold, its ten articles.

Owns the shapes both file forms are read into. Not here: how they are read (`formats.hotpotqa`), what they
score (`core.hotpot_scores`), which are selected (`core.hotpot_selection`).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from gacc_gui.core.records import Json


@dataclass(frozen=True, slots=True)
class Gold:
    """What a prediction is scored against.

    `answers` are alternatives (HotpotQA itself has one) and at least one. `facts` are [title, sentence id]
    pairs just as they were written: whether a pair is sound is for those to say who use it.
    """

    id: str
    answers: tuple[str, ...]
    facts: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class Article:
    """An article: its title, and its sentences with the white space they came with."""

    title: str
    sentences: tuple[str, ...]

    @property
    def characters(self) -> int:
        """The code points of its sentences; the title is not counted."""
        return sum(map(len, self.sentences))


@dataclass(frozen=True, slots=True)
class HotpotQuestion:
    """One row of the distractor set. `kind` is what the files call `type`: bridge or comparison."""

    id: str
    question: str
    answer: str
    kind: str
    level: str | None
    facts: tuple[Json, ...]
    articles: tuple[Article, ...]

    @property
    def gold(self) -> Gold:
        """What a prediction for it is scored against."""
        return Gold(self.id, (self.answer,), self.facts)

    def content_sha256(self) -> str:
        """Return the hash of everything it says: the same from either file form, on any machine."""
        content = [
            *(self.id, self.question, self.answer, self.kind, self.level, self.facts),
            [[article.title, article.sentences] for article in self.articles],
        ]
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def names_sentence(fact: Json) -> bool:
    """Whether a supporting fact is a title with a whole number: not a boolean, a decimal or a text."""
    return isinstance(fact, list | tuple) and len(fact) == 2 and type(fact[0]) is str and type(fact[1]) is int
