"""Intervals over contexts: a percentile bootstrap of ratios of sums, and Wilson's for a share of 0 or 1.

Contexts are the clusters: questions of one source stand or fall together. Knows nothing of cells or causes.
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from numpy import ndarray

SEED: Final = 20261016
RESAMPLES: Final = 2_000
CONFIDENCE: Final = 0.95
_Z: Final = 1.959963984540054
"""The normal quantile of 0.975."""

Interval = tuple[float, float]


def wilson(successes: int, trials: int) -> Interval | None:
    """Return Wilson's 95 % interval of a share; None without trials."""
    if trials <= 0:
        return None
    share = successes / trials
    spread = _Z * sqrt(share * (1 - share) / trials + _Z * _Z / (4 * trials * trials))
    centre = share + _Z * _Z / (2 * trials)
    scale = 1 + _Z * _Z / trials
    low, high = (centre - spread) / scale, (centre + spread) / scale
    return (0.0 if successes == 0 else max(0.0, low)), (1.0 if successes == trials else min(1.0, high))


def bootstrap_ratios(numerators: ndarray, denominators: ndarray) -> list[Interval]:
    """Return the 95 % percentile interval of Σnumerator / Σdenominator per column, resampling rows.

    Rows are contexts, in an order that the caller makes the same each time (sorted ids); all columns see the
    same resamples, so that cells over the same contexts can be compared. Every denominator is positive.
    """
    import numpy as np

    weights = _weights(numerators.shape[0])
    shares = (weights @ numerators) / (weights @ denominators)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.percentile(shares, [100 * tail, 100 * (1 - tail)], axis=0)
    return [(float(a), float(b)) for a, b in zip(low, high, strict=True)]


@lru_cache(maxsize=32)
def _weights(contexts: int) -> ndarray:
    """Return how often each context is drawn, per resample."""
    import numpy as np

    generator = np.random.default_rng([SEED, contexts])
    drawn = generator.integers(0, contexts, size=(RESAMPLES, contexts), dtype=np.int64)
    drawn += np.arange(RESAMPLES, dtype=np.int64)[:, None] * contexts
    counts = np.bincount(drawn.ravel(), minlength=RESAMPLES * contexts)
    return counts.reshape(RESAMPLES, contexts).astype(np.float64)


def share(part: int, whole: int) -> float | None:
    """Return part / whole; None without a whole."""
    return part / whole if whole else None
