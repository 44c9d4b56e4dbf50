"""Parts of the compaction benchmark that follow rules: free of cost, and a proof that all fits together.

Owns a lexical decision model, a summarizer that takes the beginnings of articles, and an answerer that looks
a name up. All are diagnostic: their figures say nothing about any method, and their names say so. None is
told more than the part that it stands for.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from gacc_gui.runner.compaction.messages import SUMMARY_HEADING
from gacc_gui.runner.compaction.parts import AnswerInput, DecisionInput, SummaryInput
from gacc_gui.runner.parts import CompressorOutput, ReaderOutput

_WORD: Final = re.compile(r"\w+")
_SENTENCE: Final = re.compile(r"\[(\d+)\] ?(.*)")
_NAME: Final = re.compile(r"(?:[A-Z][\w.'’-]*|\d{3,4})(?: (?:of |the |de |von )?(?:[A-Z][\w.'’-]*|\d{3,4}))*")
_EITHER: Final = re.compile(r"(?:,|:|\bis|\bof) (?:the )?([^,:]+?),? or (?:the )?([^,:]+?)\?\s*$")
_YES_OR_NO: Final = re.compile(
    r"(?:^|[.!?:]\s+)(?:is|are|was|were|do|does|did|has|have|can)\b", re.IGNORECASE
)
_MARGIN: Final = 8
"""Tokens by which a text may count more within the answer input than alone."""
_K1: Final = 1.5
_B: Final = 0.75


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.casefold()) if len(word) > 2 or word.isdigit()]


@dataclass(frozen=True, slots=True)
class LexicalDecider:
    """Scores a passage by BM25 of the task's words, over all passages, as a share of the best."""

    name: str = "fixture-lexical"
    revision: str = "1"
    batch_tokens: int | None = None

    def __call__(self, given: DecisionInput) -> CompressorOutput:
        """Return the scores, rounded to six places."""
        texts = {one.id: Counter(_words(f"{one.title} {one.text}")) for one in given.passages}
        lengths = {id: sum(words.values()) for id, words in texts.items()}
        mean = sum(lengths.values()) / max(1, len(lengths)) or 1.0
        total = len(texts)
        raw: dict[str, float] = dict.fromkeys(texts, 0.0)
        for word in sorted(set(_words(given.task))):
            among = sum(word in words for words in texts.values())
            weight = math.log(1 + (total - among + 0.5) / (among + 0.5))
            for id, words in texts.items():
                often = words[word]
                raw[id] += weight * often * (_K1 + 1) / (often + _K1 * (1 - _B + _B * lengths[id] / mean))
        best = max(raw.values(), default=0.0) or 1.0
        scores = {id: round(raw[id] / best, 6) for id in given.asked}
        return CompressorOutput(json.dumps(scores))


@dataclass(frozen=True, slots=True)
class LeadSummarizer:
    """Takes the first sentence of each article, then the second of each, and so on, while there is space."""

    count: Callable[[str], int]
    """Tokens of a text."""
    name: str = "fixture-lead"
    revision: str = "1"

    def __call__(self, given: SummaryInput) -> CompressorOutput:
        """Return whole sentences in their original order, with headings and ids."""
        most = given.tokens
        if given.last is not None:
            most -= given.last.over
        articles = list(_articles(given.evidence))
        taken: set[tuple[int, int]] = set()
        longest = max((len(lines) for _, lines in articles), default=0)
        for row in range(longest):
            for place, (_, lines) in enumerate(articles):
                if row >= len(lines):
                    continue
                trial = taken | {(place, row)}
                if self._tokens(_written(articles, trial)) + _MARGIN <= most:
                    taken = trial
        text = _written(articles, taken)
        return CompressorOutput(text or None)

    def _tokens(self, text: str) -> int:
        return self.count(json.dumps(text, ensure_ascii=False))


@dataclass(frozen=True, slots=True)
class RuleAnswerer:
    """Answers with a name or a number that the question does not hold, from the sentence most like it."""

    name: str = "fixture-rule"
    revision: str = "1"

    def __call__(self, given: AnswerInput) -> ReaderOutput:
        """Return a reply in the form that is asked for."""
        asked = set(_words(given.question))
        sentences = [
            (title, int(number), text)
            for title, lines in _articles(given.evidence)
            for number, text in (_numbered(line) for line in lines)
        ]
        ordered = sorted(
            enumerate(sentences),
            key=lambda pair: (-len(asked & set(_words(f"{pair[1][0]} {pair[1][2]}"))), pair[0]),
        )
        best = [sentence for _, sentence in ordered]
        facts: list[list[str | int]] = []
        for title, number, _ in best:
            if all(title != fact[0] for fact in facts):
                facts.append([title, number])
            if len(facts) == 2:
                break
        reply = {"answer": _answer(given.question, asked, best), "supporting_facts": facts}
        return ReaderOutput(json.dumps(reply, ensure_ascii=False))


def _answer(question: str, asked: set[str], best: list[tuple[str, int, str]]) -> str:
    if _YES_OR_NO.match(question):
        return "yes"
    if (either := _EITHER.search(question)) is not None:
        return next((title for title, _, _ in best if title in either.groups()), either[1])
    for _, _, text in best[:3]:
        for name in _NAME.finditer(text):
            bare = name[0].removeprefix("The ").rstrip(".")
            if name.start() == 0 and " " not in bare:
                continue  # any word has a capital there
            if _words(bare) and not set(_words(bare)) <= asked:
                return bare
    return best[0][0] if best else ""


def _articles(evidence: str) -> Iterator[tuple[str, list[str]]]:
    """Yield articles with their lines; what stands before the first heading belongs to none."""
    title: str | None = None
    lines: list[str] = []
    for line in evidence.split("\n"):
        if line.startswith("# "):
            if title is not None:
                yield title, lines
            title, lines = line[2:], []
        elif title is not None and _SENTENCE.match(line) and line != SUMMARY_HEADING:
            lines.append(line)
    if title is not None:
        yield title, lines


def _numbered(line: str) -> tuple[str, str]:
    match = _SENTENCE.match(line)
    assert match is not None, "articles have only numbered lines"
    return match[1], match[2]


def _written(articles: list[tuple[str, list[str]]], taken: set[tuple[int, int]]) -> str:
    parts = []
    for place, (title, lines) in enumerate(articles):
        chosen = [line for row, line in enumerate(lines) if (place, row) in taken]
        if chosen:
            parts.append("\n".join([f"# {title}", *chosen]))
    return "\n\n".join(parts)
