"""Stored rows as records again. Owns the SELECT of each record kind; `reads` and `writes` say which rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

from gacc_gui.core.records import (
    Answer,
    Cell,
    Context,
    Goal,
    Ledger,
    Memory,
    Probe,
    ProbeAnswer,
    ProbeVerdict,
    Question,
    Request,
    Review,
    Run,
    Verdict,
)
from gacc_gui.store.record_rows import (
    RUN_COLUMNS,
    from_json,
    mapping,
    names,
    object_of,
    restore_retained,
    run_of,
    tuple_of,
)

Rows = tuple[Any, ...]


def runs(connection: sqlite3.Connection, where: str, values: Rows) -> Iterator[Run]:
    """Runs by a condition on `runs`, in the order they came."""
    for row in connection.execute(f"SELECT {RUN_COLUMNS} FROM runs WHERE {where} ORDER BY run_key", values):
        yield run_of(row)


def contexts(connection: sqlite3.Connection, where: str, values: Rows) -> Iterator[Context]:
    """Contexts by a condition on `contexts`, in file order."""
    for id_, text, title, origin, license_, extra, unusual in connection.execute(
        "SELECT contexts.id, texts.text, title, origin, license, extra, unusual"
        f" FROM contexts JOIN texts ON text_key = source_text WHERE {where} ORDER BY context_key",
        values,
    ):
        yield Context(id_, text, title, origin, license_, mapping(extra), names(unusual))


def goals(connection: sqlite3.Connection, where: str, values: Rows) -> Iterator[Goal]:
    """Goals by a condition on `goals`, in file order."""
    for id_, context_id, text, extra, unusual in connection.execute(
        "SELECT goals.id, contexts.id, goals.text, goals.extra, goals.unusual"
        f" FROM goals JOIN contexts USING (context_key) WHERE {where} ORDER BY goal_key",
        values,
    ):
        yield Goal(id_, context_id, text, mapping(extra), names(unusual))


def questions(connection: sqlite3.Connection, where: str, values: Rows) -> Iterator[Question]:
    """Questions by a condition on `questions`, in file order."""
    for id_, goal_id, text, references, evidence, extra, unusual in connection.execute(
        "SELECT questions.id, goals.id, questions.text, reference_answers, evidence, questions.extra,"
        " questions.unusual"
        f" FROM questions JOIN goals USING (goal_key) WHERE {where} ORDER BY question_key",
        values,
    ):
        yield Question(
            id_, goal_id, text, tuple_of(references), tuple_of(evidence), mapping(extra), names(unusual)
        )


MEMORY_COLUMNS = (
    "memories.id, goals.id, shown.id, compressor, revision, condition, ratio, budget, generation,"
    " proposals.text, retained_end, retained_splits, retained.text, has_ledger, source_tokens,"
    " proposed_tokens, retained_tokens, unused_budget, reencoded_tokens, padding_tokens, status, error,"
    " memories.extra, memories.unusual"
)
MEMORY_TABLES = (
    "memories JOIN goals ON goals.goal_key = memories.goal_key"
    " JOIN cells ON cells.cell_key = memories.cell_key"
    " LEFT JOIN goals AS shown ON shown.goal_key = shown_goal_key"
    " LEFT JOIN texts AS proposals ON proposals.text_key = memories.proposed_text"
    " LEFT JOIN texts AS retained ON retained.text_key = memories.retained_text"
)


def memory_of(row: Rows) -> Memory:
    """Build a memory from MEMORY_COLUMNS."""
    proposed = row[9]
    return Memory(
        row[0],
        row[1],
        row[2],
        Cell(*row[3:7]),
        row[7],
        row[8],
        proposed,
        restore_retained(proposed, row[10], row[11], row[12]),
        Ledger(*row[14:20]) if row[13] else None,
        row[20],
        row[21],
        mapping(row[22]),
        names(row[23]),
    )


def memories(connection: sqlite3.Connection, where: str, values: Rows) -> Iterator[Memory]:
    """Memories by a condition on `memories`, in file order."""
    for row in connection.execute(
        f"SELECT {MEMORY_COLUMNS} FROM {MEMORY_TABLES} WHERE {where} ORDER BY memory_key", values
    ):
        yield memory_of(row)


def answers(connection: sqlite3.Connection, where: str, values: Rows, order: str) -> Iterator[Answer]:
    """Answers by a condition on `answers` and `memories`, ordered by `order`."""
    for memory_id, question_id, repeat, text, status, error, extra, unusual in connection.execute(
        "SELECT memories.id, questions.id, repeat, answers.text, answers.status, answers.error,"
        " answers.extra, answers.unusual FROM answers JOIN memories USING (memory_key)"
        f" JOIN questions USING (question_key) WHERE {where} ORDER BY {order}",
        values,
    ):
        yield Answer(memory_id, question_id, repeat, text, status, error, mapping(extra), names(unusual))


def verdicts(connection: sqlite3.Connection, where: str, values: Rows, order: str) -> Iterator[Verdict]:
    """Verdicts by a condition on `verdicts` and `memories`, ordered by `order`."""
    for memory_id, question_id, repeat, label, status, rationale, raw, extra, unusual in connection.execute(
        "SELECT memories.id, questions.id, repeat, label, verdicts.status, rationale, raw_reply,"
        " verdicts.extra, verdicts.unusual FROM verdicts JOIN memories USING (memory_key)"
        f" JOIN questions USING (question_key) WHERE {where} ORDER BY {order}",
        values,
    ):
        yield Verdict(
            memory_id, question_id, repeat, label, status, rationale, raw, mapping(extra), names(unusual)
        )


def requests(connection: sqlite3.Connection, where: str, values: Rows) -> Iterator[Request]:
    """Requests by a condition on `requests`, in file order."""
    for id_, role, content, memory_id, extra, unusual in connection.execute(
        "SELECT requests.id, role, content, memories.id, requests.extra, requests.unusual"
        f" FROM requests LEFT JOIN memories USING (memory_key) WHERE {where} ORDER BY request_key",
        values,
    ):
        yield Request(id_, role, content, memory_id, mapping(extra), names(unusual))


def reviews(connection: sqlite3.Connection, where: str, values: Rows) -> Iterator[Review]:
    """Reviews by a condition on `reviews`, in the order they came."""
    for (
        id_, memory_id, question_id, repeat, decision, cause, note, tags, reviewer, created_at, blind, sample,
        extra, unusual,
    ) in connection.execute(
        "SELECT reviews.id, memories.id, questions.id, repeat, decision, cause, note, tags, reviewer,"
        " reviews.created_at, blind, sample, reviews.extra, reviews.unusual"
        " FROM reviews JOIN memories USING (memory_key) JOIN questions USING (question_key)"
        f" WHERE {where} ORDER BY review_key",
        values,
    ):  # fmt: skip
        yield Review(
            id_,
            memory_id,
            question_id,
            repeat,
            decision,
            reviewer,
            created_at,
            cause,
            note,
            names(tags),
            None if blind is None else bool(blind),
            object_of(sample),
            mapping(extra),
            names(unusual),
        )


def probes(connection: sqlite3.Connection, where: str, values: Rows) -> Iterator[Probe]:
    """Probes by a condition on `probes`, in the order they came."""
    for id_, memory_id, question_id, repeat, given, attempt, *row in connection.execute(
        "SELECT probes.id, memories.id, questions.id, repeat, given, attempt, answer, answer_status,"
        " answer_error, label, verdict_status, rationale, raw_reply, created_at, reader, judge, live, usage,"
        " cost, seconds, requests, probes.extra, probes.unusual"
        " FROM probes JOIN memories USING (memory_key) JOIN questions USING (question_key)"
        f" WHERE {where} ORDER BY probe_key",
        values,
    ):
        yield Probe(
            id_,
            memory_id,
            question_id,
            repeat,
            given,
            attempt,
            ProbeAnswer(*row[:3]),
            None if row[4] is None else ProbeVerdict(*row[3:7]),
            row[7],
            object_of(row[8]),
            object_of(row[9]),
            None if row[10] is None else bool(row[10]),
            object_of(row[11]),
            row[12],
            row[13],
            names(row[14]),
            mapping(row[15]),
            names(row[16]),
        )


def has_reviews(connection: sqlite3.Connection) -> bool:
    """Whether the database has the tables of reviews and probes: older ones have neither."""
    return bool(connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'probes'").fetchone())


def waiting_keys(connection: sqlite3.Connection, run_id: str) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """Kind and key of every record of a run that waits for its parent."""
    for kind, key in connection.execute(
        "SELECT kind, key FROM waiting JOIN runs USING (run_key) WHERE runs.id = ?", (run_id,)
    ):
        yield kind, tuple(from_json(key))
