"""A file appears whole or not at all: written beside its place under a hidden name, then renamed over it.

What a program that was killed left under such a name is removed by the next one that writes the same file.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import Final

from gacc_gui.core.errors import GaccError

_STALE_SECONDS: Final = 60.0
"""How long nobody has written what is taken for left behind: one that was made just now is not locked yet."""


@contextmanager
def written_whole(target: Path) -> Iterator[Path]:
    """Yield a path in the same folder to write to; it takes the target's place when the block succeeds.

    On any failure, and where it is interrupted, the target stays as it was. Raises GaccError in one sentence
    where the folder is missing, read-only or full.
    """
    target = Path(os.path.realpath(target))  # a link stays a link
    # Named before it is made: there is no moment at which Ctrl+C would leave it.
    part = target.with_name(f"{_prefix(target)}{token_hex(8)}.part")
    try:
        if target.is_dir():
            raise GaccError(f"{target} is a folder")
        _remove_stale(target)
        with _made(part):
            yield part
            with part.open("rb") as file:
                os.fsync(file.fileno())
            part.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
            part.replace(target)
    except OSError as error:
        _remove(part)
        raise GaccError(f"{target} cannot be written: {_reason(error, part, target)}") from error
    except BaseException:
        _remove(part)
        raise


def _prefix(target: Path) -> str:
    return f".{target.name[:40]}-"


@contextmanager
def _made(part: Path) -> Iterator[None]:
    """Make the file, and hold its lock while the block runs, which says that somebody is writing it."""
    descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    if sys.platform == "win32":  # there what is open can neither be removed nor renamed
        os.close(descriptor)
        yield
    else:
        try:
            with suppress(OSError):  # a file system without locks
                _lock(descriptor)
            yield
        finally:
            os.close(descriptor)


def _remove_stale(target: Path) -> None:
    """Remove what was left of the same file; what somebody may be writing, or what cannot be told, stays."""
    with suppress(OSError):
        name = re.compile(rf"{re.escape(_prefix(target))}[0-9a-f]{{16}}\.part")
        for part in target.parent.iterdir():
            if name.fullmatch(part.name) and time.time() - part.stat().st_mtime > _STALE_SECONDS:
                _remove_unheld(part)


if sys.platform == "win32":

    def _remove_unheld(part: Path) -> None:
        _remove(part)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _remove_unheld(part: Path) -> None:
        descriptor = os.open(part, os.O_RDWR)
        try:
            _lock(descriptor)
        except OSError:
            return
        else:
            part.unlink(missing_ok=True)
        finally:
            os.close(descriptor)


def _remove(part: Path) -> None:
    with suppress(OSError):  # what kept it from being made keeps it from being removed
        part.unlink(missing_ok=True)


def _reason(error: OSError, part: Path, target: Path) -> str:
    return (error.strerror or str(error)).replace(str(part), str(target)).lower()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
