"""What calls cost: tokens by role, and money where a price is known.

Owns the arithmetic, in decimals. What is not reported or has no price is unknown, which is not 0: it is
counted beside the sum. Not here: where prices stand (`config_model`), and stopping at a limit (the engine).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from gacc_gui.runner.config_model import PriceConfig
from gacc_gui.runner.parts import Usage

_MILLION: Final = 1_000_000


def cost_of(usage: Usage | None, price: PriceConfig) -> Decimal | None:
    """Return what a call cost, or None where its price or its tokens are unknown.

    Cached tokens are part of the input; without a price of their own they cost what others do. Where a
    service reports none, none were cached.
    """
    if usage is None or usage.input_tokens is None or usage.output_tokens is None or not price.known:
        return None
    cached = min(usage.cached_tokens or 0, usage.input_tokens)
    of_cached = price.cached_input if price.cached_input is not None else price.input
    parts = (
        (usage.input_tokens - cached, price.input),
        (cached, of_cached),
        (usage.output_tokens, price.output),
    )
    return sum((Decimal(n) * Decimal(str(each)) for n, each in parts), Decimal(0)) / _MILLION


@dataclass(slots=True)
class RoleUsage:
    """What the calls of one role used. `unreported` calls told no tokens, `unpriced` ones have no known cost.

    The sums hold what is known: with `calls` all unreported (or unpriced) there is nothing known at all.
    """

    calls: int = 0
    unreported: int = 0
    unpriced: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int | None = None
    """None as long as no call reported any: many services never do, which is not 0."""
    known_cost: Decimal = Decimal(0)

    def add(self, usage: Usage | None, cost: Decimal | float | None) -> None:
        """Count one call."""
        self.calls += 1
        if usage is None or usage.input_tokens is None or usage.output_tokens is None:
            self.unreported += 1
        if usage is not None:
            self.input_tokens += usage.input_tokens or 0
            self.output_tokens += usage.output_tokens or 0
            self.cached_tokens = _sum(self.cached_tokens, usage.cached_tokens)
        if cost is None:
            self.unpriced += 1
        else:
            self.known_cost += Decimal(str(cost))

    @property
    def cost(self) -> Decimal | None:
        """The whole cost; None where any call's is unknown."""
        return None if self.unpriced else self.known_cost


@dataclass(slots=True)
class Spending:
    """What a run used, by role (`core.records.ROLES`)."""

    roles: dict[str, RoleUsage] = field(default_factory=dict)

    def add(self, role: str, usage: Usage | None, cost: Decimal | float | None) -> RoleUsage:
        """Count one call and return its role's sums."""
        kept = self.roles.setdefault(role, RoleUsage())
        kept.add(usage, cost)
        return kept

    @property
    def total(self) -> RoleUsage:
        """The sums over all roles."""
        total = RoleUsage()
        for role in self.roles.values():
            total.calls += role.calls
            total.unreported += role.unreported
            total.unpriced += role.unpriced
            total.input_tokens += role.input_tokens
            total.output_tokens += role.output_tokens
            total.cached_tokens = _sum(total.cached_tokens, role.cached_tokens)
            total.known_cost += role.known_cost
        return total


def _sum(known: int | None, more: int | None) -> int | None:
    """Add what is known; None where neither is."""
    return known if more is None else (known or 0) + more
