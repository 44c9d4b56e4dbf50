"""Reviewers' decisions: adding one, and what a run's figures are with all of them.

Owns the checks of what a person decides, ids and times. What stands and what it changes is
`core.reviewing`; only reviewed rows and their units are read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from gacc_gui.core.errors import BadUsage, StoreError
from gacc_gui.core.records import DECISIONS, Json, Review
from gacc_gui.core.reviewing import (
    CLEAR,
    FAULTS,
    Change,
    JudgedRow,
    ReviewedRow,
    Row,
    as_reviewed,
    changes,
    id_after,
    moment,
    reviewed_rows,
    row_of,
    standing_reviews,
    time_after,
)
from gacc_gui.store.rows import CellChoice, Totals

if TYPE_CHECKING:
    from gacc_gui.store.database import Database
    from gacc_gui.store.reads import Reader


_NAMED: Final = 5
"""Rows named in a warning; of more, their number."""
_BUSY_SECONDS: Final = 5.0
"""How long storing a decision waits for another program's lock before it says so."""
_TRY_SECONDS: Final = 0.5
"""How long one of many tries does."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a reviewer decides on a row; `cause` only with `incorrect`."""

    memory_id: str
    question_id: str
    repeat: int
    decision: str
    reviewer: str
    cause: str | None = None
    note: str | None = None
    tags: tuple[str, ...] = ()
    blind: bool | None = None
    sample: Mapping[str, Json] | None = None
    decided_at: datetime | None = None
    """When it was given, with its offset; None: when it is stored."""

    @property
    def row(self) -> Row:
        """The row that it is about."""
        return self.memory_id, self.question_id, self.repeat


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The rows of a run that have a decision, and what that changes."""

    rows: tuple[ReviewedRow, ...]
    changes: Mapping[int, Change]
    """By unit; of those whose figures change."""
    conflicts: int
    """Rows of which reviewers say different things, whether or not a label can count there."""
    absent: tuple[Row, ...] = ()
    """Rows with a decision that the run does not have: it came in a file."""

    @property
    def counting(self) -> int:
        """How many rows count as reviewers decided: those with an answer."""
        return sum(row.judged.can_count for row in self.rows)

    @property
    def warnings(self) -> list[str]:
        """What belongs beside figures as reviewed."""
        found = []
        if self.conflicts:
            found.append(f"rows that reviewers disagree on, the latest decision counts: {self.conflicts}")
        idle = len(self.rows) - self.counting
        if idle:
            found.append(f"decisions on rows without an answer, which no label can make count: {idle}")
        return found + absent_warning(self.absent)


@dataclass(frozen=True, slots=True)
class Added:
    """A decision that was stored, and its row."""

    review: Review
    judged: JudgedRow | None
    """None where the run has no such row (any more)."""
    row: ReviewedRow | None
    """None while nobody says anything of it."""

    @property
    def idle(self) -> bool:
        """Whether a label was given to a row that none can make count: it has no answer."""
        return self.review.decision != CLEAR and self.judged is not None and not self.judged.can_count

    @property
    def label(self) -> str | None:
        """The label that counts now."""
        found = self.row or self.judged
        return found.label if found else None

    @property
    def cause(self) -> str | None:
        """The row's cause now."""
        found = self.row or self.judged
        return found.cause if found else None


def add_review(path: Path | str, run: str, decision: Decision, busy_seconds: float = _BUSY_SECONDS) -> Added:
    """Store what a reviewer decides on a row of a run (an id or a unique name).

    Raises BadUsage for an unknown run or row or a decision that makes no sense, StoreError where the database
    is missing or cannot be written, after `busy_seconds` one that another program holds.
    """
    from gacc_gui.app.adopting import adopt_records
    from gacc_gui.store.database import open_database
    from gacc_gui.store.reads import Reader

    decision = plain_decision(decision)
    with Reader(path, busy_seconds) as reader:  # before anything is written to
        run_id = reader.resolve_run(run)
        _row_there(reader, run_id, decision)
    with open_database(path, create=False, busy_seconds=busy_seconds) as database:
        adopt_records(database)
        return append_review(database, run_id, decision)


def store_review(
    path: Path | str, run: str, decision: Decision, goes_on: Callable[[StoreError], bool]
) -> Added:
    """Store a decision as `add_review` does, once more while another program holds the database.

    `goes_on` is called with each such failure: it waits for a while, and says whether to try again. Raises as
    `add_review` does.
    """
    from gacc_gui.store.database import is_busy

    while True:
        try:
            return add_review(path, run, decision, _TRY_SECONDS)
        except StoreError as error:
            if not is_busy(error) or not goes_on(error):
                raise


def append_review(database: Database, run_id: str, decision: Decision) -> Added:
    """Store a decision through a connection that is open; as `add_review`, without looking for the row."""
    from gacc_gui.formats.redaction import without_credentials
    from gacc_gui.store.added_rows import append_added
    from gacc_gui.store.reads import Reader

    decision = plain_decision(decision)
    with Reader(database.path) as reader:
        row = decision.row
        there = [review for review in reader.reviews(run_id, row[0]) if row_of(review) == row]
        created_at = _time_of(decision, there)
        review = Review(
            id=id_after(f"review-{uuid4().hex}", created_at, there),
            memory_id=decision.memory_id,
            question_id=decision.question_id,
            repeat=decision.repeat,
            decision=decision.decision,
            reviewer=decision.reviewer,
            created_at=created_at,
            cause=decision.cause,
            note=decision.note,
            tags=decision.tags,
            blind=decision.blind,
            sample=decision.sample,
        )
        review, _ = without_credentials(review)
        append_added(database, run_id, [review])
        judged = next(iter(judged_of(reader, run_id, [row])), None)
    standing = standing_reviews([*there, review]).get(row)
    return Added(review, judged, as_reviewed(judged, standing) if judged and standing else None)


def _time_of(decision: Decision, there: Iterable[Review]) -> str:
    """When a decision was given, but after those that are there, unless they were given while it waited."""
    now = datetime.now(UTC)
    decided = decision.decided_at or now
    return time_after(decided, [one for one in there if not decided < moment(one.created_at) <= now])


def plain_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags without the space around them, each once, and none that is empty."""
    return tuple(dict.fromkeys(plain for tag in tags if (plain := tag.strip())))


def plain_decision(decision: Decision) -> Decision:
    """Return a decision as it is stored: without the space around its texts, which no reader would see.

    Raises BadUsage where it makes no sense.
    """
    if decision.decision not in DECISIONS:
        raise BadUsage(f"the decision {decision.decision!r} is none of {', '.join(DECISIONS)}")
    if not decision.reviewer.strip():
        raise BadUsage("a decision needs the reviewer's name")
    if decision.cause is not None:
        if decision.decision != "incorrect":
            raise BadUsage("a cause goes with the decision “incorrect”")
        if decision.cause not in FAULTS:
            raise BadUsage(f"the cause {decision.cause!r} is none of {', '.join(FAULTS)}")
    note = (decision.note or "").strip() or None
    return replace(decision, reviewer=decision.reviewer.strip(), note=note, tags=plain_tags(decision.tags))


def reviewed_of(reader: Reader, run_id: str) -> Reviewed:
    """Return the decisions that stand in a run, and what they change.

    Raises BadUsage for an unknown run, StoreError where the database cannot be read.
    """
    from gacc_gui.store import review_reads

    standing = standing_reviews(reader.reviews(run_id))
    judged = reader.on_run(run_id, review_reads.reviewed) if standing else []
    rows = tuple(reviewed_rows(judged, standing))
    return Reviewed(
        rows, changes(rows), sum(row.standing.conflict for row in rows), absent_rows(standing, judged)
    )


def absent_rows(standing: Iterable[Row], judged: Iterable[JudgedRow]) -> tuple[Row, ...]:
    """Return the rows with a decision that are none of those that the run has, sorted."""
    return tuple(sorted(set(standing) - {row.row for row in judged}))


def absent_warning(absent: Sequence[Row]) -> list[str]:
    """Return a sentence that names the rows which the run does not have; none where it has all."""
    if not absent:
        return []
    named = "; ".join(map(row_words, absent[:_NAMED]))
    more = f"; and {len(absent) - _NAMED:,} more" if len(absent) > _NAMED else ""
    return [f"decisions on rows that the run does not have, which count nowhere: {named}{more}"]


def row_words(row: Row) -> str:
    """Return what names a row in a sentence."""
    memory, question, repeat = row
    return f"memory {memory}, question {question}, repeat {repeat}"


def totals_with(
    reader: Reader, run_id: str, choice: CellChoice, reviewed: Reviewed, as_judged: Totals
) -> Totals:
    """Return the sums over the units of the chosen cells as reviewed, given those as judged.

    Only units that reviews change are read. Raises as `reviewed_of` does.
    """
    from gacc_gui.store import review_reads

    select = partial(review_reads.totals, choice=choice, changes=reviewed.changes, found=as_judged)
    return reader.on_run(run_id, select)


def judged_of(reader: Reader, run_id: str, rows: Iterable[Row]) -> list[JudgedRow]:
    """Return these rows of a run as judged; those that are not there are left out."""
    from gacc_gui.store import review_reads

    return reader.on_run(run_id, partial(review_reads.judged_rows, rows=rows))


def _row_there(reader: Reader, run_id: str, decision: Decision) -> None:
    row = decision.row
    if not judged_of(reader, run_id, [row]):
        raise BadUsage(
            f"the run {run_id!r} has no row of memory {row[0]!r}, question {row[1]!r}, repeat {row[2]}"
        )
