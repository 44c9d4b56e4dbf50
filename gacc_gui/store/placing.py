"""Records of one run become rows: ids to keys, references checked, each kind into its table.

The transaction, the run record and what waits for its parents are `writes`'; keys and batches are
`row_buffer`'s; what becomes of a record whose key is taken is `merging`'s.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from gacc_gui.core.errors import BadInput
from gacc_gui.core.records import (
    NOTHING,
    Answer,
    Context,
    Goal,
    Ledger,
    Memory,
    Probe,
    Question,
    Record,
    Request,
    Review,
    Run,
    Verdict,
)
from gacc_gui.store import record_reads
from gacc_gui.store.added_rows import AddedRows
from gacc_gui.store.findings import TextFindings
from gacc_gui.store.landing import Landing, Refused
from gacc_gui.store.merging import ItemBatch, settle
from gacc_gui.store.naming import LARGEST
from gacc_gui.store.record_rows import (
    common_columns,
    key_of,
    kind_of,
    list_column,
    mapping_column,
    names_column,
    place_retained,
)
from gacc_gui.store.row_buffer import COLUMNS, KEYS, RowBuffer

Parent = tuple[str, str]
"""The kind and the id of a record that another one refers to."""


class Placer:
    """Places the records of one run inside the open transaction, and tallies them in `landing`."""

    def __init__(
        self, connection: sqlite3.Connection, run_key: int, landing: Landing, texts: TextFindings
    ) -> None:
        self._texts = texts
        self._connection = connection
        self._run_key = run_key
        self.landing = landing
        self._buffer = RowBuffer(connection)
        self._first_new_memory = self._buffer.next_key("memories")
        self._contexts: dict[str, int] = {}
        self._goals: dict[str, tuple[int, int]] = {}
        self._questions: dict[str, tuple[int, int]] = {}
        self._memories: dict[str, tuple[int, int]] = {}
        self._added = AddedRows(connection, run_key, self._buffer, landing.new_run)
        self.position = 0
        """The place of the next answer or verdict in the file."""
        self._touched: set[int] = set()
        self._touched_goals: set[int] = set()
        self._answers = ItemBatch(connection, "answers", landing, self._first_new_memory)
        self._verdicts = ItemBatch(connection, "verdicts", landing, self._first_new_memory)
        self.place: Final[Mapping[type[Record], Callable[[Any, int | None], Parent | None]]] = {
            Run: self._place_run,
            Context: self._place_context,
            Goal: self._place_goal,
            Question: self._place_question,
            Memory: self._place_memory,
            Answer: self._place_answer,
            Verdict: self._place_verdict,
            Request: self._place_request,
            Review: self._place_of_row,
            Probe: self._place_of_row,
        }
        """By a record's type, what deals with it and returns the parent it waits for, or None.

        Raises BadInput for a number that no database can hold.
        """
        if not landing.new_run:
            self._load_run()

    def next_batch(self) -> None:
        """Count anew what lands and what is touched: another transaction follows."""
        self.landing = Landing(self.landing.run_id, False)
        self._first_new_memory = self._buffer.next_key("memories")
        self._touched.clear()
        self._touched_goals.clear()
        for items in (self._answers, self._verdicts):
            items.next_batch(self.landing, self._first_new_memory)

    @property
    def new_memories(self) -> range:
        """The keys of the memories that came new."""
        return range(self._first_new_memory, self._buffer.next_key("memories"))

    def touched_memories(self) -> set[int]:
        """Return the keys of the older memories whose rows have changed, or whose goal has a new question."""
        items = self._answers.touched | self._verdicts.touched
        touched = {key for key in self._touched | items if key < self._first_new_memory}
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

    def flush(self) -> None:
        """Write all that is collected."""
        self._buffer.flush()
        self._answers.flush()
        self._verdicts.flush()

    # One method a kind.

    def _place_run(self, record: Run, line: int | None) -> None:
        if record.id == self.landing.run_id:
            stored = next(record_reads.runs(self._connection, "id = ?", (record.id,)))
            settle(self.landing, record, line, stored)
        else:
            self._refuse(
                record, line, f"a second run {record.id!r} in the records of {self.landing.run_id!r}"
            )

    def _place_context(self, record: Context, line: int | None) -> None:
        if record.id in self._contexts:
            settle(self.landing, record, line, self._stored(record_reads.contexts, "contexts", record.id))
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
            settle(self.landing, record, line, self._stored(record_reads.goals, "goals", record.id))
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
            settle(self.landing, record, line, self._stored(record_reads.questions, "questions", record.id))
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
            if settle(self.landing, record, line, stored):
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
        self._texts.add(key, goal[1])
        self._insert("memories", record, key, *self._memory_columns(record, goal[0], shown_key))
        return None

    # Answers and verdicts come by the hundred thousand: no call and no tuple more than needed.

    def _place_answer(self, record: Answer, line: int | None) -> Parent | None:
        memory = self._memories.get(record.memory_id)
        question = self._questions.get(record.question_id)
        if memory is None or question is None or memory[1] != question[1]:
            return self._misplaced(record, line, memory)
        full = self._answers.add(
            (
                memory[0],
                question[0],
                record.repeat,
                self.position,
                record.text,
                record.status,
                record.error,
                None if record.extra is NOTHING else mapping_column(record.extra),
                names_column(record.unusual) if record.unusual else None,
            ),
            record,
            line,
        )
        self._item_added(record, full)
        return None

    def _place_verdict(self, record: Verdict, line: int | None) -> Parent | None:
        memory = self._memories.get(record.memory_id)
        question = self._questions.get(record.question_id)
        if memory is None or question is None or memory[1] != question[1]:
            return self._misplaced(record, line, memory)
        full = self._verdicts.add(
            (
                memory[0],
                question[0],
                record.repeat,
                self.position,
                record.label,
                record.status,
                record.rationale,
                record.raw_reply,
                None if record.extra is NOTHING else mapping_column(record.extra),
                names_column(record.unusual) if record.unusual else None,
            ),
            record,
            line,
        )
        self._item_added(record, full)
        return None

    def _item_added(self, record: Answer | Verdict, full: bool) -> None:
        if not -LARGEST <= record.repeat <= LARGEST:
            self._check_numbers(record, record.repeat)
        self.position += 1
        if full:
            self.flush()
            self._texts.proceed()

    def _misplaced(
        self, record: Answer | Verdict | Review | Probe, line: int | None, memory: tuple[int, int] | None
    ) -> Parent | None:
        """Say which parent is missing; refuse the record where the parents do not belong together."""
        if memory is None:
            return "memory", record.memory_id
        if record.question_id not in self._questions:
            return "question", record.question_id
        self._refuse(
            record,
            line,
            f"question {record.question_id!r} does not belong to the goal of memory {record.memory_id!r}",
        )
        return None

    def _place_request(self, record: Request, line: int | None) -> Parent | None:
        if self._added.is_settled(record, line, self.landing):
            return None
        memory = None if record.memory_id is None else self._memories.get(record.memory_id)
        if memory is None and record.memory_id is not None:
            return "memory", record.memory_id
        self._added.add(record, self.landing, memory[0] if memory else None)
        return None

    def _place_of_row(self, record: Review | Probe, line: int | None) -> Parent | None:
        if self._added.is_settled(record, line, self.landing):
            return None
        memory = self._memories.get(record.memory_id)
        question = self._questions.get(record.question_id)
        if memory is None or question is None or memory[1] != question[1]:
            return self._misplaced(record, line, memory)
        self._check_numbers(record, record.repeat, getattr(record, "attempt", 0))
        self._added.add(record, self.landing, memory[0], question[0])
        return None

    # Merging.

    def _supersede_memory(self, record: Memory, key: int) -> None:
        goal_key, context_key = self._goals[record.goal_id]
        shown_key = None if record.shown_goal_id is None else self._goals[record.shown_goal_id][0]
        values = (*self._memory_columns(record, goal_key, shown_key), *common_columns(record))
        self._buffer.flush("cells")  # its texts, which the row points to at once
        columns = ", ".join(f"{name} = ?" for name in COLUMNS["memories"][1:])
        self._connection.execute(f"UPDATE memories SET {columns} WHERE memory_key = ?", (*values, key))
        self._touched.add(key)
        self._texts.add(key, context_key)

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
        self._buffer.add(table, (*columns, *common_columns(record)))
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
            if number is not None and not -LARGEST <= number <= LARGEST:
                place = f"{kind_of(record)} {key_of(record)[0]!r}"
                raise BadInput("a number is beyond 64 bits", record=place)


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
