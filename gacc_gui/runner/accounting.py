"""What a run has used, by role, and whether it may use more. Owns the caps of `[limits]`.

Counts every call that was begun, in this session and before; a call of a model that was tried several times
counts each try. The arithmetic of tokens and money is `pricing`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from gacc_gui.core.records import ROLES, Request
from gacc_gui.runner.config_model import LimitsConfig
from gacc_gui.runner.events import UsageTotal
from gacc_gui.runner.parts import Call, Usage
from gacc_gui.runner.pricing import RoleUsage, Spending


@dataclass(slots=True)
class Account:
    """Calls, cache hits, tokens and money of a run. Calls under way may exceed a cap on tokens or money."""

    limits: LimitsConfig = field(default_factory=LimitsConfig)
    calls: Counter[str] = field(default_factory=Counter)
    hits: int = 0
    spending: Spending = field(default_factory=Spending)
    _under_way: int = 0

    def remember(self, requests: Iterable[Request]) -> None:
        """Count what was used before, by the requests that are stored."""
        for request in requests:
            extra = request.extra
            tries = extra.get("attempts")
            self.calls[request.role] += max(1, len(tries) if isinstance(tries, list) else 0)
            used = extra.get("usage")
            if used is not None or tries:
                usage = Usage(**{name: _count(used, name) for name in Usage.__dataclass_fields__})
                self.spending.add(request.role, usage, extra.get("cost"))

    def refusal(self) -> str | None:
        """Return why no further call may begin, or None."""
        limits = self.limits
        if limits.calls is not None and self.calls.total() + self._under_way >= limits.calls:
            return f"the limit of {limits.calls:,} calls is reached (limits.calls)"
        if limits.tokens is None and limits.money is None:
            return None
        total = self.spending.total
        used = total.input_tokens + total.output_tokens
        if limits.tokens is not None and used >= limits.tokens:
            return f"the limit of {limits.tokens:,} tokens is reached: {used:,} are used (limits.tokens)"
        if limits.money is not None and total.known_cost >= Decimal(str(limits.money)):
            return (
                f"the limit of {limits.money:g} is reached: {total.known_cost:.4f} are spent (limits.money)"
            )
        return None

    def begin(self) -> None:
        """Count a call as under way."""
        self._under_way += 1

    def end(self, role: str, call: Call | None) -> None:
        """Count a call that has ended; None: it was given up."""
        self._under_way -= 1
        self.calls[role] += max(1, len(call.attempts)) if call is not None else 1
        if call is not None and (call.attempts or call.usage is not None):
            self.spending.add(role, call.usage, call.cost)

    def totals(self) -> list[UsageTotal]:
        """Return what every role came to."""
        return [self._total(role) for role in ROLES]

    def _total(self, role: str) -> UsageTotal:
        used = self.spending.roles.get(role, RoleUsage())
        # Nothing reported is unknown; no call of a model at all is nothing.
        known = used.calls == 0 or used.unreported < used.calls
        priced = used.calls == 0 or used.unpriced < used.calls
        return UsageTotal(
            role=role,
            calls=self.calls[role],
            hits=self.hits if role == "compressor" else 0,
            input_tokens=used.input_tokens if known else None,
            output_tokens=used.output_tokens if known else None,
            cached_tokens=used.cached_tokens if known else None,
            cost=float(used.known_cost) if priced else None,
            unreported=used.unreported,
            unpriced=used.unpriced,
        )


def _count(used: Any, name: str) -> int | None:
    value = used.get(name) if isinstance(used, Mapping) else None
    return value if isinstance(value, int) else None
