"""The official metrics, by the tables of known oddities, and the benchmark's rule for sentence ids."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gacc_gui.core.hotpot_scores import (
    PartScore,
    QuestionScore,
    SentenceIds,
    average,
    is_empty,
    normalise_answer,
    score_answer,
    score_support,
)


@pytest.mark.parametrize(
    ("prediction", "gold", "em", "f1"),
    [
        ("Yes.", "yes", 1, 1),
        ("Yes, they are", "yes", 0, 0),
        ("no doubt", "no", 0, 0),
        ("no", "no doubt", 0, 0),
        ("no answer", "noanswer", 0, 0),
        ("A", "A", 1, 0),
        ("The The", "The The", 1, 0),
        ("", "", 1, 0),
        ("???", "!!!", 1, 0),
        ("...", "Paris", 0, 0),
        ("unanswerable", "", 0, 0),
        ("Plan A", "plan", 1, 1),
        ("Barack Obama Obama", "Barack Obama", 0, 0.8),
    ],
)
def test_answers(prediction: str, gold: str, em: float, f1: float) -> None:
    score = score_answer(prediction, [gold])
    assert score is not None
    assert (score.em, score.f1) == (em, pytest.approx(f1))


def test_overlap_counts_a_repeated_word_as_often_as_it_is_wanted() -> None:
    score = score_answer("Barack Obama Obama", ["Barack Obama"])
    assert score is not None
    assert (score.prec, score.recall) == (pytest.approx(2 / 3), 1)


@pytest.mark.parametrize(
    ("text", "normalised"),
    [
        ("The  APALACHEES.", "apalachees"),
        ("state-of-the-art", "stateoftheart"),
        ("１９８９", "１９８９"),
        ("an\u00a0answer", "answer"),
        ("“quoted”", "“quoted”"),
        ("a-b", "ab"),
    ],
)
def test_normalising(text: str, normalised: str) -> None:
    assert normalise_answer(text) == normalised


def test_several_golds_give_the_best_and_an_empty_one_neither_wins_nor_fails() -> None:
    assert score_answer("Paris", ["Paris", "???"]) == PartScore(1, 1, 1, 1)
    assert score_answer("!!!", ["Paris", "???"]) == PartScore(0, 0, 0, 0)
    assert score_answer("!!!", ["...", "???"]) == PartScore(1, 0, 0, 0)
    assert score_answer("New York City", ["York", "New York"]) == score_answer("New York City", ["New York"])


def test_without_a_gold_an_answer_cannot_be_scored() -> None:
    assert score_answer("Paris", []) is None


def test_what_normalises_to_nothing_is_told() -> None:
    assert [is_empty(text) for text in ("", "The", "?!", "0")] == [True, True, True, False]


def test_supporting_facts_are_sets() -> None:
    score = score_support([["A", 0], ["A", 0], ["B", 1]], [["A", 0], ["C", 2]])
    assert score == PartScore(0, 0.5, 0.5, 0.5)
    assert score_support([["A", 0], ["A", 0]], [["A", 0]]) == PartScore(1, 1, 1, 1)
    assert score_support([], [["A", 0]]) == PartScore(0, 0, 0, 0)
    assert score_support([], []) == PartScore(1, 0, 0, 0)


@pytest.mark.parametrize(("id", "official"), [(True, 1), (1.0, 1), ("1", 0), (None, 0), (1.5, 0)])
def test_odd_sentence_ids(id: Any, official: float) -> None:
    assert score_support([["A", id]], [["A", 1]]).em == official
    assert score_support([["A", id]], [["A", 1]], SentenceIds.STRICT) == PartScore(0, 0, 0, 0)


def test_an_odd_sentence_id_beside_the_right_one_costs_precision() -> None:
    said = [["A", 1], ["A", True]]
    assert score_support(said, [["A", 1]]).prec == 1
    assert score_support(said, [["A", 1]], SentenceIds.STRICT).prec == 0.5


def test_an_odd_gold_fact_is_earned_by_nobody() -> None:
    score = score_support([["A", True], ["B", 0]], [["A", True], ["B", 0]], SentenceIds.STRICT)
    assert (score.prec, score.recall) == (0.5, 0.5)


@pytest.mark.parametrize("fact", ["A1", 3, None, {"title": "A"}, ["A", [1]], ["A"], ["A", 1, 2], [["A"], 1]])
@pytest.mark.parametrize("ids", list(SentenceIds))
def test_what_is_no_fact_is_a_wrong_one(fact: Any, ids: SentenceIds) -> None:
    assert score_support([["A", 1], fact], [["A", 1]], ids) == PartScore(0, pytest.approx(2 / 3), 0.5, 1)


def test_joint_multiplies_precision_and_recall_not_f1() -> None:
    answer, support = PartScore(1, 2 / 3, 1, 0.5), PartScore(0, 2 / 3, 0.5, 1)
    assert QuestionScore(answer, support).joint == PartScore(0, 0.5, 0.5, 0.5)


def test_joint_needs_both_parts() -> None:
    whole = PartScore(1, 1, 1, 1)
    assert QuestionScore(None, whole).joint is None
    assert QuestionScore(whole, None).joint is None


def test_means_are_over_all_questions() -> None:
    whole = PartScore(1, 1, 1, 1)
    figures = average([QuestionScore(whole, whole), QuestionScore(None, whole)])
    assert figures is not None
    assert (figures.em, figures.f1, figures.sp_em, figures.joint_em) == (0.5, 0.5, 1, 0.5)
    names = "em f1 prec recall sp_em sp_f1 sp_prec sp_recall joint_em joint_f1 joint_prec joint_recall"
    assert list(figures.as_json()) == names.split()


def test_without_a_question_there_is_no_mean() -> None:
    assert average([]) is None


_FACTS = st.lists(
    st.tuples(st.sampled_from("AB"), st.sampled_from([0, 1, 2, True, 1.0, "1"])).map(list), max_size=5
)


@given(said=_FACTS, wanted=st.lists(st.tuples(st.sampled_from("AB"), st.integers(0, 2)).map(list)))
def test_the_strict_rule_never_gives_more_credit(said: list[Any], wanted: list[Any]) -> None:
    strict = score_support(said, wanted, SentenceIds.STRICT)
    official = score_support(said, wanted)
    assert strict.recall <= official.recall
    assert strict.em <= official.em
    if all(type(id) is int for _, id in said):
        assert strict == official


@given(st.text(), st.text())
def test_answer_figures_are_shares(prediction: str, gold: str) -> None:
    score = score_answer(prediction, [gold])
    assert score is not None
    assert all(0 <= figure <= 1 for figure in (score.em, score.f1, score.prec, score.recall))
    assert score.em in (0, 1)
    assert score.f1 <= 1 if score.em else score.f1 <= max(score.prec, score.recall)
