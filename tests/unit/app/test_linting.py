from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app.linting import lint_path, lint_records
from gacc_gui.core.errors import BadInput
from gacc_gui.core.records import Cell, Context, Goal, Memory, Question, Run

SOURCE = "Zoë Fyfe sold 14 crates of  Ærø cider on May 3. Nobody paid."


def faults(*records: Any) -> list[tuple[str, str]]:
    return [(fault.kind, fault.where) for fault in lint_records(records).faults]


def question(name: str = "q", goal: str = "g", text: str = "Who sold the cider?", **more: Any) -> Question:
    return Question(name, goal, text, **({"references": ("Zoë Fyfe",)} | more))


ITEMS = (Context("c", SOURCE), Goal("g", "c", "Keep sales."))


def test_faultless_items_have_no_faults() -> None:
    evidence = ({"start": 0, "end": 8}, {"quote": "zoë fyfe SOLD 14 crates of Ærø cider"})
    found = lint_records([Run("r"), *ITEMS, question(evidence=evidence)])
    assert found.faults == () and found.counts == {}
    assert dict(found.items) == {"context": 1, "goal": 1, "question": 1}


@pytest.mark.parametrize(
    ("evidence", "kind"),
    [
        ({"start": 0, "end": 61}, "span-out-of-range"),
        ({"start": -1, "end": 5}, "span-out-of-range"),
        ({"start": 5, "end": 5}, "span-out-of-range"),
        ({"start": 9, "end": 3}, "span-out-of-range"),
        ({"start": "0", "end": 5}, "evidence-malformed"),
        ({"start": True, "end": 5}, "evidence-malformed"),
        ({}, "evidence-malformed"),
        ({"quote": "sold 15 crates"}, "quote-not-in-source"),
        ({"quote": " "}, "empty-text"),
        ({"start": 0, "end": 8, "quote": "Zoë Fife"}, "quote-differs-from-span"),
        ({"start": 0, "end": 8, "quote": "zoë  fyfe"}, None),
    ],
)
def test_evidence(evidence: dict[str, Any], kind: str | None) -> None:
    assert faults(*ITEMS, question(evidence=(evidence,))) == ([(kind, "question q")] if kind else [])


@pytest.mark.parametrize(
    ("references", "kind"),
    [
        (("Bea Moss",), "reference-not-in-source"),
        (("Bea Moss", "ZOË FYFE"), None),  # spellings of one answer
        (("old",), "reference-not-in-source"),  # inside “sold” is nowhere
        (("ÆRØ CIDER",), None),
        (("14",), None),
        (("Yes.",), None),
        (("no", "not in the source"), None),
        (("",), "empty-text"),
        ((), "question-without-references-or-evidence"),
    ],
)
def test_references(references: tuple[str, ...], kind: str | None) -> None:
    assert faults(*ITEMS, question(references=references)) == ([(kind, "question q")] if kind else [])


def test_evidence_stands_in_for_references() -> None:
    assert faults(*ITEMS, question(references=None, evidence=({"quote": "Nobody paid"},))) == []
    assert faults(*ITEMS, question(references=None)) == [
        ("question-without-references-or-evidence", "question q")
    ]


def test_goals_without_questions_and_items_that_hang_in_the_air() -> None:
    found = faults(*ITEMS, Goal("g2", "c9", "Keep debts."), question(), question("q2", "g9", "Who paid?"))
    assert sorted(found) == [
        ("goal-without-questions", "goal g2"),
        ("unknown-context", "goal g2"),
        ("unknown-goal", "question q2"),
    ]


def test_duplicate_and_empty_texts() -> None:
    found = faults(
        *ITEMS,
        Context("c2", SOURCE.upper()),
        Context("c3", " \n"),
        Goal("g2", "c", "keep  sales."),
        Goal("g3", "c2", "Keep sales."),  # asked of another source: not twice the same
        question(),
        question("q2", "g2", "Who sold the CIDER?"),
        question("q3", "g3"),
        question("q4", "g3", ""),
    )
    assert sorted(found) == [
        ("duplicate-context", "context c2"),
        ("duplicate-goal", "goal g2"),
        ("duplicate-question", "question q2"),
        ("empty-text", "context c3"),
        ("empty-text", "question q4"),
    ]


def test_a_fault_says_where_to_go() -> None:
    (fault,) = lint_records([*ITEMS, question(references=("Bea",))]).faults
    assert (fault.question_id, fault.goal_id) == ("q", None)
    assert fault.message == "not in the source: Bea"


def test_a_folder_with_files_that_cannot_be_used(tmp_path: Path) -> None:
    head = '{"record": "dataset", "format": "gacc-dataset", "format_version": 1}\n'
    context = '{"record": "context", "id": "c", "text": "abc"}\n'
    (tmp_path / "a.jsonl").write_text(head + context + "no JSON\n" + context.replace('"c"', "7"), "utf-8")
    (tmp_path / "b.json").write_text('{"format": "gacc-dataset", "format_version": 1, "goals": 3}', "utf-8")
    found = lint_path(tmp_path)
    assert [(fault.kind, fault.where) for fault in found.faults] == [
        ("unreadable", "a.jsonl: line 3"),
        ("unreadable", "a.jsonl: line 4"),
        ("unreadable", "file b.json"),
    ]
    assert dict(found.items) == {"context": 1, "goal": 0, "question": 0}
    with pytest.raises(BadInput, match=r"b\.json"):
        lint_path(tmp_path / "b.json")


def test_two_items_with_one_id() -> None:
    twice = [*ITEMS, question(), question(text="Who bought the cider?"), question(), *ITEMS]
    assert faults(*twice) == [
        ("duplicate-id", "question q"),
        ("duplicate-id", "question q"),
        ("duplicate-id", "context c"),
        ("duplicate-id", "goal g"),
    ]
    # shards of a run, one behind the other
    assert faults(Run("r"), *ITEMS, question(), Run("r"), *ITEMS, question()) == []
    assert faults(Run("r"), *ITEMS, question(), Run("r"), question(text="Who?")) == [
        ("duplicate-id", "question q")
    ]


def test_a_shown_goal_fits_its_condition() -> None:
    other = (Goal("g2", "c", "Keep names."), question("q2", "g2", "Who paid?"))

    def memory(condition: str, shown: str | None) -> Memory:
        return Memory(
            f"{condition}/{shown}", "g", shown, Cell("x", "1", condition, "1"), 1, 0, "", "", None, "ok"
        )

    shown = [memory("own-goal", "g"), memory("no-goal", None), memory("cross-goal", "g2")]
    assert faults(*ITEMS, question(), *other, *shown) == []
    shown = [
        memory("own-goal", "g2"),
        memory("no-goal", "g"),
        memory("cross-goal", "g"),
        memory("own-goal", None),
    ]
    assert faults(*ITEMS, question(), *other, *shown) == [
        ("shown-goal-contradicts-condition", f"memory {memory.id}") for memory in shown
    ]


def test_a_reference_inside_longer_words_is_told_as_such() -> None:
    (fault,) = lint_records([*ITEMS, question(references=("old", "Bea"))]).faults
    assert fault.message == "in the source only inside longer words: old"
