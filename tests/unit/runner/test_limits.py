"""Delays as services ask for them, and the window of a minute."""

from __future__ import annotations

import email.utils
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.runner.limits import Window, backoff, retry_after


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("1", 1.0),
        ("2.5", 2.5),
        ("65", 65.0),
        ("120", 120.0),
        ("130", math.inf),
        ("1e9", math.inf),
        ("1e999", math.inf),
        ("0", None),
        ("-3", None),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("", None),
    ],
)
def test_retry_after(said: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": said}) == seconds


def test_retry_after_as_a_date_or_in_milliseconds() -> None:
    in_three = email.utils.formatdate(time.time() + 3, usegmt=True)
    assert 1.5 < (retry_after({"retry-after": in_three}) or 0) <= 3
    assert retry_after({"retry-after": email.utils.formatdate(time.time() - 60)}) is None
    assert retry_after({"retry-after": email.utils.formatdate(time.time() + 999)}) == math.inf
    assert retry_after({"retry-after-ms": "250", "retry-after": "9"}) == 0.25
    assert retry_after({"retry-after-ms": "soon", "retry-after": "9"}) == 9
    assert retry_after({}) is None


@pytest.mark.parametrize(
    "said", ["1", "2.5", "65", "120", "130", "1e9", "1e999", "0", "-3", "nan", "inf", "soon", "date"]
)
def test_the_delays_are_those_of_the_sdk(said: str) -> None:
    import httpx2
    import openai

    value = email.utils.formatdate(time.time() + 30, usegmt=True) if said == "date" else said
    client = openai.OpenAI(api_key="none", base_url="http://127.0.0.1:9", max_retries=4)
    response = httpx2.Response(429, headers={"retry-after": value})
    theirs = client._parse_retry_after_header(response.headers)
    retried = client._should_retry(response)
    client.close()
    ours = retry_after({"retry-after": value})
    assert retried == (ours != math.inf)
    if ours is not None and retried:
        assert theirs == pytest.approx(ours, abs=1)
    if ours is None:
        assert theirs is None or not math.isfinite(theirs) or theirs <= 0


def test_backoff_grows_and_is_bounded() -> None:
    assert [backoff(n, 0.0) for n in range(1, 8)] == [0.5, 1, 2, 4, 8, 8, 8]
    assert backoff(2000, 0.999) == pytest.approx(6, abs=0.01)


def test_requests_of_a_minute() -> None:
    window = Window(requests=2)
    assert window.wait(100, 0) == 0
    window.send(100, 0)
    window.send(110, 0)
    assert window.wait(120, 0) == 40
    assert window.wait(159.5, 0) == 0.5
    assert window.wait(160, 0) == 0
    window.send(160, 0)
    assert window.wait(160, 0) == 10


def test_tokens_of_a_minute() -> None:
    window = Window(tokens=100)
    entry = window.send(0, 60)
    assert window.wait(1, 40) == 0
    assert window.wait(1, 41) == 59
    window.correct(entry, 30)
    assert window.wait(1, 41) == 0
    window.send(1, 70)
    assert window.wait(2, 50) == 59  # the first and the second must go
    assert window.wait(2, 500) == 59  # more than a minute allows: it waits for an empty window
    assert window.wait(61, 500) == 0


def test_no_limit_keeps_nothing() -> None:
    window = Window()
    for _ in range(1000):
        window.correct(window.send(0, 10), 20)
    assert window.unlimited and window.wait(0, 10**9) == 0 and not window._sent


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 80)), max_size=40),
    st.integers(1, 5),
    st.integers(1, 100),
)
def test_no_minute_sees_more_than_allowed(calls: list[tuple[int, int]], requests: int, tokens: int) -> None:
    window, now = Window(requests, tokens), 0.0
    sent: list[tuple[float, int]] = []
    for pause, size in calls:
        now += pause
        while (wait := window.wait(now, size)) > 0:
            assert wait <= 60
            now += wait
        window.send(now, size)
        sent.append((now, size))
    for i, (moment, _) in enumerate(sent):
        within = [size for at, size in sent[: i + 1] if at > moment - 60]
        assert len(within) <= requests
        assert sum(within) <= tokens or len(within) == 1
