from __future__ import annotations

from collections.abc import Iterator

import pytest

from gacc_gui.core.records import Question
from gacc_gui.store import analysts, findings
from gacc_gui.store.database import open_database
from gacc_gui.store.findings import TextFindings

from .conftest import Store, memory

Q4 = Question("q4", "g1", "Anything else?")


@pytest.fixture(params=["here", "elsewhere"])
def texts(
    small: Store, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[TextFindings]:
    """Findings of the small run, whose memories have the keys 1 to 3, analysed here or in another process."""
    monkeypatch.setattr(findings, "LARGE", 1 if request.param == "elsewhere" else 1_000)
    monkeypatch.setattr(analysts.os, "cpu_count", lambda: 2)
    with open_database(small.path) as database:
        texts = TextFindings(database.connection)
        yield texts
        texts.close()


def test_what_was_added_can_be_taken_once(texts: TextFindings) -> None:
    for key in (1, 2, 3):
        texts.add(key, 1)
    assert texts.take(3, 1, 2).fates == ("retained", "retained")
    assert texts.take(1, 1, 2).fates == ("retained", "tail")
    assert len(texts.take(2, 1, 1).fates) == 1
    with pytest.raises(KeyError):
        texts.take(1, 1, 2)


def test_a_memory_that_changed_is_looked_at_again(texts: TextFindings) -> None:
    texts.add(1, 1)
    texts.proceed()
    texts.proceed()
    texts._connection.execute("UPDATE memories SET retained_end = 0 WHERE memory_key = 1")
    texts.add(1, 1)
    assert texts.take(1, 1, 2).fates == ("tail", "tail")


def test_questions_that_came_late_are_looked_at(texts: TextFindings, small: Store) -> None:
    for key in (1, 2, 3):
        texts.add(key, 1)
    texts.take(1, 1, 2)
    small.write([Q4])
    assert texts.take(3, 1, 3).fates == ("retained", "retained", "unlocated")


def test_nothing_begins_while_memories_come(small: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "LARGE", 1)
    monkeypatch.setattr(analysts.os, "cpu_count", lambda: 2)
    handed: list[int] = []
    submit = analysts.Analysts.submit

    def watched(self: analysts.Analysts, task: findings.Task) -> object:
        handed.append(len(task.goals))
        return submit(self, task)

    monkeypatch.setattr(analysts.Analysts, "submit", watched)
    with open_database(small.path) as database:
        texts = TextFindings(database.connection)
        try:
            texts.add(1, 1)
            texts.proceed()
            texts.add(2, 1)
            texts.proceed()
            assert handed == []
            texts.proceed()
            assert handed == [2]
            assert texts.take(1, 1, 2) and texts.take(2, 1, 1)
            assert handed == [2]
        finally:
            texts.close()


def test_a_long_context_is_parted(small: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "_TASK_CHARACTERS", 10)
    small.write([memory("m9", "g1", 5)])
    with open_database(small.path) as database:
        texts = TextFindings(database.connection)
        for (key,) in database.connection.execute("SELECT memory_key FROM memories").fetchall():
            texts.add(key, 1)
        sizes = [sum(len(goal.memories) for goal in task.goals) for task in texts._tasks(1)]
    assert sizes == [1, 1, 1, 1]
