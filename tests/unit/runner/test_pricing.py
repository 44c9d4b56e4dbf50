"""Costs: decimals, cached tokens, and what is unknown is not 0."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gacc_gui.runner.config_model import PriceConfig
from gacc_gui.runner.parts import Usage
from gacc_gui.runner.pricing import Spending, cost_of

PRICE = PriceConfig(input=0.27, output=1.10, cached_input=0.07)


@pytest.mark.parametrize(
    ("usage", "price", "cost"),
    [
        (Usage(1_000_000, 0, 0), PRICE, "0.27"),
        (Usage(1_000_000, 1_000_000, None), PRICE, "1.37"),
        (Usage(1_000_000, 0, 400_000), PRICE, "0.19"),
        (Usage(1_000_000, 0, 400_000), PriceConfig(input=0.27, output=1), "0.27"),
        (Usage(10, 0, 400_000), PRICE, "0.0000007"),
        (Usage(3, 0, 0), PriceConfig(input=0.1, output=0.1), "0.0000003"),
        (Usage(0, 0, 0), PRICE, "0"),
        (Usage(5, 5, 0), PriceConfig(input=0, output=0), "0"),
        (Usage(None, 5), PRICE, None),
        (Usage(5, None), PRICE, None),
        (None, PRICE, None),
        (Usage(5, 5), PriceConfig(), None),
        (Usage(5, 5), PriceConfig(input=1), None),
    ],
)
def test_the_cost_of_a_call(usage: Usage | None, price: PriceConfig, cost: str | None) -> None:
    assert cost_of(usage, price) == (None if cost is None else Decimal(cost))


def test_sums_say_how_much_of_them_is_known() -> None:
    spending = Spending()
    spending.add("reader", Usage(10, 2, 4), Decimal("0.5"))
    reader = spending.add("reader", None, None)
    spending.add("judge", Usage(5, None), 0.25)
    assert (reader.calls, reader.unreported, reader.unpriced) == (2, 1, 1)
    assert (reader.input_tokens, reader.output_tokens, reader.cached_tokens) == (10, 2, 4)
    assert (reader.cost, reader.known_cost) == (None, Decimal("0.5"))
    total = spending.total
    assert (total.calls, total.unreported, total.unpriced) == (3, 2, 1)
    assert (total.input_tokens, total.known_cost) == (15, Decimal("0.75"))
    assert spending.roles["judge"].cost == Decimal("0.25")
    assert spending.roles["judge"].cached_tokens is None, "never reported is not 0"
    assert total.cached_tokens == 4
