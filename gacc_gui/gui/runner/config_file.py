"""Where configurations come from and go: shipped examples, paths that mean the same in another folder."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gacc_gui.core.errors import GaccError
from gacc_gui.gui.runner.document import Document, Key

if TYPE_CHECKING:
    from gacc_gui.runner.config import Problem

_END: Final = re.compile(r"[.:;](?:\s|$)")


@dataclass(frozen=True, slots=True)
class Example:
    """A shipped configuration; `title` is what its first comment begins with."""

    title: str
    path: Path


def examples() -> list[Example]:
    """Return the shipped examples, what runs offline first."""
    from gacc_gui.resources import resource

    try:
        paths = sorted(resource("examples").glob("*.toml"))
    except GaccError:
        return []
    found = [Example(_title(path), path) for path in paths]
    return sorted(found, key=lambda one: "[endpoints" in one.path.read_text(encoding="utf-8"))


def _title(path: Path) -> str:
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    words = _END.split(first.lstrip("# "), maxsplit=1)[0].strip()
    return words if first.startswith("#") and words else path.stem


def path_keys(document: Document) -> list[Key]:
    """Return the keys that hold paths of files."""
    keys: list[Key] = [("dataset", "path"), ("reader", "prompt"), ("judge", "prompt")]
    keys += [("compressors", number, "prompt") for number in range(document.count(("compressors",)))]
    return keys


def absolute(document: Document, folder: Path) -> Document:
    """Return the document with its paths, which are relative to `folder`, made absolute."""
    for key in path_keys(document):
        value = document.value(key)
        if isinstance(value, str) and value and not Path(value).is_absolute():
            document = document.with_value(key, os.path.normpath((folder / value).absolute()))
    return document


def rebased(document: Document, folder: Path, target: Path) -> Document:
    """Return the document as it must stand in the folder `target` to name the same files as in `folder`."""
    if folder.absolute() == target.absolute():
        return document
    for key in path_keys(document):
        value = document.value(key)
        if not isinstance(value, str) or not value or Path(value).is_absolute():
            continue
        there = Path(os.path.normpath((folder / value).absolute()))
        inside = there.is_relative_to(target.absolute())
        written = there.relative_to(target.absolute()) if inside else there
        document = document.with_value(key, written.as_posix() if inside else str(written))
    return document


def safe_to_keep(text: str, problems: Sequence[Problem]) -> bool:
    """Whether a text may be kept unasked: nothing in it looks like a credential.

    A key that was pasted where the name of its variable belongs is such a problem.
    """
    from gacc_gui.formats.redaction import redacted

    suspect = any(one.key.endswith("api_key_env") for one in problems)
    return not suspect and redacted(text) == text
