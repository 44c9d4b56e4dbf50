"""How far judge and reviewers agree on a run, and what its sampled reviews say of the rest.

Owns which reviews go into which figure. The arithmetic is `core.agreement` and `core.sample_estimates`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Final

from gacc_gui.app.reviewing import absent_rows
from gacc_gui.core.agreement import NO_VERDICT, AgreementFigures, Pair, agreement_figures, cohens_kappa
from gacc_gui.core.records import Json, Review
from gacc_gui.core.review_queue import ALL, BY_CAUSE, KINDS, WHOLE
from gacc_gui.core.reviewing import JudgedRow, Row, Standing, standing_reviews
from gacc_gui.core.sample_estimates import (
    Estimate,
    Group,
    SampledRow,
    agreement_share,
    corrected_micro,
    groups_of,
    weighted_confusion,
)
from gacc_gui.store.rows import CellChoice

if TYPE_CHECKING:
    from gacc_gui.store.queue_reads import FrameRow
    from gacc_gui.store.reads import Reader

_CELL_FIELDS: Final = ("compressor", "revision", "condition", "ratio")
NOT_SAMPLED: Final = (
    "no decision was made in a sampled queue; rows that somebody picked say nothing of the others"
)


@dataclass(frozen=True, slots=True)
class ReviewerAgreement:
    """The judge against one reviewer, or against what counts of all of them (`reviewer` None)."""

    reviewer: str | None
    blind: int
    """Rows that were decided before the judge's verdict was seen."""
    coverage: float | None
    """The share of the run's rows that have a decision."""
    figures: AgreementFigures


@dataclass(frozen=True, slots=True)
class ReviewerPair:
    """Two reviewers on the rows that both have decided."""

    first: str
    second: str
    figures: AgreementFigures


@dataclass(frozen=True, slots=True)
class SampleEstimates:
    """What a queue says of the rows that it was drawn from; where it cannot, `reason` says why."""

    queue: str
    method: str
    reviewer: str | None
    """One reviewer, or None: what counts of all."""
    sampled: int
    """Rows of the whole queue."""
    reviewed: int
    unclear: int
    population: int
    """Rows of the chosen cells that the queue was drawn from."""
    unanswered: int
    """Rows of the chosen cells without an answer, which no label makes right."""
    reason: str | None = None
    confusion: Mapping[tuple[str, str], float] | None = None
    """Estimated rows of the population by what judge and reviewer say."""
    agreement: Estimate | None = None
    kappa: float | None = None
    micro_as_judged: float | None = None
    micro: Estimate | None = None
    micro_reason: str | None = None
    """Why there is no corrected Micro, where there are estimates at all."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """All of it. `corrected` is the queue whose corrected Micro stands on the most reviewed rows."""

    run_id: str
    rows: int
    reviewed: int
    conflicts: int
    reviewers: tuple[ReviewerAgreement, ...]
    pooled: ReviewerAgreement
    pairs: tuple[ReviewerPair, ...]
    samples: tuple[SampleEstimates, ...]
    corrected: SampleEstimates | None
    corrected_reason: str | None
    absent: tuple[Row, ...] = ()
    """Rows with a decision that the run does not have."""


def agreement_of(reader: Reader, run_id: str) -> Agreement:
    """Return how far judge and reviewers of a run agree.

    Raises BadUsage for an unknown run, StoreError where the database cannot be read.
    """
    from gacc_gui.store import review_reads

    reviews = reader.reviews(run_id)
    standing = standing_reviews(reviews)
    judged = {row.row: row for row in reader.on_run(run_id, review_reads.reviewed)} if standing else {}
    absent = absent_rows(standing, judged.values())
    standing = {row: stands for row, stands in standing.items() if row in judged}
    rows = reader.totals(run_id).questions
    said: dict[str, dict[Row, Review]] = defaultdict(dict)
    for row, stands in standing.items():
        for review in stands.reviews:
            said[review.reviewer][row] = review
    names = sorted(said)
    pooled = {row: stands.decides for row, stands in standing.items()}
    samples = _samples(reader, run_id, standing, judged)
    corrected = max(
        (sample for sample in samples if sample.micro is not None and sample.reviewer is None),
        key=lambda sample: sample.reviewed,
        default=None,
    )
    return Agreement(
        run_id=run_id,
        rows=rows,
        reviewed=len(pooled),
        conflicts=sum(stands.conflict for stands in standing.values()),
        reviewers=tuple(_against(name, said[name], judged, rows) for name in names),
        pooled=_against(None, pooled, judged, rows),
        pairs=tuple(_between(a, b, said, judged) for a, b in combinations(names, 2)),
        samples=tuple(samples),
        corrected=corrected,
        corrected_reason=None if corrected else _why_not(samples),
        absent=absent,
    )


def judge_says(row: JudgedRow) -> str:
    """Return what the judge says of a row: the label that counts, or that there is none."""
    return row.label or NO_VERDICT


def _against(
    name: str | None, said: Mapping[Row, Review], judged: Mapping[Row, JudgedRow], rows: int
) -> ReviewerAgreement:
    pairs = [
        Pair(judged[row].context_id, judge_says(judged[row]), review.decision) for row, review in said.items()
    ]
    blind = sum(review.blind is True for review in said.values())
    return ReviewerAgreement(name, blind, len(said) / rows if rows else None, agreement_figures(pairs))


def _between(
    a: str, b: str, said: Mapping[str, Mapping[Row, Review]], judged: Mapping[Row, JudgedRow]
) -> ReviewerPair:
    both = [row for row in said[a] if row in said[b]]
    pairs = [Pair(judged[row].context_id, said[a][row].decision, said[b][row].decision) for row in both]
    return ReviewerPair(a, b, agreement_figures(pairs))


def _why_not(samples: Sequence[SampleEstimates]) -> str:
    whole = [sample for sample in samples if sample.reviewer is None]
    if not whole:
        return NOT_SAMPLED
    best = max(whole, key=lambda sample: (sample.method in WHOLE, sample.reviewed))
    return best.reason or best.micro_reason or NOT_SAMPLED


# Sampled queues.


def _samples(
    reader: Reader, run_id: str, standing: Mapping[Row, Standing], judged: Mapping[Row, JudgedRow]
) -> list[SampleEstimates]:
    """Return the estimates of every queue: of what counts, then of each reviewer where there are several."""
    queues: dict[str, dict[Row, Review]] = defaultdict(dict)
    for row, stands in standing.items():
        for review in stands.reviews:
            if review.sample is not None and (name := _queue_name(review.sample)) is not None:
                queues[name].setdefault(row, review)
    found = []
    for name in sorted(queues):
        drawn = queues[name]
        frame = _Frame(reader, run_id, next(iter(drawn.values())).sample or {})
        found.append(
            frame.estimates(name, None, {row: standing[row].decides for row in drawn}, drawn, judged)
        )
        reviewers = sorted({review.reviewer for row in drawn for review in standing[row].reviews})
        if len(reviewers) > 1:
            for reviewer in reviewers:
                own = {
                    row: review
                    for row in drawn
                    for review in standing[row].reviews
                    if review.reviewer == reviewer
                }
                found.append(frame.estimates(name, reviewer, own, drawn, judged))
    return found


def _queue_name(sample: Mapping[str, Json]) -> str | None:
    """Return the queue of a review whose sample is one of ours, and whole."""
    counts = ("stratum_size", "stratum_sampled", "stratum_position", "size")
    whole = (
        all(type(sample.get(name)) is int and sample[name] >= 0 for name in counts)
        and all(isinstance(sample.get(name), str) for name in ("queue", "stratum"))
        and sample.get("method") in KINDS
    )
    return str(sample["queue"]) if whole else None


class _Frame:
    """The rows that a queue was drawn from, counted as they are now."""

    def __init__(self, reader: Reader, run_id: str, sample: Mapping[str, Json]) -> None:
        from gacc_gui.store import queue_reads

        self._method = str(sample["method"])
        self._size = int(str(sample["size"]))
        cells = sample.get("cells")
        chosen = cells if isinstance(cells, Mapping) else {}
        choice = CellChoice(
            **{name: chosen[name] for name in _CELL_FIELDS if isinstance(chosen.get(name), str)}
        )
        counted = reader.on_run(run_id, partial(queue_reads.frame, choice=choice))
        self._unanswered = sum(row.rows for row in counted if not row.answered)
        self._all = sum(row.rows for row in counted)
        self._right = sum(row.rows for row in counted if row.label == "correct")
        if self._method in WHOLE:
            self._sizes = _sizes(counted, self._method)
        else:
            self._sizes = reader.on_run(run_id, partial(queue_reads.sizes, choice=choice, kind=self._method))

    def estimates(
        self,
        name: str,
        reviewer: str | None,
        said: Mapping[Row, Review],
        drawn: Mapping[Row, Review],
        judged: Mapping[Row, JudgedRow],
    ) -> SampleEstimates:
        """Return what the decisions `said` tell; `drawn` are reviews that know their rows' strata."""
        strata = {row: drawn[row].sample or {} for row in said}
        rows = [
            SampledRow(str(strata[row]["stratum"]), judge_says(judged[row]), review.decision)
            for row, review in said.items()
        ]
        population = sum(self._sizes.values())
        # Strata of which nothing has been reviewed yet have told nobody their share: the queue knows.
        declared = sum({str(s["stratum"]): int(s["stratum_sampled"]) for s in strata.values()}.values())
        head = SampleEstimates(
            queue=name,
            method=self._method,
            reviewer=reviewer,
            sampled=max(declared, min(self._size, population)),
            reviewed=len(rows),
            unclear=sum(row.reviewer == "unclear" for row in rows),
            population=population,
            unanswered=self._unanswered,
        )
        groups = self._problem(strata.values()) or groups_of(self._sizes, rows)
        if isinstance(groups, str):
            return replace(head, reason=groups)
        return self._with_estimates(head, groups)

    def _with_estimates(self, head: SampleEstimates, groups: Sequence[Group]) -> SampleEstimates:
        confusion = weighted_confusion(groups)
        found = replace(
            head,
            confusion=confusion,
            agreement=agreement_share(groups),
            kappa=cohens_kappa(confusion),
        )
        if self._method not in WHOLE:
            return replace(
                found,
                micro_reason=f"the queue {self._method} draws from some rows only, chosen by what they are",
            )
        return replace(
            found,
            micro_as_judged=self._right / self._all,
            micro=corrected_micro(groups, self._unanswered),
        )

    def _problem(self, strata: Iterable[Mapping[str, Json]]) -> str | None:
        """Say why these rows are no random sample of the rows as they are now, or None."""
        places: dict[str, list[int]] = defaultdict(list)
        declared: dict[str, int] = {}
        for sample in strata:
            stratum = str(sample["stratum"])
            places[stratum].append(int(sample["stratum_position"]))
            declared[stratum] = int(sample["stratum_size"])
        now: Counter[str] = Counter()
        for (stratum, _), size in self._sizes.items():
            now[stratum] += size
        if any(now[stratum] != size or not size for stratum, size in declared.items()):
            return "the run's rows have changed since the queue was drawn"
        passed = sum(max(found) + 1 - len(set(found)) for found in places.values())
        if passed:
            return f"rows of the queue were passed over: {passed}; the others may differ from them"
        return None


def _sizes(counted: Iterable[FrameRow], method: str) -> dict[tuple[str, str], int]:
    sizes: Counter[tuple[str, str]] = Counter()
    for row in counted:
        if row.answered:
            sizes[row.cause if method == BY_CAUSE else ALL, row.label or NO_VERDICT] += row.rows
    return dict(sizes)
