"""Which agent reads the files, and the two documents that it and we exchange.

Owns finding an interpreter that has Hermes, the job that a driver script is given on stdin, and the careful
reading of the report it leaves. The scripts are `hermes_driver` and `own_driver`. Not here: processes
(`child`), what a report is worth (`checks`).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from gacc_gui.core.errors import BadUsage
from gacc_gui.core.records import Json
from gacc_gui.formats.json_values import BadJson, careful

HERMES: Final = "hermes-agent"
OWN: Final = "own read_file loop"
VARIABLE: Final = "GACC_HERMES_PYTHON"
KEY_VARIABLE: Final = "GACC_COLLECTION_KEY"

_DRIVERS: Final = Path(__file__).resolve().parent
_VERSION_CODE: Final = "import importlib.metadata as m; print(m.version('hermes-agent'))"
_PROBE_SECONDS: Final = 60
_LONGEST_REPORT: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent: the interpreter that runs it, and the script that drives it."""

    name: str
    version: str
    python: Path
    driver: Path


@dataclass(frozen=True, slots=True)
class Job:
    """What a driver is told, as JSON on the first line of its stdin. Paths are absolute."""

    task: str
    workspace: str
    report: str
    """Where it writes its report, as JSON, when all is done."""
    base_url: str
    model: str
    request_overrides: Mapping[str, Json]
    seconds: float
    """The time it has."""
    most_requests: int = 40
    most_tokens: int = 8192
    context_length: int = 131_072
    key_variable: str = KEY_VARIABLE


@dataclass(frozen=True, slots=True)
class Report:
    """What a driver reported. `messages` is the agent's own history, as it was."""

    messages: tuple[Mapping[str, Json], ...]
    completed: bool
    session: str | None = None
    error: str | None = None
    compaction: Mapping[str, Json] = field(default_factory=dict)
    reasoning_config: Json = None
    usage: Mapping[str, Json] = field(default_factory=dict)


class BadReport(Exception):
    """Why a report cannot be used, in words."""


def own_agent() -> Agent:
    """Return our own loop, run by our own interpreter."""
    return Agent(OWN, "1", Path(sys.executable), _DRIVERS / "own_driver.py")


def find_hermes(given: Path | None, environment: Mapping[str, str]) -> Agent | None:
    """Return Hermes where it is: in the given interpreter, the one of GACC_HERMES_PYTHON, or behind `hermes`.

    None where nobody says where it is. Raises BadUsage where somebody does, and it is not there.
    """
    named = environment.get(VARIABLE, "").strip()
    if given is None and named:
        given = Path(named)
    if given is None:
        return _behind_command(environment)
    # Not resolved: an interpreter of a virtual environment is a link, and knows itself by its name.
    python = given.absolute()
    version = _hermes_version(python, environment)
    if version is None:
        raise BadUsage(f"{given} is no Python interpreter that has {HERMES}")
    return _hermes(python, version)


def read_report(path: Path) -> Report:
    """Read what a driver left. Raises BadReport."""
    try:
        with path.open("rb") as file:
            data = file.read(_LONGEST_REPORT + 1)
    except FileNotFoundError:
        raise BadReport("the agent left no report") from None
    except OSError as error:
        raise BadReport(f"the agent's report cannot be read: {error.strerror}") from error
    if len(data) > _LONGEST_REPORT:
        raise BadReport(f"the agent's report has more than {_LONGEST_REPORT:,} bytes")
    try:
        value, _ = careful(data)
    except BadJson as error:
        raise BadReport(f"the agent's report is no JSON: {error.reason}") from error
    return _report(value)


def _report(value: Json) -> Report:
    messages = value.get("messages") if isinstance(value, dict) else None
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise BadReport("the agent's report holds no messages")
    error, session = value.get("error"), value.get("session")
    return Report(
        messages=tuple(messages),
        completed=value.get("completed") is True,
        session=session if isinstance(session, str) else None,
        error=str(error) if error else None,
        compaction=_object(value.get("compaction")),
        reasoning_config=value.get("reasoning_config"),
        usage=_object(value.get("usage")),
    )


def _object(value: Any) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}


def _hermes(python: Path, version: str) -> Agent:
    return Agent(HERMES, version, python, _DRIVERS / "hermes_driver.py")


def _behind_command(environment: Mapping[str, str]) -> Agent | None:
    """Look at the interpreter that the script `hermes` on the path names in its first line."""
    command = shutil.which("hermes", path=environment.get("PATH"))
    if command is None:
        return None
    try:
        with Path(command).open("rb") as file:
            first = file.readline(1000)
    except OSError:
        return None
    if not first.startswith(b"#!"):
        return None  # other programs have that name
    python = Path(os.fsdecode(first[2:].strip()))
    version = _hermes_version(python, environment) if python.is_absolute() else None
    return None if version is None else _hermes(python, version)


def _hermes_version(python: Path, environment: Mapping[str, str]) -> str | None:
    kept = {name: value for name, value in environment.items() if not name.startswith("PYTHON")}
    try:
        done = subprocess.run(
            [python, "-c", _VERSION_CODE],
            env=kept,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    version = done.stdout.decode("utf-8", "replace").strip()
    return version if done.returncode == 0 and version and len(version) < 80 else None
