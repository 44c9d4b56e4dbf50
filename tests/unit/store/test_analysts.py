from __future__ import annotations

import subprocess
import sys

import pytest

from gacc_gui.core.records import Question
from gacc_gui.store import analysts
from gacc_gui.store.analysing import Analyst, GoalTask, MemoryTask, Task

SOURCE = "The pump stopped at noon. Ada closed valve K-7."
QUESTION = (7, Question("q", "g", "When?", ("noon",)))


def tasks(count: int) -> list[Task]:
    """Tasks whose memories keep one code point more each."""
    return [
        Task(
            SOURCE,
            [
                GoalTask(
                    [QUESTION],
                    [
                        MemoryTask(
                            key,
                            key,
                            SOURCE,
                            key,
                            0,
                            None,
                            "ok",
                            {(7, 0): ("ok", "unknown")},
                            {(7, 0): ("judged", "incorrect")},
                        )
                    ],
                )
            ],
        )
        for key in range(count)
    ]


def test_results_come_in_the_order_of_the_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysts.os, "cpu_count", lambda: 3)
    here = list(analysts.analyse_all(tasks(40), large=False))
    there = list(analysts.analyse_all(tasks(40), large=True))
    assert here == there
    assert [rows[0][0] for rows in there] == list(range(40))
    assert [rows[0][1][0][1][0][0] for rows in there[::10]] == ["tail", "tail", "tail", "retained"]


def test_no_process_is_left_when_the_work_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def start(*arguments: object, **options: object) -> subprocess.Popen[bytes]:
        started.append(popen(*arguments, **options))  # type: ignore[call-overload]
        return started[-1]

    monkeypatch.setattr(analysts.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(analysts.subprocess, "Popen", start)
    results = analysts.analyse_all(tasks(40), large=True)
    next(results)
    results.close()
    assert [child.poll() for child in started] == [0, 0]


def test_a_child_goes_when_its_parent_does() -> None:
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", analysts._PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PYTHONPATH": str(analysts._ROOT)},
    )
    out, _ = child.communicate(timeout=30)  # closes its input, as the death of a parent does
    assert (child.returncode, out) == (0, b"")


def test_another_source_is_another_matter() -> None:
    analyst = Analyst()
    (first,) = tasks(10)[-1:]
    other = first._replace(source="Nothing of that.")
    outcomes = [analyst.analyse(task)[0][1][0][1][0][0] for task in (first, other, first)]
    assert outcomes == ["tail", "unlocated", "tail"]
