"""An agent as a child process: given a job, its time, and an environment that holds nothing of ours.

Owns starting it, waiting, and that it and whatever it started are gone afterwards, however it went. Not here:
what it reported (`agents`), what that is worth (`checks`).
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO, Final

from gacc_gui.runner.collection.agents import KEY_VARIABLE, Agent, BadReport, Job, Report, read_report

_INHERITED: Final = ("PATH", "SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "WINDIR", "LD_LIBRARY_PATH")
_NOWHERE: Final = "http://127.0.0.1:9"
_TAIL: Final = 4000
"""Bytes at the end of what a child said, where its last words are looked for."""


class ChildFailed(Exception):
    """Why a child brought no report, in words."""


def run_agent(agent: Agent, job: Job, folder: Path, key: str) -> Report:
    """Run an agent on a job and return its report; `folder` holds `home` and `tmp` for it.

    Raises ChildFailed, and OSError where nothing can be written. Whatever is raised, no process is left.
    """
    environment = child_environment(folder, Path(job.workspace), key, os.environ)
    log = folder / "child.log"
    with log.open("wb") as output, _started(agent, environment, Path(job.workspace), output) as process:
        assert process.stdin is not None
        with contextlib.suppress(OSError):  # it ended at once; its exit code says more
            process.stdin.write(json.dumps(asdict(job)).encode() + b"\n")
            process.stdin.flush()
        try:
            code = process.wait(job.seconds)
        except subprocess.TimeoutExpired:
            raise ChildFailed(f"the agent did not end within {job.seconds:g} seconds") from None
    if code != 0:
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        words = _last_words(log)
        raise ChildFailed(f"the agent's process {how}" + (f": {words}" if words else ""))
    try:
        return read_report(Path(job.report))
    except BadReport as error:
        raise ChildFailed(str(error)) from error


def child_environment(folder: Path, workspace: Path, key: str, ours: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of an agent: homes of its own, no credential but `key`, no way to the network.

    It is told of a proxy that is not there, and that loopback needs none.
    """
    home = folder / "home"
    return {
        **{name: ours[name] for name in _INHERITED if name in ours},
        "HOME": str(home),
        "USERPROFILE": str(home),
        "HERMES_HOME": str(home / ".hermes"),
        "TMPDIR": str(folder / "tmp"),
        "TEMP": str(folder / "tmp"),
        "TMP": str(folder / "tmp"),
        "TERMINAL_CWD": str(workspace),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONUTF8": "1",
        "PYTHONNOUSERSITE": "1",
        "HTTP_PROXY": _NOWHERE,
        "HTTPS_PROXY": _NOWHERE,
        "ALL_PROXY": _NOWHERE,
        "NO_PROXY": "127.0.0.1",
        KEY_VARIABLE: key,
    }


@contextmanager
def _started(
    agent: Agent, environment: Mapping[str, str], workspace: Path, output: IO[bytes]
) -> Iterator[subprocess.Popen[bytes]]:
    try:
        process = subprocess.Popen(
            [agent.python, agent.driver],
            env=environment,
            cwd=workspace,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise ChildFailed(f"the agent cannot be started: {(error.strerror or str(error)).lower()}") from error
    try:
        yield process
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and its group: agents start shells, which outlive them."""
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()


def _last_words(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - _TAIL))
        lines = file.read().decode("utf-8", "replace").split("\n")
    words = next((line for line in reversed(lines) if line.strip()), "")
    return " ".join(words.split())[:300]
