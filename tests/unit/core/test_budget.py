from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.core.budget import budget_for, canonical_ratio
from gacc_gui.core.errors import BadInput, BadUsage


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("0.1", "0.1"),
        ("0.10", "0.1"),
        ("1E-1", "0.1"),
        (".5", "0.5"),
        ("1.", "1"),
        ("+0.250", "0.25"),
        (" 0.2 ", "0.2"),
        (0.1, "0.1"),
        (1e-07, "0.0000001"),
        (1, "1"),
        (1.0, "1"),
        (0, "0"),
        ("-0.0", "0"),
        ("100e-2", "1"),
        ("1e1", "10"),
        (Decimal("0.300"), "0.3"),
        ("0.1234567890123456789012345678901", "0.1234567890123456789012345678901"),
    ],
)
def test_equal_decimals_are_one_ratio(written: object, canonical: str) -> None:
    assert canonical_ratio(written) == canonical


@pytest.mark.parametrize(
    "nonsense",
    [
        "",
        "a",
        "-0.1",
        -1,
        True,
        None,
        [],
        float("nan"),
        float("inf"),
        "NaN",
        "1_0",
        "１",
        "1e-999999999",
        "--1",
    ],
)
def test_what_is_no_ratio_is_refused(nonsense: object) -> None:
    with pytest.raises(BadInput):
        canonical_ratio(nonsense)


def test_budgets_are_exact() -> None:
    assert budget_for("0.29", 100) == 29  # as floats 28.999999999999996
    assert budget_for("0.1", 1230) == 123
    assert budget_for("0.02", 49) == 0
    assert budget_for("1", 7) == 7
    assert budget_for("0", 10**9) == 0


@pytest.mark.parametrize("count", [-1, 1.0, True, "3", None])
def test_a_source_has_a_whole_number_of_tokens(count: object) -> None:
    with pytest.raises(BadUsage, match=str(count)):
        budget_for("0.5", count)


@given(st.decimals(0, 5, allow_nan=False, places=9), st.integers(0, 10**9))
def test_budget_is_the_floor_of_the_product(ratio: Decimal, count: int) -> None:
    assert budget_for(canonical_ratio(ratio), count) == (Fraction(ratio) * count).__floor__()


@given(st.decimals(0, 5, allow_nan=False, allow_infinity=False, places=20))
def test_canonical_form_keeps_the_value_and_is_its_own(ratio: Decimal) -> None:
    written = canonical_ratio(ratio)
    assert Decimal(written) == ratio
    assert canonical_ratio(written) == written
    assert "e" not in written.lower()
    assert "." not in written or not written.endswith(("0", "."))
