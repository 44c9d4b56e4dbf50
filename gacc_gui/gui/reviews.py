"""Reviewers' decisions on the chosen run: read into the session, and stored.

Owns when they are read, and that they are read again when one was stored. What they come to is
`app.reviewing`; the thread that stores is `review_writer`; who shows them subscribes to the session.
"""

from __future__ import annotations

import sys
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from gacc_gui.gui.background import Background
from gacc_gui.gui.lists.words import counted
from gacc_gui.gui.session import Session

if TYPE_CHECKING:
    from gacc_gui.app.reviewing import Decision, Reviewed
    from gacc_gui.gui.asking import Asker
    from gacc_gui.gui.review_writer import Order, ReviewWriter, Unstored
    from gacc_gui.store.reads import Reader

CHANNEL: Final = "reviewed"
_MOMENT_SECONDS: Final = 1.0
"""How long a window that is closed waits for what is being stored before it asks."""
_CLOSING_SECONDS: Final = 5.0
"""How long the end of the program, where nobody can be asked, waits for another program's lock."""
_NAMED: Final = 5
"""Decisions named in a question; of more, their number."""


class Reviews(QObject):
    """Signals: stored(run id, Decision); failed(run id, Decision, GaccError): it could not be stored;

    held_up(number): so many decisions wait because another program holds the database; 0: none any more.
    """

    stored = Signal(object, object)
    failed = Signal(object, object, object)
    held_up = Signal(object)

    def __init__(self, session: Session, counts: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._counts = counts
        self._is_read = True
        self._gives_up = False
        session.run_changed.connect(self.read)
        session.data_changed.connect(self.read)

    def read(self, _value: object = None) -> None:
        """Read the decisions on the chosen run."""
        run = self._session.run
        if run is None:
            self._counts.forget(CHANNEL)
            self._on_read(None)
        else:
            self._counts.request(CHANNEL, partial(_read, run.run.id), self._on_read)

    def write(self, run_id: str, decision: Decision) -> None:
        """Store a decision on a run of the open database, behind those that came before."""
        from gacc_gui.gui.review_writer import Order

        if self._counts.path is not None:
            self._writer.write(Order(self._counts.path, run_id, decision))

    @property
    def is_stored(self) -> bool:
        """Whether every decision is in the database, or told of as failed."""
        return "_writer" not in self.__dict__ or self._writer.is_idle

    @property
    def is_known(self) -> bool:
        """Whether what was read has every decision in it that was given."""
        return self.is_stored and self._is_read

    def waiting(self, run_id: str) -> list[Decision]:
        """Decisions on a run of the open database that are not stored yet, in the order they were given."""
        if self.is_stored:
            return []
        where = self._counts.path, run_id
        return [one.decision for one in self._writer.waiting() if (one.path, one.run_id) == where]

    def may_close(self, parent: QWidget, asker: Asker) -> bool:
        """Ask, if decisions are not stored within a moment, whether they are given up; False: no."""
        left = [] if self.is_stored else self._writer.unstored(_MOMENT_SECONDS)
        if not left:
            return True
        more = f"\n… and {len(left) - _NAMED:,} more" if len(left) > _NAMED else ""
        text = (
            f"{counted(len(left), 'decision')} not stored:\n\n"
            + "\n".join(map(_told, left[:_NAMED]))
            + more
            + "\n\nWithout the window, they are lost."
        )
        self._gives_up = asker.confirm(parent, "Decisions are not stored", text, "Close without them")
        return self._gives_up

    def shutdown(self) -> None:
        """Store what is left to store, and stop; what another program's lock keeps out is told on stderr."""
        if "_writer" in self.__dict__:
            for lost in self._writer.shutdown(0 if self._gives_up else _CLOSING_SECONDS):
                sys.stderr.write(f"gacc-gui: not stored: {_told(lost)}\n")

    @cached_property
    def _writer(self) -> ReviewWriter:
        # Nobody reviews before the window is there.
        from gacc_gui.gui.review_writer import ReviewWriter

        writer = ReviewWriter(self)
        writer.stored.connect(self._on_stored)
        writer.failed.connect(self._on_failed)
        writer.held_up.connect(self.held_up)
        return writer

    def _on_read(self, reviewed: Reviewed | None) -> None:
        self._is_read = True
        self._session.show_reviewed(reviewed)

    def _on_stored(self, order: Order) -> None:
        self._is_read = False
        self.stored.emit(order.run_id, order.decision)
        self.read()

    def _on_failed(self, order: Order, error: object) -> None:
        self.failed.emit(order.run_id, order.decision, error)


def decision_words(decision: Decision) -> str:
    """Say what was decided on which row."""
    from gacc_gui.app.reviewing import row_words

    return f"“{decision.decision}” on {row_words(decision.row)}"


def held_up_words(number: int) -> str:
    """Say that decisions wait; nothing if none does."""
    if not number:
        return ""
    waits, they = ("waits", "It is") if number == 1 else ("wait", "They are")
    return (
        f"{counted(number, 'decision')} {waits}: another program holds the database. "
        f"{they} kept, and stored as soon as it lets go."
    )


def _told(lost: Unstored) -> str:
    return f"{decision_words(lost.order.decision)} by {lost.order.decision.reviewer}: {lost.reason}"


def _read(run_id: str, reader: Reader) -> Reviewed:
    from gacc_gui.app.reviewing import reviewed_of

    return reviewed_of(reader, run_id)
