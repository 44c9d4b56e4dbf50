"""Where the files of `resources/` are: inside an installed wheel, or beside the package in a checkout."""

from __future__ import annotations

from pathlib import Path

from gacc_gui.core.errors import GaccError

_PACKAGE = Path(__file__).resolve().parent


def resource(name: str) -> Path:
    """Return the path of a shipped file or folder, `name` relative to `resources/`.

    Raises GaccError if it is missing: the installation is damaged.
    """
    for root in (_PACKAGE / "resources", _PACKAGE.parent / "resources"):
        path = root / name
        if path.exists():
            return path
    raise GaccError(f"the installation is incomplete: resources/{name} is missing")
