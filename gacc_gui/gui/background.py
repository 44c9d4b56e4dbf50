"""Work beside the GUI thread: one Python thread with its own `Reader`; the newest request of a channel wins.

Owns the thread, its queue and the delivery of results in the GUI thread. Not owned: what is read.

A Python thread and not a QThread: it is joined in one place (`shutdown`) and cannot abort the process at
exit. Callbacks stay on the GUI's side of the border: the worker never holds the last reference to a widget.
"""

from __future__ import annotations

import sqlite3
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Signal

from gacc_gui.core.errors import GaccError, Interrupted, StoreError

if TYPE_CHECKING:
    from gacc_gui.store.reads import Reader

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Task:
    token: int
    channel: str
    work: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class _Handlers:
    channel: str
    done: Callable[[Any], None]
    failed: Callable[[GaccError], None] | None


@dataclass(frozen=True, slots=True)
class _Outcome:
    token: int
    value: Any = None
    error: BaseException | None = None


class Background(QObject):
    """Reads the database in one worker thread.

    Signals: failed(GaccError) for a failure whose request has no handler; idle() when nothing is left to do.
    """

    failed = Signal(object)
    idle = Signal()
    _finished = Signal(object)
    _posted = Signal(object)

    def __init__(self, path: Path | str | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = Path(path) if path is not None else None
        self._condition = threading.Condition()
        self._queue: list[_Task] = []
        self._running: _Task | None = None
        self._unwanted = 0
        self._reader: Reader | None = None
        self._opened = 0
        self._reader_opened = 0
        self._was_interrupted = False
        self._stopping = threading.Event()
        self._held = False
        self._thread: threading.Thread | None = None
        self._next_token = 0
        self._latest: dict[str, int] = {}
        self._handlers: dict[int, _Handlers] = {}
        self._finished.connect(self._on_finished)
        self._posted.connect(self._on_posted)

    @property
    def path(self) -> Path | None:
        """The database that is read; None when none is open."""
        return self._path

    @property
    def is_idle(self) -> bool:
        """Whether no request waits, runs, or is still to be delivered."""
        return not self._handlers

    @property
    def is_stopping(self) -> bool:
        """Whether the window closes: long work asks this now and then, from its thread, and gives up."""
        return self._stopping.is_set()

    def give_way(self) -> None:
        """From the worker, now and then in long work: end it by `Interrupted` if its result is not wanted."""
        running = self._running
        if self._stopping.is_set() or (running is not None and running.token == self._unwanted):
            raise Interrupted("nobody waits for this any more")

    def open(self, path: Path | str | None) -> None:
        """Read another database from now on; what was asked of the former is dropped."""
        for channel in list(self._latest):
            self.forget(channel)
        with self._condition:
            self._path = Path(path) if path is not None else None
            # A path that is opened again may have become another file.
            self._opened += 1

    def let_go(self, done: Callable[[], None]) -> None:
        """Read no database, close the connection to the former one, then call `done()` in the GUI thread."""
        self.open(None)
        self.request("background.let_go", _nothing, lambda _: done(), lambda _: done())

    def renew(self) -> None:
        """Read through a new connection from the next request on, which has nothing of before in memory."""
        with self._condition:
            self._opened += 1

    def request(
        self,
        channel: str,
        work: Callable[[Reader], T],
        done: Callable[[T], None],
        failed: Callable[[GaccError], None] | None = None,
    ) -> None:
        """Run `work(reader)` in the worker, then `done(result)` in the GUI thread.

        A newer request of the same channel supersedes this one: its query is interrupted and its result
        never delivered; work that asks `give_way` ends. A GaccError goes to `failed`, or to the signal of
        that name; anything else is a bug and goes to `sys.excepthook`. `work` must not hold widgets.
        """
        if self._stopping.is_set():
            return
        self._drop(channel)
        self._next_token += 1
        task = _Task(self._next_token, channel, work)
        self._latest[channel] = task.token
        self._handlers[task.token] = _Handlers(channel, done, failed)
        with self._condition:
            self._queue.append(task)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="gacc-gui reader", daemon=True)
                self._thread.start()
            self._condition.notify()

    def hold(self) -> None:
        """Take requests and begin none until `release`: the GUI thread needs the interpreter for itself."""
        with self._condition:
            self._held = True

    def release(self) -> None:
        """Work again."""
        with self._condition:
            self._held = False
            self._condition.notify()

    def forget(self, channel: str) -> None:
        """Drop what was asked on a channel; nothing of it is delivered any more."""
        if self._drop(channel) and self.is_idle:
            self.idle.emit()

    def _drop(self, channel: str) -> bool:
        token = self._latest.pop(channel, None)
        if token is None:
            return False
        self._handlers.pop(token, None)
        with self._condition:
            self._queue = [task for task in self._queue if task.token != token]
            if self._running is not None and self._running.token == token:
                self._unwanted = token
                self._interrupt()
        return True

    def post(self, call: Callable[[], None]) -> None:
        """From the worker: have `call()` run in the GUI thread, to report progress."""
        self._posted.emit(call)

    def shutdown(self) -> None:
        """Stop: drop what waits, interrupt what runs, join the thread. Nothing is delivered afterwards."""
        self._stopping.set()
        self._handlers.clear()
        self._latest.clear()
        with self._condition:
            self._queue.clear()
            self._condition.notify()
        thread, self._thread = self._thread, None
        while thread is not None and thread.is_alive():
            # Again and again: work of several queries may be between two of them when it is interrupted.
            with self._condition:
                self._interrupt()
            thread.join(0.05)

    def _interrupt(self) -> None:
        # Under the lock, so that it never hits the query after the one it is meant for.
        if self._reader is not None:
            self._reader.interrupt()
            self._was_interrupted = True

    # --- the worker's side -------------------------------------------------------------------------

    def _work(self) -> None:
        while True:
            with self._condition:
                while (self._held or not self._queue) and not self._stopping.is_set():
                    self._condition.wait()
                if self._stopping.is_set():
                    break
                task = self._running = self._queue.pop(0)
            self._finished.emit(self._outcome(task))
            del task
            with self._condition:
                self._running = None
                was_interrupted = self._was_interrupted
            if was_interrupted:
                # SQLite interrupts every new query too while one that was interrupted is still open, and the
                # traceback of a task that gave up keeps its query open. (Measured, SQLite 3.40.)
                self._close_reader()
        self._close_reader()

    def _outcome(self, task: _Task) -> _Outcome:
        try:
            reader = self._open_reader()
            try:
                return _Outcome(task.token, value=task.work(reader))
            except Exception as error:
                if self._reader is not None:  # work on texts alone has none
                    self._reader.tell_damage(error)
                raise
        except sqlite3.Error as error:
            told = StoreError(f"the database could not be read: {error}")
            told.__cause__ = error
            return _Outcome(task.token, error=told)
        except BaseException as error:  # Rust panics of a tokenizer are BaseExceptions.
            return _Outcome(task.token, error=error)

    def _open_reader(self) -> Reader:
        with self._condition:
            path, opened = self._path, self._opened
        if self._reader_opened != opened:
            self._close_reader()
        if path is None:
            raise StoreError("no database is open")
        if self._reader is None:
            from gacc_gui.store.reads import Reader

            reader = Reader(path)
            with self._condition:
                self._reader, self._reader_opened = reader, opened
        return self._reader

    def _close_reader(self) -> None:
        with self._condition:
            reader, self._reader = self._reader, None
            self._was_interrupted = False
        if reader is not None:
            reader.close()

    # --- the GUI's side ----------------------------------------------------------------------------

    def _on_finished(self, outcome: _Outcome) -> None:
        handlers = self._handlers.pop(outcome.token, None)
        if handlers is None:
            return
        del self._latest[handlers.channel]
        error = outcome.error
        try:
            if error is None:
                handlers.done(outcome.value)
            elif isinstance(error, Interrupted):
                pass
            elif isinstance(error, GaccError):
                (handlers.failed or self.failed.emit)(error)
            else:
                sys.excepthook(type(error), error, error.__traceback__)
        finally:
            if self.is_idle:
                self.idle.emit()

    def _on_posted(self, call: Callable[[], None]) -> None:
        if not self._stopping.is_set():
            call()


def _nothing(_reader: Reader) -> None:
    pass
