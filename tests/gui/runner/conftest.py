"""A stage for the runner: a command that is acted, and a dataset for the real one."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from gacc_gui.gui.asking import Asker
from gacc_gui.gui.runner.jobs import Job, new_job
from gacc_gui.gui.runner.runner_panel import RunnerPanel

ACTOR = (sys.executable, str(Path(__file__).resolve().parent.parent / "acting_run.py"))
PLANNED = {
    "event": "planned",
    "run": "acted",
    "stages": {"memories": 2, "answers": 6, "verdicts": 6},
    "already": {"memories": 0, "answers": 0, "verdicts": 0},
}


def progress(stage: str, done: int, planned: int, failed: int = 0) -> dict[str, Any]:
    return {"event": "progress", "stage": stage, "done": done, "planned": planned, "failed": failed}


ALL_DONE = [
    progress("memories", 2, 2),
    progress("answers", 6, 6),
    progress("verdicts", 6, 6),
    {"event": "done", "run": "acted", "failed": 0},
]
HELD = {"steps": [PLANNED, progress("memories", 1, 2), "hold"]}
FINISHING = {"steps": [PLANNED, *ALL_DONE], "document": {"run": "acted", "state": "finished"}}


@pytest.fixture
def act(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Say what the acted command does, by kind: `run`, `resume`, `dry_run`, `endpoint`."""
    path = tmp_path / "acting.json"
    monkeypatch.setenv("ACTING", str(path))
    scenes: dict[str, Any] = {}

    def say(**changed: Any) -> None:
        scenes.update({name.replace("_", "-"): scene for name, scene in changed.items()})
        path.write_text(json.dumps(scenes), encoding="utf-8")

    say(run=FINISHING, resume=FINISHING, dry_run={"document": plan_document()})
    return say


def plan_document(calls: int = 0, cost: float | None = 0.0) -> dict[str, Any]:
    part = {"role": "compressor", "part": "lead", "calls": 2, "endpoint": None}
    return {
        "run": "acted",
        "name": "acted",
        "live": calls > 0,
        "shard": None,
        "planned": {"memories": 2, "answers": 6, "verdicts": 6},
        "estimate": {"parts": [part], "calls": calls, "input_tokens": 10, "output_tokens": 5, "cost": cost},
    }


@pytest.fixture
def make_job(tmp_path: Path) -> Callable[..., Job]:
    def make(name: str = "a run", **options: Any) -> Job:
        job = new_job(name, tmp_path / "runs.db", options.pop("live", False), **options)
        Path(job.config).write_text("[run]\n", encoding="utf-8")
        return job

    return make


class Answers(Asker):
    """Answers in place of a person."""

    def __init__(self) -> None:
        self.yes = True
        self.goes_on: bool | None = False
        self.file: Path | None = None
        self.asked: list[str] = []

    def confirm(self, parent: object, title: str, text: str, action: str) -> bool:
        self.asked.append(text)
        return self.yes

    def run_goes_on(self, parent: object, name: str) -> bool | None:
        self.asked.append(name)
        return self.goes_on

    def configuration(self, parent: object) -> Path | None:
        return self.file

    def configuration_target(self, parent: object, suggestion: str) -> Path | None:
        return self.file

    def any_file(self, parent: object, title: str) -> Path | None:
        return self.file


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def open_panel(qtbot: QtBot, answers: Answers) -> Iterator[Callable[..., RunnerPanel]]:
    """Make a panel as a window has it, shown; what it started is ended with the test."""
    panels: list[RunnerPanel] = []

    def make(program: tuple[str, ...] = ACTOR) -> RunnerPanel:
        panel = RunnerPanel(answers, program=program)
        panels.append(panel)
        panel.resize(1280, 760)
        qtbot.addWidget(panel)
        with qtbot.waitExposed(panel):
            panel.show()
        return panel

    yield make
    for panel in panels:
        panel.shutdown(keeps=False)


@pytest.fixture
def dataset(tmp_path: Path, run_document: dict[str, Any]) -> Path:
    """The small run's items as a dataset."""
    document = {
        "format": "gacc-dataset",
        "format_version": 1,
        **{kind: run_document[kind] for kind in ("contexts", "goals", "questions")},
    }
    path = tmp_path / "small.gacc-dataset.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path
