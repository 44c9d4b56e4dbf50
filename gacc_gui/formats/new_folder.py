"""A folder that must be new: it appears with all that it begins with, and only where nothing was."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import mkdtemp

from gacc_gui.core.errors import GaccError
from gacc_gui.formats.new_file import refuse_existing


def make_new_folder(target: Path, files: Mapping[str, bytes]) -> None:
    """Make a folder with these files, by name, written in this order; on any failure there is none.

    A program that is killed leaves at most a hidden folder beside it. Raises BadUsage where something has the
    name, an empty folder included, GaccError where it cannot be made.
    """
    refuse_existing(target)
    part: Path | None = None
    try:
        part = Path(mkdtemp(prefix=f".{target.name[:40]}-", suffix=".part", dir=target.parent))
        for name, data in files.items():
            with (part / name).open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        part.chmod(0o755)
        refuse_existing(target)
        # Fails where somebody was quicker, but for a folder that is empty, which it takes the place of.
        part.rename(target)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise GaccError(f"{target} cannot be made: {reason}") from error
    finally:
        if part is not None:
            shutil.rmtree(part, ignore_errors=True)
