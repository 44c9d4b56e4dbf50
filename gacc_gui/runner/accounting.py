"""What a run has used, by role, and whether it may use more. Owns the caps of `[limits]`.

Counts every call that was begun, in this session and before; a call of a model that was tried several times
counts each try, in the caps as in what is told. A try that brought nothing back (lost connection, no reply in
time, killed) may have been paid for all the same: it is unreported. The arithmetic is `pricing`'s.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from gacc_gui.core.records import ROLES, Request
from gacc_gui.runner.call_records import INTERRUPTED
from gacc_gui.runner.config_model import LimitsConfig
from gacc_gui.runner.events import UsageTotal
from gacc_gui.runner.parts import Call, Usage
from gacc_gui.runner.pricing import RoleUsage, Spending


@dataclass(slots=True)
class Account:
    """Calls, cache hits, tokens and money of a run. Calls under way may exceed a cap on tokens or money.

    `asking`: the roles that ask a model, so that a call without a reply used nobody knows what.
    """

    limits: LimitsConfig = field(default_factory=LimitsConfig)
    asking: Set[str] = frozenset()
    calls: Counter[str] = field(default_factory=Counter)
    hits: int = 0
    spending: Spending = field(default_factory=Spending)
    cut_short: bool = False
    """Whether a call failed that would have been tried again, had that been allowed."""
    unwatched: str | None = None
    """Which limit cannot be watched, in a sentence, once a service has told nothing of what it used."""
    _under_way: int = 0
    _tries_again: int = 0
    """Tries under way, beyond the first of each call."""

    def remember(self, requests: Iterable[Request]) -> None:
        """Count what was used before, by the requests that are stored."""
        for request in requests:
            extra = request.extra
            attempts = extra.get("attempts")
            tries = attempts if isinstance(attempts, list) else []
            self.calls[request.role] += max(1, len(tries))
            used = extra.get("usage")
            if used is not None or tries:
                usage = Usage(**{name: _count(used, name) for name in Usage.__dataclass_fields__})
                lost = [
                    isinstance(one, Mapping) and _is_lost(one.get("status"), one.get("error"))
                    for one in tries
                ]
                self._spend(request.role, usage, extra.get("cost"), lost)
            elif extra.get("error") == INTERRUPTED:
                self._lose(request.role)

    @property
    def under_way(self) -> int:
        """How many calls are being made now."""
        return self._under_way

    def refusal(self) -> str | None:
        """Return why no further call may begin, or None."""
        limits = self.limits
        if limits.calls == 0:
            return "limits.calls is 0, which allows no call"
        if not self._has_calls_left():
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

    def may_try_again(self) -> bool:
        """Whether a call under way may be tried once more; if so, that is counted as under way."""
        if not self._has_calls_left():
            self.cut_short = True
            return False
        self._tries_again += 1
        return True

    def withdraw(self) -> None:
        """Forget a call that was counted as under way, and never sent."""
        self._under_way -= 1

    def end(self, role: str, call: Call | None) -> None:
        """Count a call that has ended; None: it was given up."""
        self._under_way -= 1
        if call is None:
            self.calls[role] += 1
            self._lose(role)
            return
        tries = max(1, len(call.attempts))
        self.calls[role] += tries
        self._tries_again -= min(tries - 1, self._tries_again)
        if call.attempts or call.usage is not None:
            lost = [_is_lost(attempt.status, attempt.error) for attempt in call.attempts]
            self._spend(role, call.usage, call.cost, lost)
            if call.attempts and call.attempts[-1].error is None:
                self._watch(role, call)

    def _watch(self, role: str, call: Call) -> None:
        """Note where a call that succeeded does not tell what a limit is about."""
        limits, usage = self.limits, call.usage if call.usage is not None else Usage()
        if limits.tokens is not None and None in (usage.input_tokens, usage.output_tokens):
            limit, untold = f"{limits.tokens:,} tokens (limits.tokens)", "how many it used"
        elif limits.money is not None and call.cost is None:
            limit, untold = (
                f"{limits.money:g} (limits.money)",
                "what a call used, so that its cost is unknown",
            )
        else:
            return
        if self.unwatched is None:
            told = f"the service of the {role} does not tell {untold}"
            self.unwatched = f"the limit of {limit} cannot be watched: {told}"

    def _has_calls_left(self) -> bool:
        begun = self.calls.total() + self._under_way + self._tries_again
        return self.limits.calls is None or begun < self.limits.calls

    def _spend(self, role: str, usage: Usage | None, cost: Any, lost: Sequence[bool]) -> None:
        """Count a call, and each try that brought nothing; where all did, the last stands for the call."""
        for _ in range(sum(lost if _is_told(usage) else lost[:-1])):
            self.spending.add(role, None, None)
        self.spending.add(role, usage, cost)

    def _lose(self, role: str) -> None:
        if role in self.asking:
            self.spending.add(role, None, None)

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
            cached_tokens=used.cached_tokens,
            cost=float(used.known_cost) if priced else None,
            unreported=used.unreported,
            unpriced=used.unpriced,
        )


def _is_lost(status: object, error: object) -> bool:
    """Whether a try ended without any reply."""
    return status is None and error is not None


def _is_told(usage: Usage | None) -> bool:
    return usage is not None and usage != Usage()


def _count(used: Any, name: str) -> int | None:
    value = used.get(name) if isinstance(used, Mapping) else None
    return value if isinstance(value, int) else None
