"""How far the judge and the reviewers agree: confusion, Cohen's κ, balanced accuracy.

Owns the arithmetic over pairs of labels. Which rows a sample stands for is `core.sample_estimates`.

κ is of the rows that both have labelled, correct or incorrect (Cohen 1960, Educ. Psychol. Meas. 20:37). Its
95 % interval is κ ± 1.96 standard errors by the delta method (Fleiss, Cohen and Everitt 1969, Psychol. Bull.
72:323), the rows' deviations summed by context, since the questions of one context stand or fall together
(as Yang and Zhou 2014, Stat. Med. 33:2612, for clustered pairs); with one row a context it is the former's.
Where all agree, no row deviates; the lower end is then κ at the lower end of Wilson's interval of agreement
over contexts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import Final

from gacc_gui.core.records import LABELS
from gacc_gui.core.statistics import Interval, share, wilson

NO_VERDICT: Final = "no_verdict"
UNCLEAR: Final = "unclear"
JUDGE_SAYS: Final = (*LABELS, NO_VERDICT)
REVIEWER_SAYS: Final = (*LABELS, UNCLEAR)
KAPPA_METHOD: Final = (
    "Cohen's kappa over rows that both labelled; 95 % interval by the delta method (Fleiss, Cohen and"
    " Everitt 1969), deviations summed by context (as Yang and Zhou 2014); where all agree, from Wilson's"
    " interval of agreement over contexts"
)
_Z: Final = 1.959963984540054
"""The normal quantile of 0.975."""


@dataclass(frozen=True, slots=True)
class Pair:
    """What two say of one row. `first` one of JUDGE_SAYS or REVIEWER_SAYS, `second` of REVIEWER_SAYS."""

    context_id: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class AgreementFigures:
    """What a set of pairs comes to; a figure is None where nothing could be divided."""

    rows: int
    confusion: Mapping[tuple[str, str], int]
    """Rows by what the first and the second say; those without a row are left out."""
    both_labelled: int
    agreement: float | None
    kappa: float | None
    kappa_ci95: Interval | None
    """None with fewer than two contexts, too, and where one of the two gives but one label."""
    sensitivity: float | None
    """Of the rows that the second calls correct, the share that the first does; both have labelled them."""
    specificity: float | None
    """The same of incorrect."""

    @property
    def balanced_accuracy(self) -> float | None:
        """The mean of sensitivity and specificity; None without rows of either label."""
        if self.sensitivity is None or self.specificity is None:
            return None
        return (self.sensitivity + self.specificity) / 2


def agreement_figures(pairs: Sequence[Pair]) -> AgreementFigures:
    """Return what the pairs come to."""
    confusion = Counter((pair.first, pair.second) for pair in pairs)
    both = [pair for pair in pairs if pair.first in LABELS and pair.second in LABELS]
    yes, no = LABELS
    kappa = cohens_kappa(confusion)
    return AgreementFigures(
        rows=len(pairs),
        confusion=dict(confusion),
        both_labelled=len(both),
        agreement=share(confusion[yes, yes] + confusion[no, no], len(both)),
        kappa=kappa,
        kappa_ci95=None if kappa is None else _kappa_interval(kappa, both),
        sensitivity=share(confusion[yes, yes], confusion[yes, yes] + confusion[no, yes]),
        specificity=share(confusion[no, no], confusion[no, no] + confusion[yes, no]),
    )


def cohens_kappa(confusion: Mapping[tuple[str, str], float]) -> float | None:
    """Return κ of the part of a confusion matrix that both have labelled; numbers of rows, or weights.

    None where both give one and the same label to all of them, or there are none.
    """
    cells = {(a, b): confusion.get((a, b), 0) for a in LABELS for b in LABELS}
    whole = sum(cells.values())
    if not whole:
        return None
    observed = sum(cells[label, label] for label in LABELS) / whole
    expected = sum(
        sum(cells[label, other] for other in LABELS) * sum(cells[other, label] for other in LABELS)
        for label in LABELS
    ) / (whole * whole)
    return None if expected >= 1 else (observed - expected) / (1 - expected)


def _kappa_interval(kappa: float, pairs: Iterable[Pair]) -> Interval | None:
    pairs = list(pairs)
    n = len(pairs)
    contexts = {pair.context_id for pair in pairs}
    if len(contexts) < 2:
        return None
    first = Counter(pair.first for pair in pairs)
    second = Counter(pair.second for pair in pairs)
    observed = sum(pair.first == pair.second for pair in pairs) / n
    expected = sum(first[label] * second[label] for label in LABELS) / (n * n)
    # κ = (o − e) / (1 − e): a row moves o by whether it agrees, and e by how often its labels are given.
    deviations: dict[str, list[float]] = defaultdict(list)
    for pair in pairs:
        of_observed = (pair.first == pair.second) - observed
        of_expected = (second[pair.first] + first[pair.second]) / n - 2 * expected
        deviations[pair.context_id].append((of_observed - of_expected * (1 - kappa)) / (1 - expected))
    if len(first) < 2 or len(second) < 2:
        return None  # κ is 0 whatever the rows are: no row deviates
    if observed == 1 and (of_agreement := wilson(len(contexts), len(contexts))) is not None:
        return max(-1.0, (of_agreement[0] - expected) / (1 - expected)), 1.0
    # Exact sums, so that the last digit does not hang on the order of pairs.
    error = sqrt(fsum(fsum(values) ** 2 for values in deviations.values())) / n
    return max(-1.0, kappa - _Z * error), min(1.0, kappa + _Z * error)
