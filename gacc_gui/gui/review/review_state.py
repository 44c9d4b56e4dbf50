"""Where a reviewer is in a queue: the row, what was decided, what is being written. Plain state without Qt.

Owns the rules of the keyboard's steps and of blindness: a decision is blind if the judge's verdict on the row
was hidden from this reviewer until it was given, here and in other views; to add a note to it later does not
change that, to decide otherwise does. Not owned: storing decisions, showing rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
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
    ) -> None:
        """`decided`: what this reviewer has said so far; `seen`: rows whose verdict this reviewer knows."""
        self.queue = queue
        self.reviewer = reviewer
        self.blind = blind
        self._decided: dict[Row, _Said] = {}
        self._seen = set(seen)
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
        self._decided = {row: _Said(review.decision, review.blind is True) for row, review in decided.items()}
        self._seen |= decided.keys()

    def decide(self, decision: str) -> Decision | None:
        """Decide on this row; returns what is to be stored, None where that changes nothing.

        To clear what was never decided changes nothing; to say the same again writes note, tags and cause.
        """
        entry = self.entry
        if entry is None or (decision == CLEAR and entry.row not in self._decided):
            return None
        before = self._decided.pop(entry.row, None)
        blind = self.blind and entry.row not in self._seen
        if before is not None and before.decision == decision:
            blind = before.blind
        self._seen.add(entry.row)
        cleared = decision == CLEAR
        if not cleared:
            self._decided[entry.row] = _Said(decision, blind)
        memory_id, question_id, repeat = entry.row
        return Decision(
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
        )

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
