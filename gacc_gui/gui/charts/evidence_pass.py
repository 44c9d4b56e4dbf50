"""Reading evidence a few contexts at a time in the worker, so that lists and headlines need not wait for it.

Owns how far it is. What is read is `app.charting`; it holds no widget and ends with its last context.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QObject, Signal

from gacc_gui.core.errors import GaccError
from gacc_gui.gui.background import Background

if TYPE_CHECKING:
    from gacc_gui.store.reads import Reader

CONTEXTS: Final = 8
"""Contexts read at a time: some 30 to 100 ms of the worker's time in a run of the full size."""


class EvidencePass(QObject):
    """Signals: progressed(done, total); finished(list of what each read returned); failed(GaccError)."""

    progressed = Signal(object, object)
    finished = Signal(object)
    failed = Signal(object)

    def __init__(self, background: Background, channel: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = background
        self._channel = channel
        self._read: Callable[[Reader, Sequence[int]], Any] | None = None
        self._contexts: Sequence[int] = ()
        self._done = 0
        self._found: list[Any] = []

    def start(self, contexts: Sequence[int], read: Callable[[Reader, Sequence[int]], Any]) -> None:
        """Call `read(reader, some of the contexts)` in the worker until all were read."""
        self._contexts, self._read = contexts, read
        self._done, self._found = 0, []
        self._next()

    def cancel(self) -> None:
        """Stop; nothing more is said."""
        self._read = None
        self._found = []
        self._background.forget(self._channel)

    def _next(self) -> None:
        read = self._read
        if read is None:
            return
        if self._done >= len(self._contexts):
            found, self._found, self._read = self._found, [], None
            self.finished.emit(found)
            return
        part = self._contexts[self._done : self._done + CONTEXTS]
        self._background.request(
            self._channel, partial(_read_part, read, part), self._on_read, self._on_failed
        )

    def _on_read(self, found: Any) -> None:
        self._found.append(found)
        self._done += CONTEXTS
        self.progressed.emit(min(self._done, len(self._contexts)), len(self._contexts))
        self._next()

    def _on_failed(self, error: GaccError) -> None:
        self._read = None
        self._found = []
        self.failed.emit(error)


def _read_part(read: Callable[[Reader, Sequence[int]], Any], contexts: Sequence[int], reader: Reader) -> Any:
    return read(reader, contexts)
