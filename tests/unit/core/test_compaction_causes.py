"""What became of supporting facts and why an answer is not right: every fate and cause, by small contexts."""

from __future__ import annotations

from typing import Any

import pytest

from gacc_gui.core import compaction_causes as causes
from gacc_gui.core.compaction import FULL, FUSION, JEV, SUMMARY, EvidenceFile, SentContext, TokenCounts
from gacc_gui.core.compaction_causes import Cause, cause_of, facts_of, fates_of, is_right_in_form

FILES = (
    EvidenceFile(
        "evidence-01.txt",
        "Ledna Orchard",
        (
            "The orchard was planted in 1726 by Mira Sandoval.",
            " It covers  forty\nacres. ",
            "",
            "Its gate was paid for by Luc Ferrand, a merchant of salt.",
        ),
    ),
    EvidenceFile("evidence-02.txt", "Corvo Quarry", ("The quarry was never finished.",)),
)
GOLD = [["Ledna Orchard", 0], ["Ledna Orchard", 3]]


def context(
    method: str, kept: tuple[str, ...] = (), dropped: tuple[str, ...] = (), summary: str | None = None
) -> SentContext:
    tokens = TokenCounts(ceiling=100, reserve=10, fixed=20, space=70, local=60)
    return SentContext(method, (), kept, dropped, summary, (), tokens)


def fates(sent: SentContext, gold: Any = GOLD, hints: bool = True) -> list[str]:
    return [one.fate for one in fates_of(facts_of(gold, FILES), sent, hints=hints)]


# --- facts -----------------------------------------------------------------------------------------


def test_facts_are_looked_up_in_the_evidence_each_once_in_their_order() -> None:
    facts = facts_of([["Corvo Quarry", 0], ["Ledna Orchard", 1], ["Corvo Quarry", 0]], FILES)
    assert [(fact.file, fact.sentence, fact.text) for fact in facts] == [
        (1, 0, "The quarry was never finished."),
        (0, 1, "It covers forty acres."),
    ]


@pytest.mark.parametrize(
    "fact",
    [
        ["Nobody", 0],
        ["Corvo Quarry", 1],
        ["Corvo Quarry", -1],
        ["Corvo Quarry", True],
        ["Corvo Quarry", 0.0],
        ["Corvo Quarry", "0"],
        ["Corvo Quarry"],
        [["Corvo Quarry"], 0],
        {"title": "Corvo Quarry"},
        "Corvo Quarry",
        None,
        ["Ledna Orchard", 2],
    ],
)
def test_what_names_no_sentence_or_an_empty_one_is_nowhere_and_decides_nothing(fact: Any) -> None:
    (found,) = facts_of([fact], FILES)
    assert not found.is_somewhere
    assert fates(context(JEV), [fact]) == [causes.NOWHERE]
    assert cause_of("ok", 0, 0, "x", ["y"], [causes.NOWHERE]) == Cause(causes.ANSWERER_MISSED)


# --- fates -----------------------------------------------------------------------------------------


def test_in_full_everything_is_kept() -> None:
    assert fates(context(FULL)) == [causes.KEPT, causes.KEPT]


def test_a_selector_keeps_or_drops_whole_groups() -> None:
    sent = context(JEV, kept=("0:0-1",), dropped=("0:2-3", "1:0-0"))
    assert fates(sent) == [causes.KEPT, causes.DROPPED]


def test_a_group_of_another_file_keeps_nothing() -> None:
    assert fates(context(JEV, kept=("1:0-3", "what is this", "0:x-y"))) == [causes.DROPPED, causes.DROPPED]


def test_in_a_summary_a_fact_stands_as_written_or_folded() -> None:
    summary = "So: the  ORCHARD was planted in 1726 by Mira Sandoval. And nothing else."
    found = fates_of(facts_of(GOLD, FILES), context(SUMMARY, summary=summary))
    assert [one.fate for one in found] == [causes.IN_SUMMARY, causes.LOST]
    assert [(span.start, span.end) for span in found[0].spans] == [(4, 54)]


def test_what_is_only_like_a_fact_is_likely_and_tells_how_alike() -> None:
    summary = "Its gate had been paid for by Luc Ferrand, merchant of salt."
    found = fates_of(facts_of(GOLD, FILES), context(SUMMARY, summary=summary))
    assert [one.fate for one in found] == [causes.LOST, causes.LIKELY]
    assert found[1].likeness is not None and 80 <= found[1].likeness < 100
    assert found[1].spans
    assert fates(context(SUMMARY, summary=summary), hints=False) == [causes.LOST, causes.LOST]


def test_a_hint_with_another_number_is_none() -> None:
    summary = "The orchard was planted in 1762 by Mira Sandoval."
    assert fates(context(SUMMARY, summary=summary))[0] == causes.LOST


def test_fusion_keeps_groups_and_summarises_the_rest() -> None:
    sent = context(FUSION, kept=("0:0-1",), dropped=("0:2-3", "1:0-0"), summary="Salt paid for the gate.")
    assert fates(sent) == [causes.KEPT, causes.LOST]


def test_an_empty_summary_lost_everything() -> None:
    assert fates(context(SUMMARY, summary="")) == [causes.LOST, causes.LOST]


def test_a_kept_fact_is_kept_wherever_else_it_stands() -> None:
    sent = context(FUSION, kept=("0:0-1",), summary=FILES[0].sentence(0))
    (first, _) = fates_of(facts_of(GOLD, FILES), sent)
    assert first.fate == causes.KEPT
    assert first.spans


# --- causes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "status", ["unparsed", "refused", "truncated", "no_answer", "error", "invalid", "no_context"]
)
def test_whatever_is_not_ok_is_a_failed_condition_even_with_an_em(status: str) -> None:
    assert cause_of(status, 1, 1, "Ferrand", ["Ferrand"], [causes.DROPPED]) == Cause(causes.FAILED)


@pytest.mark.parametrize(
    ("em", "f1", "answer", "found", "expected"),
    [
        (1, 1, "Luc Ferrand", [causes.DROPPED], Cause(causes.CORRECT)),
        (0, 0, "nobody", [causes.KEPT, causes.DROPPED], Cause(causes.EVIDENCE_DROPPED)),
        (0, 0, "nobody", [causes.KEPT, causes.LOST], Cause(causes.SUMMARY_LOST, is_uncertain=True)),
        (0, 0, "nobody", [causes.KEPT, causes.IN_SUMMARY], Cause(causes.ANSWERER_MISSED)),
        (0, 0, "nobody", [causes.LIKELY], Cause(causes.ANSWERER_MISSED, is_uncertain=True)),
        (0, 0, None, [causes.KEPT], Cause(causes.ANSWERER_MISSED)),
        (0, 0.8, "Luc Ferrand of Velm", [causes.KEPT], Cause(causes.FORM)),
        (0, 0.8, "Luc Ferrand of Velm", [causes.DROPPED], Cause(causes.FORM)),
        (0, 0.5, "Mira Ferrand", [causes.KEPT], Cause(causes.ANSWERER_MISSED)),
    ],
)
def test_the_first_cause_that_applies(
    em: float, f1: float, answer: str | None, found: list[str], expected: Cause
) -> None:
    assert cause_of("ok", em, f1, answer, ["Luc Ferrand"], found) == expected


@pytest.mark.parametrize(
    ("answer", "reference", "f1", "expected"),
    [
        ("American author", "American", 2 / 3, True),
        ("New York", "New York City", 0.8, True),
        ("York", "New York City", 0.5, False),
        ("Smith, John", "John Smith", 1.0, True),
        ("Bill Clinton", "Hillary Clinton", 0.5, False),
        ("not guilty", "guilty", 2 / 3, False),
        ("never guilty", "not guilty", 0.5, False),
        ("the 3rd of March 1991 in Velm town", "3rd of March 1991", 0.8, True),
        ("from 5 until 6 May 1992 it rained", "from 5 until 6 May 1991 it rained", 0.86, False),
        ("nobody", "somebody", 0.0, False),
        ("", "", 0.0, False),
        ("the", "a", 0.5, False),
    ],
)
def test_what_is_right_in_another_form(answer: str, reference: str, f1: float, expected: bool) -> None:
    assert is_right_in_form(answer, reference, f1) is expected


def test_letters_are_all_different_and_there_for_every_cause() -> None:
    assert set(causes.LETTERS) == set(causes.CAUSES)
    assert len(set(causes.LETTERS.values())) == len(causes.CAUSES)
