"""The worker: newest request wins, failures are told, nothing is delivered after the end."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from gacc_gui.core.errors import BadUsage, GaccError, Interrupted, StoreError
from gacc_gui.gui.background import Background


@pytest.fixture
def background(demo_database: Path, qapp: object) -> Iterator[Background]:
    worker = Background(demo_database)
    yield worker
    worker.shutdown()


def test_reads_elsewhere_and_delivers_here(background: Background, qtbot: QtBot) -> None:
    threads: list[threading.Thread] = []
    found: list[Any] = []

    def work(reader: Any) -> list[str]:
        threads.append(threading.current_thread())
        return [summary.run.id for summary in reader.runs()]

    def done(runs: list[str]) -> None:
        threads.append(threading.current_thread())
        found.append(runs)

    with qtbot.waitSignal(background.idle):
        background.request("runs", work, done)
    assert found == [["demo"]]
    assert threads[0] is not threading.main_thread()
    assert threads[1] is threading.main_thread()
    assert background.is_idle


def test_a_newer_request_of_a_channel_supersedes_the_older(background: Background, qtbot: QtBot) -> None:
    running, go_on = threading.Event(), threading.Event()
    found: list[str] = []

    def slow(_reader: Any) -> str:
        running.set()
        go_on.wait(10)
        return "old"

    background.request("one", slow, found.append)
    assert running.wait(10)
    background.request("one", lambda _reader: "waiting", found.append)
    background.request("other", lambda _reader: "other", found.append)
    background.request("one", lambda _reader: "new", found.append)
    with qtbot.waitSignal(background.idle):
        go_on.set()
    assert found == ["other", "new"]


def test_work_that_is_wanted_no_more_gives_way(background: Background, qtbot: QtBot) -> None:
    running = threading.Event()
    ended: list[str] = []

    def endless(_reader: Any) -> None:
        try:
            while True:
                background.give_way()
                running.set()
        except Interrupted:
            ended.append("superseded" if not background.is_stopping else "stopped")
            raise

    background.request("one", endless, ended.append)
    assert running.wait(10)
    with qtbot.waitSignal(background.idle):
        background.request("other", lambda _reader: background.give_way() or "other", ended.append)
        background.forget("one")
    assert ended == ["superseded", "other"]
    running.clear()
    background.request("one", endless, ended.append)
    assert running.wait(10)
    background.shutdown()
    assert ended[2:] == ["stopped"]


ENDLESS = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE i > began()"
)


def _endless(running: threading.Event) -> Any:
    """Work that never ends by itself, and says when its query has begun."""

    def began() -> int:
        running.set()
        return 0

    def work(reader: Any) -> None:
        reader._connection.create_function("began", 0, began)
        reader._connection.execute(ENDLESS).fetchone()

    return work


def test_a_superseded_query_is_interrupted(background: Background, qtbot: QtBot) -> None:
    running = threading.Event()
    found: list[str] = []
    background.request("one", _endless(running), found.append)
    assert running.wait(10)
    with qtbot.assertNotEmitted(background.failed), qtbot.waitSignal(background.idle):
        background.request("one", lambda _reader: "new", found.append)
    assert found == ["new"]


def test_a_forgotten_query_is_interrupted(background: Background, qtbot: QtBot) -> None:
    running = threading.Event()
    found: list[str] = []
    background.request("one", _endless(running), found.append)
    assert running.wait(10)
    with qtbot.waitSignal(background.idle):
        background.forget("one")
    with qtbot.waitSignal(background.idle):
        background.request("two", lambda _reader: "other", found.append)
    assert found == ["other"]


def test_a_query_left_open_by_a_forgotten_task_stops_no_later_one(
    background: Background, qtbot: QtBot
) -> None:
    begun, forgotten = threading.Event(), threading.Event()
    left_open: list[Any] = []

    def give_up(reader: Any) -> None:
        query = reader._connection.execute(
            "WITH RECURSIVE n(i) AS (VALUES (1) UNION SELECT i + 1 FROM n) SELECT i FROM n"
        )
        query.fetchone()
        left_open.append(query)
        begun.set()
        assert forgotten.wait(10)

    background.request("one", give_up, pytest.fail)
    assert begun.wait(10)
    background.forget("one")
    forgotten.set()
    found: list[int] = []
    with qtbot.waitSignal(background.idle):
        background.request("two", lambda reader: len(reader.runs()), found.append)
    assert found == [1]


def test_shutdown_interrupts_a_query(background: Background) -> None:
    running = threading.Event()
    background.request("one", _endless(running), print)
    assert running.wait(10)
    background.shutdown()


def test_a_known_failure_goes_to_its_handler(background: Background, qtbot: QtBot) -> None:
    told: list[GaccError] = []

    def fail(_reader: Any) -> None:
        raise BadUsage("no such thing")

    with qtbot.waitSignal(background.idle):
        background.request("one", fail, told.append, told.append)
    assert [str(error) for error in told] == ["no such thing"]


def test_a_failure_without_handler_is_still_told(background: Background, qtbot: QtBot) -> None:
    def fail(_reader: Any) -> None:
        raise BadUsage("no such thing")

    with qtbot.waitSignal(background.failed) as told:
        background.request("one", fail, print)
    assert str(told.args[0]) == "no such thing"


def test_being_stopped_is_no_failure(background: Background, qtbot: QtBot) -> None:
    def stop(_reader: Any) -> None:
        raise Interrupted("stopped")

    with qtbot.assertNotEmitted(background.failed), qtbot.waitSignal(background.idle):
        background.request("one", stop, print)


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt, BaseException])
def test_a_bug_reaches_the_exception_hook(background: Background, qtbot: QtBot, kind: type) -> None:
    def bug(_reader: Any) -> None:
        raise kind("a bug")

    with qtbot.captureExceptions() as caught, qtbot.waitSignal(background.idle):
        background.request("one", bug, print)
    assert [found[0] for found in caught] == [kind]
    found: list[int] = []
    with qtbot.waitSignal(background.idle):
        background.request("one", lambda _reader: 1, found.append)
    assert found == [1], "the worker goes on"


def test_a_damaged_database_is_no_bug(demo_database: Path, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "damaged.db"
    shutil.copy(demo_database, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE questions SET reference_answers = '{bad'")
        connection.commit()
    worker = Background(path)
    failures: list[GaccError] = []
    with qtbot.waitSignal(worker.idle):
        worker.request("unit", lambda reader: reader.unit_view(1), failures.append, failures.append)
    worker.shutdown()
    assert isinstance(failures[0], StoreError)
    assert "damaged.db is damaged: questions, id " in str(failures[0])


def test_a_missing_database_is_a_plain_sentence(tmp_path: Path, qtbot: QtBot, qapp: object) -> None:
    background = Background(tmp_path / "none.db")
    try:
        with qtbot.waitSignal(background.failed) as told:
            background.request("one", lambda reader: reader.runs(), print)
        assert isinstance(told.args[0], StoreError)
        assert "none.db" in str(told.args[0])
    finally:
        background.shutdown()


def test_another_database_is_read_after_open(background: Background, tmp_path: Path, qtbot: QtBot) -> None:
    found: list[Any] = []
    with qtbot.waitSignal(background.idle):
        background.request("one", lambda reader: reader.path, found.append)
    background.open(tmp_path / "none.db")
    with qtbot.waitSignal(background.failed):
        background.request("one", lambda reader: reader.path, found.append)
    assert len(found) == 1


def test_shutdown_while_busy_returns_and_delivers_nothing(background: Background) -> None:
    running = threading.Event()
    found: list[Any] = []

    def until_stopped(_reader: Any) -> str:
        running.set()
        while not background.is_stopping:
            pass
        return "late"

    background.request("one", until_stopped, found.append)
    assert running.wait(10)
    background.shutdown()
    background.request("one", lambda _reader: 1, found.append)
    assert background.is_idle
    assert found == []
    assert not [thread for thread in threading.enumerate() if thread.name == "gacc-gui reader"]


def test_while_held_nothing_is_begun(background: Background, qtbot: QtBot) -> None:
    found: list[int] = []
    background.hold()
    background.request("one", lambda _reader: 1, found.append)
    background.request("two", lambda _reader: 2, found.append)
    assert not background.is_idle
    with qtbot.waitSignal(background.idle):
        background.release()
    assert found == [1, 2]


def test_a_held_worker_ends(background: Background) -> None:
    background.hold()
    background.request("one", lambda _reader: 1, pytest.fail)
    background.shutdown()
