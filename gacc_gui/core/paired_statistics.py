"""Statistics of two conditions over the same items: McNemar's exact test, the interval of a difference.

Owns the arithmetic. What is paired with what is `core.pairing`, what the counts mean `core.comparison`.
Swapping the conditions mirrors every result bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gacc_gui.core.statistics import Interval, bootstrap_ratios


def mcnemar_exact(fixed: int, broken: int) -> float:
    """Return the two-sided p of McNemar's exact test on the discordant pairs; 1.0 where there are none.

    Under the null hypothesis `fixed` is binomial with one half (McNemar 1947, the exact form): p is twice
    the smaller tail, at most 1. Whole numbers throughout, rounded once at the end.
    """
    pairs = fixed + broken
    term = tail = 1
    for k in range(min(fixed, broken)):
        term = term * (pairs - k) // (k + 1)
        tail += term
    return 1.0 if 2 * tail >= 1 << pairs else 2 * tail / (1 << pairs)


def difference_intervals(sums: Mapping[str, tuple[tuple[int, int], ...]]) -> list[Interval | None]:
    """Return per column the 95 % percentile interval of Σ(b − a) / Σ items, resampling clusters whole.

    `sums` gives per cluster and column (Σ(b − a), items), items above 0. The same seeded resamples as
    everywhere (`core.statistics`), of the clusters sorted by name. None with fewer than two clusters.
    """
    clusters = sorted(sums)
    columns = len(sums[clusters[0]]) if clusters else 0
    if len(clusters) < 2:
        return [None] * columns
    import numpy as np

    table = np.array([sums[cluster] for cluster in clusters], dtype=np.float64)
    changes, items = table[:, :, 0], table[:, :, 1]
    # Interpolating between two resamples rounds differently from above and from below: every column is
    # looked at from the one side, that on which its first change is a gain.
    signs = np.array([_sign(changes[:, column]) for column in range(columns)])
    return [
        (low, high) if sign > 0 else (0.0 - high, 0.0 - low)
        for (low, high), sign in zip(bootstrap_ratios(changes * signs, items), signs, strict=True)
    ]


def _sign(changes: Iterable[float]) -> int:
    return next((1 if change > 0 else -1 for change in changes if change), 1)
