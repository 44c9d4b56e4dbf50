"""A small run for the store's tests, and the ways to write and read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

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
    Record,
    Request,
    Review,
    Run,
    Verdict,
)
from gacc_gui.store import search
from gacc_gui.store.database import open_database
from gacc_gui.store.landing import Landing
from gacc_gui.store.reads import Reader
from gacc_gui.store.writes import RunWriter

SOURCE = "The pump stopped at noon. Ada closed valve K-7. The tank held 812 litres. 水泵在中午停了。"
RUN = Run(
    "r1",
    "a small run",
    "gacc-bench",
    "2026-11-20T10:00:00Z",
    True,
    {"name": "codepoint", "revision": "1", "identity_verified": False},
    {"name": "rule", "revision": "1"},
)


def memory(
    id: str,
    goal: str,
    cut: int,
    ratio: str = "0.5",
    *,
    shown: str | None = None,
    compressor: str = "lead",
    condition: str = "own-goal",
    status: str = "ok",
    generation: int = 0,
) -> Memory:
    """A memory that proposes the whole source and keeps its first `cut` code points."""
    ledger = Ledger(len(SOURCE), len(SOURCE), cut, 0, cut, 0)
    return Memory(
        id,
        goal,
        shown if shown is not None else goal,
        Cell(compressor, "1", condition, ratio),
        cut,
        generation,
        SOURCE,
        SOURCE[:cut],
        ledger,
        status,
    )


def small_run() -> list[Record]:
    """Two goals of one context and one of another, three memories with a row of nearly every cause."""
    return [
        Context("c1", SOURCE, "Pump", "ours", "CC0-1.0"),
        Context("c2", "Nothing happened.", None, "theirs"),
        Goal("g1", "c1", "Keep what happened to the pump"),
        Goal("g2", "c1", "Keep who did what, goal 10"),
        Goal("g3", "c2", "A goal without questions"),
        Question("q1", "g1", "When did the pump stop?", ("noon",)),
        Question("q2", "g1", "How much did the tank hold?", ("812 litres",), ({"quote": "812 litres"},)),
        Question("q3", "g2", "Who closed the valve?", ("Ada",)),
        memory("m1", "g1", 26),
        memory("m2", "g2", 10, "0.25"),
        memory("m3", "g1", len(SOURCE), "1", condition="full-context", compressor="full"),
        Answer("m1", "q1", 0, "at noon", "ok"),
        Answer("m1", "q2", 0, "don't know", "ok"),
        Answer("m2", "q3", 0, "Ada", "ok"),
        Answer("m3", "q1", 0, "noon", "ok"),
        Answer("m3", "q1", 1, None, "no_answer", "empty reply"),
        Verdict("m1", "q1", 0, "correct", "judged", "the same hour"),
        Verdict("m1", "q2", 0, "incorrect", "judged", "nothing said of 涡轮机"),
        Verdict("m2", "q3", 0, "incorrect", "judged"),
        Verdict("m3", "q1", 0, "correct", "judged"),
        Request("x1", "compressor", "Keep what matters", "m1"),
        Request("x2", "judge", "Is it right?"),
    ]


def review(
    id: str, decision: str = "correct", memory: str = "m1", question: str = "q2", **more: Any
) -> Review:
    """A decision of Ada's; later ids are later."""
    fields = {"repeat": 0, "reviewer": "Ada", "created_at": f"2026-11-29T10:00:0{id[-1]}Z"} | more
    return Review(id, memory, question, decision=decision, **fields)


def probe(id: str, given: str = "proposal", memory: str = "m1", question: str = "q2") -> Probe:
    """A probe that was answered and judged."""
    return Probe(
        id,
        memory,
        question,
        0,
        given,
        0,
        ProbeAnswer("812 litres", "ok"),
        ProbeVerdict("correct", "judged", "as it says"),
        "2026-11-29T10:00:00Z",
        {"name": "rule", "revision": "1"},
        {"name": "exact", "revision": "1"},
        False,
        {"total": 3},
        0.5,
        0.25,
        (f"{id}/reader",),
        {"x": [1]},
    )


@dataclass
class Store:
    """One database file of a test."""

    path: Path
    landings: list[Landing] = field(default_factory=list)

    def write(self, records: Iterable[Record], run: Run = RUN, verified: bool | None = None) -> Landing:
        """Import records in one transaction."""
        with open_database(self.path) as database, RunWriter(database) as writer:
            writer.begin_run(run, verified)
            for line, record in enumerate(records, 2):
                writer.add(record, line)
            landing = writer.finish()
        self.landings.append(landing)
        return landing

    def index(self, run_id: str = "r1") -> None:
        """Complete the full-text index."""
        with open_database(self.path) as database:
            search.build(database, run_id)

    def records(self, run_id: str = "r1") -> list[Record]:
        """All records of a run but the run's own."""
        with Reader(self.path) as reader:
            return list(reader.records(run_id))[1:]

    def rows(self, run_id: str = "r1") -> dict[tuple[str, str, int], tuple[str, str, str | None, str]]:
        """Fate, cause, label and status of every row."""
        with Reader(self.path) as reader:
            return {
                (row.memory_id, row.question_id, row.repeat): (row.fate, row.cause, row.label, row.status)
                for row in reader.question_results(run_id)
            }

    def sql(self, statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        """What a person with an SQLite shell sees."""
        with Reader(self.path) as reader:
            return reader._connection.execute(statement, values).fetchall()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty place for a database."""
    return Store(tmp_path / "gacc.db")


@pytest.fixture
def small(store: Store) -> Store:
    """A database with the small run."""
    store.write(small_run())
    return store


@pytest.fixture
def another() -> Callable[[str], Run]:
    """A run like the small one, under another id."""
    return lambda id: replace(RUN, id=id, name=f"run {id}")
