"""Records of one run become rows: ids to keys, references checked, and merging with what is stored.

Owns the rules of “Importing” in FORMATS.md record by record. The transaction, the run record and what waits
for its parents are `writes`'; keys and batches are `row_buffer`'s.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any, Final

from gacc_gui.core.errors import BadInput
from gacc_gui.core.records import (
    Answer,
    Context,
    Goal,
    Ledger,
    Memory,
    Question,
    Record,
    Request,
    Run,
    Verdict,
    is_finished,
)
from gacc_gui.store import record_reads
from gacc_gui.store.landing import Conflict, Landing, Refused
from gacc_gui.store.record_rows import (
    key_of,
    kind_of,
    list_column,
    mapping_column,
    names_column,
    place_retained,
    same,
)
from gacc_gui.store.row_buffer import BATCH, COLUMNS, INSERTS, KEYS, RowBuffer

_LARGEST: Final = 2**63 - 1

Parent = tuple[str, str]
"""The kind and the id of a record that another one refers to."""


class Placer:
    """Places the records of one run inside the open transaction, and tallies them in `landing`."""

    def __init__(self, connection: sqlite3.Connection, run_key: int, landing: Landing) -> None:
        self._connection = connection
        self._run_key = run_key
        self.landing = landing
        self._buffer = RowBuffer(connection)
        self._first_new_memory = self._buffer.next_key("memories")
        self._contexts: dict[str, int] = {}
        self._goals: dict[str, tuple[int, int]] = {}
        self._questions: dict[str, tuple[int, int]] = {}
        self._memories: dict[str, tuple[int, int]] = {}
        self._requests: dict[str, int] = {}
        self.position = 0
        """The place of the next answer or verdict in the file."""
        self.new_answers = 0
        self._touched: set[int] = set()
        self._touched_goals: set[int] = set()
        self._rows: dict[str, list[tuple[Any, ...]]] = {"answers": [], "verdicts": []}
        self._items: dict[str, list[tuple[Any, int | None]]] = {"answers": [], "verdicts": []}
        if not landing.new_run:
            self._load_run()

    @property
    def new_memories(self) -> range:
        """The keys of the memories that came new."""
        return range(self._first_new_memory, self._buffer.next_key("memories"))

    def touched_memories(self) -> set[int]:
        """Return the keys of the older memories whose rows have changed, or whose goal has a new question."""
        touched = {key for key in self._touched if key < self._first_new_memory}
        for goal_key in self._touched_goals:
            touched.update(
                key
                for (key,) in self._connection.execute(
                    "SELECT memory_key FROM memories WHERE goal_key = ? AND memory_key < ?",
                    (goal_key, self._first_new_memory),
                )
            )
        return touched

    @property
    def changed_goals(self) -> bool:
        """Whether a goal that was there has a new question."""
        return bool(self._touched_goals)

    def place(self, record: Record, line: int | None) -> Parent | None:
        """Deal with a record; returns the parent it waits for, or None.

        Raises BadInput for a number that no database can hold.
        """
        return _PLACES[type(record)](self, record, line)

    def flush(self) -> None:
        """Write all that is collected."""
        self._buffer.flush()
        self._flush_items("answers")
        self._flush_items("verdicts")

    # One method a kind.

    def _place_run(self, record: Run, line: int | None) -> None:
        if record.id == self.landing.run_id:
            stored = next(record_reads.runs(self._connection, "id = ?", (record.id,)))
            self._settle_known(record, line, stored)
        else:
            self._refuse(
                record, line, f"a second run {record.id!r} in the records of {self.landing.run_id!r}"
            )

    def _place_context(self, record: Context, line: int | None) -> None:
        if record.id in self._contexts:
            self._settle_known(record, line, self._stored(record_reads.contexts, "contexts", record.id))
            return
        key = self._contexts[record.id] = self._buffer.new_key("contexts")
        self._insert(
            "contexts",
            record,
            key,
            self._run_key,
            record.id,
            self._buffer.text_key(record.text),
            record.title,
            record.origin,
            record.license,
        )

    def _place_goal(self, record: Goal, line: int | None) -> Parent | None:
        if record.id in self._goals:
            self._settle_known(record, line, self._stored(record_reads.goals, "goals", record.id))
            return None
        context_key = self._contexts.get(record.context_id)
        if context_key is None:
            return "context", record.context_id
        key = self._buffer.new_key("goals")
        self._goals[record.id] = (key, context_key)
        self._insert("goals", record, key, self._run_key, record.id, context_key, record.text)
        return None

    def _place_question(self, record: Question, line: int | None) -> Parent | None:
        if record.id in self._questions:
            self._settle_known(record, line, self._stored(record_reads.questions, "questions", record.id))
            return None
        goal = self._goals.get(record.goal_id)
        if goal is None:
            return "goal", record.goal_id
        key = self._buffer.new_key("questions")
        self._questions[record.id] = (key, goal[0])
        if not self.landing.new_run:
            self._touched_goals.add(goal[0])
        self._insert(
            "questions",
            record,
            key,
            self._run_key,
            record.id,
            goal[0],
            record.text,
            list_column(record.references),
            list_column(record.evidence),
        )
        return None

    def _place_memory(self, record: Memory, line: int | None) -> Parent | None:
        known = self._memories.get(record.id)
        if known is not None:
            stored = self._stored(record_reads.memories, "memories", record.id)
            if self._settle_known(record, line, stored):
                self._supersede_memory(record, known[0])
            return None
        goal = self._goals.get(record.goal_id)
        if goal is None:
            return "goal", record.goal_id
        shown_key = None
        if record.shown_goal_id is not None:
            shown = self._goals.get(record.shown_goal_id)
            if shown is None:
                return "goal", record.shown_goal_id
            if shown[1] != goal[1]:
                self._refuse(
                    record, line, f"the shown goal {record.shown_goal_id!r} belongs to another context"
                )
                return None
            shown_key = shown[0]
        self._check_numbers(record, record.budget, record.generation, *_ledger_values(record.ledger))
        key = self._buffer.new_key("memories")
        self._memories[record.id] = (key, goal[0])
        self._insert("memories", record, key, *self._memory_columns(record, goal[0], shown_key))
        return None

    def _place_answer(self, record: Answer, line: int | None) -> Parent | None:
        return self._place_item("answers", record, line, (record.text, record.status, record.error))

    def _place_verdict(self, record: Verdict, line: int | None) -> Parent | None:
        return self._place_item(
            "verdicts", record, line, (record.label, record.status, record.rationale, record.raw_reply)
        )

    def _place_item(
        self, table: str, record: Answer | Verdict, line: int | None, columns: tuple[str | None, ...]
    ) -> Parent | None:
        memory = self._memories.get(record.memory_id)
        if memory is None:
            return "memory", record.memory_id
        question = self._questions.get(record.question_id)
        if question is None:
            return "question", record.question_id
        if memory[1] != question[1]:
            self._refuse(
                record,
                line,
                f"question {record.question_id!r} does not belong to the goal of memory {record.memory_id!r}",
            )
            return None
        if not -_LARGEST <= record.repeat <= _LARGEST:
            self._check_numbers(record, record.repeat)
        rows = self._rows[table]
        rows.append(
            (
                memory[0],
                question[0],
                record.repeat,
                self.position,
                *columns,
                mapping_column(record.extra) if record.extra else None,
                names_column(record.unusual) if record.unusual else None,
            )
        )
        self.position += 1
        self._items[table].append((record, line))
        if len(rows) >= BATCH:
            self._flush_items(table)
        return None

    def _place_request(self, record: Request, line: int | None) -> Parent | None:
        if record.id in self._requests:
            self._settle_known(record, line, self._stored(record_reads.requests, "requests", record.id))
            return None
        memory_key = None
        if record.memory_id is not None:
            memory = self._memories.get(record.memory_id)
            if memory is None:
                return "memory", record.memory_id
            memory_key = memory[0]
        key = self._requests[record.id] = self._buffer.new_key("requests")
        self._insert(
            "requests", record, key, self._run_key, record.id, record.role, memory_key, record.content
        )
        return None

    # Merging.

    def _settle_known(self, record: Record, line: int | None, stored: Record) -> bool:
        """Tally a record whose key is taken; True if it is to supersede the stored one."""
        kind = kind_of(record)
        if same(stored, record):
            self.landing.already[kind] += 1
            return False
        if (
            isinstance(record, Memory | Answer | Verdict)
            and isinstance(stored, Memory | Answer | Verdict)
            and is_finished(record)
            and not is_finished(stored)
            and (not isinstance(record, Memory) or _same_place(record, stored))
        ):
            self.landing.superseded[kind] += 1
            return True
        self.landing.conflicts.append(Conflict(kind, key_of(record), line, stored, record))
        return False

    def _supersede_memory(self, record: Memory, key: int) -> None:
        goal_key = self._goals[record.goal_id][0]
        shown_key = None if record.shown_goal_id is None else self._goals[record.shown_goal_id][0]
        values = (*self._memory_columns(record, goal_key, shown_key), *_common(record))
        columns = ", ".join(f"{name} = ?" for name in COLUMNS["memories"][1:])
        self._connection.execute(f"UPDATE memories SET {columns} WHERE memory_key = ?", (*values, key))
        self._touched.add(key)

    def _flush_items(self, table: str) -> None:
        rows, items = self._rows[table], self._items[table]
        if not rows:
            return
        self._buffer.flush("memories")  # the foreign key; contexts to questions went before it
        connection = self._connection
        kind = "answer" if table == "answers" else "verdict"
        landed = 0
        if all(row[0] >= self._first_new_memory for row in rows):
            # Nothing of these memories is stored but what this file brought: duplicates are the exception.
            connection.execute("SAVEPOINT batch")
            try:
                connection.executemany(INSERTS[table], rows)
                landed = len(rows)
            except sqlite3.IntegrityError:
                connection.execute("ROLLBACK TO batch")
            connection.execute("RELEASE batch")
        if not landed:
            insert = INSERTS[table].replace("INSERT", "INSERT OR IGNORE", 1)
            for row, (record, line) in zip(rows, items, strict=True):
                if connection.execute(insert, row).rowcount:
                    landed += 1
                    self._touched.add(row[0])
                else:
                    self._merge_item(table, row, record, line)
        if landed:
            self.landing.added[kind] += landed
        if kind == "answer":
            self.new_answers += landed
        rows.clear()
        items.clear()

    def _merge_item(
        self, table: str, row: tuple[Any, ...], record: Answer | Verdict, line: int | None
    ) -> None:
        read: Callable[..., Iterator[Any]] = getattr(record_reads, table)
        where = "memory_key = ? AND question_key = ? AND repeat = ?"
        stored = next(read(self._connection, where, row[:3], "position"))
        if self._settle_known(record, line, stored):
            columns = COLUMNS[table][4:]
            self._connection.execute(
                f"UPDATE {table} SET {', '.join(f'{name} = ?' for name in columns)} WHERE {where}",
                (*row[4:], *row[:3]),
            )
            self._touched.add(row[0])

    # Keys and rows.

    def _load_run(self) -> None:
        connection = self._connection
        (self.position,) = connection.execute(
            "SELECT next_position FROM runs WHERE run_key = ?", (self._run_key,)
        ).fetchone()
        run = (self._run_key,)
        for id_, key in connection.execute("SELECT id, context_key FROM contexts WHERE run_key = ?", run):
            self._contexts[id_] = key
        for table, known, parent in (
            ("goals", self._goals, "context_key"),
            ("questions", self._questions, "goal_key"),
            ("memories", self._memories, "goal_key"),
        ):
            for id_, key, parent_key in connection.execute(
                f"SELECT id, {KEYS[table]}, {parent} FROM {table} WHERE run_key = ?", run
            ):
                known[id_] = (key, parent_key)
        for id_, key in connection.execute("SELECT id, request_key FROM requests WHERE run_key = ?", run):
            self._requests[id_] = key
        self._buffer.load_cells(self._run_key)

    def _memory_columns(self, record: Memory, goal_key: int, shown_key: int | None) -> tuple[Any, ...]:
        retained = place_retained(record.proposed_text, record.retained_text)
        return (
            self._run_key,
            record.id,
            goal_key,
            shown_key,
            self._buffer.cell_key(self._run_key, record.cell),
            record.budget,
            record.generation,
            None if record.proposed_text is None else self._buffer.text_key(record.proposed_text),
            retained.end,
            int(retained.splits),
            None if retained.text is None else self._buffer.text_key(retained.text),
            int(record.ledger is not None),
            *_ledger_values(record.ledger),
            record.status,
            record.error,
        )

    def _insert(self, table: str, record: Record, *columns: Any) -> None:
        self._buffer.add(table, (*columns, *_common(record)))
        self.landing.added[kind_of(record)] += 1

    def _stored(self, read: Callable[..., Iterator[Record]], table: str, record_id: str) -> Record:
        self._buffer.flush(table)
        return next(
            read(self._connection, f"{table}.run_key = ? AND {table}.id = ?", (self._run_key, record_id))
        )

    def _refuse(self, record: Record, line: int | None, reason: str) -> None:
        self.landing.refused.append(Refused(kind_of(record), key_of(record), line, reason))

    def _check_numbers(self, record: Record, *numbers: int | None) -> None:
        for number in numbers:
            if number is not None and not -_LARGEST <= number <= _LARGEST:
                raise BadInput(
                    "a number is beyond 64 bits", record=f"{kind_of(record)} {key_of(record)[0]!r}"
                )


def _common(record: Record) -> tuple[str | None, str | None]:
    return mapping_column(record.extra), names_column(record.unusual)


def _ledger_values(ledger: Ledger | None) -> tuple[int | None, ...]:
    if ledger is None:
        return (None,) * 6
    return (
        ledger.source_tokens,
        ledger.proposed_tokens,
        ledger.retained_tokens,
        ledger.unused_budget,
        ledger.reencoded_tokens,
        ledger.padding_tokens,
    )


def _same_place(record: Memory, stored: Record) -> bool:
    return isinstance(stored, Memory) and (
        record.goal_id,
        record.shown_goal_id,
        record.cell,
        record.generation,
    ) == (stored.goal_id, stored.shown_goal_id, stored.cell, stored.generation)


_PLACES: Final[dict[type, Callable[[Placer, Any, int | None], Parent | None]]] = {
    Run: Placer._place_run,
    Context: Placer._place_context,
    Goal: Placer._place_goal,
    Question: Placer._place_question,
    Memory: Placer._place_memory,
    Answer: Placer._place_answer,
    Verdict: Placer._place_verdict,
    Request: Placer._place_request,
}
