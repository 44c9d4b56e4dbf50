"""Where credentials and addresses of live work come from: the environment, or a file `.env`.

Owns how such a file is read: a line each, `NAME=value`, also after `export`; quoted values as a shell takes
them, without any expansion; comments. What the environment sets wins. Not here: what is done with a key, and
that it is never stored or shown (`credentials`). No error says anything of a value.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from gacc_gui.core.errors import BadInput, BadUsage

FILE: Final = ".env"
_LINE: Final = re.compile(
    r"""\s*(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*=[ \t]*
    (?:"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>[^']*)'|(?P<plain>[^"'\s#][^\s]*(?:[ \t]+[^\s#][^\s]*)*)?)
    \s*(?:(?<=\s)\#.*|(?<==)\#.*)?""",
    re.VERBOSE,
)
_ESCAPED: Final = re.compile(r"\\(.)")
_MEANT: Final = {"n": "\n", "t": "\t", "r": "\r"}


def read_environment(folder: Path, environment: Mapping[str, str] | None = None) -> Mapping[str, str]:
    """Return the environment (the process's own by default), completed from `folder/.env` where there is one.

    A variable that is set and empty counts as not set. Raises BadInput, naming file and line, where the file
    cannot be read.
    """
    environment = os.environ if environment is None else environment
    path = folder / FILE
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        text = ""
    except OSError as error:
        raise BadInput((error.strerror or str(error)).lower(), path=str(path)) from error
    except UnicodeDecodeError as error:
        raise BadInput("it is not UTF-8", path=str(path)) from error
    found: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise BadInput("it is no NAME=value on one line", path=str(path), record=f"line {number}")
        found[match["name"]] = _value(match)
    return {**found, **{name: value for name, value in environment.items() if value or name not in found}}


def needed(environment: Mapping[str, str], name: str, purpose: str) -> str:
    """Return a variable's value. Raises BadUsage, saying what it is for, where it is not set."""
    value = environment.get(name, "").strip()
    if not value:
        raise BadUsage(f"{name} is not set, in the environment or in {FILE}: {purpose}")
    return value


def _value(match: re.Match[str]) -> str:
    if match["double"] is not None:
        return _ESCAPED.sub(lambda escape: _MEANT.get(escape[1], escape[1]), match["double"])
    return match["single"] or match["plain"] or ""
