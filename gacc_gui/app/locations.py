"""Where the program keeps its files when nobody says otherwise, by each platform's convention.

Owns the data folder and the default database's name; needs no Qt. The window's settings have their own place.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

DATA_VARIABLE = "GACC_GUI_DATA"
"""Environment variable that names another data folder (tests, portable installations)."""


def data_folder() -> Path:
    """Return the folder for databases. It is not created here."""
    override = os.environ.get(DATA_VARIABLE)
    if override:
        return Path(override).expanduser()
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "gacc-gui"
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "gacc-gui"
    # The XDG specification says that a relative path is to be ignored.
    given = os.environ.get("XDG_DATA_HOME", "")
    base = Path(given) if given.startswith("/") else home / ".local" / "share"
    return base / "gacc-gui"


def default_database() -> Path:
    """Return the database used when no `--db` is given."""
    return data_folder() / "runs.db"


def fresh_database(stem: str) -> Path:
    """Return the first path `stem.db`, `stem-2.db`, … of the data folder that is not taken."""
    folder = data_folder()
    path = folder / f"{stem}.db"
    number = 2
    while path.exists():
        path = folder / f"{stem}-{number}.db"
        number += 1
    return path


def is_there(path: Path | str) -> bool:
    """Whether something is at the path; False too where a folder on the way cannot be entered."""
    try:
        return Path(path).exists()
    except OSError:
        return False
