from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.core.causes import CAUSES
from gacc_gui.core.records import Cell, Review
from gacc_gui.core.reviewing import (
    JudgedRow,
    Standing,
    as_reviewed,
    changes,
    id_after,
    moment,
    standing_reviews,
    time_after,
    written,
)

ROW = ("m", "q", 0)
JUDGED = JudgedRow(
    ROW, 7, Cell("lead", "1", "own-goal", "0.1"), "g", "c", "tail", "truncation", (), "incorrect", "judged",
    "ok", "ok", 5, False, 1,
)  # fmt: skip


def review(decision: str, time: str = "2026-11-29T10:00:00Z", reviewer: str = "Ada", **more: str) -> Review:
    return Review(f"{reviewer}{time}", *ROW, decision, reviewer, time, **more)  # type: ignore[arg-type]


def said(*reviews: Review) -> list[tuple[str, str]]:
    standing = standing_reviews(reviews).get(ROW)
    return [(each.reviewer, each.decision) for each in standing.reviews] if standing else []


def test_the_latest_of_a_reviewer_stands_whatever_order_they_came_in() -> None:
    early, late = review("correct", "2026-11-29T10:00:00Z"), review("unclear", "2026-11-29T11:00:00+00:00")
    assert said(early, late) == said(late, early) == [("Ada", "unclear")]
    # times are compared as times, and one without an offset is UTC
    early = review("correct", "2026-11-29T12:30:00+02:00")
    assert said(late, early) == [("Ada", "unclear")]
    assert said(review("correct", "2026-11-29T11:00:01"), late) == [("Ada", "correct")]


def test_of_equal_times_the_greater_id_stands_whatever_order_they_came_in() -> None:
    first, last = (replace(review(said), id=id_) for said, id_ in (("correct", "r10"), ("incorrect", "r9")))
    assert said(first, last) == said(last, first) == [("Ada", "incorrect")]
    # the same moment, told by two clocks
    last = replace(last, created_at="2026-11-29T12:00:00+02:00")
    assert said(first, last) == said(last, first) == [("Ada", "incorrect")]
    ben = replace(review("unclear", reviewer="Ben"), id="r11")
    for reviews in permutations((first, last, ben)):
        assert said(*reviews) == [("Ben", "unclear"), ("Ada", "incorrect")]


def test_clear_takes_back_what_one_reviewer_said_and_no_more() -> None:
    ada, ben = review("correct", "2026-11-29T10:00:00Z"), review("incorrect", "2026-11-29T11:00:00Z", "Ben")
    assert said(ada, ben) == [("Ada", "correct"), ("Ben", "incorrect")]
    clear = review("clear", "2026-11-29T12:00:00Z", "Ben")
    assert said(ada, ben, clear) == [("Ada", "correct")]
    assert said(ada, ben, clear, review("clear", "2026-11-29T13:00:00Z")) == []
    assert said(review("clear")) == []


def test_who_decides_is_who_said_it_last() -> None:
    ada, ben = review("correct", "2026-11-29T10:00:00Z"), review("incorrect", "2026-11-29T11:00:00Z", "Ben")
    standing = standing_reviews([ada, ben])[ROW]
    assert standing.decides == ben and standing.conflict
    again = review("correct", "2026-11-29T12:00:00Z")
    standing = standing_reviews([ada, ben, again])[ROW]
    assert standing.decides == again and standing.reviews == (ben, again)
    assert not standing_reviews([ada, replace(ben, decision="correct")])[ROW].conflict


@pytest.mark.parametrize(
    ("given", "judged", "label", "cause"),
    [
        (review("correct"), JUDGED, "correct", "correct"),
        (review("incorrect"), JUDGED, "incorrect", "truncation"),
        (review("incorrect", cause="item"), JUDGED, "incorrect", "item"),
        (review("incorrect", cause="correct"), JUDGED, "incorrect", "truncation"),
        (review("unclear", cause="item"), JUDGED, None, "no-verdict"),
        (review("incorrect"), replace(JUDGED, fate="omitted", budget=0), "incorrect", "truncation"),
        (review("incorrect"), replace(JUDGED, equals_reference=True), "incorrect", "judge"),
        (review("correct"), replace(JUDGED, label=None, status="unparsed"), "correct", "correct"),
        (review("correct"), replace(JUDGED, label=None, answer_status="error"), None, "no-verdict"),
        (review("correct"), replace(JUDGED, label=None, answer_status=None), None, "no-verdict"),
        (review("correct"), replace(JUDGED, label=None, memory_status="error"), None, "no-verdict"),
    ],
)
def test_a_row_as_reviewed(given: Review, judged: JudgedRow, label: str | None, cause: str) -> None:
    found = as_reviewed(judged, Standing((given,)))
    assert (found.label, found.cause) == (label, cause)
    assert found.unsupported is (label == "correct")  # its evidence is in the tail


def test_what_changes_in_a_unit() -> None:
    right = as_reviewed(JUDGED, Standing((review("correct"),)))
    same = as_reviewed(replace(JUDGED, row=("m", "r", 0), unit=8), Standing((review("incorrect"),)))
    unlabelled = as_reviewed(replace(JUDGED, row=("m", "s", 0)), Standing((review("unclear"),)))
    found = changes([right, same, unlabelled])
    assert found.keys() == {7}
    change = found[7]
    assert (change.judged, change.correct, change.unsupported) == (-1, 1, 1)
    assert dict(zip(CAUSES, change.causes, strict=True)) == dict.fromkeys(CAUSES, 0) | {
        "correct": 1,
        "truncation": -2,
        "no-verdict": 1,
    }


@given(st.lists(st.datetimes(timezones=st.just(UTC)), max_size=4), st.datetimes(timezones=st.just(UTC)))
def test_a_new_review_comes_after_those_that_are_there(times: list[datetime], now: datetime) -> None:
    there = [review("correct", written(time)) for time in times]
    new = time_after(now, there)
    assert moment(new) >= now
    assert all(moment(new) > time for time in times if time != datetime.max.replace(tzinfo=UTC))
    added = review("incorrect", new)
    added = replace(added, id=id_after(added.id, new, there))
    assert said(added, *there) == said(*there, added) == [("Ada", "incorrect")]


@pytest.mark.parametrize("end", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00"])
def test_a_time_that_utc_has_no_year_for_is_the_end_of_time(end: str) -> None:
    there = review("correct", end)
    new = time_after(datetime(2026, 11, 29, tzinfo=UTC), [there])
    added = review("incorrect", new)
    added = replace(added, id=id_after(added.id, new, [there]))
    assert said(added, there) == said(there, added) == [("Ada", "incorrect")]
