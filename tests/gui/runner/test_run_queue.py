"""Evaluations as processes: started, followed, paused, stopped, resumed, queued, and found again."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gacc_gui.gui.runner.jobs import Job, events_file, folder_of, jobs_folder, keep, kept_jobs
from gacc_gui.gui.runner.run_process import EventFile, RunProcess, is_running
from gacc_gui.gui.runner.run_queue import RunQueue
from tests.gui.runner.conftest import ACTOR, ALL_DONE, FINISHING, HELD, PLANNED

LONG = 20_000
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="asks processes by signals")
Act = Callable[..., None]
MakeJob = Callable[..., Job]


@pytest.fixture
def queue(qtbot: QtBot) -> Iterator[RunQueue]:
    made = RunQueue(ACTOR)
    yield made
    made.shutdown(goes_on=False)


def _state(queue: RunQueue, job: Job) -> str:
    found = queue.job(job.id)
    assert found is not None
    return found.state


def _held(queue: RunQueue, job: Job) -> Callable[[], bool]:
    """Whether the job's command has come to where it waits."""
    return lambda: queue.running is not None and queue.progress_of(job.id).done == 1


def test_a_job_runs_to_its_end(queue: RunQueue, act: Act, make_job: MakeJob, qtbot: QtBot) -> None:
    job = make_job()
    with qtbot.waitSignal(queue.job_ended, timeout=LONG):
        queue.add(job)
        assert queue.running is not None and queue.running.pid is not None
    ended = queue.job(job.id)
    assert (ended.state, ended.run, ended.pid) == ("finished", "acted", None)
    assert (ended.done, ended.planned, ended.failed) == (14, 14, 0)
    assert kept_jobs() == [ended]


def test_the_command_is_what_a_person_would_type(make_job: MakeJob, tmp_path: Path) -> None:
    job = make_job(live=True, shard="1/3")
    assert job.command_line == f"gacc-gui --db {tmp_path}/runs.db run gacc {job.config} --live --shard 1/3"
    again = replace(job, run="a run", resume=True)
    assert again.command_line.endswith("--resume 'a run'")


def test_stop_and_resume(queue: RunQueue, act: Act, make_job: MakeJob, qtbot: QtBot) -> None:
    act(run=HELD)
    job = make_job()
    queue.add(job)
    qtbot.waitUntil(_held(queue, job), timeout=LONG)
    with qtbot.waitSignal(queue.job_ended, timeout=LONG):
        queue.stop()
    assert _state(queue, job) == "stopped"
    assert queue.job(job.id).can_resume
    act(run=FINISHING)
    with qtbot.waitSignal(queue.job_ended, timeout=LONG):
        queue.start(job.id)
        # The acted command has written no run, so there is none to resume.
        assert "--resume" not in queue.running.command_line
    assert _state(queue, job) == "finished"
    # What the first command said is kept beside what the second one does.
    assert (folder_of(job) / "events-1.jsonl").exists()


def test_a_run_that_the_database_has_is_resumed(
    queue: RunQueue,
    act: Act,
    make_job: MakeJob,
    run_document: dict,
    run_file: Callable[..., Path],
    qtbot: QtBot,
) -> None:
    from gacc_gui.app.importing import import_paths

    job = make_job(run="small")
    import_paths(Path(job.database), [run_file(run_document)])
    with qtbot.waitSignal(queue.job_ended, timeout=LONG):
        queue.add(job)
        assert queue.running.command_line.endswith("--resume small")


def test_asked_twice_a_job_ends_at_once(queue: RunQueue, act: Act, make_job: MakeJob, qtbot: QtBot) -> None:
    act(run={**HELD, "stubborn": True})
    job = make_job()
    queue.add(job)
    qtbot.waitUntil(_held(queue, job), timeout=LONG)
    queue.stop()
    qtbot.waitUntil(lambda: queue.progress_of(job.id).stopping is not None, timeout=LONG)
    assert queue.running is not None
    with qtbot.waitSignal(queue.job_ended, timeout=LONG):
        queue.stop()
    assert _state(queue, job) == "stopped"


def test_pause_and_go_on(queue: RunQueue, act: Act, make_job: MakeJob, qtbot: QtBot) -> None:
    act(run=HELD)
    job = make_job()
    queue.add(job)
    qtbot.waitUntil(_held(queue, job), timeout=LONG)
    queue.pause()
    qtbot.waitUntil(lambda: queue.progress_of(job.id).is_paused, timeout=LONG)
    queue.go_on()
    qtbot.waitUntil(lambda: not queue.progress_of(job.id).is_paused, timeout=LONG)


def test_jobs_run_one_after_the_other(queue: RunQueue, act: Act, make_job: MakeJob, qtbot: QtBot) -> None:
    jobs = [make_job(name) for name in ("first", "second", "third")]
    order: list[str] = []
    queue.job_ended.connect(lambda job: order.append(job.name))
    for job in jobs:
        queue.add(job)
    assert [_state(queue, job) for job in jobs] == ["running", "waiting", "waiting"]
    queue.remove(jobs[1].id)
    qtbot.waitUntil(lambda: len(order) == 2, timeout=LONG)
    assert order == ["first", "third"]
    assert not folder_of(jobs[1]).exists()


def test_a_command_that_refuses_says_why(queue: RunQueue, act: Act, make_job: MakeJob, qtbot: QtBot) -> None:
    act(run={"steps": ["gacc-gui: DEEPSEEK_API_KEY is not set"], "code": 2})
    job = make_job()
    with qtbot.waitSignal(queue.job_ended, timeout=LONG):
        queue.add(job)
    assert queue.job(job.id).reason == "DEEPSEEK_API_KEY is not set"
    assert _state(queue, job) == "failed"


def test_a_command_that_stops_by_itself_says_why(
    queue: RunQueue, act: Act, make_job: MakeJob, qtbot: QtBot
) -> None:
    act(run={"steps": [PLANNED, {"event": "stopped", "reason": "the quota is used up"}], "code": 3})
    job = make_job()
    with qtbot.waitSignal(queue.job_ended, timeout=LONG):
        queue.add(job)
    assert (_state(queue, job), queue.job(job.id).reason) == ("stopped", "the quota is used up")


def test_a_killed_process_is_told_as_lost(queue: RunQueue, act: Act, make_job: MakeJob, qtbot: QtBot) -> None:
    act(run=HELD)
    job = make_job()
    queue.add(job)
    qtbot.waitUntil(_held(queue, job), timeout=LONG)
    with qtbot.waitSignal(queue.job_ended, timeout=LONG):
        os.kill(queue.running.pid, signal.SIGKILL)
    assert _state(queue, job) == "lost"
    assert queue.job(job.id).run == "acted"
    assert queue.job(job.id).can_resume


def test_a_program_that_is_not_there(make_job: MakeJob, qtbot: QtBot) -> None:
    queue = RunQueue(("/nowhere/at/all",))
    job = make_job()
    with qtbot.waitSignal(queue.failed):
        queue.add(job)
    assert _state(queue, job) == "failed"


def test_a_job_goes_on_without_its_window_and_is_found_again(
    act: Act, make_job: MakeJob, qtbot: QtBot
) -> None:
    act(run=HELD)
    first = RunQueue(ACTOR)
    job = make_job()
    first.add(job)
    qtbot.waitUntil(_held(first, job), timeout=LONG)
    first.shutdown(goes_on=True)
    [kept] = kept_jobs()
    assert kept.state == "running" and is_running(kept)

    second = RunQueue(ACTOR)
    second.recover()
    assert second.running is not None and second.running.id == job.id
    assert second.progress_of(job.id).done == 1
    with qtbot.waitSignal(second.job_ended, timeout=LONG):
        second.stop()
    assert _state(second, job) == "stopped"
    second.shutdown(goes_on=False)


def test_a_job_is_ended_cleanly_with_its_window(act: Act, make_job: MakeJob, qtbot: QtBot) -> None:
    act(run=HELD)
    queue = RunQueue(ACTOR)
    job = make_job()
    queue.add(job)
    qtbot.waitUntil(_held(queue, job), timeout=LONG)
    running = queue.running
    queue.shutdown(goes_on=False)
    assert not is_running(running)
    [kept] = kept_jobs()
    assert kept.state == "stopped"


def test_a_job_that_ended_meanwhile_is_told_by_what_it_wrote(
    act: Act, make_job: MakeJob, qtbot: QtBot
) -> None:
    finished, lost = make_job("finished"), make_job("lost")
    keep(replace(finished, state="running", pid=2**22 - 1, started=1.0))
    keep(replace(lost, state="running", pid=2**22 - 1, started=1.0))
    events_file(finished).write_text("\n".join(map(json.dumps, [PLANNED, *ALL_DONE])), encoding="utf-8")
    events_file(lost).write_text(json.dumps(PLANNED) + "\n{torn", encoding="utf-8")
    queue = RunQueue(ACTOR)
    queue.recover()
    assert (_state(queue, finished), _state(queue, lost)) == ("finished", "lost")
    assert queue.running is None


def test_jobs_that_an_earlier_window_left_waiting_wait_for_a_person(
    act: Act, make_job: MakeJob, qtbot: QtBot
) -> None:
    left = make_job("left")
    keep(left)
    queue = RunQueue(ACTOR)
    queue.recover()
    assert queue.running is None and queue.is_held
    with qtbot.waitSignal(queue.job_ended, timeout=LONG):
        queue.start(left.id)
    assert _state(queue, left) == "finished"


def test_a_number_that_another_process_got_is_not_signalled(
    act: Act, make_job: MakeJob, qtbot: QtBot
) -> None:
    # This very process runs, but began at another time than the job's.
    job = replace(make_job(), state="running", pid=os.getpid(), started=1.0)
    process = RunProcess(job, ACTOR)
    assert not process.is_alive
    process.interrupt()
    process.kill()


def test_damaged_folders_are_passed_over(make_job: MakeJob) -> None:
    job = make_job()
    keep(job)
    for name, content in (("a", "{"), ("b", "[]"), ("c", '{"id": "c"}'), ("d", '{"id": 3, "state": "x"}')):
        (jobs_folder() / name).mkdir()
        (jobs_folder() / name / "job.json").write_text(content, encoding="utf-8")
    (jobs_folder() / "e").mkdir()
    assert kept_jobs() == [job]


def test_a_line_that_is_being_written_waits_for_its_end(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    events = EventFile(path)
    assert events.read() == []
    with path.open("w", encoding="utf-8") as file:
        file.write('words\n{"event": "do')
        file.flush()
        assert events.read() == ["words"]
        file.write('ne"}\n{"no": "event"}\n')
        file.flush()
        assert events.read() == [{"event": "done"}, '{"no": "event"}']
        file.write("torn")
        file.flush()
        assert events.read() == []
        assert events.read(last=True) == ["torn"]
    events.close()


def test_credentials_are_in_no_file_of_a_job(
    queue: RunQueue, act: Act, make_job: MakeJob, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-TESTSECRET123")
    act(run=FINISHING)
    with qtbot.waitSignal(queue.job_ended, timeout=LONG):
        queue.add(make_job(live=True))
    for path in jobs_folder().rglob("*"):
        if path.is_file():
            assert b"sk-TESTSECRET123" not in path.read_bytes(), path
