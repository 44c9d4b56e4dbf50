"""What reviewers' decisions come to: which of them stand, and what a row, a unit and a total are with them.

A reviewer's latest review of a row is what that reviewer says of it; `clear` is to say nothing. Of all that
reviewers say, the latest decides; of equal times, the one whose id comes last in the order of code points, so
that nothing hangs on the order in which reviews came. Correct and incorrect are labels as if the judge had
given them, unclear leaves the row unlabelled. Everything else is as FORMATS.md has it for a judge's label: it
counts only where there is an answer, and the cause follows from label and fate, unless the reviewer who
decides has set another. The judge's own record never changes. Owns no figure: `core.metrics` computes them as
ever.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from gacc_gui.core.causes import (
    CAUSES,
    CORRECT,
    LETTERS,
    NO_VERDICT,
    UNSUPPORTED_FATES,
    cause_of,
    counting_label,
)
from gacc_gui.core.metrics import UnitCounts
from gacc_gui.core.records import Cell, Review

Row = tuple[str, str, int]
"""Memory, question and repeat."""

CLEAR: Final = "clear"
UNCLEAR: Final = "unclear"
FAULTS: Final = tuple(cause for cause in CAUSES if cause not in (CORRECT, NO_VERDICT))
"""The causes that a reviewer can give a row that is incorrect."""
ANY: Final = "any"
NONE: Final = "none"
CONFLICT: Final = "conflict"
CHANGED: Final = "changed"
REVIEW_STATES: Final = (ANY, NONE, "correct", "incorrect", UNCLEAR, CONFLICT, CHANGED)
"""What can be asked of a row's reviews: whether a decision stands, which one counts, whether reviewers
disagree, whether the label that counts is another than the judge's."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands of a row's reviews: one a reviewer, the oldest first; the last decides."""

    reviews: tuple[Review, ...]

    @property
    def decides(self) -> Review:
        """The review that counts."""
        return self.reviews[-1]

    @property
    def conflict(self) -> bool:
        """Whether reviewers say different things of the row."""
        return len({review.decision for review in self.reviews}) > 1


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """A row of a question as the judge left it, with all that its cause depends on."""

    row: Row
    unit: int
    cell: Cell
    goal_id: str
    context_id: str
    fate: str
    cause: str
    flags: tuple[str, ...]
    label: str | None
    """The one that counts."""
    status: str
    answer_status: str | None
    memory_status: str
    budget: int | None
    equals_reference: bool
    place: int
    """The question's, among those of its goal, from 0."""

    @property
    def can_count(self) -> bool:
        """Whether a label would count here: there is an answer, and a memory that it was given under."""
        return counting_label("correct", "judged", self.answer_status, self.memory_status) is not None


@dataclass(frozen=True, slots=True)
class ReviewedRow:
    """What a row is with its reviewers' decisions, beside what the judge made of it."""

    judged: JudgedRow
    standing: Standing
    label: str | None
    cause: str
    unsupported: bool

    @property
    def differs(self) -> bool:
        """Whether the decision makes another row of it than the judge did."""
        return (self.label, self.cause) != (self.judged.label, self.judged.cause)

    @property
    def states(self) -> frozenset[str]:
        """Which of REVIEW_STATES hold."""
        held = {ANY, self.standing.decides.decision}
        if self.standing.conflict:
            held.add(CONFLICT)
        if self.label != self.judged.label:
            held.add(CHANGED)
        return frozenset(held)


@dataclass(frozen=True, slots=True)
class Change:
    """What reviews add to a unit's counted rows, each number from minus to plus; causes as in CAUSES."""

    judged: int
    correct: int
    unsupported: int
    causes: tuple[int, ...]


def moment(created_at: str) -> datetime:
    """Return the time that an ISO 8601 text tells, in UTC; without an offset it is UTC.

    One that its offset puts before the year 1 or after 9999 is the first or the last moment of all.
    """
    time = datetime.fromisoformat(created_at)
    if time.tzinfo is None:
        return time.replace(tzinfo=UTC)
    try:
        return time.astimezone(UTC)
    except OverflowError:
        end = datetime.min if time.year == datetime.min.year else datetime.max
        return end.replace(tzinfo=UTC)


def written(time: datetime) -> str:
    """Return a time as it is written into a record: UTC, to the microsecond."""
    return time.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def time_after(now: datetime, reviews: Iterable[Review]) -> str:
    """Return the time of a new review of a row: now, but after those that are there, whatever clocks say."""
    latest = max((moment(review.created_at) for review in reviews), default=None)
    if latest is None or latest < now:
        return written(now)
    try:
        return written(latest + timedelta(microseconds=1))
    except OverflowError:  # the end of all time: the id has to tell it (`id_after`)
        return written(latest)


def id_after(fresh: str, created_at: str, reviews: Iterable[Review]) -> str:
    """Return the id of a new review of that time: `fresh`, but one after those that have the same time."""
    same = [review.id for review in reviews if moment(review.created_at) == moment(created_at)]
    return fresh if all(other < fresh for other in same) else f"{max(same)}+{fresh}"


def row_of(review: Review) -> Row:
    """Return the row that a review is about."""
    return review.memory_id, review.question_id, review.repeat


def _latest_last(review: Review) -> tuple[datetime, str]:
    return moment(review.created_at), review.id


def standing_reviews(reviews: Sequence[Review]) -> dict[Row, Standing]:
    """Return what stands of every row's reviews, whatever order they are given in.

    The latest by time, and by id where times are equal. Rows of which every reviewer says nothing are left
    out.
    """
    latest: dict[Row, dict[str, Review]] = defaultdict(dict)
    for review in sorted(reviews, key=_latest_last):
        said = latest[row_of(review)]
        said.pop(review.reviewer, None)  # so that the dict stays in the order of time
        said[review.reviewer] = review
    found = {}
    for row, said in latest.items():
        kept = tuple(review for review in said.values() if review.decision != CLEAR)
        if kept:
            found[row] = Standing(kept)
    return found


def as_reviewed(judged: JudgedRow, standing: Standing) -> ReviewedRow:
    """Return what a row is with the decision that counts."""
    review = standing.decides
    said = None if review.decision == UNCLEAR else review.decision
    label = counting_label(said, "judged", judged.answer_status, judged.memory_status)
    if label == "incorrect" and review.cause in FAULTS:
        cause = review.cause
    else:
        cause = cause_of(label, judged.fate, equals_reference=judged.equals_reference, budget=judged.budget)
    return ReviewedRow(
        judged, standing, label, cause, label == "correct" and judged.fate in UNSUPPORTED_FATES
    )


def changes(rows: Iterable[ReviewedRow]) -> dict[int, Change]:
    """Return per unit what its reviewed rows add to its counts; units that stay as they are left out."""
    sums: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0, *(0 for _ in CAUSES)])
    for row in rows:
        judged, counts = row.judged, sums[row.judged.unit]
        counts[0] += (row.label is not None) - (judged.label is not None)
        counts[1] += (row.label == "correct") - (judged.label == "correct")
        counts[2] += row.unsupported - ("unsupported" in judged.flags)
        counts[3 + CAUSES.index(row.cause)] += 1
        counts[3 + CAUSES.index(judged.cause)] -= 1
    return {
        unit: Change(counts[0], counts[1], counts[2], tuple(counts[3:]))
        for unit, counts in sums.items()
        if any(counts)
    }


def changed(unit: UnitCounts, change: Change) -> UnitCounts:
    """Return a unit's counts with a change."""
    return replace(
        unit,
        judged=unit.judged + change.judged,
        correct=unit.correct + change.correct,
        unsupported=unit.unsupported + change.unsupported,
        causes=tuple(mine + more for mine, more in zip(unit.causes, change.causes, strict=True)),
    )


def strip_with(strip: str, rows: Iterable[ReviewedRow]) -> str:
    """Return a unit's strip, a letter a question, with the causes of its reviewed rows."""
    letters = list(strip)
    for row in rows:
        if row.judged.place < len(letters):
            letters[row.judged.place] = LETTERS[row.cause]
    return "".join(letters)


def by_unit(rows: Iterable[ReviewedRow]) -> dict[int, list[ReviewedRow]]:
    """Return rows by the key of their unit."""
    found: dict[int, list[ReviewedRow]] = defaultdict(list)
    for row in rows:
        found[row.judged.unit].append(row)
    return dict(found)


def reviewed_rows(judged: Iterable[JudgedRow], standing: Mapping[Row, Standing]) -> list[ReviewedRow]:
    """Return the reviewed ones among rows, with what they are as reviewed."""
    return [as_reviewed(row, standing[row.row]) for row in judged if row.row in standing]
