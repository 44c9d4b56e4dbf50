"""Calls, tokens and money of a run, and the caps on them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gacc_gui.core.records import Request
from gacc_gui.runner.accounting import Account
from gacc_gui.runner.call_records import interrupted_request, request_of
from gacc_gui.runner.config_model import LimitsConfig
from gacc_gui.runner.events import UsageTotal
from gacc_gui.runner.parts import Attempt, Call, ReaderInput, Usage

ATTEMPT = Attempt("2026-11-29T12:00:00+00:00", 0.5)
SUCCEEDED = Call(attempts=(ATTEMPT,))


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


LOST = Attempt("2026-11-29T12:00:00+00:00", 60.0, error="no reply within 60 s")


@pytest.mark.parametrize(
    ("call", "unreported"),
    [
        (Call(usage=Usage(10, 2), cost=0.5, attempts=(LOST, ATTEMPT)), 1),
        (Call(usage=Usage(10, 2), cost=0.5, attempts=(ATTEMPT, LOST)), 1),
        (Call(attempts=(LOST, LOST)), 2),
        (Call(attempts=(LOST, ATTEMPT)), 2),
    ],
)
def test_a_try_without_a_reply_is_unreported(call: Call, unreported: int) -> None:
    account, later = Account(), Account()
    used(account, "reader", call)
    reader = total(account, "reader")
    assert (reader.calls, reader.unreported, reader.unpriced) == (2, unreported, unreported)
    later.remember([request_of("r", "m", ReaderInput("memory", "question"), call)])
    assert total(later, "reader") == reader


def test_an_interrupted_call_of_a_model_is_unreported() -> None:
    lost = interrupted_request("r", "reader", "m", "q", 0, "2026-11-29T12:00:00+00:00")
    account, by_rules = Account(asking={"reader"}), Account()
    account.remember([lost])
    by_rules.remember([lost])
    reader = total(account, "reader")
    assert (reader.calls, reader.unreported, reader.unpriced, reader.cost) == (1, 1, 1, None)
    assert total(by_rules, "reader").unreported == 0
    account.begin()
    account.end("reader", None)
    assert (total(account, "reader").calls, total(account, "reader").unreported) == (2, 2)


def test_a_try_again_counts_towards_the_cap() -> None:
    account = Account(LimitsConfig(calls=3))
    account.begin()
    account.begin()
    assert account.may_try_again()
    assert not account.may_try_again()
    account.end("reader", Call(attempts=(LOST, ATTEMPT)))
    assert not account.may_try_again() and account.refusal() is not None
    account.end("reader", Call(attempts=(ATTEMPT,)))
    assert account.calls.total() == 3


def test_no_call_at_all_is_told_in_words_of_its_own() -> None:
    assert Account(LimitsConfig(calls=0)).refusal() == "limits.calls is 0, which allows no call"


@pytest.mark.parametrize(
    ("limits", "call", "told"),
    [
        (
            LimitsConfig(tokens=1_000),
            SUCCEEDED,
            "the limit of 1,000 tokens (limits.tokens) cannot be watched",
        ),
        (LimitsConfig(tokens=9), replace(SUCCEEDED, usage=Usage(input_tokens=5)), "9 tokens"),
        (LimitsConfig(money=2.5), SUCCEEDED, "the limit of 2.5 (limits.money) cannot be watched"),
        (LimitsConfig(tokens=9), replace(SUCCEEDED, usage=Usage(5, 5)), None),
        (LimitsConfig(money=2.5), replace(SUCCEEDED, cost=0.1), None),
        (LimitsConfig(calls=9), SUCCEEDED, None),
        # A failure tells nothing, and is no sign that the service never does.
        (LimitsConfig(tokens=9), Call(attempts=(Attempt("now", 1.0, status=500, error="x"),)), None),
        # A rule uses none.
        (LimitsConfig(tokens=9), Call(), None),
    ],
)
def test_a_limit_that_cannot_be_watched_is_told(limits: LimitsConfig, call: Call, told: str | None) -> None:
    account = Account(limits)
    used(account, "reader", call)
    assert (account.unwatched is None) if told is None else (told in (account.unwatched or ""))
