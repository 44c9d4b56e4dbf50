"""HotpotQA's official metrics: answer, supporting facts and both together, and their averages.

Owns the arithmetic of the official evaluation script to the letter, and the benchmark's stricter rule for
sentence ids, as a variant that is asked for by name. Not here: files (`formats.hotpotqa`), what a missing or
unusable prediction is called (`app.scoring`).

Two things of the script surprise: a prediction and a gold answer that both normalise to nothing match exactly
with an F1 of 0, and beside yes, no and noanswer nothing counts as partly right.
"""

from __future__ import annotations

import json
import re
import string
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from typing import Final

from gacc_gui.core.hotpot_records import names_sentence
from gacc_gui.core.records import Json

_ALL_OR_NOTHING: Final = frozenset({"yes", "no", "noanswer"})
_ARTICLES: Final = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_Key = tuple[Json, ...]


class SentenceIds(Enum):
    """Which sentence ids can be right.

    OFFICIAL compares as Python does: `true` and `1.0` are sentence 1. STRICT is the benchmark's rule: a
    boolean, a decimal or a text earns nothing, and is a wrong fact like any other.
    """

    OFFICIAL = "official"
    STRICT = "strict"


@dataclass(frozen=True, slots=True)
class PartScore:
    """One part's figures for one question, each from 0 to 1."""

    em: float
    f1: float
    prec: float
    recall: float


@dataclass(frozen=True, slots=True)
class QuestionScore:
    """A question's parts; None is a part without a (usable) prediction, which counts as zero."""

    answer: PartScore | None
    support: PartScore | None

    @property
    def joint(self) -> PartScore | None:
        """Both parts together: precisions and recalls multiplied, F1 of the products; None if one lacks."""
        if self.answer is None or self.support is None:
            return None
        prec = self.answer.prec * self.support.prec
        recall = self.answer.recall * self.support.recall
        return PartScore(self.answer.em * self.support.em, _f1(prec, recall), prec, recall)


@dataclass(frozen=True, slots=True)
class HotpotMetrics:
    """The twelve official figures, named and ordered as the script prints them."""

    em: float
    f1: float
    prec: float
    recall: float
    sp_em: float
    sp_f1: float
    sp_prec: float
    sp_recall: float
    joint_em: float
    joint_f1: float
    joint_prec: float
    joint_recall: float

    def as_json(self) -> dict[str, float]:
        """Return the figures by name, in order."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def normalise_answer(text: str) -> str:
    """Return the text in lower case, without ASCII punctuation, articles and superfluous white space."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def is_empty(text: str) -> bool:
    """Whether nothing is left of an answer once it is normalised: such a match says little."""
    return not normalise_answer(text)


def score_answer(prediction: str, golds: Sequence[str]) -> PartScore | None:
    """Score an answer against the best of its golds; None without a gold: it cannot be scored.

    Among several, a gold that normalises to nothing does not count, unless none does otherwise.
    """
    telling = [gold for gold in golds if not is_empty(gold)] if len(golds) > 1 else golds
    scores = [_score_answer(prediction, gold) for gold in telling or golds]
    return max(scores, key=lambda score: (score.em, score.f1), default=None)


def _score_answer(prediction: str, gold: str) -> PartScore:
    said, wanted = normalise_answer(prediction), normalise_answer(gold)
    em = float(said == wanted)
    if not em and (said in _ALL_OR_NOTHING or wanted in _ALL_OR_NOTHING):
        return PartScore(em, 0.0, 0.0, 0.0)
    said_words, wanted_words = said.split(), wanted.split()
    same = sum((Counter(said_words) & Counter(wanted_words)).values())
    if same == 0:
        return PartScore(em, 0.0, 0.0, 0.0)
    prec, recall = same / len(said_words), same / len(wanted_words)
    return PartScore(em, _f1(prec, recall), prec, recall)


def score_support(
    prediction: Iterable[Json], gold: Iterable[Json], ids: SentenceIds = SentenceIds.OFFICIAL
) -> PartScore:
    """Score supporting facts, [title, sentence id] pairs, as two sets.

    What is no such pair is a fact that no other equals: it costs precision.
    """
    said = {_key(fact, ids, "said") for fact in prediction}
    wanted = {_key(fact, ids, "wanted") for fact in gold}
    right = len(said & wanted)
    prec = right / len(said) if said else 0.0
    recall = right / len(wanted) if wanted else 0.0
    return PartScore(float(said == wanted), _f1(prec, recall), prec, recall)


def _key(fact: Json, ids: SentenceIds, side: str) -> _Key:
    if ids is SentenceIds.STRICT:
        sound = names_sentence(fact)
    else:
        sound = isinstance(fact, list | tuple) and not any(isinstance(part, list | dict) for part in fact)
    # A key of three that starts with the side is equal only to the same oddity on the same side.
    return tuple(fact) if sound else (side, None, json.dumps(fact, ensure_ascii=False))


def _f1(prec: float, recall: float) -> float:
    return 2 * prec * recall / (prec + recall) if prec + recall > 0 else 0.0


def average(scores: Iterable[QuestionScore]) -> HotpotMetrics | None:
    """Return the means over all questions, those without a prediction included; None without a question."""
    totals = [0.0] * 12
    count = 0
    for score in scores:
        count += 1
        for at, part in enumerate((score.answer, score.support, score.joint)):
            if part is not None:
                figures = (part.em, part.f1, part.prec, part.recall)
                for offset, figure in enumerate(figures, start=4 * at):
                    totals[offset] += figure
    return HotpotMetrics(*(total / count for total in totals)) if count else None
