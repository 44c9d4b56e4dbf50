"""What the window remembers between two starts: theme, zoom, fonts, geometry, recent files, review queue.

Owns one JSON file in the user's folder, written whole or not at all. Own JSON and not QSettings, which
gives False back as `'false'` in the next process. Not owned: credentials, which are never kept.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from gacc_gui.app.locations import data_folder

RECENT: Final = 10


@dataclass(slots=True)
class Settings:
    """The remembered values; geometry is Qt's own bytes in base64, by the name of the widget."""

    theme: str = "light"
    zoom: int = 0
    mono: bool = False
    linked: bool = True
    grouped: bool = False
    as_reviewed: bool = False
    """Whether the lists count by reviewers' decisions."""
    reviewer: str = ""
    """Whose decisions the reviews of this window are."""
    queue_kind: str = ""
    queue_size: int = 100
    queue_seed: int = 1
    """Which rows were asked for last: the same ones are drawn again."""
    geometry: dict[str, str] = field(default_factory=dict)
    recent: list[str] = field(default_factory=list)

    def remember_file(self, path: Path | str) -> None:
        """Put a file first among the recent ones."""
        text = str(Path(path).absolute())
        self.recent = [text, *(one for one in self.recent if one != text)][:RECENT]

    def keep_geometry(self, name: str, state: bytes) -> None:
        """Remember a widget's saved state."""
        self.geometry[name] = base64.b64encode(state).decode("ascii")

    def geometry_of(self, name: str) -> bytes | None:
        """A widget's saved state, or None where none is remembered or it is damaged."""
        try:
            return base64.b64decode(self.geometry[name], validate=True)
        except (KeyError, binascii.Error, ValueError):
            return None


def settings_file() -> Path:
    """Where the settings are kept."""
    return data_folder() / "settings.json"


def load_settings() -> tuple[Settings, str | None]:
    """Read the settings; a damaged or unreadable file gives the defaults and a sentence about it."""
    path = settings_file()
    try:
        values = json.loads(path.read_bytes())
    except FileNotFoundError:
        return Settings(), None
    except (OSError, ValueError, RecursionError) as error:
        return Settings(), f"The settings in {path} could not be read and are ignored ({error})."
    settings = Settings()
    if not isinstance(values, dict):
        return settings, f"The settings in {path} are damaged and are ignored."
    for name in (item.name for item in fields(Settings)):
        value = _usable(values.get(name), getattr(settings, name))
        setattr(settings, name, value)
    return settings, None


def _usable(value: Any, ordinary: Any) -> Any:
    """The value where it has the ordinary one's type, else the ordinary one."""
    if type(value) is not type(ordinary):
        return ordinary
    if isinstance(value, dict):
        return {key: one for key, one in value.items() if isinstance(one, str)}
    if isinstance(value, list):
        return [one for one in value if isinstance(one, str)][:RECENT]
    return value


def save_settings(settings: Settings) -> str | None:
    """Write the settings atomically; a sentence when that failed, which costs nothing but memory."""
    path = settings_file()
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(json.dumps(asdict(settings), indent=1), encoding="utf-8")
        partial.replace(path)
    except (OSError, ValueError) as error:
        return f"The settings could not be written to {path} ({error})."
    return None
