"""How a run of whatever benchmark is told while it goes, and the exit code of how it ended.

Owns the words of events and what a session's outcome means to a shell. Not here: the words at the end, which
each command has of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gacc_gui import terminal

if TYPE_CHECKING:
    from gacc_gui.app.evaluation_session import Outcome
    from gacc_gui.runner.events import Event

_FAILED_ITEMS: Final = 3
_BAD_INPUT: Final = 2
_INTERRUPTED: Final = 130
_WORTH_TELLING: Final = 5
"""Seconds of waiting."""


def exit_code(outcome: Outcome) -> int:
    """Return the exit code of a session."""
    if outcome.interrupted:
        return _INTERRUPTED
    if outcome.refused:
        return _BAD_INPUT
    return _FAILED_ITEMS if outcome.reason is not None or outcome.failed else 0


class RunTelling:
    """Shows events: as JSON lines where they were asked for, as a line of progress on a terminal."""

    def __init__(self, what: str, events: bool) -> None:
        self._events = events
        self._progress = terminal.Progress(what, events)

    def __call__(self, event: Event) -> None:
        """Take an event as it comes."""
        from gacc_gui.runner.events import Progress, Stopping, Unwatched, Waiting, document

        if self._events:
            fields = document(event)
            self._progress.event(fields.pop("event"), **fields)
        elif isinstance(event, Progress):
            failed = f", {event.failed:,} failed" if event.failed else ""
            self._progress(event.done, event.planned, f"{event.stage}{failed}")
        elif isinstance(event, Waiting) and event.seconds >= _WORTH_TELLING:
            self._say(f"waiting {event.seconds:.0f} s for {event.endpoint}: {event.reason}")
        elif isinstance(event, Unwatched):
            self._say(f"gacc-gui: warning: {event.reason}")
        elif isinstance(event, Stopping):
            finish = f"; calls that may still finish: {event.under_way}" if event.under_way else ""
            self._say(f"stopping: {event.reason}{finish}")

    def close(self) -> None:
        """Clear the line of progress."""
        self._progress.close()

    def _say(self, text: str) -> None:
        self._progress.close()
        terminal.say(text)
