"""What every test may use: a screenless Qt, shared data, the command line as a child, a demo, small runs."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

# Before anything imports Qt: no test may open a window on somebody's screen.
os.environ["QT_QPA_PLATFORM"] = "offscreen"

ROOT = Path(__file__).resolve().parent.parent
_SHARED = ROOT.parent / "shared" / "data"


needs_full_device = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="only Linux has a device that takes nothing (/dev/full)"
)


@pytest.fixture
def shared_data() -> Path:
    """The folder with the HotpotQA runs, which is not part of this project."""
    if not _SHARED.is_dir():
        pytest.skip("the shared data (../shared/data) is not beside this checkout")
    return _SHARED


@dataclass(frozen=True)
class Finished:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one strict JSON document on stdout."""
        return json.loads(self.out, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> None:
    raise AssertionError(f"{name} is not strict JSON")


class CommandLine:
    """Runs `python -m gacc_gui` as a child process with a data folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("LC_", "PYTHON"))},
            "GACC_GUI_DATA": str(folder / "data"),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "PYTHONPATH": str(ROOT),
            "PYTHONWARNINGS": "error::ResourceWarning",
            "QT_QPA_PLATFORM": "offscreen",
            "LANG": "C",
        }

    def command(self, *arguments: object) -> list[str]:
        """The whole command, for tests that start it themselves."""
        return [sys.executable, "-m", "gacc_gui", *map(str, arguments)]

    def start(
        self, *arguments: object, stdout: int = subprocess.PIPE, stderr: int = subprocess.PIPE
    ) -> subprocess.Popen[str]:
        """Begin a command; whoever asked for it sees to its end."""
        return subprocess.Popen(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            encoding="utf-8",
        )

    def __call__(self, *arguments: object, expect: int | None = 0, timeout: float = 100) -> Finished:
        """Run a command to its end; its exit code must be `expect` (None: any)."""
        child = subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
        finished = Finished(child.returncode, child.stdout.decode("utf-8"), child.stderr.decode("utf-8"))
        if expect is not None:
            assert finished.code == expect, (
                f"exit {finished.code}\n{finished.out[-2000:]}\n{finished.err[-4000:]}"
            )
        assert "Traceback" not in finished.err, finished.err
        return finished

    def holds(self, path: Path | str, database: str) -> None:
        """Have a database hold a run file: imported in this process, where no test is about the importing."""
        from gacc_gui.app.importing import import_paths

        report = import_paths(self.folder / database, [self.folder / path])
        assert all(file.error is None for file in report.files), report


@pytest.fixture
def cli(tmp_path: Path) -> CommandLine:
    """The command line in an empty folder."""
    return CommandLine(tmp_path)


SOURCE = (
    "The night shift found the pump off. Valve K-7 was closed at 02:14 by Ines Okafor. "
    "The tank held 812 litres. Nobody told the day shift. The repair cost 4,150 euros."
)

_QUESTIONS = (
    ("q1", "Who closed the valve?", "Ines Okafor"),
    ("q2", "How much did the tank hold?", "812 litres"),
    ("q3", "What did the repair cost?", "4,150 euros"),
)

_DOCUMENT: dict[str, Any] = {
    "format": "gacc-run",
    "format_version": 1,
    "run": {
        "id": "small",
        "name": "a small run",
        "protocol": "gacc-bench",
        "created_at": "2026-11-20T10:00:00Z",
        "diagnostic_only": True,
        "tokenizer": {"name": "codepoint", "revision": "1", "identity_verified": False},
        "reader": {"name": "rule", "revision": "1"},
        "judge": {"name": "exact", "revision": "1"},
    },
    "contexts": [{"id": "c1", "text": SOURCE, "title": "Pump", "origin": "ours", "license": "CC0-1.0"}],
    "goals": [{"id": "g1", "context_id": "c1", "text": "Keep what happened in the night."}],
    "questions": [
        {"id": name, "goal_id": "g1", "text": text, "references": [reference]}
        for name, text, reference in _QUESTIONS
    ],
    "memories": [
        {
            "id": "m1",
            "goal_id": "g1",
            "condition": "own-goal",
            "shown_goal_id": "g1",
            "compressor": {"name": "lead", "revision": "1"},
            "ratio": "0.5",
            "budget": 81,
            "generation": 0,
            "proposed_text": SOURCE,
            "retained_text": SOURCE[:81],
            "ledger": {
                "source_tokens": 163,
                "proposed_tokens": 163,
                "retained_tokens": 81,
                "unused_budget": 0,
                "reencoded_tokens": 81,
                "padding_tokens": 0,
            },
            "status": "ok",
            "error": None,
        }
    ],
    "answers": [
        {"memory_id": "m1", "question_id": name, "repeat": 0, "text": answer, "status": "ok", "error": None}
        for name, answer in (("q1", "Ines Okafor"), ("q2", "unknown"), ("q3", "unknown"))
    ],
    "verdicts": [
        {"memory_id": "m1", "question_id": name, "repeat": 0, "label": label, "status": "judged"}
        for name, label in (("q1", "correct"), ("q2", "incorrect"), ("q3", "incorrect"))
    ],
    "requests": [
        {"id": "x1", "role": "compressor", "memory_id": "m1", "content": f"Keep what matters.\n\n{SOURCE}"}
    ],
}


@pytest.fixture(scope="session")
def demo_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demonstration, evaluated once; for reading. Tests that write copy it."""
    from gacc_gui.app.demo import make_demo

    path = tmp_path_factory.mktemp("demo") / "demo.db"
    make_demo(path)
    return path


@pytest.fixture(scope="session")
def small_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small run, imported once; for reading. Tests that write copy it."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "run.json").write_text(json.dumps(_DOCUMENT), encoding="utf-8")
    CommandLine(folder).holds("run.json", "small.db")
    return folder / "small.db"


@pytest.fixture
def run_document() -> dict[str, Any]:
    """A small, faultless run of one goal with three questions; the test that asked may change it."""
    return copy.deepcopy(_DOCUMENT)


@pytest.fixture
def run_file(tmp_path: Path) -> Callable[..., Path]:
    """Write a run document to a file; returns its path."""

    def write(document: dict[str, Any], name: str = "run.json") -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
        return path

    return write
