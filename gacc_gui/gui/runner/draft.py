"""The configuration that is worked on, kept from one window to the next."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from gacc_gui.gui.runner.jobs import jobs_folder


@dataclass(frozen=True, slots=True)
class Draft:
    """A configuration's text, the folder its paths are relative to, and the file that held just this text."""

    text: str
    folder: Path
    path: Path | None


def kept_draft() -> Draft | None:
    """Return what was kept, or None where nothing was or it is damaged.

    A configuration whose file has another text by now is one that is saved nowhere.
    """
    try:
        values = json.loads((jobs_folder() / "draft.json").read_bytes())
        text, folder, path = values["text"], Path(values["folder"]), values["path"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(text, str) or not text.strip():
        return None
    same = isinstance(path, str) and _text_of(Path(path)) == text
    return Draft(text, folder, Path(path) if same else None)


def keep_draft(text: str, folder: Path, path: Path | None) -> None:
    """Keep a configuration; nothing is said where it cannot be kept."""
    target = jobs_folder() / "draft.json"
    partial = target.with_name(f"draft.json.{os.getpid()}.partial")
    values = {"text": text, "folder": str(folder.absolute()), "path": str(path) if path is not None else None}
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(json.dumps(values), encoding="utf-8")
        partial.replace(target)
    except (OSError, ValueError):
        pass


def _text_of(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError):
        return None
