from __future__ import annotations

import subprocess
import sys

import pytest

from gacc_gui.core.records import Question
from gacc_gui.store import analysts
from gacc_gui.store.analysing import Analyst, GoalTask, MemoryTask, Task

SOURCE = "The pump stopped at noon. Ada closed valve K-7."
QUESTION = Question("q", "g", "When?", ("noon",))


def task(key: int) -> Task:
    """A memory that keeps `key` code points."""
    return Task(SOURCE, [GoalTask([QUESTION], [MemoryTask(key, SOURCE, key, 0, None)])])


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The processes that were started."""
    started: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def start(*arguments: object, **options: object) -> subprocess.Popen[bytes]:
        started.append(popen(*arguments, **options))  # type: ignore[call-overload]
        return started[-1]

    monkeypatch.setattr(analysts.subprocess, "Popen", start)
    return started


def test_processes_find_what_is_found_here(started: list[subprocess.Popen[bytes]]) -> None:
    analysts_ = analysts.Analysts(2)
    try:
        found = [analysts_.submit(task(key)) for key in range(40)]
        assert [future.result() for future in found] == [Analyst().analyse(task(key)) for key in range(40)]
    finally:
        analysts_.close()
    assert [child.poll() for child in started] == [0, 0]


def test_no_process_is_left_when_the_work_is_given_up(started: list[subprocess.Popen[bytes]]) -> None:
    analysts_ = analysts.Analysts(2)
    found = [analysts_.submit(task(key)) for key in range(40)]
    analysts_.close()
    assert [child.poll() for child in started] == [0, 0]
    assert all(future.done() for future in found)


def test_a_task_is_done_here_where_its_process_was_killed(started: list[subprocess.Popen[bytes]]) -> None:
    analysts_ = analysts.Analysts(1)
    try:
        assert analysts_.submit(task(1)).result()
        started[0].kill()
        started[0].wait()
        assert analysts_.submit(task(24)).result() == Analyst().analyse(task(24))
    finally:
        analysts_.close()


def test_one_processor_is_left_to_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    for processors, spare in ((None, 0), (1, 0), (2, 1), (4, 3), (64, 3)):
        monkeypatch.setattr(analysts.os, "cpu_count", lambda count=processors: count)
        assert analysts.spare_processors() == spare


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
    first = task(9)
    other = first._replace(source="Nothing of that.")
    fates = [analyst.analyse(each)[0][1].fates for each in (first, other, first)]
    assert fates == [("tail",), ("unlocated",), ("tail",)]
