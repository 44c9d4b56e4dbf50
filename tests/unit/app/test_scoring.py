"""Submissions with everything that can be wrong in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gacc_gui.app.scoring import Scoring, score_submission
from gacc_gui.core.errors import BadInput
from gacc_gui.core.hotpot_scores import SentenceIds
from tests.hotpot_files import write_json


def score(folder: Path, gold: Any, answer: Any, sp: Any, ids: SentenceIds = SentenceIds.STRICT) -> Scoring:
    items = [{"_id": id, "answer": text, "supporting_facts": facts} for id, (text, facts) in gold.items()]
    return score_submission(
        write_json(folder / "gold.json", items),
        write_json(folder / "predictions.json", {"answer": answer, "sp": sp}),
        ids,
    )


def test_a_missing_prediction_counts_zero_and_an_extra_one_is_told(tmp_path: Path) -> None:
    gold = {"a": ("Paris", [["T", 0]]), "b": ("Rome", [["T", 0]])}
    scoring = score(tmp_path, gold, {"a": "Paris", "z": "x"}, {"a": [["T", 0]], "b": [["T", 0]], "y": []})
    assert (scoring.metrics.em, scoring.metrics.sp_em, scoring.metrics.joint_em) == (0.5, 1, 0.5)
    assert scoring.questions == 2
    assert scoring.remarks.missing_answers == ["b"]
    assert scoring.remarks.missing_supports == []
    assert scoring.remarks.extra == ["z", "y"]


@pytest.mark.parametrize("answer", [None, 42, False, ["Paris"], {"text": "Paris"}, {"text": "None"}])
def test_an_answer_that_is_no_text_counts_zero(tmp_path: Path, answer: Any) -> None:
    gold = {"a": ("None" if answer is None else str(answer), [["T", 0]])}
    scoring = score(tmp_path, gold, {"a": answer}, {"a": [["T", 0]]})
    assert (scoring.metrics.em, scoring.metrics.f1, scoring.metrics.sp_em) == (0, 0, 1)
    assert scoring.metrics.joint_em == 0
    assert scoring.remarks.unusable_answers == ["a"]


@pytest.mark.parametrize("facts", [None, "T", {"T": 0}, 1])
def test_supporting_facts_that_are_no_list_count_zero(tmp_path: Path, facts: Any) -> None:
    scoring = score(tmp_path, {"a": ("x", [["T", 0]])}, {"a": "x"}, {"a": facts})
    assert (scoring.metrics.em, scoring.metrics.sp_f1) == (1, 0)
    assert scoring.remarks.unusable_supports == ["a"]


def test_odd_sentence_ids_earn_nothing_unless_asked_for(tmp_path: Path) -> None:
    gold = {id: (id, [["T", 1]]) for id in "abcd"}
    sp = {"a": [["T", True]], "b": [["T", 1.0]], "c": [["T", "1"]], "d": [["T", 1]]}
    answers = {id: id for id in gold}
    strict = score(tmp_path, gold, answers, sp)
    assert strict.metrics.sp_em == 0.25
    assert strict.remarks.odd_ids == ["a", "b", "c"]
    assert strict.remarks.credited == ["a", "b"]
    assert score(tmp_path, gold, answers, sp, SentenceIds.OFFICIAL).metrics.sp_em == 0.75


def test_what_normalises_to_nothing_is_told(tmp_path: Path) -> None:
    gold = {"a": ("!!!", []), "b": ("x", []), "c": ("y", [])}
    scoring = score(tmp_path, gold, {"a": "x", "b": "The", "c": "y"}, {})
    assert scoring.remarks.empty == ["a", "b"]


def test_no_question_is_no_data(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no data"):
        score(tmp_path, {}, {"a": "x"}, {})
