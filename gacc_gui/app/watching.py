"""Whether the open database is still what was read of it: others write, or copy another database over it.

Owns what is compared. SQLite tells of commits (`PRAGMA data_version`, which holds for one connection alone:
the watch has its own); of a file that was written over without SQLite only size and time tell, and the cached
pages of every connection are then another file's.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gacc_gui.core.errors import StoreError

if TYPE_CHECKING:
    from gacc_gui.store.mark import Mark
    from gacc_gui.store.reads import Reader

FileState = tuple[int, int]
"""Size and time of the last change."""


@dataclass(frozen=True, slots=True)
class Found:
    """What there is since the last `Watch.take`. `number` names it.

    `written`: views are to read again; `file_changed`: through new connections; `replaced`: another database
    stands in the file, or none.
    """

    number: int
    written: bool = False
    file_changed: bool = False
    replaced: bool = False


@dataclass(frozen=True, slots=True)
class _Seen:
    file: FileState
    version: int
    mark: Mark


class Watch:
    """Watches one database, from whichever thread asks, one at a time; `begin` before the first data."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._reader: Reader | None = None
        self._seen: _Seen | None = None
        self._doubted: FileState | None = None
        self._news = self._taken = self._file_news = 0
        self._replaced = False
        self._is_closed = False

    def begin(self) -> None:
        """Take what there is now as known. Raises StoreError as opening a `Reader` does."""
        try:
            with self._lock:
                self._begin()
        finally:
            self._close_if_free()

    def look(self) -> Found:
        """Return what is new. Raises StoreError where that cannot be known now; a later look may."""
        try:
            with self._lock:
                if self._seen is None:
                    self._begin()
                    return Found(self._news)
                return self._look(self._seen)
        finally:
            self._close_if_free()

    def take(self, found: Found) -> None:
        """Have what was found, and nothing after it, be known."""
        self._taken = max(self._taken, found.number)

    def close(self) -> None:
        """Watch no more. Waits for nobody: whoever looks just now closes the connection."""
        self._is_closed = True
        self._close_if_free()

    def _close_if_free(self) -> None:
        while self._is_closed and self._reader is not None and self._lock.acquire(blocking=False):
            try:
                reader, self._reader = self._reader, None
                if reader is not None:
                    reader.close()
            finally:
                self._lock.release()

    def _begin(self) -> None:
        if self._seen is None and not self._is_closed:
            from gacc_gui.store.reads import Reader

            file = _state(self._path)
            self._reader = Reader(self._path)
            self._seen = self._see(self._reader, file)

    def _look(self, seen: _Seen) -> Found:
        from gacc_gui.store.database import is_busy

        file = _state(self._path)
        reader = self._reader
        if reader is None:  # closed meanwhile
            return Found(self._news)
        if file != seen.file:
            try:
                now = self._reopened(seen, reader, file)
            except StoreError as error:
                # Once may be in the middle of a copy, and a lock goes away.
                is_sure, self._doubted = self._doubted == file and not is_busy(error), file
                if is_sure:
                    return Found(self._news, written=True, file_changed=True, replaced=True)
                raise
        elif reader.data_version() != seen.version:
            now = self._see(reader, file)
        else:
            now = seen
        if now is not seen:
            self._news += 1
            if file != seen.file:
                self._file_news = self._news
            self._seen, self._doubted = now, None
        return Found(self._news, self._news > self._taken, self._file_news > self._taken, self._replaced)

    def _reopened(self, seen: _Seen, former: Reader, file: FileState) -> _Seen:
        """See the file through a new connection, which has no page of what was there before."""
        from gacc_gui.store.reads import Reader

        fresh = Reader(self._path)
        try:
            now = self._see(fresh, file)
            committed = _has_other_version(former, seen.version)  # while we looked, too
            if not (seen.mark.can_become(now.mark) if committed else seen.mark == now.mark):
                if file[0] < now.mark.pages * now.mark.page_bytes and self._doubted != file:
                    raise StoreError(f"{self._path} is being written over")
                self._replaced = True
        except BaseException:
            fresh.close()
            raise
        self._reader = fresh
        former.close()
        return now

    def _see(self, reader: Reader, file: FileState) -> _Seen:
        # The version first: what is committed after it is found by the next look.
        version = reader.data_version()
        return _Seen(file, version, reader.mark())


def _has_other_version(reader: Reader, version: int) -> bool:
    from gacc_gui.store.database import is_busy

    try:
        return reader.data_version() != version
    except StoreError as error:
        if is_busy(error):
            raise
        return False  # damaged: the file is not the one that this connection knows


def _state(path: Path) -> FileState:
    try:
        found = path.stat()
    except OSError as error:
        raise StoreError(f"{path} cannot be reached: {(error.strerror or str(error)).lower()}") from error
    return found.st_size, found.st_mtime_ns
