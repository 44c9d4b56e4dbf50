from __future__ import annotations

import numpy as np
import pytest

from gacc_gui.core.statistics import bootstrap_ratios, share, wilson


def test_wilson() -> None:
    assert wilson(0, 0) is None
    low, high = wilson(5, 10) or (0, 0)
    assert (low, high) == (pytest.approx(0.236593, abs=1e-6), pytest.approx(0.763407, abs=1e-6))
    assert wilson(0, 10) == (0.0, pytest.approx(0.277533, abs=1e-6))
    assert wilson(10, 10) == (pytest.approx(0.722467, abs=1e-6), 1.0)


def column(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.float64)[:, None]


def test_documents_are_resampled_and_not_questions() -> None:
    """Four documents of ten questions, each all right or all wrong: by question it would be [.35, .65]."""
    right, asked = column([10, 10, 0, 0]), column([10] * 4)
    assert bootstrap_ratios(right, asked) == [(0.0, 1.0)]


def test_the_interval_is_the_binomials_for_equal_clusters() -> None:
    ((low, high),) = bootstrap_ratios(column([1] * 80 + [0] * 120), column([1] * 200))
    spread = 1.96 * (0.4 * 0.6 / 200) ** 0.5
    assert low == pytest.approx(0.4 - spread, abs=0.01)
    assert high == pytest.approx(0.4 + spread, abs=0.01)


def test_the_same_every_time_and_for_every_column() -> None:
    right, asked = column([3, 1, 4, 1, 5, 9]), column([9] * 6)
    once = bootstrap_ratios(right, asked)
    assert once == bootstrap_ratios(right, asked)
    assert bootstrap_ratios(np.hstack([right, right]), np.hstack([asked, asked])) == once * 2


def test_share() -> None:
    assert share(0, 0) is None
    assert share(0, 3) == 0
    assert share(1, 3) == 1 / 3
