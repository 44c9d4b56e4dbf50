"""Events of an evaluation, folded into what is known of it."""

from __future__ import annotations

from typing import Any

from gacc_gui.gui.runner.jobs import Job
from gacc_gui.gui.runner.progress import RunProgress, duration
from gacc_gui.gui.runner.words import job_state, shown_cost
from gacc_gui.runner import events

JOB = Job("1", "a run", "/a.db", "/a.toml", "2026-11-29T12:00:00+00:00", state="running")


def taken(*told: tuple[float, events.Event | dict[str, Any]]) -> RunProgress:
    progress = RunProgress()
    for at, event in told:
        progress.take(event if isinstance(event, dict) else events.document(event), at)
    return progress


PLANNED = events.Planned(
    "r1", {"memories": 10, "answers": 40, "verdicts": 40}, {"memories": 4, "answers": 0, "verdicts": 0}
)


def test_the_engines_own_events_are_understood() -> None:
    progress = taken(
        (0, PLANNED),
        (1, events.Progress("memories", 6, 10, 1)),
        (2, events.UsageTotal("reader", 3, 0, 100, 20, None, None, 0, 3)),
        (3, events.Failure("reader error", 2, "HTTP 500")),
        (4, events.Waiting("main", 30.0, "429")),
    )
    assert progress.run == "r1"
    assert progress.stages["memories"].done == 6
    assert progress.stages["answers"].planned == 40
    assert (progress.done, progress.planned, progress.failed) == (6, 90, 1)
    assert progress.usage["reader"].input_tokens == 100
    assert progress.usage["reader"].cost is None
    assert progress.errors["reader error"].count == 2
    assert [one.endpoint for one in progress.waits(10)] == ["main"]
    assert progress.waits(34) == []


def test_what_was_done_before_counts_as_done_and_not_as_speed() -> None:
    progress = taken((0, PLANNED))
    assert progress.done == 4
    assert progress.rate(100) is None
    progress.take(events.document(events.Progress("memories", 4, 10)), 100.0)
    progress.take(events.document(events.Progress("memories", 10, 10)), 106.0)
    assert progress.rate(106) == 1.0
    assert progress.seconds_left(106) == 80.0


def test_the_rate_is_that_of_the_last_minute() -> None:
    progress = taken((0, PLANNED), (0, events.Progress("answers", 0, 40)))
    for second in range(1, 200):
        done = 10 if second > 100 else second / 10
        progress.take(events.document(events.Progress("answers", int(done), 40)), float(second))
    assert progress.rate(199) == 0.0
    assert progress.seconds_left(199) is None


def test_a_pause_and_an_end() -> None:
    progress = taken((0, PLANNED), (1, events.Paused()))
    assert job_state(JOB, progress, 2)[0].startswith("Paused")
    progress.take(events.document(events.GoneOn()), 3)
    assert not progress.is_paused
    progress.take(events.document(events.Stopping("the limit of 3 calls is reached", 2)), 4)
    assert job_state(JOB, progress, 5)[0].startswith("Stopping")
    progress.take(events.document(events.Stopped("the limit of 3 calls is reached")), 6)
    assert progress.stopped == "the limit of 3 calls is reached"
    progress.started_again()
    assert progress.stopped is None and progress.stages["memories"].done == 4


def test_events_of_another_version_are_passed_over() -> None:
    progress = taken(
        (0, {"event": "planned", "stages": None}),
        (0, {"event": "progress", "stage": "memories", "done": "many"}),
        (0, {"event": "usage", "role": "reader", "calls": -1, "cost": "dear"}),
        (0, {"event": "waiting"}),
        (0, {"event": "unheard of"}),
        (0, {"event": "done"}),
    )
    assert progress.stages["memories"].done == 0
    assert progress.usage["reader"].calls == 0
    assert progress.is_done


def test_an_unknown_price_is_no_nought() -> None:
    assert shown_cost(None) == "unknown"
    assert shown_cost(0.0, unpriced=3) == "unknown"
    assert shown_cost(0.5, unpriced=3, currency="USD") == "≥ 0.5000 USD"
    assert shown_cost(12.5, currency="EUR") == "12.50 EUR"
    assert shown_cost(0.0) == "0.0000"


def test_lengths_of_time() -> None:
    assert [duration(seconds) for seconds in (0.4, 99, 100, 5940, 11100)] == [
        "0 s",
        "99 s",
        "2 min",
        "99 min",
        "3 h 05 min",
    ]
