from __future__ import annotations

import pytest

from gacc_gui.core.causes import (
    CAUSES,
    FATES,
    LETTERS,
    answer_equals_reference,
    cause_of,
    counting_label,
    normal_answer,
)
from gacc_gui.core.records import ANSWER_STATUSES, VERDICT_STATUSES


def test_every_cause_has_its_letter() -> None:
    assert set(LETTERS) == set(CAUSES)
    assert "".join(LETTERS[cause] for cause in CAUSES) == "✓TCRJIU–"


@pytest.mark.parametrize(
    ("fate", "cause"),
    [
        ("retained", "reader"),
        ("cut", "truncation"),
        ("tail", "truncation"),
        ("omitted", "compressor"),
        ("absent", "item"),
        ("unlocated", "unlocated"),
    ],
)
def test_cause_by_fate(fate: str, cause: str) -> None:
    assert cause_of("incorrect", fate, equals_reference=False, budget=5) == cause
    assert cause_of("incorrect", fate, equals_reference=False, budget=None) == cause
    assert cause_of("incorrect", fate, equals_reference=True, budget=0) == "judge"
    assert cause_of("correct", fate, equals_reference=False, budget=0) == "correct"
    assert cause_of(None, fate, equals_reference=True, budget=0) == "no-verdict"
    without_budget = "truncation" if fate == "omitted" else cause
    assert cause_of("incorrect", fate, equals_reference=False, budget=0) == without_budget
    assert fate in FATES


def test_which_labels_count() -> None:
    for verdict in (*VERDICT_STATUSES, None):
        for answer in (*ANSWER_STATUSES, None):
            for memory in ("ok", "truncated", "no_answer", "error"):
                counts = (
                    verdict == "judged" and answer in ("ok", "truncated") and memory in ("ok", "truncated")
                )
                assert counting_label("correct", verdict, answer, memory) == ("correct" if counts else None)
    assert counting_label("partial", "judged", "ok", "ok") is None
    assert counting_label(None, "judged", "ok", "ok") is None


@pytest.mark.parametrize(
    ("answer", "reference", "equal"),
    [
        ("Paris.", "paris", True),
        (" “(PARIS)” ", "Paris", True),
        ("the  city\nof Paris", "The city of Paris", True),
        ("ＰＡＲＩＳ", "paris", True),
        ("Straße", "STRASSE!", True),
        ("e\u0301t\u00e9", "ÉTÉ", True),
        ("-5", "5", True),  # a hyphen is punctuation
        ("$5", "5", False),  # a currency sign is a symbol
        ("5.0", "5", False),
        ("", "", False),
        ("...", "!!!", False),
        (". . .", "", False),
        ("it is Paris", "Paris", False),
        ("a, b", "a b", False),
    ],
)
def test_answers_equal_references(answer: str, reference: str, equal: bool) -> None:
    assert answer_equals_reference(answer, [reference]) is equal
    assert answer_equals_reference(answer, ["something else", reference]) is equal


def test_no_answer_and_no_reference_are_never_equal() -> None:
    assert answer_equals_reference(None, ["a"]) is False
    assert answer_equals_reference("a", None) is False
    assert answer_equals_reference("a", []) is False


def test_stripping_goes_on_until_there_is_nothing_to_strip() -> None:
    assert normal_answer(" ( . ‘ a-b ’ . ) ") == "a-b"
    assert normal_answer("\u3000「漢字」。") == "漢字"
    assert normal_answer("¿") == ""
