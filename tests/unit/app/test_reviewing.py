from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app.agreement import agreement_of
from gacc_gui.app.importing import import_paths
from gacc_gui.app.metrics import run_metrics
from gacc_gui.app.reviewing import (
    Decision,
    add_review,
    append_review,
    reviewed_of,
    totals_with,
)
from gacc_gui.core.errors import BadUsage, StoreError
from gacc_gui.formats.gacc_run import read_run_file
from gacc_gui.formats.run_writing import write_run
from gacc_gui.store.database import open_database
from gacc_gui.store.reads import Reader
from gacc_gui.store.rows import CellChoice
from tests.unit.app.reviewed_run import RUN, decide, with_labels


@pytest.fixture
def mixed(tmp_path: Path, shared_data: Path) -> Path:
    """A database with a run of every condition, of repeats, failures and rows without a verdict."""
    path = tmp_path / "mixed.db"
    import_paths(path, [shared_data / "runs" / "mixed.gacc-run.json"])
    return path


@pytest.mark.parametrize("seed", range(3))
def test_as_reviewed_is_what_a_judge_with_these_labels_would_give(
    mixed: Path, tmp_path: Path, shared_data: Path, seed: int
) -> None:
    """The figures are adjusted; a run whose verdicts were rewritten is computed anew: they are the same."""
    with Reader(mixed) as reader:
        as_judged = run_metrics(reader, RUN)
    decisions = decide(mixed, 80, seed)
    with read_run_file(shared_data / "runs" / "mixed.gacc-run.json") as file:
        records = [item.record for item in file]
    rewritten = with_labels(records, decisions)
    write_run(tmp_path / "rewritten.json", rewritten)
    other = tmp_path / "other.db"
    assert import_paths(other, [tmp_path / "rewritten.json"]).files[0].error is None
    with Reader(mixed) as reader, Reader(other) as judged:
        reviewed = reviewed_of(reader, RUN)
        assert len(reviewed.rows) == len(decisions)
        assert run_metrics(reader, RUN).cells == as_judged.cells
        found, right = run_metrics(reader, RUN, reviewed=reviewed), run_metrics(judged, RUN)
        assert found.cells == right.cells != as_judged.cells
        by_origin = run_metrics(reader, RUN, by_origin=True, reviewed=reviewed)
        assert by_origin.cells == run_metrics(judged, RUN, by_origin=True).cells
        for choice in (CellChoice(), *(CellChoice(**asdict(cell)) for cell in reader.cells(RUN))):
            found_totals = totals_with(reader, RUN, choice, reviewed, reader.totals(RUN, choice))
            assert found_totals == judged.totals(RUN, choice)


def test_cleared_is_as_if_nobody_had_decided(mixed: Path) -> None:
    connection = sqlite3.connect(mixed)
    tables = ("verdicts", "results", "units", "outcomes", "answers")
    before = [connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables]
    with Reader(mixed) as reader:
        figures = run_metrics(reader, RUN)
    decide(mixed, 40, 7)
    with Reader(mixed) as reader:
        reviews = reader.reviews(RUN)
    assert len(reviews) == 40
    for row, reviewer in {
        (r.memory_id, r.question_id, r.repeat, r.reviewer): r.reviewer for r in reviews
    }.items():
        add_review(mixed, RUN, Decision(*row[:3], "clear", reviewer))
    with Reader(mixed) as reader:
        reviewed = reviewed_of(reader, RUN)
        assert reviewed.rows == () and reviewed.changes == {}
        assert run_metrics(reader, RUN, reviewed=reviewed) == figures
        totals = reader.totals(RUN)
        assert totals_with(reader, RUN, CellChoice(), reviewed, totals) == totals
    assert [connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables] == before
    connection.close()


@pytest.fixture
def small(tmp_path: Path, run_file: object, run_document: dict[str, object]) -> Path:
    path = tmp_path / "small.db"
    import_paths(path, [run_file(run_document)])  # type: ignore[operator]
    return path


DECISION = Decision("m1", "q2", 0, "correct", "Ada")


def test_a_review_says_what_the_row_is_now(small: Path) -> None:
    added = add_review(small, "a small run", replace(DECISION, note="seen", tags=("a",), blind=True))
    assert added.judged is not None and (added.judged.label, added.label) == ("incorrect", "correct")
    assert (added.judged.cause, added.cause) == ("truncation", "correct")
    with Reader(small) as reader:
        assert reader.reviews("small") == [added.review]
    second = add_review(small, "small", replace(DECISION, decision="incorrect", cause="item", reviewer="Ben"))
    assert (second.label, second.cause) == ("incorrect", "item")
    assert second.row is not None and second.row.standing.conflict
    assert second.review.created_at > added.review.created_at
    taken_back = add_review(small, "small", replace(DECISION, decision="clear", reviewer="Ben"))
    assert (taken_back.label, taken_back.cause) == ("correct", "correct")
    taken_back = add_review(small, "small", replace(DECISION, decision="clear"))
    assert taken_back.row is None and taken_back.label == "incorrect"


def test_texts_are_stored_without_the_space_around_them(small: Path) -> None:
    tags = ("odd", "", " odd ", " ", "long")
    review = add_review(small, "small", replace(DECISION, reviewer=" Ada ", note="  ", tags=tags)).review
    assert (review.reviewer, review.note, review.tags) == ("Ada", None, ("odd", "long"))


def test_no_credential_is_stored(small: Path) -> None:
    key = "sk-TESTSECRET123"
    add_review(small, "small", replace(DECISION, reviewer=f"Ada {key}", note=f"with {key}", tags=(key,)))
    with Reader(small) as reader:
        (review,) = reader.reviews("small")
    assert (review.reviewer, review.note, review.tags) == ("Ada [removed]", "with [removed]", ("[removed]",))


def test_later_decisions_are_later_whatever_the_clock_says(small: Path) -> None:
    with open_database(small) as database:
        first = append_review(database, "small", DECISION).review
        from gacc_gui.store.added_rows import append_added

        append_added(database, "small", [replace(first, id="x", created_at="2999-01-01T00:00:00Z")])
        again = append_review(database, "small", replace(DECISION, decision="incorrect"))
    assert again.review.created_at == "2999-01-01T00:00:00.000001Z"
    assert again.label == "incorrect"


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        (replace(DECISION, memory_id="m9"), "has no row of memory 'm9', question 'q2', repeat 0"),
        (replace(DECISION, repeat=1), "has no row of memory 'm1', question 'q2', repeat 1"),
        (replace(DECISION, repeat=2**63), f"question 'q2', repeat {2**63}"),
        (replace(DECISION, decision="right"), "'right' is none of correct, incorrect, unclear, clear"),
        (replace(DECISION, cause="item"), "a cause goes with the decision “incorrect”"),
        (replace(DECISION, decision="incorrect", cause="fate"), "the cause 'fate' is none of truncation"),
        (replace(DECISION, reviewer=" "), "a decision needs the reviewer's name"),
    ],
)
def test_what_makes_no_sense_is_refused(small: Path, decision: Decision, reason: str) -> None:
    before = small.read_bytes()
    with pytest.raises(BadUsage, match=reason):
        add_review(small, "small", decision)
    assert small.read_bytes() == before


def test_no_database_is_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no database"):
        add_review(tmp_path / "none.db", "small", DECISION)
    assert not (tmp_path / "none.db").exists()


def test_what_belongs_beside_the_figures(small: Path, tmp_path: Path) -> None:
    add_review(small, "small", DECISION)
    add_review(small, "small", replace(DECISION, decision="incorrect", reviewer="Ben"))
    with Reader(small) as reader:
        metrics = run_metrics(reader, "small", reviewed=reviewed_of(reader, "small"))
    assert "rows that reviewers disagree on, the latest decision counts: 1" in metrics.warnings


def test_reviewers_disagree_on_as_many_rows_whoever_counts_them(
    run_document: dict[str, Any], run_file: Callable[..., Path], tmp_path: Path
) -> None:
    """A row without an answer, which no label can make count, among them."""
    run_document["answers"][1] |= {"status": "error", "text": None, "error": "no reply"}
    del run_document["verdicts"][1]
    path = tmp_path / "unanswered.db"
    import_paths(path, [run_file(run_document)])
    for question in ("q1", "q2"):
        for reviewer, decision in (("Ada", "correct"), ("Ben", "incorrect")):
            add_review(path, "small", Decision("m1", question, 0, decision, reviewer))
    with Reader(path) as reader:
        found = reviewed_of(reader, "small")
        assert (found.counting, found.conflicts) == (1, 2)
        assert agreement_of(reader, "small").conflicts == 2
