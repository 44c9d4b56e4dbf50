"""A file appears whole or not at all: written beside its place under a hidden name, then renamed over it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from gacc_gui.core.errors import GaccError


@contextmanager
def written_whole(target: Path) -> Iterator[Path]:
    """Yield a path in the same folder to write to; it takes the target's place when the block succeeds.

    On any failure, and where it is interrupted, the target stays as it was. Raises GaccError in one sentence
    where the folder is missing, read-only or full.
    """
    target = Path(os.path.realpath(target))  # a link stays a link
    # Named before it is made: there is no moment at which Ctrl+C would leave it.
    part = target.with_name(f".{target.name[:40]}-{token_hex(8)}.part")
    try:
        if target.is_dir():
            raise GaccError(f"{target} is a folder")
        part.touch(0o600, exist_ok=False)
        yield part
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        part.replace(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise GaccError(f"{target} cannot be written: {_reason(error)}") from error
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
