"""What the texts of a run's memories say: found while its rows are still coming in, or when asked.

Owns which memory is to be analysed when, and by whom: where many memories come, other processes work on
those that are stored already. What is done with the findings is `results`.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Collection, Iterator
from concurrent.futures import Future
from typing import Final

from gacc_gui.core.analysis import Findings
from gacc_gui.store import record_reads
from gacc_gui.store.analysing import Analyst, Found, GoalTask, MemoryTask, Task
from gacc_gui.store.analysts import Analysts, spare_processors

LARGE: Final = 2_000
"""Memories from which on other processes help: below, starting them takes longer than they save."""

_TASK_CHARACTERS: Final = 4_000_000
"""Where a context's work is parted: what is on its way to other processes stays small in memory."""


class TextFindings:
    """The findings of a run's memories, by key. To be closed, also when the transaction failed.

    Works on the connection of the open transaction; what was added must be in its table when `proceed` or
    `take` is called.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._waiting: dict[int, set[int]] = {}  # memories by context
        self._parted: int | None = None  # the context whose tasks are being handed over
        self._upcoming = self._tasks_of_all()
        self._running: deque[tuple[int, Future[Found]]] = deque()
        self._found: dict[int, Findings] = {}
        self._analyst = Analyst()
        self._analysts: Analysts | None = None
        self._added = self._added_before = 0

    def add(self, memory_key: int, context_key: int) -> None:
        """Take a memory that is new, or has other texts or questions than before."""
        self._found.pop(memory_key, None)
        self._waiting.setdefault(context_key, set()).add(memory_key)
        self._added += 1

    def want(self, memory_key: int, context_key: int) -> None:
        """Take a memory whose texts and questions are as before; its findings will be asked for."""
        self.add(memory_key, context_key)

    def proceed(self) -> None:
        """Give idle processes work if there is much of it; never waits for them.

        To be called now and then. As long as memories come between two calls, nothing begins: those of a
        context are best looked at together.
        """
        quiet = self._added == self._added_before
        self._added_before = self._added
        if quiet and self._has_help():
            self._hand_over()

    def take(self, memory_key: int, context_key: int, questions: int) -> Findings:
        """Hand over the findings of a memory that was added, on that many questions."""
        findings = self._found.pop(memory_key, None)
        if findings is None or len(findings.fates) != questions:
            if findings is not None:  # questions came after the memory had been looked at
                self.add(memory_key, context_key)
            self._see_to(context_key)
            findings = self._found.pop(memory_key)
        return findings

    def close(self) -> None:
        """See other processes off."""
        if self._analysts is not None:
            self._analysts.close()
            self._analysts = None

    def _has_help(self) -> bool:
        if self._analysts is None and self._added >= LARGE and (spare := spare_processors()) > 0:
            self._analysts = Analysts(spare)
        return self._analysts is not None

    def _see_to(self, context_key: int) -> None:
        """Wait for the findings of a context."""
        if not self._has_help():
            for task in self._tasks(context_key):
                self._found.update(self._analyst.analyse(task))
            return
        self._hand_over()
        while (
            context_key in self._waiting
            or context_key == self._parted
            or any(context == context_key for context, _ in self._running)
        ):
            self._collect()
            self._hand_over()

    def _hand_over(self) -> None:
        """Collect what is done, and keep every process busy with one task more in reserve."""
        assert self._analysts is not None
        while self._running and self._running[0][1].done():
            self._collect()
        while len(self._running) <= self._analysts.count:
            coming = next(self._upcoming, None)
            if coming is None:
                self._upcoming = self._tasks_of_all()  # more may be added
                return
            context_key, task = coming
            self._running.append((context_key, self._analysts.submit(task)))

    def _collect(self) -> None:
        _, future = self._running.popleft()
        self._found.update(future.result())

    def _tasks_of_all(self) -> Iterator[tuple[int, Task]]:
        while self._waiting:
            context_key = self._parted = next(iter(self._waiting))
            for task in self._tasks(context_key):
                yield context_key, task
            self._parted = None

    def _tasks(self, context_key: int) -> Iterator[Task]:
        """Yield what waits of a context, read from the database a task at a time."""
        waiting = self._waiting.pop(context_key)
        connection = self._connection
        (source,) = connection.execute(
            "SELECT text FROM contexts JOIN texts ON text_key = source_text WHERE context_key = ?",
            (context_key,),
        ).fetchone()
        task = Task(source, [])
        texts: dict[int | None, str | None] = {None: None}
        size = 0
        for (goal_key,) in connection.execute(
            "SELECT goal_key FROM goals WHERE context_key = ? ORDER BY goal_key", (context_key,)
        ).fetchall():
            questions = list(record_reads.questions(connection, "questions.goal_key = ?", (goal_key,)))
            memories = _memories(connection, goal_key, waiting) if questions else []
            goal: GoalTask | None = None
            for key, text_key, end, splits, own in memories:
                if text_key not in texts:
                    (texts[text_key],) = connection.execute(
                        "SELECT text FROM texts WHERE text_key = ?", (text_key,)
                    ).fetchone()
                    size += len(texts[text_key] or "")
                if goal is None:
                    goal = GoalTask(questions, [])
                    task.goals.append(goal)
                goal.memories.append(MemoryTask(key, texts[text_key], end, splits, own))
                if size > _TASK_CHARACTERS:
                    yield task
                    task, goal, texts, size = Task(source, []), None, {None: None}, 0
        if task.goals:
            yield task


def _memories(
    connection: sqlite3.Connection, goal_key: int, keys: Collection[int]
) -> list[tuple[int, int | None, int | None, int, str | None]]:
    rows = connection.execute(
        "SELECT memory_key, proposed_text, retained_end, retained_splits, text FROM memories"
        " LEFT JOIN texts ON text_key = retained_text WHERE goal_key = ? ORDER BY memory_key",
        (goal_key,),
    )
    return [row for row in rows if row[0] in keys]
