from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from gacc_gui.app.agreement import NOT_SAMPLED, Agreement, agreement_of
from gacc_gui.app.importing import import_paths
from gacc_gui.app.review_queue import ReviewQueue, draw_queue
from gacc_gui.app.reviewing import Decision, append_review
from gacc_gui.core.records import Verdict
from gacc_gui.core.review_queue import QueueKey
from gacc_gui.store.database import open_database
from gacc_gui.store.reads import Reader

RUN = "hotpot-rules-5"


@pytest.fixture
def hotpot(tmp_path: Path, shared_data: Path) -> Path:
    path = tmp_path / "hotpot.db"
    import_paths(path, [shared_data / "runs" / "hotpot-rules.gacc-run.json"])
    return path


def queue_of(path: Path, key: QueueKey) -> ReviewQueue:
    with Reader(path) as reader:
        return draw_queue(reader, RUN, key)


def agreement(path: Path) -> Agreement:
    with Reader(path) as reader:
        return agreement_of(reader, RUN)


def truth(path: Path, seed: int = 3) -> dict[tuple[str, str, int], str]:
    """What a reviewer would say of each row: the judge errs on a tenth."""
    chance = random.Random(seed)
    with Reader(path) as reader:
        labels = {
            (record.memory_id, record.question_id, record.repeat): record.label
            for record in reader.records(RUN)
            if isinstance(record, Verdict)
        }
    other = {"correct": "incorrect", "incorrect": "correct"}
    return {
        row: (other[label] if chance.random() < 0.1 else label) if label in other else "incorrect"
        for row, label in labels.items()
    }


def review(
    path: Path, queue: ReviewQueue, said: dict[tuple[str, str, int], str], reviewer: str = "Ada"
) -> None:
    with open_database(path) as database:
        for entry in queue.entries:
            decision = Decision(
                *entry.row, said[entry.row], reviewer, blind=True, sample=entry.sample(queue.key)
            )
            append_review(database, RUN, decision)


@pytest.mark.parametrize("kind", ["random", "by-cause"])
def test_a_queue_that_is_begun_keeps_its_size(hotpot: Path, kind: str) -> None:
    # Ten rows may be of few causes: the others' shares of the queue are in nobody's review yet.
    queue = queue_of(hotpot, QueueKey(kind, 11, 120))
    review(hotpot, replace(queue, entries=queue.entries[:10]), truth(hotpot))
    (sample,) = agreement(hotpot).samples
    assert (sample.reviewed, sample.sampled) == (10, 120)


@pytest.mark.parametrize("kind", ["random", "by-cause"])
def test_a_reviewed_queue_speaks_for_the_whole_run(hotpot: Path, kind: str) -> None:
    said = truth(hotpot)
    queue = queue_of(hotpot, QueueKey(kind, 11, 120))
    review(hotpot, queue, said)
    found = agreement(hotpot)
    assert found.corrected is not None and found.corrected_reason is None
    micro = found.corrected.micro
    assert micro is not None
    right = sum(label == "correct" for label in said.values()) / found.rows
    low, high = micro.ci95
    assert low <= right <= high and low < micro.value < high
    (sample,) = found.samples
    assert sample.reason is None and sample.reviewed == sample.sampled == 120
    assert sample.population + sample.unanswered == found.rows == 2_160
    assert sample.confusion is not None
    assert sum(sample.confusion.values()) == pytest.approx(sample.population)
    assert sample.micro_as_judged is not None and sample.micro_as_judged != pytest.approx(micro.value)


def test_every_row_reviewed_gives_the_truth_itself(hotpot: Path) -> None:
    cells = (("compressor", "lead"), ("ratio", "0.1"))
    said = truth(hotpot)
    queue = queue_of(hotpot, QueueKey("random", 1, 10_000, cells))
    review(hotpot, queue, said)
    found = agreement(hotpot).corrected
    assert found is not None and found.micro is not None
    right = sum(said[entry.row] == "correct" for entry in queue.entries)
    assert found.micro.value == pytest.approx(right / 240)
    assert found.micro.ci95 == (pytest.approx(right / 240), pytest.approx(right / 240))


def test_half_a_queue_will_do_but_not_one_with_gaps(hotpot: Path) -> None:
    said = truth(hotpot)
    queue = queue_of(hotpot, QueueKey("by-cause", 4, 60))
    review(hotpot, replace(queue, entries=queue.entries[:30]), said)
    assert agreement(hotpot).corrected is not None
    review(hotpot, replace(queue, entries=queue.entries[45:]), said)
    found = agreement(hotpot)
    assert found.corrected is None
    assert found.corrected_reason is not None and "passed over" in found.corrected_reason


def test_a_queue_of_chosen_rows_speaks_for_those_alone(hotpot: Path) -> None:
    said = truth(hotpot)
    queue = queue_of(hotpot, QueueKey("one-away", 4, 40))
    review(hotpot, queue, said)
    found = agreement(hotpot)
    (sample,) = found.samples
    assert sample.agreement is not None and sample.population == queue.population
    assert found.corrected is None
    assert found.corrected_reason == ("the queue one-away draws from some rows only, chosen by what they are")


def test_rows_that_somebody_picked_say_nothing_of_the_others(hotpot: Path) -> None:
    with open_database(hotpot) as database:
        row = queue_of(hotpot, QueueKey("random", 1, 1)).entries[0].row
        append_review(database, RUN, Decision(*row, "correct", "Ada"))
    found = agreement(hotpot)
    assert (found.corrected, found.corrected_reason, found.samples) == (None, NOT_SAMPLED, ())
    assert found.pooled.coverage == pytest.approx(1 / 2_160)


def test_a_run_that_has_grown_is_another_population(hotpot: Path) -> None:
    said = truth(hotpot)
    queue = queue_of(hotpot, QueueKey("random", 4, 40))
    aged = [replace(entry, stratum_size=entry.stratum_size - 1) for entry in queue.entries]
    review(hotpot, replace(queue, entries=tuple(aged)), said)
    found = agreement(hotpot)
    assert found.corrected_reason == "the run's rows have changed since the queue was drawn"


def test_two_reviewers_of_one_queue(hotpot: Path) -> None:
    """Each has estimates of their own; what counts is the latest; between them stands their own κ."""
    said, other = truth(hotpot), truth(hotpot, seed=9)
    queue = queue_of(hotpot, QueueKey("by-cause", 4, 60))
    review(hotpot, queue, said)
    review(hotpot, queue, other, "Ben")
    found = agreement(hotpot)
    assert [sample.reviewer for sample in found.samples] == [None, "Ada", "Ben"]
    assert found.samples[0].micro == found.samples[2].micro != found.samples[1].micro
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.figures.rows) == ("Ada", "Ben", 60)
    same = sum(said[entry.row] == other[entry.row] for entry in queue.entries)
    assert pair.figures.agreement == pytest.approx(same / 60)
    assert found.conflicts == 60 - same
    assert [each.blind for each in found.reviewers] == [60, 60]


@pytest.mark.parametrize(
    "sample",
    [
        {},
        {"queue": "x", "method": "random"},
        {"queue": "x", "method": "mine", "stratum": "all", "stratum_size": 1, "stratum_sampled": 1}
        | {"stratum_position": 0, "size": 1},
        {"queue": "x", "method": "random", "stratum": "all", "stratum_size": 1, "stratum_sampled": 1}
        | {"stratum_position": -1, "size": 1},
    ],
)
def test_samples_of_others_are_no_queues_of_ours(hotpot: Path, sample: dict[str, object]) -> None:
    row = queue_of(hotpot, QueueKey("random", 1, 1)).entries[0].row
    with open_database(hotpot) as database:
        append_review(database, RUN, Decision(*row, "correct", "Ada", sample=sample))
    assert agreement(hotpot).samples == ()


def test_a_sample_that_makes_no_sense_gives_a_reason(hotpot: Path) -> None:
    row = queue_of(hotpot, QueueKey("random", 1, 1)).entries[0].row
    sample = {"queue": "x", "method": "random", "stratum": "nowhere", "stratum_size": 0}
    sample |= {"stratum_sampled": 0, "stratum_position": 0, "size": 0, "cells": {"compressor": "nobody's"}}
    with open_database(hotpot) as database:
        append_review(database, RUN, Decision(*row, "correct", "Ada", sample=sample))
    (found,) = agreement(hotpot).samples
    assert found.reason == "the run's rows have changed since the queue was drawn"


def test_nobody_reviewed_anything(hotpot: Path) -> None:
    found = agreement(hotpot)
    assert (found.reviewed, found.reviewers, found.pooled.figures.rows) == (0, (), 0)
    assert found.corrected_reason == NOT_SAMPLED
