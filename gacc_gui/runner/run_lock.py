"""One process at a time evaluates a run of a database, or asks what is missing again. Owns the lock files.

A lock of the operating system, which goes with the process that holds it, however that ends.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gacc_gui.core.errors import BadUsage, StoreError


@contextmanager
def only_one(database: Path, run_id: str, doing: str = "evaluated") -> Iterator[None]:
    """Hold the run for what is done to it while the block runs; its file is gone afterwards.

    Raises BadUsage where another process holds it, StoreError where the folder cannot be written.
    """
    held = f"{run_id}\0{doing}".encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(held).hexdigest()[:8]
    path = database.with_name(f"{database.name}.{digest}.lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = _held(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error
    if descriptor is None:
        raise BadUsage(f"the run {run_id!r} is being {doing} by another process")
    try:
        yield
    finally:
        # While we hold it: whoever opens it now finds it gone, and makes another (see `_held`).
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _held(path: Path) -> int | None:
    """Return a descriptor of the locked file, or None where another process has it."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _lock(descriptor)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except OSError:
            os.close(descriptor)
            raise
        try:
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        except FileNotFoundError:
            pass
        os.close(descriptor)  # its holder removed it just now


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError from error

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
