"""Score a HotpotQA submission against its gold, and tell what in it could not count.

Owns what is missing, unusable or superfluous in a submission. The arithmetic is `core.hotpot_scores`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gacc_gui.core.errors import BadInput
from gacc_gui.core.hotpot_records import Gold, names_sentence
from gacc_gui.core.hotpot_scores import (
    HotpotMetrics,
    PartScore,
    QuestionScore,
    SentenceIds,
    average,
    is_empty,
    score_answer,
    score_support,
)
from gacc_gui.core.records import Json
from gacc_gui.formats.hotpotqa import Submission, read_gold, read_submission


@dataclass(frozen=True, slots=True)
class Remarks:
    """What a reader of the figures must know, as question ids in the gold's order.

    A missing or unusable part counts as zero. `empty`: the answer or its gold normalises to nothing.
    `odd_ids`: a supporting fact is no title with a whole number; `credited`: the official script gives other
    figures for one of them than the benchmark's rule.
    """

    missing_answers: list[str] = field(default_factory=list)
    missing_supports: list[str] = field(default_factory=list)
    unusable_answers: list[str] = field(default_factory=list)
    unusable_supports: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    odd_ids: list[str] = field(default_factory=list)
    credited: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)
    """Predictions for no question of the gold: ignored."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """The figures over `questions`, the rows of the gold."""

    metrics: HotpotMetrics
    questions: int
    remarks: Remarks


def score_submission(
    gold: Path, predictions: Path, ids: SentenceIds, progress: Callable[[int], None] | None = None
) -> Scoring:
    """Score a submission file against an official JSON or Parquet file.

    `progress` is told how many questions were scored. Raises BadInput for a file that cannot be used, and
    with “no data” for a gold without questions.
    """
    scorer = _Scorer(read_submission(predictions), ids)
    metrics = average(scorer.scores(read_gold(gold), progress))
    if metrics is None:
        raise BadInput("no data: there is no question in it", path=str(gold))
    scorer.note_extra()
    return Scoring(metrics, len(scorer.seen), scorer.remarks)


class _Scorer:
    def __init__(self, submission: Submission, ids: SentenceIds) -> None:
        self._submission = submission
        self._ids = ids
        self.seen: set[str] = set()
        self.remarks = Remarks()

    def scores(
        self, golds: Iterator[Gold], progress: Callable[[int], None] | None
    ) -> Iterator[QuestionScore]:
        for gold in golds:
            self.seen.add(gold.id)
            yield QuestionScore(self._answer(gold), self._support(gold))
            if progress is not None:
                progress(len(self.seen))

    def note_extra(self) -> None:
        predicted = (*self._submission.answers, *self._submission.supports)
        self.remarks.extra.extend(id for id in dict.fromkeys(predicted) if id not in self.seen)

    def _answer(self, gold: Gold) -> PartScore | None:
        if gold.id not in self._submission.answers:
            self.remarks.missing_answers.append(gold.id)
            return None
        said = self._submission.answers[gold.id]
        if not isinstance(said, str):
            self.remarks.unusable_answers.append(gold.id)
            return None
        if is_empty(said) or all(map(is_empty, gold.answers)):
            self.remarks.empty.append(gold.id)
        return score_answer(said, gold.answers)

    def _support(self, gold: Gold) -> PartScore | None:
        if gold.id not in self._submission.supports:
            self.remarks.missing_supports.append(gold.id)
            return None
        said: Json = self._submission.supports[gold.id]
        if not isinstance(said, list):
            self.remarks.unusable_supports.append(gold.id)
            return None
        score = score_support(said, gold.facts, self._ids)
        if not all(map(names_sentence, (*said, *gold.facts))):
            self.remarks.odd_ids.append(gold.id)
            if len({score_support(said, gold.facts, ids) for ids in SentenceIds}) > 1:
                self.remarks.credited.append(gold.id)
        return score
