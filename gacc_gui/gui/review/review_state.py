"""Where a reviewer is in a queue: the row, what was decided, what is being written. Plain state without Qt.

Owns the rules of the keyboard's steps and of blindness: a decision is blind if the judge's verdict on the row
was hidden from this reviewer until it was given, here and in other views; to add a note to it later does not
change that, to decide otherwise does. The verdict is shown when the decision is stored: one that cannot be is
taken back, and the row is as blind as it was. Not owned: storing decisions, showing rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from gacc_gui.app.review_queue import ReviewQueue
from gacc_gui.app.reviewing import Decision
from gacc_gui.core.records import Review
from gacc_gui.core.review_queue import Entry
from gacc_gui.core.reviewing import CLEAR, Row


class _Said(NamedTuple):
    decision: str
    blind: bool


class ReviewState:
    """One reviewer in one queue."""

    def __init__(
        self,
        queue: ReviewQueue,
        reviewer: str,
        blind: bool,
        decided: Mapping[Row, Review],
        seen: Collection[Row] = (),
        waiting: Iterable[Decision] = (),
    ) -> None:
        """`decided`: what this reviewer has said so far; `seen`: rows whose verdict this reviewer knows;

        `waiting`: what is still to be stored of what this reviewer has said.
        """
        self.queue = queue
        self.reviewer = reviewer
        self.blind = blind
        self._stored: dict[Row, _Said] = {}
        self._waiting: dict[Row, list[_Said | None]] = {}
        """What is being stored of a row, in the order it was said; None: nothing is said of it any more."""
        self._decided: dict[Row, _Said] = {}
        """What stands if all of that is stored."""
        self._seen = set(seen)
        for given in waiting:
            self._wait(given.row, _said(given))
        self.know(decided)
        self.place = queue.next_open(self._decided) or 0
        self.note = ""
        self.tags: tuple[str, ...] = ()
        self.cause: str | None = None

    @property
    def entry(self) -> Entry | None:
        """The row that is looked at; None in an empty queue."""
        return self.queue.entries[self.place] if self.queue.entries else None

    @property
    def decision(self) -> str | None:
        """What the reviewer says of this row."""
        said = self._decided.get(self.entry.row) if self.entry else None
        return said.decision if said else None

    @property
    def shows_judge(self) -> bool:
        """Whether the judge's verdict on this row may be seen."""
        return not self.blind or (self.entry is not None and self.entry.row in self._seen)

    @property
    def seen(self) -> frozenset[Row]:
        """Rows whose verdict this reviewer knows."""
        return frozenset(self._seen)

    @property
    def done(self) -> int:
        """Rows of the queue that are decided."""
        return sum(entry.row in self._decided for entry in self.queue.entries)

    @property
    def is_finished(self) -> bool:
        """Whether every row is decided."""
        return self.done == len(self.queue.entries)

    def tally(self) -> Counter[str]:
        """Return how often each decision was given in this queue."""
        return Counter(self._decided[e.row].decision for e in self.queue.entries if e.row in self._decided)

    def see(self, rows: Iterable[Row]) -> None:
        """Take that the judge's verdict on these rows was shown elsewhere: nothing said of them is blind."""
        self._seen.update(rows)

    def know(self, decided: Mapping[Row, Review]) -> None:
        """Take what stands of this reviewer in the database, which may have been written elsewhere."""
        self._stored = {row: _Said(review.decision, review.blind is True) for row, review in decided.items()}
        self._decided = dict(self._stored)
        for row in self._waiting:
            self._stand(row)
        self._seen |= decided.keys()

    def decide(self, decision: str) -> Decision | None:
        """Decide on this row; returns what is to be stored, None where that changes nothing.

        To clear what was never decided changes nothing; to say the same again writes note, tags and cause.
        What is returned counts from now on; `stored` or `take_back` says what came of it.
        """
        entry = self.entry
        if entry is None or (decision == CLEAR and entry.row not in self._decided):
            return None
        before = self._decided.get(entry.row)
        blind = self.blind and entry.row not in self._seen
        if before is not None and before.decision == decision:
            blind = before.blind
        cleared = decision == CLEAR
        memory_id, question_id, repeat = entry.row
        given = Decision(
            memory_id,
            question_id,
            repeat,
            decision,
            self.reviewer,
            cause=self.cause if decision == "incorrect" else None,
            note=None if cleared else self.note or None,
            tags=() if cleared else self.tags,
            blind=blind,
            sample=entry.sample(self.queue.key),
            decided_at=datetime.now(UTC),
        )
        self._wait(entry.row, _said(given))
        self._stand(entry.row)
        return given

    def stored(self, given: Decision) -> None:
        """Take that a decision is in the database: this reviewer knows the judge's verdict from now on."""
        if given.reviewer != self.reviewer:
            return
        self._end_wait(given.row)
        said = _said(given)
        if said is None:
            self._stored.pop(given.row, None)
        else:
            self._stored[given.row] = said
        self._stand(given.row)
        self._seen.add(given.row)

    def take_back(self, given: Decision) -> None:
        """Take that a decision could not be stored: what stood before it stands."""
        if given.reviewer == self.reviewer:
            self._end_wait(given.row)
            self._stand(given.row)

    def place_of(self, row: Row) -> int | None:
        """Where a row stands in the queue, from 0; None if it is of another one."""
        return next((place for place, entry in enumerate(self.queue.entries) if entry.row == row), None)

    def _wait(self, row: Row, said: _Said | None) -> None:
        self._waiting.setdefault(row, []).append(said)

    def _end_wait(self, row: Row) -> None:
        waiting = self._waiting.get(row, [])
        if len(waiting) > 1:
            del waiting[0]
        else:
            self._waiting.pop(row, None)

    def _stand(self, row: Row) -> None:
        waiting = self._waiting.get(row)
        said = waiting[-1] if waiting else self._stored.get(row)
        if said is None:
            self._decided.pop(row, None)
        else:
            self._decided[row] = said

    def next(self) -> bool:
        """Go to the next row that is not decided, round the queue; whether there is one."""
        if not self.queue.entries:
            return False
        place = self.queue.next_open(self._decided, self.place + 1)
        if place is None:
            place = self.queue.next_open(self._decided)
        if place is None or place == self.place:
            return False
        self._go(place)
        return True

    def step(self, step: int) -> bool:
        """Go to a neighbouring row, decided or not; whether there is one."""
        place = self.place + step
        if not 0 <= place < len(self.queue.entries):
            return False
        self._go(place)
        return True

    def _go(self, place: int) -> None:
        self.place = place
        self.note, self.tags, self.cause = "", (), None


def _said(given: Decision) -> _Said | None:
    return None if given.decision == CLEAR else _Said(given.decision, given.blind is True)
