"""A file that must be new: it appears whole, and only where nothing was."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import mkstemp

from gacc_gui.core.errors import BadUsage, GaccError


def refuse_existing(target: Path) -> None:
    """Raise BadUsage where something has the name already, a dangling link included."""
    if os.path.lexists(target):
        raise BadUsage(f"{target} is already there, and nothing is ever overwritten")


def write_new(target: Path, text: str) -> None:
    """Write a text as UTF-8 to a file that is not there yet; on any failure there is none.

    Raises BadUsage where something has the name, GaccError where it cannot be written.
    """
    refuse_existing(target)
    part: Path | None = None
    try:
        handle, name = mkstemp(prefix=f".{target.name[:40]}-", suffix=".part", dir=target.parent)
        part = Path(name)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(0o644)
        _place(part, target)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise GaccError(f"{target} cannot be written: {reason}") from error
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


def _place(part: Path, target: Path) -> None:
    try:
        # Unlike a rename, a link fails where somebody else was quicker.
        target.hardlink_to(part)
    except FileExistsError:
        refuse_existing(target)
        raise
    except OSError:  # no hard links on this file system
        refuse_existing(target)
        part.rename(target)
