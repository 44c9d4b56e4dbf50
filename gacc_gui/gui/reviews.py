"""Reviewers' decisions on the chosen run: read into the session, and stored.

Owns when they are read, and that they are read again when one was stored. What they come to is
`app.reviewing`; the thread that stores is `review_writer`; who shows them subscribes to the session.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal

from gacc_gui.gui.background import Background
from gacc_gui.gui.session import Session

if TYPE_CHECKING:
    from gacc_gui.app.reviewing import Decision, Reviewed
    from gacc_gui.gui.review_writer import ReviewWriter
    from gacc_gui.store.reads import Reader

CHANNEL: Final = "reviewed"


class Reviews(QObject):
    """Signals: failed(Decision, GaccError): a decision could not be stored."""

    failed = Signal(object, object)

    def __init__(self, session: Session, counts: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._counts = counts
        session.run_changed.connect(self.read)
        session.data_changed.connect(self.read)

    def read(self, _value: object = None) -> None:
        """Read the decisions on the chosen run."""
        run = self._session.run
        if run is None:
            self._counts.forget(CHANNEL)
            self._session.show_reviewed(None)
        else:
            self._counts.request(CHANNEL, partial(_read, run.run.id), self._session.show_reviewed)

    def write(self, run_id: str, decision: Decision) -> None:
        """Store a decision on a run of the open database, behind those that came before."""
        if self._counts.path is not None:
            self._writer.write(self._counts.path, run_id, decision)

    @property
    def is_stored(self) -> bool:
        """Whether every decision is in the database, or told of as failed."""
        return "_writer" not in self.__dict__ or self._writer.is_idle

    def shutdown(self) -> None:
        """Store what is left to store, and stop."""
        if "_writer" in self.__dict__:
            self._writer.shutdown()

    @cached_property
    def _writer(self) -> ReviewWriter:
        # Nobody reviews before the window is there.
        from gacc_gui.gui.review_writer import ReviewWriter

        writer = ReviewWriter(self)
        writer.written.connect(self.read)
        writer.failed.connect(self._on_failed)
        return writer

    def _on_failed(self, decision: Decision, error: object) -> None:
        self.failed.emit(decision, error)
        self.read()


def _read(run_id: str, reader: Reader) -> Reviewed:
    from gacc_gui.app.reviewing import reviewed_of

    return reviewed_of(reader, run_id)
