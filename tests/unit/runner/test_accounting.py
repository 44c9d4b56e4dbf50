"""Calls, tokens and money of a run, and the caps on them."""

from __future__ import annotations

import pytest

from gacc_gui.core.records import Request
from gacc_gui.runner.accounting import Account
from gacc_gui.runner.config_model import LimitsConfig
from gacc_gui.runner.events import UsageTotal
from gacc_gui.runner.parts import Attempt, Call, Usage

ATTEMPT = Attempt("2026-11-29T12:00:00+00:00", 0.5)


def used(account: Account, role: str, call: Call) -> None:
    account.begin()
    account.end(role, call)


def total(account: Account, role: str) -> UsageTotal:
    return next(total for total in account.totals() if total.role == role)


def test_usage_is_split_by_role_and_tries_are_counted() -> None:
    account = Account()
    used(account, "reader", Call(usage=Usage(10, 2, 4), cost=0.5, attempts=(ATTEMPT, ATTEMPT)))
    used(account, "reader", Call(usage=Usage(10, 2), cost=0.25, attempts=(ATTEMPT,)))
    used(account, "judge", Call(usage=Usage(7, 1), attempts=(ATTEMPT,)))
    reader, judge = total(account, "reader"), total(account, "judge")
    assert (reader.calls, reader.input_tokens, reader.output_tokens, reader.cached_tokens) == (3, 20, 4, 4)
    assert reader.cost == 0.75
    assert (judge.calls, judge.cost, judge.unpriced) == (1, None, 1)  # no known price is not free


def test_what_is_not_reported_is_unknown_and_no_call_is_nothing() -> None:
    account = Account()
    used(account, "reader", Call(attempts=(ATTEMPT,)))
    reader, compressor = total(account, "reader"), total(account, "compressor")
    assert (reader.input_tokens, reader.cost, reader.unreported) == (None, None, 1)
    assert (compressor.calls, compressor.input_tokens, compressor.cost) == (0, 0, 0.0)


def test_rules_use_nothing() -> None:
    account = Account()
    used(account, "reader", Call())
    assert (total(account, "reader").calls, total(account, "reader").cost) == (1, 0.0)


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        (LimitsConfig(calls=2), "limit of 2 calls"),
        (LimitsConfig(tokens=24), "limit of 24 tokens is reached: 24 are used"),
        (LimitsConfig(money=0.2), r"limit of 0\.2 is reached: 0\.2000 are spent"),
    ],
)
def test_caps(limits: LimitsConfig, told: str) -> None:
    account = Account(limits)
    call = Call(usage=Usage(10, 2), cost=0.1, attempts=(ATTEMPT,))
    used(account, "reader", call)
    assert account.refusal() is None
    used(account, "judge", call)
    assert account.refusal() is not None
    with pytest.raises(AssertionError, match=told):
        raise AssertionError(account.refusal())


def test_calls_under_way_count_towards_the_cap_on_calls() -> None:
    account = Account(LimitsConfig(calls=1))
    account.begin()
    assert account.refusal() is not None


def test_what_was_used_before_is_read_from_the_requests() -> None:
    account = Account(LimitsConfig(calls=4))
    account.remember(
        [
            Request(
                "a", "reader", "…", extra={"usage": {"input_tokens": 5, "output_tokens": 1}, "cost": 0.1}
            ),
            Request("b", "reader", "…", extra={"attempts": [{"seconds": 1}, {"seconds": 2}], "usage": None}),
            Request("c", "compressor", "…"),
        ]
    )
    reader = total(account, "reader")
    assert (reader.calls, reader.input_tokens, reader.cost, reader.unreported) == (3, 5, 0.1, 1)
    assert total(account, "compressor").cost == 0.0
    assert account.refusal() is not None
