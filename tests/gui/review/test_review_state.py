from __future__ import annotations

from gacc_gui.app.review_queue import ReviewQueue
from gacc_gui.app.reviewing import Decision
from gacc_gui.core.records import Review
from gacc_gui.core.review_queue import Entry, QueueKey
from gacc_gui.core.reviewing import Row
from gacc_gui.gui.review.review_state import ReviewState

KEY = QueueKey("random", 1, 4)
ROWS: list[Row] = [("m", f"q{number}", 0) for number in range(4)]
QUEUE = ReviewQueue("r", KEY, tuple(Entry(row, "all", 9, 4, place) for place, row in enumerate(ROWS)))


def review(row: Row, decision: str = "correct", blind: bool = True) -> Review:
    return Review("v", *row, decision, "Ada", "2026-11-29T10:00:00Z", blind=blind)


def state(blind: bool = True, *decided: Row) -> ReviewState:
    return ReviewState(QUEUE, "Ada", blind, {row: review(row) for row in decided}, decided)


def decide_and_store(here: ReviewState, decision: str) -> Decision:
    given = here.decide(decision)
    assert given is not None
    here.stored(given)
    return given


def test_it_begins_where_the_reviewer_left_it() -> None:
    assert state().place == 0
    assert state(True, ROWS[0], ROWS[1]).place == 2
    finished = state(True, *ROWS)
    assert finished.is_finished and finished.place == 0 and not finished.next()


def test_next_goes_round_to_what_is_not_decided() -> None:
    here = state(True, ROWS[1])
    assert here.next() and here.place == 2
    here.decide("correct")
    assert here.next() and here.place == 3
    here.decide("correct")
    assert here.next() and here.place == 0
    here.decide("unclear")
    assert not here.next() and here.place == 0 and here.is_finished
    assert here.tally() == {"correct": 3, "unclear": 1}


def test_back_goes_to_any_row_and_stops_at_the_first() -> None:
    here = state(True, ROWS[0])
    assert here.place == 1 and here.step(-1) and here.place == 0
    assert here.decision == "correct"
    assert not here.step(-1) and here.place == 0


def test_a_decision_is_blind_until_the_verdict_was_seen() -> None:
    here = state()
    assert not here.shows_judge
    first = here.decide("correct")
    assert first is not None and first.blind is True and not here.shows_judge
    here.stored(first)
    assert here.shows_judge
    here.note = "because"
    again = here.decide("correct")
    assert again is not None and again.blind is True and again.note == "because"
    other = here.decide("incorrect")
    assert other is not None and other.blind is False


def test_what_cannot_be_stored_is_taken_back_and_the_row_stays_blind() -> None:
    here = state()
    lost = here.decide("correct")
    assert lost is not None and here.done == 1
    here.take_back(lost)
    assert here.decision is None and here.done == 0 and not here.shows_judge
    assert decide_and_store(here, "incorrect").blind is True
    # one of several on a row: what stood before it stands
    second, third = here.decide("unclear"), here.decide("correct")
    assert second is not None and third is not None and here.decision == "correct"
    here.take_back(second)
    assert here.decision == "correct"
    here.take_back(third)
    assert here.decision == "incorrect"


def test_what_waits_to_be_stored_stands_in_a_queue_that_is_begun_anew() -> None:
    first = state()
    given, cleared = first.decide("correct"), Decision(*ROWS[1], "clear", "Ada")
    assert given is not None and given.decided_at is not None
    here = ReviewState(QUEUE, "Ada", True, {ROWS[1]: review(ROWS[1])}, {ROWS[1]}, [given, cleared])
    assert here.place == 1 and here.done == 1 and here.place_of(ROWS[3]) == 3
    here.step(-1)
    assert here.decision == "correct" and not here.shows_judge
    here.stored(Decision(*ROWS[0], "incorrect", "Ben"))
    assert here.decision == "correct" and not here.shows_judge
    here.stored(given)
    assert here.shows_judge


def test_what_was_cleared_was_seen() -> None:
    here = state()
    decide_and_store(here, "correct")
    cleared = decide_and_store(here, "clear")
    assert cleared.decision == "clear" and here.decision is None
    assert here.shows_judge
    again = here.decide("correct")
    assert again is not None and again.blind is False
    assert state().decide("clear") is None


def test_open_is_never_blind() -> None:
    here = state(blind=False)
    assert here.shows_judge
    decision = here.decide("correct")
    assert decision is not None and decision.blind is False


def test_a_decision_says_how_its_row_came_to_be_looked_at() -> None:
    here = state()
    here.cause, here.tags = "item", ("a",)
    decision = here.decide("incorrect")
    assert decision is not None and decision.sample == QUEUE.entries[0].sample(KEY)
    assert (decision.cause, decision.tags) == ("item", ("a",))
    other = here.decide("correct")
    assert other is not None and other.cause is None
    here.next()
    assert (here.note, here.tags, here.cause) == ("", (), None)


def test_what_the_database_says_counts() -> None:
    here = state()
    decide_and_store(here, "correct")
    here.know({ROWS[1]: review(ROWS[1], "incorrect")})
    assert here.decision is None and here.done == 1


def test_an_empty_queue() -> None:
    here = ReviewState(ReviewQueue("r", KEY, ()), "Ada", True, {})
    assert here.entry is None and here.decide("correct") is None and not here.next() and not here.step(1)
