"""Lists of goals where reviewers' decisions are asked for, or count."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app.importing import import_paths
from gacc_gui.app.reviewing import Decision, add_review, reviewed_of
from gacc_gui.core.filters import Query, parse
from gacc_gui.core.records import Review
from gacc_gui.formats.gacc_run import read_run_file
from gacc_gui.formats.run_writing import write_run
from gacc_gui.store import review_reads
from gacc_gui.store.queries import SORTS
from gacc_gui.store.reads import Reader
from gacc_gui.store.rows import Decided, QuestionResult
from tests.unit.app.reviewed_run import RUN, decide, with_labels

Row = tuple[str, str, int]

COUNTED = (
    "",
    "goal:right",
    "goal:failed",
    "goal:incomplete",
    "away:1",
    "away>2",
    "correct>=1",
    "cause:truncation",
    "-cause:truncation,compressor",
    "cause:no-verdict",
    "label:none",
    "label:correct fate:tail,omitted",
    "flag:unsupported",
    "flip:nonmonotone",
    "-flip:none ratio<0.5",
    "cause:judge,reader compressor:lead",
)


@pytest.fixture
def mixed(tmp_path: Path, shared_data: Path) -> Path:
    path = tmp_path / "mixed.db"
    import_paths(path, [shared_data / "runs" / "mixed.gacc-run.json"])
    return path


def test_lists_as_reviewed_are_those_of_a_judge_with_these_labels(
    mixed: Path, tmp_path: Path, shared_data: Path
) -> None:
    """Decisions are laid over; a run whose verdicts were rewritten is stored anew: the lists are the same."""
    decisions = decide(mixed, 80, 1)
    with read_run_file(shared_data / "runs" / "mixed.gacc-run.json") as file:
        write_run(tmp_path / "rewritten.json", with_labels([item.record for item in file], decisions))
    other = tmp_path / "other.db"
    assert import_paths(other, [tmp_path / "rewritten.json"]).files[0].error is None
    told = 0
    with Reader(mixed) as reader, Reader(other) as judged:
        decided = Decided(reviewed_of(reader, RUN).rows, counts=True)
        for text in COUNTED:
            query = parse(text)
            for sort in SORTS:
                asked = RUN, query, sort, sort == "cell", sort == "goal"
                found = names(reader, reviewed_list(reader, *asked, decided=decided))
                assert found == names(judged, reviewed_list(judged, *asked)), (text, sort)
            told += set(found) != set(names(reader, reader.goal_units(RUN, query=query)))
        question = next(iter(decisions))[1]
        for text in (f'question-id:"{question}" cause:correct', f'-question-id:"{question}"'):
            found = names(reader, reader.goal_units(RUN, query=parse(text), decided=decided))
            assert found == names(judged, judged.goal_units(RUN, query=parse(text))), text
    assert told > 8


def reviewed_list(
    reader: Reader,
    run: str,
    query: Query,
    sort: str,
    descending: bool,
    grouped: bool,
    decided: Decided | None = None,
) -> Sequence[int]:
    return reader.goal_units(
        run, query=query, sort=sort, descending=descending, grouped=grouped, decided=decided
    )


def names(reader: Reader, units: Sequence[int]) -> list[tuple[str, int]]:
    return [(row.memory_id, row.repeat) for row in reader.goal_rows(units)]


Test = Callable[[list[Review], str | None], bool]
"""Of what stands of a row, the latest last, and the label that counts."""


def changed(said: list[Review], label: str | None) -> bool:
    return bool(said) and label != {"unclear": None}.get(said[-1].decision, said[-1].decision)


TERMS: dict[str, Test] = {
    "review:any": lambda said, _: bool(said),
    "review:none": lambda said, _: not said,
    "review:correct,unclear": lambda said, _: bool(said) and said[-1].decision in ("correct", "unclear"),
    "review:conflict": lambda said, _: len({one.decision for one in said}) > 1,
    "review:changed": changed,
    "reviewer:Ada": lambda said, _: any(one.reviewer == "Ada" for one in said),
    "reviewer:Ada,Eve": lambda said, _: any(one.reviewer in ("Ada", "Eve") for one in said),
    'reviewer:""': lambda said, _: not said,
    'tag:"two words"': lambda said, _: any("two words" in one.tags for one in said),
    'tag:""': lambda said, _: not any(one.tags for one in said),
    "tag:nobody": lambda said, _: False,
    # one single row has to meet all
    "review:changed reviewer:Ben label:correct": lambda said, label: (
        changed(said, label) and any(one.reviewer == "Ben" for one in said) and label == "correct"
    ),
}


def test_terms_about_reviews_are_about_the_decisions_that_stand(mixed: Path) -> None:
    decisions = decide(mixed, 60, 3)
    tagged = list(decisions)[:9]
    for row in tagged:
        add_review(mixed, RUN, Decision(*row, "incorrect", "Ada", cause="item", tags=("odd", "two words")))
    for row in list(decisions)[9:14]:
        for name in ("Ada", "Ben"):
            add_review(mixed, RUN, Decision(*row, "clear", name))
    with Reader(mixed) as reader:
        standing = standing_by_hand(reader.reviews(RUN))
        rows = defaultdict(list)
        for row in reader.question_results(RUN):
            key = row.memory_id, row.question_id, row.repeat
            rows[row.memory_id, row.repeat].append((standing.get(key, []), row))
        decided = reviewed_of(reader, RUN).rows
        counting = {row.judged.row for row in decided if row.judged.can_count}
        everything = names(reader, reader.goal_units(RUN))
        several = 0
        for text, holds in TERMS.items():
            expected = {
                unit
                for unit, there in rows.items()
                if any(holds(said, row.label) for said, row in there if asked_of(said, row, text, counting))
            }
            for negated, right in ((False, expected), (True, set(everything) - expected)):
                if negated and " " in text and not text.startswith("tag"):
                    continue  # a dash negates one term
                query = parse(f"{'-' if negated else ''}{text}")
                for at_hand in (None, Decided(decided, counts=False)):
                    found = names(reader, reader.goal_units(RUN, query=query, decided=at_hand))
                    assert set(found) == right and len(found) == len(right), (text, negated)
            several += 0 < len(expected) < len(everything)
        assert several >= 8


def asked_of(said: list[Review], row: QuestionResult, text: str, counting: set[Row]) -> bool:
    """Whether a row can meet the term: no decision changes the label of a row that none can make count."""
    return "changed" not in text or (row.memory_id, row.question_id, row.repeat) in counting


def standing_by_hand(reviews: list[Review]) -> dict[Row, list[Review]]:
    latest: dict[Row, dict[str, Review]] = defaultdict(dict)
    for review in sorted(reviews, key=lambda one: one.created_at):
        said = latest[review.memory_id, review.question_id, review.repeat]
        said.pop(review.reviewer, None)
        said[review.reviewer] = review
    kept = {row: [one for one in said.values() if one.decision != "clear"] for row, said in latest.items()}
    return {row: said for row, said in kept.items() if said}


def test_a_run_that_nobody_reviewed(mixed: Path) -> None:
    with Reader(mixed) as reader:
        everything = list(reader.goal_units(RUN))
        for text in ("review:none", "-review:any", 'tag:""', 'reviewer:""'):
            assert list(reader.goal_units(RUN, query=parse(text))) == everything
        assert not reader.goal_units(RUN, query=parse("review:any"))
        counts = Decided(reviewed_of(reader, RUN).rows, counts=True)
        assert list(reader.goal_units(RUN, decided=counts)) == everything


def test_reviewers_and_tags_are_offered(mixed: Path) -> None:
    decide(mixed, 10, 1)
    with Reader(mixed) as reader:
        row = next(iter(reader.question_results(RUN)))
    add_review(
        mixed, RUN, Decision(row.memory_id, row.question_id, row.repeat, "unclear", "Zoë", tags=("b", "a"))
    )
    with Reader(mixed) as reader:
        found = reader.vocabulary(RUN)
    assert found.reviewers == ("Ada", "Ben", "Zoë")
    assert found.tags == ("a", "b")


def test_ids_with_a_nul_are_ids_as_others(
    imported: Callable[[dict[str, Any]], Path], run_document: dict[str, Any]
) -> None:
    """Ids that are the same up to a NUL are told apart, in filters and in reviews."""
    document = run_document | {"requests": []}
    for kind, fields in (
        ("contexts", ("id",)),
        ("goals", ("id", "context_id")),
        ("questions", ("id", "goal_id")),
        ("memories", ("id", "goal_id", "shown_goal_id")),
        ("answers", ("memory_id", "question_id")),
        ("verdicts", ("memory_id", "question_id")),
    ):
        for record in document.get(kind, ()):
            for field in fields:
                if record.get(field):
                    record[field] = f"x\0{record[field]}"
    path = imported(document)
    with Reader(path) as reader:
        run = reader.runs()[0].run.id
        rows = list(reader.question_results(run))
        views = [reader.unit_view(unit) for unit in reader.goal_units(run)]
        for view in views:
            for term in (
                f'memory-id:"{view.memory.id}"',
                f'goal-id:"{view.goal.id}"',
                f'context-id:"{view.context.id}"',
                f'question-id:"{view.rows[0].question.id}" cause:{view.rows[0].cause}',
            ):
                found = list(reader.goal_units(run, query=parse(term)))
                assert view.unit in found and (not term.startswith("m") or found == [view.unit]), term
        assert not reader.goal_units(run, query=parse("memory-id:x,\ud800 goal-id:x"))
        found = reader.on_run(
            run,
            partial(
                review_reads.judged_rows, rows=[(row.memory_id, row.question_id, row.repeat) for row in rows]
            ),
        )
    assert {row.row for row in found} == {(row.memory_id, row.question_id, row.repeat) for row in rows}
    row = rows[-1]
    added = add_review(path, run, Decision(row.memory_id, row.question_id, row.repeat, "unclear", "Ada"))
    assert added.judged is not None and added.judged.row == (row.memory_id, row.question_id, row.repeat)
