"""Decisions at random on a run of every condition, and the run as it were had the judge said the same."""

from __future__ import annotations

import random
from pathlib import Path

from gacc_gui.app.reviewing import Decision, append_review
from gacc_gui.core.records import Record, Verdict
from gacc_gui.store.database import open_database
from gacc_gui.store.reads import Reader

RUN = "mixed-3"


def decide(path: Path, count: int, seed: int) -> dict[tuple[str, str, int], Decision]:
    """Decide at random on rows of the run; return the latest decision on each."""
    chance = random.Random(seed)
    with Reader(path) as reader:
        rows = [(row.memory_id, row.question_id, row.repeat) for row in reader.question_results(RUN)]
    latest = {}
    with open_database(path) as database:
        for _ in range(count):
            row = chance.choice(rows)
            decision = chance.choice(("correct", "incorrect", "unclear"))
            latest[row] = Decision(*row, decision, chance.choice(("Ada", "Ben")))
            append_review(database, RUN, latest[row])
    return latest


def with_labels(records: list[Record], decisions: dict[tuple[str, str, int], Decision]) -> list[Record]:
    """The run as if the judge had said what the reviewers do."""
    kept = [
        record
        for record in records
        if not (
            isinstance(record, Verdict) and (record.memory_id, record.question_id, record.repeat) in decisions
        )
    ]
    said = [
        Verdict(*row, None, "unparsed")
        if decision.decision == "unclear"
        else Verdict(*row, decision.decision, "judged")
        for row, decision in decisions.items()
    ]
    at = next((n for n, record in enumerate(kept) if type(record).__name__ == "Request"), len(kept))
    return [*kept[:at], *said, *kept[at:]]
